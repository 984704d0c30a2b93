"""Tree automata (Corollary 1): non-deterministic, over binary trees, and their runs counted.

Defines       A = ⟨Q, rules, final⟩: a leaf σ may start in the states leaves[σ]; a node may be in
              state q if some rule (p, r) → q fits states p, r of its children. A tree is accepted
              if its root may be in a final state
Constructs    `run_counting_automaton`: the WTA with T[q][p][r] = 1 for each rule and v_σ the indicator of
              leaves[σ]; μ(t)_q is then the number of runs that end in q, so q is possible if and
              only if μ(t)_q > ½, and f(t) counts accepting runs
Notation      states are 0 … n-1; rules is a set of (p, r, q)
Unlike print  print reads non-zero as true, which fails where weights may cancel; counts are never
              negative, and an error below ½ cannot turn 0 into a count or a count into 0
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from constructions.automata.trees import values_from_below
from constructions.automata.wta import WTA
from constructions.core.errors import InputError, unknown_symbol

Rule = tuple[int, int, int]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class TreeAutomaton:
    """A tree automaton with states 0 … n-1."""

    n: int
    leaves: Mapping[str, frozenset[int]]
    rules: frozenset[Rule]
    final: frozenset[int]

    @classmethod
    def of(
        cls,
        n: int,
        leaves: Mapping[str, Collection[int]],
        rules: Collection[Rule],
        final: Collection[int],
    ) -> TreeAutomaton:
        """An automaton from plain collections; every state must be one of 0 … n-1."""
        for field, states in _states(leaves, rules, final):
            for state in states:
                if isinstance(state, bool) or not isinstance(state, int) or not 0 <= state < n:
                    raise InputError(field, state, f"a state from 0 to {n - 1}")
        sets = {symbol: frozenset(states) for symbol, states in leaves.items()}
        return cls(n, sets, frozenset(rules), frozenset(final))

    def possible_states(self, symbols: Sequence[str]) -> dict[int, frozenset[int]]:
        """The states each subtree may be in, at its position in str(t): Boolean sets only."""
        return values_from_below(symbols, self._leaf, self._node)

    def accepts(self, symbols: Sequence[str]) -> bool:
        """Return True if the root may be in a final state."""
        return bool(self.possible_states(symbols)[1] & self.final)

    def _leaf(self, symbol: str) -> frozenset[int]:
        if symbol not in self.leaves:
            raise unknown_symbol("leaf", symbol, list(self.leaves))
        return self.leaves[symbol]

    def _node(self, left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
        return frozenset(q for p, r, q in self.rules if p in left and r in right)


def _states(
    leaves: Mapping[str, Collection[int]], rules: Collection[Rule], final: Collection[int]
) -> list[tuple[str, Collection[Any]]]:
    named: list[tuple[str, Collection[Any]]] = [
        (f"leaves[{symbol}]", states) for symbol, states in leaves.items()
    ]
    return [*named, *((f"rule {rule}", rule) for rule in rules), ("final", final)]


def run_counting_automaton(automaton: TreeAutomaton) -> WTA:
    """The WTA whose states count runs."""
    states = range(automaton.n)
    tensor = [[[int((p, r, q) in automaton.rules) for r in states] for p in states] for q in states]
    leaves = {s: [int(q in found) for q in states] for s, found in automaton.leaves.items()}
    return WTA.of([int(q in automaton.final) for q in states], tensor, leaves)


def states_above_half(counts: Sequence[Fraction]) -> frozenset[int]:
    """The states whose (approximate) count is above ½."""
    return frozenset(q for q, count in enumerate(counts) if count > HALF)
