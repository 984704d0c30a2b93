"""Classes of words, reads and limits of the bound by entries, with numbers that are worked out by hand."""

from dataclasses import replace
from fractions import Fraction
from math import isclose, sqrt
from types import SimpleNamespace

import flint
import numpy as np
import pytest
from balls_support import precision_fixture

from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.core.exact import Exact
from constructions.core.matrix import Matrix
from constructions.decoder import Design
from verify.bounds import decoder, decoder_entries
from verify.bounds.decoder import Errors, WordBounds, word_bounds
from verify.bounds.decoder_entries import (
    EntryError,
    EntryRounding,
    assumed_square,
    entry_error,
    is_representable,
)
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.decoder_windows import LayerLoss
from verify.bounds.floating import ONCE, Precision
from verify.bounds.norm_reading import NormReading, exact_reading
from verify.bounds.norms import frobenius_norm
from verify.bounds.window_classes import WindowClass

working = precision_fixture(128)
COARSE = Precision("coarse", 9, -20, 127, twice=False)  # u = 2^-9, τ = 2^-12
UNIT, TINY = 2.0**-9, 2.0**-12
LETTERS = WFA.of([1, 2], {"a": [["1/2", "1/3"], ["1/5", "1/7"]], "b": [["1/3", "-1/2"], ["1/4", 1]],
                          "c": [[1, "1/8"], ["-1/6", "2/3"]]}, [1, 1])  # fmt: skip
MAPS = np.array([[[float(Fraction(x)) for x in row] for row in rows] for rows in
                 ([["1/2", "1/3"], ["1/5", "1/7"]], [["1/3", "-1/2"], ["1/4", 1]],
                  [[1, "1/8"], ["-1/6", "2/3"]])])  # fmt: skip
READING = NormReading(*map(flint.arb, ("0.015625", "0", "0.03125", "0.001")))
SETTING = MovedSetting(Design("silu"), Fraction(4))


def made(length=4, reading=None, form=COARSE, automaton=LETTERS, outputs=None):
    facts = word_bounds(automaton, length, outputs)
    return EntryRounding(facts, facts.reduction, SETTING, form, reading or exact_reading())


def facts_of(length, n, layers):
    one = (flint.arb(1),) * layers
    reduction = Reduction(LETTERS, Matrix.identity(2))
    return WordBounds(n, length, one, one, *map(flint.arb, (1, 1)), n, reduction=reduction)


def table_of(matrix):
    return np.array([[float(x) for x in row] for row in matrix.tolist()])


# numbers of a format


def in_float32(value):
    """Whether numpy has the number, and as a normal one."""
    stored = np.float32(float(value))
    return Fraction(float(stored)) == value and (
        value == 0 or abs(stored) >= np.finfo(np.float32).tiny
    )


@pytest.mark.parametrize("value", [
    0, 1, -1, 3, 2**24 - 1, 2**24, 2**24 + 1, 2**24 + 2, -(2**25 + 2), -(2**25 + 4), 3 * 2**30,
    "3/4", "-5/8", "1/3", "-2/3", "1/6", "7/12", f"1/{2**126}", f"-1/{2**126}", f"1/{2**127}",
    f"3/{2**127}", f"{2**24 - 1}/{2**149}", f"{2**24 + 1}/{2**149}", f"{2**24 + 1}/3",
])  # fmt: skip
def test_a_number_is_one_of_the_format_where_numpy_has_it_as_a_normal_one(value):
    assert is_representable(Fraction(value), ONCE["float32"]) is bool(in_float32(Fraction(value)))


def test_a_number_that_is_not_rational_is_none_of_the_format():
    assert not is_representable(Exact.of(1), ONCE["float32"])


@pytest.mark.parametrize(("value", "off"), [("1/3", 2 * UNIT / 3 + TINY), ("-5/7", 10 * UNIT / 7 + TINY),
                                            ("3/4", 0), (0, 0), ("1/8192", TINY + UNIT / 4096)])  # fmt: skip
def test_a_stored_entry_is_off_by_two_roundings_and_what_is_lost_or_by_nothing(value, off):
    assert isclose(made().stored_entry(Fraction(value)), off)


def test_stored_letters_are_off_by_what_their_distance_from_the_identity_is():
    letters = made().letters()
    assert len(letters) == 3
    for own, rows in zip(letters, MAPS, strict=True):
        assert np.allclose(table_of(own.matrix), rows, rtol=1e-15)
        apart = np.abs(rows - np.eye(2))
        exact = np.isin(apart, (0, 0.5, 0.125, 0.25))
        assert np.allclose(
            table_of(own.error), np.where(exact, 0, 2 * UNIT * apart + TINY), rtol=1e-12
        )
        assert not table_of(own.scratch).any()


# how many classes there are


@pytest.mark.parametrize(("n", "pairs"), [(1, 256), (4, 256), (5, 163), (45, 2), (64, 1), (65, 1)])
def test_a_layer_has_fewer_pairs_where_matrices_are_large(n, pairs):
    """4096/n², at least 1 and at most 256."""
    own = made()
    assert replace(own, bounds=replace(own.bounds, n=n)).pairs == pairs


@pytest.mark.parametrize(("pairs", "length", "sizes"), [
    (10, 1, [[3]]),
    (10, 2, [[3], [3, 9]]),
    (10, 3, [[3], [3, 9], [2, 9, 4]]),
    (10, 4, [[3], [3, 9], [2, 9, 4, 4]]),
    (10, 5, [[3], [3, 9], [2, 9, 4, 4], [1, 1, 1, 4, 3]]),
    (1, 5, [[3], [3, 1], [1, 1, 1, 1], [1, 1, 1, 1, 1]]),
])  # fmt: skip
def test_pairs_that_early_layers_do_not_need_are_left_to_later_ones(
    monkeypatch, pairs, length, sizes
):
    """Of 10 · 3 pairs the first layer may take 30/3 and takes 9, the second 21/4 for each length: 2 times 2,
    twice; the third has 13/4 left. Windows that reach the beginning have as many classes as a side of these.
    """
    monkeypatch.setattr(decoder_entries, "PAIRS", pairs)
    own = made(length)
    tables = list(own.tables(decoder.errors(own.bounds, SETTING)))
    assert [[len(classes) for classes in table] for table in tables] == sizes


@pytest.mark.parametrize(
    ("left", "right", "count", "kept"),
    [(3, 2, 6, (3, 2)), (2, 3, 5, (2, 2)), (3, 1, 2, (1, 1)), (1, 3, 2, (1, 2))],
)
def test_classes_are_merged_until_their_pairs_fit(left, right, count, kept):
    own, letters = made(), made().letters()
    one, two = own.fitting(letters[:left], letters[:right], count)
    assert (len(one), len(two)) == kept


def test_a_window_of_two_parts_has_the_product_of_both_in_their_order():
    own = made()
    exact = decoder.errors(own.bounds, SETTING)
    letters = own.letters()
    layer = own.layer([letters], flint.arb(0), exact[0])
    found = own.doubled(layer, letters[:1], letters[1:])
    for each, k in zip(found, (1, 2), strict=True):
        assert np.allclose(table_of(each.matrix), MAPS[0] @ MAPS[k], rtol=1e-14)
        wanted = layer.longer(layer.head(letters[0], own.lost), each.matrix, letters[k])
        assert each.error == wanted.error and each.scratch == wanted.scratch
    assert len(own.doubled(layer, letters, [letters[0], letters[0]])) == 3


def test_a_window_that_reaches_the_beginning_reads_it_with_its_own_leak():
    own = made()
    letters, exact = own.letters(), decoder.errors(own.bounds, SETTING)
    layer = own.layer([letters], flint.arb(0), exact[0])
    for missing in (0, 2):
        head = layer.head(None, SETTING.begin_leak(4, missing))
        for each, letter in zip(own.with_begin(layer, letters, missing), letters, strict=True):
            assert (table_of(each.matrix) == table_of(letter.matrix)).all()
            assert each.error == layer.longer(head, letter.matrix, letter).error


def test_windows_grow_through_the_layers_from_letters_that_are_exact_in_the_exact_run():
    """Three letters in two layers: windows of k letters lack 2 - k in the second one."""
    own = made(3)
    first, second = decoder.errors(own.bounds, SETTING)
    assert isclose(own.lost, decoder.leak(Fraction(4)))
    letters = own.letters()
    layer = own.layer([letters], flint.arb(0), first)
    middle = [own.with_begin(layer, letters, 0), own.doubled(layer, letters, letters)]
    layer = own.layer(middle, first.window, second)
    last = [own.with_begin(layer, middle[0], 1), own.with_begin(layer, middle[1], 0),
            own.doubled(layer, middle[0], middle[1])]  # fmt: skip
    tables = list(own.tables([first, second]))
    for table, wanted in zip(tables, ([letters], middle, last), strict=True):
        for classes, others in zip(table, wanted, strict=True):
            for one, other in zip(classes, others, strict=True):
                assert (table_of(one.error) == table_of(other.error)).all()
                assert (table_of(one.matrix) == table_of(other.matrix)).all()


def test_a_layer_has_the_largest_entries_of_its_tokens():
    own, before = made(), flint.arb("0.25")
    errors = [flint.arb_mat([["0.5", 0], [k, 1]]) for k in (1, 2)]
    products = map(flint.arb_mat, ([[3, 1], [0, 1]], [[1, -2], [0, 5]]))
    classes = [
        WindowClass(a, error, own.nothing) for a, error in zip(products, errors, strict=True)
    ]
    now = Errors(flint.arb(7), flint.arb(0), LayerLoss(*map(flint.arb, (3, 4, 5))))
    sizes = own.layer([[classes[0]], [classes[1]]], before, now).sizes
    assert (sizes.before, sizes.brought, sizes.after) == (0.25, 3.25, 7)
    assert table_of(sizes.errors).tolist() == [[0.5, 0], [2, 1]]
    assert table_of(sizes.windows).tolist() == [[2.75, 2.25], [2.25, 5.25]]
    alone = own.layer([[classes[0]]], before, Errors(flint.arb(7), flint.arb(0))).sizes
    assert alone.brought == 0.25


# what is read


OUTPUTS = Matrix.dense([[1, 0, -2], [0, 3, 1]])
SOME = WindowClass(flint.arb_mat([["0.5", -1], [2, "0.25"]]), flint.arb_mat([["0.1", "0.2"], ["0.3", "0.4"]]),
                   flint.arb_mat(2, 2))  # fmt: skip


@pytest.mark.parametrize("own", [None, SOME])
def test_a_read_state_is_off_by_its_window_its_sum_and_the_norm(own):
    """αᵀEB, (γ_{m+4}(1 + θ' + c) + c)|α|ᵀ(W + I)|B| and θ'|α|ᵀ|I + Ŵ||B|; m = 2 · 2 for the third column."""
    rounding = made(4, READING, outputs=OUTPUTS)
    assert rounding.terms == 4
    theta, each, one = 0.015625, 0.03125, np.eye(2)
    error, size, whole = np.zeros((2, 2)), one, one
    if own is not None:
        error = table_of(own.error)
        near = 0.25 + error
        size = one + np.abs(table_of(own.matrix) - one) + near
        whole = np.abs(table_of(own.matrix)) + near
    share = 8 * UNIT / (1 - 8 * UNIT) * (1 + theta + each) + each
    row = (
        np.array([1, 2]) @ (error + share * size + theta * whole) @ np.array([[1, 0, 2], [0, 3, 1]])
    )
    assert isclose(rounding.read(own, flint.arb("0.25")), sqrt((row * row).sum()))


def test_an_output_adds_up_the_weights_that_are_not_zero():
    single = WFA.of([0, 3], LETTERS.transitions, [1, 1])
    assert made(automaton=single, outputs=OUTPUTS).terms == 2
    assert made().terms == 2
    assert made(outputs=Matrix.zeros(2, 0)).terms == 0


def test_without_layers_a_state_is_off_by_what_is_stored_and_read():
    """Of one letter nothing leaks, and no window is off in exact arithmetic."""
    rounding = made(1)
    own = rounding.error()
    zero = flint.arb(0)
    states = [
        rounding.read(None, zero),
        *(rounding.read(each, zero) for each in rounding.letters()),
    ]
    assert isclose(own.state, max(map(float, states)))
    apart = [table_of(each.error) for each in rounding.letters()]
    largest = max(min(sqrt((e * e).sum()), sqrt(e.sum(0).max() * e.sum(1).max())) for e in apart)
    assert isclose(own.window, largest)


def test_the_error_of_a_state_is_that_of_the_exact_run_and_of_its_worst_class(monkeypatch):
    monkeypatch.setattr(decoder_entries, "PAIRS", 4)
    rounding = made(5)
    exact = decoder.errors(rounding.bounds, SETTING)
    *_, shift = (each.window for each in exact)
    last = rounding.table(exact)
    classes = [each for own in last for each in own]
    worst = max(float(rounding.read(each, shift)) for each in classes)
    found = rounding.error()
    assert isclose(found.state, worst + float(decoder.state_error(rounding.bounds, SETTING)))
    norms = []
    for each in classes:
        e = table_of(each.error)
        norms.append(min(sqrt((e * e).sum()), sqrt(e.sum(0).max() * e.sum(1).max())))
    assert isclose(found.window, max(norms) + float(shift))


# what tokens may have


def test_the_assumed_square_leaves_a_sixteenth_of_the_sizes_and_of_one():
    """n max(5m², m'²), m = M + (M + 1)/16 and m' the same of ‖A^w‖ + 1, each the larger one somewhere."""
    facts = WordBounds(
        3, 4, (flint.arb(9),) * 2, tuple(map(flint.arb, (3, 15))), flint.arb(7), flint.arb(14), 3
    )
    assert assumed_square(facts) == 3 * 5 * 16**2
    far = replace(facts, distances=(flint.arb(3),), reach=flint.arb(46))
    assert assumed_square(far) == 3 * 50**2
    assert (
        assumed_square(replace(facts, distances=(), reach=flint.arb(-1)))
        == 3 * 5 * flint.arb("0.0625") ** 2
    )


def test_tokens_have_squares_of_a_window_and_a_scratch_that_were_brought_and_rounded():
    rounding = made(3, READING)
    exact = decoder.errors(rounding.bounds, SETTING)
    tables = list(rounding.tables(exact))
    found, root = list(rounding.squares(tables, exact)), sqrt(2)
    assert len(found) == 3
    before = 0.0
    for square, table, now, far in zip(
        found, tables, exact, rounding.bounds.distances, strict=False
    ):
        classes = [each for own in table for each in own]
        error, scratch = (np.max([table_of(getattr(each, part)) for each in classes], axis=0)
                          for part in ("error", "scratch"))  # fmt: skip
        whole = decoder_entries.merged(classes)
        head = rounding.layer(table, flint.arb(before), now).head(whole, rounding.lost)
        brought = root * (float(far) + before) + float(frobenius_norm(head.error))
        window = brought + root * (float(far) + before) + sqrt((error**2).sum())
        rest = brought + sqrt((scratch**2).sum())
        assert isclose(square, (1 + UNIT) ** 2 * (window**2 + rest**2))
        before = float(now.window)
    classes = [each for own in tables[-1] for each in own]
    error, scratch = (np.max([table_of(getattr(each, part)) for each in classes], axis=0)
                      for part in ("error", "scratch"))  # fmt: skip
    window = root * (float(rounding.bounds.reach) + 1 + before) + sqrt((error**2).sum())
    assert isclose(found[-1], window**2 + (scratch**2).sum())


def test_tokens_are_small_if_no_square_exceeds_the_assumed_one(monkeypatch):
    rounding = replace(made(3, READING), bounds=facts_of(3, 2, 2))
    limit = assumed_square(rounding.bounds)
    for squares, small in (
        ([limit, limit], True),
        ([limit, 2 * limit], False),
        ([2 * limit, 0], False),
    ):
        monkeypatch.setattr(EntryRounding, "squares", lambda *_, found=squares: iter(found))
        assert rounding.has_small_tokens([], []) is small
    assert made(3).has_small_tokens([], [])  # without a norm nothing is assumed


# where the bound applies


class Limited:
    """A setting that leaks so much, and a format in which so many roundings are off by that."""

    design, normal, roundoff = Design("silu"), flint.arb(0), flint.arb(0)

    def __init__(self, value):
        self.value = flint.arb(value)

    def leak(self, *_):
        return self.value

    def gamma(self, _):
        return self.value


FOUND = EntryError(flint.arb(1), flint.arb(2))
INFINITE = flint.arb("inf")


@pytest.mark.parametrize(("changes", "known"), [
    ({}, True),
    ({"facts": (1 << 15, 1, 15)}, True),  # 2 T n² is 2^16
    ({"facts": ((1 << 15) + 1, 1, 16)}, False),
    ({"facts": (1 << 13, 2, 13)}, True),
    ({"facts": ((1 << 13) + 1, 2, 14)}, False),
    ({"facts": (8, 2, 2)}, False),  # a layer too few
    ({"facts": (8, 2, 4)}, False),
    ({"leak": "0.25"}, True),
    ({"leak": "0.2501"}, False),
    ({"gamma": "0.25"}, True),
    ({"gamma": "0.2501"}, False),
    ({"theta": "0.03125", "each": "0.03125"}, True),
    ({"theta": "0.03125", "each": "0.03126"}, False),
    ({"found": EntryError(INFINITE, flint.arb(1))}, False),
    ({"found": EntryError(flint.arb(1), INFINITE)}, False),
    ({"found": None}, False),
])  # fmt: skip
def test_the_bound_by_entries_applies_up_to_these_limits(monkeypatch, changes, known):
    asked = {
        "facts": (8, 2, 3),
        "leak": 0,
        "gamma": 0,
        "theta": 0,
        "each": 0,
        "found": FOUND,
    } | changes
    own = SimpleNamespace(error=lambda: asked["found"])
    monkeypatch.setattr(decoder_entries, "EntryRounding", lambda *_: own)
    read = NormReading(*map(flint.arb, (asked["theta"], 0, asked["each"], 0)))
    found = entry_error(
        facts_of(*asked["facts"]), Limited(asked["leak"]), Limited(asked["gamma"]), read
    )
    assert found == (asked["found"] if known else None)
