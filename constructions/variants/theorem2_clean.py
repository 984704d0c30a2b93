"""Theorem 2 on the word alone: a begin token, no pads, positions given once.

Claimed       WFAs with n states are simulated at depth O(log T) with O(n²) coordinates, MLPs of width
              O(n⁴) and O(1) heads
Constructs    ⌈log₂ T⌉ layers of two heads on n² + 3 coordinates and T + 1 tokens. One head looks
              2^(l-1) tokens back, or at the begin token where there are fewer; the other copies the
              token, its positional encoding too. The block multiplies the two matrices
Notation      n states, positions i = 1 … T + 1, the begin token at 1; the score 2i'j - j² is largest
              at the position nearest to i' = i - 2^(l-1)
Shown         exact with hard attention and products. With softmax and MLPs (`smoothing`) within every
              ε: machine-checked in `verify/coq/CleanWordsSoft.v`
Unlike print  print pads the word with T identities and supplies positions on a circle at each layer;
              one of its heads and half of its coordinates are not needed here
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constructions.automata.wfa import WFA
from constructions.core.errors import check_fits
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import Layer, Mask, Transformer
from constructions.running.simulation import WordView
from constructions.theorem1 import check_length, depth, identity, readout, windows
from constructions.theorem3 import Places, Unit, copies, layer, scores_towards
from constructions.variants.theorem3_variants import head, maskless_own_head


def layout(n: int) -> Layout:
    """(matrix, 1, place): n² + 3 coordinates."""
    return Layout(matrix=n * n, one=1, place=2)


def units(n: int) -> list[Unit]:
    """The product of what the head reads and the token's own matrix; the rest is copied."""
    product: list[Unit] = [
        (f"back.{i * n + k}", f"matrix.{k * n + j}", f"matrix.{i * n + j}", 1)
        for i in range(n)
        for j in range(n)
        for k in range(n)
    ]
    return [*product, *copies("one", "place.0", "place.1")]


def double_layer(n: int, number: int) -> Layer[Matrix]:
    """Layer l = 1, 2, …: tokens that hold 2^(l-1) letters then hold 2^l."""
    coordinates = layout(n)
    scores = scores_towards(-(1 << number - 1), 0, Places.LINE)
    back = head(coordinates, "back", ("matrix",), scores, Mask.NONE)
    return layer(coordinates, (back, maskless_own_head(coordinates)), units(n))


@one_line(of_simulation)
@dataclass(frozen=True)
class CleanWordSimulation(WordView):
    """A transformer that simulates an automaton on words of at most `length` letters."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """The begin token, which holds the identity, and the letters."""
        check_fits(len(word), self.length)
        held = [identity(self.automaton.n), *(self.automaton.matrix(letter) for letter in word)]
        return [[*(x for row in m for x in row), 1, i, i * i] for i, m in enumerate(held, 1)]

    def names(self, word: Sequence[str]) -> list[str]:
        """A name for each token."""
        return ["begin", *word]

    def contents(self, word: Sequence[str]) -> list[list[str]]:
        """After l layers the product of the last 2^l letters, in words."""
        return windows(word, [1 << k for k in range(len(self.transformer.layers) + 1)])


def build(automaton: WFA, length: int) -> CleanWordSimulation:
    """The construction, for words of at most `length` letters.

    Examples:
        >>> from constructions.automata.families import counting
        >>> [str(count) for count, _ in build(counting(), 5).states("01001")]
        ['0', '1', '1', '2', '3', '3']

    """
    numbers = range(1, depth(check_length(length)) + 1)
    layers = tuple(double_layer(automaton.n, number) for number in numbers)
    model = Transformer(layers, readout(automaton.alpha, layout(automaton.n), "matrix"))
    return CleanWordSimulation(automaton, length, model)
