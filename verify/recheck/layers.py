"""Certificates on soft attention and smooth units: the error recursion of a whole transformer.

    soft.layers      layers as plain data (forms of heads and of products, by absolute weight), sizes
                     of the hard values, C and h: the recursion is run again in rationals, with exp
                     bounded from above; the sizes of states are compared with those of the automaton

Taken as given: that the layers are those of the construction, that scores are integers with a
unique maximum in the hard pass, and the sizes of all coordinates but the states.
Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.bounds import down, exp, up
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence

Entries = list[tuple[int, int, Fraction]]


class Layer:
    """One layer from plain data: sparse forms with absolute weights."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        only(body, {"heads", "left", "right", "output"})
        self.heads = [self._head(head) for head in sequence(body, "heads")]
        self.left, self.right, self.output = (
            _entries(body[name]) for name in ("left", "right", "output")
        )

    @staticmethod
    def _head(head: Mapping[str, Any]) -> tuple[Entries, Entries, Entries]:
        only(head, {"query", "key", "value"})
        return _entries(head["query"]), _entries(head["key"]), _entries(head["value"])


def _entries(given: Any) -> Entries:
    if not isinstance(given, list):
        raise Refused("expected a list of [row, column, weight]")
    found = [(int(row), int(column), abs(fraction(weight))) for row, column, weight in given]
    if any(row < 0 or column < 0 for row, column, _ in found):
        raise Refused("a negative coordinate")
    return found


def _through(entries: Entries, values: list[Fraction], width: int = 0) -> list[Fraction]:
    size = max([width, *(column + 1 for _, column, _ in entries)])
    found = [Fraction(0)] * size
    for row, column, weight in entries:
        found[column] += weight * values[row]
    return found


class Smooth:
    """Four tanh units a product at the point 1/2, with step h = 2^-bits and scale s.

    With t = tanh x the second derivative is -2t(1 - t²) and the fourth 8t(1 - t²)(2 - 3t²), taken
    over |x - 1/2| ≤ 1/100, where 0 < t < 1/2.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        only(body, {"bits", "scale"})
        bits = integer(body, "bits", 1)
        if bits > 1024:
            raise Refused("a step below 2^-1024")
        self.step, self.scale = Fraction(1, 1 << bits), fraction(body["scale"])
        low, high = _tanh(Fraction(1, 2), 8 * bits + 256)
        curved = sorted(-2 * t * (1 - u * u) for t in (low, high) for u in (low, high))
        ends = [4 * self.step**2 * value * self.scale - 1 for value in (curved[0], curved[-1])]
        self.slope = max(abs(end) for end in ends)
        low, high = _tanh(Fraction(49, 100), 64)[0], _tanh(Fraction(51, 100), 64)[1]
        self.fourth = 8 * high * (1 - low * low) * (2 - 3 * low * low)

    def error(self, p: Fraction, q: Fraction) -> Fraction:
        """The remainder of one product with |x| ≤ p, |y| ≤ q."""
        if self.step * (p + q) > Fraction(1, 100):
            raise Refused("a unit leaves its interval")
        powers = 2 * p**4 + 12 * p**2 * q**2 + 2 * q**4
        remainder = abs(self.scale) * self.fourth * self.step**4 * powers / 12
        return up(remainder + self.slope * p * q, 512)


def _tanh(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    low, high = (1 - 2 / (value + 1) for value in exp(2 * x, bits))
    return low, high


class Recursion:
    """The error recursion of soft attention, with exact or with smooth products."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.tokens, self.saturation = integer(body, "tokens", 2), integer(body, "saturation", 1)
        self.later = [fraction(value) for value in sequence(body, "sizes")]
        self.sizes = [fraction(v) for v in sequence(body, "embedded", len(self.later))]
        self.smooth = None if body["smooth"] is None else Smooth(body["smooth"])
        self.renewed = {integer({"i": i}, "i", 0) for i in sequence(body, "renewed")}

    def leak(self, query: Entries, key: Entries, errors: list[Fraction]) -> Fraction:
        """What a row of softmax gives away, for integer scores with a unique maximum."""
        if not query:
            return Fraction(0)
        q, dq = _through(query, self.sizes), _through(query, errors)
        k, dk = _through(key, self.sizes, len(q)), _through(key, errors, len(q))
        moves = [a * db + da * b + da * db for a, da, b, db in zip(q, dq, k, dk, strict=True)]
        moved = sum(moves, Fraction(0))
        if 2 * moved >= 1:
            raise Refused("scores may move by half their gap")
        return (self.tokens - 1) * exp(-self.saturation * down(1 - 2 * moved, 256))[1]

    def read(self, layer: Layer, errors: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
        """Sizes and errors of what the heads bring."""
        bring: list[Fraction] = []
        wrong: list[Fraction] = []
        for query, key, value in layer.heads:
            lost, size = self.leak(query, key, errors), _through(value, self.sizes)
            bring += size
            wrong += [e + 2 * lost * v for e, v in zip(_through(value, errors), size, strict=True)]
        return bring, wrong

    def after(self, layer: Layer, errors: list[Fraction]) -> list[Fraction]:
        """The errors after a layer, rounded up."""
        bring, wrong = self.read(layer, errors)
        x, dx = _through(layer.left, bring), _through(layer.left, wrong)
        y, dy = _through(layer.right, bring), _through(layer.right, wrong)
        units = [
            a * db + b * da + da * db + (self.smooth.error(a + da, b + db) if self.smooth else 0)
            for a, da, b, db in zip(x, dx, y, dy, strict=True)
        ]
        found = _through(layer.output, units, len(self.sizes))
        if max(found) > max(self.sizes):
            raise Refused("errors grow as large as the values")
        self.sizes = self.later
        return [Fraction(0) if i in self.renewed else up(e, 256) for i, e in enumerate(found)]


class Automaton:
    """|T| and the leaves of a WTA, and B_m: the largest states of trees with m leaves."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        only(body, {"tensor", "leaves"})
        self.tensor = [
            [[abs(fraction(w)) for w in row] for row in rows] for rows in sequence(body, "tensor")
        ]
        self.leaves = [[abs(fraction(w)) for w in vector] for vector in body["leaves"].values()]
        n = len(self.tensor)
        square = all(len(rows) == n and all(len(row) == n for row in rows) for rows in self.tensor)
        if not square or not self.leaves or any(len(vector) != n for vector in self.leaves):
            raise Refused("expected an n × n × n tensor and vectors of length n")

    def states(self, leaves: int) -> list[Fraction]:
        """The entrywise bound over all trees with at most so many leaves."""
        n = range(len(self.tensor))
        kappa = max(sum((self.tensor[i][j][k] for i in n), Fraction(0)) for j in n for k in n)
        known, totals = [_most(self.leaves)], [max(sum(v, Fraction(0)) for v in self.leaves)]
        for m in range(1, leaves):
            total = kappa * totals[0] * totals[-1]
            entries = _most([self._apply(known[i], known[m - 1 - i]) for i in range(m)])
            known.append([min(entry, total) for entry in entries])
            totals.append(total)
        return _most(known)

    def _apply(self, left: list[Fraction], right: list[Fraction]) -> list[Fraction]:
        return [
            sum(
                (w * left[j] * right[k] for j, row in enumerate(rows) for k, w in enumerate(row)),
                Fraction(0),
            )
            for rows in self.tensor
        ]


def _most(vectors: list[list[Fraction]]) -> list[Fraction]:
    return [max(column) for column in zip(*vectors, strict=True)]


FIELDS = {"kind", "tokens", "saturation", "smooth", "sizes", "states", "renewed", "layers"}
FIELDS |= {"embedded", "order", "automaton", "bound"}


def check_layers(body: Mapping[str, Any]) -> str:
    """Run the recursion again, in rationals."""
    only(body, FIELDS)
    recursion = Recursion(body)
    layers = [Layer(layer) for layer in sequence(body, "layers")]
    states = [integer({"i": i}, "i", 0) for i in sequence(body, "states")]
    largest = Automaton(body["automaton"]).states((recursion.tokens + 1) // 3)
    for i, found in zip(states, largest, strict=True):
        for stated in (recursion.sizes[i], recursion.later[i]):
            if not 0 <= stated - found <= found / 2**100:
                raise Refused(f"size of coordinate {i}: stated {stated}, found {found}")
    errors = [Fraction(0)] * len(recursion.sizes)
    order = [integer({"i": i}, "i", 0) for i in sequence(body, "order")]
    agree("layers used", sorted(set(order)), list(range(len(layers))))
    for i in order:
        errors = recursion.after(layers[i], errors)
    if max(errors[i] for i in states) > fraction(body["bound"]):
        raise Refused("the recursion gives a larger error than stated")
    products = "smooth" if recursion.smooth else "exact"
    return f"{len(order)} soft layers, {products} products, err by at most {body['bound']}"


VALIDATORS: dict[str, Callable[[Mapping[str, Any]], str]] = {"soft.layers": check_layers}
