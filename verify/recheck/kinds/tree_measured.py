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

from verify.recheck.declarations import ByName, Fields, Rising, confirms
from verify.recheck.errors import Recomputed, Refused, fraction
from verify.recheck.kernel import interval, tree
from verify.recheck.kernel.fixed import (
    ZERO,
    Fixed,
    Row,
    euclidean,
    fixed,
    means,
    minus,
    rational,
    times,
    total,
)
from verify.recheck.kernel.soft import Norm
from verify.recheck.kernel.tree import Automaton, Tree
from verify.recheck.kernel.tree_soft import heads
from verify.recheck.kernel.unit_series import Series, Units
from verify.recheck.kinds.soft_attention import ONE, at_most, rounded, weight
from verify.recheck.kinds.soft_measured import (
    downwards,
    least_constant,
    near_digits,
    power_of_ten,
    slope_misses,
)

Table = Mapping[str, Any]
AGAINST = ("recursion", "rate")
ROOTS = 512  # bits
NOTHING: Norm = (Fraction(0), Fraction(0))


ROW = [weight, 1, 3]
WTA = Fields({"tensor": [[ROW, 1, 3], 1, 3], "leaves": ByName(ROW, 1, 3)})


def wta(given: object) -> Automaton:
    """A tree automaton with at most three states, and at most three letters."""
    return tree.automaton(**WTA.read("automaton", given))


@dataclass(frozen=True)
class Subject:
    """A tree automaton on all trees with at most that many leaves."""

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
    def goals(self) -> list[dict[int, tuple[int, Sequence[Fraction]]]]:
        """For each tree the height and the state of the subtree at each position."""
        state = self.automaton.state
        return [
            {node.start: (node.height, state(node.tree)) for node in tree.nodes(each)}
            for each in self.trees
        ]

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
        """The largest input of the units: the least whole number from 2S on, plus 1."""
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
        found, leaks = [NOTHING], leak(self.length, saturation)
        for _ in range(self.leaves - 1):
            low, high = (self._step(found[-1], leaks, mlp, side) for side in (0, 1))
            found.append((low, high))
        return found[1:]

    def _step(self, error: Norm, leaks: Norm, mlp: Norm, side: int) -> Fraction:
        size, factor = self.size[side], self.factor[side]
        delta = error[side] + 2 * size * leaks[side]
        kept = max(factor * size * delta, 2 * error[side])
        made = factor * (size * delta + delta * delta) + kept + mlp[side]
        return (interval.down, interval.up)[side](made, 1024)

    def run(self, saturation: int, step: Fraction | None = None) -> list[tuple[Norm, Norm]]:
        """For each layer the largest error and the largest error of its units, over all trees."""
        model = Model(self, saturation, step)
        runs = [list(model.layers(*each)) for each in zip(self.trees, self.goals, strict=True)]
        return [
            (largest([error for error, _ in layer]), largest([mlp for _, mlp in layer]))
            for layer in zip(*runs, strict=True)
        ]


def largest(norms: Sequence[Norm]) -> Norm:
    """The largest of some numbers."""
    return max(norm[0] for norm in norms), max(norm[1] for norm in norms)


def leak(length: int, saturation: int) -> Norm:
    """T exp(-C (1 - 4(T+2) T exp(-C))), which grows with exp(-C)."""
    low, high = interval.exp(Fraction(-saturation), ROOTS)
    slope = 4 * (length + 2) * length
    return (
        length * interval.exp(saturation * (slope * low - 1), ROOTS)[0],
        length * interval.exp(saturation * (slope * high - 1), ROOTS)[1],
    )


class Model:
    """The model at one C, with exact products or with units of one step."""

    def __init__(self, subject: Subject, saturation: int, step: Fraction | None) -> None:
        fine = 0 if step is None else 6 * step.denominator.bit_length()
        self.subject, self.saturation = subject, saturation
        self.bits = 3 * saturation + fine + 192
        self.units = None if step is None else Units(step)
        self.leaves = {name: self._fixed(v) for name, v in subject.automaton.leaves.items()}
        self.none = [ZERO] * subject.automaton.n
        self.tensor = [
            [
                (b, c, fixed(w, self.bits))
                for b, row in enumerate(part)
                for c, w in enumerate(row)
                if w
            ]
            for part in subject.automaton.tensor
        ]

    def _fixed(self, state: Sequence[Fraction]) -> Row:
        return [fixed(Fraction(x), self.bits) for x in state]

    def layers(
        self, each: Tree, goals: Mapping[int, tuple[int, Sequence[Fraction]]]
    ) -> Iterator[tuple[Norm, Norm]]:
        """The largest error after each layer, and the largest error of its units."""
        symbols = [*tree.written(each), ""]
        shape = "".join(s if s in ("[", "]") else "a" for s in symbols[:-1])
        weights = heads(shape, self.subject.length, self.saturation, self.bits)
        kinds = [*({"[": 1}.get(symbol, 0) for symbol in symbols[:-1]), -1]
        wanted = {i: (height, self._fixed(state)) for i, (height, state) in goals.items()}
        states = [self.leaves.get(symbol, self.none) for symbol in symbols]
        for layer in range(1, self.subject.leaves):
            left, right = (self._read(side, states) for side in (weights.left, weights.right))
            tokens = list(zip(kinds, left, right, states, strict=True))
            made = plain = [self._block(*token) for token in tokens]
            if self.units is not None:
                series = self.units.for_entries([*left, *right, *states], self.bits)
                made = [self._block(*token, series) for token in tokens]
            states = made
            known = {i: state for i, (height, state) in wanted.items() if height <= layer}
            held = [known.get(i, self.none) for i in range(1, len(symbols) + 1)]
            yield self._top(states, held), self._top(states, plain) if self.units else NOTHING

    def _read(self, rows: Sequence[Row], states: Sequence[Row]) -> list[Row]:
        """The output Σ_j p_j x_j of a head at each position."""
        return means(rows, list(map(list, zip(*states, strict=True))), self.bits)

    def _block(
        self, kind: int, left: Row, right: Row, own: Row, series: Series | None = None
    ) -> Row:
        """T(left, right) + own - kind · own; copies are exact."""
        bits, made = self.bits, []
        for state, terms in zip(own, self.tensor, strict=True):
            parts = [((1 - kind) * state[0], (1 - kind) * state[1])]
            if series is not None:
                parts = [minus(state, series.product((kind << bits,) * 2, state))]
            for b, c, entry in terms:
                pair = left[b], right[c]
                unit = series.product(*pair) if series else times(*pair, bits)
                parts.append(times(entry, unit, bits))
            made.append(total(parts))
        return made

    def _top(self, rows: Sequence[Row], others: Sequence[Row]) -> Norm:
        """The largest Euclidean norm of a difference of two rows."""
        pairs = zip(rows, others, strict=True)
        sizes: list[Fixed] = [euclidean(list(map(minus, *pair))) for pair in pairs]
        return rational((max(s[0] for s in sizes), max(s[1] for s in sizes)), self.bits)


@confirms(
    "tree.measured", "enclosure",
    automata=ByName(wta, 1, 6), leaves=(2, 4), decades=Rising((1, 48), 3, 10),
    mlps=[power_of_ten, 0, 3], against=AGAINST,
)  # fmt: skip
def measured(
    automata: dict[str, Automaton], leaves: int, decades: list[int], against: str,
    mlps: Sequence[str] = (),
) -> Recomputed:  # fmt: skip
    """The runs again, against the recursion or for the rate."""
    subjects = [Subject(name, automaton, leaves) for name, automaton in automata.items()]
    constants = [least_constant(k, ONE) for k in decades]
    if against == "recursion":
        panels = {each.name: panel(each, decades, constants, mlps) for each in subjects}
        return Recomputed(True, {"panels": panels})
    misses = {}
    for subject in subjects:
        errors = [kept(subject, c)[0][-1][0] for c in constants]
        misses[subject.name] = slope_misses(constants, errors, ONE)
    values = {name: [rounded(miss, up=True) for miss in row] for name, row in misses.items()}
    for name, row in misses.items():
        if not all(at_most(after, before) for before, after in pairwise(row)):
            return Recomputed(False, {"misses": values}, {"automaton": name})
    return Recomputed(True, {"misses": values})


Kept = tuple[list[tuple[Norm, Norm]], list[Norm]]


def kept(
    subject: Subject, saturation: int, step: Fraction | None = None, mlp: Norm = NOTHING
) -> Kept:
    """The errors and the right sides of every layer; refused if an error is above its right side."""
    layers, sides = subject.run(saturation, step), subject.recursion(saturation, mlp)
    if not all(at_most(error, side) for (error, _), side in zip(layers, sides, strict=True)):
        raise Refused(f"{subject.name}: a layer errs by more than the recursion")
    return layers, sides


def panel(
    subject: Subject, decades: Sequence[int], constants: Sequence[int], mlps: Sequence[str]
) -> Table:
    """The runs of one automaton, with exact products and with units."""
    runs = [kept(subject, c) for c in constants]
    return {
        **columns(constants, runs),
        "mlps": [floor(subject, eps, near_digits(eps, decades)) for eps in mlps],
    }


def columns(constants: Sequence[int], runs: Sequence[Kept]) -> Table:
    """C, error and bound after the last layer."""
    return {
        "C": [str(c) for c in constants],
        "error": downwards([layers[-1][0] for layers, _ in runs]),
        "bound": downwards([sides[-1] for _, sides in runs]),
    }


def floor(subject: Subject, eps: str, decades: Sequence[int]) -> Table:
    """The runs with units of the step that ε asks for."""
    step = subject.fitted_step(fraction(eps))
    mlp = subject.proven(step)
    inside = [
        c for c in (least_constant(k, ONE) for k in decades)
        if all(subject.size[1] + side[1] <= subject.radius for side in subject.recursion(c, mlp))
    ]  # fmt: skip
    runs = [kept(subject, c, step, mlp) for c in inside]
    return {
        "eps": eps,
        "step": str(step),
        "proven": rounded(mlp, up=True),
        **columns(inside, runs),
        "mlp": downwards([layers[-1][1] for layers, _ in runs]),
    }
