"""Weighted tree automata (Section 2.3), with the semantics straight from the definition.

Defines       A = ⟨α, T, {v_σ}⟩ with μ(σ) = v_σ, μ((t_1, t_2)) = T ×₂ μ(t_1) ×₃ μ(t_2) and
              f(t) = ⟨α, μ(t)⟩
Notation      `tensor[i][j][k]`: weight of state i from left child j and right child k
Unlike print  Section 4.2 and Appendix C write ×₁, ×₂ for the same contraction; the definition's
              ×₂, ×₃ is taken, so that the first index of the tensor is the parent's state
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from constructions.automata.trees import CLOSE, OPEN, Tree, string, values_from_below
from constructions.automata.wfa import Number, Vector, symbol_name
from constructions.core.errors import InputError, unknown_symbol
from constructions.core.numbers import square, vector
from constructions.core.one_line import of_automaton, one_line


@one_line(of_automaton)
@dataclass(frozen=True)
class WTA:
    """A weighted tree automaton ⟨α, T, {v_σ}⟩."""

    alpha: Vector
    tensor: tuple[tuple[Vector, ...], ...]
    leaves: Mapping[str, Vector]

    @classmethod
    def of(cls, alpha: Any, tensor: Any, leaves: Any) -> WTA:
        """An automaton from plain numbers, checked field by field.

        Examples:
            >>> WTA.of([1], [[["1/2"]]], {"a": [4]}).weight("[a a]")
            Fraction(8, 1)

        """
        final = vector(alpha, "alpha")
        n = len(final)
        if isinstance(tensor, (str, Mapping)) or not hasattr(tensor, "__len__"):
            raise InputError("tensor", tensor, f"a list of {n} matrices")
        if len(tensor) != n:
            raise InputError(
                "tensor", f"{len(tensor)} slices", f"{n}, as many as alpha has numbers"
            )
        slices = tuple(square(rows, f"tensor[{i}]", n) for i, rows in enumerate(tensor))
        return cls(final, slices, _leaves(leaves, n))

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.alpha)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Σ, in the order given."""
        return tuple(self.leaves)

    def mapped(self, change: Callable[[Number], Number]) -> WTA:
        """The automaton with other weights, or the same in other numbers.

        Examples:
            >>> WTA.of([1], [[["1/2"]]], {"a": [4]}).mapped(float).weight("[a a]")
            8.0

        """
        tensor = tuple(tuple(tuple(map(change, row)) for row in rows) for rows in self.tensor)
        leaves = {symbol: tuple(map(change, leaf)) for symbol, leaf in self.leaves.items()}
        return WTA(tuple(map(change, self.alpha)), tensor, leaves)

    def leaf(self, symbol: str) -> Vector:
        """v_σ; an unknown symbol is an error that lists the alphabet.

        Examples:
            >>> print(*WTA.of([1], [[[1]]], {"a": [2]}).leaf("a"))
            2

        """
        try:
            return self.leaves[symbol]
        except (KeyError, TypeError):
            raise unknown_symbol("leaf", symbol, self.alphabet) from None

    def combine(self, left: Vector, right: Vector) -> Vector:
        """T ×₂ μ(t_1) ×₃ μ(t_2).

        Examples:
            >>> print(*WTA.of([1], [[[3]]], {"a": [2]}).combine((2,), (5,)))
            30

        """
        return tuple(
            sum(w * left[j] * right[k] for j, row in enumerate(rows) for k, w in enumerate(row))
            for rows in self.tensor
        )

    def states(self, symbols: Any) -> dict[int, Vector]:
        """μ(τ(i)) for every position i of I_t, counted from 1, of a tree in any of its forms.

        Examples:
            >>> found = WTA.of([1], [[[1]]], {"a": [2]}).states("(a (a a))")
            >>> {i: str(state[0]) for i, state in sorted(found.items())}
            {1: '8', 2: '2', 3: '4', 4: '2', 5: '2'}

        """
        return values_from_below(string(symbols), self.leaf, self.combine)

    def state(self, tree: Tree) -> Vector:
        """μ(t), by recursion on the tree as the definition has it.

        Examples:
            >>> print(*WTA.of([1], [[[1]]], {"a": [2]}).state(("a", ("a", "a"))))
            8

        """
        if isinstance(tree, str):
            return self.leaf(tree)
        return self.combine(self.state(tree[0]), self.state(tree[1]))

    def weight(self, tree: Any) -> Number:
        """f(t) = ⟨α, μ(t)⟩ of a tree in any of the forms of `trees.string`.

        Examples:
            >>> WTA.of([1], [[[1]]], {"a": [2]}).weight("(a (a a))")
            Fraction(8, 1)

        """
        root = self.states(tree)[1]
        return sum(a * m for a, m in zip(self.alpha, root, strict=True))


def _leaves(leaves: Any, n: int) -> dict[str, Vector]:
    if not isinstance(leaves, Mapping) or not leaves:
        raise InputError("leaves", leaves, "at least one symbol with its vector")
    vectors: dict[str, Vector] = {}
    for symbol, values in leaves.items():
        if symbol_name(symbol) in (OPEN, CLOSE):
            raise InputError("leaves", symbol, "a symbol that is not a bracket")
        vectors[symbol] = vector(values, f"leaves[{symbol}]")
        if len(vectors[symbol]) != n:
            raise InputError(f"leaves[{symbol}]", f"{len(vectors[symbol])} numbers", f"{n}")
    return vectors
