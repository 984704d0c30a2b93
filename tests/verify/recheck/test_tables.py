"""The re-checker reads the printed tables in whole numbers, and comes to the same answers."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import tables
from verify.recheck.errors import Refused
from verify.recheck.kernel.decimal_cells import cell, exact, half, shown, units

NINE = ["12", "14", "20", "30", "31", "33", "38", "39", "45"]
TEN = [str(layers) for layers in range(1, 11)]
LENGTHS = ["16", "32", "64"]
CASES = [
    Case("table.least-layers", tables.least_layers, {"automata": NINE, "below": "0.001"}),
    Case(
        "table.least-layers",
        tables.least_layers,
        {"automata": ["38"], "below": "0.001", "read_as": {"38": "4"}},
    ),
    Case("table.complete", tables.rows_are_complete, {"without": []}),
    Case("table.complete", tables.rows_are_complete, {"without": ["4"]}),
    Case("table.bold", tables.bold_cells_are_smallest, {}),
    Case("table.possible", tables.deviations_are_possible, {"number": 3, "runs": 10}),
    Case("table.possible", tables.deviations_are_possible, {"number": 4, "runs": 10}),
    Case(
        "table.possible",
        tables.deviations_are_possible,
        {"number": 4, "runs": 10, "read_as": {"8:6": "0.0769370"}},
    ),
    Case(
        "table.at-most",
        tables.means_are_at_most,
        {"number": 3, "rows": TEN, "columns": LENGTHS, "most": "1/4"},
    ),
    Case("table.solved", tables.enough_are_solved, {"below": "0.001", "more_than": "1/2"}),
    Case("table.solved", tables.enough_are_solved, {"below": "0.001", "more_than": "3/5"}),
    Case("table.other-than", tables.some_entry_differs, {"layers": 6}),
    Case(
        "table.inseparable",
        tables.no_threshold_separates,
        {"descriptors": ["states", "alphabet", "sparsity"]},
    ),
    Case("table.below", tables.all_below, {"row": "states", "below": "20"}),
    Case("table.below", tables.all_below, {"row": "states", "below": "15"}),
    Case(
        "table.heads",
        tables.heads_are_as_stated,
        {"number": 3, "rows": TEN, "columns": LENGTHS, "letter": "L"},
    ),
    Case(
        "table.heads",
        tables.heads_are_as_stated,
        {"number": 3, "rows": TEN, "columns": LENGTHS, "letter": "T"},
        (("rows", ["x"]), ("columns", ["x"])),  # still not the table's heads
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_empty_lists_duplicates_and_numbers_out_of_range_are_refused():
    refuses("table.least-layers", {"automata": [], "below": "0.001"}, "list")
    refuses("table.least-layers", {"automata": ["12", "12"], "below": "0.001"}, "different")
    refuses("table.least-layers", {"automata": ["4"], "below": "0.001"}, "no row")
    refuses("table.possible", {"number": 2, "runs": 10}, "integer")
    refuses("table.possible", {"number": 3, "runs": 0}, "integer")
    refuses("table.below", {"row": "type", "below": "20"}, "row")
    refuses("table.inseparable", {"descriptors": ["type"]}, "descriptor")
    refuses("table.complete", {"without": ["x"]}, "automata of Table 1")
    least = {"automata": ["38"], "below": "0.001"}
    for wrong, because in (("4", "values by name"), (["4"], "values by name"), ({"38": 4}, "text")):
        refuses("table.least-layers", {**least, "read_as": wrong}, f"expected.*{because}")
    refuses("table.at-most", {"number": 3, "rows": [], "columns": ["16"], "most": "1"}, "list")


def test_decimals_are_read_in_units_and_rounded():
    assert units("0.0124") == 1_240_000 and half("0.0124") == 5_000
    assert exact("1.5") == 3 * exact("0.5")
    assert shown(exact("0.125"), 2) == "0.12" and shown(exact("0.375"), 2) == "0.38"
    for wrong in ("1e9", "-1", "0.123456789", ""):
        with pytest.raises(Refused):
            units(wrong)
    with pytest.raises(Refused):
        cell(3, "11", "16")
