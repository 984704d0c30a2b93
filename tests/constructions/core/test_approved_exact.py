"""Sums and products of √r · cos(πp/q), their signs and enclosures, as they were approved."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import flint
import pytest
from approved_support import agree_with_approved

from constructions.core.exact import Exact, ball, ceiling, cos_pi, fraction, root, sin_pi

APPROVED = Path(__file__).with_suffix(".json")
NUMBERS = {
    "0": Exact.of(0),
    "1": Exact.of(1),
    "-3/2": Exact.of(Fraction(-3, 2)),
    "√2": root(2),
    "√(8/9)": root(Fraction(8, 9)),
    "√9": root(9),
    "cos π/3": cos_pi(Fraction(1, 3)),
    "cos π/5": cos_pi(Fraction(1, 5)),
    "cos 7π/5": cos_pi(Fraction(7, 5)),
    "sin π/7": sin_pi(Fraction(1, 7)),
    "sin -π/2": sin_pi(Fraction(-1, 2)),
    "√3 cos π/8": root(3) * cos_pi(Fraction(1, 8)),
    "1 + √2": 1 + root(2),
    "cos 2π/7 - √2": cos_pi(Fraction(2, 7)) - root(2),
}


def terms(value):
    """√r, p and q of each term with its coefficient."""
    return " + ".join(
        f"{scale} √{r} cos {p}π/{q}" for (r, p, q), scale in sorted(value.terms.items())
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_sums_products_and_signs_are_as_approved(name):
    one, found = NUMBERS[name], {}
    for other, two in NUMBERS.items():
        sums = [terms(one + two), terms(one - two), terms(one * two), (one - two).sign()]
        found[other] = [*sums, one < two, one == two]
    agree_with_approved(APPROVED, name, found)


def test_values_are_those_of_their_terms():
    with flint.ctx.workprec(128):
        for one, two in product(NUMBERS.values(), repeat=2):
            assert (one * two).ball().overlaps(one.ball() * two.ball())
            assert (one - two).ball().overlaps(one.ball() - two.ball())
            assert (one + two).ball().rad() < 1e-35


def test_what_is_rational_is_said_to_be():
    found = {name: str(value.rational()) for name, value in NUMBERS.items()}
    agree_with_approved(APPROVED, "rational", found)
    assert [bool(NUMBERS[name]) for name in ("0", "1", "1 + √2")] == [False, True, True]
    assert not cos_pi(Fraction(1, 5)) + cos_pi(Fraction(3, 5)) - Fraction(1, 2)


def test_a_sum_that_is_zero_is_found_to_be_where_no_enclosure_says_so():
    sevenths = [cos_pi(Fraction(2 * k, 7)) for k in range(7)]
    assert sum(sevenths, Exact.of(0)) == 0
    assert sum(sevenths[1:], Exact.of(0)) == -1
    assert root(2) * root(2) == 2 and root(2) * root(8) == 4
    assert 1 - root(2) < 0 and not 2 - root(2) < 0
    assert root(2) < Fraction(3, 2) and not root(2) < Fraction(7, 5)


def test_a_ceiling_is_no_less_and_hardly_more():
    with flint.ctx.workprec(64):
        third = ball(Fraction(1, 3))
        assert Fraction(1, 3) <= ceiling(third) < Fraction(1, 3) + Fraction(1, 2**60)
    assert fraction(flint.fmpq(-6, 4)) == Fraction(-3, 2)


def test_other_types_are_left_to_themselves():
    for wrong in ("text", 1.5, None):
        with pytest.raises(TypeError):
            NUMBERS["√2"] + wrong
        with pytest.raises(TypeError):
            NUMBERS["√2"] * wrong
        assert (NUMBERS["√2"] == wrong) is False
    with pytest.raises(ValueError, match="root of -1: expected a rational number ≥ 0"):
        root(-1)
