"""Theorem 3's softmax model run on trees in mpmath or in balls: the errors of each layer.

The model is the repaired one with masks and positions (i, i²), so that scores are whole numbers and
the gap is 1. The two layers that find the depths have exact products; those that compute states
have exact products or softplus MLPs, which copy exactly. Coq's `TreeSoft.soft_error` is about this
model, and `recursion` has its right sides.

Notation      after l of the later layers a token holds the state of the subtree that begins there,
              if its height is at most l, and 0 otherwise; norms are Euclidean
              S ≥ ‖μ(u)‖ for all trees u, τ = ‖T‖_F ≥ ‖T(x, y)‖ / (‖x‖ ‖y‖), T the longest string,
              λ = T exp(-C (1 - 4(T+2) T exp(-C))) what a head gives away at most
Recursion     e_0 = 0, δ = e_l + 2Sλ, e_(l+1) = τ(Sδ + δ²) + max(τSδ, 2e_l) + ε_blk
MLPs          a product of x and y with |x|, |y| ≤ B is wrong by at most (3/8) h² B⁴; coordinate a of
              a state is a sum of products with weights T_abc, and one more for the gate
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import isqrt
from typing import Any

import flint

from constructions.arithmetic import Balls, Multiprecision
from constructions.arithmetic.objects import ObjectArithmetic
from constructions.automata.trees import (
    Tree,
    relabelled_tree,
    shapes,
    tokens,
    values_from_below,
)
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import SoftplusUnits, smooth_layer
from constructions.core.exact import ball, ceiling
from constructions.core.transformer import Attention, Layer, realise
from constructions.theorem3 import Places, TreeSimulation, build, depth_weight

PREPARING = 2  # layers that find the depths
GUARD = 128  # bits beyond what the error, the scores and the MLPs' differences take
Errors = list[tuple[Any, Any]]


def every_tree(leaves: int, alphabet: Sequence[str]) -> Iterator[Tree]:
    """All trees with at most `leaves` leaves over an alphabet."""
    for count in range(1, leaves + 1):
        for shape, labels in product(shapes(count), product(alphabet, repeat=count)):
            yield relabelled_tree(shape, labels)


@dataclass(frozen=True)
class TreeSubject:
    """A WTA on all trees with at most `leaves` leaves, with the constants of the recursion."""

    automaton: WTA
    leaves: int

    @property
    def length(self) -> int:
        """T, the length of the longest string."""
        return 3 * self.leaves - 2

    @cached_property
    def trees(self) -> list[Tree]:
        """All trees."""
        return [*every_tree(self.leaves, self.automaton.alphabet)]

    @cached_property
    def squared_size(self) -> Fraction:
        """S², for the largest of all states."""
        return max(_square_sum(self.automaton.state(tree)) for tree in self.trees)

    @cached_property
    def squared_factor(self) -> Fraction:
        """τ² = ‖T‖_F²."""
        return _square_sum([w for part in self.automaton.tensor for row in part for w in row])

    @cached_property
    def radius(self) -> int:
        """B: the least whole number from 2S on, and 1."""
        square = 4 * self.squared_size
        root = isqrt(int(square))
        return root + 1 + (root * root < square)

    def proven(self, step: Fraction | None) -> Fraction:
        """A bound on the error of a layer's MLP with inputs up to B; 0 for exact products."""
        if step is None:
            return Fraction(0)
        rows = [1 + sum(abs(w) for row in part for w in row) for part in self.automaton.tensor]
        with flint.ctx.workprec(128):
            unit = Fraction(3, 8) * step**2 * self.radius**4
            return ceiling(ball(_square_sum(rows)).sqrt() * ball(unit))

    def fitted_step(self, eps: Fraction) -> Fraction:
        """The largest h = 2^-k with which the MLP of a layer errs by at most ε."""
        step = Fraction(1)
        while self.proven(step) > eps:
            step /= 2
        return step


def _square_sum(values: Sequence[Any]) -> Fraction:
    return sum((Fraction(value) ** 2 for value in values), Fraction(0))


@dataclass(frozen=True)
class TreeModel:
    """The model at one C, with exact products or with MLPs of step h."""

    subject: TreeSubject
    saturation: int
    step: Fraction | None = None

    @property
    def bits(self) -> int:
        """Binary digits in which the error is seen: e^-C is above 2^(-3C/2)."""
        fine = 0 if self.step is None else 6 * self.step.denominator.bit_length()
        return 3 * self.saturation + fine + GUARD

    @cached_property
    def exact(self) -> TreeSimulation:
        """The weights, with exact products."""
        height = self.subject.leaves - 1
        return build(
            self.subject.automaton, self.subject.length, height,
            Places.LINE, Attention.SOFT, self.saturation,
        )  # fmt: skip

    @cached_property
    def layers(self) -> tuple[Layer[Any], ...]:
        """The layers, with MLPs if the model has a step."""
        first, later = (self.exact.transformer.layers[part] for part in PARTS)
        if self.step is None:
            return (*first, *later)
        one, units = self.exact.plan.layout.at("one"), SoftplusUnits(self.step)
        return (*first, *(smooth_layer(layer, units, one) for layer in later))

    def squared_errors(self, trees: Sequence[Tree], numbers: ObjectArithmetic) -> Iterator[Errors]:
        """For each tree, by layer that computes states: the largest ‖error‖², and that of its MLP."""
        plain = self.exact.transformer
        model = realise(replace(plain, layers=self.layers), numbers)
        products = realise(plain, numbers).layers
        width = range(self.subject.automaton.n)
        for tree in trees:
            symbols = tokens(tree)
            x = start = numbers.array(self.exact.encode(symbols))
            found: Errors = []
            for number, layer in enumerate(model.layers, 1 - PREPARING):
                read = layer.attend(numbers, x)
                x = numbers.renew(layer.feed(numbers, read), start, model.positions)
                if number > 0:
                    held = numbers.array(self.held(symbols, number))
                    made = products[number + PREPARING - 1].feed(numbers, read)
                    pair = [_largest(numbers, x, other, width) for other in (held, made)]
                    found.append((pair[0], pair[1]))
            yield found

    def held(self, symbols: Sequence[str], layers: int) -> list[Any]:
        """The exact states that the tokens hold after `layers` layers that compute states."""
        states = self.subject.automaton.states(symbols)
        high = values_from_below(symbols, lambda _: 0, lambda a, b: 1 + max(a, b))
        nothing = (0,) * self.subject.automaton.n
        places = range(1, len(symbols) + 2)
        return [states[i] if high.get(i, layers + 1) <= layers else nothing for i in places]

    def enclosed(self) -> list[Errors]:
        """For each tree the errors of each layer, and those of its MLP, as balls."""
        with Balls(self.bits) as balls:
            runs = self.squared_errors(self.subject.trees, balls)
            return [[(balls.root(a), balls.root(b)) for a, b in run] for run in runs]

    def measured(self, tree: Tree) -> Errors:
        """The errors for one tree in mpmath, with as many bits."""
        numbers = Multiprecision.of_bits(self.bits)
        [run] = self.squared_errors([tree], numbers)
        return [(numbers.root(a), numbers.root(b)) for a, b in run]

    @cached_property
    def recursion(self) -> list[flint.arb]:
        """The right sides of each layer, with what is proven about the MLPs."""
        length, subject, found = self.subject.length, self.subject, [flint.arb(0)]
        with flint.ctx.workprec(self.bits):
            size, factor = (ball(x).sqrt() for x in (subject.squared_size, subject.squared_factor))
            flags = 2 * length * (-flint.arb(self.saturation)).exp()
            gap = 1 - 2 * depth_weight(length + 1, Places.LINE) * flags
            leak = length * (-self.saturation * gap).exp()
            for _ in range(subject.leaves - 1):
                error = found[-1]
                delta = error + 2 * size * leak
                kept = (factor * size * delta).max(2 * error)
                block = ball(subject.proven(self.step))
                found.append(factor * (size * delta + delta * delta) + kept + block)
        return found[1:]

    def keeps_inside(self) -> bool:
        """True if the recursion keeps what the MLPs read within B."""
        with flint.ctx.workprec(self.bits):
            size = ball(self.subject.squared_size).sqrt()
            return all(bool(size + error <= self.subject.radius) for error in self.recursion)


PARTS = slice(None, PREPARING), slice(PREPARING, None)


def _largest(numbers: ObjectArithmetic, x: Any, wanted: Any, width: range) -> Any:
    """The largest squared norm of the difference of two rows."""
    top = numbers.element(0)
    for row, other in zip(x, wanted, strict=True):
        misses = [row[a] - other[a] for a in width]
        square = sum((miss * miss for miss in misses), numbers.element(0))
        top = top.max(square) if isinstance(top, flint.arb) else max(top, square)
    return top
