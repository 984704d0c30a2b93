"""Grids of cases of which the quick tests take a share, and the slow ones all."""

import os
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

FULL = os.environ.get("ASSAY_FULL") == "1"


def share_of_grid(*axes: Iterable[Any], one_in: int) -> list[Any]:
    """All combinations, of which one in so many is quick: each value of each axis is among these."""
    axes = tuple(map(list, axes))
    cases = list(product(*axes))
    quick = range(0, len(cases), one_in)
    for number, axis in enumerate(axes):
        if {str(cases[i][number]) for i in quick} != set(map(str, axis)):
            raise ValueError(f"one in {one_in} leaves out a value of {', '.join(map(str, axis))}")
    return [
        pytest.param(*case, marks=() if i in quick else pytest.mark.slow)
        for i, case in enumerate(cases)
    ]


def quick_or_full(quick: int, full: int) -> int:
    """A number of examples, or a stride: that of the quick tests, or where everything is asked for."""
    return full if FULL else quick
