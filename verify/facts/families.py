"""Families of automata as weighted automata: the printed parameters against the definitions.

family.accepts       the weight is positive exactly on accepted words, for all small automata
family.hmm           the printed parameters give the probability of a word, as polynomials
family.hmm-total     the probabilities of all words of one length add up to 1
family.counts        the state after a word holds the numbers of its letters
family.row-sums      the rows of each letter's matrix of an HMM, or of their sum, add up to 1
family.pfa           a PFA's weights are defined, allowed and add up to 1, as a definition asks
family.count-step    one more letter changes a counting state as it should, for every count
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import compress, product
from typing import Any

import sympy

from constructions.automata import families
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison

LETTERS = "ab"


@fact("family.accepts", "exhaustive")
def accepts(states: int, longest: int) -> Outcome:
    """For every automaton with that many states over two letters weight > 0 means accepted."""
    words = [w for k in range(longest + 1) for w in product(LETTERS, repeat=k)]
    checked = 0
    for start, accepting, edges in _automata(states):
        automaton = families.nfa(states, [start], accepting, edges)
        for word in words:
            if (automaton.weight(word) > 0) != _accepts(start, accepting, edges, word):
                return Outcome(False, {}, {"edges": str(edges), "word": "".join(word)})
        checked += 1
    return Outcome(True, {"automata": checked})


def _automata(states: int) -> Iterator[tuple[int, list[int], dict[str, Any]]]:
    """All non-deterministic automata with start 0, the deterministic ones among them."""
    pairs = list(product(range(states), repeat=2))
    subsets = [[*compress(pairs, chosen)] for chosen in product((False, True), repeat=len(pairs))]
    for relations in product(subsets, repeat=len(LETTERS)):
        for chosen in product((False, True), repeat=states):
            accepting = [*compress(range(states), chosen)]
            yield 0, accepting, dict(zip(LETTERS, relations, strict=True))


def _accepts(
    start: int, accepting: Sequence[int], edges: dict[str, Any], word: Sequence[str]
) -> bool:
    reached = {start}
    for letter in word:
        reached = {r for q, r in edges[letter] if q in reached}
    return bool(reached & set(accepting))


def _stochastic(name: str, n: int, m: int) -> list[list[sympy.Expr]]:
    """n rows of m symbols that add up to 1."""
    rows = [[sympy.Symbol(f"{name}{i}{j}") for j in range(m - 1)] for i in range(n)]
    return [[*row, 1 - sum(row, start=sympy.S.Zero)] for row in rows]


def _hmm(n: int) -> tuple[list[Any], list[list[Any]], list[list[Any]]]:
    """Initial distribution, transitions and, for each letter, the emission of each state."""
    (start,) = _stochastic("p", 1, n)
    emissions = _stochastic("o", n, len(LETTERS))
    return start, _stochastic("t", n, n), [list(row) for row in zip(*emissions, strict=True)]


def _by_definition(n: int, word: Sequence[int]) -> sympy.Expr:
    """Σ over hidden paths of π O T O T O …."""
    start, move, emit = _hmm(n)
    total = sympy.S.Zero
    for path in product(range(n), repeat=len(word)):
        weight = start[path[0]] * emit[word[0]][path[0]]
        for k in range(1, len(word)):
            weight *= move[path[k - 1]][path[k]] * emit[word[k]][path[k]]
        total += weight
    return sympy.expand(total)


def _by_parameters(n: int, word: Sequence[int]) -> sympy.Expr:
    """αᵀ A^x1 ⋯ A^xk β with the printed α = π, A^x = diag(O_x) T, β = 1."""
    start, move, emit = _hmm(n)
    state = sympy.Matrix([start])
    for letter in word:
        state = state * sympy.diag(*emit[letter]) * sympy.Matrix(move)
    return sympy.expand(sum(state))


@fact("family.hmm", "exact")
def hmm_probabilities(states: Sequence[int], lengths: Sequence[int]) -> Outcome:
    """For every HMM of these sizes over two letters both formulas are the same polynomial."""
    for n, k in product(states, lengths):
        for word in product(range(len(LETTERS)), repeat=k):
            if _by_definition(n, word) != _by_parameters(n, word):
                return Outcome(False, {}, {"n": n, "word": "".join(LETTERS[x] for x in word)})
    return Outcome(True)


@fact("family.hmm-total", "exact")
def hmm_total(states: Sequence[int], lengths: Sequence[int]) -> Outcome:
    """For every HMM of these sizes the words of one length have total probability 1."""
    for n, k in product(states, lengths):
        words = product(range(len(LETTERS)), repeat=k)
        total = sympy.expand(sum((_by_definition(n, w) for w in words), start=sympy.S.Zero))
        if total != 1:
            return Outcome(False, {}, {"n": n, "k": k, "total": str(total)})
    return Outcome(True)


@fact("family.row-sums", "exact")
def row_sums(of: str, states: Sequence[int]) -> Outcome:
    """For every HMM of these sizes every row of each letter's matrix, or of their sum, adds up to 1."""
    for n in states:
        _, move, emit = _hmm(n)
        letters = [sympy.diag(*emission) * sympy.Matrix(move) for emission in emit]
        named = dict(zip(LETTERS, letters, strict=True))
        if of == "total":
            named = {"total": letters[0] + letters[1]}
        for name, matrix in named.items():
            for row in range(n):
                total = sympy.expand(sum(matrix.row(row)))
                if total != 1:
                    witness = {"n": n, "letter": name, "row": row + 1, "sum": str(total)}
                    return Outcome(False, {}, witness)
    return Outcome(True)


@fact("family.pfa", "exact")
def pfa(
    initial: Sequence[str], final: Sequence[str], edges: Sequence[dict[str, Any]], reading: str
) -> Outcome:
    """The weights are defined where they are summed, are allowed and add up to 1; one letter."""
    starts, ends = [[Fraction(x) for x in weights] for weights in (initial, final)]
    weights = {(edge["from"], edge["to"]): Fraction(edge["weight"]) for edge in edges}
    pairs = list(product(range(len(starts)), repeat=2))
    if reading == "printed":  # P on δ alone, weights in R⁺
        undefined = next((pair for pair in pairs if pair not in weights), None)
        zero = next((q for q, weight in enumerate(starts) if weight <= 0), None)
        if undefined is not None or zero is not None:
            places = undefined or (None, None)
            return Outcome(False, {}, {"from": places[0], "to": places[1], "zero": zero})
    sums = [sum(starts), *(e + sum(weights.get((p, q), 0) for q, _ in enumerate(ends))
                           for p, e in enumerate(ends))]  # fmt: skip
    allowed = min(*starts, *ends, *weights.values()) >= 0
    return comparison(allowed and all(s == 1 for s in sums), sums=[str(s) for s in sums])


@fact("family.counts", "exhaustive")
def counts(initial: str, most: int, longest: int) -> Outcome:
    """For k = 1 … most the state after every word up to that length holds the counts and 1."""
    build = {"first": families.k_counting_as_printed, "last": families.k_counting}[initial]
    for k in range(1, most + 1):
        automaton = build(k, k + 1)
        letters = list(automaton.transitions)
        for word in (w for m in range(longest + 1) for w in product(letters, repeat=m)):
            state = list(automaton.states(word)[-1])
            expected = [word.count(letter) for letter in letters[:k]] + [1]
            if state != expected:
                witness = {"k": k, "word": "".join(word) or "ε", "state": [str(x) for x in state]}
                return Outcome(False, {}, {**witness, "expected": [str(x) for x in expected]})
    return Outcome(True)


@fact("family.count-step", "symbolic")
def count_step(matrix: Sequence[Sequence[int]], adds: int) -> Outcome:
    """(m, 1) A = (m + adds, 1) and A (1 0; m 1) = (1 0; m + adds 1), for every m; and so for (0, 1)."""
    m = sympy.Symbol("m")
    move = sympy.Matrix([list(row) for row in matrix])
    state = sympy.Matrix([[m, 1]]) * move
    power = move * sympy.Matrix([[1, 0], [m, 1]])
    holds = sympy.expand(state - sympy.Matrix([[m + adds, 1]])).is_zero_matrix
    holds = holds and sympy.expand(power - sympy.Matrix([[1, 0], [m + adds, 1]])).is_zero_matrix
    witness = {"state": str(list(state)), "product": str(power.tolist())}
    return Outcome(bool(holds), {}, None if holds else witness)
