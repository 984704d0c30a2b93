"""The pebbling game is played anew; anything else than what it gives is refused."""

import pytest
from confirm_support import Case, Questions

from verify.facts import logdepth
from verify.recheck.kinds import pebbling as kinds

CASES = [
    Case("pebbling.steps", logdepth.most_of_all_shapes, {"leaves": 8}),
    Case("pebbling.combs", logdepth.combs, {"most": 12}),
    Case("pebbling.families", logdepth.families, {"leaves": [1, 4, 33]}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


A = "a"


def test_small_trees_have_their_shapes():
    assert kinds.comb(1) == A and kinds.comb(4) == (A, (A, (A, A)))
    assert kinds.balanced(1) == A
    assert kinds.balanced(5) == (((A, A), (A, A)), A)
    assert kinds.balanced(6) == (((A, A), (A, A)), (A, A))
    first = [A, (A, A), (A, (A, A)), (A, (A, (A, A))), (A, ((A, A), (A, (A, A))))]
    assert [kinds.extremal(k) for k in range(5)] == first


def test_shapes_up_to_the_order_of_children_are_counted():
    """The numbers of Wedderburn and Etherington."""
    assert [len(kinds.unordered(n)) for n in range(1, 10)] == [1, 1, 1, 2, 3, 6, 11, 23, 46]
    assert len(set(kinds.unordered(8))) == 23


def test_the_most_steps_are_those_of_the_padovan_numbers():
    assert [kinds.padovan(k) for k in range(9)] == [2, 3, 4, 5, 7, 9, 12, 16, 21]
    assert [kinds.most_steps(n) for n in range(1, 13)] == [0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6]


@pytest.mark.parametrize(
    ("shape", "steps"),
    [(A, 0), ((A, A), 1), ((A, (A, A)), 2), (((A, A), (A, A)), 2), ((A, (A, (A, A))), 3),
     ((((A, A), (A, A)), ((A, A), (A, A))), 3)],
)  # fmt: skip
def test_a_game_takes_as_many_steps_as_it_is_played(shape, steps):
    assert kinds.Game(shape).steps == steps
