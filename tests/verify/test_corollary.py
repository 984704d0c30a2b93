"""Checks of Corollary 1: counts against Boolean sets, cancellation, precision."""

import pytest

from constructions.tree_automaton import random_automaton
from verify.check import Job
from verify.checks import corollary
from verify.claims.model import Name
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()


def outcomes(evidence):
    return {(item.claim, item.reading): item.outcome for item in evidence}


def test_counts_agree_with_boolean_sets_on_all_small_trees():
    seen = list(corollary.counting_runs_against_boolean_sets(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert validators()["trees.runs"](seen[0].certificate)


def test_a_threshold_at_three_halves_is_noticed(monkeypatch):
    automaton = random_automaton(3, 2)
    assert corollary.disagreements(automaton, 3).wrong == 0
    monkeypatch.setattr(
        corollary, "threshold", lambda counts: frozenset(q for q, c in enumerate(counts) if c > 1.5)
    )
    assert corollary.disagreements(automaton, 3).wrong > 0


def test_weights_that_cancel_refute_non_zero_as_true(monkeypatch):
    seen = list(corollary.how_precise_counts_must_be(JOB))
    assert outcomes(seen)["cor1.nonzero", Name.LITERAL] is Outcome.FAILS
    assert outcomes(seen)["cor1.precision", Name.LITERAL] is Outcome.FAILS
    assert all(validators()[x.certificate["kind"]](x.certificate) for x in seen)
    monkeypatch.setattr(corollary, "cancelling", lambda: corollary.count_runs(corollary.ALL))
    assert next(corollary.how_precise_counts_must_be(JOB)).outcome is Outcome.UNKNOWN


def test_bits_grow_with_the_leaves():
    table = corollary.growth().tables[0]
    assert [int(row[2]) for row in table.rows][:4] == [4, 8, 16, 32]
    assert all(int(row[2]) <= int(row[3]) + 1 for row in table.rows)


def test_a_wrong_number_of_runs_is_refused():
    body = {**corollary.growth().certificate, "runs": "5"}
    with pytest.raises(Refused, match="runs"):
        validators()["trees.run-count"](body)
