"""Theorem 1 with residual connections that carry the positions (remark on positions, Appendix B.1).

Claimed       positional encodings at each layer "could easily be implemented using … residual
              connections"
Constructs    x ← x + f(x) around each layer. The block writes nothing into the position, so the
              residual connection keeps it; into both halves it writes the product minus the
              token's own matrix, so that adding the old matrix leaves the product
Notation      n states, T length, M = 2^⌈log₂ T⌉, positions -M+1 … M as in Theorem 1; one: a
              coordinate that is 1 in every token, by which a matrix can be copied bilinearly
Unlike print  embedding dimension 2n² + 3: one more than printed, for the constant coordinate
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructions import theorem1
from constructions.automata.wfa import WFA
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Arithmetic, Bilinear, Head, Layer, Transformer, realise


def layout(n: int) -> Layout:
    """(x_L, x_R, position, one)."""
    return Layout(left=n * n, right=n * n, position=2, one=1)


def heads(n: int, layer: int, span: int) -> tuple[Head[Matrix], ...]:
    """Heads of Theorem 1, with a right head that copies the constant as well."""
    names = layout(n)
    here = theorem1.select_position(names, Matrix.identity(2))
    back = theorem1.select_position(names, theorem1.rotation(theorem1.theta(layer, span)))
    return (
        Head(here, back, theorem1.kept_blocks(names, "left"), name="left"),
        Head(here, here, theorem1.kept_blocks(names, "right", "one"), name="right"),
    )


def block(n: int) -> Bilinear[Matrix]:
    """left · right - one · right, into both halves."""
    sides = Layout(matrix=n * n, one=1)
    product = dict(theorem1.tensor(n).entries)
    product |= {(sides.at("one"), c, c): -1 for c in range(n * n)}
    tensor = Tensor((sides.size, sides.size, n * n), product)
    one = Matrix.identity(n * n)
    output = Matrix.blocks(n * n, layout(n), {("", "left"): one, ("", "right"): one})
    return Bilinear(_select(n, "left", sides), _select(n, "right", sides), tensor, output)


def _select(n: int, side: str, sides: Layout) -> Matrix:
    parts = {(side, "matrix"): Matrix.identity(n * n), ("one", "one"): Matrix.identity(1)}
    return Matrix.blocks(layout(n), sides, parts)


def layers(n: int, length: int) -> tuple[Layer[Matrix], ...]:
    """⌈log₂ T⌉ layers, alike but for θ."""
    span, combine = theorem1.span(length), theorem1.summed_heads(layout(n), "left", "right")
    return tuple(
        Layer(heads(n, layer, span), combine, block(n))
        for layer in range(1, theorem1.depth(length) + 1)
    )


@dataclass(frozen=True)
class ResidualSimulation(theorem1.PaddedWords):
    """A transformer with a residual connection around each layer."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]

    def token(self, letter: list[Entry], t: int) -> list[Entry]:
        """The token of Theorem 1, with a one."""
        return [*super().token(letter, t), 1]

    def outputs(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The states of all prefixes; arrays of the arithmetic are added entry by entry."""
        model = realise(self.transformer, arithmetic)
        x = arithmetic.array(self.encode(word))
        for layer in model.layers:
            x = x + layer(arithmetic, x)
        return arithmetic.apply(x[self.prefixes(word)], model.readout)


def build(automaton: WFA, length: int) -> ResidualSimulation:
    """Theorem 1's transformer with residual connections in place of positions supplied at each layer.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.automata.families import counting
    >>> [str(count) for count, _ in build(counting(), 4).states("0100", Rational())]
    ['0', '1', '1', '2', '3']
    """
    chosen = layers(automaton.n, theorem1.check_length(length))
    readout = theorem1.readout(automaton.alpha, layout(automaton.n))
    return ResidualSimulation(automaton, length, Transformer(chosen, readout))
