"""Polynomials whose equal parts are shared, against python-flint's lists of monomials."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.arithmetic import Polynomial, SharedPolynomials
from constructions.arithmetic.shared_polynomials import SharedPolynomial
from constructions.core.exact import cos_pi
from constructions.core.matrix import Matrix, Tensor

NAMES = ["x", "y", "z"]
LEAVES = st.sampled_from(NAMES) | st.integers(-2, 2)
EXPRESSIONS = st.recursive(
    LEAVES, lambda parts: st.tuples(st.sampled_from("+-*"), parts, parts), max_leaves=12
)


def value(expression, generators):
    """The value of a nested expression in a ring."""
    if isinstance(expression, str):
        return generators[expression]
    if isinstance(expression, int):
        return expression
    sign, left, right = expression
    a, b = value(left, generators), value(right, generators)
    return a + b if sign == "+" else a - b if sign == "-" else a * b


def flint_value(expression, ring: Polynomial):
    """The same in python-flint, as a polynomial also where it is a number."""
    return value(expression, ring.generators) + ring.context.constant(0)


def monomials(polynomial) -> dict[tuple[int, ...], int]:
    """The coefficients of a shared polynomial, also where it is a number."""
    if isinstance(polynomial, SharedPolynomial):
        return polynomial.monomials()
    return {(): polynomial} if polynomial else {}


def flint_monomials(polynomial) -> dict[tuple[int, ...], int]:
    """The coefficients of python-flint by the symbols, each as often as its power."""
    return {
        tuple(symbol for symbol, power in enumerate(powers) for _ in range(int(power))): int(scale)
        for powers, scale in polynomial.to_dict().items()
    }


@given(EXPRESSIONS)
def test_every_expression_has_the_monomials_that_flint_finds(expression) -> None:
    shared, reference = SharedPolynomials(NAMES), Polynomial(NAMES)
    found = value(expression, shared.generators)
    assert monomials(found) == flint_monomials(flint_value(expression, reference))


@given(EXPRESSIONS, EXPRESSIONS)
def test_two_expressions_are_one_object_where_flint_calls_them_equal(one, two) -> None:
    shared, reference = SharedPolynomials(NAMES), Polynomial(NAMES)
    a, b = (value(expression, shared.generators) for expression in (one, two))
    c, d = (flint_value(expression, reference) for expression in (one, two))
    assert (a == b) is (c == d)
    assert not (c == d and isinstance(a, SharedPolynomial)) or a is b


def test_another_coefficient_another_power_and_another_symbol_are_other_polynomials() -> None:
    x, y, z = SharedPolynomials(NAMES).generators.values()
    polynomial = x * x * y + 3 * y * z + 1
    others = [x * y + 3 * y * z + 1, x * x * y + 2 * y * z + 1, x * x * y + 3 * y * y + 1]
    assert polynomial == (y * z) * 3 + 1 + y * (x * x)
    assert all(polynomial != other for other in [*others, polynomial + 1, polynomial - x, 1])
    assert (x - x, type(x - x)) == (0, int)


def test_a_product_of_many_sums_stays_small() -> None:
    """(x₁ + y₁) … (x₂₀ + y₂₀) has 2^20 monomials, and as many parts as symbols and factors."""
    ring = SharedPolynomials([f"{name}{k}" for k in range(20) for name in "xy"])
    product = 1
    for k in range(20):
        product = product * (ring.generators[f"x{k}"] + ring.generators[f"y{k}"])
    parts, seen = [product], set()
    while parts:
        part = parts.pop()
        if isinstance(part, SharedPolynomial) and id(part) not in seen:
            seen.add(id(part))
            parts += part.terms.values()
    assert len(seen) == 20


def test_rows_and_tensors_act_as_in_the_other_arithmetics() -> None:
    shared, reference = SharedPolynomials(NAMES), Polynomial(NAMES)
    found = []
    for ring in (shared, reference):
        x, y, z = ring.generators.values()
        rows = ring.array([[x, 0, 1], [y, 2, z]])
        weight = ring.weight(Matrix((3, 2), {(0, 0): x, (1, 0): 3, (2, 0): y, (2, 1): 1}))
        cubic = ring.tensor(Tensor((3, 3, 1), {(0, 0, 0): 1, (1, 2, 0): -2, (2, 1, 0): 1}))
        arrays = ring.apply(rows, weight), ring.contract(cubic, rows, rows)
        found.append([entry for array in arrays for entry in array.flat])
    zero = reference.context.constant(0)
    assert [*map(monomials, found[0])] == [flint_monomials(entry + zero) for entry in found[1]]


def test_positions_stay_exact_and_never_become_polynomials() -> None:
    ring, fifth = SharedPolynomials(NAMES), cos_pi(Fraction(1, 5))
    rows = ring.array([[fifth, 0]])
    turned = ring.apply(rows, Matrix((2, 1), {(0, 0): fifth}))
    assert isinstance(rows, np.ndarray) and turned[0, 0] == fifth * fifth
    with pytest.raises((TypeError, AttributeError)):
        ring.generators["x"] * fifth
