"""Confirms the measured errors of Theorem 3's model on small trees in fixed-point intervals.

tree.measured   the model on every tree once more: heads from markers and depths, products exact or
                by softplus units, summed by their Taylor series; the recursion and the rates
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import isqrt
from typing import Any

from verify.recheck.declarations import ByName, Rising, confirms
from verify.recheck.errors import Recomputed, Refused, agree, fraction, list_in, only
from verify.recheck.kernel import interval, tree
from verify.recheck.kernel.soft import Norm, fixed
from verify.recheck.kernel.tree import Automaton, Tree
from verify.recheck.kernel.tree_soft import Row, heads
from verify.recheck.kernel.unit_series import Series, Units, times
from verify.recheck.kinds.soft_attention import at_most, near, weight
from verify.recheck.kinds.soft_measured import near_digits, power_of_ten

Table = Mapping[str, Any]
AGAINST = ("recursion", "rate")
LOGARITHM, ROOTS = 192, 512  # bits
ZERO: Norm = (Fraction(0), Fraction(0))


def wta(given: object) -> Automaton:
    """A tree automaton with at most three states, and at most three letters."""
    if not isinstance(given, dict):
        raise Refused("expected tensor and leaves")
    only(given, {"tensor", "leaves"})
    n = len(list_in(given, "tensor", 1, 3))
    parts = [list_in({"part": part}, "part", n, n) for part in given["tensor"]]
    tensor = tuple(tuple(_vector(row, n) for row in part) for part in parts)
    leaves = given["leaves"]
    if not isinstance(leaves, dict) or not 1 <= len(leaves) <= 3 or set(leaves) & {"[", "]", ""}:
        raise Refused("leaves: expected one to three letters")
    return Automaton(tensor, {name: _vector(row, n) for name, row in leaves.items()})


def _vector(row: object, n: int) -> tuple[Fraction, ...]:
    return tuple(map(weight, list_in({"row": row}, "row", n, n)))


@dataclass(frozen=True)
class Subject:
    """A tree automaton on all trees with at most so many leaves."""

    name: str
    automaton: Automaton
    leaves: int

    @property
    def length(self) -> int:
        """The length of the longest string."""
        return 3 * self.leaves - 2

    @cached_property
    def trees(self) -> list[Tree]:
        """All trees."""
        return [
            tree.labelled(shape, iter(letters))
            for count in range(1, self.leaves + 1)
            for shape in tree.shapes(count)
            for letters in product(self.automaton.leaves, repeat=count)
        ]

    @cached_property
    def squared_size(self) -> Fraction:
        """The largest square of the Euclidean norm of a state."""
        states = map(self.automaton.state, self.trees)
        return max(sum((x * x for x in state), Fraction(0)) for state in states)

    @cached_property
    def size(self) -> Norm:
        """The largest Euclidean norm of a state."""
        return interval.sqrt(self.squared_size, ROOTS)

    @cached_property
    def factor(self) -> Norm:
        """The Frobenius norm of the tensor."""
        weights = [w for part in self.automaton.tensor for row in part for w in row]
        return interval.sqrt(sum((w * w for w in weights), Fraction(0)), ROOTS)

    @cached_property
    def radius(self) -> int:
        """What the units may read: the least whole number from 2S on, and 1."""
        square = 4 * self.squared_size
        root = isqrt(square.numerator // square.denominator)
        return root + 1 if root * root == square else root + 2

    def proven(self, step: Fraction) -> Norm:
        """The bound on the error of a layer's units: (3/8) h² B⁴ for each product, in all coordinates."""
        rows = [1 + sum(abs(w) for row in part for w in row) for part in self.automaton.tensor]
        unit = Fraction(3, 8) * step**2 * self.radius**4
        low, high = interval.sqrt(sum((row * row for row in rows), Fraction(0)), ROOTS)
        return low * unit, high * unit

    def fitted_step(self, eps: Fraction) -> Fraction:
        """The largest h = 2^-k for which that is at most ε."""
        step = Fraction(1)
        while self.proven(step)[1] > eps:
            step /= 2
        return step

    def recursion(self, saturation: int, mlp: Norm) -> list[Norm]:
        """The right sides, layer by layer."""
        found: list[Norm] = [ZERO]
        leaks = leak(self.length, saturation)
        for _ in range(self.leaves - 1):
            found.append(
                (self._step(found[-1], leaks, mlp, 0), self._step(found[-1], leaks, mlp, 1))
            )
        return found[1:]

    def _step(self, error: Norm, leaks: Norm, mlp: Norm, side: int) -> Fraction:
        size, factor = self.size[side], self.factor[side]
        delta = error[side] + 2 * size * leaks[side]
        kept = max(factor * size * delta, 2 * error[side])
        made = factor * (size * delta + delta * delta) + kept + mlp[side]
        return (interval.down, interval.up)[side](made, 1024)

    def run(self, saturation: int, step: Fraction | None = None) -> list[tuple[Norm, Norm]]:
        """For each layer the largest error and the largest error of its units, over all trees."""
        runs = [list(Pass(self, each, saturation, step).layers()) for each in self.trees]
        return [
            (_largest([error for error, _ in layer]), _largest([mlp for _, mlp in layer]))
            for layer in zip(*runs, strict=True)
        ]


def _largest(norms: Sequence[Norm]) -> Norm:
    return max(norm[0] for norm in norms), max(norm[1] for norm in norms)


def leak(length: int, saturation: int) -> Norm:
    """T exp(-C (1 - 4(T+2) T exp(-C))), which grows with exp(-C)."""
    low, high = interval.exp(Fraction(-saturation), ROOTS)
    slope = 4 * (length + 2) * length
    return (
        length * interval.exp(saturation * (slope * low - 1), ROOTS)[0],
        length * interval.exp(saturation * (slope * high - 1), ROOTS)[1],
    )


class Pass:
    """The model on one tree at one C."""

    def __init__(
        self, subject: Subject, each: Tree, saturation: int, step: Fraction | None
    ) -> None:
        fine = 0 if step is None else 6 * step.denominator.bit_length()
        self.subject, self.tree, self.symbols = subject, each, tree.written(each)
        self.bits = 3 * saturation + fine + 192
        shape = "".join(s if s in ("[", "]") else "a" for s in self.symbols)
        self.heads = heads(shape, subject.length, saturation, self.bits)
        self.units = None if step is None else Units(step)

    def layers(self) -> Iterator[tuple[Norm, Norm]]:
        """The largest error after each layer, and the largest error of its units."""
        leaves = self.subject.automaton.leaves
        states = [self._fixed(leaves.get(symbol)) for symbol in [*self.symbols, ""]]
        for layer in range(1, self.subject.leaves):
            left = [_mixed(row, states, self.bits) for row in self.heads.left]
            right = [_mixed(row, states, self.bits) for row in self.heads.right]
            plain = made = self._blocks(left, right, states, None)
            if self.units is not None:
                series = self._series(self.units, [*left, *right, *states])
                made = self._blocks(left, right, states, series)
            states, held = made, self._held(layer)
            yield self._top(made, held), self._top(made, plain) if self.units else ZERO

    def _fixed(self, state: Sequence[Any] | None) -> Row:
        """A state, or zeros, in fixed point."""
        values = state or (Fraction(0),) * self.subject.automaton.n
        return [fixed(Fraction(x), self.bits) for x in values]

    def _held(self, layer: int) -> list[Row]:
        """The states that tokens should hold after so many layers."""
        known = {node.start: node.tree for node in tree.nodes(self.tree) if node.height <= layer}
        state = self.subject.automaton.state
        places = range(1, len(self.symbols) + 2)
        return [self._fixed(state(known[i]) if i in known else None) for i in places]

    def _series(self, units: Units, rows: Sequence[Row]) -> Series:
        largest = max(abs(end) for row in rows for x in row for end in x)
        return units.series(max(Fraction(largest, 1 << self.bits), Fraction(1)), self.bits)

    def _blocks(
        self, left: list[Row], right: list[Row], own: list[Row], series: Series | None
    ) -> list[Row]:
        kinds = [*({"[": 1}.get(symbol, 0) for symbol in self.symbols), -1]
        read = zip(left, right, own, kinds, strict=True)
        return [self._block(a, b, c, kind, series) for a, b, c, kind in read]

    def _block(self, left: Row, right: Row, own: Row, kind: int, series: Series | None) -> Row:
        """T(left, right) + own - kind · own; copies are exact."""
        bits, one = self.bits, 1 << self.bits
        made: Row = []
        for a, part in enumerate(self.subject.automaton.tensor):
            gate = (kind * own[a][0], kind * own[a][1]) if kind >= 0 else (-own[a][1], -own[a][0])
            if series is not None:
                gate = series.product((kind * one, kind * one), own[a])
            total = own[a][0] - gate[1], own[a][1] - gate[0]
            for b, row in enumerate(part):
                for c, weighed in enumerate(row):
                    if weighed:
                        pair = left[b], right[c]
                        unit = series.product(*pair) if series else times(*pair, bits)
                        term = times(fixed(Fraction(weighed), bits), unit, bits)
                        total = total[0] + term[0], total[1] + term[1]
            made.append(total)
        return made

    def _top(self, rows: Sequence[Row], others: Sequence[Row]) -> Norm:
        """The largest Euclidean norm of a difference of two rows."""
        pairs = [[*zip(*pair, strict=True)] for pair in zip(rows, others, strict=True)]
        misses = [[(a[0] - b[1], a[1] - b[0]) for a, b in pair] for pair in pairs]
        low = max(isqrt(sum(max(x[0], -x[1], 0) ** 2 for x in row)) for row in misses)
        high = max(isqrt(sum(max(-x[0], x[1]) ** 2 for x in row)) + 1 for row in misses)
        return Fraction(low, 1 << self.bits), Fraction(high, 1 << self.bits)


def _mixed(weights: Row, states: Sequence[Row], bits: int) -> Row:
    """Σ_j p_j x_j."""
    found: Row = []
    for column in zip(*states, strict=True):
        parts = [times(p, x, bits) for p, x in zip(weights, column, strict=True)]
        found.append((sum(part[0] for part in parts), sum(part[1] for part in parts)))
    return found


def constant(decades: int) -> int:
    """The least integer C with C ≥ k ln 10."""
    low, high = (-(-decades * end // 1) for end in interval.log(Fraction(10), 96))
    if low != high:
        raise Refused(f"C for 10^-{decades} is not decided")
    return int(low)


@confirms(
    "tree.measured", "enclosure",
    automata=ByName(wta, 1, 6), leaves=(2, 4), decades=Rising((1, 48), 3, 10),
    mlps=[power_of_ten, 0, 3], against=AGAINST,
)  # fmt: skip
def measured(
    automata: dict[str, Automaton], leaves: int, decades: list[int], against: str,
    certificate: Table, mlps: Sequence[str] = (),
) -> Recomputed:  # fmt: skip
    """The runs again, against the recursion or for the rate."""
    values = certificate["values"]
    subjects = [Subject(name, automaton, leaves) for name, automaton in automata.items()]
    constants = [constant(k) for k in decades]
    name = "panels" if against == "recursion" else "misses"
    only(values, {name})
    agree("automata", sorted(values[name]), sorted(automata))
    for subject in subjects:
        runs = [kept(subject, c, None, ZERO) for c in constants]
        if against == "rate":
            if not falls(values["misses"][subject.name], constants, runs):
                return Recomputed(False, values, {"automaton": subject.name})
            continue
        panel = values["panels"][subject.name]
        only(panel, {"C", "error", "bound", "mlps"})
        columns(panel, constants, runs)
        agree("number of MLPs", len(list_in(panel, "mlps", 0)), len(mlps))
        for stated, eps in zip(panel["mlps"], mlps, strict=True):
            floor_of(stated, subject, eps, [constant(k) for k in near_digits(eps, decades)])
    return Recomputed(True, values)


Kept = tuple[list[tuple[Norm, Norm]], list[Norm]]


def kept(subject: Subject, saturation: int, step: Fraction | None, mlp: Norm) -> Kept:
    """The errors and the right sides of every layer; refused if an error is above its right side."""
    layers, sides = subject.run(saturation, step), subject.recursion(saturation, mlp)
    if not all(at_most(error, side) for (error, _), side in zip(layers, sides, strict=True)):
        raise Refused(f"{subject.name}: a layer errs by more than the recursion")
    return layers, sides


def columns(stated: Table, constants: Sequence[int], runs: Sequence[Kept]) -> None:
    """C, error and bound after the last layer."""
    agree("C", stated["C"], [str(c) for c in constants])
    for column, norms in (
        ("error", [layers[-1][0] for layers, _ in runs]),
        ("bound", [sides[-1] for _, sides in runs]),
    ):
        agree(f"number of {column}", len(stated[column]), len(norms))
        for text, norm in zip(stated[column], norms, strict=True):
            near(column, text, norm, up=False)


def floor_of(stated: Table, subject: Subject, eps: str, constants: Sequence[int]) -> None:
    """The runs with units of one step."""
    only(stated, {"eps", "step", "proven", "C", "error", "mlp", "bound"})
    agree("eps", stated["eps"], eps)
    step = subject.fitted_step(fraction(eps))
    agree("step", stated["step"], str(step))
    mlp = subject.proven(step)
    near("proven", stated["proven"], mlp, up=True)
    inside = [
        c for c in constants
        if all(subject.size[1] + side[1] <= subject.radius for side in subject.recursion(c, mlp))
    ]  # fmt: skip
    runs = [kept(subject, c, step, mlp) for c in inside]
    columns(stated, inside, runs)
    agree("number of mlp", len(stated["mlp"]), len(runs))
    for text, (layers, _) in zip(stated["mlp"], runs, strict=True):
        near("mlp", text, layers[-1][1], up=False)


def falls(stated: object, constants: Sequence[int], runs: Sequence[Kept]) -> bool:
    """Whether the logarithm of the error comes nearer to -C with each pair of neighbours."""
    logs = [_log(layers[-1][0]) for layers, _ in runs]
    found = []
    for (c, one), (d, two) in pairwise(zip(constants, logs, strict=True)):
        low, high = (one[0] - two[1]) / (d - c) - 1, (one[1] - two[0]) / (d - c) - 1
        found.append((max(low, -high, Fraction(0)), max(high, -low)))
    texts = list_in({"misses": stated}, "misses", len(found), len(found))
    for text, miss in zip(texts, found, strict=True):
        near("miss", text, miss, up=True)
    return all(at_most(after, before) for before, after in pairwise(found))


def _log(value: Norm) -> Norm:
    return interval.log(value[0], LOGARITHM)[0], interval.log(value[1], LOGARITHM)[1]
