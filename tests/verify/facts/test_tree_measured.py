"""Outcomes of the runs of Theorem 3's model on small trees, and faults of these runs that are noticed."""

from dataclasses import replace

import flint
import pytest

from constructions import theorem3
from constructions.blocks.smoothing import SoftplusUnits
from constructions.core.matrix import Matrix
from verify.bounds import measured_tree
from verify.bounds.measured_tree import TreeModel, TreeSubject
from verify.facts import soft_measured
from verify.facts import tree_measured as facts

MIXED = {
    "tensor": [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["-1/2", "4/5"]]],
    "leaves": {"a": ["1", "-1/2"], "b": ["1/3", "2/3"]},
}
SMALL = {
    "automata": {"weight 2": {"tensor": [[["2"]]], "leaves": {"a": ["3/2"]}}, "mixed": MIXED},
    "leaves": 3,
    "decades": [4, 8, 16],
    "mlps": ["1/1000000"],
}


def outcomes(**changes):
    asked = [{**SMALL, **changes, "against": each} for each in facts.OUTCOMES]
    return facts.tree_measured(asked)


def test_one_set_of_runs_decides_the_recursion_and_the_rate():
    recursion, rate = outcomes()
    assert recursion.holds and rate.holds
    for panel in recursion.values["panels"].values():
        [mlp] = panel["mlps"]
        for part in (panel, mlp):
            for error, bound in zip(part["error"], part["bound"], strict=True):
                assert 0 < float(error) < float(bound)
        assert 0 < float(mlp["mlp"][-1]) < float(mlp["proven"]) <= 1e-6
        assert float(mlp["error"][-1]) > float(panel["error"][2])  # the floor
    for misses in rate.values["misses"].values():
        first, second = map(float, misses)
        assert second < first < 1e-3


def test_all_trees_are_run():
    shapes = {1: 2, 2: 4, 3: 2 * 8}
    trees = [*measured_tree.every_tree(3, "ab")]
    assert len(trees) == len(set(map(str, trees))) == sum(shapes.values())


def test_too_few_digits_are_noticed_by_the_balls(monkeypatch):
    monkeypatch.setattr(measured_tree.Multiprecision, "of_bits", lambda bits: MULTI(40))
    with pytest.raises(soft_measured.Disagreement):
        outcomes(mlps=[])


MULTI = measured_tree.Multiprecision.of_bits


LAYER = theorem3.TreePlan.parse_layer


def swapped(plan, automaton):
    """Left and right child in the place of each other."""
    layer = LAYER(plan, automaton)
    left, right, own = layer.heads
    return replace(layer, heads=(right, left, own))


def blunt(plan, automaton):
    """The right head looks nowhere in particular."""
    layer = LAYER(plan, automaton)
    left, right, own = layer.heads
    return replace(layer, heads=(left, replace(right, query=right.query.scaled(0)), own))


def doubled(plan, automaton):
    """Every entry of the output twice."""
    layer = LAYER(plan, automaton)
    block = layer.feedforward
    return replace(layer, feedforward=replace(block, output=block.output.scaled(2)))


def unshifted(plan, automaton):
    """The left head looks at its own position."""
    layer = LAYER(plan, automaton)
    left, right, own = layer.heads
    shape, entries = left.query.shape, dict(left.query.entries)
    one = plan.layout.at("one")
    entries[one, 0] = 0
    return replace(layer, heads=(replace(left, query=Matrix(shape, entries)), right, own))


@pytest.mark.parametrize("mutant", [swapped, blunt, doubled, unshifted])
def test_a_mutant_of_the_model_is_refuted(mutant, monkeypatch):
    monkeypatch.setattr(theorem3.TreePlan, "parse_layer", mutant)
    recursion, _ = outcomes(mlps=[])
    assert recursion.holds is False


def test_an_error_that_does_not_fall_has_no_rate(monkeypatch):
    monkeypatch.setattr(facts.TreeRun, "error", property(lambda run: flint.arb(1)))
    assert outcomes(mlps=[])[1].holds is False


def test_errors_above_the_right_sides_are_refuted():
    subject = TreeSubject(facts.WTA.of([1], **SMALL["automata"]["weight 2"]), 3)
    model, small = TreeModel(subject, 37), TreeModel(subject, 37)
    assert facts.TreeRun(model).within()
    vars(small)["recursion"] = [bound / 10**5 for bound in model.recursion]
    assert facts.TreeRun(small).within() is False


def test_the_mlps_keep_their_bound_on_all_numbers_up_to_the_radius():
    subject = TreeSubject(facts.WTA.of([1, 1], **MIXED), 3)
    step = subject.fitted_step(facts.Fraction(1, 10**6))
    assert subject.proven(step) <= facts.Fraction(1, 10**6) < subject.proven(2 * step)
    unit = SoftplusUnits(step).error(facts.Fraction(subject.radius), facts.Fraction(subject.radius))
    assert bool(unit < flint.arb(1) / 10**6)
