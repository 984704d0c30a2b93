"""Confirms what is said of counting automata: by counting letters, and by induction on a grid.

counting.one-layer   average over the past times the position, on all short words; the step as an
                     identity of polynomials on a grid that decides its degree
counting.soft-layer  the unmasked soft layer with exp enclosed by series, on all short words
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from verify.recheck.errors import Answer, Refused, compared, listed, only, text, whole
from verify.recheck.kernel.interval import Interval, exp

Body = Mapping[str, Any]
GRID = range(4)  # the step has degree at most two in each of t, c and z


def numbers(body: Body, field: str, least: int, most: int) -> list[int]:
    """A list of whole numbers within a range."""
    found = listed(body, field, 1, 20)
    return [whole({field: value}, field, least, most) for value in found]


def state(body: Body, certificate: Body) -> Answer:
    """Count the letters of a word."""
    only(body, {"counted", "symbols", "word", "expected"})
    symbols = whole(body, "symbols", 1, 10)
    counted = whole(body, "counted", 1, symbols)
    word = text(body, "word")
    if len(word) > 1000 or set(word) - set("0123456789"[:symbols]):
        raise Refused("word: expected digits of the alphabet")
    found = [*(word.count(str(symbol)) for symbol in range(counted)), 1]
    return compared(found == numbers(body, "expected", 0, 1000), state=found)


def step(body: Body, certificate: Body) -> Answer:
    """A^i = I + e_{k+1} e_i^T takes (c, 1) to (c + e_i, 1): seen on unit vectors, so for all c."""
    only(body, {"counted", "symbols"})
    symbols = whole(body, "symbols", 1, 20)
    wrong = [k for k in numbers(body, "counted", 1, symbols) if not _counts(k, symbols)]
    return compared(not wrong, wrong=wrong)


def _counts(counted: int, symbols: int) -> bool:
    size = counted + 1
    for symbol in range(symbols):
        matrix = [[int(i == j) for j in range(size)] for i in range(size)]
        if symbol < counted:
            matrix[counted][symbol] += 1
        added = [int(j == symbol) for j in range(counted)]
        if matrix[counted] != [*added, 1]:  # the image of (0, …, 0, 1)
            return False
        if any(matrix[i] != [int(i == j) for j in range(size)] for i in range(counted)):
            return False
    return True


def one_layer(body: Body, certificate: Body) -> Answer:
    """(t + 1) times the average over a begin mark and t letters is the number of zeros."""
    only(body, {"longest"})
    longest = whole(body, "longest", 1, 12)
    step_holds = all(
        (t + 2) * Fraction((t + 1) * Fraction(c, t + 1) + z, t + 2) == c + z
        for t in GRID
        for c in GRID
        for z in GRID
    )
    for length in range(longest + 1):
        for word in product((0, 1), repeat=length):
            zeros = [0, *(1 - letter for letter in word)]
            for t in range(length + 1):
                average = Fraction(sum(zeros[: t + 1]), t + 1)
                if (t + 1) * average != word[:t].count(0):
                    raise Refused(f"a word of length {length} is counted wrongly")
    return Answer(step_holds, {"longest": longest})


def soft_layer(body: Body, certificate: Body) -> Answer:
    """The soft layer's count is within 3 (T + 1) / (K - 1) on all short words."""
    only(body, {"longest", "bases"})
    longest = whole(body, "longest", 1, 5)
    bases = numbers(body, "bases", 2, 4096)
    over = [
        "".join(map(str, word))
        for length in range(longest + 1)
        for word in product((0, 1), repeat=length)
        for base in bases
        if _excess(word, base)
    ]
    runs = len(bases) * sum(2**length for length in range(longest + 1))
    return compared(not over, runs=runs, over=over)


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
    weights = [_weight(2 * (j - i) - 1, base) for j in range(len(zeros))]
    chosen = [w for w, z in zip(weights, zeros, strict=True) if z]
    low, high = sum(w[0] for w in chosen), sum(w[1] for w in chosen)
    rest = [w for w, z in zip(weights, zeros, strict=True) if not z]
    least = Fraction(low) / (low + sum(w[1] for w in rest))
    most = Fraction(high) / (high + sum(w[0] for w in rest))
    return (i + 1) * least, (i + 1) * most


def _weight(power: int, base: int) -> Interval:
    """exp(-K^power); far below 2^-200 it is enclosed by [0, 2^-200]."""
    score = Fraction(base) ** power
    return exp(-score, 96) if score < 150 else (Fraction(0), Fraction(1, 1 << 200))


def layers(length: int) -> int:
    """The least L with 2^L ≥ T."""
    return next(depth for depth in range(64) if 1 << depth >= length)


def depth(body: Body, certificate: Body) -> Answer:
    """⌈log2 T⌉ at each length."""
    only(body, {"lengths", "layers"})
    taken = [layers(length) for length in numbers(body, "lengths", 1, 1 << 20)]
    return compared(taken == numbers(body, "layers", 0, 20), layers=taken)


def reaches(body: Body, certificate: Body) -> Answer:
    """Trained sizes against 2n² + 2 and ⌈log2 T⌉."""
    only(body, {"states", "length", "width", "layers"})
    size = 2 * whole(body, "states", 1, 1000) ** 2 + 2
    steps = layers(whole(body, "length", 1, 1 << 20))
    width, deep = whole(body, "width", 1, 10**6), whole(body, "layers", 1, 1000)
    return compared(width >= size and deep >= steps, width=size, layers=steps)


CONFIRM = {
    "counting.state": ("exact", state),
    "counting.step": ("symbolic", step),
    "counting.one-layer": ("symbolic", one_layer),
    "counting.soft-layer": ("enclosure", soft_layer),
    "counting.depth": ("exact", depth),
    "counting.reaches": ("exact", reaches),
}
