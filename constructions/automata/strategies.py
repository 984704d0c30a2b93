"""Hypothesis strategies for automata, words and trees: for tests of what is built on this package.

    from hypothesis import given
    from constructions.automata.strategies import automata, words

    @given(automaton=automata(), data=st.data())
    def test_my_simulation(automaton, data):
        word = data.draw(words(automaton, longest=8))
        ...

Needs the extra `testing`. The smallest cases (one state, one symbol, the empty word, weights 0,
a single leaf) come first when an example is shrunk; weights are exact rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from constructions.automata.trees import Tree
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA

LETTERS = "abcdefgh"


def weights(largest: int = 3, denominator: int = 4) -> SearchStrategy[Fraction]:
    """Rationals p/q with |p/q| ≤ largest and 1 ≤ q ≤ denominator; 0 is the simplest, then 1.

    `st.fractions` makes a new strategy for each draw, which takes several times as long.
    """
    most = largest * denominator  # ⌈k q / denominator⌉ reaches every p from -largest q to largest q
    return st.builds(
        lambda q, k: Fraction(-(-k * q // denominator), q),
        st.integers(1, denominator),
        st.integers(-most, most),
    )


def probabilities(count: int) -> SearchStrategy[list[Fraction]]:
    """`count` non-negative rationals with sum 1."""
    parts = st.lists(st.integers(0, 8), min_size=count, max_size=count).filter(any)
    return parts.map(lambda shares: [Fraction(share, sum(shares)) for share in shares])


def alphabets(most: int = 3) -> SearchStrategy[list[str]]:
    """One to `most` symbols."""
    return st.integers(1, min(most, len(LETTERS))).map(lambda count: list(LETTERS[:count]))


def _vectors(n: int, entries: SearchStrategy[Fraction]) -> SearchStrategy[list[Fraction]]:
    return st.lists(entries, min_size=n, max_size=n)


def _squares(n: int, entries: SearchStrategy[Fraction]) -> SearchStrategy[list[list[Fraction]]]:
    return st.lists(_vectors(n, entries), min_size=n, max_size=n)


@st.composite
def automata(
    draw: Any, states: int = 3, symbols: int = 3, entries: SearchStrategy[Fraction] | None = None
) -> WFA:
    """Weighted finite automata with at most that many states and symbols."""
    numbers = weights() if entries is None else entries
    n, alphabet = draw(st.integers(1, states)), draw(alphabets(symbols))
    matrices = {symbol: draw(_squares(n, numbers)) for symbol in alphabet}
    return WFA.of(draw(_vectors(n, numbers)), matrices, draw(_vectors(n, numbers)))


@st.composite
def probabilistic_automata(draw: Any, states: int = 3, symbols: int = 3) -> WFA:
    """Probabilistic automata: what leaves a state, stopping included, sums to 1."""
    n, alphabet = draw(st.integers(1, states)), draw(alphabets(symbols))
    rows = [draw(probabilities(1 + n * len(alphabet))) for _ in range(n)]
    matrices = {
        symbol: [row[1 + k * n : 1 + (k + 1) * n] for row in rows]
        for k, symbol in enumerate(alphabet)
    }
    return WFA.of(draw(probabilities(n)), matrices, [row[0] for row in rows])


@st.composite
def tree_automata(
    draw: Any, states: int = 3, symbols: int = 3, entries: SearchStrategy[Fraction] | None = None
) -> WTA:
    """Weighted tree automata with at most that many states and symbols."""
    numbers = weights() if entries is None else entries
    n, alphabet = draw(st.integers(1, states)), draw(alphabets(symbols))
    tensor = [draw(_squares(n, numbers)) for _ in range(n)]
    leaves = {symbol: draw(_vectors(n, numbers)) for symbol in alphabet}
    return WTA.of(draw(_vectors(n, numbers)), tensor, leaves)


def words(automaton: WFA | WTA, longest: int = 8) -> SearchStrategy[tuple[str, ...]]:
    """Words over an automaton's alphabet, the empty one included."""
    letters = st.sampled_from(automaton.alphabet)
    return st.lists(letters, max_size=longest).map(tuple)


def trees(alphabet: Sequence[str], leaves: int = 8) -> SearchStrategy[Tree]:
    """Binary trees with labelled leaves, single leaves included."""
    single: SearchStrategy[Any] = st.sampled_from(list(alphabet))
    return st.recursive(single, lambda smaller: st.tuples(smaller, smaller), max_leaves=leaves)
