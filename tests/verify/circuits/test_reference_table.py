"""The reference scores in the README of the benchmark: of every model, as the methods give them now."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from verify.circuits.catalogue import benchmark_v1
from verify.circuits.reference_table import (
    DATA,
    KEYS,
    column,
    groups,
    mean,
    reference_scores,
    reference_table,
    to_text,
)

TWO = ["03-mod3-llama-sharp-none", "06-mod5-llama-sharp-basis"]


def test_every_model_has_every_score():
    scores = reference_scores()
    assert set(scores) == {entry.name for entry in benchmark_v1()}
    assert all(set(row) == {column(key) for key in KEYS} for row in scores.values())
    assert DATA.read_text("utf-8") == to_text(scores)


def test_the_table_has_means_by_class_and_disguise_and_a_dash_where_there_is_none():
    entries = [entry for entry in benchmark_v1() if entry.name in TWO]
    first, second = ({column(key): value for key in KEYS} for value in (1.0, None))
    table = reference_table(entries, dict(zip(TWO, (first, second), strict=True)))
    rows = {line.split(" | ")[0]: line for line in table.splitlines()}
    assert rows["| Llama, none"].count("1.00") == len(KEYS)
    assert rows["| Llama, basis"].count("–") == len(KEYS)
    assert rows["| all"].startswith("| all | 2 | 1.00")
    assert sum(len(names) for names in groups(benchmark_v1()).values()) == 2 * 50


def test_a_mean_leaves_out_what_is_not_a_number():
    assert mean([1.0, None, float("nan"), 0.5]) == 0.75 and mean([float("nan")]) is None


def test_the_page_has_the_table_of_the_data():
    page = (Path(__file__).resolve().parents[3] / "docs" / "circuits.md").read_text("utf-8")
    assert reference_table(benchmark_v1(), reference_scores()) in page
