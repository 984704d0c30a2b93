"""The paper's source, where it is at hand: its path is given by ASSAY_PAPER."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def paper() -> Path:
    """The path of the source; tests that need it are skipped where it is not given."""
    path = Path(os.environ.get("ASSAY_PAPER", ""))
    if not path.is_file():
        pytest.skip("the paper's source is not at hand; set ASSAY_PAPER to its path")
    return path
