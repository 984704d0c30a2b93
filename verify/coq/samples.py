"""Automata, words and trees that a seed decides, for runs at sizes that nobody chose.

A letter permutes the states and turns some signs; over trees states are multiplied as in a cyclic group,
with signs. So all states are integers, -1, 0 or 1, whatever the length.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from hashlib import sha256

from constructions.automata.trees import Tree, most_leaves
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA

SEED = "ASSAY_SEED"
LETTERS = "abc"


@dataclass(frozen=True)
class Draw:
    """What a seed decides: the number of states, the length, and further numbers by their names."""

    seed: int
    model: str
    place: int
    n: int
    length: int

    def number(self, name: str, low: int, high: int) -> int:
        """A number from low to high."""
        return number(self.seed, f"{self.model} {self.place} {name}", low, high)

    @property
    def sizes(self) -> str:
        """The sizes in words."""
        return f"n = {self.n}, T = {self.length}"


def number(seed: int, name: str, low: int, high: int) -> int:
    """A number from low to high that a seed and a name decide."""
    digits = sha256(f"{seed} {name}".encode()).digest()
    return low + int.from_bytes(digits, "big") % (high - low + 1)


def new_seed() -> int:
    """The seed that the user gives in `ASSAY_SEED`, or a new one."""
    given = os.environ.get(SEED, "")
    return int(given) if given.isdecimal() else secrets.randbelow(10**9)


# Automata whose states are small integers


def words_automaton(draw: Draw) -> WFA:
    """Each letter permutes the states and turns some of their signs."""
    matrices = {letter: _signed_permutation(draw, letter) for letter in LETTERS}
    first = [int(i == draw.number("start", 0, draw.n - 1)) for i in range(draw.n)]
    return WFA.of(first, matrices, first)


def _signed_permutation(draw: Draw, letter: str) -> list[list[int]]:
    order = sorted(range(draw.n), key=lambda i: draw.number(f"{letter} order {i}", 0, 1 << 60))
    signs = [1 - 2 * draw.number(f"{letter} sign {i}", 0, 1) for i in range(draw.n)]
    return [[signs[i] if j == order[i] else 0 for j in range(draw.n)] for i in range(draw.n)]


def word_of(draw: Draw) -> str:
    """A word of T letters."""
    return "".join(LETTERS[draw.number(f"letter {t}", 0, 2)] for t in range(draw.length))


def trees_automaton(draw: Draw) -> WTA:
    """States multiply as in a cyclic group, in one order; some products turn the sign."""
    n = draw.n
    tensor = [[[0] * n for _ in range(n)] for _ in range(n)]
    for left in range(n):
        for right in range(n):
            sign = 1 - 2 * draw.number(f"sign {left} {right}", 0, 1)
            tensor[(left + 2 * right) % n][left][right] = sign
    leaves = {x: [int(i == draw.number(f"leaf {x}", 0, n - 1)) for i in range(n)] for x in LETTERS}
    return WTA.of([1] * n, tensor, leaves)


def tree_of(draw: Draw) -> Tree:
    """A tree with as many leaves as T allows."""
    return _tree(draw, most_leaves(draw.length), "")


def _tree(draw: Draw, leaves: int, way: str) -> Tree:
    if leaves == 1:
        return LETTERS[draw.number(f"leaf at {way}", 0, 2)]
    low = max(1, leaves // 4)
    left = draw.number(f"left of {way}", low, leaves - low)
    return _tree(draw, left, f"{way}l"), _tree(draw, leaves - left, f"{way}r")
