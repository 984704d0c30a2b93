"""Theorem 3 with depths and masks, for every tree of every length: the steps that symbols decide.

Claims        the three kinds of layer of `theorem3.build` on the line, with a symbol for the number N
              of tokens, for every position and every tree; n is fixed, weights are symbols
Notation      d_j markers summed before j; c_j 1 after an opening bracket (and at the first one), else
              0; mark = d² + c after two layers; i an opening bracket, r where its right subtree begins

Checked here, as identities and inequalities of polynomials with the weights of the built layers:
first     the head `previous` finds i - 1 by (j - i + 1)², and 1 from 1; the block makes count = i·mean
          - m_i and mark = the kind of the token before; the mean has a causal mask and no scores
second    mark becomes count² + mark
left      i + 1 from an opening bracket by (j - i - 1)², the end token from elsewhere, by at least 1
right     under an anticausal mask r scores higher than j by (N + 1)((d_j - d_i - 1)² + c_j) + j - r:
          at least 1 for j > r, and for j < r if (d_j - d_i - 1)² + c_j ≥ 1. From any token two scores
          differ by a multiple of N + 1 and by a difference of positions, so there are no ties
block     state = T(left, right) at an opening bracket, so 0 where a factor is 0; kept at letters and
          closing brackets, whose left head reads the end token's 0; the rest is copied

Joined by hand. i times the mean of the markers up to i is their sum, so count = d_i. Where str(t)
stands at depth d its first symbol has depth d and every other one at least d + 1, by induction on t:
the parts of a pair stand at d + 1, and so does its closing bracket. So from an opening bracket i to r
stand: i itself, (d_i - d_i - 1)² = 1; i + 1, flagged, c = 1; the rest of the left subtree, with d_j ≥
d_i + 2. r has d_r = d_i + 1 and follows a letter or a closing bracket, so c_r = 0: r is the maximum. By
induction on l, after l parse layers a subtree of height at most l holds its state and every other
token holds 0. Positions are written anew after each layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from constructions.layout import Layout
from constructions.matrix import Matrix
from constructions.theorem3 import Places, Plan, layout
from constructions.transformer import Attention, Layer, Mask
from verify.engines.tree_proof import LEFT, RIGHT, pulled
from verify.engines.tree_symbols import HERE, ONE, OTHER, Poly, Step, Symbols, Token, Weights

SCALARS = ("count", "kind", "mark")
MEAN, PREVIOUS = 0, 1


@dataclass(frozen=True)
class MaskedProof:
    """The steps of the proof for one n; `layers` may stand in for built ones, by name."""

    n: int
    layers: dict[str, Layer[Matrix]] = field(default_factory=dict)

    @cached_property
    def symbols(self) -> Symbols:
        """All symbols."""
        return Symbols(self.n, SCALARS)

    @property
    def layout(self) -> Layout:
        """The coordinates of a token."""
        return layout(self.n)

    @cached_property
    def plan(self) -> Plan:
        """The construction on the line, with N a symbol."""
        return Plan(self.n, self.symbols["N"], Places.LINE)

    def weights(self, kind: str) -> Weights:
        """One kind of layer."""
        layer = self.layers[kind] if kind in self.layers else self.built(kind)
        return Weights(self.symbols, self.layout, layer)

    def built(self, kind: str) -> Layer[Matrix]:
        """The layer of that kind as `theorem3` builds it."""
        if kind == "parse":
            return self.plan.parse_layer(self.symbols.automaton)
        return self.plan.first_layer() if kind == "first" else self.plan.second_layer()

    def failures(self) -> Iterator[str]:
        """The steps that do not come out, by name."""
        for step in (self.masks, self.first, self.second, self.left, self.right, self.block):
            yield from (f"{step.__name__}: {name}" for name, met in step() if not met)

    def count(self) -> int:
        """How many identities and inequalities are decided."""
        steps = (self.masks, self.first, self.second, self.left, self.right, self.block)
        return sum(1 for step in steps for _ in step())

    def masks(self) -> Step:
        """Which heads there are, hard or averaging, under which mask, and what they read."""
        wanted = {
            "first": (("mean", Mask.CAUSAL), ("previous", Mask.NONE), ("own", Mask.SELF)),
            "second": (("own", Mask.SELF),),
            "parse": (("left", Mask.NONE), ("right", Mask.ANTICAUSAL), ("own", Mask.SELF)),
        }
        reads = {"mean": ("mark",), "previous": ("kind",), "own": tuple(self.layout)}
        for kind, heads in wanted.items():
            found = self.weights(kind)
            yield kind, tuple((h.name, h.mask) for h in found.layer.heads) == heads
            for k, (name, _) in enumerate(heads):
                yield f"{kind}: {name}", found.values(k, *reads.get(name, ("state",)))
                equal = found.layer.heads[k].attention is Attention.SATURATED
                yield f"{kind}: {name} is hard", equal == (name == "mean")

    def first(self) -> Step:
        """The head that finds the token before, and what the block makes."""
        s, weights = self.symbols, self.weights("first")
        i, j = s["i"], s["j"]
        tokens = s.token(HERE, i), s.token(ONE, i - 1), s.token(OTHER, j)
        yield "token before", bool(weights.gap(PREVIOUS, *tokens) == (j - i + 1) ** 2)
        alone = weights.gap(PREVIOUS, s.token(HERE, 1), s.token(ONE, 1), s.token(OTHER, 2 + s["u"]))
        yield "first token", s.positive(alone)
        yield "mean without scores", weights.layer.heads[MEAN].query.shape[1] == 0
        mean, before, m = s["x"], s["y"], s["mark_here"]
        own = s.token(HERE, i, count=i)
        made = {"count": i * mean - m, "mark": before}
        yield "depth and flag", self.makes("first", own, made, mean=[mean], previous=[before])

    def second(self) -> Step:
        """The square of the depth, and the flag."""
        s = self.symbols
        made = {"mark": s["count_here"] ** 2 + s["mark_here"]}
        yield "square and flag", self.makes("second", s.token(HERE, s["i"]), made)

    def left(self) -> Step:
        """Where the left head looks."""
        s, weights = self.symbols, self.weights("parse")
        i, j = s["i"], s["j"]
        tokens = s.token(HERE, i, kind=1), s.token(ONE, i + 1), s.token(OTHER, j)
        yield "opening bracket", bool(weights.gap(LEFT, *tokens) == (j - i - 1) ** 2)
        for kind in (0, 1):
            yield f"letter over kind {kind}", pulled(weights, 0, i + 1 + s["u"], kind)
            yield f"end over kind {kind}", pulled(weights, -1, i, kind)

    def right(self) -> Step:
        """How much higher the right child scores, and that no two tokens score alike."""
        s, weights = self.symbols, self.weights("parse")
        i, j, r, d, flag = s["i"], s["j"], s["r"], s["d"], s["y"]
        depth, beta = s["count_other"], s["N"] + 1
        here, child = s.token(HERE, i, count=d), s.token(ONE, r, count=d + 1, mark=(d + 1) ** 2)
        gap = weights.gap(RIGHT, here, child, s.token(OTHER, j, mark=depth**2 + flag))
        apart = (depth - d - 1) ** 2 + flag
        yield "gap", bool(gap == beta * apart + j - r)
        yield "later", s.positive(s.put(j - r, j=r + 1 + s["u"]))
        earlier = s.put(beta * (1 + s["x"]) + j - r, N=r + s["v"])
        yield "earlier", s.positive(s.put(earlier, r=j + 1 + s["u"]), "j")
        tokens = s.token(HERE, i), s.token(ONE, r), s.token(OTHER, j)
        factor = 2 * (s["count_here"] + 1) * (s["count_one"] - depth)
        factor += s["mark_other"] - s["mark_one"]
        yield "no ties", bool(weights.gap(RIGHT, *tokens) == beta * factor + j - r)

    def block(self) -> Step:
        """What the block of a parse layer makes of a token, case by case."""
        s = self.symbols
        left, right, none = s.vector("l"), s.vector("f"), [0] * self.n
        for name, kind, reads, made in (
            ("both children", 1, (left, right), s.product("l", "f")),
            ("no left state", 1, (none, right), s.state(None)),
            ("no right state", 1, (left, none), s.state(None)),
            ("letter or closing", 0, (none, right), {}),
        ):
            own = s.token(HERE, s["i"], kind=kind)
            yield name, self.makes("parse", own, made, left=reads[0], right=reads[1])
        end = {**s.token(HERE, s["i"], kind=-1), **s.state(None)}
        yield "end", self.makes("parse", end, s.state(None), left=none, right=right)

    def makes(self, kind: str, own: Token, made: Token, **reads: Sequence[Poly]) -> bool:
        """Whether a block makes the wanted token; what is not made anew stays."""
        found, wanted = self.weights(kind).forward(own, **reads), {**own, **made}
        names = set(found) - {"place.0", "place.1"}
        return self.symbols.same({x: found[x] for x in names}, {x: wanted[x] for x in names})
