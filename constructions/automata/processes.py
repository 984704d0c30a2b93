"""Stochastic processes by name: Mess3, RRXOR, the even process, the golden mean, GHMMs, n-grams.

Defines       each process as a WFA with f(x) = the probability that the process emits x first, so
              that Σ_σ A^σ β = β and αᵀβ = 1
Notation      states S_i, symbols as in the literature on computational mechanics
Unlike HMMs   the generalised process has negative weights; its probabilities are positive all the same
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from constructions.automata.wfa import WFA
from constructions.core.errors import InputError

HALF, ALL = Fraction(1, 2), Fraction(1)
START = "^"  # fills the history before the first letter of a text


def mess3(mixing: Fraction = Fraction(3, 20), clarity: Fraction = Fraction(3, 5)) -> WFA:
    """Mess3: three states, three symbols; `mixing` leaves a state, `clarity` shows where it went.

    Examples:
        >>> str(mess3().weight("A")), str(mess3().weight("AA"))
        ('1/3', '49/375')

    """
    if not 0 < 2 * mixing < 1 or not 0 < clarity < 1:
        raise InputError("mess3", f"{mixing}, {clarity}", "0 < mixing < 1/2 and 0 < clarity < 1")
    other, stay = (1 - clarity) / 2, 1 - 2 * mixing

    def weight(i: int, j: int, symbol: int) -> Fraction:
        return (stay if i == j else mixing) * (clarity if j == symbol else other)

    letters = {
        name: [[weight(i, j, symbol) for j in range(3)] for i in range(3)]
        for symbol, name in enumerate("ABC")
    }
    return WFA.of([Fraction(1, 3)] * 3, letters, [1] * 3)


def rrxor() -> WFA:
    """Two random bits, then their exclusive or, for ever; it begins at a random phase.

    Examples:
        >>> str(rrxor().weight("000")), str(rrxor().weight("001"))
        ('1/6', '1/12')

    """
    begin, zero, one, even, odd = range(5)
    edges = {
        "0": {(begin, zero): HALF, (zero, even): HALF, (one, odd): HALF, (even, begin): ALL},
        "1": {(begin, one): HALF, (zero, odd): HALF, (one, even): HALF, (odd, begin): ALL},
    }
    start = [Fraction(1, 3), *[Fraction(1, 6)] * 4]
    return _from_edges(start, edges)


def even_process() -> WFA:
    """Blocks of ones of even length between zeros, begun in its stationary distribution.

    Examples:
        >>> str(even_process().weight("010")), str(even_process().weight("0110"))
        ('0', '1/12')

    """
    edges = {"0": {(0, 0): HALF}, "1": {(0, 1): HALF, (1, 0): ALL}}
    return _from_edges([Fraction(2, 3), Fraction(1, 3)], edges)


def golden_mean() -> WFA:
    """No two zeros in a row, begun in its stationary distribution.

    Examples:
        >>> str(golden_mean().weight("00")), str(golden_mean().weight("01"))
        ('0', '1/3')

    """
    edges = {"1": {(0, 0): HALF, (1, 0): ALL}, "0": {(0, 1): HALF}}
    return _from_edges([Fraction(2, 3), Fraction(1, 3)], edges)


def generalised(turn: Fraction = HALF) -> WFA:
    """A process of three dimensions with negative weights: a rotation seen through a noisy symbol.

    State (1, x, y); each step turns (x, y) by the angle of (3/5, 4/5) and shrinks it by `turn`; the
    symbol a has probability (1 + x)/2 and b the rest. |(x, y)| starts at 1/2 and stays there or
    below, since a step maps it to at most turn · ½ / (1 - ½); so every symbol has probability 1/4 or more.

    Examples:
        >>> weights = [generalised().weight(word) for word in ("a", "b", "aa")]
        >>> [str(weight) for weight in weights], min(generalised().matrix("a")[2]) < 0
        (['3/4', '1/4', '33/80'], True)

    """
    if not 0 < turn <= HALF:
        raise InputError("turn", str(turn), "a number > 0 and at most 1/2")
    c, s = turn * Fraction(3, 5), turn * Fraction(4, 5)
    # αᵀ = (1, x, y): the symbol a keeps (1 + x)/2 of the whole and, in expectation, half of (x, y).
    letters = {
        symbol: [
            [HALF, 0, 0],
            [sign * HALF, HALF * c, HALF * s],
            [0, -HALF * s, HALF * c],
        ]
        for symbol, sign in (("a", 1), ("b", -1))
    }
    return WFA.of([1, HALF, 0], letters, [1, 0, 0])


def ngram(words: Sequence[Sequence[str]], order: int, end: str = "<eos>") -> WFA:
    """The n-gram model of some words, of order k: a state is the last k - 1 symbols.

    Each word is followed by `end`, after which the next word begins; probabilities are the relative
    frequencies of the words given. A history that no word has goes on as after `end`.

    Examples:
        >>> model = ngram(["ab", "abb"], 2)
        >>> str(model.weight(["a", "b"])), str(model.weight(["a", "b", "<eos>"]))
        ('1', '2/3')

    """
    if order < 1:
        raise InputError("order", order, "a whole number ≥ 1")
    if not words:
        raise InputError("words", "none", "at least one word")
    counts, keep = Counter[tuple[tuple[str, ...], str]](), order - 1
    for word in words:
        history = (START,) * keep
        for symbol in (*word, end):
            counts[history, symbol] += 1
            history = (*history, symbol)[1:]
    return _from_counts(counts, keep, end)


def _from_counts(counts: Counter[tuple[tuple[str, ...], str]], keep: int, end: str) -> WFA:
    """The automaton whose states are histories, from how often a symbol follows each."""
    first = (START,) * keep
    histories = [first, *sorted({history for history, _ in counts} - {first})]
    index = {history: i for i, history in enumerate(histories)}
    totals = Counter[tuple[str, ...]]()
    for (history, _), count in counts.items():
        totals[history] += count
    edges: dict[str, dict[tuple[int, int], Fraction]] = {}
    for (history, symbol), count in sorted(counts.items()):
        after = first if symbol == end else (*history, symbol)[1:]
        place = (index[history], index.get(after, 0))
        edges.setdefault(symbol, {})[place] = Fraction(count, totals[history])
    return _from_edges([1, *[0] * (len(histories) - 1)], edges)


def _from_edges(
    start: Sequence[Fraction | int], edges: dict[str, dict[tuple[int, int], Fraction]]
) -> WFA:
    """A process whose symbols have these weights from state to state."""
    n = len(start)
    letters = {symbol: [[Fraction(0)] * n for _ in range(n)] for symbol in edges}
    for symbol, (i, j) in ((s, place) for s, places in edges.items() for place in places):
        letters[symbol][i][j] = Fraction(edges[symbol][i, j])
    return WFA.of(list(start), letters, [1] * n)


def is_process(automaton: WFA) -> bool:
    """Return True if Σ_σ A^σ β = β and αᵀβ = 1: the weights of words of each length add up to 1."""
    beta, n = automaton.beta, automaton.n
    onward = [
        sum(
            automaton.matrix(symbol)[i][j] * beta[j]
            for symbol, j in product(automaton.alphabet, range(n))
        )
        for i in range(n)
    ]
    return onward == list(beta) and automaton.weight(()) == 1
