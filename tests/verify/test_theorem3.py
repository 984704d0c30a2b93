"""Checks of Theorem 3, printed and repaired: each is seen to hold and seen to fail on a mutant."""

from dataclasses import replace
from fractions import Fraction

import flint
import pytest

from constructions.theorem3 import Places, build
from constructions.theorem3_printed import Depth, Step
from constructions.theorem3_variants import build_causal, build_free
from constructions.wta import WTA
from verify.bounds import trees as bounds
from verify.check import Job
from verify.checks import (
    theorem3,
    theorem3_fourier,
    theorem3_gate,
    theorem3_large,
    theorem3_printed,
    theorem3_sizes,
    theorem3_soft,
)
from verify.claims.model import Name
from verify.engines.fourier import lower_pairs, realised, separates, sufficient, terms_needed
from verify.engines.tree_rules import RULES
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


def small(monkeypatch):
    monkeypatch.setattr(theorem3, "totals", lambda leaves: theorem3_totals(4))


def theorem3_totals(leaves):
    pairs = [
        theorem3.mismatches(
            Batch(tuple(theorem3.labelled_strings(k))), theorem3.random_wta(2, 2), k
        )
        for k in range(1, leaves + 1)
    ]
    return sum(a for a, _ in pairs), sum(b for _, b in pairs)


def test_states_are_right_and_a_head_without_flags_is_noticed(monkeypatch):
    assert theorem3_totals(5) == (0, 0)
    monkeypatch.setattr(Batch, "marks", lambda self: self.depths() ** 2)
    wrong, broken = theorem3_totals(4)
    assert wrong > 0
    assert broken > 0
    small(monkeypatch)
    seen = list(theorem3.every_state_at_every_position_after_every_layer(JOB))
    assert {item.outcome for item in seen} == {Outcome.FAILS}
    assert "Not confirmed" in seen[0].summary


def test_the_counts_of_the_exhaustive_run_are_right(monkeypatch):
    monkeypatch.setattr(theorem3, "totals", lambda leaves: (0, 0))
    seen = list(theorem3.every_state_at_every_position_after_every_layer(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert confirmed(seen[:1])
    assert theorem3.POSITIONS[9] == 33098


def test_the_generic_proof_sees_a_missing_layer(monkeypatch):
    arithmetic, automaton = generic(2, letters=3)
    assert theorem3.first_difference(automaton, 7, arithmetic, Places.LINE) is None
    monkeypatch.setattr(
        theorem3, "build", lambda a, t, places: build(a, t, height=1, places=places)
    )
    found = theorem3.first_difference(automaton, 7, arithmetic, Places.LINE)
    assert found == "[a[bc]], position 1"


def test_a_score_with_a_symbol_in_it_is_an_error():
    arithmetic, automaton = generic(1)
    values = arithmetic.array([[automaton.leaf("a")[0]]])
    with pytest.raises(ArithmeticError, match="depends on a symbol"):
        arithmetic.scores(values, values)


def test_depths_come_from_two_layers_and_a_wrong_one_is_noticed(monkeypatch):
    automaton = theorem3.random_wta(1, 1, alphabet="abcdefgh")
    found = outcomes(theorem3.depths_in_two_layers(3, automaton))
    assert found["thm3.mask", Name.REPAIRED] is Outcome.HOLDS
    assert found["thm3.mask", Name.LITERAL] is Outcome.FAILS
    monkeypatch.setattr(Batch, "depths", lambda self: self.table({"[": 1}))
    found = outcomes(theorem3.depths_in_two_layers(3, automaton))
    assert found["thm3.mask", Name.REPAIRED] is Outcome.FAILS


def test_engine_and_dense_heads_agree_and_a_wrong_engine_is_noticed(monkeypatch):
    automaton = theorem3.random_wta(1, 1, alphabet="abcdefgh")
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
    automaton = theorem3.random_wta(2, 2)
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


def test_variants_with_a_layer_too_few_are_noticed():
    automaton = theorem3.random_wta(2, 5, alphabet="abcdefgh")
    assert not theorem3_gate.variant_fails(build_free(automaton, 7), 3)
    assert theorem3_gate.variant_fails(build_free(automaton, 7, layers=3), 3) == ["[[ab]c]"]
    assert not theorem3_gate.variant_fails(build_causal(automaton, 7), 3)
    assert theorem3_gate.variant_fails(build_causal(automaton, 7, height=1), 3)


def test_sizes_hold_and_another_embedding_is_noticed(monkeypatch):
    for check in (
        theorem3_sizes.the_built_models_have_the_printed_sizes,
        theorem3_sizes.the_width_of_the_mlp,
        theorem3_sizes.how_many_layers,
        theorem3_sizes.what_each_encoding_costs,
    ):
        seen = list(check(JOB))
        assert Outcome.UNKNOWN not in {item.outcome for item in seen}
        assert confirmed(seen)
    old = theorem3_sizes.built
    monkeypatch.setattr(theorem3_sizes, "built", lambda n, t: replace(old(n, t), embedding=n))
    seen = theorem3_sizes.the_built_models_have_the_printed_sizes(JOB)
    assert {item.outcome for item in seen} == {Outcome.FAILS}


def test_the_recursion_bounds_the_error_and_half_of_it_would_not(monkeypatch):
    automaton = theorem3.random_wta(2, 5, alphabet="abcd")
    run = theorem3_soft.trial(automaton, "[a[bc]]", 40, Places.LINE)
    assert run.below
    certificate = theorem3_soft.bound_certificate(
        automaton, theorem3_soft.trial(automaton, "[ab]", 400, Places.CIRCLE)
    )
    assert "below the recursion" in validators()["trees.bound"](certificate)
    monkeypatch.setattr(theorem3_soft, "leak", lambda c, n, p: bounds.leak(c, n, p) * 0)
    assert not theorem3_soft.trial(automaton, "[a[bc]]", 40, Places.LINE).below


def test_smooth_blocks_stay_below_the_recursion_and_a_box_too_small_is_refused():
    automaton = theorem3.random_wta(1, 1, alphabet="abcd")
    assert theorem3_soft.trial(automaton, "[ab]", 60, Places.LINE, Fraction(1, 10**6)).below
    with pytest.raises(ArithmeticError, match="leave the box"):
        theorem3_soft.trial(automaton, "[ab]", 60, Places.LINE, Fraction(4))


def test_the_identity_and_the_growth_of_errors():
    seen = [*theorem3_soft.the_identity_behind_the_recursion(JOB),
            *theorem3_soft.errors_grow_from_layer_to_layer(JOB)]  # fmt: skip
    assert [item.outcome for item in seen] == [Outcome.HOLDS, Outcome.FAILS]
    assert confirmed(seen)


def test_saturation_brings_the_leak_below_its_target():
    automaton = theorem3.random_wta(2, 5)
    constants = bounds.amplifier_within(automaton, 3)
    bits = bounds.affordable_leak(constants, 2, Fraction(1, 1000))
    for places in Places:
        enough = bounds.required_saturation(bits, 8, places)
        with flint.ctx.workprec(256):
            assert bounds.leak(flint.arb(enough), 8, places) < flint.arb(2) ** -bits
            assert not bounds.leak(flint.arb(enough // 2), 8, places) < flint.arb(2) ** -bits
    with pytest.raises(ValueError, match="no leak down to"):
        bounds.affordable_leak(constants, 2, Fraction(0))
