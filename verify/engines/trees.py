"""Fast exact runs of the repaired Theorem 3: whole batches of trees, integers, every layer.

Computes      the integer scores of the heads on the line, exactly as `constructions.theorem3`
              builds them, in NumPy; argmax with its uniqueness; then parse layers as gathers. The
              dense forward pass is the reference: tests compare the two on all small trees
Notation      B trees of T tokens each, N = T + 1 with the end token, positions from 0 inside arrays

On the circle scores order positions in the same way: the depth term is a multiple of β ≥ 3, other
terms differ by at most 2 and fall with the distance, so the order is lexicographic, as here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions.arithmetic import RationalPolynomial
from constructions.arithmetic.objects import Objects, elementwise
from constructions.theorem3 import END, KINDS, MARKERS, Places, depth_weight, end_weight
from constructions.trees import from_below
from constructions.wta import WTA

Integers = npt.NDArray[np.int64]
ROWS = 256


class Generic(RationalPolynomial):
    """Scores are constants, so that attention is decided: numbers before they are multiplied."""

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """Q Kᵀ of constant polynomials, as rationals; a symbol in a score is an error."""
        sides = (elementwise(self._constant, values) for values in (queries, keys))
        return super().scores(*sides)

    def _constant(self, value: Any) -> int | Fraction:
        """A constant as an int where it is one."""
        number = self.number(value)
        return int(number) if number.denominator == 1 else number


def generic(n: int, letters: int = 2) -> tuple[Generic, WTA]:
    """A WTA whose tensor and leaf vectors are all different symbols."""
    states = range(n)
    tensor = [[[f"t{a}{b}{c}" for c in states] for b in states] for a in states]
    alphabet = "abcdefghijklmnopqrstuvwxyz"[:letters]
    leaves = {symbol: [f"{symbol}{a}" for a in states] for symbol in alphabet}
    names = [x for rows in tensor for row in rows for x in row]
    arithmetic = Generic([*names, *(x for row in leaves.values() for x in row)])
    symbol = arithmetic.generators
    weights = tuple(tuple(tuple(symbol[x] for x in row) for row in rows) for rows in tensor)
    vectors = {name: tuple(symbol[x] for x in row) for name, row in leaves.items()}
    return arithmetic, WTA((Fraction(1),) * n, weights, vectors)


@dataclass(frozen=True)
class Batch:
    """Trees whose strings have the same length, with the integer features of their tokens."""

    strings: tuple[tuple[str, ...], ...]

    @property
    def tokens(self) -> int:
        """N: the length of the strings, and the end token."""
        return len(self.strings[0]) + 1

    def table(self, values: dict[str, int]) -> Integers:
        """A number for each token: the one given for its symbol, else 0."""
        rows = [[values.get(symbol, 0) for symbol in (*string, END)] for string in self.strings]
        return np.array(rows, dtype=np.int64)

    def depths(self) -> Integers:
        """d_i, as i times the causal mean of the markers, minus the own one."""
        markers = self.table(MARKERS)
        return np.cumsum(markers, axis=1) - markers

    def marks(self) -> Integers:
        """d_i² + c_i, where c_i is 1 after an opening bracket (and at the first one)."""
        before = np.roll(self.table(KINDS), 1, axis=1)
        before[:, 0] = self.table(KINDS)[:, 0]
        return self.depths() ** 2 + before

    def left(self, rows: slice) -> Integers:
        """Scores of the left head from some positions: 2(i+1)j - j² + K(kind_i - 1) kind_j."""
        place, kind = np.arange(1, self.tokens + 1), self.table(KINDS)
        near = 2 * (place[rows, None] + 1) * place - place**2
        weight = end_weight(self.tokens, Places.LINE)
        return near + weight * (kind[:, rows, None] - 1) * kind[:, None, :]

    def right(self, rows: slice) -> Integers:
        """Scores of the right head: -β mark_j + 2β(d_i + 1) d_j - j for j ≥ i."""
        place, d, marks = np.arange(1, self.tokens + 1), self.depths(), self.marks()
        beta = depth_weight(self.tokens, Places.LINE)
        scores = beta * (2 * (d[:, rows, None] + 1) * d[:, None, :] - marks[:, None, :]) - place
        allowed = place >= place[rows, None]
        return np.where(allowed, scores, np.iinfo(np.int64).min)

    def attended(self, head: str) -> Integers:
        """Where each position looks with a head, from 0; a tie is an error."""
        parts = []
        for start in range(0, self.tokens, ROWS):
            scores = getattr(self, head)(slice(start, start + ROWS))
            best = scores.argmax(axis=2)
            top = np.take_along_axis(scores, best[:, :, None], axis=2)
            if ((scores == top).sum(axis=2) != 1).any():
                raise ArithmeticError(f"the {head} head has a tie")
            parts.append(best)
        return np.concatenate(parts, axis=1)

    def states(self, automaton: WTA, layers: int) -> Iterator[Integers]:
        """The states of all tokens before and after each parse layer, shape (B, N, n).

        The caller sees to it that they fit 64 bits.
        """
        tensor = np.array([[[int(w) for w in row] for row in rows] for rows in automaton.tensor])
        states = self._start(automaton)
        left, right = self.attended("left"), self.attended("right")
        keep = 1 - self.table(KINDS)[:, :, None]
        yield states
        for _ in range(layers):
            sides = _gather(states, left), _gather(states, right)
            states = _contract(tensor, *sides) + keep * states
            yield states

    def _start(self, automaton: WTA) -> Integers:
        zero = (0,) * automaton.n
        vectors = {s: [int(x) for x in v] for s, v in automaton.leaves.items()}
        rows = [[vectors.get(s, zero) for s in (*string, END)] for string in self.strings]
        return np.array(rows, dtype=np.int64)


def _gather(states: Integers, index: Integers) -> Integers:
    return np.take_along_axis(states, index[:, :, None], axis=1)


def _contract(tensor: Integers, left: Integers, right: Integers) -> Integers:
    pairs = left[:, :, :, None] * right[:, :, None, :]
    found: Integers = np.einsum("abc,zibc->zia", tensor, pairs)
    return found


def heights(symbols: Sequence[str]) -> dict[int, int]:
    """The height of the subtree at each position of I_t, from 1."""
    return from_below(symbols, lambda symbol: 0, lambda left, right: 1 + max(left, right))
