"""Soft attention, MLPs and rounding for one's own automaton: certified figures, and their limits."""

from dataclasses import replace
from fractions import Fraction

import flint
import pytest
import torch

from constructions import logdepth, theorem3
from constructions.automata.families import counting
from constructions.automata.trees import relabelled_tree, shapes, tokens
from constructions.automata.wta import WTA
from constructions.modules.tree_module import to_torch
from constructions.theorem3 import Places
from verify.automaton import inputs, measure, rounding_trees
from verify.automaton.float_runs import Skipped
from verify.automaton.measure import MeasuredTrees
from verify.automaton.report import report
from verify.automaton.report_data import Status
from verify.automaton.rounding_trees import attention_is_right, read_by_scores
from verify.automaton.soft import Softened, required, subjects
from verify.bounds import logdepth as logdepth_bounds
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.saturation import required_fineness, required_saturation
from verify.bounds.tree_budget import subject

EPS = Fraction(1, 10**6)
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SKEW = WTA.of([1, 0], [[["1/3", "1/7"], [0, "2/9"]], [[0, "1/5"], [1, "1/6"]]],
              {"a": [1, "1/3"], "b": ["-1/7", 1]})  # fmt: skip


def figure(answer, name):
    (found,) = [f for f in answer.quantities if f.name == name]
    return found


@pytest.fixture(scope="module")
def adder():
    return report(ADDER, 16)


@pytest.mark.parametrize("model", ["tree", "logdepth"])
def test_trees_get_a_c_a_step_and_an_error_over_all_trees(adder, model):
    assert int(figure(adder, f"saturating constant C, {model} model").value) > 1
    assert figure(adder, f"step of the MLPs, {model} model").value.startswith("2^-")
    error = figure(adder, f"error of the soft {model} model")
    assert (error.evidence, 0 < float(error.value) <= 1e-6) == ("certified", True)
    seen = figure(adder, f"error of the soft {model} model, float64")
    assert (seen.evidence, float(seen.value) <= 1e-6) == ("measured", True)


def test_a_c_for_trees_is_a_hypothesis_that_is_met(adder):
    (found,) = [h for h in adder.hypotheses if h.name == "a finite C for ε"]
    assert found.status is Status.MET
    assert f"C = {figure(adder, 'saturating constant C, tree model').value}" in found.witness


def test_the_error_measured_at_the_stated_c_is_below_and_at_a_small_c_above():
    known = subjects(ADDER, 16)
    run = MeasuredTrees(ADDER, 16)
    for name, one in known.items():
        found = required(one, EPS, "tanh")
        assert run.error(name, "float64", found.saturation) < 1e-6
        assert run.error(name, "float64", 1) > 1e-3


def test_trees_are_measured_on_combs_and_zigzags_both_ways():
    def bare(tree):
        return tuple("x" if s not in "[]" else s for s in tokens(tree))

    drawn = {bare(tree) for tree in measure.samples(("a", "b"), 6)}
    wanted = dict(inputs.shapes(6))
    for name in ("left comb", "right comb", "zigzag", "mirrored zigzag", "balanced tree"):
        assert bare(wanted[name]) in drawn
    assert bare(wanted["left comb"]) != bare(wanted["right comb"])


def test_relu_has_a_c_but_no_step():
    found = required(subjects(ADDER, 7)["logdepth"], EPS, "relu")
    assert found.fineness is None and found.products == "exact products"
    answer = report(ADDER, 7, activation="relu")
    assert not [f for f in answer.quantities if f.name.startswith("step of the MLPs")]


@pytest.mark.parametrize(
    ("length", "activation", "blocks"),
    [(7, "tanh", "MLPs"), (7, "relu", "exact products"), (101, "tanh", "exact products")],
)
def test_a_measured_soft_model_says_how_it_multiplies(length, activation, blocks):
    """MLPs are run where they were found and the model is small enough."""
    rows = Softened(ADDER, length, EPS, activation).quantities(Skipped("not run"))
    measured = [row.meaning for row in rows if row.name.endswith("model, float64")]
    assert len(measured) == 2 and all(f"softmax and {blocks}, " in text for text in measured)


def test_words_get_a_step_for_the_mlps():
    answer = report(counting(), 4)
    assert figure(answer, "error of the soft model with MLPs").evidence == "certified"
    assert float(figure(answer, "error of the soft model with MLPs").value) <= 1e-6
    assert "4n³ = 32 units" in figure(answer, "saturating constant C, with MLPs").meaning


def test_soft_attention_and_mlps_share_the_error():
    exact = required_saturation(counting(), 8, EPS)
    assert required_fineness(counting(), 8, EPS, "tanh").constant >= exact.constant


def test_scores_read_positions_and_depths_but_no_states():
    for places in Places:
        known = subject(theorem3.build(ADDER, 13, places=places))
        read = read_by_scores(known)
        layout = theorem3.layout(2)
        assert not read & set(layout["state"])
        assert {layout.at("count"), layout.at("mark"), layout.at("kind")} <= read


def test_float64_is_certainly_right_and_few_bits_are_not():
    known = subject(theorem3.build(ADDER, 40))
    with flint.ctx.workprec(128):
        right = {p.name: attention_is_right(p, known) for p in FORMATS}
        assert right == {"float64": True, "float32": False, "float16": False, "bfloat16": False}
        line = subject(theorem3.build(ADDER, 40, places=Places.LINE))
        assert attention_is_right(Precision("", 40, -1000, 1000), line)


def test_an_overflow_is_not_right():
    known = subject(theorem3.build(ADDER, 40))
    with flint.ctx.workprec(128):
        small = replace(FORMATS[0], most=5)
        assert not attention_is_right(small, known)
        assert FORMATS[0].largest > small.largest


def test_a_tree_format_is_certified_only_with_certain_attention(adder):
    rows = {row.name: row for row in adder.formats if row.model == "tree"}
    assert rows["float64"].attention == "certainly right"
    assert rows["float64"].suffices == "certified"
    assert rows["bfloat16"].attention == "not certain"
    assert rows["bfloat16"].certified == "none"


@pytest.mark.parametrize("build", [theorem3.build, logdepth.build])
@pytest.mark.parametrize("name", ["float64", "float32"])
def test_the_general_bound_holds_on_every_small_tree(build, name):
    """Rounding of both models, followed coordinate by coordinate, against the exact states."""
    precision = next(p for p in FORMATS if p.name == name)
    model = build(SKEW, 7)
    known = (subject if build is theorem3.build else logdepth_bounds.subject)(model)
    with flint.ctx.workprec(128):
        assert attention_is_right(precision, known)
        bound = float(rounding_trees.state_error(precision, known).upper())
    module = to_torch(model, getattr(torch, name), dense=True)
    worst = 0.0
    for shape in (s for leaves in (1, 2, 3) for s in shapes(leaves)):
        string = tokens(relabelled_tree(shape, ["a", "b", "a"]))
        with torch.no_grad():
            found = module(module.encode([string]))[0].double().tolist()
        for i, state in SKEW.states(string).items():
            pairs = zip(found[i - 1], state, strict=True)
            worst = max(worst, *(abs(x - float(w)) for x, w in pairs))
    assert 0 < worst <= bound
