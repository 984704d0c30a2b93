"""Error of the log-depth construction with soft attention and, if wanted, smooth MLPs.

Claimed      with C large (and h small) the error at every position is below any ε
Derivation   hard and soft pass run side by side on integer positions. For each coordinate let V
             bound the hard value over all tokens and layers, and e the difference so far.
  a form     Σ w_c x_c has size at most Σ |w_c| V_c and error at most Σ |w_c| e_c.
  scores     a score is Σ q k over pairs of forms, so it moves by at most
             η = Σ |q| e(k) + e(q) |k| + e(q) e(k).
  leak       hard scores are integers with a unique maximum, so the others are lower by 1 or more;
             softmax of C times the moved scores gives them at most λ = (R-1) exp(-C (1 - 2η))
             together, R tokens, if 2η < 1.
  a read     |Σ w_j v'_j - v_k| ≤ e(v) + 2 λ |v|. A mean over equal scores has error e(v).
  a product  |x'y' - xy| ≤ |x| e(y) + |y| e(x) + e(x) e(y) + ε with ε = 0 for a bilinear layer, and
             for four smooth units the remainder of `multiplication` on |x| + e(x), |y| + e(y).
  an output  Σ over units of |weight| times the unit's error: the new e. Then the next layer.
Sizes        0, 1 for marks; E, E² for positions and depths; with κ = max_jk Σ_i |T_ijk|,
             ν = max |v_σ|_1 and A = max(1, κν), |μ| ≤ ν A^(N-1) and |M| ≤ A^(N-1) entry by entry:
             one level multiplies the 1-norm by at most κ times that of the other child.
All numbers are balls; a bound is an upper end, rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from constructions.logdepth import Simulation, leaves_within
from constructions.logdepth_mlp import Fineness
from constructions.matrix import Matrix
from constructions.multiplication import SLIM, ceiling, product_error
from constructions.transformer import Bilinear, Head, Layer, Mask
from constructions.wta import WTA

Ball = Any
BITS = 256


class TooSoft(ArithmeticError):
    """C is too small: scores may move by half their gap."""


@dataclass(frozen=True)
class Budget:
    """Sizes and errors, one for each coordinate of a token."""

    sizes: tuple[Ball, ...]
    errors: tuple[Ball, ...]


def ball(value: Any) -> Ball:
    """An exact number as a ball."""
    number = Fraction(value)
    return flint.arb(flint.fmpq(number.numerator, number.denominator))


def growth(automaton: WTA) -> tuple[Fraction, Fraction]:
    """(A, ν): the factor of one level and the largest 1-norm of a leaf."""
    n = range(automaton.n)
    kappa = max(sum(abs(automaton.tensor[i][j][k]) for i in n) for j in n for k in n)
    nu = max(sum(abs(value) for value in state) for state in automaton.leaves.values())
    return max(Fraction(1), Fraction(kappa * nu)), Fraction(nu)


def block_sizes(simulation: Simulation) -> dict[str, Fraction]:
    """V for each block of a token."""
    extent, leaves = Fraction(simulation.plan.extent), leaves_within(simulation.plan.length)
    factor, nu = growth(simulation.automaton)
    long = dict.fromkeys(("index", "depth", "pointer", "parent"), extent)
    square = dict.fromkeys(("square", "depth_squared", "parent_squared"), extent**2)
    states = {"matrix": factor ** (leaves - 1), "state": nu * factor ** (leaves - 1)}
    return {**long, **square, **states}


def start(simulation: Simulation) -> Budget:
    """Before the first layer: no error."""
    known, layout = block_sizes(simulation), simulation.plan.layout()
    sizes = tuple(ball(known.get(name, 1)) for name in layout for _ in layout[name])
    return Budget(sizes, (flint.arb(0),) * layout.size)


def through(matrix: Matrix, values: Sequence[Ball]) -> list[Ball]:
    """Σ |w| value for each column."""
    found = [flint.arb(0)] * matrix.shape[1]
    for (row, column), weight in matrix.entries.items():
        found[column] += abs(ball(weight)) * values[row]
    return found


def movement(head: Head[Matrix], budget: Budget) -> Ball:
    """η: by how much a score may move."""
    query, key = through(head.query, budget.sizes), through(head.key, budget.sizes)
    query_error, key_error = through(head.query, budget.errors), through(head.key, budget.errors)
    total = flint.arb(0)
    for q, k, dq, dk in zip(query, key, query_error, key_error, strict=True):
        total += q * dk + dq * k + dq * dk
    return total


def leak(head: Head[Matrix], budget: Budget, tokens: int, saturation: Ball) -> Ball:
    """λ: what a softmax row gives to tokens that are not its target."""
    if head.mask is Mask.SELF or not head.query.shape[1]:
        return flint.arb(0)
    gap = 1 - 2 * movement(head, budget)
    if not gap > 0:
        raise TooSoft(f"head {head.name}")
    return (tokens - 1) * (-saturation * gap).exp()


def read(
    layer: Layer[Matrix], budget: Budget, tokens: int, saturation: Ball
) -> tuple[list[Ball], list[Ball]]:
    """Sizes and errors of what the heads bring, side by side."""
    sizes: list[Ball] = []
    errors: list[Ball] = []
    for head in layer.heads:
        lost = leak(head, budget, tokens, saturation)
        size, error = through(head.value, budget.sizes), through(head.value, budget.errors)
        sizes += size
        errors += [e + 2 * lost * v for e, v in zip(error, size, strict=True)]
    return sizes, errors


def remainder(fineness: Fineness | None, x: Ball, y: Ball) -> Ball:
    """ε: the error of one product by smooth units with |x|, |y| at most these."""
    if fineness is None:
        return flint.arb(0)
    sides = ceiling(x), ceiling(y)
    return product_error(SLIM, fineness.activation, fineness.step, fineness.scale, *sides)


def after(
    layer: Layer[Matrix],
    budget: Budget,
    tokens: int,
    saturation: Ball,
    fineness: Fineness | None = None,
) -> Budget:
    """Errors after one layer of the hard transformer, whose weights are given."""
    block = layer.feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("the recursion runs over the bilinear layers; MLPs enter by their fineness")
    sizes, errors = read(layer, budget, tokens, saturation)
    x, dx = through(block.left, sizes), through(block.left, errors)
    y, dy = through(block.right, sizes), through(block.right, errors)
    units = [
        p * dq + q * dp + dp * dq + remainder(fineness, p + dp, q + dq)
        for p, q, dp, dq in zip(x, y, dx, dy, strict=True)
    ]
    rounded = tuple(error.upper() for error in through(block.output, units))
    return Budget(budget.sizes, rounded)


def error_bound(
    simulation: Simulation, saturation: int, fineness: Fineness | None = None, bits: int = BITS
) -> Fraction:
    """A bound on the error of every state, over all trees of the simulation's length."""
    tokens = simulation.plan.length + 1
    fine = 0 if fineness is None else 8 * fineness.step.denominator.bit_length()
    with flint.ctx.workprec(bits + fine):
        budget = start(simulation)
        for layer in simulation.transformer.layers:
            budget = after(layer, budget, tokens, ball(saturation), fineness)
        return max(ceiling(budget.errors[i]) for i in simulation.plan.layout()["state"])


def enough_saturation(simulation: Simulation, eps: Fraction, most: int = 1 << 14) -> int:
    """The least C, as a whole number, whose bound with exact products is at most ε."""
    low, high = 0, 1
    while not _within(simulation, high, eps):
        low, high = high, 2 * high
        if high > most:
            raise TooSoft(f"no C up to {most}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _within(simulation, middle, eps) else (middle, high)
    return high


def _within(simulation: Simulation, saturation: int, eps: Fraction) -> bool:
    try:
        return error_bound(simulation, saturation) <= eps
    except TooSoft:
        return False


def enough_fineness(
    simulation: Simulation, saturation: int, eps: Fraction, activation: str
) -> tuple[int, Fraction]:
    """(k, bound): the first h = 2^-k, k a multiple of 32, that keeps the bound within ε."""
    for bits in range(32, 1 << 10, 32):
        try:
            bound = error_bound(simulation, saturation, Fineness.of(activation, bits))
        except TooSoft:
            continue
        if bound <= eps:
            return bits, bound
    raise TooSoft("no step down to 2^-1024")
