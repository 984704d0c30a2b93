"""Weighted finite automata (Section 2.2), with the semantics straight from the definition.

Defines       A = ⟨α, {A^σ}, β⟩ with f(x) = αᵀ A^{x_1} … A^{x_t} β and the states αᵀ A^{x_1…x_t}
Notation      n states, Σ alphabet, α initial and β final weights, A^σ transition matrices
Unlike print  weights are exact rationals (or elements of any ring, in a generic proof); the
              states of a word of length T are T + 1, from α on

Two oracles, neither of which shares code with a construction: `weight` multiplies vectors and
matrices, `weight_by_paths` sums over all paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Integral
from typing import Any

from constructions.core.errors import InputError, unknown_symbol
from constructions.core.numbers import square, vector
from constructions.core.one_line import of_automaton, one_line

Number = Any
Vector = tuple[Number, ...]
Square = tuple[Vector, ...]


@one_line(of_automaton)
@dataclass(frozen=True)
class WFA:
    """A weighted finite automaton ⟨α, {A^σ}, β⟩."""

    alpha: Vector
    transitions: Mapping[str, Square]
    beta: Vector

    @classmethod
    def of(cls, alpha: Any, transitions: Any, beta: Any) -> WFA:
        """An automaton from plain numbers, checked field by field.

        Examples:
            >>> WFA.of([0, 1], {"a": [[1, 0], ["1/2", 1]]}, [1, 0]).weight("aa")
            Fraction(1, 1)

        """
        initial, final = vector(alpha, "alpha"), vector(beta, "beta")
        if len(final) != len(initial):
            raise InputError("beta", f"{len(final)} numbers", f"{len(initial)}, as many as alpha")
        if not isinstance(transitions, Mapping) or not transitions:
            raise InputError("transitions", transitions, "at least one symbol with its matrix")
        matrices = {
            symbol_name(symbol): square(rows, f"transitions[{symbol}]", len(initial))
            for symbol, rows in transitions.items()
        }
        return cls(initial, matrices, final)

    @classmethod
    def from_hmm(
        cls,
        startprob: Any,
        transmat: Any,
        emissionprob: Any,
        symbols: Sequence[str] | None = None,
        normalise: bool = False,
    ) -> WFA:
        """A hidden Markov model in hmmlearn's orientation: a row of emissions for each state.

        f(x) is the probability that the model emits x first. Shapes and sums are checked: each sum is 1
        up to 10^-6; with `normalise` each is made exactly 1. Symbols are "0", "1", … unless named.

        Examples:
            >>> two = WFA.from_hmm([1, 0], [["1/2", "1/2"], [0, 1]], [[1, 0], ["1/4", "3/4"]], "ab")
            >>> two.weight("ab")
            Fraction(3, 8)

        """
        from constructions.automata.families import from_hmmlearn

        return from_hmmlearn(startprob, transmat, emissionprob, symbols, normalise)

    @classmethod
    def from_dfa(
        cls, states: int, start: int, accepting: Iterable[int], moves: Mapping[str, Sequence[int]]
    ) -> WFA:
        """A deterministic automaton: `moves[σ][q]` is the next state, or None for no transition.

        Examples:
            >>> even = WFA.from_dfa(2, 0, [0], {"a": [1, 0], "b": [0, 1]})
            >>> [str(even.weight(word)) for word in ("", "a", "aba")]
            ['1', '0', '1']

        """
        from constructions.automata.families import dfa

        return dfa(states, start, accepting, moves)

    @classmethod
    def from_regex(cls, pattern: str, alphabet: Sequence[str]) -> WFA:
        """The minimal DFA of a regular expression: f(x) is 1 if it matches all of x, else 0.

        Needs automata-lib, the extra assay-wfa[regex]; its syntax: concatenation, |, *, +, ?, (), {m,n}.

        Examples:
            >>> pairs = WFA.from_regex("(ab)*", "ab")
            >>> pairs.n, str(pairs.weight("abab")), str(pairs.weight("aba"))
            (2, '1', '0')

        """
        from constructions.automata.regex import from_regex

        return from_regex(pattern, alphabet)

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.alpha)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Σ, in the order given."""
        return tuple(self.transitions)

    def mapped(self, change: Callable[[Number], Number]) -> WFA:
        """The automaton with other weights, or the same in other numbers.

        Examples:
            >>> WFA.of([1], {"a": [["1/2"]]}, [1]).mapped(float).weight("aa")
            0.25

        """
        maps = {s: tuple(tuple(map(change, row)) for row in rows)
                for s, rows in self.transitions.items()}  # fmt: skip
        return WFA(tuple(map(change, self.alpha)), maps, tuple(map(change, self.beta)))

    def matrix(self, symbol: str) -> Square:
        """A^σ; an unknown symbol is an error that lists the alphabet.

        Examples:
            >>> print(*WFA.of([1], {"a": [["1/2"]]}, [1]).matrix("a")[0])
            1/2

        """
        try:
            return self.transitions[symbol]
        except (KeyError, TypeError):
            raise unknown_symbol("word", symbol, self.alphabet) from None

    def states(self, word: Sequence[str]) -> list[Vector]:
        """αᵀ, αᵀA^{x_1}, …, αᵀA^{x_1…x_T}: T + 1 states.

        Examples:
            >>> two = WFA.of([1, 0], {"a": [["1/2", "1/2"], [0, 1]]}, [0, 1])
            >>> [[str(weight) for weight in state] for state in two.states("a")]
            [['1', '0'], ['1/2', '1/2']]

        """
        states = [self.alpha]
        for symbol in letters(word, self.alphabet):
            rows = self.matrix(symbol)
            states.append(tuple(_dot(states[-1], column) for column in zip(*rows, strict=True)))
        return states

    def weight(self, word: Sequence[str]) -> Number:
        """f(x) = αᵀ A^{x_1} … A^{x_t} β.

        Examples:
            >>> WFA.of([1], {"a": [["1/2"]]}, [3]).weight("aa")
            Fraction(3, 4)

        """
        return _dot(self.states(word)[-1], self.beta)

    def weight_by_paths(self, word: Sequence[str]) -> Number:
        """f(x) as the sum over all n^(t+1) paths of the product of their weights.

        Examples:
            >>> WFA.of([1], {"a": [["1/2"]]}, [3]).weight_by_paths("aa")
            Fraction(3, 4)

        """
        matrices = [self.matrix(symbol) for symbol in letters(word, self.alphabet)]
        paths = product(range(self.n), repeat=len(matrices) + 1)
        return sum(self._path(path, matrices) for path in paths)

    def _path(self, path: Sequence[int], matrices: Sequence[Square]) -> Number:
        weight = self.alpha[path[0]]
        for matrix, i, j in zip(matrices, path, path[1:], strict=False):
            weight = weight * matrix[i][j]
        return weight * self.beta[path[-1]]

    def words(self, length: int) -> Iterator[tuple[str, ...]]:
        """All words of that length.

        Examples:
            >>> ["".join(word) for word in WFA.of([1], {"a": [[1]], "b": [[1]]}, [1]).words(2)]
            ['aa', 'ab', 'ba', 'bb']

        """
        return product(self.alphabet, repeat=length)


def letters(word: Any, alphabet: Sequence[str]) -> tuple[str, ...]:
    """The symbols of a word: a sequence of them, or a string if each is one character.

    A whole number is the symbol that it is written as.

    Examples:
        >>> letters("abba", ["a", "b"])
        ('a', 'b', 'b', 'a')
        >>> letters([0, 1, 1], ["0", "1"])
        ('0', '1', '1')

    """
    if isinstance(word, str) and (longer := [s for s in alphabet if len(s) > 1]):
        raise InputError("word", word, f"a list of symbols: {longer[0]} has several characters")
    if not isinstance(word, Iterable):
        raise InputError("word", word, "a string or a list of symbols")
    return tuple(_symbol(letter, alphabet) for letter in word)


def _symbol(letter: Any, alphabet: Sequence[str]) -> Any:
    """The symbol that a whole number is written as, if there is one; anything else as it is."""
    if isinstance(letter, bool) or not isinstance(letter, Integral):
        return letter
    return name if (name := str(int(letter))) in alphabet else letter


def word_list(words: Any) -> list[Any]:
    """The words of a batch; a string is one word, or the text of one tree.

    Examples:
        >>> word_list("012"), word_list(["01", "2"])
        (['012'], ['01', '2'])

    """
    return [words] if isinstance(words, str) else list(words)


def symbol_name(symbol: Any) -> str:
    """A symbol of an alphabet: a non-empty string."""
    if not isinstance(symbol, str) or not symbol:
        raise InputError("symbol", symbol, "a non-empty string")
    if any(0xD800 <= ord(character) <= 0xDFFF for character in symbol):
        raise InputError("symbol", symbol, "text without lone surrogates")
    return symbol


def _dot(left: Sequence[Number], right: Sequence[Number]) -> Number:
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total
