"""The pebbling game is played anew; anything else than what it gives is refused."""

import pytest
from confirm_support import Case, Questions
from tests_support import arguments_of_calls

from verify.facts import logdepth
from verify.recheck.errors import Refused
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


def test_a_node_is_known_waits_or_moves():
    """A comb of four leaves: one node has two known children, two have one and begin to move."""
    game = kinds.Game((A, (A, (A, A))))
    assert game.pairs == [None, None, None, None, (2, 3), (1, 4), (0, 5)]
    waiting = [kinds.KNOWN] * 4 + [kinds.WAITING] * 3
    marks, pointers = game._next(waiting, list(range(7)))
    assert (marks, pointers) == ([0, 0, 0, 0, 0, 2, 2], [0, 1, 2, 3, 4, 4, 5])
    marks, pointers = game._next(marks, pointers)
    assert (marks, pointers) == ([0, 0, 0, 0, 0, 0, 2], [0, 1, 2, 3, 4, 4, 4])
    marks, _ = game._next(marks, pointers)
    assert marks == [0] * 7
    fork = kinds.Game(((A, A), (A, A)))
    marks = [kinds.WAITING if pair else kinds.KNOWN for pair in fork.pairs]
    assert fork._next(marks, list(range(7)))[0] == [0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("size", [1, 3, 4])
def test_a_size_whose_bound_is_not_met_is_named(size, monkeypatch):
    right = kinds.most_steps
    for off in (-1, 1):
        monkeypatch.setattr(kinds, "most_steps", lambda n, off=off: right(n) + off * (n == size))
        with pytest.raises(Refused, match=f"{size} leaves: the bound is not met"):
            kinds.steps({"leaves": 4}, {})
    monkeypatch.setattr(kinds, "most_steps", right)
    assert arguments_of_calls(
        monkeypatch, kinds, "unordered", lambda: kinds.steps({"leaves": 2}, {})
    ) == [(1,), (2,)]


def test_a_tree_that_takes_more_steps_than_its_height_is_refused(monkeypatch):
    right = kinds.Game

    class Slow(right):
        def __init__(self, shape):
            super().__init__(shape)
            self.steps += shape == ((A, A), (A, A))

    monkeypatch.setattr(kinds, "Game", Slow)
    with pytest.raises(Refused, match="or a tree takes more than its height"):
        kinds.steps({"leaves": 4}, {})


def test_families_are_drawn_beside_the_bound(monkeypatch):
    """Two layers more than steps: of eight leaves a comb takes 4 steps and a balanced tree 3."""
    curves = kinds.families({"leaves": [1, 8]}, {}).values["curves"]
    assert {curve["label"]: curve["y"] for curve in curves} == {
        "comb": ["2", "6"], "balanced": ["2", "5"], "extremal": ["2", "7"], "bound": ["2", "7"],
        "2 + height of a comb (Theorem 3)": ["2", "9"],
    }  # fmt: skip
    monkeypatch.setattr(kinds, "most_steps", lambda n: 3)
    with pytest.raises(Refused, match="more layers than the bound"):
        kinds.families({"leaves": [8]}, {})
