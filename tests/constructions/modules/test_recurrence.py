"""Which of the two passes is taken, as it was approved."""

from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("torch")

import numpy as np
from approved_support import agree_with_approved

from constructions.modules import recurrence
from constructions.modules.recurrence import _fused_time, _recurrence_time, is_faster

APPROVED = Path(__file__).with_suffix(".json")
COUNTS = [1, 2, 4, 8, 10, 12, 14, 16, 18, 20, 24, 32, 64, 256]
LENGTHS = [1, 4, 16, 32, 64, 128, 256, 1024]


@pytest.mark.parametrize("n", [1, 2, 4, 8, 32])
def test_the_sizes_at_which_the_recurrence_is_taken_are_as_approved(n):
    """For each number of letters and length, the numbers of words."""
    found = {
        f"{letters} letters": {
            str(length): [count for count in COUNTS if is_faster(count, length, n, letters)]
            for length in LENGTHS
        }
        for letters in (2, 16, 40)
    }
    agree_with_approved(APPROVED, f"n = {n}", found)


@pytest.mark.parametrize("letters", [2, 16, 40])
def test_the_lengths_from_which_the_other_pass_is_taken_are_as_approved(letters):
    """Where the answer changes, for each number of words and of states."""
    found = {}
    for count in (1, 2, 3, 11, 40):
        for n in (1, 3, 8, 20):
            taken = [is_faster(count, length, n, letters) for length in range(1500)]
            changes = [k for k, (a, b) in enumerate(pairwise(taken)) if a is not b]
            found[f"{count} words, {n} states"] = changes
    agree_with_approved(APPROVED, f"{letters} letters, changes", found)


@pytest.mark.parametrize(
    ("sizes", "recurrent", "fused"),
    [
        # count, length, n, letters: 12 + T (0.33 + n²/10⁴), and 90 + 20 log₂(T/8) + T (0.05 + 0.004 n²)
        ((1, 64, 3, 5), 12 + 21.12 + 0.0576, 150 + 3.2 + 2.304),
        # 30 + T (0.65 + B (0.008 + 6 n² k/10⁵)), k letters or 16; calls of short words are 90 alone
        ((5, 10, 2, 3), 30 + 6.5 + 0.4 + 0.036, 96.438561897747247 + 2.5 + 0.8),
        ((5, 4, 2, 40), 30 + 2.6 + 0.16 + 0.0768, 90 + 1 + 0.32),
        ((2, 0, 2, 3), 30, 90),
    ],
)
def test_the_times_of_both_passes_are_these(sizes, recurrent, fused):
    assert _recurrence_time(*sizes) == pytest.approx(recurrent, rel=1e-12)
    assert _fused_time(*sizes[:3]) == pytest.approx(fused, rel=1e-12)


def test_what_takes_as_long_is_not_faster(monkeypatch):
    for times, faster in (((1, 2), True), ((2, 2), False), ((3, 2), False)):
        monkeypatch.setattr(recurrence, "_recurrence_time", lambda *_, t=times: t[0])
        monkeypatch.setattr(recurrence, "_fused_time", lambda *_, t=times: t[1])
        assert is_faster(1, 1, 1, 1) is faster


@pytest.mark.parametrize("letters", [2, 16, 17])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_states_are_products_of_maps_letter_by_letter(letters, count):
    """Whole numbers, so that every order of sums gives the same; one word, few letters, many letters."""
    generator = np.random.default_rng(letters + count)
    maps = generator.integers(-2, 3, (letters, 3, 3)).astype(float)
    words, alpha = generator.integers(0, letters, (count, 4)), np.array([1.0, -2.0, 3.0])
    found = recurrence.recurrent_states(maps, alpha, words)
    assert found.shape == (5, count, 3) and found.dtype == np.float64
    for b, word in enumerate(words):
        state = alpha
        for t, letter in enumerate([None, *word]):
            state = state if letter is None else state @ maps[letter]
            assert found[t, b].tolist() == state.tolist()


def test_sixteen_letters_are_multiplied_side_by_side_and_more_are_not(monkeypatch):
    seen = []
    monkeypatch.setattr(recurrence, "_side_by_side", lambda maps, *_: seen.append(len(maps)))
    for letters in (16, 17):
        words = np.zeros((2, 1), dtype=np.int64)
        recurrence.recurrent_states(np.ones((letters, 1, 1)), np.ones(1), words)
    assert seen == [16]


def test_no_words_have_no_states():
    found = recurrence.recurrent_states(np.ones((2, 3, 3)), np.ones(3), np.zeros((0, 4), dtype=int))
    assert found.shape == (5, 0, 3)
