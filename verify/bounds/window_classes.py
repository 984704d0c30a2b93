"""Words of one length in classes: an enclosure of their products, and the errors of their tokens.

Claimed       a class encloses A^w for each of its words w, entry by entry, in a matrix of balls; `error`
              and `scratch` bound, entry by entry, what the window of a token with such a word is off by
              and what is left in its scratch
Why           the largest product and the largest error of a length belong to different words. Bounds that
              pair them pay for words that do not exist, in every layer; a class keeps the two together
Merging       the union of the balls and the largest errors hold for the words of both classes. Equal
              products are merged first, which loses nothing of the products; beyond a number of classes
              those with the smallest products are, as errors next to small products matter least
Common        a norm multiplies a whole token by one factor, so that errors of its window and of its scratch
              have one unknown number t in common: they are stored as multiples of t, and may cancel
Pattern       the entries in which some product of matrices A^σ - I may be other than 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import flint

from constructions.automata.wfa import WFA
from verify.bounds.norms import identity, map_entries, simple_bound

Pick = Callable[[flint.arb, flint.arb], flint.arb]


def entrywise(pick: Pick, *matrices: flint.arb_mat) -> flint.arb_mat:
    """A choice of two numbers, made for each entry over all matrices."""
    first, *_ = matrices
    columns = zip(*(a.entries() for a in matrices), strict=True)
    entries = [reduce(pick, column) for column in columns]
    return flint.arb_mat(first.nrows(), first.ncols(), entries)


def least(*matrices: flint.arb_mat) -> flint.arb_mat:
    """The least of each entry."""
    return entrywise(flint.arb.min, *matrices)


def most(*matrices: flint.arb_mat) -> flint.arb_mat:
    """The largest of each entry."""
    return entrywise(flint.arb.max, *matrices)


def rounded_up(rows: flint.arb_mat) -> flint.arb_mat:
    """The upper end of every entry."""
    return map_entries(rows, flint.arb.upper)


def absolute(rows: flint.arb_mat) -> flint.arb_mat:
    """The largest absolute value of every entry, rounded up."""
    return map_entries(rows, flint.arb.abs_upper)


@dataclass(frozen=True)
class CommonErrors:
    """Errors tP of a window and tR of the scratch with one t, |t| ≤ θ', for each token; what is left without.

    `window` and `scratch` enclose P and R.
    """

    window: flint.arb_mat
    scratch: flint.arb_mat
    error: flint.arb_mat
    rest: flint.arb_mat


@dataclass(frozen=True)
class WindowClass:
    """Some words of one length."""

    matrix: flint.arb_mat
    error: flint.arb_mat
    scratch: flint.arb_mat
    common: CommonErrors | None = None

    @cached_property
    def product(self) -> flint.arb_mat:
        """A bound on |A^w|."""
        return absolute(self.matrix)

    @cached_property
    def distance(self) -> flint.arb_mat:
        """A bound on |A^w - I|."""
        return absolute(self.matrix - identity(self.matrix.nrows()))

    @cached_property
    def size(self) -> float:
        """The size of the products, to sort by."""
        return float(simple_bound(self.product))

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that is equal for equal balls."""
        return tuple((x.mid().man_exp(), x.rad().man_exp()) for x in self.matrix.entries())


def merged(classes: Sequence[WindowClass]) -> WindowClass:
    """One class for the words of all of these."""
    if len(classes) == 1:
        [only] = classes
        return only
    errors, scratches = (each.error for each in classes), (each.scratch for each in classes)
    common = merged_errors([each.common for each in classes])
    return WindowClass(
        hull(each.matrix for each in classes), most(*errors), most(*scratches), common
    )


def hull(matrices: Iterable[flint.arb_mat]) -> flint.arb_mat:
    """Balls that enclose those of all matrices."""
    return entrywise(flint.arb.union, *matrices)


def merged_errors(parts: Sequence[CommonErrors | None]) -> CommonErrors | None:
    """Bounds for the tokens of all parts; None if one part has none."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return CommonErrors(
        hull(part.window for part in known),
        hull(part.scratch for part in known),
        most(*(part.error for part in known)),
        most(*(part.rest for part in known)),
    )


def distinct(classes: Iterable[WindowClass]) -> list[WindowClass]:
    """One class for each product."""
    groups: dict[tuple[Any, ...], list[WindowClass]] = {}
    for each in classes:
        groups.setdefault(each.key, []).append(each)
    return [merged(group) for group in groups.values()]


def fewer(classes: Sequence[WindowClass], count: int) -> Sequence[WindowClass]:
    """Reduce to `count` classes: those with the largest products, and one for the rest."""
    if len(classes) <= count:
        return classes
    order = sorted(classes, key=lambda each: -each.size)
    return [*order[: count - 1], merged(order[count - 1 :])]


def pattern(automaton: WFA) -> flint.arb_mat:
    """1 where a product of matrices A^σ - I may have an entry, else 0.

    >>> from constructions.automata.families import counting
    >>> [[float(x) for x in row] for row in pattern(counting()).tolist()]
    [[0.0, 0.0], [1.0, 0.0]]
    """
    n, maps = automaton.n, automaton.transitions.values()
    edges = [[any(a[i][j] != (i == j) for a in maps) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            if edges[i][k]:
                edges[i] = [a or b for a, b in zip(edges[i], edges[k], strict=True)]
    return flint.arb_mat([[int(edge) for edge in row] for row in edges])
