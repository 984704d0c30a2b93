"""The bounds of the normalised stream in plain floats, with constants for which every term is felt."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, cos, exp, expm1, floor, log, log1p, pi, sqrt, tanh
from types import SimpleNamespace

import flint
import pytest

from constructions.automata.families import scalar
from verify.bounds import normalised as bounds
from verify.bounds.budget import TooSoft
from verify.bounds.floating import ONCE, Precision, wide_precision
from verify.bounds.normalised import NormalisedStream, Shares, StreamBounds

N, LENGTH, SYMBOLS, LAYERS = 3, 5, 4, 3
GAIN = 1 << 12
LARGEST = 1775 / 1024  # √3, rounded up to a multiple of 1/1024, and one more
POSITIVE = Shares(Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(9))
DRAWN = Shares(Fraction(0), Fraction(0), Fraction(1, 4), Fraction(0))
UNIT, NORMAL, SMALLEST = 2.0**-20, 2.0**-31, 2.0**-50
COARSE = Precision("coarse", 20, -50, 15, twice=False)
LOG = SimpleNamespace(error=Fraction(1, 50), least=Fraction(1, 2), sharpness=Fraction(3, 2),
                      weights=(Fraction(1, 3), Fraction(-1, 4)), knots=range(5),
                      offset=Fraction(-2), slope=Fraction(-1, 3))  # fmt: skip
GROWTH, BELIEF, RELATIVE, MISFIT = 2.0**-3, 2.0**-50, 2.0**-9, 2.0**-7
ALLOWED = Fraction(1, 8)


def near(value):
    """The same number, but for what floats lose."""
    return pytest.approx(value, rel=1e-12)


@dataclass(frozen=True)
class Given(NormalisedStream):
    """A stream whose windows are bounded by numbers of our choice."""

    belief: float = BELIEF

    def bounds(self) -> StreamBounds:
        return StreamBounds(*map(flint.arb, (GROWTH, self.belief, RELATIVE, MISFIT)))


def stream(facts=POSITIVE, form=None, saturation=60, kind=NormalisedStream, **more):
    return kind(N, LENGTH, SYMBOLS, facts, Fraction(saturation), form, **more)


def gamma(count, form=COARSE):
    return 0 if form is None else count * UNIT / (1 - count * UNIT)


@pytest.fixture
def seen(monkeypatch):
    """A small gain and a large ε, so that sizes matter behind a norm; and few that do not fit."""
    monkeypatch.setattr(bounds, "GAIN", GAIN)
    monkeypatch.setattr(bounds, "EPSILON", Fraction(1, 8))
    monkeypatch.setattr(bounds, "FIT", Fraction(1, 16))
    monkeypatch.setattr(bounds, "LARGE", 64)


def written(width, size, form):
    power = next(2**k for k in range(20) if 4**k >= width)
    root = sqrt(size**2 + width / 8 / GAIN**2)
    return sqrt(width) / power * (1 - gamma(3 * N + 24, form)) * size / root


def leak_of(form, saturation):
    if form is not None:
        return 2 * LENGTH * SMALLEST
    return 2 * sum(exp(-saturation * (1 - cos(pi * m / 6))) for m in range(1, 6))


def errors(facts, form, width, saturation):
    """λ/m with what is lost, at its largest, and the belief, layer by layer."""
    leak, lost = leak_of(form, saturation), 0 if form is None else NORMAL
    fit, last, m, found = 1 / 16, 1 / 16, 0.5, []
    if facts is POSITIVE:
        fit, last = 1 / 2 / sqrt(N), 1 / 4 / N
    for part in (fit, fit, last / sqrt(N)):
        x = written(width, m / (1 + leak), form)
        z = part * x * m / 8
        found.append(leak / m + lost * (N / x + 4 * N**2 / z))
        m = written(width, z, form)
    return max(found), m


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("form", [None, COARSE], ids=["exact", "rounded"])
@pytest.mark.parametrize("facts", [POSITIVE, DRAWN], ids=["positive", "drawn"])
def test_the_errors_of_windows_add_up_as_derived(facts, form):
    made = stream(facts, form, 2000 if form else 100)
    theta, belief = errors(facts, form, made.width, 100)
    assert made.layers == LAYERS and float(made.leak()) == near(leak_of(form, 100))
    assert [float(x) for x in made._errors()] == [near(theta), near(belief)]
    relative = 7 * log1p(N * (6 if facts is POSITIVE else N) * theta)
    rounded, found = 8 * gamma(3 * N + 24, form), made.bounds()
    assert 0 < relative + rounded < log(2) and float(found.belief) == near(belief)
    if facts is POSITIVE:
        assert float(found.log_growth) == near(relative + rounded)
        assert found.relative == found.misfit == 0
        return
    mean = expm1(relative) * exp(2 * rounded)
    halved = 0 if form is None else 2 * LAYERS * mean
    assert float(found.log_growth) == near(rounded) and float(found.relative) == near(mean)
    assert float(found.misfit) == near(6 * 9 * (2 * (2 * sqrt(3) + 1) / 16 + halved))


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize(("length", "layers"), [(1, 0), (2, 1), (4, 2), (5, 3)])
def test_windows_that_do_not_fit_are_counted_for_every_layer_but_the_last(length, layers):
    made, mean = replace(stream(DRAWN, COARSE), length=length), 2.0**-9
    pairs = 2 * ((layers - 1) * sqrt(3) + 1) / 16
    wanted = (length + 1) * 9 * (pairs + 2 * layers * mean)
    assert float(made._misfit(flint.arb(mean))) == near(wanted)


@pytest.mark.usefixtures("seen")
def test_beyond_a_factor_of_two_nothing_is_known():
    low, high = 1, 200
    for _ in range(40):
        middle = (low + high) / 2
        theta, _ = errors(POSITIVE, None, stream().width, middle)
        low, high = (middle, high) if 7 * log1p(18 * theta) > log(2) else (low, middle)
    known = stream(saturation=Fraction(high * 1.000001)).bounds()
    unknown = stream(saturation=Fraction(low * 0.999999)).bounds()
    assert known.log_growth < flint.arb(2).log() and known.belief > 0
    assert unknown.belief == 0
    assert not any(x.is_finite() for x in (unknown.log_growth, unknown.relative, unknown.misfit))


def test_the_norms_of_queries_and_keys_leave_all_but_a_little_of_c():
    """One letter: 2e^-C, and of C = 2^64 all but 1 is left."""
    with flint.ctx.workprec(256):
        alone = NormalisedStream(N, 1, SYMBOLS, POSITIVE, Fraction(1 << 64)).leak()
        assert float(alone.log() + (1 << 64)) == near(1 + log(2))


@pytest.mark.parametrize("length", [1, 5, 40])
def test_a_target_beats_others_by_its_cosine_less_what_angles_and_scores_lose(length):
    angle = 2 * pi * (2 * log(length + 1) + 8) * UNIT
    gap = (cos(angle) - cos(pi / (length + 1) - angle) - 72 * UNIT) * (1 - 8 * UNIT)
    assert float(bounds.rounded_gap(length, COARSE)) == pytest.approx(gap, rel=1e-9)
    for share, known in ((104.0001, True), (103.9999, False)):
        made = replace(stream(form=COARSE), length=length, saturation=Fraction(share / gap))
        assert made.leak().is_finite() is known


def logit_error(form, width):
    weights, fixed = 7 / 12, 2 + 1 / 3
    units = 1.5 * weights
    rest = 2 * LAYERS + 4 + 2 * SYMBOLS * units**2 + 2 * width / 8
    error = 2 * rest / 64**2 * (units + fixed + 40)
    rounded = weights * (gamma(N + 4, form) * 7 + gamma(25, form) * 1.5)
    return error + rounded + gamma(N + 72, form) * (units + fixed)


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("form", [None, COARSE], ids=["exact", "rounded"])
def test_logits_are_off_by_what_norms_leave_and_by_their_roundings(form):
    made = stream(form=form)
    assert float(bounds.logit_error(made, LOG)) == near(logit_error(form, made.width))


@pytest.mark.parametrize(("window", "layers", "left"), [(None, 3, 0), (5, 3, 0), (6, 3, 0),
                                                        (4, 2, 3), (2, 1, 1)])  # fmt: skip
def test_a_window_below_the_length_has_fewer_layers_and_forgets(window, layers, left):
    """Δ tanh(Δ/4)^(W-1) with Δ = log 9."""
    made = stream(window=window)
    assert made.layers == layers
    wanted = log(9) * tanh(log(9) / 4) ** left if left else 0
    assert float(made.forgotten()) == near(wanted)


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("window", [None, 4])
@pytest.mark.parametrize("covered", [True, False], ids=["covered", "dropped"])
@pytest.mark.parametrize("form", [None, COARSE], ids=["exact", "rounded"])
@pytest.mark.parametrize("facts", [POSITIVE, replace(POSITIVE, rows=Fraction(0))],
                         ids=["positive", "drawn"])  # fmt: skip
def test_the_variation_is_that_of_directions_logits_and_special_tokens(
    facts, form, covered, window, monkeypatch
):
    """f_σ/M is at least φb/2M; a logarithm that begins below covers it."""
    asked = []
    dropping = lambda *given: asked.append(given) or flint.arb(2.0**-4)  # noqa: E731
    monkeypatch.setattr(bounds, "general_variation", dropping)
    limit = BELIEF / 4 / (2 * LARGEST)
    least = Fraction(limit * (1 - 1e-9 if covered else 1 + 1e-9))
    log_units = SimpleNamespace(**{**vars(LOG), "least": least})
    made = stream(facts, form, kind=Given, window=window)
    found = bounds.normalised_variation(made, log_units, ALLOWED)
    eta = 1 / 50 + float(bounds.logit_error(made, LOG))
    special = 3 * LARGEST * exp(eta - 40) / BELIEF
    spread = GROWTH * (1 if form is None else 2) + 2 * eta + float(made.forgotten())
    assert 0.01 < special < 0.5 and bool(made.forgotten() > 0) is (window is not None)
    if facts.positive and covered:
        assert float(found.variation) == near(tanh(spread / 4) + special)
        assert found.chance == 0 and float(found.ratio) == near(spread + 2 * special)
        return
    rest = special if covered else 2.0**-4
    spread -= 0 if covered else 2 / 50
    assert float(found.variation) == near(1 / 8 + tanh(spread / 4) + rest)
    assert float(found.chance) == near(MISFIT + 6 * RELATIVE * 8) and found.ratio is None
    if not covered:
        [(symbols, error, of)] = asked
        assert (symbols, error, of.log) == (SYMBOLS, 0, log_units)
        assert (of.least_weight, float(of.largest)) == (Fraction(BELIEF), LARGEST)


def test_a_logarithm_that_begins_at_the_least_chance_covers_it(monkeypatch):
    """M = 1, so that φb/2 = 2^-53 is exact."""
    monkeypatch.setattr(bounds, "largest_weight", lambda n: Fraction(1))
    log_units = SimpleNamespace(**{**vars(LOG), "least": Fraction(1, 2**53)})
    assert bounds.normalised_variation(stream(kind=Given), log_units, ALLOWED).ratio is not None


@pytest.mark.parametrize(("value", "capped"), [("0.5", 0.5), ("2", 1), ("inf", 1), ("nan", 1)])
def test_a_chance_is_at_most_one(value, capped):
    assert float(bounds._capped(flint.arb(value))) == capped


@pytest.mark.parametrize(("positive", "error", "share"), [
    (True, Fraction(1), 1 / 8), (True, Fraction(64), 1 / 8),
    (False, Fraction(1), 1 / 8), (False, Fraction(64), 64 / 128),
])  # fmt: skip
def test_a_logarithm_begins_a_little_below_what_it_must_read(positive, error, share):
    """φb/2M, or εb/32|Σ|M where that may be dropped: 0.99 of it, to 33 binary digits."""
    facts = POSITIVE if positive else DRAWN
    found = bounds.least_ratio(stream(facts, kind=Given), error)
    exact = Fraction(99, 100) * Fraction(BELIEF) * Fraction(share) / Fraction(1775, 1024)
    scale = 2 ** next(k for k in range(200) if exact * 2**k >= 2**32)
    assert found == Fraction(floor(exact * scale), scale)


@pytest.mark.parametrize("made", [
    (POSITIVE, {}, Fraction(GROWTH)),
    (DRAWN, {}, 6 * Fraction(RELATIVE) / Fraction(MISFIT)),
])  # fmt: skip
def test_a_stream_keeps_what_is_allowed_exactly(made):
    """log Γ ≤ ε_r, or (T+1) E ≤ ε_r times the chance of what does not fit."""
    facts, more, limit = made
    own = stream(facts, kind=Given, **more)
    assert bounds._keeps(own, limit)
    assert not bounds._keeps(own, limit * (1 - Fraction(1, 10**9)))


GAP = 1 - cos(pi / 6)
ONE_STATE = SimpleNamespace(n=1, transitions=scalar(Fraction(1, 2)).transitions)


def needed(monkeypatch, tries, form, window=None):
    """The streams that are tried until so many were, the last of which is taken."""
    asked = []
    keeps = lambda made, allowed: asked.append((made, allowed)) or len(asked) == tries  # noqa: E731
    monkeypatch.setattr(bounds, "_keeps", keeps)
    found = bounds.required_stream(ONE_STATE, LENGTH, SYMBOLS, ALLOWED, form, window)
    assert found is asked[-1][0] and {allowed for _, allowed in asked} == {ALLOWED}
    assert (found.n, found.length, found.symbols) == (1, LENGTH, SYMBOLS)
    assert (found.form, found.window) == (None, window)
    return found.saturation


@pytest.mark.parametrize("tries", [1, 4, 5, 9])
def test_c_makes_a_leak_of_2_to_the_minus_32_64_and_so_on_and_copies_in_the_format(
    tries, monkeypatch
):
    found = needed(monkeypatch, tries, wide_precision(200), 4)
    copying, enough = 104 / GAP, 32 * tries * log(2) / GAP
    assert found == max(ceil(copying) + 1, ceil(enough))
    assert (found > copying + 2) is (tries > 4)


def test_a_format_that_never_copies_asks_for_no_c(monkeypatch):
    form = replace(ONCE["bfloat16"], bits=4)
    assert not bounds.rounded_gap(LENGTH, form) > 0
    assert needed(monkeypatch, 1, form) == ceil(32 * log(2) / GAP)


def test_leaks_below_2_to_the_minus_16384_are_not_tried(monkeypatch):
    asked = []
    monkeypatch.setattr(bounds, "_keeps", lambda *given: bool(asked.append(given)))
    with pytest.raises(TooSoft, match=r"no leak down to 2\^-16384 keeps"):
        bounds.required_stream(ONE_STATE, LENGTH, SYMBOLS, ALLOWED, COARSE)
    assert len(asked) == 16384 // 32 - 1


def test_ratios_of_entries_by_hand():
    """Columns (1/8, 1/4) and (1/2, 1/8); rows (1/8, 1/2) and (1/4, 1/8); 1/8 · 1/8 to 1/2 · 1/4."""
    rows = ((Fraction(1, 8), Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 8)))
    even = ((Fraction(1, 3), Fraction(1, 3)),) * 2
    facts = bounds.shares(SimpleNamespace(transitions={"a": even, "b": rows}))
    assert facts == Shares(Fraction(1, 4), Fraction(1, 4), Fraction(3, 8), Fraction(8))
    assert facts.positive
    zero = ((Fraction(0), Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 8)))
    facts = bounds.shares(SimpleNamespace(transitions={"a": even, "b": zero}))
    assert facts == Shares(Fraction(0), Fraction(0), Fraction(3, 8), Fraction(0))
    assert not facts.positive
