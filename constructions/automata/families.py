"""Families of automata as WFAs (Appendix A.2): DFA, NFA, HMM, PFA, counting and k-counting.

Claimed       each family is a special case of WFAs, with parameters written out
Notation      as in Appendix A.2: T, O, π of an HMM; I, P, F of a PFA; e_i unit vectors
Unlike print  the k-counting automaton with α = (1 0 … 0) never counts, since A^i adds row k+1 to
              the state only where the state's last entry is not 0; α must be e_{k+1}. Both are
              here. Its A^i uses e_i with i counted from 1, while Σ = {0, …, N-1} counts from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.numbers import array, square, vector

Rational = Fraction | int
TOLERANCE = Fraction(1, 10**6)


def dfa(
    states: int, start: int, accepting: Iterable[int], moves: Mapping[str, Sequence[int | None]]
) -> WFA:
    """A deterministic automaton: `moves[σ][q]` is the next state, or None for no transition."""
    for symbol, row in moves.items():
        if len(row) != states:
            found = f"{len(row)} next state{'s' * (len(row) != 1)}"
            raise InputError(f"moves[{symbol}]", found, f"{states}, one for each state")
    edges = {
        symbol: [(q, r) for q, r in enumerate(row) if r is not None]
        for symbol, row in moves.items()
    }
    return nfa(states, [start], accepting, edges)


def nfa(
    states: int,
    start: Iterable[int],
    accepting: Iterable[int],
    edges: Mapping[str, Iterable[tuple[int, int]]],
) -> WFA:
    """A non-deterministic automaton: f(x) is the number of accepting runs on x."""
    transitions = {symbol: _indicator(states, pairs, symbol) for symbol, pairs in edges.items()}
    return WFA.of(
        _marks(states, start, "start"), transitions, _marks(states, accepting, "accepting")
    )


def hmm(transition: Any, observation: Any, initial: Any, symbols: Sequence[str]) -> WFA:
    """A hidden Markov model: A^x = diag(O_{x,1}, …, O_{x,n}) T, α = π, β = 1."""
    start = vector(initial, "initial")
    moves = square(transition, "transition", len(start))
    if len(observation) != len(symbols):
        raise InputError("observation", f"{len(observation)} rows", f"{len(symbols)} symbols")
    transitions = {}
    for symbol, row in zip(symbols, observation, strict=True):
        emits = vector(row, f"observation[{symbol}]")
        if len(emits) != len(start):
            raise InputError(f"observation[{symbol}]", f"{len(emits)} numbers", f"{len(start)}")
        transitions[symbol] = [[o * t for t in moves[i]] for i, o in enumerate(emits)]
    return WFA.of(start, transitions, [1] * len(start))


def from_hmmlearn(
    startprob: Any,
    transmat: Any,
    emissionprob: Any,
    symbols: Sequence[str] | None = None,
    normalise: bool = False,
) -> WFA:
    """A hidden Markov model with a row of emission probabilities for each state."""
    start = vector(startprob, "startprob")
    n = len(start)
    moves = square(transmat, "transmat", n)
    emissions = array(emissionprob)
    if not hasattr(emissions, "__len__") or len(emissions) != n:
        found = f"{len(emissions)} rows" if hasattr(emissions, "__len__") else emissions
        raise InputError("emissionprob", found, f"{n} rows, one for each state")
    rows = [vector(row, f"emissionprob[{q}]") for q, row in enumerate(emissions)]
    names = [str(k) for k in range(len(rows[0]))] if symbols is None else list(symbols)
    for q, row in enumerate(rows):
        if len(row) != len(names):
            expected = f"{len(names)}, one for each symbol"
            raise InputError(f"emissionprob[{q}]", f"{len(row)} numbers", expected)
    start = probabilities(start, "startprob", normalise)
    moves = tuple(probabilities(r, f"transmat[{q}]", normalise) for q, r in enumerate(moves))
    rows = [probabilities(r, f"emissionprob[{q}]", normalise) for q, r in enumerate(rows)]
    return hmm(moves, list(zip(*rows, strict=True)), start, names)


def probabilities(
    row: Sequence[Fraction], field: str, normalise: bool = False
) -> tuple[Fraction, ...]:
    """Numbers ≥ 0 that sum to 1 up to `TOLERANCE`; exactly, if they are to be normalised."""
    for i, value in enumerate(row):
        if value < 0:
            raise InputError(f"{field}[{i}]", value, "a probability, at least 0")
    total = sum(row, Fraction(0))
    if abs(total - 1) > TOLERANCE:
        with localcontext(prec=6):  # a sum may be beyond every float
            found = f"a sum of {Decimal(total.numerator) / total.denominator:.6g}"
        raise InputError(field, found, "a sum of 1 (up to 1e-6)")
    return tuple(value / total for value in row) if normalise else tuple(row)


def pfa(initial: Any, probabilities: Mapping[str, Any], final: Any) -> WFA:
    """A probabilistic automaton: α = I, A^σ_{ij} = P(i, σ, j), β = F."""
    return WFA.of(initial, probabilities, final)


def probabilistic_automaton(automaton: WFA, normalise: bool = False) -> WFA:
    """Return the automaton if its weights are probabilities up to `TOLERANCE`; or made so exactly."""
    alpha = probabilities(automaton.alpha, "initial", normalise)
    symbols, n = automaton.alphabet, automaton.n
    rows = []
    for q in range(n):
        leaving = [w for symbol in symbols for w in automaton.transitions[symbol][q]]
        rows.append(
            probabilities([automaton.beta[q], *leaving], f"what leaves state {q}", normalise)
        )
    maps = {
        symbol: [row[1 + k * n : 1 + (k + 1) * n] for row in rows]
        for k, symbol in enumerate(symbols)
    }
    return WFA.of(alpha, maps, [row[0] for row in rows])


def counting() -> WFA:
    """The automaton that counts the letter 0 in words over {0, 1}, as printed."""
    return WFA.of([0, 1], {"0": [[1, 0], [1, 1]], "1": [[1, 0], [0, 1]]}, [1, 0])


def k_counting(k: int, letters: int) -> WFA:
    """The automaton that counts the first k of `letters` letters: α = e_{k+1}."""
    return _k_counting(k, letters, start=k)


def k_counting_as_printed(k: int, letters: int) -> WFA:
    """Return the counting automaton with the printed α = (1 0 … 0), which never counts."""
    return _k_counting(k, letters, start=0)


def _k_counting(k: int, letters: int, start: int) -> WFA:
    if not 0 <= k <= letters:
        raise InputError("k", k, f"a number of letters from 0 to {letters}")
    transitions = {}
    for letter in range(letters):
        rows = [[int(i == j) for j in range(k + 1)] for i in range(k + 1)]
        if letter < k:
            rows[k][letter] += 1
        transitions[str(letter)] = rows
    alpha = [int(i == start) for i in range(k + 1)]
    return WFA.of(alpha, transitions, [1] * k + [0])


def scalar(weight: Rational | str) -> WFA:
    """One state, one letter: f(a^t) = weight^t."""
    return WFA.of([1], {"a": [[weight]]}, [1])


def _marks(states: int, chosen: Iterable[int], field: str) -> list[int]:
    marks = [0] * states
    for q in chosen:
        if not 0 <= q < states:
            raise InputError(field, q, f"a state from 0 to {states - 1}")
        marks[q] = 1
    return marks


def _indicator(states: int, pairs: Iterable[tuple[int, int]], symbol: str) -> list[list[int]]:
    rows = [[0] * states for _ in range(states)]
    for q, r in pairs:
        if not (0 <= q < states and 0 <= r < states):
            raise InputError(f"edges[{symbol}]", (q, r), f"states from 0 to {states - 1}")
        rows[q][r] = 1
    return rows
