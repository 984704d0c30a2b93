"""Facts on logarithmic depth: each seen to hold at a small size, and to fail on a mutant."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import flint
import pytest

from constructions import logdepth as construction
from constructions import theorem1, theorem3
from constructions.automata.wta import WTA
from constructions.blocks.logdepth_step import step_layer
from constructions.blocks.logdepth_weights import preparation
from constructions.core.exact import ball
from constructions.core.sizes import sizes
from verify.bounds.budget import column_forms, propagated_sizes, sufficient_saturation
from verify.bounds.logdepth import position_sizes, subject
from verify.bounds.logdepth import sizes as sizes_of
from verify.exactness.combs import comb_states
from verify.facts import logdepth

PAIRS = {
    "tensor": [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]],
    "letters": {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]},
}
OTHER = WTA.of([1, 1], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], PAIRS["letters"])


def test_the_construction_gives_every_state():
    found = logdepth.states_on_all_shapes(leaves=4, **PAIRS)
    assert found.values["trees"] == [1, 1, 2, 5]
    assert found.values["steps"] == [0, 1, 2, 3]


def test_weights_of_another_automaton_are_noticed(monkeypatch):
    build = construction.build

    def mixed(machine, length):
        return replace(build(machine, length), transformer=build(OTHER, length).transformer)

    monkeypatch.setattr(logdepth.logdepth, "build", mixed)
    assert logdepth.states_on_all_shapes(leaves=2, **PAIRS).holds is False


def test_the_step_is_its_polynomials_and_a_wrong_formula_is_noticed(monkeypatch):
    assert logdepth.step_is_polynomial(1).holds
    monkeypatch.setattr(logdepth, "differences", lambda model: ["state[0]"])
    assert logdepth.step_is_polynomial(1).witness == {"where": "state[0]"}


def test_no_tree_takes_more_steps_than_the_bound_and_a_smaller_bound_is_noticed(monkeypatch):
    assert logdepth.most_of_all_shapes(1).values == {"largest": [0]}
    assert logdepth.most_of_all_shapes(8).holds
    monkeypatch.setattr(logdepth, "most_steps", lambda n: n.bit_length() - 1)
    assert logdepth.most_of_all_shapes(8).witness["leaves"] == 3


def test_combs_take_a_logarithm_of_steps(monkeypatch):
    assert logdepth.combs(20).holds
    monkeypatch.setattr(logdepth, "comb_steps", lambda n: n.bit_length())
    assert logdepth.combs(20).witness == {"leaves": 1, "steps": [0]}


DOCUMENT = Path(__file__).parents[3] / "docs" / "logdepth.md"
MIXING = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": [1, 0], "b": [0, 1], "c": ["1/2", "1/2"], "d": ["1/3", "2/3"]},
)
# Truth values, one-hot: a node is "left implies right", so that states stay 0 or 1.
IMPLICATIONS = WTA.of(
    [0, 1], [[[0, 0], [1, 0]], [[1, 1], [0, 1]]], {"a": [0, 1], "b": [1, 0], "c": [0, 1]}
)


def score_size(heads, sizes):
    """A bound on every partial sum of every score of some heads."""
    found = flint.arb(0)
    for head in heads:
        sides = (
            propagated_sizes(column_forms(head.query), sizes),
            propagated_sizes(column_forms(head.key), sizes),
        )
        found = found.max(sum((q * k for q, k in zip(*sides, strict=True)), flint.arb(0)))
    return found


def exact_scores(length, bits):
    """Return True if every partial sum of every score is an integer of at most this number of bits."""
    plan = construction.build(IMPLICATIONS, length).plan
    layers = (*preparation(plan), step_layer(plan))
    known = [ball(size) for size in sizes_of(plan, position_sizes(plan))]
    heads = [head for layer in layers for head in layer.heads]
    return bool(score_size(heads, known) < flint.arb(2) ** bits)


def test_the_sizes_in_the_documentation_are_the_measured_ones():
    text = DOCUMENT.read_text("utf-8")
    machine = WTA.of([1, 1], PAIRS["tensor"], PAIRS["letters"])
    tree = sizes(theorem3.build(machine, 190).transformer)
    word = sizes(theorem1.build(comb_states(machine), 64).transformer)
    any_tree = sizes(construction.build(machine, 190).transformer)
    assert f"(repaired) {tree.depth} layers, embedding {tree.embedding}" in text
    assert f"{word.depth} layers, embedding {word.embedding}" in text
    assert f"{any_tree.depth} layers for *any* tree with 64 leaves" in text
    assert f"embedding {any_tree.embedding} (n² + n + 12), four heads" in text
    assert any_tree.heads == 4


@pytest.mark.parametrize(("bits", "length", "shown"), [(24, 132, "132"), (53, 108765, "108,765")])
def test_scores_are_exact_up_to_the_documented_length_and_not_beyond(bits, length, shown):
    assert shown in DOCUMENT.read_text("utf-8")
    assert exact_scores(length, bits)
    assert not exact_scores(length + 1, bits)


@pytest.mark.parametrize(
    ("length", "constant"), [(10, 25), (1000, 62), pytest.param(4096, 78, marks=pytest.mark.slow)]
)
def test_the_documented_constants_are_the_ones_that_the_recursion_finds(length, constant):
    assert f"C = {constant}" in DOCUMENT.read_text("utf-8")
    known = subject(construction.build(MIXING, length))
    assert sufficient_saturation(known, Fraction(1, 2 * 10**6)) == constant
