"""What both proofs for all trees share: tokens of symbols, scores and blocks as polynomials.

Notation      a token is a map from coordinates to polynomials; HERE attends, ONE and OTHER are
              attended to, each with symbols of its own for all that is not known of it; N is the
              number of tokens; x_y are symbols of one token, t012 entries of the tensor
Weights       are those of the built layers, read with the arithmetic of the forward pass
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from constructions.arithmetic.objects import ObjectArithmetic
from constructions.layout import Layout
from constructions.matrix import Matrix
from constructions.theorem3 import joined
from constructions.transformer import Bilinear, Head, Layer
from constructions.wta import WTA
from verify.engines.trees import Generic

Poly = Any
Token = dict[str, Poly]
Step = Iterator[tuple[str, bool]]
PLAIN = tuple("Nijrpquvhgxyd")
HERE, ONE, OTHER = "here", "one", "other"
WHOLE = ("i", "j", "u", "v", "h", "g", "x")


def coordinates(layout: Layout) -> list[str]:
    """The names of all coordinates; blocks with several have an offset, states and reads always."""
    return [
        name if len(layout[name]) == 1 and name not in ("state", "left", "right") else f"{name}.{k}"
        for name in layout
        for k in range(len(layout[name]))
    ]


@dataclass(frozen=True)
class Symbols:
    """Polynomials for one n: positions, lengths, tensor, leaf vector, and what tokens may hold."""

    n: int
    scalars: tuple[str, ...]

    @cached_property
    def ring(self) -> Generic:
        """The ring of all symbols."""
        states, whos = range(self.n), (HERE, ONE, OTHER)
        tensor = [f"t{a}{b}{c}" for a in states for b in states for c in states]
        vectors = [f"{name}{a}" for name in ("a", "l", "f", *whos) for a in states]
        held = [f"{x}_{who}" for who in whos for x in self.scalars]
        return Generic([*PLAIN, *held, *tensor, *vectors])

    def __getitem__(self, name: str) -> Poly:
        return self.ring.generators[name]

    def vector(self, name: str) -> list[Poly]:
        """A state of symbols."""
        return [self[f"{name}{a}"] for a in range(self.n)]

    @cached_property
    def automaton(self) -> WTA:
        """A WTA of symbols with one letter."""
        states = range(self.n)
        tensor = tuple(
            tuple(tuple(self[f"t{a}{b}{c}"] for c in states) for b in states) for a in states
        )
        return WTA((1,) * self.n, tensor, {"a": tuple(self.vector("a"))})

    def state(self, name: str | None) -> Token:
        """The state of symbols of that name, or 0."""
        values = self.vector(name) if name else [0] * self.n
        return {f"state.{a}": value for a, value in enumerate(values)}

    def product(self, left: str, right: str) -> Token:
        """T ×₂ left ×₃ right, by the definition's own code."""
        state = self.automaton.combine(tuple(self.vector(left)), tuple(self.vector(right)))
        return {f"state.{a}": value for a, value in enumerate(state)}

    def token(self, who: str, i: Poly, **known: Poly) -> Token:
        """A token at i with symbols of its own for all that is not known."""
        place = {"place.0": i, "place.1": i * i, "one": 1}
        rest = {x: self[f"{x}_{who}"] for x in self.scalars}
        return {**self.state(who), **place, **rest, **known}

    def same(self, one: Token, other: Token) -> bool:
        """Whether two tokens are the same polynomials."""
        return one.keys() == other.keys() and all(
            self.ring.element(one[x]) == self.ring.element(other[x]) for x in one
        )

    def put(self, value: Poly, **names: Poly) -> Poly:
        """A polynomial with other polynomials in place of symbols."""
        gens = self.ring.generators
        return value.compose(*[self.ring.element(names.get(x, gens[x])) for x in gens])

    def positive(self, value: Poly, position: str = "") -> bool:
        """Whether a polynomial in whole numbers ≥ 0, a position being at least 1, is at least 1.

        All its coefficients are positive, and its constant is at least 1; other symbols than
        those of whole numbers do not occur.
        """
        if position:
            value = self.put(value, **{position: self[position] + 1})
        names = list(self.ring.generators)
        terms = dict(zip(value.monoms(), value.coeffs(), strict=True))
        used = {names[k] for powers in terms for k, power in enumerate(powers) if power}
        constant = terms.get((0,) * len(names), 0)
        return used <= set(WHOLE) and all(c > 0 for c in terms.values()) and bool(constant >= 1)


@dataclass(frozen=True)
class Weights:
    """One layer with the symbols its tokens are made of."""

    symbols: Symbols
    layout: Layout
    layer: Layer[Matrix]

    def gap(self, head: int, here: Token, one: Token, other: Token) -> Poly:
        """How much higher a head scores one token than the other."""
        weights = self.layer.heads[head]
        return self.score(weights, here, one) - self.score(weights, here, other)

    def score(self, head: Head[Matrix], here: Token, there: Token) -> Poly:
        """x W_Q W_Kᵀ yᵀ, with the arithmetic of the forward pass."""
        ring = self.symbols.ring
        rows = [ring.array([row(self.layout, x)]) for x in (here, there)]
        queries = ring.apply(rows[0], ring.weight(head.query))
        keys = ring.apply(rows[1], ring.weight(head.key))
        return ObjectArithmetic.scores(ring, queries, keys)[0, 0]

    def values(self, head: int, *blocks: str) -> bool:
        """Whether a head reads these blocks of coordinates, in this order."""
        rows = [r for name in blocks for r in self.layout[name]]
        return dict(self.layer.heads[head].value.entries) == {(r, k): 1 for k, r in enumerate(rows)}

    def forward(self, own: Token, **reads: Sequence[Poly]) -> Token:
        """The block's output for one token, from what its heads read."""
        ring, block = self.symbols.ring, self.layer.feedforward
        if not isinstance(block, Bilinear):
            raise TypeError("the layer has no bilinear block")
        around = joined(self.layout, self.layer.heads)
        names = iter(coordinates(around))
        named = {next(names): value for side in reads.values() for value in side}
        x = ring.array([row(around, {**own, **named})])
        joint = ring.apply(x, ring.weight(self.layer.combine))
        realised = block.map(ring.weight, ring.tensor)
        return named_row(self.layout, list(realised(ring, joint)[0]))


def row(layout: Layout, token: Mapping[str, Poly]) -> list[Poly]:
    """A token as a row."""
    return [token[name] for name in coordinates(layout)]


def named_row(layout: Layout, values: Sequence[Poly]) -> Token:
    """A row as a token."""
    return dict(zip(coordinates(layout), values, strict=True))
