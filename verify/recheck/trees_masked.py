"""Certificates on the construction with depths and masks, for every tree by symbols.

Kinds         trees.masked-proof: the weights of its three kinds of layer with N a symbol; scores and
              blocks are expanded anew, and every case is compared

A score of the right head is compared with that of the right child; what is said of depths between
an opening bracket and its right child is confirmed on all shapes with at most seven leaves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from verify.recheck.errors import Refused, agree, integer, only, sequence
from verify.recheck.polynomial import (
    Poly,
    add,
    at_least_one,
    minus,
    number,
    power,
    put,
    symbol,
    times,
)
from verify.recheck.trees_free import dot, forms_of, tensor_names, weight_of
from verify.recheck.treework import Tree, before_depths, nodes, shapes_within, written

Body = Mapping[str, Any]
Token = dict[str, Poly]
SCALARS = ("one", "place.0", "place.1", "count", "kind", "mark")
WHOLE = frozenset("ijuvx")
DEPTHS_TO = 7
ONE = number(1)


def proof(body: Body) -> str:
    """Every step of the proof for n = 1 … most, from the weights."""
    only(body, {"kind", "most", "layers"})
    return _proof(json.dumps(body, sort_keys=True))


@cache
def _proof(content: str) -> str:
    body = json.loads(content)
    layers = sequence(body, "layers", integer(body, "most", 1))
    for n, item in enumerate(layers, 1):
        only(item, {"n", "previous", "left", "right", "first", "second", "parse"})
        agree("n", integer(item, "n"), n)
        Layers(item).confirm()
    for tree in shapes_within(DEPTHS_TO):
        between(tree)
    return f"with masks, every tree and length, n = 1 … {body['most']}: heads and cases right"


def between(tree: Tree) -> None:
    """From i to its right child: i one level up, i + 1 after a bracket, the rest two levels down."""
    tokens = written(tree)
    d = before_depths(tokens)
    for node in (node for node in nodes(tree) if node.right):
        i, r = node.start, node.right
        inside = [d[j - 1] >= d[i - 1] + 2 for j in range(i + 2, r)]
        near = d[r - 1] == d[i - 1] + 1 == d[i] and tokens[i - 1] == "[" != tokens[r - 2]
        if not all(inside) or not near:
            raise Refused(f"{''.join(tokens)}, position {i}: other depths on the way")


class Layers:
    """The three kinds of layer, their weights read as polynomials in N."""

    def __init__(self, body: Body) -> None:
        self.n = integer(body, "n", 1)
        self.states = [f"state.{a}" for a in range(self.n)]
        sides = ("previous", "left", "right")
        self.heads = {x: [forms_of(pair) for pair in sequence(body, x)] for x in sides}
        kinds = ("first", "second", "parse")
        self.units = {x: [self.unit(row) for row in sequence(body, x)] for x in kinds}

    def unit(self, row: Any) -> tuple[str, str, str, Poly]:
        """[a, b, c, weight] with known coordinates of the output."""
        if not isinstance(row, list) or len(row) != 4 or row[2] not in {*self.states, *SCALARS}:
            raise Refused("a unit has two factors, a known target and a weight")
        return row[0], row[1], row[2], weight_of(row[3], tensor_names(self.n))

    def confirm(self) -> None:
        """All steps."""
        self.token_before()
        self.left_head()
        self.right_head()
        self.blocks()

    def token(self, who: str, i: Poly, **known: Poly) -> Token:
        """A token with symbols of its own where nothing is known."""
        free = {x: symbol(f"{x}/{who}") for x in (*self.states, *SCALARS)}
        return {**free, "one": ONE, "place.0": i, "place.1": times(i, i), **known}

    def gap(self, head: str, here: Token, one: Token, other: Token) -> Poly:
        """How much higher one token scores."""
        pairs = self.heads[head]
        scores = [
            add(*(times(dot(q, here), dot(k, there)) for q, k in pairs)) for there in (one, other)
        ]
        return minus(*scores)

    def token_before(self) -> None:
        """i - 1 from i, and 1 from 1."""
        i, j = symbol("i"), symbol("j")
        tokens = self.token("here", i), self.token("one", minus(i, ONE)), self.token("other", j)
        found = self.gap("previous", *tokens)
        agree("the token before", found, power(minus(j, minus(i, ONE)), 2))
        later = self.token("other", add(number(2), symbol("u")))
        if not at_least_one(
            self.gap("previous", self.token("here", ONE), self.token("one", ONE), later), WHOLE
        ):
            raise Refused("the first token may look elsewhere than at itself")

    def left_head(self) -> None:
        """i + 1 from an opening bracket, the end token from elsewhere."""
        i, j = symbol("i"), symbol("j")
        square = power(minus(j, add(i, ONE)), 2)
        here, other = self.token("here", i, kind=ONE), self.token("other", j)
        found = self.gap("left", here, self.token("one", add(i, ONE)), other)
        agree("left head of an opening bracket", found, square)
        after = add(i, ONE, symbol("u"))
        for own, end, kind in ((0, after, 0), (0, after, 1), (-1, i, 0), (-1, i, 1)):
            here = self.token("here", i, kind=number(own))
            last = self.token("one", end, kind=number(-1))
            found = self.gap("left", here, last, self.token("other", j, kind=number(kind)))
            rest = put(minus(found, square), {"N": add(end, symbol("v"))})
            if not at_least_one(put(rest, {"i": add(i, ONE)}), WHOLE):
                raise Refused(f"left head of kind {own}: the end may score below kind {kind}")

    def right_head(self) -> None:
        """(N + 1)((d_j - d_i - 1)² + c_j) + j - r, which is at least 1 after r and before it."""
        i, j, r, d = (symbol(x) for x in "ijrd")
        depth, flag, beta = symbol("count/other"), symbol("c"), add(symbol("N"), ONE)
        down = add(d, ONE)
        here = self.token("here", i, count=d)
        child = self.token("one", r, count=down, mark=power(down, 2))
        other = self.token("other", j, mark=add(power(depth, 2), flag))
        apart = add(power(minus(depth, down), 2), flag)
        found = self.gap("right", here, child, other)
        agree("right head", found, add(times(beta, apart), minus(j, r)))
        one, other = self.token("one", r), self.token("other", j)
        factor = times(times(number(2), add(symbol("count/here"), ONE)), minus(one["count"], depth))
        factor = add(factor, minus(other["mark"], one["mark"]))
        found = self.gap("right", self.token("here", i), one, other)
        agree("no ties of the right head", found, add(times(beta, factor), minus(j, r)))
        least = add(times(beta, add(ONE, symbol("x"))), minus(j, r))
        least = put(put(least, {"N": add(r, symbol("v"))}), {"r": add(j, ONE, symbol("u"))})
        if not at_least_one(put(least, {"j": add(j, ONE)}), WHOLE):
            raise Refused("a token before the right child may score as high")

    def blocks(self) -> None:
        """What the three blocks make of a token."""
        i, mean, before = symbol("i"), symbol("mean"), symbol("previous")
        own = self.token("here", i, count=i)
        made = {"count": minus(times(i, mean), own["mark"]), "mark": before}
        self.case("first", own, {"mean": mean, "previous": before}, made)
        own = self.token("here", i)
        self.case("second", own, {}, {"mark": add(times(own["count"], own["count"]), own["mark"])})
        zero: Token = {x: {} for x in self.states}
        product = {f"state.{a}": self.entry(a) for a in range(self.n)}
        for kind, left, right, held in (
            (1, True, True, product),
            (1, False, True, zero),
            (1, True, False, zero),
            (0, False, True, {}),
        ):
            own = self.token("here", i, kind=number(kind))
            self.case("parse", own, self.reads(left, right), held)
        end = {**self.token("here", i, kind=number(-1)), **zero}
        self.case("parse", end, self.reads(False, True), zero)

    def entry(self, a: int) -> Poly:
        """Entry a of T ×₂ left ×₃ right."""
        n = range(self.n)
        return add(
            *(
                times(symbol(f"t{a}{b}{c}"), times(symbol(f"left.{b}"), symbol(f"right.{c}")))
                for b in n
                for c in n
            )
        )

    def reads(self, left: bool, right: bool) -> Token:
        """What two heads read: states of symbols, or 0s."""
        sides = (("left", left), ("right", right))
        return {
            f"{side}.{k}": symbol(f"{side}.{k}") if known else {}
            for side, known in sides
            for k in range(self.n)
        }

    def case(self, kind: str, own: Token, reads: Token, made: Token) -> None:
        """One case: what is not made anew stays."""
        values, found = {**own, **reads}, dict.fromkeys((*self.states, *SCALARS), number(0))
        for a, b, c, weight in self.units[kind]:
            found[c] = add(found[c], times(weight, times(values[a], values[b])))
        for x in (*self.states, "one", "count", "kind", "mark"):
            agree(f"{kind}: {x}", found[x], {**own, **made}[x])


VALIDATORS: dict[str, Callable[[Body], str]] = {"trees.masked-proof": proof}
