"""MLPs that multiply two n × n matrices, with one hidden layer and a rigorous error bound.

Claimed       (Appendix B.2) some MLP with 2n⁴ + 3n² + 1 units does it; none is given
Constructs    4 units a product, so 4n³ (slim):
              xy ≈ s (σ(b+h(x+y)) + σ(b-h(x+y)) - σ(b+h(x-y)) - σ(b-h(x-y))), s ≈ 1/(4h² σ''(b));
              through Strassen's seven products of half-size blocks 28 (n/2)³ units
Notation      b point, h step, s scale, all rational; R: |entries| ≤ R; x, y linear forms of the
              left and the right matrix with |x| ≤ p, |y| ≤ q on the domain
Remainder     see `smoothing`
Unlike print  the position is no input of the product; biases are there; σ must be smooth
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import flint

from constructions.blocks.smoothing import (
    SLIM,
    HiddenLayer,
    Product,
    Rule,
    add_four_units,
    product_error,
)
from constructions.core.activations import smooth_activation
from constructions.core.activations.record import SmoothActivation
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.core.matrix import Matrix
from constructions.core.transformer import MLP
from constructions.theorem1 import layout, product_block

FINEST = 1 << 12


@dataclass(frozen=True)
class Multiplier:
    """An MLP that multiplies: its weights, and a bound on its error."""

    n: int
    kind: str
    activation: str
    radius: Fraction
    point: Fraction
    step: Fraction
    scale: Fraction
    bound: Fraction
    block: MLP[Matrix]

    @property
    def units(self) -> int:
        """The number of hidden units."""
        return self.block.hidden.shape[1]

    @property
    def norm_bound(self) -> Fraction:
        """A bound on the error in spectral (and Frobenius) norm: n times the bound of an entry."""
        return self.n * self.bound


def schoolbook_products(n: int) -> tuple[Product, ...]:
    """The n³ products a_ik b_kj."""
    return tuple(
        Product({i * n + k: 1}, {k * n + j: 1}, {i * n + j: 1})
        for i, k, j in product(range(n), repeat=3)
    )


SEVEN = (
    ("11+22", "11+22", {"11": 1, "22": 1}),
    ("21+22", "11", {"21": 1, "22": -1}),
    ("11", "12-22", {"12": 1, "22": 1}),
    ("22", "21-11", {"11": 1, "21": 1}),
    ("11+12", "22", {"11": -1, "12": 1}),
    ("21-11", "11+12", {"22": 1}),
    ("12-22", "21+22", {"11": 1}),
)


def _blocks(text: str) -> dict[str, int]:
    """The signs of blocks in a text: 11-22 is block 11 minus block 22."""
    signs = {text[:2]: 1}
    if len(text) > 2:
        signs[text[3:]] = -1 if text[2] == "-" else 1
    return signs


def strassen_products(n: int) -> tuple[Product, ...]:
    """Strassen's seven products of blocks of size n/2, each by the schoolbook: 7 (n/2)³."""
    if n % 2:
        raise InputError("n", n, "an even size, for blocks of half of it")
    return tuple(
        Product(
            _spread(_blocks(left), n, (i, k)),
            _spread(_blocks(right), n, (k, j)),
            _spread(outputs, n, (i, j)),
        )
        for left, right, outputs in SEVEN
        for i, k, j in product(range(n // 2), repeat=3)
    )


def _spread(signs: Mapping[str, int], n: int, inside: tuple[int, int]) -> dict[int, int]:
    """A combination of blocks, as a form on the entry `inside` of each block."""
    half = n // 2
    return {
        ((int(block[0]) - 1) * half + inside[0]) * n + (int(block[1]) - 1) * half + inside[1]: sign
        for block, sign in signs.items()
    }


def reach(form: Mapping[int, int], radius: Fraction) -> Fraction:
    """The largest absolute value of a form on entries of size at most R."""
    return radius * sum(abs(sign) for sign in form.values())


def entry_error(
    rule: Rule,
    terms: tuple[Product, ...],
    activation: SmoothActivation,
    h: Fraction,
    s: Fraction,
    radius: Fraction,
) -> flint.arb:
    """The largest error of an entry of the product, over all matrices with entries ≤ R."""
    errors: dict[int, flint.arb] = {}
    known: dict[tuple[Fraction, Fraction], flint.arb] = {}
    for term in terms:
        sides = reach(term.left, radius), reach(term.right, radius)
        if sides not in known:
            known[sides] = product_error(rule, activation, h, s, *sides)
        for entry in term.output:
            errors[entry] = errors.get(entry, flint.arb(0)) + known[sides]
    largest = flint.arb(0)
    for error in errors.values():
        largest = largest.max(error)
    return largest


def fitted_step(
    rule: Rule,
    terms: tuple[Product, ...],
    activation: SmoothActivation,
    radius: Fraction,
    eps: Fraction,
) -> tuple[Fraction, Fraction, Fraction]:
    """(h, s, bound): the largest step h = 2^-k whose rigorous bound is at most ε."""
    digits = 96 + 2 * (eps.denominator // eps.numerator).bit_length()
    for k in range(FINEST):
        h = Fraction(1, 1 << k)
        with flint.ctx.workprec(digits + 4 * k):
            curvature = activation.derivative(ball(activation.point), 2)
            s = ceiling((1 / (rule.share * curvature * ball(h * h))).mid())
            error = entry_error(rule, terms, activation, h, s, radius)
            if error.is_finite() and (bound := ceiling(error)) <= eps:
                return h, s, bound
    raise InputError("eps", str(eps), f"an error that a step of 2^-{FINEST} reaches")


def _check_arguments(n: int, radius: Fraction, eps: Fraction) -> None:
    if n < 1:
        raise InputError("n", n, "a size ≥ 1")
    if radius <= 0:
        raise InputError("radius", str(radius), "a bound on the entries, > 0")
    if eps <= 0:
        raise InputError("eps", str(eps), "an error > 0")


def slim_multiplier(n: int, activation: str, radius: Fraction, eps: Fraction) -> Multiplier:
    """4n³ units: each entry of the product within ε on |entries| ≤ R."""
    return _from_scheme(n, "slim", schoolbook_products(n), activation, radius, eps)


def strassen_multiplier(n: int, activation: str, radius: Fraction, eps: Fraction) -> Multiplier:
    """28 (n/2)³ units, n even: fewer than 4n³ = 32 (n/2)³."""
    return _from_scheme(n, "strassen", strassen_products(n), activation, radius, eps)


def _from_scheme(
    n: int, kind: str, terms: tuple[Product, ...], activation: str, radius: Fraction, eps: Fraction
) -> Multiplier:
    _check_arguments(n, radius, eps)
    sigma = smooth_activation(activation)
    h, s, bound = fitted_step(SLIM, terms, sigma, radius, eps)
    hidden = HiddenLayer()
    for term in terms:
        add_four_units(hidden, _embedded_product(n, term), h, s)
    block = hidden.mlp(product_block(n), sigma.point, sigma.name)
    return Multiplier(n, kind, activation, radius, sigma.point, h, s, bound, block)


def _embedded_product(n: int, term: Product) -> Product:
    """A product on the embedding: of its left and right block, written into both."""
    at = layout(n)
    return Product(
        {at["left"][c]: a for c, a in term.left.items()},
        {at["right"][c]: a for c, a in term.right.items()},
        {at[side][c]: a for c, a in term.output.items() for side in ("left", "right")},
    )


def printed_width(n: int) -> int:
    """C(2n²+2, 2) = 2n⁴ + 3n² + 1: the monomials of degree at most 2 in 2n² variables."""
    return (2 * n * n + 2) * (2 * n * n + 1) // 2


def relu_floor(units: int) -> Fraction:
    """No ReLU network with one hidden layer of N units is closer to x² on [0, 1].

    It is linear on N + 1 pieces, one of them of length ℓ ≥ 1/(N+1); with e the error there,
    ℓ²/2 = x_0² - 2 x_1² + x_2² at ends and middle is at most 4e, and so e ≥ ℓ²/8.
    """
    return Fraction(1, 8 * (units + 1) ** 2)
