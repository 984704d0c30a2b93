"""The checks of the log-depth construction: each holds, and each is seen to fail on a mutant."""

import copy
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import flint
import pytest
from tests_support import confirmed, evidence, outcomes

from constructions import logdepth
from constructions.logdepth import Scheme, Variant
from constructions.logdepth_weights import Plan
from constructions.multiplication import ceiling
from constructions.pebbling import extremal
from constructions.smoothing import FourUnits
from constructions.transformer import Bilinear, Mask
from constructions.trees import comb, from_text, relabel, tokens
from constructions.wta import WTA
from verify.bounds.budget import TooSoft, error_bound
from verify.bounds.logdepth import subject
from verify.bounds.states import context_bounds, state_bounds
from verify.check import Job
from verify.checks import logdepth as construction
from verify.checks import logdepth_floats as floats
from verify.checks import logdepth_sizes as size_checks
from verify.checks import logdepth_soft as soft_checks
from verify.checks import logdepth_steps as step_checks
from verify.engines import logdepth_algebra as algebra
from verify.engines import logdepth_cases as given
from verify.engines import logdepth_families as families
from verify.engines.logdepth import Attend, Overflow, Pass, Ring
from verify.engines.logdepth_oracle import examine
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

MACHINE = given.automaton(2)


VALIDATORS = validators()


@pytest.mark.parametrize(
    "body",
    [
        construction.all_small_shapes_are_exact_at_every_position,
        construction.heads_find_the_children,
        construction.one_step_is_the_stated_polynomial_map,
        construction.causal_masks_are_enough,
        soft_checks.soft_attention_and_mlps_stay_within_the_bound,
        size_checks.the_sizes_follow_their_formulas,
    ],
)
def test_checks_on_the_construction_hold_and_are_confirmed(body):
    assert {item.outcome for item in evidence(body)} == {Outcome.HOLDS}
    confirmed(body)


def test_layers_are_counted_for_every_family_with_a_figure():
    (item,) = size_checks.layers_grow_like_the_logarithm(Job())
    assert item.outcome is Outcome.HOLDS
    assert {"comb", "extremal", "log2 N"} <= {series.label for series in item.figures[0].series}


def mutated(change, leaves=6, variant=Variant.OPENING):
    """The fault that the examination of all shapes of one size finds in a changed step layer."""
    simulation = logdepth.build(MACHINE, 3 * leaves - 2, variant=variant)
    layers = tuple(change(layer) for layer in simulation.transformer.layers)
    model = replace(simulation.transformer, layers=layers)
    return examine(replace(simulation, transformer=model), given.labelled(leaves), Ring()).fault


def heads_changed(name, change):
    def on_layer(layer):
        heads = tuple(change(head) if head.name == name else head for head in layer.heads)
        return replace(layer, heads=heads)

    return on_layer


def keyless(block):
    row = logdepth.build(MACHINE, 4).plan.layout().at(block)

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
def test_a_mutant_of_a_head_is_refuted_with_its_place(name, change):
    assert mutated(heads_changed(name, change)).startswith("layer ")


def test_marks_that_do_not_stick_are_refuted():
    layout = logdepth.build(MACHINE, 4).plan.layout()
    rows = (layout.at("pebbled"), layout.at("inactive"))

    def change(layer):
        block = layer.feedforward
        assert isinstance(block, Bilinear)
        kept = {at: w for at, w in block.left.entries.items() if at[0] not in rows or w != -1}
        left = replace(block.left, entries=kept)
        return replace(layer, feedforward=replace(block, left=left))

    assert "mark f" in mutated(change)


def test_a_transposed_tensor_is_refuted():
    turned = [[list(row) for row in zip(*rows, strict=True)] for rows in MACHINE.tensor]
    other = logdepth.build(WTA.of(MACHINE.alpha, turned, MACHINE.leaves), 10)
    mixed = replace(other, automaton=MACHINE)
    assert "layer 3" in examine(mixed, given.labelled(4), Ring()).fault


def test_one_step_too_few_is_refuted():
    tree = relabel(extremal(6), "abcd" * 3)
    simulation = logdepth.build(MACHINE, len(tokens(tree)))
    enough = simulation.layers_for(tree)
    assert examine(simulation.cut(enough), [tree], Ring()).fault == ""
    short = examine(simulation.cut(enough - 1), [tree], Ring())
    assert short.fault == f"after the last layer no state at position 1 of {''.join(tokens(tree))}"


def test_scores_and_rule_give_the_same_states():
    for tree in given.families(40).values():
        simulation = logdepth.build(MACHINE, len(tokens(tree)))
        runs = [examine(simulation, [tree], Ring(given.PRIME), attend) for attend in Attend]
        assert runs[0] == runs[1]
        assert not runs[0].fault


def test_the_integers_stop_before_they_overflow():
    tree = comb("c" * 80)
    simulation = logdepth.build(given.automaton(1), len(tokens(tree)))
    with pytest.raises(Overflow, match="may reach"):
        examine(simulation, [tree], Ring())
    with pytest.raises(Overflow, match="no integer"):
        Pass(logdepth.build(given.mixing(), 4), [("c", "d")], Ring())


def test_the_engine_agrees_with_the_forward_pass_and_sees_a_difference(monkeypatch):
    simulation = logdepth.build(MACHINE, 7)
    assert construction.disagreement(simulation, from_text("[a[bc]]")) == ""
    monkeypatch.setattr(construction, "Ring", lambda: Ring(3))
    assert construction.disagreement(simulation, from_text("[a[bc]]"))


def test_a_wrong_machine_is_refuted_on_the_circle_and_in_floats(monkeypatch):
    assert construction.circle_fault(2, Variant.OPENING) == ""
    right = given.automaton(2)
    wrong = WTA.of(right.alpha, [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], right.leaves)
    good = logdepth.build(right, 4, Scheme.CIRCLE)
    changed = replace(good, transformer=logdepth.build(wrong, 4, Scheme.CIRCLE).transformer)
    monkeypatch.setattr(construction.logdepth, "build", lambda *_: changed)
    assert "position" in construction.circle_fault(2, Variant.OPENING)
    monkeypatch.undo()
    tree = from_text("[ab]")
    assert floats.float_error(good, tree) < 1e-12 < floats.float_error(changed, tree)


def test_an_anticausal_mask_is_named():
    assert construction.other_masks(logdepth.build(MACHINE, 7)) != []
    assert construction.other_masks(logdepth.build(MACHINE, 7, variant=Variant.CLOSING)) == []


@pytest.mark.parametrize("variant", list(Variant))
def test_the_step_is_its_polynomials_for_two_states(variant):
    model = algebra.generic(2, variant)
    assert algebra.differences(model) == []
    assert algebra.broken_cases(model) == []


def test_a_product_that_is_left_out_is_named():
    model = algebra.generic(2)
    block = algebra.feedforward(model.plan)
    dropped = max(unit for unit, _ in block.output.entries)
    for unit in range(dropped + 1):
        kept = {at: w for at, w in block.output.entries.items() if at[0] != unit}
        mutant = replace(block, output=replace(block.output, entries=kept))
        assert algebra.differences(model, mutant)
    assert algebra.broken_cases(model, replace(block, output=replace(block.output, entries={})))


def test_families_of_units_and_their_sums_would_show_a_difference(monkeypatch):
    assert families.families_match(2)
    found, wanted = families.family_sum(families.FAMILIES[0])
    assert found == wanted
    turned = replace(families.FAMILIES[0], right=("next_matrix", "qk"))
    other, _ = families.family_sum(turned)
    assert not other.dummy_eq(wanted)
    monkeypatch.setattr(families, "FAMILIES", (turned, *families.FAMILIES[1:]))
    assert not families.families_match(2)


def test_scores_and_margins_would_show_a_difference():
    plan = Plan((((1,),),), 5)
    assert families.wrong_scores(plan) == []
    layer = logdepth.build(given.automaton(1), 5).step
    mutant = heads_changed("far", keyless_one("first"))(layer)
    assert families.wrong_scores(plan, (mutant,)) == ["far"]
    assert families.small_margins() == []
    short = {"gate": families.margins()["far, sent to the end"] - 2}
    assert families.small_margins(short) == ["gate"]


def keyless_one(block):
    row = logdepth.build(given.automaton(1), 5).plan.layout().at(block)

    def change(head):
        kept = {at: w for at, w in head.key.entries.items() if at[0] != row}
        return replace(head, key=replace(head.key, entries=kept))

    return change


def test_the_error_recursion_falls_with_c_and_refuses_a_small_one():
    hard = subject(logdepth.build(given.mixing(), 10))
    assert error_bound(hard, 40) < error_bound(hard, 30) < Fraction(1, 10**6)
    with pytest.raises(TooSoft):
        error_bound(hard, 1)


def test_smooth_products_add_an_error_that_falls_with_h():
    hard = subject(logdepth.build(given.mixing(), 4))
    exact = error_bound(hard, 40)
    coarse = error_bound(hard, 40, FourUnits.of("tanh", 32))
    fine = error_bound(hard, 40, FourUnits.of("tanh", 64))
    assert exact < fine < coarse


def test_a_growing_automaton_is_not_given_the_sizes_of_a_probabilistic_one():
    quiet, loud = state_bounds(given.mixing(), 6), state_bounds(MACHINE, 6)
    assert all(bound == 1 for bound in quiet.totals)
    assert all(bound <= 1 for row in context_bounds(quiet) for bound in row)
    assert max(loud.largest()) > 1 < max(max(row) for row in context_bounds(loud))


def test_a_claimed_error_below_the_true_one_is_refuted():
    model = soft_checks.softened(4)[0]
    trees = given.labelled(2)
    assert soft_checks.compared(model, trees)[0] is Outcome.HOLDS
    boast = replace(model, bound=Fraction(1, 10**60))
    assert soft_checks.compared(boast, trees)[0] is Outcome.FAILS
    error = soft_checks.largest_error(model, trees[0])
    with flint.ctx.workprec(1024):
        on_the_edge = replace(model, bound=ceiling(error.mid()))
    assert soft_checks.compared(on_the_edge, trees)[0] is Outcome.UNKNOWN


def test_wrong_sizes_are_refuted(monkeypatch):
    monkeypatch.setattr(size_checks, "formula", lambda n, scheme: {"n": n})
    assert outcomes(size_checks.the_sizes_follow_their_formulas) == [Outcome.FAILS]


CERTIFICATES = {
    "logdepth.steps": step_checks.every_small_tree_keeps_the_bound,
    "logdepth.least-leaves": step_checks.the_least_number_of_leaves_by_dynamic_programming,
    "logdepth.lemma": step_checks.lemma_chain_gain,
    "logdepth.induction": step_checks.the_arithmetic_of_the_induction_closes_for_all_k,
    "logdepth.extremal": step_checks.extremal_trees_attain_the_bound,
    "logdepth.combs": step_checks.combs_take_a_logarithm,
    "logdepth.height": step_checks.never_more_steps_than_the_height,
    "logdepth.step": construction.one_step_is_the_stated_polynomial_map,
    "logdepth.states": construction.causal_masks_are_enough,
    "logdepth.sizes": size_checks.the_sizes_follow_their_formulas,
    "soft.layers": soft_checks.soft_attention_and_mlps_stay_within_the_bound,
}


@pytest.fixture(scope="module")
def certificates():
    return {
        kind: json.loads(json.dumps(evidence(body)[0].certificate))
        for kind, body in CERTIFICATES.items()
    }


TAMPERED = [
    ("logdepth.steps", lambda c: c["largest"].__setitem__(-1, 8)),
    ("logdepth.least-leaves", lambda c: c["least"].__setitem__(5, 7)),
    ("logdepth.lemma", lambda c: c.__setitem__("lemma", "no such lemma")),
    ("logdepth.lemma", lambda c: c.__setitem__("trees", 3)),
    ("logdepth.induction", lambda c: c["inequalities"][0].__setitem__("constant", -100)),
    ("logdepth.extremal", lambda c: c["leaves"].__setitem__(4, 5)),
    ("logdepth.combs", lambda c: c.__setitem__("largest", 10**6)),
    ("logdepth.height", lambda c: c.__setitem__("leaves", 40)),
    ("logdepth.step", lambda c: c["units"].pop()),
    ("logdepth.step", lambda c: c["units"][-1]["output"][0].__setitem__(2, "2")),
    ("logdepth.states", lambda c: c["digests"].__setitem__(2, "0" * 64)),
    ("logdepth.states", lambda c: c["tensor"][0][0].__setitem__(0, "7")),
    ("logdepth.states", lambda c: c["steps"].__setitem__(3, 2)),
    ("logdepth.sizes", lambda c: c["rows"][0].__setitem__("units", 1)),
    ("soft.layers", lambda c: c.__setitem__("saturation", 20)),
    ("soft.layers", lambda c: c.__setitem__("bound", "1/1000000000000")),
    ("soft.layers", lambda c: c.__setitem__("order", c["order"] + [2] * 60)),
]


@pytest.mark.parametrize(("kind", "change"), TAMPERED)
def test_a_tampered_certificate_is_refused(kind, change, certificates):
    body = copy.deepcopy(certificates[kind])
    assert VALIDATORS[kind](body)
    change(body)
    with pytest.raises(Refused):
        VALIDATORS[kind](body)


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_an_unknown_field_is_refused(kind, certificates):
    with pytest.raises(Refused, match="not known"):
        VALIDATORS[kind]({**certificates[kind], "more": 1})


def test_the_numbers_in_the_documentation_are_the_computed_ones():
    text = (Path(__file__).parents[2] / "docs" / "logdepth.md").read_text("utf-8")
    limits = [size_checks.exact_length(bits, Variant.OPENING) for bits in (24, 53)]
    assert f"{limits[0]} in float32 and {limits[1]:,} in float64" in text
    rows = soft_checks.saturations((10, 1000, 4096)).rows
    assert [f"C = {row[2]}" in text for row in rows] == [True] * 3
    layers = [row[1] for row in size_checks.compared(MACHINE).rows]
    told = f"(repaired) {layers[0]} layers", f"as a word {layers[1]} layers"
    assert all(part in text for part in (*told, f"this construction {layers[2]} layers"))
