"""The reference methods on one model of the benchmark, beside the scores that are written down."""

from pathlib import Path

import pytest

from verify.circuits.benchmark import write_benchmark
from verify.circuits.reference_table import reference_scores, scores_of

LAST_DIGIT = 0.005  # half of what the table shows


def agree_with_reference_scores(name: str, folder: Path) -> None:
    """Make a model, run the methods on it, and compare."""
    write_benchmark("v1", folder / "b", chosen=[name])
    expected, found = reference_scores()[name], scores_of(folder / "b" / name)
    for key, value in expected.items():
        if value is None:
            assert found[key] is None, key
        else:
            assert found[key] == pytest.approx(value, abs=LAST_DIGIT), key
