"""The scan's pseudocode: as printed it fails, repaired it runs, and mutants are seen."""

import pytest

from verify.facts import pseudocode


def test_the_printed_order_shows_with_words_and_not_with_sums():
    printed = pseudocode.pseudocode("whole", "printed", "words", 8)
    assert printed.witness == {"n": 1, "j": 1, "got": "ba", "expected": "ab"}
    assert pseudocode.pseudocode("whole", "printed", "sums", 8).holds


def test_the_printed_range_forgets_the_last_element():
    found = pseudocode.pseudocode("printed", "repaired", "sums", 8)
    assert found.witness == {"n": 1, "j": 1, "got": "2", "expected": "3"}


def test_the_repaired_scan_computes_all_running_sums():
    assert pseudocode.pseudocode("whole", "repaired", "words", 20).holds


def test_a_round_too_few_is_seen(monkeypatch):
    monkeypatch.setattr(pseudocode, "range", lambda *a: range(*a[:-1], a[-1] - 1), raising=False)
    assert pseudocode.run(["a", "b"], 1, pseudocode.joined("repaired")) != ["a", "ab"]


def test_an_unknown_range_is_an_error():
    with pytest.raises(ValueError, match="range"):
        pseudocode.pseudocode("some", "printed", "words", 2)


def test_in_place_works_from_the_end_only():
    assert pseudocode.in_place("descending", 12).holds
    assert pseudocode.in_place("ascending", 12).witness["n"] == 2


def test_the_number_of_sums_is_at_most_twice_n_log_n():
    assert pseudocode.work(64).holds


def test_twice_as_many_sums_would_be_too_many(monkeypatch):
    monkeypatch.setattr(pseudocode, "sum", lambda terms: 3 * sum(terms), raising=False)
    assert pseudocode.work(64).holds is False
