"""Confirms a bound on the error of softmax and tanh MLPs: the recursion once more, in rationals.

    budget.error   the certificate holds the layers (forms of heads and of products, by absolute
                   weight), the sizes of the hard values, C and h; the recursion is run with exp
                   bounded from above, and the sizes of states are those of the automaton

Taken as given: that the layers are those of the construction, that scores are whole numbers with a
unique maximum in the hard pass, and the sizes of all coordinates but the states. Runs on single
trees are not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.declarations import confirms, read
from verify.recheck.errors import Recomputed, Refused, agree, fraction, integer_in, list_in, only
from verify.recheck.kernel.interval import down, exp, up

Table = Mapping[str, Any]
Entries = list[tuple[int, int, Fraction]]
MOST = 4096
FIELDS = {"tokens", "saturation", "smooth", "sizes", "states", "renewed", "layers"}
FIELDS |= {"embedded", "order", "automaton", "bound"}


class Layer:
    """One layer from plain data: sparse forms with absolute weights."""

    def __init__(self, body: Table) -> None:
        only(body, {"heads", "left", "right", "output"})
        self.heads = [self._head(head) for head in list_in(body, "heads", 1, 8)]
        self.left, self.right, self.output = (
            _entries(body[name]) for name in ("left", "right", "output")
        )

    @staticmethod
    def _head(head: Table) -> tuple[Entries, Entries, Entries]:
        only(head, {"query", "key", "value"})
        return _entries(head["query"]), _entries(head["key"]), _entries(head["value"])


def _entries(given: Any) -> Entries:
    """Entries [row, column, weight] of a form, by absolute weight."""
    place = (0, MOST)
    return [
        (read(place, "row", row), read(place, "column", column), abs(fraction(weight)))
        for row, column, weight in read([[object, 3, 3], 0, MOST], "form", given)
    ]


def _through(entries: Entries, values: list[Fraction], width: int = 0) -> list[Fraction]:
    size = max([width, *(column + 1 for _, column, _ in entries)])
    found = [Fraction(0)] * size
    for row, column, weight in entries:
        if row >= len(values):
            raise Refused("a form reads a coordinate that is not there")
        found[column] += weight * values[row]
    return found


class Smooth:
    """Four tanh units a product at the point 1/2, with step h = 2^-bits and scale s.

    With t = tanh x the second derivative is -2t(1 - t²) and the fourth 8t(1 - t²)(2 - 3t²), taken
    over |x - 1/2| ≤ 1/100, where 0 < t < 1/2.
    """

    def __init__(self, body: Table) -> None:
        only(body, {"bits", "scale"})
        bits = integer_in(body, "bits", 1, 1024)
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
    """The error recursion of soft attention with smooth products."""

    def __init__(self, body: Table) -> None:
        self.tokens = integer_in(body, "tokens", 2, MOST)
        self.saturation = integer_in(body, "saturation", 1, 1 << 20)
        self.later = [fraction(value) for value in list_in(body, "sizes", 1, MOST)]
        count = len(self.later)
        self.sizes = [fraction(value) for value in list_in(body, "embedded", count, count)]
        if min(*self.later, *self.sizes) < 0:
            raise Refused("sizes, embedded: expected no negative size")
        self.smooth = Smooth(body["smooth"])
        self.renewed = set(read([(0, count), 0, count], "renewed", body["renewed"]))

    def leak(self, query: Entries, key: Entries, errors: list[Fraction]) -> Fraction:
        """Weight that softmax gives to other tokens, for integer scores with a unique maximum."""
        if not query:
            return Fraction(0)
        q, dq = _through(query, self.sizes), _through(query, errors)
        k, dk = _through(key, self.sizes, len(q)), _through(key, errors, len(q))
        moves = [a * db + da * b + da * db for a, da, b, db in zip(q, dq, k, dk, strict=True)]
        moved = sum(moves, Fraction(0))
        if 2 * moved >= 1:
            raise Refused("scores may move by half their gap")
        return (self.tokens - 1) * exp(-self.saturation * down(1 - 2 * moved, 256), 128)[1]

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
            a * db + b * da + da * db + self.smooth.error(a + da, b + db)
            for a, da, b, db in zip(x, dx, y, dy, strict=True)
        ]
        found = _through(layer.output, units, len(self.sizes))
        if max(found) > max(self.sizes):
            raise Refused("errors grow as large as the values")
        self.sizes = self.later
        return [Fraction(0) if i in self.renewed else up(e, 256) for i, e in enumerate(found)]


class Automaton:
    """|T| and the leaves of a WTA, and the largest states of trees up to a number of leaves."""

    def __init__(self, tensor: Any, leaves: Any) -> None:
        n = len(tensor)
        if not isinstance(leaves, dict) or not 1 <= len(leaves) <= 26:
            raise Refused("letters: expected leaf vectors")
        parts = [list_in({"part": part}, "part", n, n) for part in tensor]
        self.tensor = [[_vector(row, n) for row in part] for part in parts]
        self.leaves = [_vector(vector, n) for vector in leaves.values()]

    def states(self, leaves: int) -> list[Fraction]:
        """The entrywise bound over all trees with at most that many leaves."""
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


def _vector(row: Any, n: int) -> list[Fraction]:
    """The absolute values of n rationals."""
    return [abs(fraction(w)) for w in list_in({"row": row}, "row", n, n)]


def _most(vectors: list[list[Fraction]]) -> list[Fraction]:
    return [max(column) for column in zip(*vectors, strict=True)]


@confirms(
    "budget.error", "enclosure", "program", construction=("logdepth", "maskless"),
    tensor=[object, 1, 6], letters=object, length=(1, 100), eps=fraction, leaves=(1, 5),
)  # fmt: skip
def error(
    construction: str, tensor: list[Any], letters: Any, length: int, eps: Fraction, leaves: int,
    certificate: Table,
) -> Recomputed:  # fmt: skip
    """Run the recursion again; the model must be for these parameters, and within ε."""
    values = certificate.get("values") or {}
    only(values, {"C", "k", "model"})
    model = values["model"]
    if not isinstance(model, dict):
        raise Refused("model: expected the layers as plain data")
    only(model, FIELDS)
    given = {"tensor": tensor, "leaves": letters}
    agree("automaton", model["automaton"], given)
    agree("C", values["C"], model["saturation"])
    agree("k", values["k"], model["smooth"]["bits"])
    agree("tokens", model["tokens"], length + 1)
    agree("bound", fraction(model["bound"]), eps)
    if eps <= 0:
        raise Refused(f"eps = {eps}: expected a positive number")
    _within(model, Automaton(given["tensor"], given["leaves"]), eps)
    return Recomputed(True, values)


def _within(model: Table, automaton: Automaton, eps: Fraction) -> None:
    recursion = Recursion(model)
    layers = [Layer(layer) for layer in list_in(model, "layers", 1, 8)]
    largest = automaton.states((recursion.tokens + 1) // 3)
    places = [(0, len(recursion.sizes) - 1), len(largest), len(largest)]
    states = read(places, "states", model["states"])
    if recursion.renewed & set(states):
        raise Refused("renewed: a state is never renewed, its error stays")
    for i, found in zip(states, largest, strict=True):
        for stated in (recursion.sizes[i], recursion.later[i]):
            if not 0 <= stated - found <= found / 2**100:
                raise Refused(f"size of coordinate {i}: stated {stated}, found {found}")
    errors = [Fraction(0)] * len(recursion.sizes)
    order = read([(0, len(layers) - 1), 1, 200], "order", model["order"])
    agree("layers used", sorted(set(order)), list(range(len(layers))))
    for i in order:
        errors = recursion.after(layers[i], errors)
    if max(errors[i] for i in states) > eps:
        raise Refused("the recursion gives a larger error than stated")
