"""The recorded benchmarks, and what is said of them."""

import json

import pytest

from verify.check import Job
from verify.checks import speed
from verify.evidence import Outcome, Strength


@pytest.fixture
def data():
    return speed.load()


def seen(monkeypatch, tmp_path, data):
    file = tmp_path / "benchmarks.json"
    file.write_text(json.dumps(data))
    monkeypatch.setattr(speed, "load", lambda: json.loads(file.read_text()))
    (item,) = speed.engines_against_what_a_user_would_write(Job())
    return item


def test_ratios_are_tabled_and_only_observed(monkeypatch, tmp_path, data):
    item = seen(monkeypatch, tmp_path, data)
    assert item.strength is Strength.OBSERVED
    table, scaling = item.tables
    assert [row[0] for row in table.rows][2] == "generic proof at (n, T) = (3, 8)"
    assert len(scaling.rows) == len(data["scaling"])


@pytest.mark.parametrize("slow", ["exact", "sweep"])
def test_a_ratio_below_the_target_fails(monkeypatch, tmp_path, data, slow):
    if slow == "exact":
        data["exact"] = [[row[0], row[1], row[2], "299", row[4]] for row in data["exact"]]
    else:
        data["sweep"][2] = "39"
    assert seen(monkeypatch, tmp_path, data).outcome is Outcome.FAILS
