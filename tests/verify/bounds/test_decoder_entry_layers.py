"""RMSNorm in the bound by entries: above every run and every choice of signs, and near what errors can do."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import numpy as np
import pytest
from noisy_decoder import (
    KINDS,
    NORM_KINDS,
    NoisyDecoder,
    aligned_error,
    choices,
    worst_error,
)
from selected_format import AUTOMATA as SMALL
from selected_format import UNIT, WEATHER, selected

from constructions import decoder as construction
from constructions.automata.families import counting
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.decoder import Design, Normalisation
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.order import Order, settle
from verify.automaton.inputs import words
from verify.automaton.sampling import Measurement
from verify.bounds.decoder import Setting, word_bounds
from verify.bounds.decoder_entries import EntryRounding, entry_error
from verify.bounds.decoder_rounding import DecoderRounding
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.floating import ONCE
from verify.bounds.norm_reading import NormReading
from verify.bounds.window_classes import merged

AUTOMATA = SMALL | {"weather": WEATHER}
ONE_STATE = {weight: WFA.of([1], {"b": [[weight]]}, [1]) for weight in ("2", "1/2", "-3/4", "5/4")}
BOTH, ALL = ("factor", "read"), ("factor", "read", "erase")
WITHIN = [("dyadic", ("factor",), 4, 2), ("signed", ("factor",), 4, 1.1), ("weather", ("factor",), 4, 1.3),
          ("signed", BOTH, 2, 1.05), ("weather", BOTH, 2, 1.1)]  # fmt: skip


def reading(kinds):
    """A norm whose factors, or whose reads beside them, are off by that many units of the tests."""
    zero = flint.arb(0)
    theta = flint.arb(7.5 * UNIT) if "factor" in kinds else zero
    each = flint.arb(17 / 8 * UNIT) * (1 + theta) if "read" in kinds else zero
    return NormReading(theta, zero, each, zero)


def certified(automaton, length, kinds):
    """The bound for some kinds of errors, with exact scores and C = 24."""
    form = selected([kind for kind in kinds if kind in KINDS], automaton, length)
    setting = MovedSetting(Design("silu"), Fraction(24))
    with flint.ctx.workprec(128):
        return entry_error(word_bounds(automaton, length), setting, form, reading(kinds)).state


@pytest.mark.parametrize("weight", ONE_STATE)
@pytest.mark.parametrize(("kinds", "length", "within"),
                         [(("factor",), 2, 1.001), (("factor",), 4, 1.01), (("read",), 2, 1.001),
                          (("read",), 4, 1.25), (BOTH, 2, 1.002), (ALL, 3, 1.3)])  # fmt: skip
def test_one_state_attains_the_bound_of_a_norms_errors(weight, kinds, length, within):
    """No other word and no other entry has a larger bound: hardly a term can be left out."""
    automaton, units = ONE_STATE[weight], dict.fromkeys(kinds, UNIT)
    bound = certified(automaton, length, kinds) - certified(automaton, length, ())
    error = aligned_error(automaton, "b" * length, 24, units)
    assert error <= bound <= error * within


@pytest.mark.parametrize(("name", "kinds", "length", "within"), WITHIN)
def test_errors_of_a_norm_whose_signs_work_together_just_stay_below_their_bound(
    name, kinds, length, within
):
    """A term that is missing would be seen here, where no other kind covers it."""
    automaton, units = AUTOMATA[name], dict.fromkeys(kinds, UNIT)
    bound = certified(automaton, length, kinds) - certified(automaton, length, ())
    chosen = [letter * length for letter in "ab"]
    error = max(aligned_error(automaton, word, 24, units) for word in chosen)
    assert error <= bound <= error * within


@pytest.mark.parametrize("kinds", [("factor",), ("read",), ("erase",), ("factor", "erase")])
@pytest.mark.parametrize("name", ["signed", "weather"])
def test_what_is_left_in_the_scratch_just_stays_below_its_bound(name, kinds):
    """With all signs alike; some entry comes near."""
    automaton, length = AUTOMATA[name], 4
    form = selected([kind for kind in kinds if kind in KINDS], automaton, length)
    setting, facts = MovedSetting(Design("silu"), Fraction(24)), word_bounds(automaton, length)
    made = EntryRounding(facts, facts.reduction, setting, form, reading(kinds))
    with flint.ctx.workprec(128):
        _, *tables = made.tables()
    for number, table in enumerate(tables, start=1):
        every = merged([each for own in table for each in own]).scratch
        bound = np.array([[float(x) for x in row] for row in every.tolist()])
        runs = (
            NoisyDecoder(automaton, 24, dict.fromkeys(kinds, UNIT), choices(seed))
            for seed in range(2)
        )
        left = [np.abs(run.tokens(word, number)[1]).max(0) for run in runs
                for word in ("aaaa", "bbbb", "abab", "baba")]  # fmt: skip
        worst = np.max(left, axis=0)
        assert 0.9 <= (worst / bound).max() <= 1


@pytest.mark.parametrize("name", ["signed", "weather"])
def test_errors_of_all_kinds_with_a_norm_stay_below_the_bound(name):
    kinds = (*KINDS, *NORM_KINDS)
    bound = certified(AUTOMATA[name], 5, kinds)
    assert worst_error(AUTOMATA[name], 5, 24, dict.fromkeys(kinds, UNIT)) <= bound


@pytest.mark.parametrize("kind", NORM_KINDS)
def test_errors_of_a_norm_that_the_bound_does_not_know_exceed_it(kind):
    other = next(each for each in NORM_KINDS if each != kind)
    bound = certified(WEATHER, 4, (other,))
    assert worst_error(WEATHER, 4, 24, {kind: 8 * UNIT}) > bound


def rounding_of(automaton, length, design, saturation, form):
    return DecoderRounding(word_bounds(automaton, length), Setting(design, saturation), ONCE[form])


def errors_of_runs(automaton, length, design, saturation, form):
    """Of the model with all of its scores, on words chosen against it."""
    order = settle(Order(length, dtype=form), words=True)
    simulation = construction.build(automaton, length, design, saturation)
    model = ExportModel(automaton, order, Constants(saturation), simulation)
    return max(Measurement(model, True).errors(list(words(automaton, length).values())))


@pytest.mark.parametrize(("name", "gate", "large"),
                         [("weather", "silu", 1 << 14), ("weather", "gelu_new", 64),
                          ("signed", "silu", 64), ("signed", "relu", 64), ("counting", "silu", 64),
                          ("counting", "relu", 1 << 12), ("random", "gelu", 1 << 12)])  # fmt: skip
def test_runs_with_a_norm_stay_below_the_bound(name, gate, large):
    automaton = {"counting": counting(), "random": automaton_by_name("random:3:3")} | AUTOMATA
    design = Design(gate, None, Normalisation.RMS, large, Fraction(1, 10**6))
    for length in (1, 2, 5):
        made = rounding_of(automaton[name], length, design, Fraction(13), "float32")
        bound = made.error_by_entries()
        error = errors_of_runs(automaton[name], length, design, Fraction(13), "float32")
        assert error <= bound
        assert bound.is_finite() or (length == 5 and large < 100)


def drawn(random, form):
    """An automaton of ordinary weights, or with some at the edges of a format."""
    n, sizes = random.choice((1, 2, 2, 3)), (1, 1, 1, 2.0**-20, 2.0 ** (form.least // 2))

    def weight(edge):
        value = Fraction(random.randint(0, 999), random.choice((500, 512, 1000)))
        return random.choice((1, 1, -1)) * value * Fraction(random.choice(sizes) if edge else 1)

    def row(edge):
        return [weight(edge) / n for _ in range(n)]

    edge = random.random() < 0.3
    maps = {letter: [row(edge) for _ in range(n)] for letter in "ab"}
    return WFA.of(row(random.random() < 0.3), maps, row(False))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["float32", "float64"])
def test_no_run_of_many_automata_with_a_norm_exceeds_its_bound(form):
    random, finite = Random(form), 0
    while finite < 150:
        automaton, length = drawn(random, ONCE[form]), random.choice((1, 2, 3, 5, 8, 16, 33, 64))
        large, gate = 1 << random.randint(4, 26), random.choice(("silu", "silu", "relu", "gelu"))
        epsilon = random.choice((Fraction(0), Fraction(1, 10**6)))
        design = Design(gate, None, Normalisation.RMS, large, epsilon)
        saturation = Fraction(random.choice((6, 9, 13, 20, 40)))
        bound = rounding_of(automaton, length, design, saturation, form).error_by_entries()
        if bound.is_finite():
            finite += 1
            assert not errors_of_runs(automaton, length, design, saturation, form) > bound


@pytest.mark.parametrize("rotary", [False, True])
def test_the_run_without_a_norm_leaks_what_scores_with_it_do(rotary):
    """Moved scores and factors of tokens are in its η, also where BOS is read."""
    design = Design("silu", None, Normalisation.RMS, 1 << 10, Fraction(1, 10**6))
    setting = Setting(design, Fraction(200), rotary=rotary)
    with flint.ctx.workprec(256):
        made = DecoderRounding(word_bounds(WEATHER, 8), setting, ONCE["float32"])
        read = made.reading_by_entries()
        moved = made.setting_by_entries(read)
        grown = made.leak(read) / setting.leak(8, flint.arb(0))
        still = replace(moved, moved=flint.arb(0))
        begin = moved.begin_leak(8, 1) / still.begin_leak(8, 1)
        leak = moved.leak(8, flint.arb(0)) / still.leak(8, flint.arb(0))
    assert moved.design.norm is Normalisation.NONE and moved.rotary is rotary
    assert grown > 1.001
    assert abs(leak / grown - 1) < 1e-9 and abs(begin / grown - 1) < 1e-9


def test_angles_have_a_bound_by_entries_far_below_that_by_norms():
    design = Design("silu", None, Normalisation.RMS, 1 << 15, Fraction(1, 10**6))
    setting = Setting(design, Fraction(250), rotary=True)
    with flint.ctx.workprec(256):
        made = DecoderRounding(word_bounds(WEATHER, 8), setting, ONCE["float32"])
        assert made.error_by_entries() < made.error_by_norms() / 10
        assert made.state_error() < made.error_by_norms() / 10


def test_what_the_reads_do_not_cover_has_no_bound_by_entries():
    """LayerNorm, a K that is no power of two, factors far from 1."""
    design = Design("silu", None, Normalisation.RMS, 1 << 12)
    assert rounding_of(WEATHER, 4, design, Fraction(17), "float32").error_by_entries().is_finite()
    for other in (replace(design, norm=Normalisation.LAYER), replace(design, large=3 << 10),
                  replace(design, large=4)):  # fmt: skip
        made = rounding_of(WEATHER, 4, other, Fraction(17), "float32")
        assert not made.error_by_entries().is_finite()


@pytest.mark.parametrize(("share", "covered"), [("0.001", True), ("0.03", False)])
def test_tokens_that_may_be_larger_than_the_reads_assume_have_no_bound(share, covered):
    """Reads off by 3 in 100 let windows grow by more than the sixteenth that is left for them."""
    facts, zero = word_bounds(WEATHER, 4), flint.arb(0)
    read = NormReading(flint.arb(share), zero, flint.arb(share), zero)
    setting = MovedSetting(Design("silu"), Fraction(17))
    made = EntryRounding(facts, facts.reduction, setting, ONCE["float32"], read)
    assert (made.error() is not None) is covered
    assert (entry_error(facts, setting, ONCE["float32"], read) is not None) is covered
