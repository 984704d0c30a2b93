"""The bounds of the normalised stream, attacked where the leak of attention can be seen."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import log as log_of
from math import pi

import flint
import pytest
import torch
from coarse_support import Coarse

from constructions import normalised
from constructions.arithmetic import Balls
from constructions.automata.families import hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import predictor
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.activations import smooth_activation
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.exports.order import Order, settle
from constructions.modules.decoder import DecoderModule
from constructions.normalised import stochastic_form
from verify.automaton.normalised import choose_normalised_model
from verify.automaton.variation import largest_variation, sample_words
from verify.bounds import normalised as bounds
from verify.bounds.floating import ONCE
from verify.bounds.normalised import (
    NormalisedStream,
    normalised_variation,
    required_stream,
    rounded_gap,
    shares,
)

FLOAT32 = ONCE["float32"]
LENGTH, BITS = 8, 300
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
GAPS = hmm([["1/2", "1/2", 0], [0, "1/2", "1/2"], ["1/2", 0, "1/2"]],
           [["9/10", "1/2", "1/10"], ["1/10", "1/2", "9/10"]], [1, 0, 0], "ab")  # fmt: skip
LOG = fit_logarithm("silu", Fraction(1, 10**3), Fraction(1, 10**4))


def stream_of(process, saturation, length=LENGTH) -> NormalisedStream:
    form = stochastic_form(process)
    return NormalisedStream(form.n, length, len(form.alphabet), shares(form), Fraction(saturation))


def ratios(model, word):
    """The belief over the exact state, entry by entry where that is not 0, after every prefix."""
    with Balls(BITS) as balls:
        transformer = realise(model.transformer, balls)
        *_, last = transformer.states(balls, balls.array(model.encode(word)))
        rows = last[:, list(model.layout["belief"])]
        exact = model.automaton.states(word)
        return [
            [b / ball(x) for b, x in zip(row, state, strict=True) if x]
            for row, state in zip(rows, exact, strict=True)
        ]


def spread(row) -> flint.arb:
    top, low = row[0], row[0]
    for value in row[1:]:
        top, low = top.max(value), low.min(value)
    return top / low


@pytest.mark.parametrize("saturation", [200, 300, 500])
def test_every_entry_of_a_belief_is_within_the_growth_for_every_word(saturation):
    process = predictor(WEATHER)
    found = stream_of(process, saturation).bounds()
    model = normalised.build(process, LENGTH, saturation, LOG)
    worst = flint.arb(1)
    with flint.ctx.workprec(BITS):
        for word in product("ab", repeat=6):
            for row in ratios(model, word):
                worst = worst.max(spread(row))
        growth = found.log_growth.exp()
        assert worst <= growth
        assert worst - 1 > (growth - 1) / 10**4, "and the bound is not of another size"


def test_a_leak_that_may_move_windows_by_their_size_is_not_certified():
    found = stream_of(predictor(WEATHER), 20).bounds()
    assert not found.log_growth.is_finite() and found.belief == 0
    nothing = normalised_variation(stream_of(predictor(WEATHER), 20), LOG, Fraction(1, 10))
    assert nothing.variation == 1 == nothing.chance


@pytest.mark.parametrize(
    "automaton, saturation",
    [(GAPS, 700), (automaton_by_name("even"), 700), (automaton_by_name("rrxor"), 1000)],
    ids=["gaps", "even", "rrxor"],
)
def test_the_mean_of_the_relative_error_over_drawn_words_is_below_its_bound(automaton, saturation):
    """αᵀM + e with the largest multiple of αᵀM below the belief; its e is at most the one bounded."""
    process = predictor(automaton)
    found = stream_of(process, saturation).bounds()
    model = normalised.build(process, LENGTH, saturation, LOG)
    mean = flint.arb(0)
    with flint.ctx.workprec(BITS):
        for word in product(process.symbols, repeat=6):
            if process.probability(word):
                mean += drawn_error(model, word)
        assert flint.arb(0) < mean <= found.relative
    assert found.misfit < flint.arb("1e-7")


def drawn_error(model, word) -> flint.arb:
    """p(w) times |e|₁/p(w) at the end of a word."""
    with Balls(BITS) as balls:
        transformer = realise(model.transformer, balls)
        *_, last = transformer.states(balls, balls.array(model.encode(word)))
        belief, state = last[-1, list(model.layout["belief"])], model.automaton.states(word)[-1]
        pairs = [(b, ball(x)) for b, x in zip(belief, state, strict=True)]
        scale = pairs_least([b / x for b, x in pairs if x != 0])
        total = sum((b for b, _ in pairs), flint.arb(0)) / scale
        return total - sum((x for _, x in pairs), flint.arb(0))


def pairs_least(values) -> flint.arb:
    least = values[0]
    for value in values[1:]:
        least = least.min(value)
    return least


@pytest.mark.parametrize("name", ["hmm:3:5", "pfa:2:1", "golden"])
def test_the_certified_variation_bounds_that_of_every_word(name):
    order = settle(Order(4, format="olmo2", head="next", eps="1e-4"), words=True)
    decision = choose_normalised_model(automaton_by_name(name), order)
    source, model = decision.source, decision.model
    with flint.ctx.workprec(BITS):
        assert decision.error <= flint.arb("1e-4")
        for word in product(source.symbols, repeat=3):
            if source.probability(word):
                assert variation(model, word) <= decision.error


def variation(model, word) -> flint.arb:
    worst = flint.arb(0)
    for row, exact in zip(
        model.states(word, Balls(BITS)), model.source.distributions(word), strict=True
    ):
        weights = [value.exp() for value in row]
        total, target = sum(weights, flint.arb(0)), [*exact.values(), 0, 0, 0]
        gaps = (abs(w / total - ball(Fraction(p))) for w, p in zip(weights, target, strict=True))
        worst = worst.max(sum(gaps, flint.arb(0)) / 2)
    return worst


def test_a_logarithm_that_does_not_reach_the_least_chance_is_not_taken_for_every_word():
    stream = required_stream(stochastic_form(predictor(WEATHER)), 8, 2, Fraction(1, 10**5), FLOAT32)
    short = fit_logarithm("silu", Fraction(1, 2), Fraction(1, 10**4))
    assert normalised_variation(stream, short, Fraction(1, 10**5)).ratio is None
    assert normalised_variation(stream, short, Fraction(1, 10**5)).variation > flint.arb("0.1")


@pytest.mark.parametrize("name, length", [("mess3:1/20:17/20", 64), ("rrxor", 16)])
def test_float32_stays_below_what_is_certified_with_rounding(name, length):
    order = settle(Order(length, format="olmo2", head="next", dtype="float32"), words=True)
    decision = choose_normalised_model(automaton_by_name(name), order)
    assert decision.rounded is not None and decision.error < decision.rounded < flint.arb("1e-3")
    module = DecoderModule(decision.model, torch.float32, dense=True)
    for word in sample_words(decision.source, length)[-3:]:
        with torch.no_grad():
            logits = module(torch.tensor([decision.model.tokens(word)]))[0].double()
        assert largest_variation(logits, decision.source, word) < decision.rounded


@pytest.mark.parametrize("length", [4, 64, 700, 1024])
def test_scores_of_float32_have_the_gap_that_is_counted_with(length):
    """Angles and scores as the library computes them, each token against every target."""
    width, turn = 64, pi / (length + 1)
    base = turn ** (-width / (width - 2))
    power = torch.arange(0, width, 2, dtype=torch.float) / width
    rate = (1.0 / (base**power))[-1]
    angles = torch.arange(length + 1).float() * rate
    keys = torch.stack([angles.cos(), angles.sin()], -1)
    for back in (1, 2, length // 2):
        start = torch.tensor([-turn * back], dtype=torch.float64)
        first, second = start.cos().float(), start.sin().float()
        queries = torch.stack(
            [first * keys[:, 0] - second * keys[:, 1], second * keys[:, 0] + first * keys[:, 1]], -1
        )
        scores = (queries @ keys.T).double()
        scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
        target = (torch.arange(length + 1) - back).clamp(min=0)
        best = scores.gather(1, target[:, None])
        scores.scatter_(1, target[:, None], -torch.inf)
        gap = float((best - scores.amax(1, keepdim=True))[1:].min())
        assert gap >= float(rounded_gap(length, FLOAT32))
    assert rounded_gap(length, FLOAT32) > 0


def test_float32_cannot_tell_the_positions_of_long_words_apart():
    assert not rounded_gap(4096, FLOAT32) > 0
    facts = shares(stochastic_form(predictor(WEATHER)))
    stream = NormalisedStream(2, 4096, 2, facts, Fraction(10**12), FLOAT32)
    assert not stream.leak().is_finite()
    assert normalised_variation(stream, LOG, Fraction(1, 100)).variation == 1
    assert replace(stream, form=ONCE["float64"]).leak() < flint.arb("1e-300")


def test_small_values_of_silu_are_accurate_relatively_and_gates_do_not_cancel():
    y = torch.cat([torch.logspace(-36, 0, 2000), torch.linspace(0, 1, 2000)[1:]])
    up, down = torch.nn.functional.silu(y), -torch.nn.functional.silu(-y)
    wide = y.double()
    assert (up >= 0).all() and (down >= 0).all()
    for value, exact in ((up, wide.sigmoid() * wide), (down, (-wide).sigmoid() * wide)):
        assert ((value.double() - exact).abs() <= 8 * 2.0**-24 * exact).all()


@pytest.mark.parametrize("sharpness", [Fraction(3, 2), Fraction(2)])
def test_reading_a_unit_costs_what_the_derivation_counts(sharpness):
    """|σ'(z)| (2s + |z|) ≤ 4s + 1 for z ≤ s, on intervals of balls; below -40 by e^z (1 + |z|)."""
    sigma, s = smooth_activation("silu"), ball(sharpness)
    ends = [Fraction(k, 32) for k in range(-40 * 32, int(sharpness * 32) + 1)]
    for low, high in pairwise(ends):
        z = ball(low).union(ball(high))
        assert abs(sigma.derivative(z, 1)) * (2 * s + abs(z)) <= 4 * s + 1
    far = flint.arb(40)
    assert (-far).exp() * (1 + far) * (2 * s + far) < 1, "and it falls from there on"


@pytest.mark.parametrize("window", [2, 4])
def test_a_window_forgets_what_was_before_it_as_fast_as_said(window):
    """Beliefs after the last W letters from α, against those after the whole word, exactly."""
    form = stochastic_form(predictor(WEATHER))
    limit, worst = bounds.forgotten(shares(form), window), flint.arb(0)
    for word in product("ab", repeat=8):
        whole, last = form.states(word)[-1], form.states(word[-window:])[-1]
        quotients = [ball(x / y) for x, y in zip(whole, last, strict=True)]
        worst = worst.max(spread(quotients).log())
    assert flint.arb(0) < worst <= limit
    assert worst > limit / 100, "and the bound is not of another size"


def test_a_model_with_a_window_is_certified_and_reads_no_further():
    order = Order(16, format="olmo2", head="next", eps="0.05", window=4)
    decision = choose_normalised_model(WEATHER, settle(order, words=True))
    model, word = decision.model, tuple("abbaabababbabaab")
    assert len(model.transformer.layers) == 3 and decision.limits[0].startswith(
        "It reads the last 4"
    )
    with flint.ctx.workprec(BITS):
        assert flint.arb("1e-9") < variation(model, word) <= decision.error <= flint.arb("0.05")
        whole, short = model.states(word, Balls(BITS))[-1], model.states(word[-4:], Balls(BITS))[-1]
        assert all(abs(x - y) < flint.arb("1e-6") for x, y in zip(whole, short, strict=True))


@pytest.mark.parametrize("automaton, eps, expected", [
    (WEATHER, "1e-9", "or more, to forget"), (GAPS, "1e-4", "all weights are positive"),
])  # fmt: skip
def test_a_window_that_does_not_forget_is_refused(automaton, eps, expected):
    order = settle(Order(64, format="olmo2", head="next", eps=eps, window=4), words=True)
    with pytest.raises(InputError, match=expected):
        choose_normalised_model(automaton, order)


def test_entries_of_windows_are_as_near_as_rows_and_columns_say():
    form = stochastic_form(predictor(WEATHER))
    facts = shares(form)
    for word in product("ab", repeat=3):
        rows = [list(map(Fraction, row)) for row in form.matrix(word[0])]
        for symbol in word[1:]:
            step = form.matrix(symbol)
            rows = [[sum(r[k] * step[k][j] for k in range(2)) for j in range(2)] for r in rows]
        entries = [x for row in rows for x in row]
        assert min(entries) >= facts.rows * facts.columns * max(entries)
    assert not shares(stochastic_form(predictor(automaton_by_name("golden")))).positive


@pytest.mark.parametrize("bits", [11, 14])
def test_a_coarse_format_stays_within_the_growth_and_the_variation_with_rounding(bits):
    """Every operation rounds to so few bits that each word's error is seen."""
    form = replace(FLOAT32, bits=bits, twice=False)
    process = predictor(WEATHER)
    facts = stochastic_form(process)
    exact = required_stream(facts, LENGTH, 2, Fraction(1, 10**6), form)
    stream = replace(exact, form=form)
    log = fit_logarithm("silu", Fraction(1, 100), Fraction(1, 10**4))
    model = normalised.build(process, LENGTH, stream.saturation, log)
    found, certified = stream.bounds(), normalised_variation(stream, log, Fraction(1, 10**6))
    assert certified.variation < 1
    apart, worst = 0.0, 0.0
    for word in product("ab", repeat=4):
        logits, belief = coarse_pass(model, word * 2, bits)
        state = model.automaton.states(word * 2)[-1]
        ratios = [b / float(x) for b, x in zip(belief, state, strict=True)]
        apart = max(apart, log_of(max(ratios) / min(ratios)))
        worst = max(worst, largest_variation(logits, process, word * 2))
    assert 2.0**-bits / 4 < apart <= 2 * float(found.log_growth)
    assert 2.0**-bits / 4 < worst <= float(certified.variation)


def coarse_pass(model, word, bits):
    """The logits after every prefix, and the belief after the word."""
    coarse = Coarse(bits)
    transformer = realise(model.transformer, coarse)
    *_, last = transformer.states(coarse, coarse.array(model.encode(word)))
    rows = transformer.read(coarse, last)
    logits = torch.tensor([[entry.value for entry in row] for row in rows], dtype=torch.float64)
    return logits, [entry.value for entry in last[-1, list(model.layout["belief"])]]
