"""MLPs that multiply: their width, their error against the rigorous bound, and mutants."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest
from multiplication_support import lattice, printed_route, relu_square

from constructions.arithmetic import Balls
from constructions.blocks.multiplication import (
    Multiplier,
    entry_error,
    printed_width,
    relu_floor,
    schoolbook_products,
    slim_multiplier,
    strassen_multiplier,
    strassen_products,
)
from constructions.blocks.smoothing import SLIM, FourUnits
from constructions.core.activations import SMOOTH, smooth_activation
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.theorem1 import product_block

EPS = Fraction(1, 10**9)
R = Fraction(3, 2)


def product_of(a, b, n):
    return [sum(a[i * n + k] * b[k * n + j] for k in range(n)) for i in range(n) for j in range(n)]


def matrices(n, count=4):
    """Corners of the box, where the remainder is largest, and random points of it."""
    random = Random(n)
    yield [R] * (n * n), [R] * (n * n)
    yield [R] * (n * n), [-R] * (n * n)
    for _ in range(count):
        yield tuple([R * Fraction(random.randint(-8, 8), 8) for _ in range(n * n)] for _ in "ab")


def largest_error(made: Multiplier) -> flint.arb:
    n, largest = made.n, flint.arb(0)
    with Balls(400) as balls:
        block = made.block.realised(balls)
        for a, b in matrices(n):
            got = block(balls, balls.array([[*a, *b, 0, 0]]))[0]
            for side in range(2):
                for c, exact in enumerate(product_of(a, b, n)):
                    error = abs(got[side * n * n + c] - balls.element(exact))
                    largest = largest.max(error)
    return largest


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("make", [slim_multiplier, strassen_multiplier, printed_route])
def test_the_error_stays_below_the_rigorous_bound_and_the_bound_below_eps(name, make):
    made = make(2, name, R, EPS)
    bound = ball(made.bound)
    assert largest_error(made) <= bound
    assert made.bound <= EPS


@pytest.mark.parametrize("name", SMOOTH)
def test_the_bound_is_no_more_than_a_hundred_times_the_error(name):
    made = slim_multiplier(2, name, R, EPS)
    bound = ball(made.bound)
    assert bound < 100 * largest_error(made)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_widths_are_as_stated(n):
    assert slim_multiplier(n, "tanh", R, EPS).units == 4 * n**3
    printed = printed_route(n, "tanh", R, EPS)
    assert printed.units == printed_width(n) == 2 * n**4 + 3 * n**2 + 1
    assert slim_multiplier(n, "tanh", R, EPS).units <= printed.units


def test_strassen_takes_fewer_units_where_n_is_even_and_refuses_odd_n():
    assert [strassen_multiplier(n, "gelu", R, EPS).units for n in (2, 4)] == [28, 224]
    with pytest.raises(InputError, match="even"):
        strassen_multiplier(3, "gelu", R, EPS)


@pytest.mark.parametrize(
    ("n", "scheme"),
    [
        (1, schoolbook_products),
        (3, schoolbook_products),
        (2, strassen_products),
        (4, strassen_products),
    ],
)
def test_schemes_are_the_matrix_product(n, scheme):
    random = Random(7)
    a, b = ([random.randint(-9, 9) for _ in range(n * n)] for _ in "ab")
    total = [0] * (n * n)
    for term in scheme(n):
        x = sum(s * a[c] for c, s in term.left.items())
        y = sum(s * b[c] for c, s in term.right.items())
        for c, s in term.output.items():
            total[c] += s * x * y
    assert total == product_of(a, b, n)


def test_the_lattice_has_as_many_points_as_monomials_of_degree_two():
    for m in range(1, 7):
        assert len(lattice(m)) == len(set(lattice(m))) == (m + 2) * (m + 1) // 2


def test_a_flipped_sign_in_the_output_is_seen_by_the_error():
    made = slim_multiplier(2, "tanh", R, EPS)
    output = made.block.output
    (at, value), *_ = output.entries.items()
    mutant = replace(output, entries={**output.entries, at: -value})
    broken = replace(made, block=replace(made.block, output=mutant))
    assert largest_error(broken) > flint.arb(made.bound.numerator) / made.bound.denominator


def test_a_forgotten_bias_is_seen_by_the_error():
    made = slim_multiplier(2, "sigmoid", R, EPS)
    broken = replace(made, block=replace(made.block, bias=(Fraction(0),) * made.units))
    assert largest_error(broken) > 1


def test_a_domain_twice_as_wide_is_not_covered_by_the_bound():
    made = slim_multiplier(1, "gelu", R, EPS)
    with flint.ctx.workprec(200):
        wider = entry_error(
            SLIM, schoolbook_products(1), smooth_activation("gelu"), made.step, made.scale, 2 * R
        )
        assert wider > flint.arb(made.bound.numerator) / made.bound.denominator * 8


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_over_an_interval_contain_those_at_its_points(name, order):
    with flint.ctx.workprec(128):
        wide = smooth_activation(name).derivative(flint.arb("0.25").union(flint.arb("0.5")), order)
        for text in ("0.25", "0.3", "0.41", "0.5"):
            assert wide.contains(smooth_activation(name).derivative(flint.arb(text), order).mid())


def test_a_derivative_over_too_wide_an_interval_is_not_finite():
    with flint.ctx.workprec(64):
        wide = smooth_activation("tanh").derivative(flint.arb(-400).union(flint.arb(400)), 4)
        assert not wide.is_finite()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, "tanh", R, EPS), "n: found 0"),
        ((1, "relu", R, EPS), "activation: found relu"),
        ((1, "tanh", Fraction(0), EPS), "radius"),
        ((1, "tanh", R, Fraction(0)), "eps"),
    ],
)
def test_bad_requests_name_the_field(arguments, message):
    with pytest.raises(InputError, match=message):
        slim_multiplier(*arguments)


def relu_network(pieces, x):
    made = relu_square(pieces)
    weights = [made.output.entries[unit, 0] for unit in range(pieces)]
    return made.offset[0] + sum(
        max(x + bias, Fraction(0)) * weight for bias, weight in zip(made.bias, weights, strict=True)
    )


@pytest.mark.parametrize("pieces", [1, 2, 5, 8])
def test_relu_reaches_its_floor_with_one_unit_more(pieces):
    points = [Fraction(k, 8 * pieces) for k in range(8 * pieces + 1)]
    worst = max(abs(relu_network(pieces, x) - x * x) for x in points)
    assert worst == relu_floor(pieces - 1) == Fraction(1, 8 * pieces**2)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (1, 3), (Fraction(5, 2), Fraction(1, 7))])
def test_the_remainder_of_four_units_is_that_of_their_taylor_sums(p, q):
    """σ(b ± h(x+y)) - σ(b ± h(x-y)): four remainders of order four, each (h |x ± y|)⁴/24."""
    h = Fraction(1, 5)
    sums = [(h * side) ** 4 / 24 for side in (p + q, p + q, abs(p - q), abs(p - q))]
    assert SLIM.remainder(h, Fraction(p), Fraction(q)) == sum(sums)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_four_units_a_product_are_those_of_the_bilinear_block(n):
    made = slim_multiplier(n, "tanh", R, EPS)
    units = FourUnits(smooth_activation("tanh"), made.step, made.scale)
    assert units.block(product_block(n), frozenset()) == made.block
