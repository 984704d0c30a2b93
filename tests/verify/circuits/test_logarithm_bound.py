"""What logits may be off by, with numbers for which every term can be followed by hand."""

from fractions import Fraction
from types import SimpleNamespace as Part

import flint
import pytest

from verify.circuits import logarithm_bound
from verify.circuits.logarithm_bound import UNKNOWN, LogarithmBounds

arb = flint.arb
FORM = Part(gamma=arb, roundoff=arb(0.25))  # γ_k is k
READ = Part(theta=arb(0.5), each=arb(2))
LOG = Part(activation="half", sharpness=6, knots=(2, 3), weights=(5, -7), offset=-2, slope=-3)


@pytest.fixture(autouse=True)
def sigma(monkeypatch):
    """σ is half its argument, and its slope, which is at most 3, is where it is asked for."""
    made = Part(
        series=lambda z: z / 2, derivative=lambda z, order: z / order, lipschitz=Fraction(3)
    )
    monkeypatch.setattr(logarithm_bound, "smooth_activation", lambda name: made)
    return made


def test_a_unit_reads_f_over_m_with_the_rounding_of_its_sum_and_the_norm_before_it():
    log = LogarithmBounds(LOG, 3, FORM, READ, arb(7), arb(4))
    assert log.off == 7 + (9 + 16 + 2 + 0.5) * 4


def sizes(value, log=LOG):
    own = Part(form=FORM, read=READ, off=arb(2), log=log, slope=lambda z, radius: 3 + radius)
    return LogarithmBounds.sizes(own, arb(value), arb(9))


def test_units_are_off_by_what_they_read_their_own_rounding_and_the_norm():
    """x = 4 and y = 9: the arguments of the units are 6 - 3x = -6 and 6 - 2x = -2."""
    first = (3 + 6) * (6 + 8.5 * (6 + 6)) + 2 * (6 + 6 + 3) + 0.5 * 3
    second = (3 + 4) * (4 + 8.5 * (2 + 4)) + 2 * (2 + 4 + 1) + 0.5 * 1
    assert sizes(4) == (3 * 2 + 5 * first + 7 * second, 2 + 27 + 5 * 3 + 7 * 1)
    with pytest.raises(ValueError, match="zip"):
        sizes(4, Part(**{**vars(LOG), "knots": (2,)}))


def test_far_out_a_unit_is_rounded_as_at_40():
    log = Part(**{**vars(LOG), "knots": (2,), "weights": (5,)})
    moved, size = sizes(-30, log)
    assert moved == 6 + 5 * ((3 + 6) * (6 + 8.5 * (96 + 6)) + 2 * (40 + 48) + 0.5 * 48)
    assert size == 2 + 27 + 5 * 48


def test_a_unit_is_as_steep_as_nearby_or_as_anywhere(sigma):
    log = LogarithmBounds(LOG, 3, FORM, READ, arb(7), arb(4))
    near = log.slope(arb(2), arb(0.5))
    assert near.contains(1.5) and near.contains(2.5) and not near.contains(2.6)
    assert not near.contains(1.4)
    assert log.slope(arb(-2), arb(0)) == 2 and log.slope(arb(5), arb(0.5)) == 3
    assert log.slope(arb(2), arb(1)) == log.slope(arb(2), arb("inf")) == 3
    sigma.derivative = lambda z, order: arb("nan")
    assert log.slope(arb(2), arb(0.5)) == 3


def test_a_logit_is_off_by_its_units_and_by_a_share_of_its_size():
    log = LogarithmBounds(LOG, 3, FORM, READ, arb(7), arb(4))
    share = 2 + 16 + 2 * 0.5 + 2
    assert log.bound(arb(3), arb(5), READ) == 3 * (1 + share) + share * 5
    assert log.bound(arb("nan"), arb(5), READ) == UNKNOWN == arb("inf")
