"""Theorem 3 for every tree automaton at once, where its heads look, and heights of subtrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from constructions.arithmetic import Polynomial
from constructions.arithmetic.objects import Objects, map_entries
from constructions.automata.trees import CLOSE, OPEN, parse, values_from_below
from constructions.automata.wta import WTA
from constructions.theorem3 import Places, build
from verify.exactness.integers import IntegerPass, attended_rows


class GenericPolynomial(Polynomial):
    """Scores are constants, so that attention is decided: numbers before they are multiplied."""

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """Q Kᵀ of constant polynomials, as rationals; a symbol in a score is an error."""
        sides = (map_entries(self._constant, values) for values in (queries, keys))
        return super().scores(*sides)

    def _constant(self, value: Any) -> int | Fraction:
        """A constant as an int where it is one."""
        number = self.number(value)
        return int(number) if number.denominator == 1 else number


def generic_tree_automaton(
    n: int, letters: int, ring: Callable[[list[str]], Any] = GenericPolynomial
) -> tuple[Any, WTA]:
    """Return a ring, and a WTA whose tensor and leaf vectors are all different symbols of it."""
    states, alphabet = range(n), "abcdefghijklmnopqrstuvwxyz"[:letters]
    names = [f"t{a}_{b}_{c}" for a in states for b in states for c in states]
    arithmetic = ring([*names, *(f"{letter}{a}" for letter in alphabet for a in states)])
    symbol = arithmetic.generators
    tensor = tuple(
        tuple(tuple(symbol[f"t{a}_{b}_{c}"] for c in states) for b in states) for a in states
    )
    vectors = {letter: tuple(symbol[f"{letter}{a}"] for a in states) for letter in alphabet}
    return arithmetic, WTA((Fraction(1),) * n, tensor, vectors)


def targets(symbols: Sequence[str], side: str) -> list[int]:
    """Return the targets, from 0, of the left or right head of the repaired Theorem 3 at each token.

    By the built weights on the line, after the two layers that find the depths.
    """
    size = len(symbols)
    # Heads look where they look whatever the weights are.
    letters = {symbol: (size,) for symbol in symbols if symbol not in (OPEN, CLOSE)}
    model = build(WTA((size,), (((size,),),), letters), size, height=0, places=Places.LINE)
    *_, x = IntegerPass(model, model.plan.layout, [parse(symbols)]).states()
    head = {"left": model.plan.left, "right": model.plan.right}[side]()
    [attended] = attended_rows(head, x)
    return [int(j) for j in attended]


def heights(symbols: Sequence[str]) -> dict[int, int]:
    """The height of the subtree at each position of I_t, from 1."""
    return values_from_below(symbols, lambda symbol: 0, lambda left, right: 1 + max(left, right))
