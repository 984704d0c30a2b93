"""A language model for an automaton: its construction, its constants and its certified error.

Formats with a normalised stream (olmo2) choose in `normalised`.

one-hot   the process is in one state at a time: the readout holds logarithms. Plain blocks are digital,
          gated ones multiply exactly
general   letters scaled by 1/q, a decoder for f_σ, a layer of logarithms. What is claimed holds at every
          prefix w with s(w) = p(w)/q(w) ≥ s₀; a word drawn from the automaton leaves this range, at
          any time, with probability at most s₀ (Ville's inequality)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import flint

from constructions.automata.prediction import Predictor, predictor
from constructions.automata.wfa import WFA
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.exact import ball, ceiling
from constructions.decoder import Design, Normalisation
from constructions.exports.build import decoder_length
from constructions.exports.built_model import Constants
from constructions.exports.limit import checked_size
from constructions.exports.order import Order
from constructions.language_model import (
    LOW,
    SPECIALS,
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
    with_short_memory,
)
from verify.automaton.constants import format_precision, has_even_scale, most_large
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import Setting, word_bounds
from verify.bounds.decoder_settings import least_setting, required_setting
from verify.bounds.floating import EXACT, Precision
from verify.bounds.language import (
    LogarithmRange,
    OneHotReadout,
    general_variation,
    norms_of_logits,
)
from verify.bounds.one_hot import one_hot_errors

SHARPER = 4  # sizes of C and of K that are tried for a format
LEAST_WEIGHT = Fraction(1, 1000)  # s₀
MOST_SATURATION, MOST_LARGE = 1 << 10, 1 << 40
ONE_HOT = (
    "in total variation of the next-symbol distribution, after every prefix of positive probability"
)
GENERAL = (
    "in total variation of the next-symbol distribution, after every prefix w with p(w)/q(w) ≥ s₀ = {least}, "
    "q(w) being the product of its letters' frequencies (a word drawn from the automaton leaves this range "
    "with probability at most s₀)"
)


@dataclass(frozen=True)
class LanguageDecision:
    """A language model whose constants are chosen."""

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
    process = deterministic(source)
    if process is None:
        return _general(source, order)
    if order.plain:
        return _digital(source, process, order)
    return _one_hot(source, process, order)


def _one_hot(source: Predictor, process: Deterministic, order: Order) -> LanguageDecision:
    """One-hot states with exact products: the least C, then the least K = 2^k, that keep the bound."""
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    length, rotary = decoder_length(order), order.target.rotary
    process, layers = with_short_memory(process, length)
    readout = readout_of(process)

    def variation(setting: Setting, form: Precision = EXACT) -> flint.arb:
        even = has_even_scale(readout.n)
        errors = one_hot_errors(readout, length, layers, setting, form, even)
        return errors.variation(len(source.symbols))

    setting = least_setting(variation, order.error, design, rotary, most_large(order))
    model = build_one_hot(
        source, length, setting.design, setting.saturation, layers, process=process
    )
    error, rounded = variation(setting), variation(setting, format_precision(order))
    return LanguageDecision(source, _constants(order, setting), error, ONE_HOT, model, rounded)


def readout_of(process: Deterministic) -> OneHotReadout:
    """Return the readout of one-hot states of a process."""
    return OneHotReadout.of(logits_of_states(process), process.moves.alpha.index(1))


def _digital(source: Predictor, process: Deterministic, order: Order) -> LanguageDecision:
    """One-hot states with digital blocks: the least C, then the least K = 2^k, that keep the bound.

    Of these, twice, four times … as large the pair with the least variation in the format: rounding
    moves the scores where C is large, and what the norm reads where K is.
    """
    process, layers = with_short_memory(process, decoder_length(order))
    bound = _DigitalBound(source, process, layers, order)
    saturation, large = 2, bound.design.large
    while not bound.exact(saturation, MOST_LARGE) <= ball(order.error):
        saturation += 1
        if saturation > MOST_SATURATION:
            raise TooSoft(f"no C up to {MOST_SATURATION} keeps the variation")
    while not bound.exact(saturation, large) <= ball(order.error):
        large *= 2
    tried = product(*([least << k for k in range(SHARPER)] for least in (saturation, large)))
    kept = [pair for pair in tried if bound.exact(*pair) <= ball(order.error)]
    saturation, large = min(kept, key=lambda pair: float(bound.rounded(pair[0], pair[1]).upper()))
    setting = bound.setting(saturation, large)
    plain = replace(bound.design, large=large)
    length = decoder_length(order)
    model = build_one_hot(source, length, plain, setting.saturation, layers, True, process)
    constants = replace(_constants(order, setting), fineness=None, slope=bound.slope)
    error, rounded = (each(saturation, large) for each in (bound.exact, bound.rounded))
    return LanguageDecision(source, constants, error, ONE_HOT, model, rounded)


@dataclass(frozen=True)
class _DigitalBound:
    """The variation of digital models with any C and K, in exact arithmetic and in their format."""

    source: Predictor
    process: Deterministic
    layers: int
    order: Order

    @cached_property
    def design(self) -> Design:
        return self.order.target.design(self.order.activation, True, self.order.levels or 1)

    @cached_property
    def slope(self) -> int:
        return digital_slope(self.order.activation)

    @cached_property
    def readout(self) -> OneHotReadout:
        return readout_of(self.process)

    def setting(self, saturation: int, large: int) -> Setting:
        chosen = LanguageDesign.of(replace(self.design, large=large), slope=self.slope)
        return Setting(chosen, Fraction(saturation), self.order.target.rotary)

    def exact(self, saturation: int, large: int) -> flint.arb:
        return self.rounded(saturation, large, EXACT)

    def rounded(self, saturation: int, large: int, form: Precision | None = None) -> flint.arb:
        setting, form = self.setting(saturation, large), form or format_precision(self.order)
        length = decoder_length(self.order)
        errors = one_hot_errors(self.readout, length, self.layers, setting, form)
        return errors.variation(len(self.source.symbols))


def _general(source: Predictor, order: Order) -> LanguageDecision:
    """Any process: a third of the variation for the weights f, a third for the logarithm, a third for
    what is below its range.
    """
    length, symbols = decoder_length(order), len(source.symbols)
    automaton, outputs = scaled(source, letter_shares(source)), symbol_weights(source)
    facts = word_bounds(automaton, length, outputs)
    largest = Fraction(ceiling(facts.readout * facts.reach) + 1)
    _check_range(largest, order)
    share = order.error / 3
    error = share * LEAST_WEIGHT / (4 * symbols)
    design = order.target.design(order.activation, order.plain, order.levels or 1)
    choice = required_setting(facts, error, design, order.target.rotary, most_large(order))
    least = share * LEAST_WEIGHT / (16 * symbols * largest)
    log = fit_logarithm(order.activation, least, share)
    checked_size(automaton.n, symbols, order, True, len(log.knots))
    setting = choice.setting
    model = build_general(source, length, setting.design, setting.saturation, log, largest)
    moved = norms_of_logits(facts, setting, log, symbols)
    span = LogarithmRange(LEAST_WEIGHT, largest, log)
    bound = general_variation(symbols, choice.error, span, moved)
    if not bound <= ball(order.error):
        raise TooSoft(
            f"weights f up to {float(largest):.1e} leave a variation of {float(bound):.1e}"
        )
    constants = replace(_constants(order, setting), units=len(log.knots), least_weight=LEAST_WEIGHT)
    quantity = GENERAL.format(least=LEAST_WEIGHT)
    return LanguageDecision(source, constants, bound, quantity, model)


def _check_range(largest: Fraction, order: Order) -> None:
    """Refuse, before units are fitted, weights so large that special tokens alone take more than ε.

    Their mass, at logits `LOW`, is a term of `general_variation` that no constant makes smaller.
    """
    mass = SPECIALS * flint.arb(LOW).exp() * ball(largest) / ball(LEAST_WEIGHT)
    if mass > ball(order.error):
        found = min(float(mass), 1.0)
        raise TooSoft(f"weights f up to {float(largest):.1e} leave a variation of {found:.1e}")


def _constants(order: Order, setting: Setting) -> Constants:
    design = setting.design
    large = None if design.norm is Normalisation.NONE else design.large
    return Constants(setting.saturation, design.fineness, design.levels, large)
