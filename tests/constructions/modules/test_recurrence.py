"""Which of the two passes is taken, as it was approved."""

from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("torch")

from approved_support import agree_with_approved

from constructions.modules.recurrence import is_faster

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
