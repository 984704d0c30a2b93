"""The paper's source, where it is at hand: its path in ASSAY_PAPER, or beside the checkout."""

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[4] / "shared/seed/000_590136c3765b515e.txt"


@pytest.fixture(scope="session")
def paper() -> Path:
    """The path of the source; tests that need it are skipped where it is not given."""
    path = Path(os.environ.get("ASSAY_PAPER", str(BESIDE)))
    if not path.is_file():
        pytest.skip("the paper's source is not at hand; set ASSAY_PAPER to its path")
    return path
