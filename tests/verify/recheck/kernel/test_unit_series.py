"""The Taylor series of hidden units enclose what the units make of a product."""

from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.core.exact import ball
from verify.recheck.errors import Refused
from verify.recheck.kernel.interval import ceil, floor
from verify.recheck.kernel.unit_series import POINT, Units

BITS = 300
numbers = st.fractions(-6, 6, max_denominator=10**9)
steps = st.integers(6, 40).map(lambda k: Fraction(1, 1 << k))


def tanh_units(units, x, y):
    point, step = ball(POINT), ball(units.step)
    inside = (point + step * (x + y), point - step * (x + y))
    outside = (point + step * (x - y), point - step * (x - y))
    return ball(units.scale) * (sum(z.tanh() for z in inside) - sum(z.tanh() for z in outside))


def softplus_units(units, x, y):
    step = ball(units.step)
    values = [(1 + (step * z).exp()).log() for z in (x + y, x, y, flint.arb(0))]
    return 4 / (step * step) * (values[0] - values[1] - values[2] + values[3])


@given(steps, numbers, numbers, st.sampled_from([0, -1, 3]))
def test_the_series_encloses_the_units(step, x, y, sign):
    units = Units(step, sign / step**2)
    made = units.series(6, BITS).product(*((floor(z, BITS), ceil(z, BITS)) for z in (x, y)))
    with flint.ctx.workprec(4 * BITS):
        wanted = (tanh_units if sign else softplus_units)(units, ball(x), ball(y))
        scaled = wanted * flint.arb(2) ** BITS
        if 0 in (x, y):  # balls do not see that the terms cancel
            assert made == (0, 0) and scaled.contains(0)
        else:
            assert flint.arb(made[0]) <= scaled <= flint.arb(made[1])
    assert made[1] - made[0] < 1 << 20


def test_numbers_that_leave_the_domain_of_the_series_are_refused():
    with pytest.raises(Refused, match="domain"):
        Units(Fraction(1, 8)).series(2, BITS)
