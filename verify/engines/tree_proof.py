"""Theorem 3 without masks, for every tree of every length: the steps that symbols decide.

Claims        `build_free`'s layer, with a symbol for the number N of tokens, for every position and
              every tree; n is fixed, the tensor and the leaf vectors are symbols
Notation      e ≤ N the end token's position; i, j positions; p, q the lengths of two subtrees;
              ρ = 0 at a letter, max(ρ_left + 2, ρ_right + 1) at a node; a vector of tokens is a map
              from coordinates to polynomials

Invariant, after L layers. A letter, and an opening bracket with ρ ≤ L, holds (μ(τ_i), 1, |str(τ_i)|)
as (state, done, size); every other token holds (0, 0, 0). The target is i + 1 + |left| at an opening
bracket whose left child has ρ ≤ L - 1, and N + 1 at every other token.

Checked here, as identities and inequalities of polynomials with the weights of the built layer:
start     the embedded tokens satisfy the invariant at L = 0
left      from an opening bracket the score of i + 1 exceeds that of j by (j - i - 1)²; from any other
          token the score of the end exceeds that of j < e by (j - i - 1)² plus a polynomial whose
          coefficients are positive in i - 1, e - i, N - e ≥ 0: so it is at least 1
own       the score of i exceeds that of j by (j - i)²; no head has a mask
right     with a target r the score of r exceeds that of j by (j - r)²; with N + 1 the score of the end
          exceeds that of j < e by a polynomial positive in the same way
block     what the feed-forward block makes of a token in each case: opening bracket with a left child
          not done, with one just done, with both done; letter or closing bracket; end
rank      ρ ≤ 2·height, from ρ ≤ 2·height at the children

Joined by hand. In str((t_1, t_2)) at i the left subtree begins at i + 1 and has |str(t_1)| tokens,
so the right one begins at i + 1 + |str(t_1)|, and |str| = 2 + |str(t_1)| + |str(t_2)|. All scores are
integers, so each maximum is unique, by at least 1 (start, left, right). Let the invariant hold after
L layers. An opening bracket reads its left child's (state, done, size). If ρ_left > L it reads 0s: the
block gives 0s and N + 1. If ρ_left = L its target is still N + 1 and it reads the end token's 0s on the
right: 0s, and the target i + 1 + |left|. If ρ_left ≤ L - 1 it reads its right child: its own state where
ρ_right ≤ L, that is where ρ ≤ L + 1, and 0s elsewhere. Any other token reads the end token on the left
and keeps what it has. So the invariant holds after L + 1 layers, and after 2·height(t) layers every
position of I_t holds its state. The positions are written anew after each layer.

To softmax and MLPs. For one T there are finitely many strings; on each, every score of a head is at
least 1 below the largest one. If the inputs of a layer converge, and C tends to infinity, softmax
converges to the hard head (its weight beside the largest score is at most N e^(-C/2) once scores are
within ¼ of their limits), and an MLP that approximates the block's products evenly on a bounded set
converges to the block. Layer by layer the outputs converge to the states. This passage is in words
here, and machine-checked in `verify/coq/FreeMLP.v`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from constructions.layout import Layout
from constructions.matrix import Matrix
from constructions.theorem3 import END
from constructions.theorem3_variants import free_layer, free_layout, free_token
from constructions.transformer import Attention, Layer, Mask
from constructions.trees import CLOSE, OPEN
from verify.engines.tree_symbols import (
    HERE,
    ONE,
    OTHER,
    Poly,
    Step,
    Symbols,
    Token,
    Weights,
    named_row,
)

READ = ("state", "done", "size")
SCALARS = ("kind", "done", "size", "target")
LEFT, RIGHT, OWN = range(3)


@dataclass(frozen=True)
class Proof:
    """The steps of the proof for one n; `layer` may stand in for the built one."""

    n: int
    layer: Layer[Matrix] | None = None

    @cached_property
    def symbols(self) -> Symbols:
        """All symbols."""
        return Symbols(self.n, SCALARS)

    @cached_property
    def weights(self) -> Weights:
        """The layer in question, with N a symbol."""
        symbols = self.symbols
        layer = self.layer or free_layer(symbols.automaton, symbols["N"])
        return Weights(symbols, self.layout, layer)

    @property
    def layout(self) -> Layout:
        """The coordinates of a token."""
        return free_layout(self.n)

    def failures(self) -> Iterator[str]:
        """The steps that do not come out, by name."""
        for step in (self.start, self.masks, self.left, self.right, self.block, self.rank):
            yield from (f"{step.__name__}: {name}" for name, met in step() if not met)

    def count(self) -> int:
        """How many identities and inequalities are decided."""
        steps = (self.start, self.masks, self.left, self.right, self.block, self.rank)
        return sum(1 for step in steps for _ in step())

    def start(self) -> Step:
        """The embedded tokens at the start."""
        s = self.symbols
        for name, symbol in (("letter", "a"), ("open", OPEN), ("close", CLOSE), ("end", END)):
            found = named_row(self.layout, free_token(s.automaton, symbol, s["i"], s["N"]))
            held = self.holding("a", 1, 1) if symbol == "a" else self.nothing()
            kind = {OPEN: 1, END: -1}.get(symbol, 0)
            known = {**held, "kind": kind, "target": s["N"] + 1}
            yield name, s.same(found, s.token(HERE, s["i"], **known))

    def masks(self) -> Step:
        """Three hard heads without a mask: two read state, done and size, one copies the token."""
        s = self.symbols
        for head in self.weights.layer.heads:
            hard = head.attention is Attention.HARD
            yield f"{head.name}: no mask", hard and head.mask is Mask.NONE
        tokens = s.token(HERE, s["i"]), s.token(ONE, s["i"]), s.token(OTHER, s["j"])
        yield "own: at itself", bool(self.weights.gap(OWN, *tokens) == (s["j"] - s["i"]) ** 2)
        yield "own: all", self.weights.values(OWN, *self.layout)
        yield "left: values", self.weights.values(LEFT, *READ)
        yield "right: values", self.weights.values(RIGHT, *READ)

    def left(self) -> Step:
        """Where the left head looks: from an opening bracket, from other tokens, from the end."""
        s = self.symbols
        i, j = s["i"], s["j"]
        tokens = s.token(HERE, i, kind=1), s.token(ONE, i + 1), s.token(OTHER, j)
        yield "opening bracket", bool(self.weights.gap(LEFT, *tokens) == (j - i - 1) ** 2)
        for kind in (0, 1):
            yield f"letter over kind {kind}", pulled(self.weights, 0, i + 1 + s["u"], kind)
            yield f"end over kind {kind}", pulled(self.weights, -1, i, kind)

    def right(self) -> Step:
        """Where the right head looks: at its target, or at the end token."""
        s = self.symbols
        i, j, r = s["i"], s["j"], s["r"]
        tokens = s.token(HERE, i, target=r), s.token(ONE, r), s.token(OTHER, j)
        yield "known target", bool(self.weights.gap(RIGHT, *tokens) == (j - r) ** 2)
        end, here = j + 1 + s["u"], s.token(HERE, i, target=s["N"] + 1)
        found = self.weights.gap(RIGHT, here, s.token(ONE, end, kind=-1), s.token(OTHER, j))
        yield "no target", s.positive(s.put(found, N=end + s["v"]), "j")

    def block(self) -> Step:
        """What the block makes of a token, case by case."""
        s = self.symbols
        p, q, beyond = s["p"], s["q"], s["N"] + 1
        left, whole, none = self.holding("l", 1, p), self.holding("f", 1, q), self.nothing()
        other, known = self.holding("f", s["x"], s["y"]), s["i"] + 1 + p
        done = {**s.product("l", "f"), "done": 1, "size": p + q + 2}
        for name, reads, made in (
            ("left not done", (none, other), {**none, "target": beyond}),
            ("left just done", (left, none), {**none, "target": known}),
            ("both done", (left, whole), {**done, "target": known}),
        ):
            yield name, self.makes(1, {}, reads, made)
        yield "letter or closing", self.makes(0, {}, (none, other), {"target": beyond})
        yield "end", self.makes(-1, none, (none, other), {**none, "target": beyond})

    def makes(self, kind: int, own: Token, reads: tuple[Token, Token], made: Token) -> bool:
        """Whether the block makes the wanted token; what is not made anew stays."""
        s = self.symbols
        before = {**s.token(HERE, s["i"], kind=kind), **own}
        left, right = ([read[x] for x in self.nothing()] for read in reads)
        found = self.weights.forward(before, left=left, right=right)
        wanted = {**before, **made}
        names = set(found) - {"place.0", "place.1"}
        return s.same({x: found[x] for x in names}, {x: wanted[x] for x in names})

    def rank(self) -> Step:
        """2·height bounds ρ at a node whose higher child has height h, the other one h - g."""
        s = self.symbols
        h, g = s["h"], s["g"]
        for name, low in (("higher", h), ("lower", h - g)):
            yield f"left {name}", s.positive(2 * (1 + h) - (2 * low + 2) + 1)
            yield f"right {name}", s.positive(2 * (1 + h) - (2 * low + 1))

    def holding(self, name: str, done: Poly, size: Poly) -> Token:
        """A state of symbols, done and size."""
        return {**self.symbols.state(name), "done": done, "size": size}

    def nothing(self) -> Token:
        """0s."""
        return {**self.symbols.state(None), "done": 0, "size": 0}


def pulled(weights: Weights, own: int, end: Poly, kind: int) -> bool:
    """Whether a token of kind 0 or -1 looks left at the end token rather than at kind 0 or 1."""
    s = weights.symbols
    here, last = s.token(HERE, s["i"], kind=own), s.token(ONE, end, kind=-1)
    gap = weights.gap(LEFT, here, last, s.token(OTHER, s["j"], kind=kind))
    rest = s.put(gap - (s["j"] - s["i"] - 1) ** 2, N=end + s["v"])
    return s.positive(rest, "i")
