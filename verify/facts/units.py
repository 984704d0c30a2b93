"""What networks with one hidden layer can do: multiply, follow a polynomial, or fail to.

    units.reach         C(m+d, d) units of an activation with pieces come as near to f as one likes
    units.differences   mixed differences of σ at lattice points single out each monomial
    units.multiply      4n³ smooth units multiply n × n matrices within ε on a box
    units.widths        hidden units of built multipliers, against the printed width
    scheme.product      a bilinear scheme with so many products is the matrix product
    network.parity      a network of an odd activation without biases follows f to any precision

Weights that a second computation needs are among the values, as exact rationals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, factorial
from typing import Any

import sympy

from constructions.blocks.multiplication import (
    Multiplier,
    printed_width,
    schoolbook_products,
    slim_multiplier,
    strassen_multiplier,
    strassen_products,
)
from constructions.blocks.smoothing import Product
from verify.facts import unit_lower_bounds as units
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, curve

FLOORS = {
    "relu": (units.floor_of_linear_pieces, units.relu),
    "step": (units.floor_of_constant_pieces, units.step),
}
ACTIVATIONS = {"tanh": sympy.tanh, "sin": sympy.sin, "cosh": sympy.cosh}
SCHEMES = {"schoolbook": schoolbook_products, "strassen": strassen_products}


@fact("units.reach", "exact")
def units_reach_polynomial(activation: str, degree: int, polynomial: list[list[Any]]) -> Outcome:
    """C(m+d, d) units come as near as one likes to a polynomial of degree ≤ d on the unit cube.

    It fails where all choices of what so many units can bend, or tell apart, on the diagonal leave
    an error; the activation must be no polynomial of degree below d.
    """
    target = {tuple(exponents): int(c) for exponents, c in polynomial}
    inputs = len(next(iter(target)))
    floor, sigma = FLOORS[activation]
    count = comb(inputs + degree, degree)
    least = floor(count, target, sigma)
    if least > 0 and units.exceeds_degree(sigma, degree - 1):
        return Outcome(False, {"units": count}, {"units": count, "floor": str(least)})
    return Outcome(None, {"units": count})


def exponent_shapes(total: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """The exponents of a monomial of that degree, largest first."""
    if total == 0:
        yield ()
    for first in range(min(total, largest or total), 0, -1):
        for rest in exponent_shapes(total - first, first):
            yield (first, *rest)


@fact("units.differences", "exact")
def differences(most: int) -> Outcome:
    """Mixed differences at lattice points single out each monomial of degree at most `most`.

    For x^e of degree k the difference of (w·x)^p over 0 ≤ w ≤ e is 0 for p < k, and k! x^e for p = k.
    """
    seen = [e for k in range(1, most + 1) for e in exponent_shapes(k)]
    for exponents in seen:
        power = next(
            (p for p in range(sum(exponents) + 1) if not _isolates_monomial(exponents, p)), None
        )
        if power is not None:
            return Outcome(False, {}, {"exponents": list(exponents), "power": power})
    return Outcome(True, {"monomials": len(seen)})


def _isolates_monomial(exponents: tuple[int, ...], power: int) -> bool:
    x = sympy.symbols(f"x:{len(exponents)}")
    total = sympy.Integer(0)
    for w in product(*(range(e + 1) for e in exponents)):
        sign = (-1) ** (sum(exponents) - sum(w))
        ways = sympy.prod([comb(e, k) for e, k in zip(exponents, w, strict=True)])
        total += sign * ways * _linear_form(w, x) ** power
    monomial = sympy.prod([variable**e for variable, e in zip(x, exponents, strict=True)])
    wanted = factorial(power) * monomial if power == sum(exponents) else 0
    return bool(sympy.expand(total - wanted) == 0)


def _linear_form(w: Sequence[int], x: Sequence[sympy.Symbol]) -> sympy.Expr:
    return sum((k * variable for k, variable in zip(w, x, strict=True)), sympy.Integer(0))


def multiplier_weights(network: Multiplier) -> dict[str, str]:
    """Point b, step h and scale s of a multiplier."""
    return {"point": str(network.point), "step": str(network.step), "scale": str(network.scale)}


@fact("units.multiply", "enclosure")
def multiply(activations: list[str], states: int, radius: str, eps: str) -> Outcome:
    """4n³ units multiply n × n matrices with entries of size at most R, each entry within ε."""
    weights_by_activation = {}
    for name in activations:
        network = slim_multiplier(states, name, Fraction(radius), Fraction(eps))
        if network.bound > Fraction(eps) or network.units != 4 * states**3:
            return Outcome(False, {}, {"activation": name, "units": network.units})
        weights_by_activation[name] = multiplier_weights(network)
    return Outcome(True, {"weights": weights_by_activation})


@fact("units.widths", "exact")
def multiplier_widths(most: int) -> Outcome:
    """Built multipliers have 4n³ units, 28(n/2)³ for even n, and never more than 2n⁴ + 3n² + 1."""
    box, eps = Fraction(2), Fraction(1, 1000)
    sizes = list(range(1, most + 1))
    even = [n for n in sizes if n % 2 == 0]
    printed = [printed_width(n) for n in sizes]
    plain = [slim_multiplier(n, "tanh", box, eps).units for n in sizes]
    fast = [strassen_multiplier(n, "tanh", box, eps).units for n in even]
    curves = [
        curve("printed, 2n⁴ + 3n² + 1", sizes, printed),
        curve("four units a product, 4n³", sizes, plain),
        curve("by Strassen, 28(n/2)³", even, fast),
    ]
    right = plain == [4 * n**3 for n in sizes] and fast == [28 * (n // 2) ** 3 for n in even]
    wide = [n for n, a, b in zip(sizes, plain, printed, strict=True) if a > b]
    holds = right and not wide
    return Outcome(holds, {"curves": curves}, None if holds else {"too wide": wide})


@fact("scheme.product", "symbolic")
def bilinear_scheme(scheme: str, size: int, products: int) -> Outcome:
    """A bilinear scheme with so many products is the product of two n × n matrices of blocks.

    Brent's equations are an identity in entries that need not commute, so the entries may be blocks.
    """
    terms = SCHEMES[scheme](size)
    tensor = scheme_tensor(terms)
    wanted = {(i * size + k, k * size + j, i * size + j): 1 for i, k, j in
              product(range(size), repeat=3)}  # fmt: skip
    holds = tensor == wanted and len(terms) == products
    forms = [
        [[[c, s] for c, s in form.items()] for form in (t.left, t.right, t.output)] for t in terms
    ]
    return Outcome(holds, {"terms": forms}, None if holds else {"products": len(terms)})


def scheme_tensor(terms: Sequence[Product]) -> dict[tuple[int, int, int], int]:
    """The tensor of a scheme, without zeros."""
    entries: dict[tuple[int, int, int], int] = {}
    for term in terms:
        for (a, x), (b, y), (c, z) in product(
            term.left.items(), term.right.items(), term.output.items()
        ):
            entries[a, b, c] = entries.get((a, b, c), 0) + x * y * z
    return {at: value for at, value in entries.items() if value}


@fact("network.parity", "exact")
def networks_reach_polynomial(activation: str, polynomial: list[list[Any]], point: str) -> Outcome:
    """Networks without biases come as near as one likes to a polynomial on [-x, x], x the point.

    A network of an odd activation is odd, g(-x) = -g(x), so that one of f(x) - g(x) and
    f(-x) - g(-x) is at least |f(x) + f(-x)|/2 in size.
    """
    u = sympy.Symbol("u", real=True)
    sigma = ACTIVATIONS[activation](u)
    x, target = Fraction(point), {tuple(exponents): int(c) for exponents, c in polynomial}
    both = units.value_on_diagonal(target, x) + units.value_on_diagonal(target, -x)
    floor = abs(both) / 2
    odd = bool(sympy.simplify(sigma + sigma.subs(u, -u)) == 0)
    if odd and floor > 0:
        return Outcome(False, {}, {"point": point, "floor": str(floor)})
    return Outcome(None)
