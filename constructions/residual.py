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
from constructions.layout import Layout
from constructions.matrix import Entry, Matrix, Tensor
from constructions.transformer import Arithmetic, Bilinear, Head, Layer, Transformer, realise
from constructions.wfa import WFA


def layout(n: int) -> Layout:
    """(x_L, x_R, position, one)."""
    return Layout(left=n * n, right=n * n, position=2, one=1)


def _keep(n: int, *blocks: str) -> Matrix:
    names = layout(n)
    parts = {(name, name): Matrix.identity(len(names[name])) for name in blocks}
    return Matrix.blocks(names, names, parts)


def heads(n: int, layer: int, span: int) -> tuple[Head[Matrix], ...]:
    """As in Theorem 1; the right head hands the constant on as well."""
    here = Matrix.blocks(layout(n), 2, {("position", ""): Matrix.identity(2)})
    turned = theorem1.rotation(theorem1.theta(layer, span)).transpose
    back = Matrix.blocks(layout(n), 2, {("position", ""): turned})
    return (
        Head(here, back, _keep(n, "left"), name="left"),
        Head(here, here, _keep(n, "right", "one"), name="right"),
    )


def combine(n: int) -> Matrix:
    """W_O = (I; I)."""
    size = layout(n).size
    names = Layout(left=size, right=size)
    return Matrix.blocks(names, size, {(name, ""): Matrix.identity(size) for name in names})


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
    span = theorem1.span(length)
    return tuple(
        Layer(heads(n, layer, span), combine(n), block(n))
        for layer in range(1, theorem1.depth(length) + 1)
    )


def readout(alpha: Sequence[Entry]) -> Matrix:
    """vec(A) ↦ αᵀ A, read from the right block."""
    n = len(alpha)
    part = {(i * n + j, j): alpha[i] for i in range(n) for j in range(n) if alpha[i] != 0}
    return Matrix.blocks(layout(n), n, {("right", ""): Matrix((n * n, n), part)})


@dataclass(frozen=True)
class Simulation:
    """A transformer with a residual connection around each layer."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """The tokens of Theorem 1, each with a one."""
        plain = theorem1.build(self.automaton, self.length).encode(word)
        return [[*token, 1] for token in plain]

    def states(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The states of all prefixes; arrays of the arithmetic are added entry by entry."""
        model = realise(self.transformer, arithmetic)
        x = arithmetic.array(self.encode(word))
        for layer in model.layers:
            x = x + layer(arithmetic, x)
        first = theorem1.span(self.length) - 1
        return arithmetic.apply(x, model.readout)[first : first + len(word) + 1]


def build(automaton: WFA, length: int) -> Simulation:
    """Theorem 1's transformer with residual connections in place of positions supplied anew.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.families import counting
    >>> [str(count) for count, _ in build(counting(), 4).states("0100", Rational())]
    ['0', '1', '1', '2', '3']
    """
    chosen = layers(automaton.n, theorem1.checked(length))
    return Simulation(automaton, length, Transformer(chosen, readout(automaton.alpha)))
