"""The limits of a report on an automaton, and how long it takes."""

from __future__ import annotations

from fractions import Fraction

from constructions import theorem1
from constructions.automata.entries import check_rational
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.activations import PIECEWISE_LINEAR, SMOOTH
from constructions.core.errors import InputError
from verify.automaton.numbers import shown
from verify.display.arguments import check_patience

LONGEST = 4096
SMALLEST_EPS = Fraction(1, 10**1000)
ACTIVATIONS = (*SMOOTH, *PIECEWISE_LINEAR)
# Seconds, measured: a multiplication in the norms of a letter, and a letter of any size.
PRODUCT, LETTER = 2.0**-22, 4e-4


def check(automaton: WFA | WTA, length: int, eps: Fraction, activation: str) -> None:
    """Refuse an automaton, a length, an ε or an activation that a report does not cover."""
    check_rational(automaton)
    theorem1.check_length(length)
    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}")
    if eps < SMALLEST_EPS:
        raise InputError("eps", shown(eps), "a number of at least 1e-1000")
    if activation not in ACTIVATIONS:
        raise InputError("activation", activation, f"one of {', '.join(ACTIVATIONS)}")


def check_time(automaton: WFA | WTA, large: bool, where: str) -> float:
    """Return about how many seconds a report takes; refuse more than a minute unless `large`."""
    states, symbols = automaton.n, len(automaton.alphabet)
    seconds = symbols * (states**3 * PRODUCT + LETTER)
    check_patience(seconds, f"{states} states and {symbols} symbols", large, where)
    return seconds
