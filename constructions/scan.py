"""The parallel scan (Appendix A.1): the pseudocode as printed, and repaired, over any monoid.

Claimed       from x_0 … x_n all running products y_j = x_0 ⊕ … ⊕ x_j, in ⌊log₂ n⌋ + 1 rounds
Constructs    the rounds of the pseudocode with each of its choices as a parameter: which
              positions the inner loop reaches, which operand comes first, how many rounds
Notation      x_j^i element j at time step i; round i looks 2^i positions back
Unlike print  the inner loop ends at n, not at n - 1, else y_n is never computed; the earlier block
              stands first, x_{j-2^i} ⊕ x_j, else the order of letters is reversed; "+ ←" is ⊕; a
              single input takes no round, where print asks for log₂ 0

In place, with j ascending, a round reads values that it has already overwritten; with j
descending it does not. Both are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from constructions.errors import InputError

V = TypeVar("V")
Combine = Callable[[V, V], V]


@dataclass(frozen=True)
class Rules:
    """What the two loops do: whether j reaches n, and whether the earlier block stands first."""

    reaches_last: bool
    earlier_first: bool


PRINTED = Rules(reaches_last=False, earlier_first=False)
REPAIRED = Rules(reaches_last=True, earlier_first=True)


class Order(StrEnum):
    """How j runs when the results are stored in the input array."""

    ASCENDING = "ascending"
    DESCENDING = "descending"


def printed_rounds(last: int) -> int:
    """⌊log₂ n⌋ + 1, the rounds i = 0 … ⌊log₂ n⌋; log₂ 0 is an error, as in print."""
    if last < 1:
        raise InputError("n", last, "at least 1, since the pseudocode takes log₂ n")
    return last.bit_length()


def rounds(last: int) -> int:
    """⌈log₂ (n + 1)⌉, which is 0 for a single input."""
    return last.bit_length()


def steps(
    items: Sequence[V], combine: Combine[V], rules: Rules, count: int
) -> Iterator[list[V | None]]:
    """x^0, x^1, …: the sequence before and after each round; None where nothing is assigned."""
    current: list[V | None] = list(items)
    yield current
    for i in range(count):
        current = _round(current, combine, rules, 1 << i)
        yield current


def _round(items: list[V | None], combine: Combine[V], rules: Rules, back: int) -> list[V | None]:
    reached = len(items) if rules.reaches_last else len(items) - 1
    found: list[V | None] = [None] * len(items)
    for j in range(reached):
        own = items[j]
        before = items[j - back] if j >= back else None
        found[j] = own if before is None or own is None else _joined(before, own, combine, rules)
    return found


def _joined(before: V, own: V, combine: Combine[V], rules: Rules) -> V:
    return combine(before, own) if rules.earlier_first else combine(own, before)


def scan(items: Sequence[V], combine: Combine[V], rules: Rules = REPAIRED) -> list[V | None]:
    """What the pseudocode leaves after its last round; None where nothing is assigned.

    >>> scan("abcd", str.__add__)
    ['a', 'ab', 'abc', 'abcd']
    >>> scan("abcd", str.__add__, PRINTED)
    ['a', 'ba', 'cba', None]
    """
    last = len(items) - 1
    count = rounds(last) if rules.reaches_last else printed_rounds(last)
    *_, result = steps(items, combine, rules, count)
    return result


def in_place(items: Sequence[V], combine: Combine[V], order: Order) -> list[V]:
    """The repaired scan with every result stored in the input array at once.

    >>> in_place("abc", str.__add__, Order.DESCENDING)
    ['a', 'ab', 'abc']
    >>> in_place("abc", str.__add__, Order.ASCENDING)
    ['a', 'ab', 'aabc']
    """
    array = list(items)
    for i in range(rounds(len(array) - 1)):
        back = 1 << i
        upward = range(back, len(array))
        for j in upward if order is Order.ASCENDING else reversed(upward):
            array[j] = combine(array[j - back], array[j])
    return array


def running(items: Sequence[V], combine: Combine[V]) -> list[V]:
    """The running products, from left to right: the definition."""
    found = list(items[:1])
    for item in items[1:]:
        found.append(combine(found[-1], item))
    return found


def combinations(last: int) -> int:
    """How often the repaired scan applies ⊕: Σ over rounds of n + 1 - 2^i."""
    return sum(last + 1 - (1 << i) for i in range(rounds(last)))


def window(j: int, done: int) -> range:
    """The indices whose product position j holds after `done` rounds."""
    return range(max(0, j + 1 - (1 << done)), j + 1)
