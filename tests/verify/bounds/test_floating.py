"""Floating-point formats by hand: units, least and largest numbers, the share of many roundings."""

from fractions import Fraction

import flint
import pytest

from verify.bounds.floating import FORMATS, ONCE, wide_precision


def test_units_and_least_numbers_of_the_formats():
    """IEEE 754: significant bits; the least of all, the least and the largest normal exponents."""
    powers = {
        "float64": (53, -1074, -1022, 1023),
        "float32": (24, -149, -126, 127),
        "float16": (11, -24, -14, 15),
        "bfloat16": (8, -133, -126, 127),
    }
    assert list(ONCE) == [form.name for form in FORMATS] == list(powers)
    for name, (bits, least, normal, most) in powers.items():
        form = ONCE[name]
        assert form.name == name and form.roundoff * 2**bits == 1
        assert form.smallest == flint.arb(2) ** least and form.normal == flint.arb(2) ** normal
        assert form.largest == flint.arb(2) ** most


def test_rounding_twice_takes_a_unit_that_is_a_thousandth_larger():
    for form in FORMATS:
        assert abs(form.roundoff * 2**form.bits - 1) < flint.arb("0.00101")
        assert form.roundoff * 2**form.bits > flint.arb("1.00099")
        assert form.gamma(1) > ONCE[form.name].gamma(1)


def test_gamma_is_unbounded_where_as_many_roundings_lose_everything():
    form = ONCE["bfloat16"]
    assert not form.gamma(256).is_finite() and form.gamma(255) == 255
    assert form.gamma(0) == 0


@pytest.mark.parametrize(
    ("count", "value"), [(1 << 22, Fraction(1, 3)), (1 << 24, None), (3 << 23, None)]
)
def test_the_share_of_many_roundings_is_unbounded_where_it_reaches_one(count, value):
    found = ONCE["float32"].gamma(count)
    assert found.contains(flint.fmpq(1, 3)) if value else not found.is_finite() and found > 0


def test_a_wide_format_neither_overflows_nor_underflows():
    form = wide_precision(30)
    assert (form.bits, form.least, form.most) == (30, -(2**20), 2**20)
    assert form.twice, "its unit is that of weights which are rounded twice"
