"""One layer counts zeros: the proof holds, mutants of the construction fail, the bound decides."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from verify.check import Job
from verify.checks import counting_depth as depth
from verify.evidence import Outcome, Strength

from constructions.families import k_counting, k_counting_as_printed
from constructions.transformer import Mask
from verify.recheck import experiments as recheck
from verify.recheck.errors import Refused


def test_one_masked_layer_agrees_with_the_automaton_on_every_short_word():
    assert depth.first_mismatch(depth.one_layer(depth.masked_head()), 5) is None


def test_without_its_mask_the_averaging_head_is_refuted_by_a_word():
    head = replace(depth.masked_head(), mask=Mask.NONE)
    assert depth.first_mismatch(depth.one_layer(head), 3) == ("0",)


def test_an_anticausal_mask_is_refuted_by_a_word():
    head = replace(depth.masked_head(), mask=Mask.ANTICAUSAL)
    assert depth.first_mismatch(depth.one_layer(head), 3) is not None


def test_the_induction_holds_and_fails_for_a_layer_that_is_off_by_one():
    assert depth.induction() == (True, True)
    assert depth.induction(lambda t, a: sympy.Matrix([[(t + 2) * a, 1]])) == (True, False)
    assert depth.induction(lambda t, a: sympy.Matrix([[(t + 1) * a, 0]])) == (False, False)


def test_the_soft_layer_keeps_its_bound_and_a_smaller_bound_is_exceeded(monkeypatch):
    assert depth.soft_excess(tuple("0010"), 16) is False
    monkeypatch.setattr(depth, "bound", lambda length, base: Fraction(1, 10**6))
    assert depth.soft_excess(tuple("0010"), 16) is True


def test_the_inequality_is_decided_by_its_coefficients():
    x = sympy.symbols("x")
    assert depth.inequalities()
    assert depth._nonnegative((x + 1) / (x + 2), (x,))
    assert not depth._nonnegative((x - 1) / (x + 2), (x,))


def test_undecided_balls_leave_the_claim_open(monkeypatch):
    monkeypatch.setattr(depth, "soft_excess", lambda word, base: None)
    (evidence,) = depth.one_unmasked_soft_layer_counts_to_any_precision(Job())
    assert evidence.outcome is Outcome.UNKNOWN


def test_a_wrong_model_refutes_the_claim_and_leaves_the_threshold_alone(monkeypatch):
    monkeypatch.setattr(depth, "first_mismatch", lambda model, longest: ("0",))
    found = list(depth.one_masked_layer_counts_at_every_length(Job()))
    assert [item.outcome for item in found] == [Outcome.FAILS]


def test_the_threshold_is_refuted_by_the_one_layer_model():
    found = {(e.claim, e.reading.value): e for e in depth._no_threshold(3)}
    literal = found[depth.THRESHOLD, "literal"]
    assert literal.outcome is Outcome.FAILS and literal.strength is Strength.EXACT
    assert found[depth.THRESHOLD, "charitable"].outcome is Outcome.HOLDS


def test_the_certificates_are_confirmed_and_their_mutants_refused():
    good = depth.certificate(4)
    assert "one layer counts zeros" in recheck.counting_one_layer(good)
    for change in (
        {"layers": 2},
        {"longest": 40},
        {"alpha": ["1", "0"]},
        {"zero": [["1", "0"], ["2", "1"]]},
        {"more": 1},
    ):
        with pytest.raises(Refused):
            recheck.counting_one_layer(good | change)
    soft = {"kind": "experiments.counting-soft", "longest": 2, "bases": [16]}
    assert "bound" in recheck.counting_soft(soft)
    with pytest.raises(Refused):
        recheck.counting_soft(soft | {"bases": [1]})


def test_k_counting_counts_as_repaired_and_not_as_printed():
    assert depth.counts_always(k_counting(2, 3), 2)
    assert not depth.counts_always(k_counting_as_printed(2, 3), 2)
    found = {
        (e.claim, e.reading.value): e.outcome for e in depth.the_k_counting_automaton_counts(Job())
    }
    assert found["exp.k.example", "literal"] is Outcome.FAILS
    assert found["exp.k.definition", "repaired"] is Outcome.HOLDS
