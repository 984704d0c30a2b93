"""One step of the automaton a layer: the transformer used as an unrolled RNN (Section 3.1).

Claimed       "Using a T layer transformer, it is easy to simulate a WFA over a sequence of length
              T", performing each step of the computation at the corresponding layer
Constructs    on the 2M tokens of Theorem 1: a token holds a state, the matrix of its letter and a
              one; each layer takes the state of the token before, times the token's own matrix
Notation      n states, T length, M = 2^⌈log₂ T⌉; every token starts with the state α
Unlike print  the feed-forward block that multiplies is not given; here it is a bilinear one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from constructions import theorem1
from constructions.automata.wfa import WFA
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Bilinear, Head, Layer, Transformer


def layout(n: int) -> Layout:
    """(state, matrix of the letter, one, position)."""
    return Layout(state=n, matrix=n * n, one=1, position=2)


def layer(n: int, span: int) -> Layer[Matrix]:
    """s_t ← s_{t-1} A^{x_t}: one head reads the token before, one keeps matrix and one."""
    names = layout(n)
    here = theorem1.select_position(names, Matrix.identity(2))
    before = theorem1.select_position(names, theorem1.rotation(theorem1.theta(1, span)))
    heads = (
        Head(here, before, theorem1.kept_blocks(names, "state"), name="before"),
        Head(here, here, theorem1.kept_blocks(names, "matrix", "one"), name="here"),
    )
    return Layer(heads, theorem1.summed_heads(names, "before", "here"), block(n))


def block(n: int) -> Bilinear[Matrix]:
    """The products state × matrix, one × matrix and one × one."""
    left, right = Layout(state=n, one=1), Layout(matrix=n * n, one=1)
    result = Layout(state=n, matrix=n * n, one=1)
    ones = {
        (left["state"][i], right["matrix"][i * n + j], result["state"][j]): 1
        for i, j in product(range(n), repeat=2)
    }
    ones |= {(left.at("one"), right["matrix"][m], result["matrix"][m]): 1 for m in range(n * n)}
    ones[left.at("one"), right.at("one"), result.at("one")] = 1
    tensor = Tensor((left.size, right.size, result.size), ones)
    return Bilinear(
        block_selection(n, left),
        block_selection(n, right),
        tensor,
        block_selection(n, result).transpose,
    )


def block_selection(n: int, chosen: Layout) -> Matrix:
    """W_sel: some blocks of the embedding, one after the other."""
    parts = {(name, name): Matrix.identity(len(chosen[name])) for name in chosen}
    return Matrix.blocks(layout(n), chosen, parts)


@dataclass(frozen=True)
class UnrolledSimulation(theorem1.PaddedWords):
    """A transformer with one step a layer, on the tokens of Theorem 1."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]

    def token(self, letter: list[Entry], t: int) -> list[Entry]:
        """Every token starts with the state α; pads carry the identity."""
        return [*self.automaton.alpha, *letter, 1, *theorem1.position(t, self.span)]

    def contents(self, word: Sequence[str]) -> list[list[str]]:
        """After l layers the last l letters, which the state α is multiplied by."""
        return theorem1.windows(word, range(len(self.transformer.layers) + 1))


def build(automaton: WFA, length: int, layers: int | None = None) -> UnrolledSimulation:
    """A transformer with one step of the automaton a layer: T layers unless another number is given.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.automata.families import counting
    >>> [str(count) for count, _ in build(counting(), 3).states("010", Rational())]
    ['0', '1', '1', '2']
    """
    n, span = automaton.n, theorem1.span(theorem1.check_length(length))
    names = layout(n)
    readout = Matrix.blocks(names, n, {("state", ""): Matrix.identity(n)})
    deep = (layer(n, span),) * (length if layers is None else layers)
    return UnrolledSimulation(automaton, length, Transformer(deep, readout, names["position"]))
