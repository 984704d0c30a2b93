"""A language model for an automaton: which construction, with which constants, how far off.

one-hot   the process is in one state at a time: the readout holds logarithms. Plain blocks are digital,
          gated ones multiply exactly
general   letters scaled by 1/q, a decoder for f_σ, a layer of logarithms. What is claimed holds at every
          prefix w with s(w) = p(w)/q(w) ≥ s₀; a word drawn from the automaton leaves this range, at
          any time, with probability at most s₀ (Ville's inequality)
normalised  the format's norms stand behind its blocks (olmo2): what is claimed holds for every word where
          all matrices are positive, and otherwise for a word drawn from the automaton with a
          probability near 1 (`verify.bounds.normalised`); rounding is certified too
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from constructions.automata.prediction import Predictor, predictor
from constructions.automata.wfa import WFA
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.decoder import Normalisation
from constructions.exports.building import decoder_length
from constructions.exports.model import Constants
from constructions.exports.order import Order
from constructions.language_model import (
    Deterministic,
    LanguageDesign,
    LanguageModel,
    build_general,
    build_one_hot,
    deterministic,
    digital_slope,
    letter_shares,
    logits_of_states,
    scaled,
    symbol_weights,
)
from constructions.normalised import build as build_normalised
from constructions.normalised import stochastic_form
from constructions.theorem1 import depth
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import Setting, required_setting, word_bounds
from verify.bounds.floating import ONCE
from verify.bounds.language import (
    LogarithmRange,
    digital_logit_error,
    general_variation,
    variation_of_logits,
)
from verify.bounds.normalised import (
    NormalisedVariation,
    forgotten,
    least_ratio,
    normalised_variation,
    required_stream,
    shares,
)
from verify.bounds.outward import rounded_up

LEAST_WEIGHT = Fraction(1, 1000)  # s₀
MOST_SATURATION, MOST_LARGE = 1 << 10, 1 << 40
ONE_HOT = (
    "in total variation of the next-symbol distribution, after every prefix of positive probability"
)
GENERAL = (
    "in total variation of the next-symbol distribution, after every prefix w with p(w)/q(w) ≥ {least} (a "
    "word drawn from the automaton leaves this range with probability at most {least})"
)
DRAWN = (
    "in total variation of the next-symbol distribution, at every position, except on words that the "
    "automaton emits with probability at most {chance} in all"
)
RATIO = (
    "The probability of any word of {length} letters, multiplied together from the model's "
    "conditional ones, is certainly within {share} of the exact one, relatively, {where}."
)
WINDOW = "It reads the last {} letters, from the start distribution on: log₂ of that many layers."
WINDOWS = tuple(1 << k for k in range(1, 15))
RELATIVELY_EXACT = "silu"  # whose small values libraries compute accurately relatively


@dataclass(frozen=True)
class LanguageDecision:
    """A language model whose constants are chosen: it is built when asked for."""

    source: Predictor
    constants: Constants
    error: flint.arb
    quantity: str
    model: LanguageModel
    rounded: flint.arb | None = None
    limits: tuple[str, ...] = ()


def choose_language_model(automaton: WFA, order: Order) -> LanguageDecision:
    """The language model of a settled order; `TooSoft` where no constants keep the variation."""
    source = predictor(automaton)
    if order.target.normalised:
        return _normalised(source, order)
    process = deterministic(source)
    if process is None:
        return _general(source, order)
    if order.plain:
        return _digital(source, process, order)
    return _one_hot(source, process, order)


def _one_hot(source: Predictor, process: Deterministic, order: Order) -> LanguageDecision:
    """One-hot states with exact products: C keeps the logits within 2 TV."""
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    logits = logits_of_states(process)
    facts = word_bounds(process.moves, decoder_length(order), logits)
    choice = required_setting(facts, 2 * order.error, design, order.target.rotary)
    setting = choice.setting
    model = build_one_hot(source, decoder_length(order), setting.design, setting.saturation)
    error = variation_of_logits(choice.error, len(source.symbols))
    return LanguageDecision(source, _constants(order, setting), error, ONE_HOT, model)


def _digital(source: Predictor, process: Deterministic, order: Order) -> LanguageDecision:
    """One-hot states with digital blocks: the least C, then the least K = 2^k, that keep the bound."""
    length, logits = decoder_length(order), logits_of_states(process)
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    slope, n = digital_slope(order.activation), process.moves.n

    def variation(saturation: int, large: int) -> flint.arb:
        chosen = LanguageDesign.of(replace(design, large=large), slope=slope)
        setting = Setting(chosen, Fraction(saturation), order.target.rotary)
        error = digital_logit_error(n, length, depth(length), setting, logits)
        # every logit is within `error`, so that two differ by at most twice as much
        return variation_of_logits(flint.arb(2).sqrt() * error, len(source.symbols))

    saturation, large = 2, design.large
    while not variation(saturation, MOST_LARGE) <= ball(order.error):
        saturation += 1
        if saturation > MOST_SATURATION:
            raise TooSoft(f"no C up to {MOST_SATURATION} keeps the variation")
    while not (error := variation(saturation, large)) <= ball(order.error):
        large *= 2
    setting = Setting(replace(design, large=large), Fraction(saturation), order.target.rotary)
    model = build_one_hot(source, length, setting.design, setting.saturation, digital=True)
    constants = replace(_constants(order, setting), fineness=None, slope=slope)
    return LanguageDecision(source, constants, error, ONE_HOT, model)


def _general(source: Predictor, order: Order) -> LanguageDecision:
    """Any process: a third of the variation for the weights f, a third for the logarithm, a third for
    what is below its range.
    """
    length, symbols = decoder_length(order), len(source.symbols)
    automaton, outputs = scaled(source, letter_shares(source)), symbol_weights(source)
    facts = word_bounds(automaton, length, outputs)
    share = order.error / 3
    error = share * LEAST_WEIGHT / (4 * symbols)
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    choice = required_setting(facts, error, design, order.target.rotary)
    largest = Fraction(ceiling(facts.readout * facts.reach) + 1)
    least = share * LEAST_WEIGHT / (16 * symbols * largest)
    log = fit_logarithm(order.activation, least, share)
    setting = choice.setting
    model = build_general(source, length, setting.design, setting.saturation, log, largest)
    bound = general_variation(symbols, choice.error, LogarithmRange(LEAST_WEIGHT, largest, log))
    constants = replace(_constants(order, setting), units=len(log.knots), least_weight=LEAST_WEIGHT)
    quantity = GENERAL.format(least=LEAST_WEIGHT)
    return LanguageDecision(source, constants, bound, quantity, model)


def _normalised(source: Predictor, order: Order) -> LanguageDecision:
    """A normalised stream: an eighth of the variation for the windows, the rest for the logarithm."""
    length, allowed = decoder_length(order), order.error / 8
    form = ONCE[order.target.computes_in or order.dtype]
    process, symbols = stochastic_form(source), len(source.symbols)
    _check_window(process, order)
    stream = required_stream(process, length, symbols, allowed, form, order.window)
    log = fit_logarithm(order.activation, least_ratio(stream, order.error), order.error)
    exact = normalised_variation(stream, log, allowed)
    if not exact.variation <= ball(order.error):
        raise TooSoft(f"{len(log.knots)} units a logarithm keep {exact.variation.str(3)}")
    found = {"in exact arithmetic": exact}
    if order.activation == RELATIVELY_EXACT:
        rounded = normalised_variation(replace(stream, form=form), log, allowed)
        found |= {f"with rounding in {form.name}": rounded} if rounded.variation < 1 else {}
    worst = list(found.values())[-1]
    return LanguageDecision(
        source,
        Constants(stream.saturation, units=len(log.knots)),
        exact.variation,
        ONE_HOT if stream.shares.positive else DRAWN.format(chance=_short(worst.chance)),
        build_normalised(source, length, stream.saturation, log, order.window),
        worst.variation if len(found) > 1 else None,
        (*([] if order.window is None else [WINDOW.format(order.window)]), *_ratios(length, found)),
    )


def _check_window(process: WFA, order: Order) -> None:
    """Refuse a window after which the letters before it can still be felt."""
    if order.window is None:
        return
    facts = shares(process)
    if not facts.positive:
        expected = "nothing: only where all weights are positive letters are certainly forgotten"
        raise InputError("--window", order.window, expected)
    if not forgotten(facts, order.window) <= ball(order.error):
        enough = next((w for w in WINDOWS if forgotten(facts, w) <= ball(order.error)), None)
        expected = (
            f"{enough} or more" if enough else f"nothing: {WINDOWS[-1]} letters are not enough"
        )
        raise InputError("--window", order.window, f"{expected}, to forget what was before")


def _ratios(length: int, found: dict[str, NormalisedVariation]) -> Iterator[str]:
    """How accurate, relatively, the probability of a word of the full length is."""
    for where, each in found.items():
        share = None if each.ratio is None else (length * each.ratio).expm1()
        if share is not None and share < 1:
            yield RATIO.format(where=where, length=length, share=_short(share))


def _short(value: flint.arb) -> str:
    """A decimal of two digits at or above a ball."""
    return f"{rounded_up(value, 2):.1e}"


def _constants(order: Order, setting: Setting) -> Constants:
    design = setting.design
    large = None if design.norm is Normalisation.NONE else design.large
    return Constants(setting.saturation, design.fineness, design.levels, large)
