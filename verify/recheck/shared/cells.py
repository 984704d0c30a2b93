"""Cells of tables, by whole numbers: a printed decimal is an integer in units of its last place.

cell.follows     ends of intervals over common denominators
cell.possible    every number of cases is tried, up to the first that is too large
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate

LONGEST = 30
OPERATIONS = ("sum", "mean", "difference", "product", "quotient", "percentage")
TWO = ("difference", "quotient", "percentage")


def decimal(text: str) -> tuple[int, int]:
    """A printed decimal as an integer and the number of its places."""
    digits, _, rest = text.removeprefix("-").partition(".")
    fits = len(text) <= LONGEST and (digits + rest).isascii() and (digits + rest).isdigit()
    if not fits or not digits or text.endswith("."):
        raise Refused(f"{abbreviate(text)}, expected a printed decimal")
    return int(digits + rest) * (-1 if text.startswith("-") else 1), len(rest)


def ends(text: str) -> tuple[Fraction, Fraction]:
    """The least and the greatest number that rounds to a printed decimal."""
    number, places = decimal(text)
    off = 5 if places else 0
    unit = 10 ** (places + 1)
    return Fraction(10 * number - off, unit), Fraction(10 * number + off, unit)


def value(operation: str, chosen: tuple[Fraction, ...]) -> Fraction:
    """The operation on one number of each interval."""
    if operation in ("sum", "mean"):
        total = sum(chosen, Fraction(0))
        return total / len(chosen) if operation == "mean" else total
    if operation == "difference":
        return chosen[0] - chosen[1]
    if operation == "product":
        result = Fraction(1)
        for factor in chosen:
            result *= factor
        return result
    return chosen[0] / chosen[1] * (100 if operation == "percentage" else 1)


@confirms("cell.follows", "exact", printed=str, operation=OPERATIONS, parts=[str, 1, 8])
def follows(printed: str, operation: str, parts: list[str]) -> Recomputed:
    """Each operation takes its extremes at ends of the intervals."""
    if operation in TWO and len(parts) != 2:
        raise Refused(f"parts: expected two for {operation}")
    intervals = [ends(part) for part in parts]
    if operation in ("quotient", "percentage") and intervals[1][0] <= 0 <= intervals[1][1]:
        raise Refused("parts: a quotient by a number that may be 0")
    corners = [value(operation, chosen) for chosen in product(*intervals)]
    low, high = ends(printed)
    least, most = (decimal_text(end(corners), decimal(printed)[1] + 1) for end in (min, max))
    values = {"printed": printed, "least": least, "most": most}
    holds = not (max(corners) < low or high < min(corners))
    return Recomputed(holds, values, None if holds else values)


@confirms("cell.possible", "exact", printed=str, cases=(1, 100_000), percentage=bool)
def possible(printed: str, cases: int, percentage: bool) -> Recomputed:
    """The two numbers of cases between whose shares the printed one lies."""
    number, places = decimal(printed)
    if number < 0 or len(printed) > 12:
        raise Refused(f"printed = {abbreviate(printed)}, expected a mean or a percentage")
    scale = 100 if percentage else 1
    count = number * cases // (scale * 10**places)
    low, high = ends(printed)
    shares = {each: Fraction(scale * each, cases) for each in (count, count + 1)}
    values = {"printed": printed, "cases": cases}
    for name, each in zip(("below", "above"), shares, strict=True):
        values[name] = f"{each} ({decimal_text(shares[each], places + 1)})"
    holds = any(low <= share <= high for share in shares.values())
    return Recomputed(holds, values, None if holds else values)


def decimal_text(share: Fraction, places: int) -> str:
    """A number to some places; a half is rounded up."""
    units = (2 * share.numerator * 10**places + share.denominator) // (2 * share.denominator)
    digits = str(abs(units)).rjust(places + 1, "0")
    return f"{'-' if units < 0 else ''}{digits[:-places]}.{digits[-places:]}"
