"""One step of the automaton a layer: the transformer used as an unrolled RNN (Section 3.1).

Claimed       "Using a T layer transformer, it is easy to simulate a WFA over a sequence of length
              T", performing each step of the computation at the corresponding layer
Constructs    on the 2M tokens of Theorem 1: a token holds a state, the matrix of its letter and a
              one; each layer takes the state of the token before, times the token's own matrix
Notation      n states, T length, M = 2^⌈log₂ T⌉; every token starts with the state α
Unlike print  which feed-forward block multiplies is not said; here it is a bilinear one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from constructions import theorem1
from constructions.errors import InputError
from constructions.layout import Layout
from constructions.matrix import Entry, Matrix, Tensor
from constructions.transformer import Arithmetic, Bilinear, Head, Layer, Transformer, run
from constructions.wfa import WFA


def layout(n: int) -> Layout:
    """(state, matrix of the letter, one, position)."""
    return Layout(state=n, matrix=n * n, one=1, position=2)


def layer(n: int, span: int) -> Layer[Matrix]:
    """s_t ← s_{t-1} A^{x_t}: one head reads the token before, one keeps matrix and one."""
    names = layout(n)
    here = Matrix.blocks(names, 2, {("position", ""): Matrix.identity(2)})
    turned = theorem1.rotation(theorem1.theta(1, span)).transpose
    before = Matrix.blocks(names, 2, {("position", ""): turned})
    heads = (
        Head(here, before, keep(names, "state"), name="before"),
        Head(here, here, keep(names, "matrix", "one"), name="here"),
    )
    both = Layout(first=names.size, second=names.size)
    one = Matrix.identity(names.size)
    combine = Matrix.blocks(both, names.size, {("first", ""): one, ("second", ""): one})
    return Layer(heads, combine, block(n))


def keep(names: Layout, *blocks: str) -> Matrix:
    """W_V: keeps some blocks of the embedding."""
    parts = {(name, name): Matrix.identity(len(names[name])) for name in blocks}
    return Matrix.blocks(names, names, parts)


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
    return Bilinear(take(n, left), take(n, right), tensor, take(n, result).transpose)


def take(n: int, chosen: Layout) -> Matrix:
    """W_sel: some blocks of the embedding, one after the other."""
    parts = {(name, name): Matrix.identity(len(chosen[name])) for name in chosen}
    return Matrix.blocks(layout(n), chosen, parts)


@dataclass(frozen=True)
class Simulation:
    """A transformer with one step a layer, on the tokens of Theorem 1."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """Every token starts with the state α; pads carry the identity."""
        if len(word) > self.length:
            raise InputError("word", f"{len(word)} letters", f"at most {self.length}, the length")
        span = theorem1.span(self.length)
        return [self._token(word, t, span) for t in range(-span + 1, span + 1)]

    def _token(self, word: Sequence[str], t: int, span: int) -> list[Entry]:
        n, inside = self.automaton.n, 1 <= t <= len(word)
        matrix = self.automaton.matrix(word[t - 1]) if inside else theorem1.identity(n)
        flat = [entry for row in matrix for entry in row]
        return [*self.automaton.alpha, *flat, 1, *theorem1.position(t, span)]

    def states(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The states of all prefixes of a word, in the given arithmetic."""
        outputs = run(self.transformer, arithmetic, self.encode(word))
        first = theorem1.span(self.length) - 1
        return outputs[first : first + len(word) + 1]


def build(automaton: WFA, length: int, layers: int | None = None) -> Simulation:
    """A transformer with one step of the automaton a layer: T layers unless another number is given.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.families import counting
    >>> [str(count) for count, _ in build(counting(), 3).states("010", Rational())]
    ['0', '1', '1', '2']
    """
    n, span = automaton.n, theorem1.span(theorem1.checked(length))
    names = layout(n)
    readout = Matrix.blocks(names, n, {("state", ""): Matrix.identity(n)})
    deep = (layer(n, span),) * (length if layers is None else layers)
    return Simulation(automaton, length, Transformer(deep, readout, names["position"]))
