"""The integer engine of the log-depth construction: mutants of heads and blocks are named."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from constructions import logdepth
from constructions.arithmetic import Rational
from constructions.automata.pebbling import extremal_tree, most_steps
from constructions.automata.trees import (
    balanced_tree,
    comb,
    from_text,
    relabelled_tree,
    tokens,
    zigzag,
)
from constructions.automata.wta import WTA
from constructions.core.transformer import Bilinear, Mask, realise
from verify.exactness.integers import Overflow
from verify.facts import logdepth_invariant as invariant
from verify.facts import logdepth_step_algebra as algebra
from verify.facts.logdepth import labelled_shapes
from verify.facts.logdepth_invariant import Pass, examine

LETTERS = {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]}
MACHINE = WTA.of([1, 0], [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]], LETTERS)
ONE = WTA.of([1], [[[2]]], {"a": [1], "b": [-1], "c": [2], "d": [1]})
# Truth values, one-hot: a node is "left implies right", so that states stay 0 or 1.
IMPLICATIONS = WTA.of(
    [0, 1],
    [[[0, 0], [1, 0]], [[1, 1], [0, 1]]],
    {"a": [0, 1], "b": [1, 0], "c": [0, 1], "d": [1, 0]},
)
HALF = WTA.of([1], [[["1/2"]]], {"c": [1], "d": [1]})


def mutated(change, leaves=6):
    """The fault that the examination of all shapes of one size finds in a changed step layer."""
    simulation = logdepth.build(MACHINE, 3 * leaves - 2)
    layers = tuple(change(layer) for layer in simulation.transformer.layers)
    model = replace(simulation.transformer, layers=layers)
    return examine(replace(simulation, transformer=model), labelled_shapes(leaves)).fault


def heads_changed(name, change):
    def on_layer(layer):
        heads = tuple(change(head) if head.name == name else head for head in layer.heads)
        return replace(layer, heads=heads)

    return on_layer


def keyless(block, machine=MACHINE):
    row = logdepth.build(machine, 5).plan.layout().at(block)

    def change(head):
        gone = {j for (i, j) in head.key.entries if i == row}
        kept = {at: w for at, w in head.key.entries.items() if at[1] not in gone}
        return replace(head, key=replace(head.key, entries=kept))

    return change


def test_an_unchanged_layer_has_no_fault():
    assert mutated(lambda layer: layer) == ""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("near", keyless("end")),
        ("far", keyless("end")),
        ("far", keyless("first")),
        ("far", lambda head: replace(head, mask=Mask.NONE)),
        ("mean", lambda head: replace(head, mask=Mask.NONE, value=replace(head.value, entries={}))),
    ],
    ids=["near gate removed", "far gate removed", "left child's key removed", "mask", "depth"],
)
def test_a_mutant_of_a_head_is_named_with_its_layer(name, change):
    assert mutated(heads_changed(name, change)).startswith("layer ")


def test_marks_that_do_not_stick_are_named():
    layout = logdepth.build(MACHINE, 4).plan.layout()
    rows = (layout.at("pebbled"), layout.at("inactive"))

    def change(layer):
        block = layer.feedforward
        kept = {at: w for at, w in block.left.entries.items() if at[0] not in rows or w != -1}
        left = replace(block.left, entries=kept)
        return replace(layer, feedforward=replace(block, left=left))

    assert "mark f" in mutated(change)


def test_a_transposed_tensor_is_named():
    turned = [[list(row) for row in zip(*rows, strict=True)] for rows in MACHINE.tensor]
    other = logdepth.build(WTA.of(MACHINE.alpha, turned, MACHINE.leaves), 10)
    mixed = replace(other, automaton=MACHINE)
    assert "layer 3" in examine(mixed, labelled_shapes(4)).fault


def test_one_step_too_few_leaves_the_root_without_its_state():
    tree = relabelled_tree(extremal_tree(6), "abcd" * 3)
    simulation = logdepth.build(MACHINE, len(tokens(tree)))
    enough = simulation.layers_for(tree)
    assert examine(simulation.cut(enough), [tree]).fault == ""
    short = examine(simulation.cut(enough - 1), [tree])
    assert short.fault == f"after the last layer no state at position 1 of {''.join(tokens(tree))}"


@pytest.mark.parametrize(
    "tree",
    [comb("a" * 100), zigzag("a" * 100), balanced_tree("a" * 100), extremal_tree(most_steps(100))],
    ids=["comb", "zigzag", "balanced", "extremal"],
)
def test_on_a_tree_of_a_hundred_leaves_every_token_is_right_after_every_layer(tree):
    large = relabelled_tree(tree, ["abcd"[k % 4] for k in range((len(tokens(tree)) + 2) // 3)])
    simulation = logdepth.build(IMPLICATIONS, len(tokens(large)))
    enough = simulation.layers_for(large)
    assert examine(simulation.cut(enough), [large]).fault == ""
    assert "no state at position 1" in examine(simulation.cut(enough - 1), [large]).fault


def test_the_integers_stop_before_they_overflow():
    tree = comb("c" * 80)
    simulation = logdepth.build(ONE, len(tokens(tree)))
    with pytest.raises(Overflow, match="may reach"):
        examine(simulation, [tree])
    with pytest.raises(Overflow, match="no integer"):
        *_, _ = Pass(logdepth.build(HALF, 4), [("c", "d")]).states()


def as_integers(rows):
    arithmetic = Rational()
    return np.array([[int(arithmetic.element(value) + 0) for value in row] for row in rows])


def test_the_engine_is_the_forward_pass_in_every_coordinate_after_every_layer():
    tree, arithmetic = from_text("[a[bc]]"), Rational()
    simulation = logdepth.build(MACHINE, 7)
    rows = arithmetic.array(simulation.encode(tokens(tree)))
    dense = realise(simulation.transformer, arithmetic).states(arithmetic, rows)
    fast = Pass(simulation, [tree]).states()
    for one, other in zip(dense, fast, strict=True):
        assert np.array_equal(as_integers(one), other[0])


def test_the_step_is_its_polynomials_for_two_states():
    model = algebra.generic(2)
    assert algebra.differences(model) == []


def test_a_product_that_is_left_out_is_named():
    model = algebra.generic(1)
    block = algebra.feedforward(model.plan)
    assert isinstance(block, Bilinear)
    for unit in range(1 + max(unit for unit, _ in block.output.entries)):
        kept = {at: w for at, w in block.output.entries.items() if at[0] != unit}
        mutant = replace(block, output=replace(block.output, entries=kept))
        assert algebra.differences(model, mutant)


def positions_of(what, run, oracle, time, x):
    """The tokens that break a part of the invariant."""
    wrong = dict(invariant.violations(run, oracle, time, x))[what]
    return [tuple(place) for place in np.argwhere(wrong).tolist()]


@pytest.mark.parametrize("off", [-1, 1])
def test_each_part_of_the_invariant_names_the_token_that_breaks_it(off):
    simulation = logdepth.build(MACHINE, 10)
    trees = labelled_shapes(4)
    run, oracle = Pass(simulation, trees), invariant.consult_oracle(simulation, trees)
    layout = run.layout
    seen = set()
    for layer, x in enumerate(run.states()):
        time = layer - simulation.preparation
        if time < 0:
            continue
        assert not any(wrong.any() for _, wrong in invariant.violations(run, oracle, time, x))
        codes = oracle.codes[time]
        for code, parts in {
            1: {"b is not μ(v)": layout["state"], "M is not constant": layout["matrix"]},
            2: {"the pointer is wrong": layout["pointer"], "M is not constant": layout["matrix"]},
            3: {"the pointer is wrong": layout["pointer"], "b is not μ(v)": layout["state"]},
        }.items():
            for tree, row in np.argwhere(codes == code).tolist()[:3]:
                for what, coordinates in parts.items():
                    changed = x.copy()
                    changed[tree, row, coordinates[-1]] += off
                    assert positions_of(what, run, oracle, time, changed) == [(tree, row)]
                    seen.add((code, what))
    assert len(seen) == 6


def test_trees_that_take_fewer_steps_than_the_model_has_stay_finished():
    tree = relabelled_tree(balanced_tree("aaaa"), "abcd")
    found = examine(logdepth.build(ONE, 10), [tree])
    assert (found.fault, found.steps, found.trees, found.nodes) == ("", 2, 1, 7)


def test_a_digest_is_that_of_all_strings_and_their_states():
    """2·2·(-1), then the leaves themselves; the other tree likewise."""
    machine = WTA.of([1], [[[2]]], {"a": [2], "b": [-1]})
    found = examine(logdepth.build(machine, 4), [("a", "b"), ("a", "a")])
    assert found.digest == sha256(b"[ab] -4 2 -1\n[aa] 8 2 2\n").hexdigest()
