"""SymPy's field of cosines has the order of the real numbers, and scores hold no weights."""

from fractions import Fraction

import flint
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.arithmetic import CosineField, SymPyRing
from constructions.core.exact import cos_pi, root, sin_pi

DENOMINATORS = (2, 3, 4, 5, 8, 12, 16)
FIELDS = {d: CosineField(d) for d in DENOMINATORS}
small = st.fractions(-3, 3, max_denominator=7)


@given(st.sampled_from(DENOMINATORS), st.lists(st.tuples(small, st.integers(-40, 40)), max_size=4))
@settings(max_examples=60, deadline=None)
def test_the_sign_of_a_sum_of_cosines_is_that_of_the_real_number(denominator, terms):
    """python-flint's balls decide the same sum; where they contain 0 the normal form must be 0."""
    field = FIELDS[denominator]
    value, exact = field.number(0), cos_pi(Fraction(1, 2))
    for scale, k in terms:
        value = value + field.number(scale) * field.cos(Fraction(k, denominator))
        exact = exact + cos_pi(Fraction(k, denominator)) * scale
    assert field.sign(value) == exact.sign()
    assert (not value) == (exact == 0) and field.exact(exact) == value


def test_a_leading_coefficient_is_no_sign():
    """The trap this field exists for: SymPy's `is_positive` and the real sign differ."""
    field = FIELDS[16]
    value = field.cos(Fraction(1, 16)) - field.number(Fraction(99, 100))
    with flint.ctx.workprec(64):
        assert (flint.arb(1) / 16).cos_pi() < flint.arb("0.99")
    assert field.sign(value) == -1 and field.domain.is_positive(value)


@pytest.mark.parametrize("denominator", DENOMINATORS)
def test_codes_are_cosines_and_sines_of_their_angles(denominator):
    field = FIELDS[denominator]
    for k in range(-denominator, 2 * denominator):
        angle = Fraction(k, denominator)
        found = sympy.N(field.domain.to_sympy(field.cos(angle)), 30)
        assert abs(found - sympy.N(sympy.cos(sympy.pi * k / denominator), 30)) < 1e-25
        if denominator % 2 == 0:
            assert field.sin(angle) == field.exact(sin_pi(angle))
            assert field.cos(angle) ** 2 + field.sin(angle) ** 2 == field.number(1)


def test_numbers_outside_the_field_are_refused():
    with pytest.raises(ArithmeticError, match="multiple of π/4"):
        FIELDS[4].cos(Fraction(1, 8))
    with pytest.raises(ArithmeticError, match="√2"):
        FIELDS[5].exact(root(2))


def test_a_weight_in_a_score_is_refused():
    ring = SymPyRing(["x"], FIELDS[4])
    rows = ring.array([[ring.generators["x"], cos_pi(Fraction(1, 4))]])
    with pytest.raises(ArithmeticError, match="depends on a weight"):
        ring.scores(rows, rows)


def test_the_largest_scores_are_found_with_all_their_ties():
    field = FIELDS[8]
    ring = SymPyRing(["x"], field)
    row = [field.cos(Fraction(k, 8)) for k in (3, 1, -1, 8)]
    assert ring.maximisers(row) == [1, 2]
    assert ring.maximisers([field.cos(Fraction(8, 8)), 0, field.cos(Fraction(3, 8))]) == [2]
