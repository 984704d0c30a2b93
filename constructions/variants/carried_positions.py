"""Theorem 1 with a third head that carries the positions (remark on positions, Appendix B.1).

Claimed       positional encodings at each layer "could easily be implemented using … a third
              attention head"
Constructs    three hard heads and a bilinear block that squares a code, read as a complex number:
              the code of position t has angle π·t·s in the first layer and twice the angle in each
              further one. Positions are given once, no coordinate is constant, no residual
              connection is used; depth ⌈log₂ T⌉ and embedding dimension 2n² + 2 stay, the bilinear
              block has inputs of n² + 2 coordinates each
Notation      n states; L = ⌈log₂ T⌉ layers, M = 2^L; s the step, here 2^(1-L)/M, so that the codes
              of all 2M positions fill the circle in the last layer and an arc before
Unlike print  the printed block writes nothing into the positional coordinates; this one does
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions import theorem1
from constructions.automata.wfa import WFA
from constructions.core.exact import Exact, cos_pi, sin_pi
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Bilinear, Head, Layer, Transformer


def inner_layout(n: int) -> Layout:
    """Layout of the bilinear block's inputs and output: a matrix and a code."""
    return Layout(matrix=n * n, code=2)


def step(length: int) -> Fraction:
    """The angle of position 1 in the first layer, over π, on the 2M padded positions."""
    return Fraction(1, theorem1.span(length) << max(0, theorem1.depth(length) - 1))


def shift(layer: int, step: Fraction) -> Fraction:
    """θ/π of layer l: minus the angle between positions that lie 2^(l-1) apart there."""
    return step * -(1 << 2 * (layer - 1))


def code_value(n: int) -> Matrix:
    """W_V of the third head: keeps the code."""
    return theorem1.kept_blocks(theorem1.layout(n), "position")


def heads(n: int, layer: int, step: Fraction) -> tuple[Head[Matrix], ...]:
    """The left head looks 2^(l-1) positions back; the right one and the third at their own."""
    here = theorem1.query(n)
    back = theorem1.select_position(theorem1.layout(n), theorem1.rotation(shift(layer, step)))
    return (
        Head(here, back, theorem1.value(n, "left"), name="left"),
        Head(here, here, theorem1.value(n, "right"), name="right"),
        Head(here, here, code_value(n), name="position"),
    )


def select(n: int, side: str) -> Matrix:
    """W_sel: the left or the right matrix, and the code."""
    parts = {(side, "matrix"): Matrix.identity(n * n), ("position", "code"): Matrix.identity(2)}
    return Matrix.blocks(theorem1.layout(n), inner_layout(n), parts)


def tensor(n: int) -> Tensor:
    """The tensor of Lemma 1, and (c, s) ↦ (c² - s², 2cs): the square of c + is."""
    size = inner_layout(n).size
    cosine, sine = inner_layout(n)["code"]
    square = {
        (cosine, cosine, cosine): Exact.of(1),
        (sine, sine, cosine): Exact.of(-1),
        (cosine, sine, sine): Exact.of(1),
        (sine, cosine, sine): Exact.of(1),
    }
    return Tensor((size, size, size), {**theorem1.tensor(n).entries, **square})


def output(n: int) -> Matrix:
    """W_out: the product into both halves, the squared code into the position."""
    one = Matrix.identity(n * n)
    parts = {("matrix", "left"): one, ("matrix", "right"): one}
    code = {("code", "position"): Matrix.identity(2)}
    return Matrix.blocks(inner_layout(n), theorem1.layout(n), parts | code)


def layers(n: int, length: int, step: Fraction) -> tuple[Layer[Matrix], ...]:
    """⌈log₂ T⌉ layers, alike but for θ."""
    block = Bilinear(select(n, "left"), select(n, "right"), tensor(n), output(n))
    combine = theorem1.summed_heads(theorem1.layout(n), "left", "right", "position")
    return tuple(
        Layer(heads(n, layer, step), combine, block)
        for layer in range(1, theorem1.depth(length) + 1)
    )


@dataclass(frozen=True)
class CarriedSimulation(theorem1.PaddedWords):
    """A transformer on padded tokens, or on those of positions 0 … T and of the word alone."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]
    step: Fraction
    padded: bool

    @property
    def positions(self) -> range:
        """One for each token of the longest word."""
        return super().positions if self.padded else range(self.length + 1)

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens; without padding they end at the last letter."""
        rows = super().encode(word)
        return rows if self.padded else rows[: self.row(len(word)) + 1]

    def token(self, letter: list[Entry], t: int) -> list[Entry]:
        """Two copies of the matrix of a letter, and the code of the first layer."""
        return [*letter, *letter, cos_pi(t * self.step), sin_pi(t * self.step)]


def assemble(automaton: WFA, length: int, step: Fraction, padded: bool) -> CarriedSimulation:
    """The layers for some step, with the automaton's readout."""
    chosen = layers(automaton.n, theorem1.check_length(length), step)
    model = Transformer(chosen, theorem1.readout(automaton.alpha))
    return CarriedSimulation(automaton, length, model, step, padded)


def build(automaton: WFA, length: int) -> CarriedSimulation:
    """Theorem 1's transformer on 2M tokens, with positions carried by a third head.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.automata.families import counting
    >>> [str(count) for count, _ in build(counting(), 4).states("0100", Rational())]
    ['0', '1', '1', '2', '3']
    """
    return assemble(automaton, length, step(theorem1.check_length(length)), padded=True)
