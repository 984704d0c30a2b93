"""Words and trees beside each other: all words, all trees, and a comb read as a word.

Constructs    `comb_states`: a WFA with n + 1 states that reads the leaves of a comb from the last to
              the first and whose states are μ of the subtrees
Notation      M_σ = T ×₂ v_σ, so that μ((σ, t)) = M_σ μ(t)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

from constructions.automata.trees import CLOSE, Tree
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA


def left_matrix(automaton: WTA, symbol: str) -> list[list[Any]]:
    """M_σ: rows are parent states, columns right-child states."""
    vector, n = automaton.leaf(symbol), range(automaton.n)
    return [[sum(automaton.tensor[a][b][c] * vector[b] for b in n) for c in n] for a in n]


def comb_states(automaton: WTA) -> WFA:
    """μ of all subtrees of a comb, leaves read from the last to the first."""
    n = automaton.n
    matrices = {}
    for symbol in automaton.alphabet:
        rows = left_matrix(automaton, symbol)
        turned = [(*(rows[c][a] for c in range(n)), 0) for a in range(n)]
        matrices[symbol] = (*turned, (*automaton.leaf(symbol), 0))
    start = (0,) * n + (1,)
    return WFA(start, matrices, (*automaton.alpha, 0))


def words(letters: str, longest: int, shortest: int = 1) -> Iterator[tuple[str, ...]]:
    """All words of the given lengths."""
    for length in range(shortest, longest + 1):
        yield from product(letters, repeat=length)


@cache
def trees_over(letters: str, leaves: int) -> tuple[Tree, ...]:
    """Return all trees over an alphabet with that number of leaves."""
    if leaves == 1:
        return tuple(letters)
    return tuple(
        (one, other)
        for left in range(1, leaves)
        for one in trees_over(letters, left)
        for other in trees_over(letters, leaves - left)
    )


def trees_within(letters: str, leaves: int) -> list[Tree]:
    """Return all trees with at most that number of leaves."""
    return [tree for count in range(1, leaves + 1) for tree in trees_over(letters, count)]


def end_counts(strings: set[tuple[str, ...]], symbols: Sequence[str]) -> dict[int, int]:
    """Count, for each position of I_t, the substrings from there that are strings of trees."""
    return {
        i: sum(tuple(symbols[i - 1 : j]) in strings for j in range(i, len(symbols) + 1))
        for i, symbol in enumerate(symbols, 1)
        if symbol != CLOSE
    }


def prefix_free(strings: set[tuple[str, ...]]) -> bool:
    """Return whether no string is a proper prefix of another."""
    return not any(string[:k] in strings for string in strings for k in range(1, len(string)))


def subtrees(tree: Tree) -> list[Tree]:
    """All occurrences of subtrees."""
    if isinstance(tree, str):
        return [tree]
    return [tree, *subtrees(tree[0]), *subtrees(tree[1])]
