"""Confirms the facts on counting automata: by counting letters, and by induction on a grid.

counting.one-layer   average over the past times the position, on all short words; the step as an
                     identity of polynomials on a grid that decides its degree
counting.soft-layer  the unmasked soft layer with exp enclosed by series, on all short words
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import Recomputed, Refused, comparison, integer_in
from verify.recheck.kernel.interval import Interval, exp
from verify.recheck.kinds.sequences import depth as halvings

Body = Mapping[str, Any]
GRID = range(4)  # the step has degree at most two in each of t, c and z


@confirms(
    "counting.state",
    "exact",
    counted=(1, 10),
    symbols=(1, 10),
    word=str,
    expected=[(0, 1000), 1, 20],
)
def state(counted: int, symbols: int, word: str, expected: list[Any]) -> Recomputed:
    """Count the letters of a word."""
    integer_in({"counted": counted}, "counted", 1, symbols)
    if len(word) > 1000 or set(word) - set("0123456789"[:symbols]):
        raise Refused("word: expected digits of the alphabet")
    found = [*(word.count(str(symbol)) for symbol in range(counted)), 1]
    return comparison(found == expected, state=found)


@confirms("counting.step", "symbolic", counted=[(1, 20), 1, 20], symbols=(1, 20))
def step(counted: list[Any], symbols: int) -> Recomputed:
    """A^i = I + e_{k+1} e_i^T takes (c, 1) to (c + e_i, 1): seen on unit vectors, so for all c."""
    integer_in({"counted": max(counted)}, "counted", 1, symbols)
    wrong = [k for k in counted if not _counts(k, symbols)]
    return comparison(not wrong, wrong=wrong)


def _counts(counted: int, symbols: int) -> bool:
    size = counted + 1
    for symbol in range(symbols):
        *kept, last = _matrix(counted, symbol)
        added = [int(j == symbol) for j in range(counted)]
        if last != [*added, 1]:  # the image of (0, …, 0, 1)
            return False
        if kept != [[int(i == j) for j in range(size)] for i in range(counted)]:
            return False
    return True


def _matrix(counted: int, symbol: int) -> list[list[int]]:
    """I + e_{k+1} e_i^T for a symbol that is counted, I for any other."""
    size = counted + 1
    matrix = [[int(i == j) for j in range(size)] for i in range(size)]
    if symbol < counted:
        matrix[counted][symbol] += 1
    return matrix


@confirms("counting.one-layer", "symbolic", longest=(1, 12))
def one_layer(longest: int) -> Recomputed:
    """(t + 1) times the average over a begin mark and t letters is the number of zeros."""
    step_holds = all(_step(t, c, z) == c + z for t, c, z in product(GRID, repeat=3))
    for length in range(longest + 1):
        for word in product((0, 1), repeat=length):
            if any(_averaged(word, t) != word[:t].count(0) for t in range(length + 1)):
                raise Refused(f"a word of length {length} is counted wrongly")
    return Recomputed(step_holds, {"longest": longest})


def _step(t: int, c: int, z: int) -> Fraction:
    """(t + 2) times the average after one letter more; before it t letters had c zeros."""
    return (t + 2) * Fraction((t + 1) * Fraction(c, t + 1) + z, t + 2)


def _averaged(word: tuple[int, ...], t: int) -> Fraction:
    zeros = [0, *(1 - letter for letter in word[:t])]
    return (t + 1) * Fraction(sum(zeros), t + 1)


@confirms("counting.soft-layer", "enclosure", longest=(1, 5), bases=Different((2, 4096), 1, 20))
def soft_layer(longest: int, bases: list[Any]) -> Recomputed:
    """The soft layer's count is within 3 (T + 1) / (K - 1) on all short words."""
    over = [
        "".join(map(str, word))
        for length in range(longest + 1)
        for word in product((0, 1), repeat=length)
        for base in bases
        if _excess(word, base)
    ]
    runs = len(bases) * sum(2**length for length in range(longest + 1))
    return comparison(not over, runs=runs, over=over)


def _excess(word: tuple[int, ...], base: int) -> bool:
    zeros = [0, *(1 - letter for letter in word)]
    limit = Fraction(3 * (len(word) + 1), base - 1)
    for i in range(len(zeros)):
        low, high = _softly_counted(zeros, i, base)
        if max(abs(low - sum(zeros[: i + 1])), abs(high - sum(zeros[: i + 1]))) > limit:
            return True
    return False


def _softly_counted(zeros: list[int], i: int, base: int) -> Interval:
    """(i + 1) times the softmax average with scores -K^(2(j - i) - 1), enclosed."""
    weights = [(_weight(2 * (j - i) - 1, base), z) for j, z in enumerate(zeros)]
    chosen, rest = ([w for w, z in weights if z == counted] for counted in (1, 0))
    low, high = sum(w[0] for w in chosen), sum(w[1] for w in chosen)
    least = Fraction(low) / (low + sum(w[1] for w in rest))
    most = Fraction(high) / (high + sum(w[0] for w in rest))
    return (i + 1) * least, (i + 1) * most


def _weight(power: int, base: int) -> Interval:
    """exp(-K^power); far below 2^-200 it is enclosed by [0, 2^-200]."""
    score = Fraction(base) ** power
    return exp(-score, 96) if score < 150 else (Fraction(0), Fraction(1, 1 << 200))


@confirms(
    "counting.reaches",
    "exact",
    states=(1, 1000),
    length=(1, 1 << 20),
    width=(1, 10**6),
    layers=(1, 1000),
)
def reaches(states: int, length: int, width: int, layers: int) -> Recomputed:
    """Trained sizes against 2n² + 2 and ⌈log2 T⌉."""
    size, steps = 2 * states**2 + 2, halvings(length)
    return comparison(width >= size and layers >= steps, width=size, layers=steps)
