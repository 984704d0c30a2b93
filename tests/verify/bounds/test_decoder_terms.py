"""Terms of the decoder's bound that a large C hides, and its limits, by definitions and by hand."""

from dataclasses import replace
from fractions import Fraction
from math import cos, exp, isclose, pi
from types import SimpleNamespace

import flint
import pytest
from balls_support import precision_fixture

from constructions.automata.families import scalar
from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.decoder import Design, Normalisation
from verify.bounds import decoder, decoder_windows
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import Errors, Setting, WordBounds
from verify.bounds.decoder_scores import MovedSetting, moved_setting
from verify.bounds.decoder_sweep import NeededSaturation
from verify.bounds.decoder_windows import LayerLoss, WindowSizes, prefix_error, window_sizes
from verify.bounds.floating import Precision
from verify.bounds.neighbours import WindowDistances

working = precision_fixture(decoder.BITS)
HALF = Fraction(1, 2)


# what is computed with many digits


@pytest.mark.parametrize("fineness", [8, 64])
def test_what_a_weight_misses_is_seen_to_as_many_digits_as_the_weight_has(fineness):
    """s has 8k + 256 digits: what four units miss by it, in a product and in the odd part, is below them."""
    slope = decoder.slope_error(FourUnits.of("tanh", fineness))
    assert slope.rad() <= flint.arb(2) ** -(8 * fineness + 2 * decoder.BITS)
    odd = decoder.odd_error("tanh", fineness, flint.arb(1), flint.arb(-1))  # u = 0: nothing but s
    assert odd <= flint.arb(2) ** -(8 * fineness + decoder.BITS - 6)


def test_any_error_can_be_kept_by_a_plain_block_without_the_odd_part():
    bounds, eps = decoder.word_bounds(scalar(2), 4), Fraction(1, 10**100)
    found = decoder.required_setting(bounds, eps, Design("tanh", 1))
    assert found.error <= ball(eps)


@pytest.mark.parametrize(
    ("size", "finite"), [((1 << 40) - 1, True), (1 << 40, False), (1 << 41, False)]
)
def test_factors_up_to_two_to_the_forty_have_a_bound(size, finite):
    setting = Setting(Design("gelu", 6), HALF)
    for p, q in ((size, 1), (1, size)):
        assert setting.product_error(flint.arb(p), flint.arb(q)).is_finite() is finite


# leaks at a small C


def series(constant, gaps):
    return sum(exp(-constant * gap) for gap in gaps)


def test_a_leak_is_a_geometric_series_above_the_squares_of_distances():
    found = decoder.leak(HALF)
    assert isclose(found, 2 * series(0.5, range(1, 300, 3)))
    assert 2 * series(0.5, (m * m for m in range(1, 30))) < found


def test_neighbours_that_differ_by_a_step_each_are_spread_by_a_series():
    """d (1 + e^{-3C} + e^{-6C} + …), unless all windows are nearer than that."""
    apart = WindowDistances(*(tuple(map(flint.arb, own)) for own in ((1, 100, 9), (50, 3, 2))))
    known = replace(decoder.word_bounds(scalar(2), 5), apart=apart)
    setting = Setting(Design("silu"), HALF)
    assert isclose(setting.spread(known, 2), 3 * series(0.5, range(0, 300, 3)))
    assert isclose(setting.spread(known, 3), 2 * series(0.5, range(0, 300, 3)))
    assert setting.spread(known, 1) == 1
    assert replace(setting, rotary=True).spread(known, 3) == 9
    assert replace(setting, rotary=True).spread(known, 2) == 100
    assert setting.spread(replace(known, apart=None), 2) == 2 * known.distances[1]


@pytest.mark.parametrize("missing", [0, 1, 5])
def test_the_beginning_is_read_with_a_series_above_its_gaps(missing):
    """m² + 2md is at least (1 + 2d) + (m - 1)(3 + 2d), and scores are moved by η each."""
    moved = MovedSetting(Design(), Fraction(1, 8), moved=flint.arb("0.25"))
    wanted = series(0.125, range(1 + 2 * missing, 2000, 3 + 2 * missing)) * exp(0.5)
    assert isclose(moved.begin_leak(60, missing), wanted)
    leak = 2 * series(0.125, range(1, 2000, 3)) * exp(0.5)
    assert isclose(moved.leak(60, flint.arb(0)), leak)


@pytest.mark.parametrize(("length", "constant", "missing", "last"), [
    (33, 67, 0, 8), (12, 121, 1, 2), (33, 345, 1, 3),  # cut where T terms are below 2^-20 of the sum
    (33, 65, 3, 7), (7, 48, 1, 3),  # not cut one term sooner, where they are not
    (5, 2, 1, None),  # never cut
])  # fmt: skip
def test_angles_leak_to_each_token_until_the_rest_is_negligible(length, constant, missing, last):
    moved = MovedSetting(Design(), Fraction(constant), rotary=True, moved=flint.arb("0.25"))
    turn, end = pi / (length + 1), length - missing
    terms = [
        exp(-constant * (cos(turn * missing) - cos(turn * (missing + m))))
        for m in range(1, end + 1)
    ]
    total = sum(terms) if last is None else sum(terms[: last - 1]) + length * terms[last - 1]
    assert isclose(moved.begin_leak(length, missing), total * exp(0.5), rel_tol=1e-11)


# rounded scores


COARSE = Precision("coarse", 12, -25, 127, twice=False)


def test_rounded_scores_have_a_smaller_constant_and_are_moved():
    """C(1 - 6γ_10 T - u) and 6uCT²."""
    found = moved_setting(Setting(Design("gelu"), Fraction(7)), COARSE, 5, exact=False)
    unit = 2.0**-12
    assert isclose(found.saturation, 7 * (1 - 30 * (10 * unit / (1 - 10 * unit)) - unit))
    assert isclose(found.moved, 6 * unit * 7 * 25)
    assert found.design == Design("gelu")


def test_scores_that_lose_more_than_half_of_the_constant_are_not_bounded():
    setting = Setting(Design(), Fraction(7))
    half, more = (SimpleNamespace(gamma=lambda _: flint.arb("0.0625"), roundoff=flint.arb(unit))
                  for unit in ("0.125", "0.1250001"))  # fmt: skip
    assert moved_setting(setting, half, 1, exact=False).saturation == Fraction(7, 2)
    assert moved_setting(setting, more, 1, exact=False) is None


# by letters


def test_the_errors_of_prefixes_follow_the_recursion_by_letters():
    """e and r of 1 … 6 letters through three layers, with made-up sizes and losses."""
    norms, rows = (1, 0.75, 1.5, 0.5, 1.25), (1, 0.5, 0.25, 0.75, 0.625)
    sizes = WindowSizes(tuple(map(flint.arb, norms)), tuple(map(flint.arb, rows)))
    losses = [(0.125, 0.0625, 0.25), (0.25, 0.5, 0.125), (0.03125, 0.375, 0.0625)]
    begin, first = (0.5, 0.25, 0.75), 0.0625
    e, r = {0: 0.0, 1: first}, {0: 0.0, 1: first}
    for layer, ((head, stream, block), bos) in enumerate(zip(losses, begin, strict=True)):
        w, old, rest = 2**layer, e, r
        e, r = {}, {}
        for k in range(min(2 * w, 6) + 1):
            a, b = max(0, k - w), min(k, w)
            x, y = old[b] + stream, (old[a] if a else bos) + head
            e[k] = norms[a] * x + norms[b] * y + x * y + block
            if a:
                r[k] = rows[a] * x + (rest[a] + head) * (norms[b] + x) + block
            else:
                r[k] = rest[b] + stream + (bos + head) * (norms[b] + x) + block
    made = [LayerLoss(*map(flint.arb, loss)) for loss in losses]
    found = prefix_error(sizes, 6, flint.arb(first), made, [*map(flint.arb, begin)])
    assert isclose(found, max(r[k] for k in range(1, 7)))


@pytest.mark.parametrize(("norms", "worst"), [((1, 0.25, 0.25), 0.25), ((1, 0.5, 0.25), 0.5),
                                              ((1, 0.25, 0.75), 0.25)])  # fmt: skip
def test_the_beginning_itself_is_no_prefix_and_the_first_letter_is_one(norms, worst):
    """A head that errs by 1: r(1) and r(2) are N(1), as BOS or a letter is read beside one letter."""
    sizes = WindowSizes(tuple(map(flint.arb, norms)), tuple(map(flint.arb, norms)))
    loss, zero = LayerLoss(flint.arb(1), flint.arb(0), flint.arb(0)), flint.arb(0)
    assert prefix_error(sizes, 2, zero, [loss], [zero]) == worst


def test_sizes_and_losses_of_other_numbers_of_letters_or_layers_are_refused(monkeypatch):
    two = [flint.arb(1)] * 2
    zero = LayerLoss(*[flint.arb(0)] * 3)
    with pytest.raises(ValueError, match="longer"):
        prefix_error(WindowSizes(tuple(two), tuple(two)), 1, flint.arb(0), [zero], two)
    for lengths in ((2, 2, 3), (2, 3, 2), (3, 2, 2)):
        bounds, grown, sizes = ([flint.arb(1)] * count for count in lengths)
        monkeypatch.setattr(
            decoder_windows, "products", lambda *_, own=bounds: SimpleNamespace(bounds=own)
        )
        monkeypatch.setattr(
            decoder_windows, "word_sizes", lambda *_, own=sizes: SimpleNamespace(greatest=own)
        )
        with pytest.raises(ValueError, match="zip"):
            window_sizes(scalar(2), 1, SimpleNamespace(lengths=grown), flint.arb(1))


def test_two_windows_reach_all_words():
    """Of 0 … 4 letters, each window with at most two: 1, N(1), N(2), N(1) N(2), N(2)²."""
    for norms, reach in (((1, 2, 3), 9), ((1, 4, 3), 12), ((1, 0.5, 0.25), 1), ((1, 5, 0.125), 5)):
        sizes = WindowSizes(tuple(map(flint.arb, norms)), ())
        assert sizes.reach(4) == reach
    assert sizes.reach(0) == 1


@pytest.mark.parametrize(("longest", "initial", "known"), [(512, 1, True), (513, 1, False), (4, 0, False),
                                                           (4, "0.5", True)])  # fmt: skip
def test_windows_of_up_to_512_letters_and_some_initial_weight_have_sizes(
    monkeypatch, longest, initial, known
):
    sizes = [flint.arb(2)] * (longest + 1)
    monkeypatch.setattr(decoder_windows, "products", lambda *_: SimpleNamespace(bounds=sizes))
    monkeypatch.setattr(decoder_windows, "word_sizes", lambda *_: SimpleNamespace(greatest=sizes))
    grown = SimpleNamespace(lengths=[flint.arb(3)] * (longest + 1))
    found = window_sizes(scalar(2), longest, grown, flint.arb(initial))
    assert (found is not None) is known
    if known:
        assert set(map(float, found.norms)) == {2} and set(map(float, found.rows)) == {2}
        assert len(found.norms) == len(found.rows) == longest + 1


# what is known of all words


@pytest.mark.parametrize(("length", "letters"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4)])
def test_sizes_by_letters_end_with_the_windows_of_the_last_layer(length, letters):
    found = decoder.word_bounds(scalar(3), length)
    assert len(found.windows.norms) == letters + 1
    assert len(found.norms) == len(found.apart.steps) == (length - 1).bit_length()


def test_outputs_are_as_many_as_the_columns_of_their_matrix():
    automaton = WFA.of([3, 4], {"a": [[1, 0], [0, 1]]}, [1, 1])
    columns = Matrix.dense([[2, 0, 0], [0, 6, 0]])
    for outputs, count in ((None, 2), (columns, 3)):
        found = decoder.word_bounds(automaton, 2, outputs)
        assert found.outputs == count
        assert found.reduction.outputs == (outputs or Matrix.identity(2))


def test_the_reach_is_bounded_by_two_windows_of_the_last_layer_or_by_letters():
    """Of three letters by A^2 A in place of A^2 A^2; without a layer by one letter."""
    assert decoder.word_bounds(scalar(3), 3).reach == 27
    long = decoder.longest_norm([flint.arb(3), flint.arb(5)], flint.arb(2))
    assert long == 25 and decoder.longest_norm([], flint.arb(2)) == 2


# the steps


def bounds_of(windows=None):
    sizes = (tuple(map(flint.arb, (2, 3))), tuple(map(flint.arb, (1, 2))))
    return WordBounds(2, 4, *sizes, flint.arb(7), flint.arb(9), 2, windows)


def test_a_layer_adds_what_its_head_and_its_block_lose():
    """f - e by the head, nothing by a sum without rounding, and by the block ρ(2M + e + f + ρ)."""
    setting, e, rho = Setting(Design("silu"), HALF), flint.arb("0.125"), flint.arb("0.0625")
    lost = decoder.leak(HALF)
    f = e + lost * (4 + 2 * e)
    loss = decoder.step(bounds_of(), 2, Errors(e, rho), setting).loss
    assert isclose(loss.head, f - e) and loss.stream == 0
    assert isclose(loss.block, rho * (4 + e + f + rho))


def test_a_layer_has_the_norms_of_its_own_windows():
    """e' = N(e + f) + ef with N and M of the third layer, where the scratch is empty."""
    sizes = (tuple(map(flint.arb, own)) for own in ((2, 3, 11), (1, 2, 5)))
    known = WordBounds(2, 8, *sizes, flint.arb(7), flint.arb(9), 2)
    e = flint.arb("0.125")
    f = e + decoder.leak(HALF) * (10 + 2 * e)
    found = decoder.step(known, 3, Errors(e, flint.arb(0)), Setting(Design("silu"), HALF))
    assert isclose(found.window, 11 * (e + f) + e * f)


def test_a_constant_of_two_is_the_least_that_is_chosen():
    bounds, normed = decoder.word_bounds(scalar(1), 1), Design("silu", None, Normalisation.RMS, 1)
    assert decoder.required_setting(bounds, Fraction(10**6), normed).setting.design.large == 2


def test_a_constant_that_would_need_more_than_two_hundred_bits_is_not_found(monkeypatch):
    def hopeless(_, setting):
        return flint.arb(0 if setting.design.norm is Normalisation.NONE else "inf")

    monkeypatch.setattr(decoder, "state_error", hopeless)
    with pytest.raises(TooSoft, match=r"no k of a coordinate K = 2\^k up to 200$"):
        decoder.required_setting(bounds_of(), HALF, Design("silu", None, Normalisation.RMS, 1))


def test_prefixes_are_bounded_by_letters_where_their_sizes_are_known_and_errors_finite():
    """By the lesser of the two; BOS is read with what it errs by before each layer."""
    sizes = WindowSizes(*(tuple(map(flint.arb, own)) for own in ((1, 0.5, 0.25), (1, 0.5, 0.25))))
    loss, start = (
        LayerLoss(*map(flint.arb, ("0.25", 0, "0.125"))),
        Errors(flint.arb("0.5"), flint.arb(0)),
    )
    layers = [Errors(flint.arb(size), flint.arb(0), loss) for size in (100, 50)]
    begin = [Errors(flint.arb(size), flint.arb(0)) for size in (1, 2, 3)]
    wanted = prefix_error(sizes, 4, flint.arb("0.5"), [loss, loss], [flint.arb(1), flint.arb(2)])
    assert wanted < 50
    found = decoder.windowed_error
    assert found(bounds_of(sizes), start, layers, begin) == wanted
    small = [layers[0], replace(layers[1], window=flint.arb("0.0078125"))]
    assert found(bounds_of(sizes), start, small, begin) == small[1].window
    assert found(bounds_of(), start, layers, begin) == 50
    assert found(bounds_of(), start, [], begin) == 0.5
    wide = [replace(layers[0], window=flint.arb("inf")), layers[1]]
    assert found(bounds_of(sizes), start, wide, begin) == 50


def test_the_beginning_has_the_bounds_of_a_window_that_is_zero():
    own = replace(bounds_of(), apart=WindowDistances((), ())).of_begin()
    assert own.norms == (1, 1) and own.distances == (0, 0) and own.apart is None
    assert own.length == 4 and own.reach == 9


def test_a_readout_of_zero_reads_no_error():
    wide = replace(bounds_of(), readout=flint.arb(0), reach=flint.arb("inf"))
    assert decoder.state_error(wide, Setting(Design("silu"), HALF)) == 0


# against the circle


def test_the_ratio_of_two_constants_is_a_quotient():
    row = NeededSaturation(8, Fraction(50), Fraction(20), Fraction(60), Fraction(30))
    assert row.ratio == Fraction(5, 2)
