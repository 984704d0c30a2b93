"""Cells of the printed tables as the re-checker reads them: whole numbers of 10^-8."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.experiments.printed import interval, table
from verify.recheck.errors import Refused
from verify.recheck.kernel import decimal_cells as cells

decimals = st.decimals(0, 10**9, places=8, allow_nan=False) | st.decimals(0, 99, places=3)


def test_tables_are_those_of_the_other_implementation():
    for number in (1, 2, 3, 4):
        copy = table(number)
        assert list(cells.rows(number)) == list(copy.rows)
        for name, row in cells.rows(number).items():
            assert all(cells.cell(number, name, head) == text for head, text in row.items())
            assert list(row) == list(copy.columns)


@pytest.mark.parametrize(
    ("asked", "because"),
    [
        ((5, "a", "T"), "table 5, expected 1, 2, 3 or 4"),
        ((1, "no row", "T"), "table 1 has no cell 'no row', 'T'"),
        ((1, "states", "no column"), "table 1 has no cell"),
    ],
)
def test_what_is_not_printed_is_refused(asked, because):
    with pytest.raises(Refused, match=because):
        cells.cell(*asked)


@given(decimals)
def test_a_decimal_stands_for_the_numbers_that_round_to_it(number):
    text = format(number, "f")
    value, half = cells.units(text), cells.half(text)
    assert cells.exact(text) == Fraction(number) == Fraction(value, cells.SCALE)
    if len(text.partition(".")[2]) < 8:  # half a unit of the eighth place is no whole number
        low, high = interval(text)
        assert (value - half, value + half) == (low * cells.SCALE, high * cells.SCALE)


@pytest.mark.parametrize("text", ["", "x", "-1", "1e5", ".5", "1.2.3", "0.x", "0.123456789", "+1",
                                  "00.1", "01", "٠.١", "１.5", "1_0", " 1", "1.", "1e99999999"])  # fmt: skip
def test_what_is_no_short_decimal_is_refused(text):
    with pytest.raises(Refused, match="a decimal with at most eight places"):
        cells.units(text)


@given(st.fractions(0, 1000), st.integers(1, 6))
def test_a_rational_is_shown_rounded_with_halves_to_even(value, places):
    found = cells.shown(value, places)
    assert len(found.partition(".")[2]) == places
    exact = Fraction(round(value * 10**places), 10**places)
    assert Fraction(found) == exact == cells.exact(found)
