"""Automata, words and trees that a seed decides, for comparisons and runs at drawn sizes.

In runs a letter permutes the states and turns some signs; over trees states are multiplied as in a cyclic
group, with signs. So all states are integers, -1, 0 or 1, whatever the length. In comparisons all weights
of an automaton are different rational numbers.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import count, islice

from constructions.automata.trees import CLOSE, OPEN, Tree, most_leaves, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA

SEED = "ASSAY_SEED"
Range = tuple[int, int]
LETTERS = "abc"


@dataclass(frozen=True)
class Draw:
    """Numbers that a seed decides: states, length, and further ones by their names."""

    seed: int
    model: str
    place: int
    n: int
    length: int

    def number(self, name: str, low: int, high: int) -> int:
        """Return a number from low to high."""
        return number(self.seed, f"{self.model} {self.place} {name}", low, high)

    @property
    def sizes(self) -> str:
        """Return the sizes in words."""
        return f"n = {self.n}, T = {self.length}"


def number(seed: int, name: str, low: int, high: int) -> int:
    """Return a number from low to high that a seed and a name decide."""
    digits = sha256(f"{seed} {name}".encode()).digest()
    return low + int.from_bytes(digits, "big") % (high - low + 1)


def drawn_sizes(seed: int, name: str, ranges: Sequence[tuple[Range, Range]]) -> list[Draw]:
    """Return n and T from some ranges, which a seed and a name decide."""

    def drawn(place: int, states: Range, lengths: Range) -> Draw:
        n = number(seed, f"{name} {place} n", *states)
        return Draw(seed, name, place, n, number(seed, f"{name} {place} T", *lengths))

    return [drawn(place, *both) for place, both in enumerate(ranges)]


def new_seed() -> int:
    """Return the seed that the user gives in `ASSAY_SEED`, or a new one."""
    given = os.environ.get(SEED, "")
    return int(given) if given.isdecimal() else secrets.randbelow(10**9)


# Weights that are all different


def distinct_numbers() -> Iterator[Fraction]:
    """Yield rational numbers of both signs with different absolute values, few of them integers."""
    return (Fraction(k if k % 2 else -k, 7) for k in count(2))


@cache
def word_sample(n: int, length: int) -> tuple[WFA, tuple[str, ...]]:
    """Return an automaton whose weights are all different, and a word of different letters."""
    numbers = distinct_numbers()
    word = tuple(str(t) for t in range(1, length + 1))
    square = {letter: [list(islice(numbers, n)) for _ in range(n)] for letter in word}
    return WFA.of(list(islice(numbers, n)), square, list(islice(numbers, n))), word


@cache
def tree_sample(n: int, symbols: str) -> tuple[WTA, str]:
    """Return an automaton whose weights are all different, and the string of a tree."""
    numbers = distinct_numbers()
    tensor = [[list(islice(numbers, n)) for _ in range(n)] for _ in range(n)]
    letters = sorted(set(symbols) - {OPEN, CLOSE})
    alpha = list(islice(numbers, n))
    return WTA.of(alpha, tensor, {x: list(islice(numbers, n)) for x in letters}), symbols


def distinct_leaves(draw: Draw, most: int) -> str:
    """Return str(t) of a tree with different letters, as many as T allows and at most `most`."""
    leaves = min(most, most_leaves(draw.length))
    letters = (chr(code) for code in count(ord("a")))
    symbols = tokens(_tree(draw, leaves, ""))
    return "".join(s if s in (OPEN, CLOSE) else next(letters) for s in symbols)


# Automata whose states are small integers


def words_automaton(draw: Draw) -> WFA:
    """Return an automaton whose letters permute the states and turn some of their signs."""
    matrices = {letter: _signed_permutation(draw, letter) for letter in LETTERS}
    first = [int(i == draw.number("start", 0, draw.n - 1)) for i in range(draw.n)]
    return WFA.of(first, matrices, first)


def _signed_permutation(draw: Draw, letter: str) -> list[list[int]]:
    order = sorted(range(draw.n), key=lambda i: draw.number(f"{letter} order {i}", 0, 1 << 60))
    signs = [1 - 2 * draw.number(f"{letter} sign {i}", 0, 1) for i in range(draw.n)]
    return [[signs[i] if j == order[i] else 0 for j in range(draw.n)] for i in range(draw.n)]


def word_of(draw: Draw) -> str:
    """Return a word of T letters."""
    return "".join(LETTERS[draw.number(f"letter {t}", 0, 2)] for t in range(draw.length))


def trees_automaton(draw: Draw) -> WTA:
    """Return an automaton whose states multiply as in a cyclic group, with signs."""
    n = draw.n
    tensor = [[[0] * n for _ in range(n)] for _ in range(n)]
    for left in range(n):
        for right in range(n):
            sign = 1 - 2 * draw.number(f"sign {left} {right}", 0, 1)
            tensor[(left + 2 * right) % n][left][right] = sign
    leaves = {x: [int(i == draw.number(f"leaf {x}", 0, n - 1)) for i in range(n)] for x in LETTERS}
    return WTA.of([1] * n, tensor, leaves)


def tree_of(draw: Draw) -> Tree:
    """Return a tree with as many leaves as T allows."""
    return _tree(draw, most_leaves(draw.length), "")


def _tree(draw: Draw, leaves: int, way: str) -> Tree:
    if leaves == 1:
        return LETTERS[draw.number(f"leaf at {way}", 0, 2)]
    low = max(1, leaves // 4)
    left = draw.number(f"left of {way}", low, leaves - low)
    return _tree(draw, left, f"{way}l"), _tree(draw, leaves - left, f"{way}r")
