"""Generic proofs of Theorem 1: one identity for every WFA, every alphabet and every word.

The automaton has one letter for each position of the word, and every entry of its matrices and
of α is a symbol of its own. If the transformer's outputs on that word equal the states as
polynomials, they are equal for all values of the symbols: for every WFA with n states and every
word of length T.

    prove_words(T)       words of a free monoid: all n at once, given Lemma 1
    prove_layer(n)       one layer on fresh symbols, for any routing
    prove_routing(T)     which row each head of each layer of Theorem 1 attends
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from constructions import theorem1
from constructions.arithmetic import MonoidWord
from constructions.automata.wfa import WFA
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Arithmetic, Head, Layer, Tie, Transformer, realise_layer
from verify.exactness.routing import (
    GivenRouting,
    RoutedRational,
    RoutedWords,
)


class SimulatesWords(Protocol):
    """A built transformer that returns the states of all prefixes of a word."""

    @property
    def automaton(self) -> WFA:
        """The automaton it was built for."""

    @property
    def transformer(self) -> Transformer[Matrix]:
        """Its layers and its readout, as exact data."""

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of a word."""

    def states(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The T + 1 states, in the given arithmetic."""


Build = Callable[[WFA, int], SimulatesWords]


@dataclass(frozen=True)
class Mismatch:
    """The first place where the transformer's output is not the automaton's state."""

    position: int
    coordinate: int
    why: str


def symbols(n: int, length: int) -> list[str]:
    """The names of the symbols of a generic automaton: α and one matrix a position."""
    alpha = [f"alpha{i}" for i in range(n)]
    return alpha + [
        f"x{t}_{i}_{j}" for t in range(1, length + 1) for i in range(n) for j in range(n)
    ]


def word(length: int) -> tuple[str, ...]:
    """The word whose letters are its positions."""
    return tuple(str(t) for t in range(1, length + 1))


def generic_automaton(n: int, length: int, symbol: Callable[[str], Any]) -> WFA:
    """The automaton whose every weight is a symbol."""
    alpha = tuple(symbol(f"alpha{i}") for i in range(n))
    transitions = {
        letter: tuple(tuple(symbol(f"x{letter}_{i}_{j}") for j in range(n)) for i in range(n))
        for letter in word(length)
    }
    return WFA(alpha, transitions, alpha)


def letter_automaton(length: int, letter: Callable[[str], Any] = MonoidWord) -> WFA:
    """An automaton with one state and a different letter for each position."""
    return WFA((1,), {name: ((letter(chr(int(name))),),) for name in word(length)}, (1,))


def prefix(t: int, letter: Callable[[str], Any] = MonoidWord) -> Any:
    """The product of the letters 1 … t."""
    return letter("".join(map(chr, range(1, t + 1))))


def prove_words(
    length: int,
    build: Build = theorem1.build,
    arithmetic: Arithmetic | None = None,
    letter: Callable[[str], Any] = MonoidWord,
) -> Mismatch | None:
    """Check for all n at once the product of letters that each token carries."""
    words = arithmetic or RoutedWords(theorem1.span(length))
    try:
        outputs = build(letter_automaton(length, letter), length).states(word(length), words)
    except (Tie, ArithmeticError) as error:
        return Mismatch(-1, 0, str(error))
    for t in range(length + 1):
        [output] = outputs[t]
        if output != prefix(t, letter):
            return Mismatch(t, 0, f"state {t}: the output is another product")
    return None


def prove_layer(n: int) -> Mismatch | None:
    """One layer on fresh symbols: a row that reads rows 0 and 1 becomes X_0 · X_1, twice."""
    layout = theorem1.layout(n)
    names = [[f"s{row}_{c}" for c in range(layout.size)] for row in "01"]
    arithmetic = GivenRouting([name for row in names for name in row], [[0], [1]])
    rows = [[arithmetic.generators[name] for name in row] for row in names]
    layer = realise_layer(_without_scores(theorem1.layers(n, 2)[0]), arithmetic)
    [result] = layer(arithmetic, arithmetic.array(rows))
    left = [rows[0][c] for c in layout["left"]]
    right = [rows[1][c] for c in layout["right"]]
    for i in range(n):
        for j in range(n):
            expected = sum((left[i * n + k] * right[k * n + j] for k in range(n)), start=0)
            for side in ("left", "right"):
                if result[layout[side][i * n + j]] != expected:
                    return Mismatch(1, i * n + j, f"{side} entry ({i}, {j}) is no matrix product")
    return None


def _without_scores(layer: Layer[Matrix]) -> Layer[Matrix]:
    """The layer with W_Q = W_K = I, where the routing is given."""
    return replace(layer, heads=tuple(_without_codes(head) for head in layer.heads))


def _without_codes(head: Head[Matrix]) -> Head[Matrix]:
    rows, _ = head.value.shape
    return replace(head, query=Matrix.identity(rows), key=Matrix.identity(rows))


def prove_routing(length: int) -> Mismatch | None:
    """The routing of every layer, from the real W_Q and W_K: t - 2^(l-1) modulo 2M, and t."""
    span = theorem1.span(length)
    simulation = theorem1.build(letter_automaton(length), length)
    arithmetic = RoutedRational(span)
    x = arithmetic.array(simulation.encode(()))
    for number, layer in enumerate(simulation.transformer.layers, 1):
        left, right = realise_layer(layer, arithmetic).heads
        for head, shift in ((left, 2 ** (number - 1)), (right, 0)):
            sources = head.scores(arithmetic, x)
            for row, source in enumerate(sources):
                if source != (row - shift) % (2 * span):
                    return Mismatch(row, -1, f"layer {number}: row {row} attends row {source}")
    return None
