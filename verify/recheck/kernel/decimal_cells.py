"""The printed tables as the re-checker reads them: decimals as whole numbers of 10^-8.

`verify/experiments/printed.toml` is the one copy of the print; everything computed from it here is
written anew. A printed decimal means any number within half a unit of its last place.
"""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from verify.recheck.errors import Refused, abbreviate

SCALE = 10**8
DECIMAL = re.compile(r"(0|[1-9][0-9]{0,11})(\.[0-9]{1,8})?", re.ASCII)
Row = dict[str, str]


@cache
def tables() -> dict[str, Any]:
    """All four tables."""
    text = (files("verify") / "experiments" / "printed.toml").read_text("utf-8")
    return tomllib.loads(text)


def rows(number: int) -> dict[str, Row]:
    """The rows of a table: cells by the heads of their columns."""
    found = tables().get(str(number))
    if found is None:
        raise Refused(f"table {abbreviate(number)}, expected 1, 2, 3 or 4")
    return {
        name: dict(zip(found["columns"], cells, strict=True))
        for name, cells in found["rows"].items()
    }


def cell(number: int, row: str, column: str) -> str:
    """One cell; there must be one."""
    found = rows(number).get(row, {}).get(column)
    if found is None:
        raise Refused(f"table {number} has no cell {abbreviate(row)}, {abbreviate(column)}")
    return found


def pair(number: int, row: str, column: str) -> tuple[str, str]:
    """Mean and deviation of a cell."""
    mean, _, deviation = cell(number, row, column).partition(" ± ")
    return mean, deviation


def units(text: str) -> int:
    """A printed decimal in units of 10^-8."""
    if not DECIMAL.fullmatch(text):
        raise Refused(f"{abbreviate(text)}: expected a decimal with at most eight places")
    whole, _, rest = text.partition(".")
    return int(whole + rest.ljust(8, "0"))


def half(text: str) -> int:
    """Half a unit of the last printed place, in units of 10^-8."""
    return SCALE // 2 // int(10 ** len(text.partition(".")[2]))


def exact(text: str) -> Fraction:
    """The printed number itself."""
    return Fraction(units(text), SCALE)


def shown(value: Fraction, places: int) -> str:
    """A rational ≥ 0 rounded to a number of decimal places, halves to even."""
    digits = str(round(value * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"
