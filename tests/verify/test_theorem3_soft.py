"""Checks of Theorem 3 with softmax: each seen to hold and seen to fail."""

from fractions import Fraction

import flint
import pytest

from constructions.random_trees import random_wta
from constructions.theorem3 import Places
from verify.bounds import trees as bounds
from verify.check import Job
from verify.checks import theorem3_soft
from verify.evidence import Outcome
from verify.recheck.kinds import validators

JOB = Job()


def confirmed(evidence):
    return all(
        validators()[x.certificate["kind"]](x.certificate) for x in evidence if x.certificate
    )


def test_the_recursion_bounds_the_error_and_half_of_it_would_not(monkeypatch):
    automaton = random_wta(2, 5, alphabet="abcd")
    run = theorem3_soft.trial(automaton, "[a[bc]]", 40, Places.LINE)
    assert run.below
    certificate = theorem3_soft.bound_certificate(
        automaton, theorem3_soft.trial(automaton, "[ab]", 400, Places.CIRCLE)
    )
    assert "below the recursion" in validators()["trees.bound"](certificate)
    monkeypatch.setattr(theorem3_soft, "leak", lambda c, n, p: bounds.leak(c, n, p) * 0)
    assert not theorem3_soft.trial(automaton, "[a[bc]]", 40, Places.LINE).below


def test_the_identity_and_the_growth_of_errors():
    seen = [*theorem3_soft.the_identity_behind_the_recursion(JOB),
            *theorem3_soft.errors_grow_from_layer_to_layer(JOB)]  # fmt: skip
    assert [item.outcome for item in seen] == [Outcome.HOLDS, Outcome.FAILS]
    assert confirmed(seen)


def test_saturation_brings_the_leak_below_its_target():
    automaton = random_wta(2, 5)
    constants = bounds.amplifier_within(automaton, 3)
    bits = bounds.affordable_leak(constants, 2, Fraction(1, 1000))
    for places in Places:
        enough = bounds.required_saturation(bits, 8, places)
        with flint.ctx.workprec(256):
            assert bounds.leak(flint.arb(enough), 8, places) < flint.arb(2) ** -bits
            assert not bounds.leak(flint.arb(enough // 2), 8, places) < flint.arb(2) ** -bits
    with pytest.raises(ValueError, match="no leak down to"):
        bounds.affordable_leak(constants, 2, Fraction(0))
