"""Soft attention in the construction of Theorem 2: the leak, and the growth of the error by layers.

    softmax.leak      what a softmax row gives to other positions is above 0 and below a bound
    soft.error        the error of one layer on one word is at most a right side of the recursion
    soft.states       the states miss by at most a factor times the error of the carried products
    soft.ratios       the error after the last layer is at most the printed bound
    soft.grows        at a fixed C the error more than doubles from length to length

Every number is enclosed by balls; a comparison that balls do not decide stays undecided. Errors of
carried products are spectral norms, the largest over all positions. The right sides are

    printed     Equation (1) iterated from the attention error of the first layer
    stepwise    Equation (1) with the true error of the layer before
    redefined   Equation (1) with the proof's redefined error of the layer before
    corrected   2 μ_l δ + δ² with δ the bound of the layer before plus the attention error of layer l

Automata are given by their transition matrices, products are exact, and so ε_mlp = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint

from constructions.automata.wfa import WFA
from verify.bounds import leak, recursion
from verify.bounds.circulant import state_error
from verify.bounds.outward import decimal_above, decimal_below
from verify.bounds.sweep import SweepRow, row
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison, curve

RIGHT_SIDES = ("printed", "stepwise", "redefined", "corrected")
Matrices = Mapping[str, Sequence[Sequence[str]]]


def automaton(transitions: Matrices, alpha: Sequence[str] | None = None) -> WFA:
    """The automaton with these matrices; the final weights play no part in its states."""
    n = len(next(iter(transitions.values())))
    return WFA.of(list(alpha) if alpha is not None else [1] * n, transitions, [1] * n)


def one_state(letters: Mapping[str, str], word: str, saturation: Fraction | str) -> SweepRow:
    """The run of an automaton with one state on one word, at the length of the word."""
    subject = automaton({letter: [[weight]] for letter, weight in letters.items()})
    return row(subject, [tuple(word)], len(word), Fraction(saturation))


def is_at_most(error: flint.arb, bound: flint.arb) -> bool | None:
    """Return whether an error is at most a bound; None where the balls overlap."""
    return True if error <= bound else False if error > bound else None


@fact("softmax.leak", "enclosure")
def softmax_leak(lengths: list[int], factors: list[str]) -> Outcome:
    """At C = factor · T² a softmax row gives away more than 0 and at most (2T-1) exp(-C(1-cos(π/T)))."""
    leaks = []
    for length in lengths:
        for factor in factors:
            constant = Fraction(factor) * length * length
            with flint.ctx.workprec(leak.bits_for(constant, length)):
                given, most = leak.leak(constant, length), leak.ceiling(constant, length)
                if not (given > 0 and given <= most):
                    return Outcome(False, {}, {"length": length, "saturation": str(constant)})
                leaks.append(decimal_above(given))
    return Outcome(True, {"leaks": leaks})


@fact("soft.error", "enclosure")
def soft_error(
    letters: dict[str, str], word: str, saturation: str, layer: int, against: str
) -> Outcome:
    """One state: on this word the error of a layer is at most a right side of the recursion."""
    if against not in RIGHT_SIDES:
        raise ValueError(f"against = {against!r}, expected one of {', '.join(RIGHT_SIDES)}")
    measurement = one_state(letters, word, saturation)
    error, bound = measurement.errors[layer - 1], getattr(measurement, against)[layer - 1]
    with flint.ctx.workprec(measurement.run.bits):
        holds = is_at_most(error, bound)
        if holds is False:
            numbers = {
                "error": decimal_below(error),
                "bound": decimal_above(bound),
                "ratio": decimal_below(error / bound),
            }
            return Outcome(
                False, numbers, {"word": word, "C": saturation, "layer": layer, **numbers}
            )
        return Outcome(holds, {"error": decimal_above(error), "bound": decimal_below(bound)})


@fact("soft.states", "enclosure")
def soft_states(alpha: str, weight: str, word: str, saturation: str, factor: str) -> Outcome:
    """One state: the T + 1 states miss, in Frobenius norm, by at most a factor times ε_tot.

    ε_tot is the largest error of a carried product after the last layer; the factor is "1" or
    "readout", which is ‖α‖ √(T+1).
    """
    subject = automaton({letter: [[weight]] for letter in word}, [alpha])
    constant, length = Fraction(saturation), len(word)
    products = row(subject, [tuple(word)], length, constant)
    states = state_error(subject, [tuple(word)], length, constant)
    with flint.ctx.workprec(products.run.bits):
        times = {"1": flint.arb(1), "readout": recursion.readout_factor(subject, length)}[factor]
        bound = times * products.errors[-1]
        holds = is_at_most(states, bound)
        if holds is False:
            numbers = {"states": decimal_below(states), "products": decimal_above(bound)}
            return Outcome(False, numbers, {"word": word, "C": saturation, **numbers})
        return Outcome(holds, {"states": decimal_above(states), "products": decimal_below(bound)})


@fact("soft.ratios", "enclosure")
def soft_ratios(weights: list[str], lengths: list[int], factor: str) -> Outcome:
    """One state, C = factor · T²: the error after the last layer is at most Equation (1)'s bound."""
    rows = [(weight, _ratios(weight, lengths, Fraction(factor))) for weight in weights]
    curves = [curve(f"weight {name}", lengths, map(decimal_below, own)) for name, own in rows]
    found = [(name, t, r) for name, own in rows for t, r in zip(lengths, own, strict=True)]
    worst = max(found, key=lambda row: row[2].mid())
    if worst[2] > 1:
        seen = {"weight": worst[0], "T": worst[1], "ratio": decimal_below(worst[2])}
        return Outcome(False, {"curves": curves}, seen)
    return Outcome(True if all(r <= 1 for *_, r in found) else None, {"curves": curves})


def _ratios(weight: str, lengths: list[int], factor: Fraction) -> list[flint.arb]:
    """Return the last layer's error over Equation (1)'s bound for each length, C = factor · T²."""
    ratios = []
    for length in lengths:
        measurement = one_state({"a": weight}, "a" * length, factor * length * length)
        with flint.ctx.workprec(measurement.run.bits):
            ratios.append(measurement.errors[-1] / measurement.printed[-1])
    return ratios


@fact("soft.grows", "enclosure")
def soft_grows(weight: str, saturation: str, lengths: list[int]) -> Outcome:
    """One state at a fixed C: from each length to the next the error more than doubles."""
    errors: list[Any] = [one_state({"a": weight}, "a" * t, saturation).errors[-1] for t in lengths]
    grows = all(bool(two > 2 * one) for one, two in pairwise(errors))
    return comparison(grows, errors=[decimal_below(error) for error in errors])
