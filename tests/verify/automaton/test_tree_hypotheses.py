"""Soft attention, MLPs and rounding for one's own automaton: certified figures, and their limits."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import flint
import pytest
import torch

from constructions import logdepth, theorem3
from constructions.automata.families import counting
from constructions.automata.trees import relabelled_tree, shapes, tokens
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ball
from constructions.modules.tree_module import to_torch
from constructions.theorem3 import Places
from verify.automaton import enclosure, inputs, measure, rounding_trees, soft
from verify.automaton.conditions import of_trees
from verify.automaton.measure import MeasuredTrees
from verify.automaton.report import report
from verify.automaton.report_data import Status
from verify.automaton.rounding_trees import attention_is_right, read_by_scores
from verify.automaton.runs import Skipped
from verify.automaton.soft import Softened, required, subjects
from verify.bounds import logdepth as logdepth_bounds
from verify.bounds import saturation
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.saturation import required_fineness, required_saturation, uniform_bounds
from verify.bounds.tree_budget import subject

EPS = Fraction(1, 10**6)
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SKEW = WTA.of([1, 0], [[["1/3", "1/7"], [0, "2/9"]], [[0, "1/5"], [1, "1/6"]]],
              {"a": [1, "1/3"], "b": ["-1/7", 1]})  # fmt: skip
HUGE = WTA.of([1], [[[10**6]]], {"a": [10**6]})


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


def test_a_model_that_is_too_large_or_grows_too_fast_is_said_to_be(monkeypatch):
    monkeypatch.setattr(soft, "MOST_WORK", 1)
    none = Softened(ADDER, 16, EPS, "tanh")
    assert none.found == {} and "not computed: 2 states" in none.reason
    (constant,) = [c for c in of_trees(ADDER, none) if c.name == "a finite C for ε"]
    assert constant.status is Status.UNDECIDED
    (first, *_) = none.quantities(MeasuredTrees(ADDER, 16))
    assert (first.value, first.evidence) == (none.reason, "none")
    monkeypatch.undo()
    monkeypatch.setattr("verify.bounds.budget.MOST_SATURATION", 8)
    assert "no C up to 8" in Softened(HUGE, 10, EPS, "tanh").reason


def test_words_get_a_step_for_the_mlps_and_one_word_is_enclosed():
    answer = report(counting(), 4)
    assert figure(answer, "error of the soft model with MLPs").evidence == "certified"
    assert float(figure(answer, "error of the soft model with MLPs").value) <= 1e-6
    seen = figure(answer, "error of the soft model with MLPs, balls")
    assert float(seen.value) <= 1e-6
    assert "4n³ = 32 units" in figure(answer, "saturating constant C, with MLPs").meaning


@pytest.mark.parametrize("activation", ["tanh", "gelu"])
def test_the_step_is_the_coarsest_that_is_certain_and_the_model_keeps_the_error(activation):
    automaton, length = counting(), 4
    found = required_fineness(automaton, length, EPS, activation)
    with flint.ctx.workprec(192):
        known = uniform_bounds(automaton, length)
        coarser = FourUnits.of(activation, found.bits - 1)
        error = saturation._mlp_state_error(known, 2, found.constant, coarser)
        assert found.error < ball(EPS) and not error < ball(EPS)
    units = FourUnits.of(activation, found.bits)
    seen = enclosure.smooth_error(automaton, ("0", "1", "0", "0"), ceil(found.constant), units)
    assert seen < found.error
    coarse = enclosure.smooth_error(
        automaton, ("0", "1", "0", "0"), ceil(found.constant), FourUnits.of(activation, 2)
    )
    assert coarse > found.error


def test_soft_attention_and_mlps_share_the_error():
    exact = required_saturation(counting(), 8, EPS)
    assert required_fineness(counting(), 8, EPS, "tanh").constant >= exact.constant


def test_an_mlp_whose_inputs_may_leave_the_box_is_not_trusted():
    with flint.ctx.workprec(192):
        known = uniform_bounds(counting(), 4)
        rough = FourUnits.of("tanh", 1)
        assert not saturation._mlp_state_error(known, 2, Fraction(400), rough).is_finite()


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


def test_without_rounding_in_the_bound_bfloat16_would_be_called_right(monkeypatch):
    known = subject(theorem3.build(ADDER, 40))
    few = next(p for p in FORMATS if p.name == "bfloat16")
    assert MeasuredTrees(ADDER, 40).error("tree", "bfloat16") > 1
    monkeypatch.setattr(Precision, "gamma", lambda self, count: flint.arb(0))
    monkeypatch.setattr(Precision, "roundoff", flint.arb(0))
    assert attention_is_right(few, known)


def test_copies_are_exact_in_floating_point_and_sums_are_not():
    known = subject(theorem3.build(ADDER, 13))
    double = FORMATS[0]
    last, sizes = rounding_trees.stages(known)[-1]
    with flint.ctx.workprec(128):
        layer = rounding_trees.Rounded(last, sizes, known, double, read_by_scores(known))
        errors = layer.embedded()
        count = theorem3.layout(2).at("count")
        assert layer.after(errors)[count] < errors[count] * flint.arb("1.0001")
        first, before = rounding_trees.stages(known)[0]
        layer = rounding_trees.Rounded(first, before, known, double, read_by_scores(known))
        assert layer.after(errors)[count] > errors[count]


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
    assert int(figure(adder, "decimal digits, tree model").value) <= 16


def test_the_table_of_formats_covers_both_models(adder):
    assert {row.model for row in adder.formats} == {"tree", "logdepth"}
    for row in adder.formats:
        if row.certified != "none" and not row.measured.startswith("not"):
            assert float(row.measured) <= float(row.certified)


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


def test_a_bound_without_rounded_products_is_refuted(monkeypatch):
    """The mutant forgets the roundings of products; float32 shows the difference."""
    monkeypatch.setattr(rounding_trees.Rounded, "_lost", lambda *_: flint.arb(0))
    monkeypatch.setattr(rounding_trees.Rounded, "embedded", lambda s: [flint.arb(0)] * len(s.sizes))
    monkeypatch.setattr(rounding_trees.Rounded, "form", lambda *_: flint.arb(0))
    with pytest.raises(AssertionError):
        test_the_general_bound_holds_on_every_small_tree(theorem3.build, "float32")
