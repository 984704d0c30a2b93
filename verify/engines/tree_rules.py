"""Statements about positions of str(t), as functions that can be compared on every tree.

A `Rule` has what the print says, what is true, and what a mended reading says, each a map from
positions to numbers. `smallest` finds the first tree, by number of leaves, on which print and
truth differ; `everywhere` compares the mended reading with the truth on all shapes.

Notation      0 stands for "no such position"; positions count from 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.theorem3_printed import (
    Depth,
    Printed,
    averaged,
    left_attended,
    markers,
    open_before,
    shifted,
    summed_depths,
)
from constructions.trees import CLOSE, OPEN, children, depths, positions, shapes, tokens
from verify.claims.model import Name
from verify.engines.trees import heights

Values = Mapping[int, int | Fraction]
Function = Callable[[Sequence[str]], Values]


def numbered(values: Sequence[int | Fraction], symbols: Sequence[str]) -> Values:
    """The values at the positions of I_t."""
    return {i: values[i - 1] for i in positions(symbols)}


def levels(symbols: Sequence[str]) -> Values:
    """The number of ancestors of each node."""
    return numbered(depths(symbols), symbols)


def openings(symbols: Sequence[str]) -> list[int]:
    """The positions of opening brackets."""
    return [i for i, symbol in enumerate(symbols, 1) if symbol == OPEN]


def child(side: int) -> Function:
    """Where the left (0) or right (1) child begins; 0 for letters."""

    def found(symbols: Sequence[str]) -> Values:
        known = children(symbols)
        return {i: known[i][side] if i in known else 0 for i in positions(symbols)}

    return found


def left_heads(only_openings: bool) -> Function:
    """Where the printed left head looks, by exact scores."""

    def found(symbols: Sequence[str]) -> Values:
        where = openings(symbols) if only_openings else positions(symbols)
        return {i: min(left_attended(i, len(symbols))) for i in where}

    return found


def closest(depth: Depth) -> Function:
    """From each opening bracket the closest j > i + 1 with d_j = d_i + 1; 0 if there is none."""

    def found(symbols: Sequence[str]) -> Values:
        d = Printed(depth).depths(symbols)
        after = {
            i: [j for j in range(i + 2, len(symbols) + 1) if d[j - 1] == d[i - 1] + 1]
            for i in openings(symbols)
        }
        return {i: min(js, default=0) for i, js in after.items()}

    return found


def second_tree(symbols: Sequence[str]) -> Values:
    """From each opening bracket the second later position of I_t one level down."""
    level = levels(symbols)
    after = {i: [j for j in level if j > i and level[j] == level[i] + 1] for i in openings(symbols)}
    return {i: js[1] for i, js in after.items()}


def second_position(symbols: Sequence[str]) -> Values:
    """From each position of I_t the second later position with d_j = d_{i+1}; 0 if none."""
    d = open_before(symbols)
    found = {}
    for i in positions(symbols):
        same = [j for j in range(i + 1, len(symbols) + 1) if d[j - 1] == d[min(i, len(d) - 1)]]
        found[i] = same[1] if len(same) > 1 else 0
    return found


def penalty(depth: Depth) -> Function:
    """The least (1 - (d_j - d_i))² over all j, from each opening bracket."""

    def found(symbols: Sequence[str]) -> Values:
        d = Printed(depth).depths(symbols)
        return {i: min((1 - (x - d[i - 1])) ** 2 for x in d) for i in openings(symbols)}

    return found


def zero(symbols: Sequence[str]) -> Values:
    """0 at every opening bracket."""
    return dict.fromkeys(openings(symbols), 0)


def means(symbols: Sequence[str]) -> Values:
    """The causal mean of m_{j+1}, as attention computes it."""
    return numbered(averaged(symbols, causal=True), symbols)


def rescaled(symbols: Sequence[str]) -> Values:
    """The same, multiplied by the number of positions."""
    return {i: i * mean for i, mean in means(symbols).items()}


def brought(symbols: Sequence[str]) -> Values:
    """m_{i-1} as a head with the opposite rotation brings it; 0 at the first position."""
    m, length = markers(symbols), len(symbols)
    where = {i: min(left_attended(i, length, turn=-1)) for i in positions(symbols)}
    return {i: m[j - 1] if i > 1 else 0 for i, j in where.items()}


def moved(symbols: Sequence[str]) -> Values:
    """m_{i-1}, what a shift to the right brings to position i; 0 at the first position."""
    return numbered([0, *markers(symbols)], symbols)


def ancestors(symbols: Sequence[str]) -> Values:
    """For each position of I_t, how many brackets enclose it: pairs opened before, closed after."""
    pairs, opened = [], []
    for i, symbol in enumerate(symbols, 1):
        if symbol == OPEN:
            opened.append(i)
        elif symbol == CLOSE:
            pairs.append((opened.pop(), i))
    return {i: sum(a < i < b for a, b in pairs) for i in positions(symbols)}


@dataclass(frozen=True)
class Rule:
    """One printed statement about positions, its truth, and a mended reading."""

    id: str
    claim: str
    says: str
    printed: Function
    truth: Function
    reading: Name
    mended: Function

    def shown(self, value: int | Fraction) -> str:
        """A value as a reader should see it: 0 is "none" where positions are meant."""
        return "none" if value == 0 and self.id in PLACES else str(value)

    def smallest(self, leaves: int) -> tuple[Sequence[str], int] | None:
        """The first tree and position where the print is wrong."""
        for symbols in strings(leaves):
            if (i := differs(self.printed(symbols), self.truth(symbols))) is not None:
                return symbols, i
        return None

    def everywhere(self, leaves: int) -> tuple[Sequence[str], int] | None:
        """The first tree and position where the mended reading is wrong."""
        for symbols in strings(leaves):
            if (i := differs(self.mended(symbols), self.truth(symbols))) is not None:
                return symbols, i
        return None

    def wrong(self, leaves: int) -> tuple[int, int]:
        """On how many trees the print is wrong, and how many there are."""
        found = [differs(self.printed(s), self.truth(s)) for s in strings(leaves)]
        return sum(i is not None for i in found), len(found)


def differs(one: Values, other: Values) -> int | None:
    """The first position where two maps differ; only positions of the first are compared."""
    return next((i for i, value in one.items() if other[i] != value), None)


def strings(leaves: int) -> Iterator[tuple[str, ...]]:
    """str(t) for all shapes with at most so many leaves, the leaves lettered a, b, c, …"""
    for count in range(1, leaves + 1):
        for shape in shapes(count):
            yield lettered(tokens(shape))


def lettered(symbols: Sequence[str]) -> tuple[str, ...]:
    """The same string with its leaves lettered a, b, c, … from left to right."""
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    return tuple(s if s in (OPEN, CLOSE) else next(letters) for s in symbols)


PLACES = {"left-child", "left-output", "closest", "second-tree", "second"}
BEFORE, PRINTED = Depth.BEFORE, Depth.PRINTED
RULES: tuple[Rule, ...] = (
    Rule(
        "depth",
        "thm3.depth-formula",
        "Σ_{j≤i} m_{j+1} is the depth of node i",
        lambda s: numbered(summed_depths(s), s),
        levels,
        Name.REPAIRED,
        lambda s: numbered(open_before(s), s),
    ),
    Rule(
        "difference",
        "thm3.depth-difference",
        "the sum counts the brackets open before i",
        lambda s: numbered(summed_depths(s), s),
        lambda s: numbered(open_before(s), s),
        Name.CHARITABLE,
        ancestors,
    ),
    Rule(
        "mean",
        "thm3.averaging",
        "equal weights compute the sum",
        means,
        lambda s: numbered(summed_depths(s), s),
        Name.REPAIRED,
        rescaled,
    ),
    Rule(
        "shift",
        "thm3.shift",
        "a shift to the right brings m_{i+1}",
        lambda s: numbered(shifted(s), s),
        moved,
        Name.REPAIRED,
        brought,
    ),
    Rule(
        "meaning",
        "thm3.depth-meaning",
        "the depth of node i is the depth of its subtree",
        heights,
        levels,
        Name.REPAIRED,
        ancestors,
    ),
    Rule(
        "left-child",
        "thm3.left-child",
        "the left child of every i in I_t begins at i + 1",
        lambda s: {i: i + 1 for i in positions(s)},
        child(0),
        Name.CHARITABLE,
        lambda s: {i: i + 1 for i in openings(s)},
    ),
    Rule(
        "left-output",
        "thm3.left-head.children",
        "the left head reads the left child at every i",
        left_heads(False),
        child(0),
        Name.CHARITABLE,
        left_heads(True),
    ),
    Rule(
        "closest",
        "thm3.right-head.rule",
        "the closest j > i + 1 with d_j = d_i + 1 is the right child",
        closest(PRINTED),
        child(1),
        Name.REPAIRED,
        closest(BEFORE),
    ),
    Rule(
        "second-tree",
        "thm3.right-child",
        "the second tree one level down is the right child",
        second_tree,
        child(1),
        Name.CHARITABLE,
        second_tree,
    ),
    Rule(
        "second",
        "thm3.right-head.second",
        "the second position with d_j = d_{i+1} is the right child, for all i in I_t",
        second_position,
        child(1),
        Name.CHARITABLE,
        lambda s: {i: v for i, v in second_position(s).items() if s[i - 1] == OPEN},
    ),
    Rule(
        "penalty",
        "thm3.right-head.penalty",
        "some j has d_j = d_i + 1",
        penalty(PRINTED),
        zero,
        Name.CHARITABLE,
        penalty(BEFORE),
    ),
)
