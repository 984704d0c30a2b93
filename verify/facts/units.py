"""Facts about networks with one hidden layer: products, polynomials, and lower bounds.

    units.reach         C(m+d, d) units of an activation with pieces come as near to f as one likes
    units.differences   mixed differences of σ at lattice points single out each monomial
    units.multiply      4n³ smooth units multiply n × n matrices within ε on a box
    scheme.product      a bilinear scheme with that number of products is the matrix product
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
    schoolbook_products,
    slim_multiplier,
    strassen_products,
)
from constructions.blocks.smoothing import Product
from verify.facts import unit_lower_bounds as units
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

FLOORS = {
    "relu": (units.floor_of_linear_pieces, units.relu),
    "step": (units.floor_of_constant_pieces, units.step),
}
ACTIVATIONS = {"tanh": sympy.tanh, "sin": sympy.sin, "cosh": sympy.cosh}
SCHEMES = {"schoolbook": schoolbook_products, "strassen": strassen_products}


@fact("units.reach", "exact")
def units_reach_polynomial(activation: str, degree: int, polynomial: list[list[Any]]) -> Outcome:
    """C(m+d, d) units come as near as one likes to a polynomial of degree ≤ d on the unit cube.

    It fails where every choice of what that many units bend, or tell apart, on the diagonal leaves
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
    x = [(sympy.Symbol(f"x{number}"), e) for number, e in enumerate(exponents)]
    # By variable: for each k ≤ e the signed number of ways to leave out k, and the summand of w·x.
    axes = [[((-1) ** k * comb(e, k), (e - k) * u) for k in range(e + 1)] for u, e in x]
    total = sum(
        sympy.prod([ways for ways, _ in chosen]) * sum(part for _, part in chosen) ** power
        for chosen in product(*axes)
    )
    monomial = sympy.prod([u**e for u, e in x])
    wanted = factorial(power) * monomial if power == sum(exponents) else 0
    return bool(sympy.expand(total - wanted) == 0)


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


@fact("scheme.product", "symbolic")
def bilinear_scheme(scheme: str, size: int, products: int) -> Outcome:
    """A bilinear scheme with that number of products is the product of two n × n matrices of blocks.

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
    u = sympy.Symbol("u")
    sigma = ACTIVATIONS[activation](u)
    x, target = Fraction(point), {tuple(exponents): int(c) for exponents, c in polynomial}
    both = units.value_on_diagonal(target, x) + units.value_on_diagonal(target, -x)
    floor = abs(both) / 2
    odd = bool(sympy.simplify(sigma + sigma.subs(u, -u)) == 0)
    if odd and floor:
        return Outcome(False, {}, {"point": point, "floor": str(floor)})
    return Outcome(None)
