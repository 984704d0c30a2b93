"""Numbers that belong to the positions of str(t), each computed independently.

Every function maps str(t) to a number for each position of I_t, or for each opening bracket; two of
them can be compared on all trees. `strings` lists str(t) for all shapes, the smallest first.

Notation      m markers (0 letter, 1 "[", -1 "]"); a level is a number of ancestors; positions count
              from 1, and 0 means "no such position"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from constructions.automata.trees import CLOSE, OPEN, children, depths, positions, shapes, tokens
from constructions.variants.theorem3_printed import (
    markers,
    next_markers,
    open_before,
    summed_depths,
)
from verify.exactness.theorem3 import heights

Values = Mapping[int, int | Fraction]
Function = Callable[[Sequence[str]], Values]


def values_at_nodes(values: Sequence[int | Fraction], symbols: Sequence[str]) -> Values:
    """The values at the positions of I_t."""
    return {i: values[i - 1] for i in positions(symbols)}


def openings(symbols: Sequence[str]) -> list[int]:
    """The positions of opening brackets."""
    return [i for i, symbol in enumerate(symbols, 1) if symbol == OPEN]


def levels(symbols: Sequence[str]) -> Values:
    """The number of ancestors of each node, by a scan of the string."""
    return values_at_nodes(depths(symbols), symbols)


def enclosing_brackets(symbols: Sequence[str]) -> Values:
    """Count the pairs of brackets around each position of I_t: opened before it, closed after it."""
    pairs, opened = [], []
    for i, symbol in enumerate(symbols, 1):
        if symbol == OPEN:
            opened.append(i)
        elif symbol == CLOSE:
            pairs.append((opened.pop(), i))
    return {i: sum(a < i < b for a, b in pairs) for i in positions(symbols)}


def mean_before(symbols: Sequence[str]) -> Values:
    """The mean of m_{j-1} over the positions j ≤ i, with m_0 = 0."""
    before = [0, *markers(symbols)]
    return {i: Fraction(sum(before[:i]), i) for i in positions(symbols)}


def mean_times_position(symbols: Sequence[str]) -> Values:
    """i times the mean of `mean_before`, which is the sum of m_{j-1} over j ≤ i."""
    return {i: i * mean for i, mean in mean_before(symbols).items()}


def child(side: int) -> Function:
    """Return the function that gives the begin of the left (0) or right (1) child of opening brackets."""

    def found(symbols: Sequence[str]) -> Values:
        return {i: pair[side] for i, pair in children(symbols).items()}

    return found


def second_one_level_down(symbols: Sequence[str]) -> Values:
    """Return, for each opening bracket, the second later position of I_t one level down."""
    level = levels(symbols)
    after = {i: [j for j in level if j > i and level[j] == level[i] + 1] for i in openings(symbols)}
    return {i: js[1] for i, js in after.items()}


def closest_one_level_down(symbols: Sequence[str]) -> Values:
    """Return, for each opening bracket, the closest j > i + 1, of all positions, with d_j = d_i + 1."""
    d = open_before(symbols)
    return {
        i: next((j for j in range(i + 2, len(d) + 1) if d[j - 1] == d[i - 1] + 1), 0)
        for i in openings(symbols)
    }


FUNCTIONS: dict[str, Function] = {
    "sum of m_{j+1} over j ≤ i": lambda s: values_at_nodes(summed_depths(s), s),
    "sum of m_j over j < i": lambda s: values_at_nodes(open_before(s), s),
    "mean of m_{j-1} over j ≤ i": mean_before,
    "i times that mean": mean_times_position,
    "m_{i+1}": lambda s: values_at_nodes(next_markers(s), s),
    "m_{i-1}": lambda s: values_at_nodes([0, *markers(s)], s),
    "level": levels,
    "enclosing brackets": enclosing_brackets,
    "height of the subtree": heights,
    "i + 1": lambda s: {i: i + 1 for i in openings(s)},
    "left child": child(0),
    "right child": child(1),
    "second tree one level down": second_one_level_down,
    "closest j > i + 1 one level down": closest_one_level_down,
}


def first_difference(one: Values, other: Values) -> int | None:
    """The smallest position where two maps differ; only positions of the first are compared."""
    return next((i for i in sorted(one) if other[i] != one[i]), None)


def arcs(
    label: str, looks: Mapping[int, int], wanted: Mapping[int, int], depths: Sequence[int] = ()
) -> dict[str, Any]:
    """Return the targets of one head at each opening bracket, with those that are wrong, as data."""
    return {
        "label": label,
        "arcs": [list(pair) for pair in looks.items()],
        "missed": [i for i in looks if looks[i] != wanted[i]],
        "depths": list(depths),
    }


def strings(leaves: int) -> Iterator[tuple[str, ...]]:
    """Yield str(t) for all shapes with at most `leaves` leaves, lettered a, b, c, …"""
    for count in range(1, leaves + 1):
        for shape in shapes(count):
            yield lettered_string(tokens(shape))


def lettered_string(symbols: Sequence[str]) -> tuple[str, ...]:
    """The same string with its leaves lettered a, b, c, … from left to right."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    return tuple(s if s in (OPEN, CLOSE) else next(letters) for s in symbols)
