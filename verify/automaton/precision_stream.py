"""Relative error of a state's direction in the normalised stream of `olmo2`.

Applies to    sources of symbols with positive matrices in their stochastic form
Bounded       the relative error of an entry of the direction, on every word, in the format that the library
              computes in; there is no absolute error, as the stream does not hold the size of a state
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import flint

from constructions.automata.prediction import predictor
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.exports.build import SHORTEST
from constructions.exports.formats import format_of
from constructions.normalised import stochastic_form
from verify.bounds.budget import TooSoft
from verify.bounds.floating import ONCE, Precision
from verify.bounds.normalised import required_stream, shares

MODEL = "olmo2"
NOTE = f"The stream of {MODEL} holds directions of states: its relative error is that of an entry."


def direction_errors(
    automaton: WFA, lengths: Sequence[int], eps: Fraction
) -> Iterator[tuple[Precision, int, flint.arb]]:
    """The relative error with rounding at each length; nothing where the theorem does not apply."""
    form = ONCE[format_of(MODEL).computes_in or "float64"]
    try:
        process = stochastic_form(predictor(automaton))
    except InputError:
        return
    if shares(process).positive:
        for length in lengths:
            yield form, length, _error(process, max(length, SHORTEST), eps, form)


def _error(process: WFA, length: int, eps: Fraction, form: Precision) -> flint.arb:
    try:
        stream = required_stream(process, length, len(process.alphabet), eps, form)
    except TooSoft:
        return flint.arb("inf")
    growth = replace(stream, form=form).bounds().log_growth
    return flint.arb(growth.expm1().upper()) if growth.is_finite() else flint.arb("inf")
