"""The tests run against the installed package; what lies beside the repository is optional."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def full() -> bool:
    return os.environ.get("ASSAY_FULL") == "1"


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).resolve().parents[1]
