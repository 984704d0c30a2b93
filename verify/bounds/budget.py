"""Error bounds of a transformer with soft attention and smooth MLPs against its hard, exact twin.

Claimed      with C large (and h small) the error at every position is below any ε
Derivation   hard and soft pass run side by side. For each coordinate of a token let V bound the
             hard value over all tokens, layers and inputs, and e the difference so far.
  a form     Σ w_c x_c has size at most Σ |w_c| V_c and error at most Σ |w_c| e_c.
  scores     a score is Σ q k over pairs of forms, so it moves by at most
             η = Σ |q| e(k) + e(q) |k| + e(q) e(k).
  leak       the hard scores of a row have a unique maximum, g above all others; softmax of C
             times the moved scores gives those at most λ = (R-1) exp(-C (g - 2η)) together, R
             tokens, if 2η < g.
  a read     |Σ w_j v'_j - v_k| ≤ e(v) + 2 λ |v|. A mean over equal scores has error e(v).
  a product  |x'y' - xy| ≤ |x| e(y) + |y| e(x) + e(x) e(y) + ρ with ρ = 0 for a bilinear layer; for
             hidden units ρ is their remainder on |x| + r(x), |y| + r(y), r(x) = Σ |w_c| bounding
             the error of x as long as nothing that the heads read is off by more than 1. (With
             exact products the recursion gives up where an error reaches the largest V.)
  an output  Σ over products of |weight| times the product's error: the new e. Coordinates that
             are written anew after each layer have none. Then the next layer.
Notation     C saturation, h step of the units, g gap, R tokens; all numbers are balls, a bound is
             an upper end, rounded up
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from constructions.blocks.smoothing import (
    BoundedUnits,
    FourUnits,
    Product,
    constants,
    is_copy,
    products,
)
from constructions.core.exact import ball, ceiling
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Bilinear, Head, Layer, Mask, Transformer
from verify.bounds.norms import largest

Ball = Any
BITS = 256
MOST_SATURATION = 1 << 40
FINEST = 1 << 14
UNIT = Fraction(1)


class TooSoft(ArithmeticError):
    """C is too small, or h too large: scores may move by half their gap."""


@dataclass(frozen=True)
class BudgetSubject:
    """A transformer with hard heads and bilinear layers, with bounds valid for all its runs.

    `embedded` are the V of the coordinates before the first layer, `early` those before the next ones and
    `sizes` those before all others, `gap` is g, `states` are the coordinates of the result and `one` is the
    constant.
    """

    transformer: Transformer[Matrix]
    embedded: tuple[Fraction, ...]
    sizes: tuple[Fraction, ...]
    tokens: int
    gap: Fraction
    states: range
    one: int
    early: tuple[tuple[Fraction, ...], ...] = ()


class AbsoluteForm:
    """A linear form by the absolute values of its weights."""

    def __init__(self, weights: Mapping[int, Entry]) -> None:
        self.terms = [(coordinate, abs(ball(weight))) for coordinate, weight in weights.items()]

    def through(self, values: Sequence[Ball]) -> Ball:
        """Σ |w| value."""
        return sum((weight * values[c] for c, weight in self.terms), flint.arb(0))

    def reach(self, size: Ball) -> Fraction:
        """size + Σ |w|, as a rational: what the form is at most if its inputs are off by 1."""
        return ceiling(sum((weight for _, weight in self.terms), size))


def column_forms(matrix: Matrix) -> list[AbsoluteForm]:
    """The columns of a matrix."""
    return [AbsoluteForm(column) for column in matrix.columns()]


def propagated_sizes(matrix: list[AbsoluteForm], values: Sequence[Ball]) -> list[Ball]:
    """Σ |w| value for each form."""
    return [form.through(values) for form in matrix]


def stages(subject: BudgetSubject) -> list[tuple[Layer[Matrix], list[Ball]]]:
    """Each layer with the sizes before it; layers that are alike are the same objects."""
    layers = subject.transformer.layers
    known = (subject.embedded, *subject.early, subject.sizes)
    before = [[ball(size) for size in sizes] for sizes in known]
    return [(layer, before[min(k, len(known) - 1)]) for k, layer in enumerate(layers)]


class HeadRead:
    """The output of one head and how much of it leaks; integer scores have gap 1."""

    def __init__(
        self, head: Head[Matrix], sizes: Sequence[Ball], tokens: int, gap: Fraction = UNIT
    ) -> None:
        self.name = head.name
        self.query, self.key, self.value = map(column_forms, (head.query, head.key, head.value))
        self.leaks = head.mask is not Mask.SELF and head.query.shape[1] > 0
        self.mean = head.mask is not Mask.SELF and not self.leaks
        self.others, self.gap = tokens - 1, ball(gap)
        self.query_sizes, self.key_sizes = (
            propagated_sizes(self.query, sizes),
            propagated_sizes(self.key, sizes),
        )
        self.sizes = propagated_sizes(self.value, sizes)

    def movement(self, errors: Sequence[Ball]) -> Ball:
        """η: the largest change of a score."""
        query, key = propagated_sizes(self.query, errors), propagated_sizes(self.key, errors)
        sides = zip(self.query_sizes, self.key_sizes, query, key, strict=True)
        return sum((q * dk + dq * k + dq * dk for q, k, dq, dk in sides), flint.arb(0))

    def leak(self, errors: Sequence[Ball], saturation: Ball) -> Ball:
        """λ: what a softmax row gives to tokens that are not its target."""
        if not self.leaks:
            return flint.arb(0)
        gap = self.gap - 2 * self.movement(errors)
        if not gap > 0:
            raise TooSoft(f"head {self.name}")
        return self.others * (-saturation * gap).exp()

    def errors(self, errors: Sequence[Ball], saturation: Ball) -> list[Ball]:
        """The errors of the head's output."""
        lost = self.leak(errors, saturation)
        output_errors = propagated_sizes(self.value, errors)
        return [e + 2 * lost * v for e, v in zip(output_errors, self.sizes, strict=True)]


class LayerProduct:
    """One product of a layer: sizes of its factors, its remainder, where it goes."""

    def __init__(
        self, product: Product, sizes: Sequence[Ball], units: BoundedUnits | None, copy: bool
    ) -> None:
        self.left, self.right = AbsoluteForm(product.left), AbsoluteForm(product.right)
        self.output = AbsoluteForm(product.output).terms
        self.x, self.y = self.left.through(sizes), self.right.through(sizes)
        self.rest = flint.arb(0)
        if units is not None and not (copy and units.copies):
            self.rest = units.error(self.left.reach(self.x), self.right.reach(self.y))

    def error(self, errors: Sequence[Ball]) -> Ball:
        """The error of the product from those of its factors."""
        dx, dy = self.left.through(errors), self.right.through(errors)
        return self.x * dy + self.y * dx + dx * dy + self.rest


class BudgetStep:
    """One layer of the recursion."""

    def __init__(
        self,
        layer: Layer[Matrix],
        sizes: Sequence[Ball],
        subject: BudgetSubject,
        units: BoundedUnits | None,
    ) -> None:
        block = layer.feedforward
        if not isinstance(block, Bilinear):
            raise TypeError("the recursion runs over bilinear layers; MLPs enter by their units")
        self.reads = [HeadRead(head, sizes, subject.tokens, subject.gap) for head in layer.heads]
        self.combine = column_forms(layer.combine)
        inputs = propagated_sizes(
            self.combine, [size for read in self.reads for size in read.sizes]
        )
        ones = constants(layer, subject.one)
        self.products = [LayerProduct(p, inputs, units, is_copy(p, ones)) for p in products(block)]
        self.limit = largest(sizes) if units is None else flint.arb(1)
        self.renewed = subject.transformer.positions
        self.width = len(subject.sizes)

    def after(self, errors: Sequence[Ball], saturation: Ball) -> list[Ball]:
        """The errors after the layer."""
        read = [e for head in self.reads for e in head.errors(errors, saturation)]
        inputs = propagated_sizes(self.combine, read)
        if not all(error < self.limit for error in inputs):
            raise TooSoft(f"a value is off by {self.limit.str(3, radius=False)} or more")
        totals = [flint.arb(0)] * self.width
        for product in self.products:
            error = product.error(inputs)
            for target, weight in product.output:
                totals[target] += weight * error
        kept = [0 if k in self.renewed else error.upper() for k, error in enumerate(totals)]
        return [flint.arb(error) for error in kept]


class BudgetRecursion:
    """The errors of one transformer, for any saturation; its layers are prepared once."""

    def __init__(self, subject: BudgetSubject, units: BoundedUnits | None = None) -> None:
        self.subject = subject
        steps_by_layer: dict[tuple[int, int], BudgetStep] = {}
        self.steps: list[BudgetStep] = []
        with flint.ctx.workprec(BITS):
            for layer, sizes in stages(subject):
                key = id(layer), id(sizes)
                if key not in steps_by_layer:
                    steps_by_layer[key] = BudgetStep(layer, sizes, subject, units)
                self.steps.append(steps_by_layer[key])

    def bound(self, saturation: int) -> Fraction:
        """A bound on the error of every coordinate of a state, over all inputs."""
        return max(ceiling(error) for error in self._states(saturation))

    def _states(self, saturation: int) -> list[Ball]:
        with flint.ctx.workprec(BITS):
            errors: list[Ball] = [flint.arb(0)] * len(self.subject.sizes)
            for step in self.steps:
                errors = step.after(errors, flint.arb(saturation))
        state_errors = [errors[i] for i in self.subject.states]
        if not all(error.is_finite() for error in state_errors):
            raise TooSoft("no finite bound on a state")
        return state_errors

    def within(self, saturation: int, eps: Fraction) -> bool:
        """True if the bound is at most ε."""
        try:
            found = self._states(saturation)
        except TooSoft:
            return False
        # Balls first: written out, an error of 2^(10^9) would take all memory.
        return not any(error > ball(eps) for error in found) and max(map(ceiling, found)) <= eps


def error_bound(
    subject: BudgetSubject, saturation: int, units: BoundedUnits | None = None
) -> Fraction:
    """A bound on the error of every state with softmax at C and, if given, hidden units."""
    return BudgetRecursion(subject, units).bound(saturation)


def least_number(enough: Callable[[int], bool], most: int, what: str) -> int:
    """The least integer from 1 on from which on a property holds; `TooSoft` if `most` does not have it."""
    low, high = 0, 1
    while not enough(high):
        if high >= most:
            raise TooSoft(f"no {what} up to {most}")
        low, high = high, min(2 * high, most)
    return bisection(enough, low, high)


def bisection(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The least number above `low` from which on a property holds, where `high` has it."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def sufficient_saturation(subject: BudgetSubject, eps: Fraction) -> int:
    """The least C, as a whole number, whose bound is at most ε > 0."""
    if eps <= 0:
        raise TooSoft(f"no C brings the error to {eps}")
    recursion = BudgetRecursion(subject)
    return least_number(lambda c: recursion.within(c, eps), MOST_SATURATION, "C")


def sufficient_fineness(
    subject: BudgetSubject,
    saturation: int,
    eps: Fraction,
    activation: str,
    units: Callable[[str, int], BoundedUnits] = FourUnits.of,
) -> int:
    """The least k such that the units of a product with h = 2^-k keep the bound within ε."""

    def enough(bits: int) -> bool:
        return BudgetRecursion(subject, units(activation, bits)).within(saturation, eps)

    return least_number(enough, FINEST, "k of a step h = 2^-k")
