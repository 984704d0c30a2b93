"""Side claims on trees: strings, combs as words, words as combs, grammars.

Constructs    `comb_values`: a WFA with n + 1 states that reads the leaves of a comb from left to
              right and gives f(t); `comb_states`: one with n + 1 states that reads them from last
              to first and whose states are μ of the subtrees; `word_automaton`: a WTA that gives a
              WFA's weight on the comb (((#, x_1), x_2), …)
Notation      M_σ = T ×₂ v_σ, so that μ((σ, t)) = M_σ μ(t)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from constructions.trees import CLOSE, Tree, tokens
from constructions.wfa import WFA
from constructions.wta import WTA

START = "#"


def left_matrix(automaton: WTA, symbol: str) -> list[list[Any]]:
    """M_σ: rows are parent states, columns right-child states."""
    vector, n = automaton.leaf(symbol), range(automaton.n)
    return [
        [sum((automaton.tensor[a][b][c] * vector[b] for b in n), 0 * vector[0]) for c in n]
        for a in n
    ]


def comb_values(automaton: WTA) -> WFA:
    """f on combs, leaves read from left to right: the last letter leads to a state of its own."""
    n = automaton.n
    matrices = {}
    for symbol in automaton.alphabet:
        rows, leaf = left_matrix(automaton, symbol), automaton.leaf(symbol)
        table = [(*rows[a], leaf[a]) for a in range(n)]
        matrices[symbol] = (*table, (0,) * (n + 1))
    final = (0,) * n + (1,)
    return WFA((*automaton.alpha, 0), matrices, final)


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


def word_automaton(automaton: WFA) -> WTA:
    """A WTA with n + |Σ| states: # starts with α, a letter is a state, a node takes a step."""
    n, letters = automaton.n, automaton.alphabet
    size = n + len(letters)
    tensor = [[[Fraction(0)] * size for _ in range(size)] for _ in range(size)]
    for k, symbol in enumerate(letters):
        for i, row in enumerate(automaton.transitions[symbol]):
            for j, weight in enumerate(row):
                tensor[j][i][n + k] = weight
    leaves = {s: [int(a == n + k) for a in range(size)] for k, s in enumerate(letters)}
    leaves[START] = [*automaton.alpha, *[0] * len(letters)]
    return WTA.of([*automaton.beta, *[0] * len(letters)], tensor, leaves)


def word_tree(word: Sequence[str]) -> Tree:
    """(((#, x_1), x_2), …)."""
    tree: Tree = START
    for letter in word:
        tree = (tree, letter)
    return tree


def words(letters: str, longest: int, shortest: int = 1) -> Iterator[tuple[str, ...]]:
    """All words of the given lengths."""
    for length in range(shortest, longest + 1):
        yield from product(letters, repeat=length)


@cache
def trees_over(letters: str, leaves: int) -> tuple[Tree, ...]:
    """All trees with exactly so many leaves over an alphabet."""
    if leaves == 1:
        return tuple(letters)
    return tuple(
        (one, other)
        for left in range(1, leaves)
        for one in trees_over(letters, left)
        for other in trees_over(letters, leaves - left)
    )


def trees_within(letters: str, leaves: int) -> list[Tree]:
    """All trees with at most so many leaves."""
    return [tree for count in range(1, leaves + 1) for tree in trees_over(letters, count)]


def collision(letters: str, leaves: int) -> tuple[Tree, Tree] | None:
    """Two different trees with the same string, if there are any that small."""
    seen: dict[tuple[str, ...], Tree] = {}
    for tree in trees_within(letters, leaves):
        string = tokens(tree)
        if string in seen:
            return seen[string], tree
        seen[string] = tree
    return None


def end_counts(strings: set[tuple[str, ...]], symbols: Sequence[str]) -> dict[int, int]:
    """For each position of I_t, how many substrings that begin there are strings of trees."""
    return {
        i: sum(tuple(symbols[i - 1 : j]) in strings for j in range(i, len(symbols) + 1))
        for i, symbol in enumerate(symbols, 1)
        if symbol != CLOSE
    }


def prefix_free(strings: set[tuple[str, ...]]) -> bool:
    """Whether no string is a proper prefix of another."""
    return not any(string[:k] in strings for string in strings for k in range(1, len(string)))


def inside(rules: dict[str, Fraction], branch: Fraction, word: Sequence[str]) -> Fraction:
    """The weight of a word under S → S S (branch) and S → letter (rules), by intervals of the word."""
    length = len(word)
    table = {(i, i + 1): rules[word[i]] for i in range(length)}
    for span in range(2, length + 1):
        for i in range(length - span + 1):
            j = i + span
            table[i, j] = sum(
                (branch * table[i, k] * table[k, j] for k in range(i + 1, j)), Fraction(0)
            )
    return table[0, length]


def grammar_automaton(rules: dict[str, Fraction], branch: Fraction) -> WTA:
    """The WTA of the same grammar: one state, the branch as its tensor."""
    return WTA.of([1], [[[branch]]], {s: [weight] for s, weight in rules.items()})


def sum_over_trees(automaton: WTA, word: Sequence[str]) -> Fraction:
    """The sum of f(t) over all binary trees whose leaves spell the word."""
    return sum((automaton.weight(tree) for tree in _spelling(tuple(word))), Fraction(0))


def _spelling(word: tuple[str, ...]) -> list[Tree]:
    if len(word) == 1:
        return [word[0]]
    return [
        (one, other)
        for k in range(1, len(word))
        for one in _spelling(word[:k])
        for other in _spelling(word[k:])
    ]


def subtrees(tree: Tree) -> list[Tree]:
    """All occurrences of subtrees."""
    if isinstance(tree, str):
        return [tree]
    return [tree, *subtrees(tree[0]), *subtrees(tree[1])]


def plain_tree(tree: Tree) -> Any:
    """A tree as nested lists."""
    return tree if isinstance(tree, str) else [plain_tree(tree[0]), plain_tree(tree[1])]


def plain_word_automaton(automaton: WFA) -> dict[str, Any]:
    """A WFA as plain data."""
    return {
        "alpha": [str(x) for x in automaton.alpha],
        "beta": [str(x) for x in automaton.beta],
        "transitions": {
            s: [[str(x) for x in row] for row in rows] for s, rows in automaton.transitions.items()
        },
    }
