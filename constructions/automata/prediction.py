"""Exact next-symbol distributions of an automaton: the target of a language model.

Defines       p(σ | w) = αᵀA^w A^σ v / αᵀA^w v, with v the weights of all that can follow
Notation      v = β for a process (Σ A^σ β = β); otherwise v = (I - Σ A^σ)⁻¹ β, the weight of all
              words that begin at a state, and the end of a word is a separate symbol, EOS, with
              A^EOS v = β and then a new word: A^EOS = β αᵀ / αᵀv
Checks        probabilities are checked when they are computed: one below 0, or a word of weight 0, is
              refused with the word; that no other word has one cannot be decided in general
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import flint

from constructions.automata.processes import is_process
from constructions.automata.wfa import WFA, letters
from constructions.core.errors import InputError, message_text
from constructions.core.one_line import of_automaton, one_line

EOS = "<eos>"


class Source(ABC):
    """A source of symbols, followed symbol by symbol from a state: an automaton, or an n-gram table."""

    ends: bool

    @property
    @abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """Return the possible next symbols, EOS last where words end."""

    @abstractmethod
    def begin(self) -> Any:
        """The state before the first symbol."""

    @abstractmethod
    def chances(self, state: Any, word: Sequence[str]) -> dict[str, Fraction]:
        """p(σ | w) for every symbol, from the state after w."""

    @abstractmethod
    def step(self, state: Any, symbol: str, chance: Fraction) -> Any:
        """The state after one more symbol, which had this chance."""

    def followed(self, word: Sequence[str]) -> Iterator[dict[str, Fraction]]:
        """p(· | w_1 … w_t) for t = 0 … |w|, right to 200 bits however long the word is."""
        state = self.begin()
        for t, symbol in enumerate(word):
            chances = self.chances(state, word[:t])
            yield chances
            state = self.step(state, symbol, chances[symbol])
        yield self.chances(state, word)

    def chosen(self, length: int, pick: Callable[[dict[str, Fraction]], str]) -> tuple[str, ...]:
        """The word whose next symbol is picked from its distribution, `length` times."""
        state, word = self.begin(), list[str]()
        for _ in range(length):
            chances = self.chances(state, word)
            word.append(pick(chances))
            state = self.step(state, word[-1], chances[word[-1]])
        return tuple(word)

    def sample(self, length: int, random: Random) -> tuple[str, ...]:
        """A word of `length` symbols drawn from the source, exactly up to the draw's 53 bits."""

        def draw(chances: dict[str, Fraction]) -> str:
            return random.choices(list(chances), [float(p) for p in chances.values()])[0]

        return self.chosen(length, draw)

    def unlikely(self, length: int, random: Random) -> list[tuple[str, ...]]:
        """Further words to measure a model on; none where any may have probability 0."""
        return []

    def example(self, length: int) -> tuple[str, ...]:
        """A word of `length` symbols: after each prefix its likeliest symbol.

        Examples:
            >>> from constructions.automata.processes import golden_mean
            >>> "".join(predictor(golden_mean()).example(4))
            '1111'

        """
        return self.chosen(length, lambda chances: max(chances, key=lambda s: chances[s]))


@one_line(lambda self: of_automaton(self.automaton))
@dataclass(frozen=True)
class Predictor(Source):
    """An automaton as a source of symbols: `automaton` is a process, with EOS if its words end."""

    automaton: WFA
    ends: bool

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return the possible next symbols, EOS last where words end."""
        return tuple(self.automaton.alphabet)

    def probability(self, word: Any) -> Fraction:
        """The probability that the source begins with this word.

        Examples:
            >>> from constructions.automata.processes import golden_mean
            >>> str(predictor(golden_mean()).probability("01"))
            '1/3'

        """
        return Fraction(self.automaton.weight(self._word(word)))

    def distribution(self, word: Any) -> dict[str, Fraction]:
        """p(σ | w) for every symbol.

        Examples:
            >>> from constructions.automata.processes import golden_mean
            >>> {s: str(p) for s, p in predictor(golden_mean()).distribution("0").items()}
            {'1': '1', '0': '0'}

        """
        given = self._word(word)
        return _normalised(self._weights(self.automaton.states(given)[-1]), given)

    def distributions(self, word: Any) -> list[dict[str, Fraction]]:
        """p(· | w_1 … w_t) for t = 0 … |w|."""
        given = self._word(word)
        states = self.automaton.states(given)
        return [_normalised(self._weights(s), given[:t]) for t, s in enumerate(states)]

    def beliefs(self, word: Any) -> list[tuple[Fraction, ...]]:
        """The states after each prefix, divided by the prefix's weight: beliefs of an HMM."""
        given, beta = self._word(word), self.automaton.beta
        found = []
        for t, state in enumerate(self.automaton.states(given)):
            weight = sum(a * b for a, b in zip(state, beta, strict=True))
            if weight <= 0:
                raise _impossible(given[:t], weight)
            found.append(tuple(Fraction(entry) / weight for entry in state))
        return found

    def begin(self) -> Sequence[Fraction]:
        """α."""
        return self.automaton.alpha

    def chances(self, state: Sequence[Fraction], word: Sequence[str]) -> dict[str, Fraction]:
        """The weights αᵀA^w A^σ v as a distribution."""
        return _normalised(self._weights(state), word)

    def step(self, state: Sequence[Fraction], symbol: str, chance: Fraction) -> Sequence[Fraction]:
        """The state divided by the chance, with short denominators."""
        columns = zip(*self.automaton.matrix(symbol), strict=True)
        moved = (sum(a * w for a, w in zip(state, column, strict=True)) for column in columns)
        return tuple(_short(entry / chance) for entry in moved)

    def _word(self, word: Any) -> tuple[str, ...]:
        """The symbols of a word; a string may hold every symbol but EOS."""
        return letters(word, [symbol for symbol in self.symbols if symbol != EOS])

    @cached_property
    def _onward(self) -> dict[str, list[Fraction]]:
        """A^σ v for every σ."""
        beta = self.automaton.beta
        return {
            symbol: [
                sum((w * v for w, v in zip(row, beta, strict=True)), Fraction(0)) for row in rows
            ]
            for symbol, rows in self.automaton.transitions.items()
        }

    def _weights(self, state: Sequence[Any]) -> dict[str, Fraction]:
        """αᵀA^w A^σ v for every σ."""
        return {
            symbol: sum((x * v for x, v in zip(state, onward, strict=True)), Fraction(0))
            for symbol, onward in self._onward.items()
        }


def predictor(automaton: WFA) -> Predictor:
    """The source of symbols that an automaton is: itself if it is a process, else its words with EOS.

    Examples:
        >>> from constructions.automata.families import pfa
        >>> stop = predictor(pfa([1], {"a": [["1/2"]]}, ["1/2"]))
        >>> {symbol: str(p) for symbol, p in stop.distribution("aa").items()}
        {'a': '1/2', '<eos>': '1/2'}

    """
    if is_process(automaton):
        return Predictor(automaton, False)
    if EOS in automaton.alphabet:
        raise InputError("symbol", EOS, "another name: this one is the end of a word")
    onward = continuations(automaton)
    if min(onward) < 0 and not _has_negative_weight(automaton):
        found = "weights of all words that do not add up to a number"
        raise InputError("automaton", found, "a process, or words whose weights add up")
    total = sum(a * v for a, v in zip(automaton.alpha, onward, strict=True))
    if total <= 0:
        found = f"a total weight of {message_text(total)}"
        raise InputError("automaton", found, "words of positive weight")
    start = tuple(Fraction(a) / total for a in automaton.alpha)
    end = tuple(tuple(b * a for a in start) for b in automaton.beta)
    return Predictor(WFA(start, {**automaton.transitions, EOS: end}, onward), True)


def _has_negative_weight(automaton: WFA) -> bool:
    """Return True if a weight is below 0; without one, a solution v ≥ 0 is the sum of all words' weights."""
    rows = [row for symbol in automaton.alphabet for row in automaton.matrix(symbol)]
    return any(w < 0 for row in [automaton.alpha, automaton.beta, *rows] for w in row)


def continuations(automaton: WFA) -> tuple[Fraction, ...]:
    """v = (I - Σ A^σ)⁻¹ β: the total weight of all words from each state."""
    n = automaton.n
    stay = [
        [int(i == j) - sum(automaton.matrix(s)[i][j] for s in automaton.alphabet) for j in range(n)]
        for i in range(n)
    ]
    rest = flint.fmpq_mat(n, n, [_rational(entry) for row in stay for entry in row])
    try:
        solution = rest.solve(flint.fmpq_mat(n, 1, [_rational(b) for b in automaton.beta]))
    except ZeroDivisionError:
        found = "weights of all words that do not add up to a number"
        raise InputError("automaton", found, "a process, or words whose weights add up") from None
    return tuple(Fraction(int(w.p), int(w.q)) for w in solution.entries())


def _rational(value: Any) -> flint.fmpq:
    exact = Fraction(value)
    return flint.fmpq(exact.numerator, exact.denominator)


def _normalised(weights: dict[str, Fraction], word: Sequence[str]) -> dict[str, Fraction]:
    total = sum(weights.values(), Fraction(0))
    if total <= 0 or min(weights.values()) < 0:
        raise _impossible(word, min(total, *weights.values()))
    return {symbol: weight / total for symbol, weight in weights.items()}


def _impossible(word: Sequence[str], weight: Fraction) -> InputError:
    """A word that the source never emits has no next symbol."""
    found = f"{' '.join(word) or 'the empty word'}, of weight {message_text(weight)}"
    return InputError("word", found, "a prefix of positive probability")


def _short(value: Fraction, bits: int = 256) -> Fraction:
    """A number near this one with a short denominator: draws need no more than 53 bits."""
    return Fraction(round(value * (1 << bits)), 1 << bits)
