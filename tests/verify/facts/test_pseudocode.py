"""The scan's pseudocode: as printed it fails, repaired it runs, and mutants are seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.facts import pseudocode
from verify.facts.sequences import window

REPAIRED = pseudocode.combine("repaired")


def letters(count):
    return [chr(97 + i) for i in range(count)]


def joins(values):
    """Return the inputs that the repaired scan joins, in its order."""
    seen = []

    def join(own, before):
        seen.append(REPAIRED(own, before))
        return seen[-1]

    pseudocode.run(values, len(values) - 1, join)
    return seen


@given(st.integers(1, 200))
def test_the_repaired_scan_gives_every_prefix(count):
    word = letters(count)
    prefixes = ["".join(word[: j + 1]) for j in range(count)]
    assert pseudocode.run(word, count - 1, REPAIRED) == prefixes


@given(st.lists(st.integers(), min_size=1))
def test_sums_of_integers_are_the_cumulative_sums(numbers):
    sums = [sum(numbers[: j + 1]) for j in range(len(numbers))]
    assert pseudocode.run(numbers, len(numbers) - 1, REPAIRED) == sums


def test_one_input_is_its_own_running_product():
    assert pseudocode.run(["a"], 0, REPAIRED) == ["a"]


def test_the_printed_loop_never_joins_the_last_position_and_reverses_the_letters():
    printed = pseudocode.combine("printed")
    assert pseudocode.run(["a", "b"], 0, printed) == ["a", "b"]
    assert pseudocode.run(["a", "b", "c"], 1, printed) == ["a", "ba", "c"]
    assert pseudocode.run(["a", "b", "c"], 2, printed) == ["a", "ba", "cba"]


@given(st.integers(1, 70))
def test_in_each_round_a_position_joins_to_its_window(count):
    word = letters(count)
    rounds = range((count - 1).bit_length())
    windows = [window(j, i + 1) for i in rounds for j in range(1 << i, count)]
    assert joins(word) == ["".join(word[k] for k in found) for found in windows]


@given(st.integers(1, 5000))
def test_rounds_are_the_least_number_whose_windows_reach_the_start(last):
    enough = last.bit_length()
    assert window(last, enough) == range(last + 1)
    assert window(last, enough - 1) != range(last + 1)


def test_a_scan_joins_no_more_often_than_it_must():
    """Four inputs: 3 sums in the first round, 2 in the second, and no third round."""
    assert joins(list("abcd")) == ["ab", "bc", "cd", "abc", "abcd"]
    assert [len(joins([1] * (n + 1))) for n in range(5)] == [0, 1, 3, 5, 8]


def test_the_printed_order_shows_with_words_and_not_with_sums():
    printed = pseudocode.pseudocode("whole", "printed", "words", 8)
    assert printed.witness == {"n": 1, "j": 1, "got": "ba", "expected": "ab"}
    assert pseudocode.pseudocode("whole", "printed", "sums", 8).holds


def test_the_printed_range_forgets_the_last_element():
    found = pseudocode.pseudocode("printed", "repaired", "sums", 8)
    assert found.witness == {"n": 1, "j": 1, "got": "2", "expected": "3"}


def test_the_repaired_scan_computes_all_running_sums():
    assert pseudocode.pseudocode("whole", "repaired", "words", 20).holds


def test_an_unknown_range_is_an_error():
    with pytest.raises(ValueError, match="range"):
        pseudocode.pseudocode("some", "printed", "words", 2)


def test_in_place_works_from_the_end_only():
    assert pseudocode.in_place("descending", 130).holds
    found = pseudocode.in_place("ascending", 12)
    assert found.witness == {"n": 2, "j": 2, "got": "aabc", "expected": "abc"}


def test_the_number_of_sums_is_at_most_twice_n_log_n():
    assert pseudocode.work(64).holds


@pytest.mark.parametrize("n", range(20))
def test_the_sums_that_are_counted_are_those_that_the_scan_makes(n):
    assert pseudocode.number_of_sums(n) == len(joins([1] * (n + 1)))


def test_one_array_is_updated_from_either_end():
    assert pseudocode.updated(list("abcd"), "descending") == ["a", "ab", "abc", "abcd"]
    assert pseudocode.updated(list("abc"), "ascending") == ["a", "ab", "aabc"]
    assert pseudocode.updated(["a"], "descending") == ["a"]
