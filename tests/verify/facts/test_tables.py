"""Facts on the printed tables: each fact holds where it should, and fails on an altered table."""

from dataclasses import replace
from fractions import Fraction
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.experiments import printed as copies
from verify.facts import tables
from verify.facts.registry import Inputs

NINE = ["12", "14", "20", "30", "31", "33", "38", "39", "45"]
TEN = [str(layers) for layers in range(1, 11)]
LENGTHS = ["16", "32", "64"]


@pytest.fixture
def altered(monkeypatch):
    """Change one cell of a table, or its bold cells or heading."""

    def change(number, row="", column="", cell="", **fields):
        original = copies.table(number)
        rows = dict(original.rows)
        if row:
            at = original.columns.index(column)
            rows[row] = (*rows[row][:at], cell, *rows[row][at + 1 :])
        changed = replace(original, **({"rows": rows} | fields))
        monkeypatch.setattr(tables, "table", lambda n: changed if n == number else copies.table(n))

    return change


def test_automaton_38_has_another_number_of_layers_than_table_2_gives():
    found = tables.least_layers(NINE, "0.001")
    assert found.holds is False
    assert found.witness == {"automaton": "38", "printed": "2", "least": "4", "error": "0.001056"}
    assert tables.least_layers(NINE, "0.001", {"38": "4"}).holds is True
    assert tables.least_layers(["12"], "0.001").holds is True


def test_an_error_that_only_rounds_below_the_bound_does_not_count(altered):
    altered(2, "12", "4", "0.001000")
    assert tables.least_number_of_layers("12", Fraction("0.001")) == "6"


def test_automaton_4_is_the_one_without_a_row():
    assert tables.rows_are_complete([]).witness == {"automaton": "4"}
    assert tables.rows_are_complete(["4"]).holds is True


def test_the_bold_cells_are_smallest_and_another_bold_cell_is_noticed(altered):
    assert tables.bold_cells_are_smallest().holds is True
    altered(2, bold={**copies.table(2).bold, "12": "0.000770"})
    assert tables.bold_cells_are_smallest().values["wrong"] == ["12"]


def test_table_3_is_possible_and_one_cell_of_table_4_is_not():
    assert tables.deviations_are_possible(3, 10).holds is True
    found = tables.deviations_are_possible(4, 10)
    assert (found.holds, found.witness["row"], found.witness["column"]) == (False, "8", "6")
    assert tables.deviations_are_possible(4, 10, {"8:6": "0.0769370"}).holds is True


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=12), st.integers(0, 6))
def test_the_deviation_of_real_values_is_always_possible(values, places):
    """Whatever the values and however few places are printed; 1 ± 2.002 of four values is not."""
    mean, spread = fmean(values), stdev(values)
    assert tables.is_possible(
        copies.Spread(f"{mean:.{places}f}", f"{spread:.{places}f}"), len(values)
    )
    assert not tables.is_possible(copies.Spread("1.000", "2.002"), 4)


def test_four_means_of_table_3_exclude_that_rounding_gives_zero(altered):
    found = tables.means_are_at_most(3, TEN, LENGTHS, "1/4")
    assert found.holds is False and len(found.witness["cells"]) == 4
    assert tables.means_are_at_most(3, ["4"], ["16"], "1/4").holds is True
    altered(3, "4", "16", "0.300 ± 0.1")
    assert tables.means_are_at_most(3, ["4"], ["16"], "1/4").holds is False


def test_six_of_ten_automata_are_solved_by_either_table(altered):
    assert tables.enough_are_solved("0.001", "1/2").values == {"table1": 6, "table2": 6, "of": 10}
    assert tables.enough_are_solved("0.001", "3/5").holds is False
    altered(1, "layers", "12", "-")
    assert tables.enough_are_solved("0.001", "1/2").holds is False


def test_entries_descriptors_and_states_are_read_from_table_1(altered):
    assert tables.some_entry_differs(6).holds is True
    assert tables.no_threshold_separates(["states", "alphabet", "sparsity"]).holds is True
    assert tables.all_below("states", "20").holds is True
    assert tables.all_below("states", "15").holds is False
    layers = ("8", "6", "2", "6", "-", "8", "2", "2", "2", "2")
    altered(1, rows={**copies.table(1).rows, "layers": layers, "states": tuple("2222922222")})
    assert tables.no_threshold_separates(["states"]).values["separating"] == ["states"]
    altered(1, rows={**copies.table(1).rows, "layers": ("6",) * 10})
    assert tables.some_entry_differs(6).holds is False


def test_the_columns_of_table_3_are_headed_by_another_letter():
    assert tables.heads_are_as_stated(3, TEN, LENGTHS, "T").witness["letter"] == "L"
    assert tables.heads_are_as_stated(3, TEN, LENGTHS, "L").holds is True
    assert tables.heads_are_as_stated(3, TEN, ["16"], "L").holds is False


def test_a_copy_that_differs_from_the_source_is_noticed(tmp_path):
    known = copies.table(2)
    lines = [""] * 1000
    for at, (name, row) in enumerate(known.rows.items()):
        lines[known.lines[0] - 1 + at] = " & ".join([f"pautomac {name}", *row]) + r" \\"
    paper = tmp_path / "paper.tex"
    paper.write_text("\n".join(lines))
    assert tables.copies_match_source(Inputs(paper=paper), [2]).holds is True
    paper.write_text("\n".join(lines).replace("0.001056", "0.000956"))
    assert tables.copies_match_source(Inputs(paper=paper), [2]).values["differing"] == [
        "Table 2, 38"
    ]


def test_a_row_of_latex_is_read_without_its_layout():
    assert tables.cells(r"4 & 0.1 $\pm$0.2 & \textbf{0.3} \\") == ["4", "0.1 ± 0.2", "0.3"]


def test_the_first_automaton_without_a_row_is_named(altered):
    rows = {name: row for name, row in copies.table(2).rows.items() if name not in ("14", "45")}
    altered(2, rows=rows)
    found = tables.rows_are_complete(["4"])
    assert (found.values, found.witness) == ({"missing": ["14", "45"]}, {"automaton": "14"})


def test_a_mean_is_above_a_bound_if_all_numbers_that_print_so_are():
    """0.202724 stands for numbers from 0.2027235 on."""
    for most, holds in (("0.202724", True), ("0.2027235", True), ("0.2027234", False)):
        assert tables.means_are_at_most(3, ["1"], ["16"], most).holds is holds


def test_an_automaton_without_a_row_counts_as_table_1_has_it(altered):
    assert tables.enough_are_solved("1/10000000", "0").values == {
        "table1": 6,
        "table2": 1,
        "of": 10,
    }
    altered(1, "layers", "4", "-")
    assert tables.enough_are_solved("1/10000000", "0").values["table2"] == 0


@pytest.mark.parametrize(
    ("states", "apart"), [("2222922222", True), ("9999299999", True), ("9999999999", False),
                          ("2229922222", False), ("9992299999", False)],
)  # fmt: skip
def test_a_threshold_separates_if_all_others_are_on_its_other_side(states, apart, altered):
    layers = ("8", "6", "2", "6", "-", "8", "2", "2", "2", "2")
    altered(1, rows={**copies.table(1).rows, "layers": layers, "states": tuple(states)})
    assert tables.no_threshold_separates(["states"]).holds is not apart
