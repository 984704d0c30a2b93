"""A language model with a normalised stream: its constants, and the words for which it is certified.

Every word    where all matrices of the stochastic form are positive
Drawn words   otherwise, but for a set of words of a small probability (`verify.bounds.normalised`)
Rounding      is certified where the activation is SiLU, in the format that the library computes in
Window        of a number of letters, if what was before is certainly forgotten
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import flint

from constructions.automata.prediction import predictor
from constructions.automata.wfa import WFA
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.exports.build import decoder_length
from constructions.exports.built_model import Constants
from constructions.exports.limit import checked_size
from constructions.exports.order import Order
from constructions.normalised import build, stochastic_form
from verify.automaton.language import ONE_HOT, LanguageDecision
from verify.bounds.budget import TooSoft
from verify.bounds.floating import ONCE
from verify.bounds.normalised import (
    NormalisedVariation,
    forgotten,
    least_ratio,
    normalised_variation,
    required_stream,
    shares,
)
from verify.bounds.outward import rounded_up

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


def choose_normalised_model(automaton: WFA, order: Order) -> LanguageDecision:
    """The model of a settled order: an eighth of the variation for the windows, the rest for the
    logarithm; `TooSoft` where no constants keep it.
    """
    source = predictor(automaton)
    length, allowed = decoder_length(order), order.error / 8
    form = ONCE[order.target.computes_in or order.dtype]
    process, symbols = stochastic_form(source), len(source.symbols)
    _check_window(process, order)
    stream = required_stream(process, length, symbols, allowed, form, order.window)
    log = fit_logarithm(order.activation, least_ratio(stream, order.error), order.error)
    checked_size(process.n, symbols, order, True, len(log.knots))
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
        build(source, length, stream.saturation, log, order.window),
        worst.variation if len(found) > 1 else None,
        (*([] if order.window is None else [WINDOW.format(order.window)]), *_ratios(length, found)),
    )


def _check_window(process: WFA, order: Order) -> None:
    """Refuse a window if letters before it can still change the distribution noticeably."""
    if order.window is None:
        return
    facts = shares(process)
    if not facts.positive:
        expected = "nothing: only where all weights are positive letters are certainly forgotten"
        raise InputError("window", order.window, expected)
    if not forgotten(facts, order.window) <= ball(order.error):
        enough = next((w for w in WINDOWS if forgotten(facts, w) <= ball(order.error)), None)
        expected = (
            f"{enough} or more" if enough else f"nothing: {WINDOWS[-1]} letters are not enough"
        )
        raise InputError("window", order.window, f"{expected}, to forget what was before")


def _ratios(length: int, found: dict[str, NormalisedVariation]) -> Iterator[str]:
    """Yield the relative accuracy of the probability of a word of the full length."""
    for where, each in found.items():
        share = None if each.ratio is None else (length * each.ratio).expm1()
        if share is not None and share < 1:
            yield RATIO.format(where=where, length=length, share=_short(share))


def _short(value: flint.arb) -> str:
    """A decimal of two digits at or above a ball."""
    return f"{rounded_up(value, 2):.1e}"
