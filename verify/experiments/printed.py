"""The printed tables as numbers: intervals for decimals, cells for runs.

A printed "0.0124" stands for every number that rounds to it, half a unit of its last place to
either side. `Tables` holds the four tables together, so that a check can be asked about others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from verify.claims import printed
from verify.claims.printed import Descriptor, Errors, Spread
from verify.experiments.settings import Settings

Interval = tuple[Fraction, Fraction]
EPSILON = Fraction(printed.EPSILON)
RUNS = printed.RUNS
DEPTHS = tuple(int(layers) for layers in printed.TABLE2_LAYERS)
LENGTHS = tuple(int(length) for length in printed.TABLE3_LENGTHS)
COUNTED = tuple(int(k) for k in printed.TABLE4_COUNTS)


@dataclass(frozen=True)
class Tables:
    """Tables 1 to 4, cells as text."""

    one: Mapping[str, Descriptor]
    two: Mapping[str, Errors]
    three: Mapping[str, tuple[Spread, ...]]
    four: Mapping[str, tuple[Spread, ...]]


PRINTED = Tables(printed.TABLE1, printed.TABLE2, printed.TABLE3, printed.TABLE4)


def interval(text: str) -> Interval:
    """All numbers that print as `text`."""
    half = Fraction(1, 2 * 10 ** decimals(text))
    return Fraction(text) - half, Fraction(text) + half


def decimals(text: str) -> int:
    """The number of printed decimal places."""
    return len(text.partition(".")[2])


def column(table: Mapping[str, tuple[Spread, ...]], index: int) -> list[tuple[int, Spread]]:
    """One column of Table 3 or 4, from the top, with the number that heads each row."""
    return [(int(key), cells[index]) for key, cells in table.items()]


def value_of(settings: Settings) -> Spread | None:
    """What is printed for the cell of a run, if anything; a least value has no deviation."""
    s = settings
    if s.task == "layers" and s.width == 16 and s.length in LENGTHS:
        return _at(printed.TABLE3.get(str(s.layers)), LENGTHS.index(s.length))
    if s.task == "embedding" and (s.layers, s.length) == (4, 32) and s.counted in COUNTED:
        return _at(printed.TABLE4.get(str(s.width)), COUNTED.index(s.counted))
    if s.task == "pautomac" and (s.width, s.length) == (64, 64) and s.layers in DEPTHS:
        row = printed.TABLE2.get(str(s.problem))
        return Spread(row.cells[DEPTHS.index(s.layers)], "") if row else None
    return None


def _at(cells: tuple[Spread, ...] | None, index: int) -> Spread | None:
    return cells[index] if cells else None


def shown(cell: Spread | None) -> str:
    """A printed cell as a reader sees it."""
    if cell is None:
        return ""
    return f"{cell.mean} ± {cell.deviation}" if cell.deviation else cell.mean
