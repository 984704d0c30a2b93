"""What a fact may return, and what its confirmation may."""

import pytest

from verify.judge.outcome import Outcome, comparison, first_problem
from verify.recheck.errors import Recomputed, Refused


def test_what_holds_has_no_witness_of_a_failure():
    with pytest.raises(ValueError, match=r"holds, with a witness of its failure: \{'n': 7\}"):
        Outcome(True, {}, {"n": 7})
    with pytest.raises(Refused, match="holds, with a witness of its failure"):
        Recomputed(True, {}, {"n": 7})


@pytest.mark.parametrize("kind", [Outcome, Recomputed])
@pytest.mark.parametrize("holds", [False, None])
def test_what_fails_and_what_is_undecided_may_have_one(kind, holds):
    assert kind(holds, {}, {"n": 7}).witness == {"n": 7}
    assert kind(True, {"n": 7}).witness is None


def test_a_comparison_that_fails_shows_its_sides_and_the_first_problem_is_the_witness():
    assert comparison(True, left=1, right=1) == Outcome(True, {"left": 1, "right": 1})
    assert comparison(False, left=1, right=2).witness == {"left": 1, "right": 2}
    assert first_problem([None, {"n": 1}, {"n": 2}]) == Outcome(False, {}, {"n": 1})
    assert first_problem([None]) == Outcome(True)
