"""Certificates on the construction without masks: for every tree by symbols, and layer by layer.

Kinds         trees.free-proof: the weights of the layer with N a symbol; scores and block are
              expanded anew, every case of the invariant is compared, then the layer is run

From the weights alone: which position scores highest, as a polynomial in positions, and what the
block makes of each case. How the cases make an induction on layers is said beside the proof; the
run on all shapes with at most four leaves, at N tokens and at three more, follows it once more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence
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
from verify.recheck.treework import PRIME, Tree, layers_without_masks, nodes, shapes_within, written

Body = Mapping[str, Any]
Token = dict[str, Poly]
SCALARS = ("one", "place.0", "place.1", "kind", "done", "size", "target")
HOLDS = ("done", "size")
SIDES = ("left", "right", "own")
WHO = ("here", "one", "other")
KINDS = {"letter": 0, "open": 1, "close": 0, "end": -1}
RUN_TO = 4
WHOLE = frozenset("ijuv")


def proof(body: Body) -> str:
    """Every step of the proof for n = 1 … most, from the weights."""
    only(body, {"kind", "most", "layers"})
    return _proof(json.dumps(body, sort_keys=True))


@cache
def _proof(content: str) -> str:
    body = json.loads(content)
    layers = sequence(body, "layers", integer(body, "most", 1))
    for n, layer in enumerate(layers, 1):
        only(layer, {"n", "left", "right", "own", "units", "start"})
        agree("n", integer(layer, "n"), n)
        Layer(layer).confirm()
    return f"without masks, every tree and length, n = 1 … {body['most']}: heads and cases right"


class Layer:
    """One layer, its weights read as polynomials in N."""

    def __init__(self, body: Body) -> None:
        self.n = integer(body, "n", 1)
        self.states = [f"state.{a}" for a in range(self.n)]
        self.heads = {x: [forms_of(pair) for pair in sequence(body, x)] for x in SIDES}
        self.units = [self.unit(row) for row in sequence(body, "units")]
        self.start = body["start"]

    def unit(self, row: Any) -> tuple[str, str, str, Poly]:
        """[a, b, c, weight] with known names."""
        if not isinstance(row, list) or len(row) != 4:
            raise Refused("a unit has two factors, a target and a weight")
        a, b, c, weight = row
        reads = {f"{side}.{k}" for side in ("left", "right") for k in range(self.n + 2)}
        inside = {*self.states, *SCALARS}
        if not {a, b} <= inside | reads or c not in inside:
            raise Refused(f"unit {a}, {b}, {c}: unknown coordinate")
        return a, b, c, weight_of(weight, tensor_names(self.n))

    def confirm(self) -> None:
        """All steps."""
        self.starts()
        self.own_head()
        self.left_head()
        self.right_head()
        self.cases()
        self.run()

    def starts(self) -> None:
        """Letters hold (v, 1, 1), everything else 0s; every target is N + 1."""
        only(self.start, set(KINDS))
        beyond = add(symbol("N"), number(1))
        for name, kind in KINDS.items():
            held = name == "letter"
            wanted = {x: symbol(f"a{k}") if held else {} for k, x in enumerate(self.states)}
            wanted |= {x: number(int(held)) for x in HOLDS}
            wanted |= {"one": number(1), "kind": number(kind), "target": beyond}
            only(self.start[name], set(wanted))
            letters = {f"a{k}" for k in range(self.n)}
            found = {x: weight_of(w, letters) for x, w in self.start[name].items()}
            agree(f"{name} at the start", found, wanted)

    def score(self, head: str, here: Token, there: Token) -> Poly:
        """Query times key."""
        return add(*(times(dot(q, here), dot(k, there)) for q, k in self.heads[head]))

    def gap(self, head: str, here: Token, one: Token, other: Token) -> Poly:
        """How much higher one token scores."""
        return minus(self.score(head, here, one), self.score(head, here, other))

    def token(self, who: str, i: Poly, **known: Poly) -> Token:
        """A token with symbols of its own where nothing is known."""
        free = {x: symbol(f"{x}/{who}") for x in (*self.states, *SCALARS)}
        return {**free, "one": number(1), "place.0": i, "place.1": times(i, i), **known}

    def left_head(self) -> None:
        """i + 1 from an opening bracket, the end token from elsewhere."""
        i, j, one = symbol("i"), symbol("j"), number(1)
        square = power(minus(j, add(i, one)), 2)
        here, other = self.token("here", i, kind=one), self.token("other", j)
        found = self.gap("left", here, self.token("one", add(i, one)), other)
        agree("left head of an opening bracket", found, square)
        after = add(i, one, symbol("u"))
        for own, end, kind in ((0, after, 0), (0, after, 1), (-1, i, 0), (-1, i, 1)):
            here, last = (
                self.token("here", i, kind=number(own)),
                self.token("one", end, kind=number(-1)),
            )
            found = self.gap("left", here, last, self.token("other", j, kind=number(kind)))
            rest = put(minus(found, square), {"N": add(end, symbol("v"))})
            if not at_least_one(put(rest, {"i": add(i, one)}), WHOLE):
                raise Refused(f"left head of kind {own}: the end may score below kind {kind}")

    def own_head(self) -> None:
        """A token finds itself."""
        i, j = symbol("i"), symbol("j")
        found = self.gap("own", *(self.token(x, p) for x, p in zip(WHO, (i, i, j), strict=True)))
        agree("own head", found, power(minus(j, i), 2))

    def right_head(self) -> None:
        """The target where it is a position, the end token where it is N + 1."""
        i, j, r, one = symbol("i"), symbol("j"), symbol("r"), number(1)
        other = self.token("other", j)
        found = self.gap("right", self.token("here", i, target=r), self.token("one", r), other)
        agree("right head with a target", found, power(minus(j, r), 2))
        end = add(j, one, symbol("u"))
        here = self.token("here", i, target=add(symbol("N"), one))
        found = self.gap("right", here, self.token("one", end, kind=number(-1)), other)
        rest = put(found, {"N": add(end, symbol("v"))})
        if not at_least_one(put(rest, {"j": add(j, one)}), WHOLE):
            raise Refused("right head without a target: the end may score below another token")

    def cases(self) -> None:
        """What the block makes of brackets, letters and the end token."""
        i, p, q, beyond = symbol("i"), symbol("p"), symbol("q"), add(symbol("N"), number(1))
        zero, left, right = self.held(None), self.held("l", p), self.held("r", q)
        other = self.held("r", symbol("y"), symbol("x"))
        done = {
            f"state.{a}": add(
                *(
                    times(symbol(f"t{a}{b}{c}"), times(symbol(f"l{b}"), symbol(f"r{c}")))
                    for b in range(self.n)
                    for c in range(self.n)
                )
            )
            for a in range(self.n)
        }
        done |= {"done": number(1), "size": add(p, q, number(2))}
        known = add(i, p, number(1))
        self.case("left not done", 1, {}, (zero, other), {**zero, "target": beyond})
        self.case("left just done", 1, {}, (left, zero), {**zero, "target": known})
        self.case("both done", 1, {}, (left, right), {**done, "target": known})
        self.case("letter or closing", 0, {}, (zero, other), {"target": beyond})
        self.case("end", -1, zero, (zero, other), {**zero, "target": beyond})

    def held(self, name: str | None, size: Poly | None = None, done: Poly | None = None) -> Token:
        """state, done and size; 0s where there is no name."""
        if name is None:
            return {x: {} for x in (*self.states, *HOLDS)}
        state = {x: symbol(f"{name}{a}") for a, x in enumerate(self.states)}
        return {**state, "done": done or number(1), "size": size or {}}

    def case(
        self, name: str, kind: int, own: Token, reads: tuple[Token, Token], made: Token
    ) -> None:
        """One case: what is not made anew stays."""
        before = {**self.token("here", symbol("i"), kind=number(kind)), **own}
        sides = zip(("left", "right"), reads, strict=True)
        seen = {
            f"{side}.{k}": read[x]
            for side, read in sides
            for k, x in enumerate((*self.states, *HOLDS))
        }
        found = self.block({**before, **seen})
        for x in (*self.states, *HOLDS, "one", "kind", "target"):
            agree(f"{name}: {x}", found.get(x, {}), {**before, **made}[x])

    def block(self, values: Mapping[str, Poly]) -> Token:
        """The sum of all units."""
        found: Token = {}
        for a, b, c, weight in self.units:
            found[c] = add(found.get(c, {}), times(weight, times(values[a], values[b])))
        return found

    def run(self) -> None:
        """The layer on all small shapes, with numbers in place of the symbols."""
        numbers = {
            name: value % PRIME for name, value in zip(self.entries(), count(3), strict=False)
        }
        for tree in shapes_within(RUN_TO):
            for spare in (0, 3):
                self.follow(tree, len(written(tree)) + 1 + spare, numbers)

    def entries(self) -> list[str]:
        """The names of tensor and leaf vector."""
        return [*sorted(tensor_names(self.n)), *(f"a{k}" for k in range(self.n))]

    def follow(self, tree: Tree, tokens: int, numbers: Mapping[str, int]) -> None:
        """After L layers exactly the subtrees due by then hold their states."""
        known = {**numbers, "N": tokens}
        rows = [self.embedded(name, i, known) for i, name in enumerate(_kinds(tree), 1)]
        due = layers_without_masks(tree)
        for layer in range(2 * nodes(tree)[0].height + 1):
            for node in nodes(tree):
                wanted = (
                    self.state(node.tree, numbers) if due[node.start] <= layer else [0] * self.n
                )
                found = [rows[node.start - 1][x] for x in self.states]
                agree(f"{''.join(written(tree))}, layer {layer}, {node.start}", found, wanted)
            rows = [self.step(rows, i, known) for i in range(len(rows))]

    def embedded(self, name: str, i: int, known: Mapping[str, int]) -> dict[str, int]:
        """A token at the start, in numbers."""
        letters = {f"a{k}" for k in range(self.n)}
        values = {x: value(weight_of(w, letters), known) for x, w in self.start[name].items()}
        return {**values, "place.0": i, "place.1": i * i}

    def state(self, tree: Tree, numbers: Mapping[str, int]) -> list[int]:
        """μ(t) modulo the prime."""
        n = range(self.n)
        if isinstance(tree, str):
            return [numbers[f"a{k}"] for k in n]
        left, right = self.state(tree[0], numbers), self.state(tree[1], numbers)
        return [
            sum(numbers[f"t{a}{b}{c}"] * left[b] * right[c] for b in n for c in n) % PRIME
            for a in n
        ]

    def step(
        self, rows: Sequence[Mapping[str, int]], i: int, known: Mapping[str, int]
    ) -> dict[str, int]:
        """One token after one layer, modulo the prime where states are."""
        here = rows[i]
        values = dict(rows[self.highest("own", rows, here, known)])
        for side in ("left", "right"):
            best = rows[self.highest(side, rows, here, known)]
            values |= {f"{side}.{k}": best[x] for k, x in enumerate((*self.states, *HOLDS))}
        found = dict.fromkeys(here, 0)
        for a, b, c, weight in self.units:
            found[c] += value(weight, known) * values[a] * values[b]
        made = {x: v % PRIME if x in self.states else v for x, v in found.items()}
        return {**made, "place.0": here["place.0"], "place.1": here["place.1"]}

    def highest(
        self,
        side: str,
        rows: Sequence[Mapping[str, int]],
        here: Mapping[str, int],
        known: Mapping[str, int],
    ) -> int:
        """The position with the one highest score."""
        scores = []
        for there in rows:
            pairs = self.heads[side]
            scores.append(sum(_at(q, here, known) * _at(k, there, known) for q, k in pairs))
        if scores.count(max(scores)) != 1:
            raise Refused(f"the {side} head has a tie")
        return scores.index(max(scores))


def weight_of(weight: Any, known: set[str]) -> Poly:
    """A list of coefficients of 1, N, N², …, none of them spare, or a known name."""
    if isinstance(weight, str):
        if weight not in known:
            raise Refused(f"weight {weight!r} is not known")
        return symbol(weight)
    if not isinstance(weight, list) or not weight or (len(weight) > 1 and weight[-1] == "0"):
        raise Refused("a weight is a name or a list of coefficients")
    found: Poly = {}
    for k, text in enumerate(weight):
        coefficient = fraction(text)
        if coefficient.denominator != 1:
            raise Refused(f"coefficient {text} is no integer")
        found = add(found, times(number(coefficient.numerator), power(symbol("N"), k)))
    return found


def tensor_names(n: int) -> set[str]:
    """t000 …, the entries of the tensor."""
    return {f"t{a}{b}{c}" for a in range(n) for b in range(n) for c in range(n)}


def value(polynomial: Poly, known: Mapping[str, int]) -> int:
    """A polynomial at a point."""
    result = 0
    for monomial, c in polynomial.items():
        for name in monomial:
            c *= known[name]
        result += c
    return result


def forms_of(pair: Any) -> tuple[dict[str, Poly], dict[str, Poly]]:
    """A column of queries and one of keys, as linear forms."""
    if not isinstance(pair, list) or len(pair) != 2:
        raise Refused("a head is a list of pairs of linear forms")
    query, key = ({x: weight_of(w, set()) for x, w in form.items()} for form in pair)
    return query, key


def dot(form: Mapping[str, Poly], token: Token) -> Poly:
    """A linear form of a token."""
    return add(*(times(weight, token[x]) for x, weight in form.items()))


def _at(form: Mapping[str, Poly], row: Mapping[str, int], known: Mapping[str, int]) -> int:
    return sum(value(weight, known) * row[x] for x, weight in form.items())


def _kinds(tree: Tree) -> Iterator[str]:
    for token in written(tree):
        yield {"[": "open", "]": "close"}.get(token, "letter")
    yield "end"


VALIDATORS: dict[str, Callable[[Body], str]] = {"trees.free-proof": proof}
