"""Checks of Theorem 3, printed and repaired: each is seen to hold and seen to fail on a mutant."""

import copy
from dataclasses import replace
from fractions import Fraction

import flint
import pytest

from constructions.random_trees import random_wta, rational_wta
from constructions.smoothing import Hidden
from constructions.theorem3 import Places, build
from constructions.theorem3_printed import Depth, Step
from constructions.theorem3_variants import build_causal, build_free
from constructions.wta import WTA
from verify.check import Job
from verify.checks import (
    theorem3,
    theorem3_fourier,
    theorem3_gate,
    theorem3_large,
    theorem3_printed,
    theorem3_sizes,
    theorem3_step,
    theorem3_widths,
)
from verify.claims.model import Name
from verify.engines.fourier import lower_pairs, realised, separates, sufficient, terms_needed
from verify.engines.tree_rules import RULES
from verify.engines.tree_states import Digest, Masked, tally
from verify.engines.trees import Batch, Parts, ablations, generic, heights
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()


def outcomes(evidence):
    return {(item.claim, item.reading): item.outcome for item in evidence}


def confirmed(evidence):
    return all(
        validators()[x.certificate["kind"]](x.certificate) for x in evidence if x.certificate
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_printed_rule_fails_only_where_print_and_truth_differ(rule):
    as_printed, mended = (
        theorem3_printed.printed_rule(rule, 3),
        theorem3_printed.mended_rule(rule, 3),
    )
    assert as_printed.outcome is (Outcome.HOLDS if rule.id == "second-tree" else Outcome.FAILS)
    assert mended.outcome is Outcome.HOLDS
    assert confirmed([as_printed, mended])


def test_a_rule_that_says_the_truth_holds_and_a_mended_one_that_does_not_fails():
    rule = RULES[0]
    assert (
        theorem3_printed.printed_rule(replace(rule, printed=rule.truth), 3).outcome is Outcome.HOLDS
    )
    wrong = theorem3_printed.mended_rule(replace(rule, mended=rule.printed), 3)
    assert wrong.outcome is Outcome.FAILS
    assert wrong.counterexample.startswith("The mended reading is wrong on [ab]")
    with pytest.raises(Refused, match="right there"):
        confirmed([wrong])


def test_the_drawing_shows_right_heads_that_miss_as_printed_and_none_as_repaired(monkeypatch):
    drawing = theorem3_printed.head_drawing()
    printed, repaired = drawing.heads
    assert "".join(drawing.tokens) == "[a[bc]]"
    assert (printed.label, printed.missed) == ("right head as printed", (1, 3))
    assert (repaired.label, repaired.missed) == ("right head as repaired", ())
    assert dict(repaired.arcs) == {1: 3, 3: 5}
    assert printed.depths != repaired.depths == drawing.depths
    monkeypatch.setattr(theorem3_printed.Printed, "right", lambda *_: {1: 2, 3: 5})
    assert theorem3_printed.head_drawing().heads[1].missed == (1,)


def test_the_left_head_is_decided_and_a_turned_one_is_not_confirmed(monkeypatch):
    seen = list(theorem3_printed.the_left_head_on_the_half_circle(JOB))
    assert outcomes(seen)["thm3.left-head", Name.LITERAL] is Outcome.FAILS
    assert confirmed(seen)
    monkeypatch.setattr(theorem3_printed, "left_attended", lambda i, t: [max(i - 1, 1)])
    turned = outcomes(theorem3_printed.the_left_head_on_the_half_circle(JOB))
    assert turned["thm3.left-head.score", Name.LITERAL] is Outcome.FAILS
    assert turned["thm3.left-head", Name.LITERAL] is Outcome.UNKNOWN


def test_the_printed_step_lets_a_head_look_too_early_and_the_exact_one_does_not(monkeypatch):
    seen = list(theorem3_step.does_the_step_keep_the_head_ahead(JOB))
    found = {item.reading: item for item in seen}
    assert found[Name.LITERAL].outcome is Outcome.FAILS
    assert found[Name.LITERAL].counterexample.startswith("On [[a[bc]]d] position 1 attends to 2")
    assert found[Name.REPAIRED].outcome is Outcome.HOLDS
    assert confirmed(seen)
    exact = theorem3_step.Printed(Depth.BEFORE, Step.EXACT)
    monkeypatch.setattr(theorem3_step, "early_readings", lambda: [exact])
    assert theorem3_step.too_early(4).outcome is Outcome.UNKNOWN
    monkeypatch.setattr(theorem3_step, "early_heads", lambda *_: iter([("[ab]", 1, 2)]))
    assert theorem3_step.never_early(3).outcome is Outcome.FAILS


def test_the_repaired_right_head_has_three_or_four_columns_and_more_are_noticed(monkeypatch):
    assert theorem3_fourier.right_shapes().outcome is Outcome.HOLDS
    assert theorem3_fourier.left_shapes().outcome is Outcome.HOLDS
    body = theorem3_fourier.forms_certificate(build(random_wta(1, 1), 13, places=Places.LINE).plan)
    other = Places.CIRCLE
    monkeypatch.setattr(
        theorem3_fourier, "build", lambda a, t, height, places: build(a, t, height, other)
    )
    assert theorem3_fourier.right_shapes().outcome is Outcome.FAILS
    body["forms"][2][0]["one"] = "1"
    with pytest.raises(Refused, match="position"):
        validators()["trees.right-forms"](body)


def test_a_square_is_near_and_a_coarse_step_is_not(monkeypatch):
    assert {e.outcome for e in theorem3_widths.squared(13, Fraction(1, 1024))} == {Outcome.HOLDS}
    monkeypatch.setattr(theorem3_widths, "softplus_square", lambda d, h: flint.arb(d * d + 1))
    assert {e.outcome for e in theorem3_widths.squared(5, Fraction(1, 1024))} == {Outcome.FAILS}


def test_layers_are_counted_and_another_count_is_noticed(monkeypatch):
    seen = list(theorem3_sizes.how_many_layers(JOB))
    assert outcomes(seen)["thm3.size.depth", Name.LITERAL] is Outcome.HOLDS
    assert confirmed(seen)
    monkeypatch.setattr(theorem3_sizes, "build", lambda a, t: build(a, t + 3))
    seen = outcomes(theorem3_sizes.how_many_layers(JOB))
    assert seen["thm3.size.depth", Name.LITERAL] is Outcome.FAILS
    assert seen["thm3.size.depth", Name.REPAIRED] is Outcome.FAILS


def test_the_printed_right_head_fails_and_the_exact_step_holds():
    seen = list(theorem3_printed.where_the_right_head_looks(JOB))
    found = outcomes(seen)
    assert found["thm3.right-head", Name.LITERAL] is Outcome.FAILS
    assert found["thm3.right-head", Name.REPAIRED] is Outcome.HOLDS
    assert confirmed(seen)
    rows = {row[:3]: row[3:] for row in seen[0].tables[0].rows}
    assert rows["before", "exact", "-"] == ("0", "none")
    assert rows["printed", "literal", "0"] == ("22", "[ab]")


def test_a_head_that_is_right_is_not_called_wrong(monkeypatch):
    monkeypatch.setattr(theorem3_printed, "first_wrong", lambda *a: None)
    assert (
        theorem3_printed.head_literal("thm3.right-head", Depth.PRINTED, 3).outcome
        is Outcome.UNKNOWN
    )
    monkeypatch.setattr(theorem3_printed, "wrong_heads", lambda *a: [("[ab]", 1)])
    found = outcomes(theorem3_printed.exact_step(3))
    assert found["thm3.right-head", Name.REPAIRED] is Outcome.FAILS
    assert theorem3_printed.first_wrong is not None


def test_the_number_of_fourier_terms_grows_and_a_constant_one_is_not_confirmed(monkeypatch):
    assert [terms_needed(realised(n), 3 * n - 2) for n in (2, 3, 4, 5)] == [2, 4, 5, 7]
    assert realised(5) <= sufficient(13)
    assert not separates(lower_pairs(13), 13, 3)
    seen = list(theorem3_fourier.how_many_fourier_terms(JOB))
    assert outcomes(seen)["thm3.fourier.constant", Name.LITERAL] is Outcome.FAILS
    assert confirmed(seen)
    monkeypatch.setattr(theorem3_fourier, "terms_needed", lambda pairs, length: 2)
    flat = outcomes(theorem3_fourier.how_many_fourier_terms(JOB))
    assert flat["thm3.fourier.constant", Name.LITERAL] is Outcome.UNKNOWN


def test_the_printed_step_is_refuted_only_while_it_is_wrong(monkeypatch):
    assert theorem3_fourier.literal_step().outcome is Outcome.FAILS
    good = theorem3_fourier.step_value
    monkeypatch.setattr(
        theorem3_fourier, "step_value", lambda i, j, t, k, _: good(i, j, t, 20, Step.REPAIRED)
    )
    assert theorem3_fourier.literal_step().outcome is Outcome.UNKNOWN


def test_states_are_right_and_a_head_without_flags_is_noticed(monkeypatch):
    found = theorem3.totals(4, Digest())
    assert (found.positions, found.wrong, found.broken) == (4 * 49, 0, 0)
    monkeypatch.setattr(Batch, "marks", lambda self: self.depths() ** 2)
    found = theorem3.totals(4, Digest())
    assert found.wrong > 0
    assert found.broken > 0
    monkeypatch.setattr(theorem3, "totals", lambda leaves, digest: found)
    seen = list(theorem3.every_state_at_every_position_after_every_layer(JOB))
    assert {item.outcome for item in seen} == {Outcome.FAILS}
    assert "Not confirmed" in seen[0].summary


def test_the_exhaustive_run_is_confirmed_and_another_weight_is_refused():
    seen = list(theorem3.every_state_at_every_position_after_every_layer(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert "4 random rational WTAs with n = 1, 2, 3" in seen[0].scope
    assert confirmed(seen)
    body = copy.deepcopy(seen[0].certificate)
    body["automata"][3]["tensor"][2][2][2] = "1/9"
    with pytest.raises(Refused, match="digest"):
        validators()["trees.states"](body)


def test_the_automata_of_the_exhaustive_run_have_denominators_and_signs():
    for machine in theorem3.machines():
        weights = [w for rows in machine.tensor for row in rows for w in row]
        weights += [x for vector in machine.leaves.values() for x in vector]
        assert all(w.denominator > 1 for w in weights)
        assert min(weights) < 0 < max(weights)
    assert [machine.n for machine in theorem3.machines()] == [1, 2, 3, 3]


def test_a_state_that_comes_a_layer_early_breaks_the_invariant(monkeypatch):
    batch = Masked((tuple("[a[bc]]"),))
    assert tally(batch, theorem3.machines()[1], 2, Digest()).broken == 0
    monkeypatch.setattr(Masked, "due", lambda self, symbols: dict.fromkeys(heights(symbols), 1))
    assert tally(batch, theorem3.machines()[1], 2, Digest()).broken > 0


def test_the_generic_proof_sees_a_missing_layer(monkeypatch):
    arithmetic, automaton = generic(2, letters=3)
    seen = []
    assert theorem3.first_difference(automaton, 7, arithmetic, Places.LINE, seen.append) is None
    assert len(seen) == 14
    monkeypatch.setattr(
        theorem3, "build", lambda a, t, places: build(a, t, height=1, places=places)
    )
    found = theorem3.first_difference(automaton, 7, arithmetic, Places.LINE, seen.append)
    assert found == "[a[bc]], position 1"


def test_a_score_with_a_symbol_in_it_is_an_error():
    arithmetic, automaton = generic(1)
    values = arithmetic.array([[automaton.leaf("a")[0]]])
    with pytest.raises(ArithmeticError, match="depends on a symbol"):
        arithmetic.scores(values, values)


def test_engine_and_dense_heads_agree_and_a_wrong_engine_is_noticed(monkeypatch):
    automaton = random_wta(1, 1, alphabet="abcdefgh")
    assert theorem3.heads_agree(tuple("[[ab][cd]]"), automaton)
    monkeypatch.setattr(Batch, "marks", lambda self: self.depths() ** 2)
    assert not theorem3.heads_agree(tuple("[[ab][cd]]"), automaton)


def test_each_repair_is_necessary_and_a_harmless_one_would_be_noticed(monkeypatch):
    seen = list(theorem3.each_repair_is_necessary(JOB))
    assert confirmed(seen)
    failing = {row[0]: int(row[1]) for row in seen[0].tables[0].rows}
    assert failing == {
        "none": 0, "depth": 22, "rescale": 22, "causal": 21, "onward": 7, "flag": 22, "near": 22,
        "gate": 22, "modes": 22,
    }  # fmt: skip
    assert set(ablations()) == set(failing) - {"none"}
    monkeypatch.setattr(theorem3, "ablations", lambda: {"idle": Parts()})
    assert next(theorem3.each_repair_is_necessary(JOB)).outcome is Outcome.FAILS


def test_large_trees_are_right_and_a_wrong_head_is_noticed(monkeypatch):
    automaton = random_wta(2, 2)
    for symbols in theorem3_large.families(40).values():
        assert theorem3_large.large_tree(symbols, automaton)[0]
    monkeypatch.setattr(Batch, "marks", lambda self: self.depths() ** 2)
    assert not theorem3_large.large_tree(theorem3_large.families(8)["comb"], automaton)[0]


def test_ties_are_errors_in_the_engine(monkeypatch):
    monkeypatch.setattr(Batch, "right", lambda self, rows: self.left(rows) * 0)
    with pytest.raises(ArithmeticError, match="the right head has a tie"):
        Batch((tuple("[ab]"),)).attended("right")


def test_heights_are_those_of_subtrees():
    assert heights("[[ab]c]") == {1: 2, 2: 1, 3: 0, 4: 0, 6: 0}


def test_the_gate_is_right_and_symmetric_tensors_do_not_tell_modes_apart(monkeypatch):
    seen = list(theorem3_gate.the_printed_gate_on_every_small_tree(JOB))
    assert outcomes(seen)["thm3.gate", Name.REPAIRED] is Outcome.HOLDS
    assert confirmed(seen)
    same = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
    assert {e.outcome for e in theorem3_gate.printed_modes(same)} == {Outcome.UNKNOWN}
    monkeypatch.setattr(theorem3_gate, "right_children", lambda s: dict.fromkeys(range(1, 20), 1))
    wrong = outcomes(theorem3_gate.the_printed_gate_on_every_small_tree(JOB))
    assert wrong["thm3.gate", Name.REPAIRED] is Outcome.FAILS


def test_printed_layers_and_degree():
    seen = [
        *theorem3_gate.the_printed_parse_layers(JOB),
        *theorem3_gate.the_degree_of_the_gate(JOB),
    ]
    assert outcomes(seen)["thm3.invariant", Name.LITERAL] is Outcome.FAILS
    assert confirmed(seen)


def test_the_causal_variant_is_right_and_with_a_layer_too_few_it_is_noticed(monkeypatch):
    automaton = rational_wta(2, 12)
    assert not theorem3_gate.causal_fails(build_causal(automaton, 7), 3, Digest())
    assert theorem3_gate.causal_fails(build_causal(automaton, 7, height=1), 3, Digest())
    seen = list(theorem3_gate.states_at_closing_brackets(JOB))
    assert outcomes(seen)["thm3.causal-variant", Name.REPAIRED] is Outcome.HOLDS
    assert confirmed(seen)
    monkeypatch.setattr(
        theorem3_gate, "build_causal", lambda automaton, t: build_causal(automaton, t, height=1)
    )
    seen = outcomes(theorem3_gate.states_at_closing_brackets(JOB))
    assert seen["thm3.causal-variant", Name.REPAIRED] is Outcome.FAILS


def test_closing_brackets_hold_something_and_a_head_that_reads_them_is_noticed(monkeypatch):
    found = theorem3_gate.closing_brackets(rational_wta(2, 12), 4)
    assert found.outcome is Outcome.HOLDS
    assert found.certificate["held"] > 0
    monkeypatch.setattr(
        theorem3_gate, "all_heads", lambda s: {i: len(s) for i in range(1, len(s) + 1)}
    )
    assert theorem3_gate.closing_brackets(rational_wta(2, 12), 4).outcome is Outcome.FAILS


def test_sizes_hold_and_another_embedding_is_noticed(monkeypatch):
    for check in (
        theorem3_sizes.the_built_models_have_the_printed_sizes,
        theorem3_widths.the_width_of_the_mlp,
        theorem3_sizes.how_many_layers,
        theorem3_sizes.what_each_encoding_costs,
    ):
        seen = list(check(JOB))
        unknown = [(i.claim, i.reading) for i in seen if i.outcome is Outcome.UNKNOWN]
        assert set(unknown) <= {("thm3.gate.width", Name.LITERAL)}
        assert confirmed(seen)
    old = theorem3_sizes.built
    monkeypatch.setattr(theorem3_sizes, "built", lambda n, t: replace(old(n, t), embedding=n))
    seen = list(theorem3_sizes.the_built_models_have_the_printed_sizes(JOB))
    assert {i.outcome for i in seen if "with masks" in i.scope} == {Outcome.FAILS}
    assert {i.outcome for i in seen if "without masks" in i.scope} == {Outcome.HOLDS}


def test_a_model_without_masks_of_another_size_is_noticed(monkeypatch):
    old = theorem3_sizes.built_free
    monkeypatch.setattr(
        theorem3_sizes, "built_free", lambda n, t: replace(old(n, t), attention=n + 6)
    )
    seen = list(theorem3_sizes.the_built_models_have_the_printed_sizes(JOB))
    assert {i.outcome for i in seen if "without masks" in i.scope} == {Outcome.FAILS}
    assert {i.outcome for i in seen if "with masks" in i.scope} == {Outcome.HOLDS}
    monkeypatch.setattr(theorem3_sizes, "build_free", lambda a, t: build_free(a, t + 3))
    seen = outcomes(theorem3_sizes.how_many_layers(JOB))
    assert seen["thm3.size.depth", Name.LITERAL] is Outcome.FAILS


def test_literal_readings_say_that_the_model_has_masks_or_has_none():
    checks = (
        theorem3_sizes.the_built_models_have_the_printed_sizes,
        theorem3.every_state_at_every_position_after_every_layer,
        theorem3_large.large_trees_of_every_family,
    )
    for item in (item for check in checks for item in check(JOB)):
        assert "with masks" in item.scope or "without masks" in item.scope
    depth = [i for i in theorem3_sizes.how_many_layers(JOB) if i.claim == "thm3.size.depth"]
    assert all("with masks" in item.scope and "two models" in item.limits for item in depth)


def test_one_convention_for_leaves_refutes_nothing(monkeypatch):
    assert list(theorem3_sizes.leaf_depths(theorem3_sizes.CONVENTIONS).values()) == [1, 0]
    monkeypatch.setattr(theorem3_sizes, "CONVENTIONS", {"here": ("[ab]", 1), "there": ("a", 0)})
    seen = outcomes(theorem3_sizes.how_many_layers(JOB))
    assert seen["thm3.depth-convention", Name.LITERAL] is Outcome.UNKNOWN


def test_a_tree_without_leaves_in_its_positions_refutes_no_input(monkeypatch):
    assert theorem3_gate.a_leaf_has_no_children("a").outcome is Outcome.FAILS
    assert confirmed([theorem3_gate.a_leaf_has_no_children("[ab]")])
    monkeypatch.setattr(theorem3_gate, "positions", lambda symbols: [1])
    assert theorem3_gate.a_leaf_has_no_children("[ab]").outcome is Outcome.UNKNOWN


def test_factors_that_are_not_shared_are_noticed(monkeypatch):
    assert [theorem3_widths.bilinear_units(n) for n in (1, 2, 3)] == [4, 9, 16]
    monkeypatch.setattr(Hidden, "shared", Hidden.fresh)
    assert theorem3_widths.bilinear_units(2) == 16
    seen = outcomes(theorem3_widths.the_width_of_the_mlp(JOB))
    assert seen["thm3.size.mlp-width", Name.CHARITABLE] is Outcome.FAILS
    assert seen["thm3.size.mlp-order", Name.LITERAL] is Outcome.FAILS


def test_a_count_of_the_printed_width_refutes_nothing(monkeypatch):
    monkeypatch.setattr(theorem3_widths, "proof_count", lambda n: (n + 1) * (2 * n + 1))
    seen = outcomes(theorem3_widths.the_width_of_the_mlp(JOB))
    assert seen["thm3.size.mlp-width", Name.LITERAL] is Outcome.UNKNOWN
    assert seen["thm3.gate.width", Name.CHARITABLE] is Outcome.FAILS
    assert seen["thm3.gate.width", Name.LITERAL] is Outcome.UNKNOWN


def test_a_gate_of_another_degree_gives_another_count(monkeypatch):
    assert theorem3_widths.proof_count(1) == 715
    monkeypatch.setattr(theorem3_widths, "gate_degree", lambda: 3)
    assert theorem3_widths.proof_count(1) == 220
