"""The scan over words of a free monoid: whatever holds there holds for every monoid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import InputError
from constructions.scan import (
    PRINTED,
    REPAIRED,
    Order,
    Rules,
    combinations,
    in_place,
    printed_rounds,
    rounds,
    running,
    scan,
    steps,
    window,
)


def letters(count: int) -> list[str]:
    return [chr(97 + i) for i in range(count)]


@given(st.integers(1, 200))
def test_the_repaired_scan_gives_every_prefix(count: int) -> None:
    word = letters(count)
    assert scan(word, str.__add__) == running(word, str.__add__)


@given(st.lists(st.integers(), min_size=1))
def test_sums_of_integers_are_the_cumulative_sums(numbers: list[int]) -> None:
    assert scan(numbers, int.__add__) == [sum(numbers[: j + 1]) for j in range(len(numbers))]


def test_the_printed_loop_never_assigns_the_last_position() -> None:
    assert scan("ab", str.__add__, PRINTED) == ["a", None]


def test_the_printed_order_reverses_the_letters() -> None:
    assert scan("abc", str.__add__, PRINTED) == ["a", "ba", None]
    assert scan("abc", str.__add__, Rules(True, False)) == ["a", "ba", "cba"]


def test_the_printed_number_of_rounds_is_undefined_for_one_input() -> None:
    with pytest.raises(InputError, match="at least 1"):
        printed_rounds(0)


def test_one_input_is_its_own_running_product() -> None:
    assert scan("a", str.__add__) == ["a"]


@given(st.integers(1, 5000))
def test_rounds_are_the_least_number_whose_windows_reach_the_start(last: int) -> None:
    enough = rounds(last)
    assert printed_rounds(last) == enough
    assert window(last, enough) == range(last + 1)
    assert window(last, enough - 1) != range(last + 1)


@given(st.integers(1, 70))
def test_after_each_round_a_position_holds_its_window(count: int) -> None:
    word = letters(count)
    for done, row in enumerate(steps(word, str.__add__, REPAIRED, rounds(count - 1))):
        assert row == ["".join(word[k] for k in window(j, done)) for j in range(count)]


@given(st.integers(1, 130))
def test_in_place_works_downwards(count: int) -> None:
    word = letters(count)
    assert in_place(word, str.__add__, Order.DESCENDING) == running(word, str.__add__)


@pytest.mark.parametrize("count", range(3, 20))
def test_in_place_upwards_goes_wrong_from_three_inputs_on(count: int) -> None:
    word = letters(count)
    assert in_place(word, str.__add__, Order.ASCENDING) != running(word, str.__add__)


@given(st.integers(1, 300))
def test_combinations_are_counted_as_they_happen(count: int) -> None:
    seen: list[int] = []

    def counted(left: int, right: int) -> int:
        seen.append(1)
        return left + right

    scan([1] * count, counted)
    assert len(seen) == combinations(count - 1)


def test_the_printed_scan_takes_the_printed_number_of_rounds() -> None:
    """For n = 2^k inputs print's last round looks back 2^(k-1); one round more would repeat letters."""
    seen: list[tuple[str, str]] = []

    def joined(left: str, right: str) -> str:
        seen.append((left, right))
        return left + right

    assert scan("abc", joined, PRINTED) == ["a", "ba", None]
    assert seen == [("b", "a")]
    assert [printed_rounds(n) for n in (1, 2, 3, 4, 7, 8)] == [1, 2, 2, 3, 3, 4]
    assert [rounds(n) for n in (0, 1, 2, 3, 4)] == [0, 1, 2, 2, 3]


@pytest.mark.parametrize(("count", "yielded"), [(1, 1), (2, 2), (3, 3), (5, 4)])
def test_no_round_is_taken_after_the_last_one(count: int, yielded: int) -> None:
    found = list(steps(letters(count), str.__add__, REPAIRED, rounds(count - 1)))
    assert len(found) == yielded
    assert found[0] == letters(count)


def test_a_scan_combines_no_more_often_than_it_must() -> None:
    """Four inputs: 3 combinations in the first round, 2 in the second, and no third round."""
    seen: list[str] = []
    scan("abcd", lambda left, right: seen.append(left + right) or left + right)
    assert seen == ["ab", "bc", "cd", "abc", "abcd"]
    assert [combinations(n) for n in range(5)] == [0, 1, 3, 5, 8]


def test_nothing_runs_to_nothing() -> None:
    assert running([], str.__add__) == []


def test_places_written_in_place_are_read_again_upwards() -> None:
    assert in_place("abc", str.__add__, Order.ASCENDING) == ["a", "ab", "aabc"]
    assert in_place("a", str.__add__, Order.ASCENDING) == ["a"]


def test_the_printed_scan_of_one_input_asks_for_log_zero() -> None:
    with pytest.raises(InputError, match="n: found 0, expected at least 1"):
        scan("a", str.__add__, PRINTED)
