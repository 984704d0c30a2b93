"""The record that the tests render, and what it renders to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reports_support import Record, made

from reports import render_all


@pytest.fixture
def record() -> Record:
    """The small record, afresh."""
    return made()[0]


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    """Renderings of the small record."""
    return render_all(*made())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of a module."""
    from page_support import started

    with started() as driver:
        yield driver


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The published record as it renders now."""
    folder = Path(__file__).resolve().parents[2] / "reports" / "published"  # not in the wheel
    record, certificates = (
        json.loads((folder / name).read_text("utf-8"))
        for name in ("record.json", "certificates.json")
    )
    path = tmp_path_factory.mktemp("published") / "index.html"
    path.write_bytes(render_all(record, certificates)["index.html"])
    return path.as_uri()
