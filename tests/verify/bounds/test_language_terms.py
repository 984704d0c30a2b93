"""The bounds of language models in rationals, with settings for which every term is felt."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import mpmath
import pytest
from balls_support import check_agreement, precision_fixture

from constructions.blocks.digital import residue
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.decoder import Design, Normalisation
from constructions.language_model import LOW, LanguageDesign
from verify.bounds import language, language_rounding, norm_reading
from verify.bounds.decoder import Errors, Setting
from verify.bounds.floating import Precision
from verify.bounds.language import DigitalErrors, LogitErrors, LogitSpreads
from verify.bounds.language_rounding import DigitalRounding
from verify.bounds.norm_reading import NormReading

working = precision_fixture(language.BITS)

N, LENGTH, SLOPE = 8, 5, 16  # the root of 2n is 4
E, RHO = Fraction(1, 16), Fraction(1, 32)
DESIGN = LanguageDesign("gelu", 0, Normalisation.RMS, 64, Fraction(1, 8), slope=SLOPE)
SETTING = SimpleNamespace(
    design=DESIGN,
    leak=lambda length, theta: length * theta / 64,
    shrinkage=lambda square, n: square / (n * 1024),
)
RESIDUE = residue("gelu", SLOPE)  # about 1/44
BEFORE = DigitalErrors(ball(E), ball(RHO))
LOGITS = Matrix.dense([[1, -3, LOW], [Fraction(1, 2), 7, LOW]])  # S = 4 + 13/2, 37 + 47; 10, 80
UNIT, TINY = Fraction(1, 2**8), Fraction(1, 2**13)
COARSE = Precision("coarse", 8, -20, 15, twice=False)


def gamma(count):
    return count * UNIT / (1 - count * UNIT)


def square(window, scratch, matrices):
    """|x|² of a window with so many matrices of norm 4, and of a scratch with one less."""
    return (matrices * 4 + N * window) ** 2 + ((matrices - 1) * 4 + N * scratch) ** 2


def exactly(found, wanted):
    check_agreement(found, ball(wanted))


@pytest.mark.parametrize("matrices", [1, 2])
def test_a_square_norm_is_that_of_window_and_scratch(matrices):
    exactly(language.square_norm(N, BEFORE, matrices), square(E, RHO, matrices))


def exact_step():
    """What an AND reads, and the errors after one layer."""
    theta = square(E, RHO, 1) / (N * 1024)
    f = E + (2 * LENGTH * theta / 64 + theta) * (1 + E)
    theta = square(E + f, f + RHO, 2) / (N * 1024)
    read = E + f + 2 * RHO + 4 * theta * (1 + E + f + RHO)
    return read, N * RESIDUE + theta * (2 + E + f), theta * (1 + f + RHO)


def test_one_digital_layer_in_exact_arithmetic(monkeypatch):
    read, window, scratch = exact_step()
    for share, known in ((Fraction(10**9 + 1, 10**9), True), (1 - Fraction(1, 10**9), False)):
        monkeypatch.setattr(language, "READABLE", read * share)
        found = language._digital_step(N, LENGTH, SETTING, BEFORE)
        assert (found is not None) is known
        if found is not None:
            exactly(found.window, window)
            exactly(found.scratch, scratch)


@pytest.mark.parametrize(("more", "known"), [(0, True), (Fraction(1, 2**60), False)])
def test_the_sum_of_two_entries_is_read_within_a_quarter(more, known):
    """Without leak and norm it is off by 2e, and e = 1/8 is the most."""
    zero = flint.arb(0)
    still = SimpleNamespace(design=DESIGN, leak=lambda *_: zero, shrinkage=lambda *_: zero)
    before = DigitalErrors(ball(Fraction(1, 8) + more), zero)
    found = language._digital_step(N, LENGTH, still, before)
    assert (found is not None) is known


@pytest.mark.parametrize(
    ("layers", "window", "scratch"), [(0, 0 * E, 0 * E), (1, E, RHO), (2, E / 2, RHO)]
)
def test_differences_of_logits_are_off_by_the_entries_and_by_the_last_norm(
    layers, window, scratch, monkeypatch
):
    steps = iter([BEFORE, DigitalErrors(ball(E / 2), ball(RHO))])
    monkeypatch.setattr(language, "_digital_step", lambda *_: next(steps))
    found = language.digital_logit_error(N, LENGTH, layers, SETTING, LOGITS)
    entry = window + square(window, scratch, 1) / (N * 1024) * (2 + window)
    exactly(found.possible, Fraction(21, 2) * entry)
    exactly(found.any, 84 * entry)


def test_after_a_layer_without_a_bound_there_is_none(monkeypatch):
    asked = []
    monkeypatch.setattr(language, "_digital_step", lambda *given: asked.append(given))
    assert language.digital_logit_error(N, LENGTH, 3, SETTING, LOGITS) is language.UNKNOWN
    assert len(asked) == 1 and not language.UNKNOWN.any.is_finite()
    assert not language.UNKNOWN.possible.is_finite() and language.UNKNOWN.variation(2) == 1


def test_spreads_of_few_columns():
    alone = LogitSpreads.of(Matrix.dense([[3], [-4]]))
    assert (alone.possible, alone.any, alone.possible_size, alone.any_size) == (0, 0, 7, 7)
    nothing = LogitSpreads.of(Matrix.dense([[LOW], [LOW]]))
    assert (nothing.possible, nothing.possible_size, nothing.any_size) == (0, 0, 80)
    both = LogitSpreads.of(LOGITS)
    assert (both.possible, both.any) == (Fraction(21, 2), 84)
    assert (both.possible_size, both.any_size) == (10, 80)


def many_digits(found, wanted):
    check_agreement(found, flint.arb(mpmath.nstr(wanted, 60)))


@pytest.mark.parametrize("error", [0, Fraction(1, 8)])
def test_the_variation_of_logits_has_the_roundings_of_readouts_and_special_tokens(error):
    """tanh(√2 (ε + 2^-70)/4) and e^-40 for each of 4 symbols and 3 special tokens."""
    with mpmath.workdps(70):
        off = mpmath.mpf(error.numerator) / error.denominator + mpmath.mpf(2) ** -70
        wanted = mpmath.tanh(mpmath.sqrt(2) * off / 4) + 7 * mpmath.exp(-40)
        many_digits(language.variation_of_logits(ball(error), 4), wanted)


@pytest.mark.parametrize(("possible", "any_two"), [(0, 0), (Fraction(1, 8), Fraction(30))])
def test_the_variation_of_differences_has_them_too(possible, any_two):
    with mpmath.workdps(70):
        one, two = (
            mpmath.mpf(x.numerator) / x.denominator + mpmath.mpf(2) ** -70
            for x in (possible, any_two)
        )
        wanted = mpmath.tanh(one / 4) + 7 * mpmath.exp(two - 40)
        many_digits(LogitErrors(ball(possible), ball(any_two)).variation(4), wanted)


LOG = SimpleNamespace(sharpness=Fraction(3, 2), weights=(Fraction(1, 3), Fraction(-1, 4)),
                      offset=Fraction(-2), slope=Fraction(-1, 3),
                      least=Fraction(1, 10**19), error=Fraction(1, 8))  # fmt: skip


def test_norms_move_a_logit_by_their_share_of_all_its_terms(monkeypatch):
    """Two layers, of which the last counts; θ beyond 1/2 is no bound."""
    layers = [Errors(*map(flint.arb, pair)) for pair in ((7, 9), (2, 3))]
    monkeypatch.setattr(language, "errors", lambda *_: layers)
    facts = SimpleNamespace(n=N, reach=flint.arb(5))
    logit = (4 * Fraction(3, 2) + 2) * Fraction(7, 12) + 2 * Fraction(7, 3) + 40
    total = N * ((5 + 1 + 2) ** 2 + 3**2) + (4 + 3) * (logit**2 + Fraction(1, 8))
    for limit in (Fraction(1, 2) + Fraction(1, 10**9), Fraction(1, 3)):
        setting = SimpleNamespace(
            design=DESIGN,
            shrinkage=lambda given, n, limit=limit: given * ball(limit / total) * n / N,
        )
        found = language.norms_of_logits(facts, setting, LOG, 4)
        if limit < Fraction(1, 2):
            exactly(found, limit * logit)
        else:
            assert not found.is_finite() and found > 0
    half = SimpleNamespace(design=DESIGN, shrinkage=lambda *_: flint.arb("0.5"))
    exactly(language.norms_of_logits(facts, half, LOG, 4), logit / 2)
    monkeypatch.setattr(language, "errors", lambda *_: [])
    setting = SimpleNamespace(design=DESIGN, shrinkage=lambda given, n: given / 10**6)
    total = N * 6**2 + 7 * (logit**2 + Fraction(1, 8))
    exactly(language.norms_of_logits(facts, setting, LOG, 4), total / 10**6 * logit)


@pytest.mark.parametrize("moved", [None, Fraction(1, 16)])
def test_the_general_variation_pays_for_dropped_moved_and_special_symbols(moved):
    """|Σ| = 4, M = 10^16: e^-40 M is felt, and so are G = 2^-60 and δM = 1/1000."""
    most, error, below, least = Fraction(10**16), Fraction(1, 2000), Fraction(1, 2**60), Fraction(1)
    of = SimpleNamespace(least_weight=least, largest=most, log=LOG, below=lambda _: ball(below))
    dropped = 4 * (most / 10**19 + 2 * error)
    eta = Fraction(1, 8) + 2 * (moved or 0)
    with mpmath.workdps(70):
        down, rest, eta_ = (mpmath.mpf(x.numerator) / x.denominator
                            for x in (dropped, least - dropped, eta))  # fmt: skip
        extra = (4 * mpmath.mpf(2) ** -60 + 3 * mpmath.exp(-40)) * 10**16
        wanted = down + mpmath.tanh(eta_ / 2) + extra * mpmath.exp(eta_) / rest
        given = None if moved is None else ball(moved)
        assert wanted < 1
        many_digits(language.general_variation(4, ball(error), of, given), wanted)
    large = SimpleNamespace(**{**vars(of), "below": lambda _: flint.arb(1)})
    assert language.general_variation(4, ball(error), large) == 1
    nothing = SimpleNamespace(**{**vars(of), "least_weight": dropped})
    assert language.general_variation(4, ball(error), nothing) == 1


def test_a_norm_reads_a_sum_by_its_size_its_coordinates_and_what_is_lost():
    read = NormReading(
        *map(ball, (Fraction(1, 4), Fraction(1, 8), Fraction(1, 16), Fraction(1, 3)))
    )
    exactly(read.read_error(flint.arb(5)), (5 + Fraction(4, 8)) / 16 + Fraction(1, 3))
    exactly(read.read_error(flint.arb(5), 3), (5 + Fraction(12, 8)) / 16 + 1)
    exactly(read.pair_shrinkage, Fraction(2, 4) + Fraction(1, 16))
    for name in ("theta", "mean", "each", "lost"):
        assert not replace(norm_reading.exact_reading(), **{name: flint.arb(1)}).exact


def test_the_numbers_of_rms_norm_are_those_of_the_derivation():
    """K = 64 and d = 2n² + the rest of the layout; θ from the squares, ε and K."""
    form = Precision("coarse", 12, -20, 15, twice=False)
    unit, tiny = Fraction(1, 2**12), Fraction(1, 2**9)
    many = lambda count: count * unit / (1 - count * unit)  # noqa: E731
    setting = Setting(DESIGN, Fraction(20))
    width = DESIGN.layout(2).size
    theta = (Fraction(7) + 3 + Fraction(width, 8)) / (2 * 64**2)
    rest = 2 * (1 + many(width + 4)) * theta + width * tiny / 64**2
    factor = rest + many(15) / 2 * (1 + rest)
    found = norm_reading.rms_reading(setting, 2, flint.arb(7), form)
    exactly(found.theta, factor)
    exactly(found.each, Fraction(17, 16) * many(2) * (1 + factor))
    exactly(found.lost, 132 * tiny)
    assert found.mean.is_zero()


@pytest.mark.parametrize(("large", "width", "known"), [(4, 16, True), (4, 17, False), (8, 17, True),
                                                       (6, 16, False), (12, 16, False)])  # fmt: skip
def test_only_powers_of_two_at_least_the_root_of_the_width_are_read_so(large, width, known):
    design = SimpleNamespace(
        norm=Normalisation.RMS, large=large, layout=lambda n: SimpleNamespace(size=width)
    )
    setting = SimpleNamespace(design=design, shrinkage=lambda square, n: square)
    assert (norm_reading.rms_reading(setting, 2, flint.arb(1), COARSE) is not None) is known


def reading(square_norm):
    """A norm of our choice that depends on the size of what it reads."""
    return NormReading(square_norm / 2**14, square_norm / 2**12, *map(ball, (UNIT / 4, TINY)))


def rounded(fits=True):
    """A digital model whose heads and norms are of our choice."""
    made = DigitalRounding(N, LENGTH, SETTING, COARSE)
    vars(made)["passes"] = SimpleNamespace(
        head=lambda far, e, read: e + 3 * far * read.theta, reading=reading, fits=lambda _: fits
    )
    return made


def read_error(size, mean, coordinates=1):
    return UNIT / 4 * (size + 4 * coordinates * mean) + coordinates * TINY


def unerased(entry, theta, mean):
    grown = (1 + theta) * entry
    missed = theta * entry + read_error(entry, mean) + gamma(8) * (grown + 2 + 4 * mean)
    return missed + 32 * UNIT * (3 + grown + 4 * mean) + UNIT * (2 * grown + 4) + 8 * TINY


def written(n=N, width=2):
    """Units up to Y = 3κ/4 + c; sums are divided by 2c."""
    high = Fraction(3 * SLOPE, 4) + width
    units = 16 * UNIT * (2 * (1 + high) + 4 * (n - 1)) / (2 * width)
    terms = (2 * high + 2 * n) / (2 * width) + 8
    return n * RESIDUE + units + 4 * n * TINY + gamma(2 * n + 8) * terms


@pytest.mark.parametrize("n", [1, 5, 8])
def test_the_units_of_an_entry_miss_by_their_activations_and_their_sum(n, monkeypatch):
    monkeypatch.setattr(language_rounding, "HALF_WIDTH", 3)
    exactly(DigitalRounding(n, LENGTH, SETTING, COARSE).written(), written(n, 3))


def rounded_step():
    """What an AND reads, and the errors after one layer, with rounding."""
    f = E + 3 * square(E, RHO, 1) / 2**14
    window, scratch = 2 + E + f, 1 + f + RHO
    v, s = UNIT * window + TINY, UNIT * scratch + TINY
    squared = square(E + f + v, f + RHO + s, 2)
    theta, mean = squared / 2**14, squared / 2**12
    size = window + 2 * scratch
    off = E + f + 2 * RHO + v + 2 * s + theta * size + read_error(size, mean, 3)
    off += gamma(12) * ((1 + theta) * size + 12 * mean + 2)
    left = unerased(scratch + s, theta, mean) + gamma(8) * (2 * scratch + 4)
    return off, unerased(window + v, theta, mean) + written(), left


def test_one_digital_layer_with_rounding(monkeypatch):
    read, window, scratch = rounded_step()
    for share, known in ((Fraction(10**9 + 1, 10**9), True), (1 - Fraction(1, 10**9), False)):
        monkeypatch.setattr(language_rounding, "READABLE", read * share)
        found = rounded().step(BEFORE)
        assert (found is not None) is known
        if found is not None:
            exactly(found.window, window)
            exactly(found.scratch, scratch)


@pytest.mark.parametrize(
    ("layers", "window", "scratch"), [(0, 0 * E, 0 * E), (1, E, RHO), (2, E / 2, RHO)]
)
def test_rounded_logits_are_off_by_entries_reads_and_sums(layers, window, scratch, monkeypatch):
    steps = iter([BEFORE, DigitalErrors(ball(E / 2), ball(RHO))])
    monkeypatch.setattr(DigitalRounding, "step", lambda *_: next(steps))
    found = rounded().logit_errors(layers, LOGITS)
    squared = square(window, scratch, 1)
    theta, mean = squared / 2**14, squared / 2**12
    size = (1 + theta) * (2 + window) + 4 * mean
    each = window + theta * (2 + window) + 2 * read_error(2 + window, mean)
    lost = 2 * (N + 2) * (size + 1) * TINY
    exactly(found.possible, Fraction(21, 2) * each + 20 * gamma(N + 10) * size + lost)
    exactly(found.any, 84 * each + 160 * gamma(N + 10) * size + lost)


def test_rounded_logits_of_a_layer_or_a_size_without_a_bound_have_none(monkeypatch):
    assert rounded(fits=False).logit_errors(0, LOGITS) is language.UNKNOWN
    asked = []
    monkeypatch.setattr(DigitalRounding, "step", lambda *given: asked.append(given))
    assert rounded().logit_errors(3, LOGITS) is language.UNKNOWN and len(asked) == 1


def test_a_digital_model_is_read_as_a_decoder_whose_states_have_the_norm_of_a_one_hot_row():
    made = DigitalRounding(N, LENGTH, Setting(DESIGN, Fraction(20)), COARSE)
    passes = made.passes
    assert (passes.setting, passes.form, passes.unscaled) == (made.setting, COARSE, False)
    facts = passes.bounds
    assert (facts.n, facts.length, facts.norms, facts.distances) == (N, LENGTH, (), ())
    assert (facts.readout, facts.outputs) == (1, N)
    exactly(facts.reach * facts.reach, Fraction(N))
    assert made.slope == SLOPE
    for design in (replace(DESIGN, slope=None), Design("gelu", 0)):
        assert DigitalRounding(N, LENGTH, Setting(design, Fraction(20)), COARSE).slope == 0


@pytest.mark.parametrize(("length", "known"), [(15, True), (16, False), (17, False)])
def test_positions_whose_squares_a_format_does_not_hold_have_no_bound(length, known, monkeypatch):
    """16² is 2^8; the format has 8 bits."""
    monkeypatch.setattr(DigitalRounding, "logit_errors", lambda *given: given)
    found = language_rounding.rounded_digital_error(N, length, 2, SETTING, LOGITS, COARSE)
    assert (found is not language.UNKNOWN) is known
    if known:
        assert found == (DigitalRounding(N, length, SETTING, COARSE), 2, LOGITS)


def test_what_is_below_the_range_is_enclosed_in_64_equal_pieces():
    """From -ε/M = -1/4 to δ = 3/4, with e^g largest in a piece in the middle."""
    pieces = []

    def log(piece):
        pieces.append(piece)
        return flint.arb(3 if len(pieces) == 30 else 1)

    log.least = Fraction(3, 4)
    of = language.LogarithmRange(Fraction(1), Fraction(2), log)
    check_agreement(of.below(flint.arb("0.5")), flint.arb(3).exp())
    assert len(pieces) == 64
    for number, piece in enumerate(pieces):
        assert abs(piece.lower() - (flint.arb(number) / 64 - flint.arb("0.25"))) < 1e-9
        assert abs(piece.upper() - (flint.arb(number + 1) / 64 - flint.arb("0.25"))) < 1e-9
