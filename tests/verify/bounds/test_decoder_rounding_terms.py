"""Terms of the decoder's rounding that real formats hide: what underflows, long words, a norm, the range."""

from dataclasses import replace
from fractions import Fraction
from math import exp, isclose, log, pi, sqrt

import flint
import pytest
from balls_support import check_agreement, precision_fixture

from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation
from verify.bounds import decoder, decoder_rounding
from verify.bounds.decoder import Errors, Setting, WordBounds
from verify.bounds.decoder_entries import EntryError
from verify.bounds.decoder_rounding import DecoderRounding, state_error
from verify.bounds.floating import Precision
from verify.bounds.norm_reading import NormReading

working = precision_fixture(200)
COARSE = Precision("coarse", 12, -25, 127, twice=False)  # u = 2^-12, τ = 2^-14
UNIT, TINY = 2.0**-12, 2.0**-14
FINER, FINE = replace(COARSE, bits=30, least=-69), 2.0**-30  # τ = 2^-40
LAYER, RMS = Normalisation.LAYER, Normalisation.RMS
LARGE = Design("silu", None, LAYER, 1 << 6, Fraction(1, 10))
READ = NormReading(*(ball(Fraction(1, k)) for k in (64, 128, 32, 1 << 10)))
NONE = NormReading(*[flint.arb(0)] * 4)


def known(length=5, outputs=3, readout=7):
    """n = 2, N = 3, 5, 4, M = 2, 1, 3, ‖A^w‖ ≤ 16."""
    sizes = (tuple(map(flint.arb, (3, 5, 4))), tuple(map(flint.arb, (2, 1, 3))))
    return WordBounds(2, length, *sizes, flint.arb(readout), flint.arb(16), outputs)


def made(design=LARGE, length=5, constant=2, form=COARSE, **options):
    setting = Setting(design, Fraction(constant), options.pop("rotary", False))
    return DecoderRounding(known(length), setting, form, **options)


def gamma(count, unit=UNIT):
    return count * unit / (1 - count * unit)


@pytest.mark.parametrize(("design", "constant"), [(LARGE, 64), (Design("silu"), 1),
                                                  (Design("silu", None, RMS, 1 << 6), 64)])  # fmt: skip
@pytest.mark.parametrize("outputs", [1, 3])
def test_what_is_lost_below_the_least_number_is_lost_in_every_output(design, constant, outputs):
    """√c τ ((1 + θ' + each)(n√n |x| + K + 4n²m) + n² + 2), and n² + 2 reads, weighted by the readout."""
    own = replace(made(design), bounds=known(outputs=outputs))
    coordinates = 2 * sqrt(2) * 5 + constant + 16 / 128
    losses = (1 + 1 / 64 + 1 / 32) * coordinates + 6
    wanted = sqrt(outputs) * losses * TINY + 6 * 7 / 1024
    assert isclose(own.lost_readout(flint.arb(5), READ), wanted)


def test_a_state_that_underflows_is_off_by_what_is_lost():
    """Without layers, in a format whose least normal number is large."""
    form = replace(COARSE, bits=40, least=-49)  # τ = 2^-10
    one = WordBounds(1, 1, (), (), *map(flint.arb, (3, 5)), 1)
    first = 2 * 2.0**-40 * 6 + 2.0**-10
    rounded = gamma(7, 2.0**-40) * (6 + first + 1)
    wanted = 3 * (first + rounded) + 2.0**-10 * (6 + first + 1 + 3)
    assert isclose(
        state_error(one, Setting(Design("silu"), Fraction(9)), form), wanted, rel_tol=1e-12
    )


@pytest.mark.parametrize(("length", "constant"), [(5, 2), (60, 25), (60, 1)])
@pytest.mark.parametrize("spread", [None, 3])
def test_a_head_adds_the_lesser_of_two_sums_of_roundings(length, constant, spread):
    """γ_{2R+12} for all terms, or γ_24 and four times the leak: the first for few tokens, or a large leak."""
    own = made(Design("silu"), length, constant, FINER)
    lost, many = float(own.leak(NONE)), gamma(2 * length + 14, FINE)
    below, e, far = (length + 1) * 2.0**-40, 0.125, 2
    rounded = min(many, gamma(24, FINE) + 4 * lost * (1 + many)) + below
    wanted = e + lost * (2 * e + (spread or 2 * far)) + 2 * rounded * (far + e) + 4 * below
    args = [] if spread is None else [flint.arb(spread)]
    assert isclose(own.head(flint.arb(far), flint.arb(e), NONE, *args), wanted, rel_tol=1e-12)


def test_each_of_the_two_sums_is_the_lesser_one_somewhere():
    long, soft = (float(made(Design("silu"), 60, c, FINER).leak(NONE)) for c in (25, 1))
    assert gamma(24, FINE) + 4 * long * (1 + gamma(134, FINE)) < gamma(134, FINE) < 4 * soft


@pytest.mark.parametrize("design", [replace(LARGE, large=1 << 10), Design("silu", None, RMS, 1 << 10),
                                    Design("gelu", 3), Design("silu", 3, LAYER, 1 << 10),
                                    Design("silu")])  # fmt: skip
def test_a_step_with_any_design_is_the_recursion_of_the_derivation(design):
    own, e, rho, n = made(design, 5, 1, FINER), ball(Fraction(1, 64)), ball(Fraction(1, 128)), 2
    big, far, unit, tiny = flint.arb(4), flint.arb(3), flint.arb(FINE), flint.arb(2) ** -39
    read = own.reading(n * ((far + e) * (far + e) + rho * rho))
    f = own.head(far, e, read, 2 * far)
    added = n * unit * (2 * far + e + f) + tiny
    e_, rho_ = e + added, rho + n * unit * (far + f + rho) + tiny
    p, q, window = far + f + rho_, far + e_ + rho_, 2 * far + e_ + f
    read = own.reading(n * (window * window + p * p))
    block = own.gated_errors if design.gated else own.plain_errors
    missed, left = block(*([] if design.gated else [3]), p, q, window, read)
    missed += rho_ * (window + rho_) + read.pair_shrinkage * p * q
    after = big * e_ + big * f + e_ * f + missed
    rounded = n * unit * (window + p * q + after) + tiny
    found = own.step(3, Errors(e, rho))
    check_agreement(found.scratch.upper(), left.upper(), 24)
    for one, other in ((found.window, after + rounded), (found.loss.head, f - e),
                       (found.loss.stream, added), (found.loss.block, missed + rounded)):  # fmt: skip
        check_agreement(one.upper(), other.upper(), 100 if design.gated else 24)


def test_angles_are_moved_by_their_roundings_and_by_what_reads_lose():
    """η = C(s + s²), s = u(2π(2 ln(T+1) + 8) + 64) + 4 · 2^-10."""
    share = UNIT * (2 * pi * (2 * log(6) + 8) + 64) + 4 / 1024
    own = made(rotary=True)
    assert isclose(own.moved_scores(READ), 2 * (share + share**2))
    twice = 2 / 64 + 1 / 64**2
    leak = float(decoder.rotary_leak(Fraction(2), 5))
    assert isclose(own.leak(READ), leak * exp(2 * twice * 2 + 4 * (share + share**2)))


@pytest.mark.parametrize("rotary", [False, True])
def test_the_setting_by_entries_is_moved_by_roundings_and_by_the_factors(rotary):
    """By η, and by the factors of query and key, of scores of size CT² or C."""
    own = made(replace(LARGE, norm=RMS), rotary=rotary)
    found = own.setting_by_entries(READ)
    size = 2 if rotary else 50
    wanted = float(own.moved_scores(READ)) + (2 / 64 + 1 / 64**2) * size
    assert isclose(found.moved, wanted) and found.rotary is rotary and found.saturation == 2


@pytest.mark.parametrize(("share", "fits"), [("0.999", True), ("1.001", False)])
def test_weights_of_the_readout_times_what_they_read_must_fit(share, fits):
    """8 n² ‖α‖ (‖A^w‖ + 1 + e) < 2^127, where the window itself is small."""
    readout = flint.arb(2) ** 127 / (8 * 4 * 20) * flint.arb(share)
    own = replace(made(Design("silu")), bounds=replace(known(), readout=readout))
    assert own.fits(flint.arb(3)) is fits


def test_a_bound_by_entries_that_does_not_fit_is_infinite():
    """Its window may be too large for the format, as that of the bound by norms."""
    own = made(Design("silu"), form=replace(COARSE, most=9))
    assert not own.fits(flint.arb(0)) and not own.error_by_entries().is_finite()


def test_a_bound_by_entries_adds_what_the_readout_loses(monkeypatch):
    found = EntryError(flint.arb(2), flint.arb(3))
    monkeypatch.setattr(decoder_rounding, "entry_error", lambda *_: found)
    own = made(Design("silu"))
    wanted = 2 + own.lost_readout(flint.arb(16 + 1 + 3), NONE)
    assert isclose(own.error_by_entries(), wanted, rel_tol=1e-14)
    monkeypatch.setattr(decoder_rounding, "entry_error", lambda *_: None)
    assert not own.error_by_entries().is_finite()


@pytest.mark.parametrize(("constant", "bits", "exact"), [
    ("7/16", 10, True),  # 3 · 7 · 25 = 525 < 1024
    ("7/16", 9, False),
    ("13/16", 10, True),  # 975
    ("14/16", 10, False),  # 1050
    ("7/32", 10, False),
])  # fmt: skip
def test_scores_are_exact_if_three_times_their_whole_numbers_fit(constant, bits, exact):
    own = made(Design("silu"), 5, constant, replace(COARSE, bits=bits), unscaled=True)
    assert own.has_exact_scores() is exact
    assert not replace(own, setting=replace(own.setting, design=LARGE)).has_exact_scores()
    assert not replace(own, unscaled=False).has_exact_scores()
