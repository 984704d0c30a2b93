"""The working precision of each enclosure: what is rounded afterwards does not show it."""

from fractions import Fraction

import flint
import pytest

from constructions import decoder, language_model
from constructions.arithmetic import floats
from constructions.arithmetic.multiprecision import Multiprecision
from constructions.blocks import digital, logarithm, multiplication, smoothing
from constructions.core import exact
from constructions.core.activations import SMOOTH
from constructions.modules import passes, passes_decoder


class Seen(list):
    """The precisions of the recorded calls."""

    def spy(self, function):
        def asked(*given):
            self.append(flint.ctx.prec)
            return function(*given)

        return asked

    def activation(self, name):
        """An activation whose derivatives and series are heard."""
        sigma = SMOOTH[name]
        return Heard(self, **{**vars(sigma), "series": self.spy(sigma.series)})


class Heard(smoothing.SmoothActivation):
    """An activation that records the precision of calls for a derivative."""

    def __init__(self, seen, **fields):
        super().__init__(**fields)
        object.__setattr__(self, "seen", seen)

    def derivative(self, where, order):
        self.seen.append(flint.ctx.prec)
        return super().derivative(where, order)


@pytest.fixture
def seen():
    return Seen()


class Half(exact.EnclosedNumber):
    """A half that records the precision of calls for its ball."""

    def __init__(self, seen):
        self.ball = seen.spy(lambda: flint.arb("0.5"))


def test_numbers_known_by_balls_are_enclosed_well_beyond_their_rounding(seen):
    assert floats.nearest_float(Half(seen)) == 0.5
    arithmetic = Multiprecision.of_bits(100)
    assert arithmetic.element(Half(seen)) == arithmetic.context.mpf(0.5)
    assert seen == [128, 264]


@pytest.mark.parametrize("bits", [0, 3, 40])
def test_steps_have_eight_bits_a_halving_and_256_more(bits, seen, monkeypatch):
    monkeypatch.setattr(smoothing, "smooth_activation", seen.activation)
    units = smoothing.FourUnits.of("tanh", bits)
    assert set(seen) == {8 * bits + 256}
    seen.clear()
    units.error(Fraction(1), Fraction(1))
    assert set(seen) == {8 * (bits + 1) + 256}, "2^bits has bits + 1 digits"
    seen.clear()
    monkeypatch.setattr(decoder, "smooth_activation", seen.activation)
    decoder.erasing_weight("tanh", bits)
    assert set(seen) == {8 * bits + 256}


@pytest.mark.parametrize("slope", [16, 100])
def test_a_residue_has_a_bit_for_each_of_its_slope_and_256_more(slope, seen, monkeypatch):
    monkeypatch.setattr(digital, "smooth_activation", seen.activation)
    digital.residue("silu", slope)
    assert seen == [256 + slope]


def test_a_step_is_looked_for_with_four_bits_more_for_each_halving(seen, monkeypatch):
    """Errors of 1/100 and of 3/1000 have 7 and 9 bits before the point of their inverse."""
    monkeypatch.setattr(multiplication, "product_error", lambda *_: flint.arb(next(errors)))
    for eps, digits in ((Fraction(1, 100), 96 + 2 * 7), (Fraction(3, 1000), 96 + 2 * 9)):
        seen.clear()
        errors = iter([1, 1, 0])
        terms = multiplication.schoolbook_products(1)
        sigma = seen.activation("gelu")
        h, _, _ = multiplication.fitted_step(smoothing.SLIM, terms, sigma, Fraction(1), eps)
        assert h == Fraction(1, 4)
        assert list(dict.fromkeys(seen)) == [digits, digits + 4, digits + 8]


def test_a_logarithm_is_fitted_with_300_bits_and_certified_with_128(seen, monkeypatch):
    units = logarithm._least_squares(seen.activation("silu"), Fraction(1, 9), Fraction(2), 1, 5)
    assert set(seen) == {300}
    seen.clear()
    monkeypatch.setattr(logarithm, "_on_interval", seen.spy(lambda *_: flint.arb(0)))
    assert logarithm.certified_error(units, Fraction(1)) == 0
    assert seen == [128] * 20, "four intervals for each of five units"


def test_logarithms_of_a_readout_have_80_bits_of_160(seen, monkeypatch):
    monkeypatch.setattr(language_model, "ball", seen.spy(exact.ball))
    found = language_model.log_rational(Fraction(1, 3))
    assert seen == [160]
    assert (
        max(language_model.log_rational(Fraction(1, k)).denominator for k in range(2, 9)) == 2**80
    )
    with flint.ctx.workprec(300):
        assert 0 <= exact.ball(Fraction(1, 3)).log() - exact.ball(found) < flint.arb(2) ** -80


def test_attention_that_is_known_in_advance_is_enclosed_with_128_bits(seen, monkeypatch):
    for module in (passes, passes_decoder):
        monkeypatch.setattr(module, "ball", seen.spy(exact.ball))
    passes.softmax_row(Fraction(3), 4)
    passes_decoder.remainder(Fraction(3), 1)
    assert seen == [128, 128]


def test_a_spied_activation_is_the_activation(seen):
    """So that what is seen here is what is computed elsewhere."""
    one, other = SMOOTH["gelu"], seen.activation("gelu")
    with flint.ctx.workprec(100):
        point = exact.ball(Fraction(1, 3))
        assert one.derivative(point, 2).overlaps(other.derivative(point, 2))
    assert seen == [100, 100], "the derivative, and the series that it asks for"
