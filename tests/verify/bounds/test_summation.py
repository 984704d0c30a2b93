"""Rounded sums in any order: no order of float32 additions exceeds the bound, and the bound is near."""

from fractions import Fraction
from itertools import permutations

import flint
import numpy as np
import pytest

from constructions.core.exact import ball
from verify.bounds.floating import ONCE, Precision
from verify.bounds.summation import TermSizes

SINGLE = ONCE["float32"]
UNIT = Fraction(1, 2**24)


def orders(count):
    """All ways to add up some terms two at a time, as nested pairs of their numbers."""

    def trees(numbers):
        if len(numbers) == 1:
            yield numbers[0]
        for cut in range(1, len(numbers)):
            for left in trees(numbers[:cut]):
                for right in trees(numbers[cut:]):
                    yield left, right

    for numbers in permutations(range(count)):
        yield from trees(numbers)


def added(order, terms):
    """The float32 sum in one order."""
    if isinstance(order, int):
        return terms[order]
    return np.float32(added(order[0], terms) + added(order[1], terms))


def partial_sums(order, terms):
    """The sum in one order and the sizes of its partial sums added up, exactly."""
    if isinstance(order, int):
        return terms[order], Fraction(0)
    (left, one), (right, two) = (partial_sums(part, terms) for part in order)
    return left + right, one + two + abs(left + right)


def drawn_terms(seed, count):
    random = np.random.default_rng(seed)
    return [np.float32(x) for x in random.normal(size=count) * 2.0 ** random.integers(-3, 4, count)]


def sizes_of(exact, signs=True):
    parts = [sum(t for t in exact if t > 0), -sum(t for t in exact if t < 0)]
    most = ball(max(map(Fraction, parts))) if signs else None
    return TermSizes.of([ball(abs(t)) for t in exact], most)


@pytest.mark.parametrize("seed", range(6))
def test_no_order_of_additions_exceeds_the_bound(seed):
    terms = drawn_terms(seed, 4)
    exact = [Fraction(float(t)) for t in terms]
    bound = sizes_of(exact).loss(SINGLE, 0)
    worst = max(abs(Fraction(float(added(order, terms))) - sum(exact)) for order in orders(4))
    assert 0 < ball(worst) <= bound


@pytest.mark.parametrize("seed", range(6))
def test_partial_sums_together_never_exceed_what_is_claimed_of_them(seed):
    exact = [Fraction(float(t)) for t in drawn_terms(seed, 4)]
    worst = max(partial_sums(order, exact)[1] for order in orders(4))
    assert ball(worst) <= sizes_of(exact).partial <= sizes_of(exact, signs=False).partial


def test_terms_of_one_sign_meet_what_is_claimed_of_their_partial_sums():
    """Largest first, one after another: 3 + 5 + 6 for the terms 1, 2, 3 is 5 + 6."""
    exact = [Fraction(k) for k in (1, 2, 3, 5)]
    worst = max(partial_sums(order, exact)[1] for order in orders(4))
    assert sizes_of(exact).partial == ball(worst) == 8 + 10 + 11


def test_a_sum_of_nothing_loses_nothing_and_zeros_are_not_counted():
    zero = flint.arb(0)
    nothing = TermSizes.of([])
    assert nothing.loss(SINGLE, 2) == 0
    assert (nothing.total, nothing.partial) == (0, 0)
    assert TermSizes.of([zero, flint.arb(2), zero]).count == 1
    assert TermSizes.of([flint.arb(2)]).loss(SINGLE, 1) > ball(2 * UNIT)


@pytest.mark.parametrize("roundings", [0, 3])
@pytest.mark.parametrize("most", [None, 4])
def test_losses_are_those_of_the_derivation_where_every_term_is_felt(most, roundings):
    """Terms 5, 3, 2 in a format of six bits: S = 5, 8, 10, or at most 4."""
    form = Precision("coarse", 6, -20, 15, twice=False)
    unit, gamma = Fraction(1, 64), lambda k: Fraction(k, 64 - k)
    sizes = TermSizes.of(map(flint.arb, (2, 5, 0, 3)), None if most is None else flint.arb(most))
    partial = 18 if most is None else 8
    assert (sizes.count, sizes.total, sizes.partial) == (3, 10, partial)
    share = roundings * unit + gamma(2 + roundings) ** 2
    wanted = share * 10 + unit * partial
    assert float(sizes.loss(form, roundings)) == pytest.approx(float(wanted), rel=1e-12)
