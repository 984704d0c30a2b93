"""Rigorous enclosures: every number is a ball of python-flint's `arb`.

The working precision of `arb` is a global of the library; `Balls` sets it inside a `with`
block, and only there:

    with Balls(200) as balls:
        outputs = run(model, balls, rows)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

import flint

from constructions.arithmetic.objects import ObjectArithmetic, Objects, map_entries
from constructions.core.activations import activation_by_name
from constructions.core.exact import EnclosedNumber, Undecided, ball
from constructions.core.matrix import Entry


class Balls(ObjectArithmetic):
    """Balls at a working precision of `bits`; use it in a `with` block."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._stack = ExitStack()

    def __enter__(self) -> Balls:
        self._stack.enter_context(flint.ctx.workprec(self.bits))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def element(self, value: Entry) -> Any:
        """A ball around an exact number."""
        if isinstance(value, (int, Fraction)):
            return ball(value)
        return value.ball() if isinstance(value, EnclosedNumber) else value

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The index of the largest score, if the balls decide it."""
        best = 0
        for j in range(1, len(row)):
            if row[j] > row[best]:
                best = j
        if all(row[j] < row[best] for j in range(len(row)) if j != best):
            return [best]
        raise Undecided(f"largest of {len(row)} scores not determined at {self.bits} bits")

    def softmax(self, row: Sequence[Any]) -> list[Any]:
        """exp(s_j - s) / Σ exp(s_k - s) with s a score near the largest."""
        top = max(flint.arb(score).mid() for score in row)
        powers = [(score - top).exp() for score in row]
        total = sum(powers, flint.arb(0))
        return [power / total for power in powers]

    def activate(self, name: str, x: Objects) -> Objects:
        """σ, entry by entry."""
        return map_entries(activation_by_name(name).enclosure, x)

    def root(self, value: Any) -> Any:
        """√value."""
        return flint.arb(value).nonnegative_part().sqrt()
