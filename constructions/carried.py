"""Theorem 1 with a third head that carries the positions (remark on positions, Appendix B.1).

Claimed       positional encodings at each layer "could easily be implemented using … a third
              attention head"
Constructs    three hard heads and a bilinear block that squares a code, read as a complex number:
              the code of position t has angle π·t·s in the first layer and twice the angle in each
              further one. Nothing is supplied anew, no coordinate is constant, no residual
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
from typing import Any

from constructions import theorem1
from constructions.errors import InputError
from constructions.exact import Exact, cos_pi, sin_pi
from constructions.layout import Layout
from constructions.matrix import Entry, Matrix, Tensor
from constructions.transformer import Arithmetic, Bilinear, Head, Layer, Transformer, run
from constructions.wfa import WFA


def inner(n: int) -> Layout:
    """What the bilinear block takes from each side and returns: a matrix and a code."""
    return Layout(matrix=n * n, code=2)


def step(length: int) -> Fraction:
    """The angle of position 1 in the first layer, over π, on the 2M padded positions."""
    return Fraction(1, theorem1.span(length) << max(0, theorem1.depth(length) - 1))


def shift(layer: int, step: Fraction) -> Fraction:
    """θ/π of layer l: minus the angle between positions that lie 2^(l-1) apart there."""
    return step * -(1 << 2 * (layer - 1))


def carry(n: int) -> Matrix:
    """W_V of the third head: keeps the code."""
    layout = theorem1.layout(n)
    return Matrix.blocks(layout, layout, {("position", "position"): Matrix.identity(2)})


def heads(n: int, layer: int, step: Fraction) -> tuple[Head[Matrix], ...]:
    """The left head looks 2^(l-1) positions back; the right one and the third at their own."""
    here = theorem1.query(n)
    back = theorem1.select_position(n, theorem1.rotation(shift(layer, step)))
    return (
        Head(here, back, theorem1.value(n, "left"), name="left"),
        Head(here, here, theorem1.value(n, "right"), name="right"),
        Head(here, here, carry(n), name="position"),
    )


def combine(n: int) -> Matrix:
    """W_O = (I; I; I): the three heads fill different blocks and are added."""
    size = theorem1.layout(n).size
    names = Layout(left=size, right=size, position=size)
    return Matrix.blocks(names, size, {(name, ""): Matrix.identity(size) for name in names})


def select(n: int, side: str) -> Matrix:
    """W_sel: the left or the right matrix, and the code."""
    parts = {(side, "matrix"): Matrix.identity(n * n), ("position", "code"): Matrix.identity(2)}
    return Matrix.blocks(theorem1.layout(n), inner(n), parts)


def tensor(n: int) -> Tensor:
    """The tensor of Lemma 1, and (c, s) ↦ (c² - s², 2cs): the square of c + is."""
    size = inner(n).size
    cosine, sine = inner(n)["code"]
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
    return Matrix.blocks(inner(n), theorem1.layout(n), parts | code)


def layers(n: int, length: int, step: Fraction) -> tuple[Layer[Matrix], ...]:
    """⌈log₂ T⌉ layers, alike but for θ."""
    block = Bilinear(select(n, "left"), select(n, "right"), tensor(n), output(n))
    return tuple(
        Layer(heads(n, layer, step), combine(n), block)
        for layer in range(1, theorem1.depth(length) + 1)
    )


@dataclass(frozen=True)
class Simulation:
    """A transformer on the tokens at `positions`; identities stand outside of the word.

    Without padding there is no token after the last letter of a shorter word.
    """

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]
    positions: range
    step: Fraction
    padded: bool

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens."""
        if len(word) > self.length:
            raise InputError("word", f"{len(word)} letters", f"at most {self.length}, the length")
        return [self._token(word, t) for t in self.positions if self.padded or t <= len(word)]

    def _token(self, word: Sequence[str], t: int) -> list[Entry]:
        n, inside = self.automaton.n, 1 <= t <= len(word)
        matrix = self.automaton.matrix(word[t - 1]) if inside else theorem1.identity(n)
        flat = [weight for row in matrix for weight in row]
        return [*flat, *flat, cos_pi(t * self.step), sin_pi(t * self.step)]

    def states(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The states of all prefixes of a word, in the given arithmetic."""
        outputs = run(self.transformer, arithmetic, self.encode(word))
        return outputs[self.row(0) : self.row(len(word)) + 1]

    def row(self, t: int) -> int:
        """The row of the token at position t."""
        return t - self.positions.start


def assemble(
    automaton: WFA, length: int, positions: range, step: Fraction, padded: bool
) -> Simulation:
    """The layers for some positions and some step, with the automaton's readout."""
    chosen = layers(automaton.n, theorem1.checked(length), step)
    model = Transformer(chosen, theorem1.readout(automaton.alpha))
    return Simulation(automaton, length, model, positions, step, padded)


def build(automaton: WFA, length: int) -> Simulation:
    """Theorem 1's transformer on 2M tokens, with positions carried by a third head.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.families import counting
    >>> [str(count) for count, _ in build(counting(), 4).states("0100", Rational())]
    ['0', '1', '1', '2', '3']
    """
    span = theorem1.span(theorem1.checked(length))
    return assemble(automaton, length, range(-span + 1, span + 1), step(length), padded=True)
