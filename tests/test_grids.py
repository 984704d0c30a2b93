"""Shares of grids: every value of every axis is among the quick cases, or it is refused."""

import pytest
from grid_support import quick_or_full, share_of_grid


def quick(cases):
    return [case.values for case in cases if not case.marks]


def test_all_cases_are_there_and_a_share_of_them_is_quick():
    cases = share_of_grid("ab", [1, 2], one_in=3)
    assert [case.values for case in cases] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert quick(cases) == [("a", 1), ("b", 2)]


def test_a_share_that_leaves_out_a_value_is_refused():
    with pytest.raises(ValueError, match="one in 2 leaves out a value of 1, 2"):
        share_of_grid("ab", [1, 2], one_in=2)


def test_full_runs_take_the_larger_number(monkeypatch):
    monkeypatch.setattr("grid_support.FULL", True)
    assert quick_or_full(3, 9) == 9
    monkeypatch.setattr("grid_support.FULL", False)
    assert quick_or_full(3, 9) == 3
