"""The saturating constant C that is needed for all words of an automaton at one length.

    saturation.closed-form   C = ⌈ln((2M-1) G max(1, F/ε)) / (1 - cos(π/M))⌉ keeps all states of all
                             words within ε, by the corrected recursion with bounds for all words
    saturation.required      the least integer C for which that recursion stays below ε; at C/2 the
                             states of some word certainly miss by more than ε

M is T rounded up to a power of two; G, F and the bounds μ_l, D_l for all words are those of
`verify.bounds.saturation`. Automata are given by α and their transition matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any

import flint

from constructions.automata.wfa import WFA
from constructions.core.exact import ball, ceiling
from verify.bounds.budget import least_number
from verify.bounds.circulant import state_error
from verify.bounds.saturation import BITS, uniform_bounds
from verify.facts.registry import fact
from verify.facts.soft_attention import automaton
from verify.judge.outcome import Outcome, curve

LARGEST_C = 1 << 16


def given_automaton(given: Mapping[str, Any]) -> WFA:
    """The automaton of a parameter."""
    return automaton(given["transitions"], given["alpha"])


@fact("saturation.closed-form", "enclosure")
def closed_form(automata: dict[str, Any], lengths: list[int], eps: str) -> Outcome:
    """For each automaton and length the closed form's C keeps the states of all words within ε."""
    tolerance = Fraction(eps)
    constants: dict[str, list[int]] = {}
    for name, given in automata.items():
        constants[name] = []
        for length in lengths:
            with flint.ctx.workprec(BITS):
                bounds = uniform_bounds(given_automaton(given), length)
                constant = ceil(ceiling(bounds.closed_form(tolerance)))
                if not bounds.states(Fraction(constant)) < ball(tolerance):
                    return Outcome(False, {}, {"automaton": name, "T": length, "C": constant})
            constants[name].append(constant)
    return Outcome(True, {"constants": constants})


@fact("saturation.required", "enclosure")
def least_saturation(automata: dict[str, Any], lengths: list[int], eps: str) -> Outcome:
    """For each automaton and length the least C of the bound suffices and half of it does not."""
    curves, failing = [], {}
    for name, given in automata.items():
        constants, words = [], []
        for length in lengths:
            constant = _least_constant(given_automaton(given), length, Fraction(eps))
            word = _word_beyond(
                given_automaton(given), length, Fraction(constant, 2), Fraction(eps)
            )
            if word is None:
                return Outcome(None, {}, {"automaton": name, "T": length, "C": constant})
            constants.append(constant)
            words.append(word)
        curves.append(curve(name, lengths, constants))
        failing[name] = words
    return Outcome(True, {"curves": curves, "failing": failing})


def _least_constant(wfa: WFA, length: int, eps: Fraction) -> int:
    with flint.ctx.workprec(BITS):
        bounds = uniform_bounds(wfa, length)
        return least_number(lambda c: bool(bounds.states(Fraction(c)) < ball(eps)), LARGEST_C, "C")


def _word_beyond(wfa: WFA, length: int, saturation: Fraction, eps: Fraction) -> str | None:
    """The first word whose states certainly miss by more than ε."""
    for word in wfa.words(length):
        if state_error(wfa, [word], length, saturation) > ball(eps):
            return "".join(word)
    return None
