"""The printed tables: every cell stands in the source, word for word, on the line of its claim."""

from pathlib import Path

import pytest

from verify.claims.printed import (
    TABLE1,
    TABLE2,
    TABLE2_LAYERS,
    TABLE3,
    TABLE3_HEADER,
    TABLE3_LENGTHS,
    TABLE4,
    TABLE4_COUNTS,
    Spread,
)
from verify.claims.registry import claim


@pytest.fixture
def source(paper: Path) -> list[str]:
    """The lines of the paper."""
    return paper.read_text(encoding="utf-8").splitlines()


def cells(line: str) -> list[str]:
    """The cells of a table row, without layout."""
    bare = line.replace("\\\\", "").replace("\\textbf{", "").replace("}", "")
    return [cell.strip() for cell in bare.split("&")]


def row(source: list[str], id: str) -> list[str]:
    """The cells of the row that a claim stands on."""
    return cells(source[claim(id).where.lines[0] - 1])


def spread(cell: str) -> Spread:
    """A printed mean and deviation."""
    mean, deviation = cell.split("$\\pm$")
    return Spread(mean.strip(), deviation.strip())


@pytest.mark.parametrize(
    ("id", "field"),
    [
        ("tab1.states", "states"),
        ("tab1.alphabet", "alphabet"),
        ("tab1.type", "type"),
        ("tab1.sparsity", "sparsity"),
        ("tab1.layers", "layers"),
    ],
)
def test_table_1_is_as_printed(source: list[str], id: str, field: str) -> None:
    assert cells(source[301])[1:] == list(TABLE1)
    assert row(source, id)[1:] == [getattr(entry, field) for entry in TABLE1.values()]


@pytest.mark.parametrize("number", TABLE2)
def test_table_2_is_as_printed(source: list[str], number: str) -> None:
    assert row(source, "tab2.header")[1:] == list(TABLE2_LAYERS)
    assert row(source, f"tab2.row-{number}") == [f"pautomac {number}", *TABLE2[number].cells]
    line = source[claim(f"tab2.row-{number}").where.lines[0] - 1]
    assert f"\\textbf{{{TABLE2[number].bold}}}" in line


@pytest.mark.parametrize("layers", TABLE3)
def test_table_3_is_as_printed(source: list[str], layers: str) -> None:
    assert row(source, "tab3.header")[1:] == [f"${head}$" for head in TABLE3_HEADER]
    first, *rest = row(source, f"tab3.row-{layers}")
    assert (first, tuple(map(spread, rest))) == (layers, TABLE3[layers])


@pytest.mark.parametrize("size", TABLE4)
def test_table_4_is_as_printed(source: list[str], size: str) -> None:
    assert row(source, "tab4.header")[1:] == [f"$k={count}$" for count in TABLE4_COUNTS]
    first, *rest = row(source, f"tab4.row-{size}")
    assert (first, tuple(map(spread, rest))) == (size, TABLE4[size])


def test_tables_have_as_many_cells_as_columns() -> None:
    assert all(len(entry.cells) == len(TABLE2_LAYERS) for entry in TABLE2.values())
    assert all(len(entry) == len(TABLE3_LENGTHS) for entry in TABLE3.values())
    assert all(len(entry) == len(TABLE4_COUNTS) for entry in TABLE4.values())


def test_a_cell_that_is_not_printed_is_noticed(source: list[str]) -> None:
    assert row(source, "tab2.row-30") != ["pautomac 30", *TABLE2["31"].cells]
