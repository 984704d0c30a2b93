"""Depths in two layers: without a mask as near as one likes, with one exactly; mutants are noticed."""

from fractions import Fraction

import pytest

from constructions.exact import Undecided
from constructions.random_trees import random_wta
from verify.check import Job
from verify.checks import theorem3_depths
from verify.claims.model import Name
from verify.engines.trees import Batch
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()


def outcomes(evidence):
    return {(item.claim, item.reading): item.outcome for item in evidence}


def test_depths_hold_in_all_readings_and_certificates_are_confirmed():
    seen = list(theorem3_depths.depths_in_two_layers(JOB))
    found = outcomes(seen)
    assert found["thm3.two-layers", Name.LITERAL] is Outcome.HOLDS
    assert found["thm3.two-layers", Name.CHARITABLE] is Outcome.HOLDS
    assert found["thm3.mask", Name.REPAIRED] is Outcome.HOLDS
    assert found["thm3.mask", Name.LITERAL] is Outcome.FAILS
    assert all(validators()[x.certificate["kind"]](x.certificate) for x in seen)


def test_depths_that_are_a_little_off_are_noticed(monkeypatch):
    true = theorem3_depths.open_before
    monkeypatch.setattr(theorem3_depths, "open_before", lambda s: [d + 0.25 for d in true(s)])
    assert {e.outcome for e in theorem3_depths.without_mask(3)} == {Outcome.FAILS}


def test_a_growth_that_is_too_small_is_noticed(monkeypatch):
    monkeypatch.setattr(theorem3_depths, "GROWTHS", (2, 3, 4))
    assert {e.outcome for e in theorem3_depths.without_mask(3)} == {Outcome.FAILS}


def test_too_few_bits_leave_the_error_undecided(monkeypatch):
    monkeypatch.setattr(theorem3_depths, "BITS", 12)
    with pytest.raises(Undecided, match="largest error"):
        theorem3_depths.largest_error(3, 64)


def test_wrong_depths_of_the_masked_layers_are_noticed(monkeypatch):
    automaton = random_wta(1, 1, alphabet="abcdefgh")
    assert {e.outcome for e in theorem3_depths.with_mask(3, automaton)} == {Outcome.HOLDS}
    monkeypatch.setattr(Batch, "depths", lambda self: self.table({"[": 1}))
    assert {e.outcome for e in theorem3_depths.with_mask(3, automaton)} == {Outcome.FAILS}


def test_a_width_that_fits_refutes_nothing(monkeypatch):
    assert theorem3_depths.no_mask(8).outcome is Outcome.UNKNOWN
    assert theorem3_depths.no_mask(10, 4).outcome is Outcome.UNKNOWN
    assert theorem3_depths.no_mask(10).outcome is Outcome.FAILS
    build = theorem3_depths.build
    monkeypatch.setattr(theorem3_depths, "build", lambda a, t: build(random_wta(3, 3), t))
    assert theorem3_depths.no_mask(10).outcome is Outcome.UNKNOWN


def test_a_staircase_of_smaller_rank_refutes_nothing(monkeypatch):
    assert theorem3_depths.staircase(10, 3).rank() == 9
    flat = theorem3_depths.staircase(10, 3) * 0
    monkeypatch.setattr(theorem3_depths, "staircase", lambda length, above: flat)
    assert theorem3_depths.no_mask(10).outcome is Outcome.UNKNOWN


def test_the_literal_scope_says_that_depths_are_approximate():
    item = next(theorem3_depths.without_mask(3))
    assert "no mask; depths approximate, error at most 0.0" in item.scope
    assert theorem3_depths.rounded_up(Fraction(1, 3)) == "0.333334"


def test_the_bound_covers_the_error_and_another_error_is_refused():
    error = theorem3_depths.largest_error(3, 64)
    assert 0 < error <= theorem3_depths.error_bound(7, 64) < Fraction(1, 5)
    body = {
        "kind": "trees.soft-depths",
        "leaves": 3,
        "errors": [[64, str(error)], [128, "1"], [256, "1"]],
    }
    with pytest.raises(Refused, match="M = 128"):
        validators()["trees.soft-depths"](body)
    with pytest.raises(Refused, match="growth"):
        validators()["trees.soft-depths"]({**body, "errors": [[2, "1"], [3, "1"], [4, "1"]]})
