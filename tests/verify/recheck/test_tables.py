"""The re-checker reads the printed tables in whole numbers, and comes to the same answers."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import tables
from verify.recheck.errors import Refused
from verify.recheck.kernel.decimal_cells import cell, exact, half, shown, units
from verify.recheck.kinds import tables as kinds

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


@pytest.mark.parametrize(
    ("cells", "bold", "wrong"),
    [
        ({"2": "0.10", "4": "0.20"}, "0.10", []),
        ({"2": "0.10", "4": "0.20"}, "0.20", ["12"]),
        ({"2": "0.10", "4": "0.10"}, "0.10", ["12"]),
    ],
)
def test_a_bold_cell_is_the_smallest_and_alone(monkeypatch, cells, bold, wrong):
    monkeypatch.setattr(kinds, "rows", lambda number: {"12": cells})
    monkeypatch.setattr(kinds, "tables", lambda: {"2": {"bold": {"12": bold}}})
    answer = kinds.bold({}, {})
    assert answer.holds is (not wrong) and answer.values["wrong"] == wrong


@pytest.mark.parametrize(("bound", "layers"), [("0.095", "9"), ("0.0949", "-"), ("0.105", "2")])
def test_the_least_layers_are_those_whose_whole_cell_is_at_most_the_bound(
    bound, layers, monkeypatch
):
    """0.10 and 0.09 stand for numbers up to 0.105 and 0.095; nine layers are fewer than ten."""
    row = {"10": "0.09", "2": "0.10", "9": "0.09"}
    monkeypatch.setattr(kinds, "rows", lambda number: {2: {"x": row}}[number])
    assert kinds.least("x", units(bound)) == layers


@pytest.mark.parametrize(
    ("mean", "spread", "possible"),
    [("0.12", "0.3", True), ("0.11", "0.3", False), ("0.12", "0.31", False), ("0.1", "0", True),
     ("0.00000000", "0.00000000", True), ("0.00000000", "0", True), ("0.00000000", "0.00000001", False)],
)  # fmt: skip
def test_a_deviation_of_four_values_is_at_most_twice_their_mean(
    mean, spread, possible, monkeypatch
):
    """0.12 is at most 0.125, and 0.3 at least 0.25."""
    monkeypatch.setattr(kinds, "rows", lambda number: {"r": {"c": ""}} if number == 3 else {})
    monkeypatch.setattr(kinds, "pair", lambda *at: {(3, "r", "c"): (mean, spread)}[at])
    answer = kinds.possible({"number": 3, "runs": 4}, {})
    assert answer.holds is possible
    found = {"row": "r", "column": "c", "mean": mean, "deviation": spread, "runs": 4}
    assert answer.witness == (None if possible else found)
    assert answer.values == ({"cells": 1} if possible else {})
    other = kinds.possible({"number": 3, "runs": 4, "read_as": {"r:c": "0.00000000"}}, {})
    assert other.holds is True


@pytest.mark.parametrize(("most", "above"), [("0.295", []), ("0.2949", ["row r, column c: 0.30"])])
def test_a_mean_exceeds_a_bound_if_all_that_rounds_to_it_does(most, above, monkeypatch):
    monkeypatch.setattr(kinds, "pair", lambda *at: {(4, "r", "c"): ("0.30", "0.1")}[at])
    answer = kinds.at_most({"number": 4, "rows": ["r"], "columns": ["c"], "most": most}, {})
    assert (answer.holds, answer.values) == (not above, {"above": above})
    assert answer.witness == ({"cells": above, "first": above[0]} if above else None)


@pytest.mark.parametrize(("more_than", "holds"), [("1/2", False), ("49/100", True)])
def test_automata_are_solved_by_either_table(more_than, holds, monkeypatch):
    """By Table 1 three of four; by Table 2 one, and one that has no row there."""
    tables = {1: {"layers": {"a": "2", "b": "3", "c": "-", "d": "4"}},
              2: {"a": {"2": "0.09"}, "b": {"2": "0.5"}, "c": {"2": "0.6"}}}  # fmt: skip
    monkeypatch.setattr(kinds, "rows", tables.get)
    answer = kinds.solved({"below": "0.1", "more_than": more_than}, {})
    assert (answer.holds, answer.values) == (holds, {"table1": 3, "table2": 2, "of": 4})


@pytest.mark.parametrize(
    ("entries", "differ"),
    [(["6", "-"], False), (["6", "5"], True), (["-"], False), (["7", "6"], True)],
)
def test_entries_other_than_a_number_are_no_dashes(entries, differ, monkeypatch):
    layers = {str(k): entry for k, entry in enumerate(entries)}
    monkeypatch.setattr(kinds, "rows", lambda number: {1: {"layers": layers}}[number])
    answer = kinds.other_than({"layers": 6}, {})
    assert (answer.holds, answer.values) == (differ, {"entries": [e for e in entries if e != "-"]})


@pytest.mark.parametrize(("below", "holds"), [("12.1", True), ("12", False), ("9.5", False)])
def test_the_largest_number_of_a_row_is_below_or_not(below, holds, monkeypatch):
    row = {"a": "9", "b": "12", "c": "1.5"}
    monkeypatch.setattr(kinds, "rows", lambda number: {1: {"states": row}}[number])
    answer = kinds.below({"row": "states", "below": below}, {})
    assert (answer.holds, answer.values) == (holds, {"largest": "12"})


def test_wrong_entries_are_named_with_what_table_two_has_there(monkeypatch):
    tables = {
        1: {"layers": {"a": "2", "b": "3"}},
        2: {"a": {"2": "0.09"}, "b": {"2": "0.05", "3": "0.04"}},
    }
    monkeypatch.setattr(kinds, "rows", tables.get)
    monkeypatch.setattr(kinds, "cell", lambda number, row, column: tables[number][row][column])
    answer = kinds.least_layers({"automata": ["a", "b"], "below": "0.1"}, {})
    assert (answer.holds, answer.values) == (False, {"least": {"a": "2", "b": "2"}})
    assert answer.witness == {"automaton": "b", "printed": "3", "least": "2", "error": "0.04"}
    asked = {"automata": ["a", "b"], "below": "0.1", "read_as": {"b": "2"}}
    assert kinds.least_layers(asked, {}).holds is True


def test_of_several_automata_without_a_row_the_first_is_named(monkeypatch):
    monkeypatch.setattr(kinds, "tables", lambda: {"1": {"columns": ["a", "b", "c", "d"]}})
    monkeypatch.setattr(kinds, "rows", lambda number: {2: {"b": {}}}[number])
    answer = kinds.complete({"without": ["c"]}, {})
    assert (answer.values, answer.witness) == ({"missing": ["a", "d"]}, {"automaton": "a"})
    assert kinds.complete({"without": ["a", "c", "d"]}, {}).holds is True


def test_an_entry_that_is_smaller_than_the_least_is_wrong_too(monkeypatch):
    tables = {1: {"layers": {"a": "2"}}, 2: {"a": {"2": "0.5", "4": "0.05"}}}
    monkeypatch.setattr(kinds, "rows", tables.get)
    monkeypatch.setattr(kinds, "cell", lambda number, row, column: tables[number][row][column])
    answer = kinds.least_layers({"automata": ["a"], "below": "0.1"}, {})
    assert answer.witness == {"automaton": "a", "printed": "2", "least": "4", "error": "0.5"}
