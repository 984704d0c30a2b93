"""A curve of the error against C is drawn where there are two points of it."""

from fractions import Fraction

import flint
import pytest

from verify.automaton import pictures


@pytest.mark.parametrize(("least", "drawn"), [(0, 3), (2, 2), (3, 0), (4, 0)])
def test_a_curve_has_the_points_with_a_finite_error_and_at_least_two(monkeypatch, least, drawn):
    monkeypatch.setattr(pictures, "SHARES", [Fraction(share) for share in (1, 2, 3)])

    def error(constant):
        return flint.arb(1) / flint.arb(int(constant)) if constant >= least else flint.arb("inf")

    found = pictures._curve("a bound", Fraction(1), error)
    assert [len(curve.errors) for curve in found] == ([drawn] if drawn else [])
