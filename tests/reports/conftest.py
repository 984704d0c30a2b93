"""The record that the tests render, and what it renders to."""

from __future__ import annotations

import pytest
from reports_support import Record, made

from reports import render_all


@pytest.fixture
def record() -> Record:
    """The small record, afresh."""
    return made()[0]


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    """What the small record renders to."""
    return render_all(*made())
