"""The records that the tests render: a small one made by hand, and a large one made from it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from reports import render_all

HERE = Path(__file__).parent
Record = dict[str, Any]


def load() -> Record:
    """The small record, afresh."""
    loaded: Record = json.loads((HERE / "data" / "record.json").read_text("utf-8"))
    return loaded


@pytest.fixture
def record() -> Record:
    """A small record with every verdict, figures, tables, and hostile text."""
    return load()


@pytest.fixture(scope="session")
def files() -> dict[str, bytes]:
    """What the small record renders to."""
    return render_all(load())


def repeated(record: Record, times: int) -> Record:
    """The record's claims many times over, each copy with names of its own."""
    large = copy.deepcopy(record)
    for number in range(1, times):
        shift = len(large["evidence"])
        for item in record["evidence"]:
            one = copy.deepcopy(item)
            one["number"] += shift
            one["claim"] += f".copy-{number}"
            large["evidence"].append(one)
        large["claims"] += [_copy(claim, number, shift) for claim in record["claims"]]
    return large


def _copy(claim: Record, number: int, shift: int) -> Record:
    one = copy.deepcopy(claim)
    one["id"] += f".copy-{number}"
    one["rests_on"] = [f"{name}.copy-{number}" for name in claim["rests_on"]]
    if claim["standing_because"]:
        one["standing_because"] += f".copy-{number}"
    for reading in one["readings"]:
        reading["evidence"] = [n + shift for n in reading["evidence"]]
    return one


@pytest.fixture
def large(record: Record) -> Record:
    """A record of three hundred claims."""
    return repeated(record, 25)
