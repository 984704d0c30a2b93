"""Cells of the printed tables as the re-checker reads them: whole numbers of 10^-8."""

from fractions import Fraction

import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel import decimal_cells as cells


def test_rows_have_one_cell_for_each_column():
    assert sorted(cells.tables()) == ["1", "2", "3", "4"]
    for number in (1, 2, 3, 4):
        found = cells.rows(number)
        assert found and all(list(row) == cells.tables()[str(number)]["columns"]
                             for row in found.values())  # fmt: skip


def test_a_cell_is_the_text_at_its_row_and_column():
    for name, row in cells.rows(1).items():
        for column, text in row.items():
            assert cells.cell(1, name, column) == text


@pytest.mark.parametrize(
    ("asked", "because"),
    [
        ((5, "a", "T"), "table 5, expected 1, 2, 3 or 4"),
        ((1, "no row", "T"), "table 1 has no cell 'no row', 'T'"),
        ((1, "T", "no column"), "table 1 has no cell"),
    ],
)
def test_what_is_not_printed_is_refused(asked, because):
    with pytest.raises(Refused, match=because):
        cells.cell(*asked)


@pytest.mark.parametrize(
    ("text", "units", "half"),
    [
        ("0", 0, 50_000_000),
        ("12", 1_200_000_000, 50_000_000),
        ("0.5", 50_000_000, 5_000_000),
        ("0.10", 10_000_000, 500_000),
        ("3.00000001", 300_000_001, 0),
        ("1.2345678", 123_456_780, 5),
    ],
)
def test_a_decimal_is_counted_in_units_and_stands_for_half_a_unit_of_its_last_place(
    text, units, half
):
    assert cells.units(text) == units
    assert cells.half(text) == half
    assert cells.exact(text) == Fraction(text)


@pytest.mark.parametrize("text", ["", "x", "-1", "1e5", ".5", "1.2.3", "0.x", "0.123456789", "+1",
                                  "00.1", "01", "٠.١", "１.5", "1_0", " 1", "1.", "1e99999999"])  # fmt: skip
def test_what_is_no_short_decimal_is_refused(text):
    with pytest.raises(Refused, match="a decimal with at most eight places"):
        cells.units(text)


@pytest.mark.parametrize(
    ("value", "places", "wanted"),
    [
        ("0", 2, "0.00"),
        ("1/8", 2, "0.12"),
        ("3/8", 2, "0.38"),
        ("1251/10000", 2, "0.13"),
        ("1249/10000", 2, "0.12"),
        ("1249/10000", 3, "0.125"),
        ("12345/100", 1, "123.4"),
        ("999/1000", 2, "1.00"),
        ("2/3", 4, "0.6667"),
        ("1/200", 1, "0.0"),
        ("25/10", 1, "2.5"),
    ],
)
def test_a_rational_is_shown_rounded_with_halves_to_even(value, places, wanted):
    assert cells.shown(Fraction(value), places) == wanted


def test_a_rational_with_no_more_digits_is_shown_as_it_is():
    for k in range(1000):
        assert cells.exact(cells.shown(Fraction(k, 100), 2)) == Fraction(k, 100)
