"""Confirms a bound on the error of softmax and tanh MLPs: the recursion once more, in rationals.

    budget.error   the certificate holds the layers (forms of heads and of products, by absolute
                   weight), the sizes of the hard values, C and h; the recursion is run with exp
                   bounded from above, and the sizes of states are those of the automaton

Taken as given: that the layers are those of the construction, that scores are whole numbers with a
unique maximum in the hard pass, and the sizes of all coordinates but the states. Runs on single
trees are not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.recheck.declarations import ByName, Fields, confirms, read
from verify.recheck.errors import Recomputed, Refused, abbreviate, agree, fraction
from verify.recheck.kernel import tree
from verify.recheck.kernel.activation import product_error
from verify.recheck.kernel.interval import down, exp, up
from verify.recheck.kernel.unit_series import POINT

Table = Mapping[str, Any]
Entries = list[tuple[int, int, Fraction]]
Vector = Sequence[Fraction]
MOST = 4096
NONE = Fraction(0)


def _size(value: Any) -> Fraction:
    """A number that is not negative."""
    if (found := fraction(value)) < 0:
        raise Refused(f"{abbreviate(value)}, expected no negative size")
    return found


def _entry(value: Any) -> tuple[int, int, Fraction]:
    """An entry [row, column, weight] of a form, by absolute weight."""
    row, column, weight = read([object, 3, 3], "entry", value)
    place = (0, MOST)
    return read(place, "row", row), read(place, "column", column), abs(fraction(weight))


FORM = [_entry, 0, MOST]
HEAD = Fields({"query": FORM, "key": FORM, "value": FORM})
LAYER = Fields({"heads": [HEAD, 1, 8], "left": FORM, "right": FORM, "output": FORM})
VALUES = Fields({"C": object, "k": object, "model": Fields({
    "tokens": (2, MOST), "saturation": (1, 1 << 20), "automaton": object, "bound": fraction,
    "smooth": Fields({"bits": (1, 1024), "scale": fraction}), "layers": [LAYER, 1, 8],
    "sizes": [_size, 1, MOST], "embedded": [_size, 1, MOST], "states": [(0, MOST), 1, 6],
    "renewed": [(0, MOST), 0, MOST], "order": [(0, 7), 1, 200],
})})  # fmt: skip
ROW = [fraction, 1, 6]


def _through(entries: Entries, values: Vector, width: int = 0) -> list[Fraction]:
    size = max([width, *(column + 1 for _, column, _ in entries)])
    found = [NONE] * size
    for row, column, weight in entries:
        if row >= len(values):
            raise Refused("a form reads a coordinate that is not there")
        found[column] += weight * values[row]
    return found


class Recursion:
    """The error recursion of soft attention with products of four tanh units at the point 1/2."""

    def __init__(self, model: Table) -> None:
        self.tokens: int = model["tokens"]
        self.saturation: int = model["saturation"]
        self.later: Vector = model["sizes"]
        self.sizes: Vector = model["embedded"]
        agree("number of sizes", len(self.sizes), len(self.later))
        self.step = Fraction(1, 1 << model["smooth"]["bits"])
        self.scale: Fraction = model["smooth"]["scale"]
        self.renewed = set(model["renewed"])

    def leak(self, query: Entries, key: Entries, errors: Vector) -> Fraction:
        """Weight that softmax gives to other tokens, for integer scores with a unique maximum."""
        if not query:
            return NONE
        q, dq = _through(query, self.sizes), _through(query, errors)
        k, dk = _through(key, self.sizes, len(q)), _through(key, errors, len(q))
        moves = [a * db + da * b + da * db for a, da, b, db in zip(q, dq, k, dk, strict=True)]
        moved = sum(moves, NONE)
        if 2 * moved >= 1:
            raise Refused("scores may move by half their gap")
        return (self.tokens - 1) * exp(-self.saturation * down(1 - 2 * moved, 256), 128)[1]

    def read(self, layer: Table, errors: Vector) -> tuple[list[Fraction], list[Fraction]]:
        """Sizes and errors of the heads' outputs."""
        bring: list[Fraction] = []
        wrong: list[Fraction] = []
        for head in layer["heads"]:
            lost = self.leak(head["query"], head["key"], errors)
            size = _through(head["value"], self.sizes)
            missed = _through(head["value"], errors)
            bring += size
            wrong += [e + 2 * lost * v for e, v in zip(missed, size, strict=True)]
        return bring, wrong

    def after(self, layer: Table, errors: Vector) -> list[Fraction]:
        """The errors after a layer, rounded up."""
        bring, wrong = self.read(layer, errors)
        x, dx = _through(layer["left"], bring), _through(layer["left"], wrong)
        y, dy = _through(layer["right"], bring), _through(layer["right"], wrong)
        units = [
            a * db + b * da + da * db + self.unit_error(a + da, b + db)
            for a, da, b, db in zip(x, dx, y, dy, strict=True)
        ]
        found = _through(layer["output"], units, len(self.sizes))
        if max(found) > max(self.sizes):
            raise Refused("errors grow as large as the values")
        self.sizes = self.later
        return [NONE if i in self.renewed else up(e, 256) for i, e in enumerate(found)]

    def unit_error(self, p: Fraction, q: Fraction) -> Fraction:
        """The error of one product with |x| ≤ p, |y| ≤ q."""
        p, q = up(p, 256), up(q, 256)
        return up(product_error("tanh", POINT, self.step, self.scale, p, other=q), 512)


def largest_states(automaton: tree.Automaton, leaves: int) -> list[Fraction]:
    """The entrywise bound on states over all trees with at most that many leaves.

    The automaton has the absolute values of the weights.
    """
    n = range(automaton.n)
    kappa = max(sum((automaton.tensor[i][j][k] for i in n), NONE) for j in n for k in n)
    vectors = list(automaton.leaves.values())
    known, totals = [_most(vectors)], [max(sum(v, NONE) for v in vectors)]
    for m in range(1, leaves):
        total = kappa * totals[0] * totals[-1]
        entries = _most([automaton.product(known[i], known[m - 1 - i]) for i in range(m)])
        known.append([min(entry, total) for entry in entries])
        totals.append(total)
    return _most(known)


def _most(vectors: Sequence[Vector]) -> list[Fraction]:
    return [max(column) for column in zip(*vectors, strict=True)]


@confirms(
    "budget.error", "enclosure", "program", construction=("logdepth", "maskless"),
    tensor=[[ROW, 1, 6], 1, 6], letters=ByName(ROW, 1, 26), length=(1, 100), eps=fraction,
    leaves=(1, 5),
)  # fmt: skip
def error(
    construction: str, tensor: list[list[Vector]], letters: dict[str, Vector], length: int,
    eps: Fraction, leaves: int, certificate: Table,
) -> Recomputed:  # fmt: skip
    """Run the recursion again; the model must be for these parameters, and within ε."""
    values = certificate.get("values") or {}
    given = VALUES.read("values", values)
    model = given["model"]
    rows = {letter: [str(w) for w in row] for letter, row in letters.items()}
    cube = [[[str(w) for w in row] for row in part] for part in tensor]
    agree("automaton", model["automaton"], {"tensor": cube, "leaves": rows})
    agree("C", given["C"], model["saturation"])
    agree("k", given["k"], model["smooth"]["bits"])
    agree("tokens", model["tokens"], length + 1)
    agree("bound", model["bound"], eps)
    if eps <= 0:
        raise Refused(f"eps = {eps}: expected a positive number")
    sizes = {letter: list(map(abs, row)) for letter, row in letters.items()}
    absolute = tree.automaton([[list(map(abs, row)) for row in part] for part in tensor], sizes)
    _within(model, absolute, eps)
    return Recomputed(True, values)


def _within(model: Table, automaton: tree.Automaton, eps: Fraction) -> None:
    recursion, states, order = Recursion(model), model["states"], model["order"]
    largest = largest_states(automaton, (recursion.tokens + 1) // 3)
    if recursion.renewed & set(states):
        raise Refused("renewed: a state is never renewed, its error stays")
    for i, found in zip(states, largest, strict=True):
        for stated in (recursion.sizes[i], recursion.later[i]):
            if not 0 <= stated - found <= found / 2**100:
                raise Refused(f"size of coordinate {i}: stated {stated}, found {found}")
    agree("layers used", sorted(set(order)), list(range(len(model["layers"]))))
    errors = [NONE] * len(recursion.sizes)
    for i in order:
        errors = recursion.after(model["layers"][i], errors)
    if max(errors[i] for i in states) > eps:
        raise Refused("the recursion gives a larger error than stated")
