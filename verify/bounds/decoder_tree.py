"""The C that the tree decoder needs to keep an error, for all trees up to a length.

Claimed      by us: with C large the error at every position is below any ε; pointers of size T pass
             through softmax, so C grows with log T
Bound        that of `decoder_tree_rounding` in exact arithmetic
Search       from the C of half the length on, which is a little less
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from verify.bounds.budget import MOST_SATURATION, TooSoft, least_number
from verify.bounds.decoder_tree_rounding import TreeDecoderErrors

SHORT = 64  # tokens of trees whose C is found from 1 on


@dataclass(frozen=True)
class CertifiedSaturation:
    """A C that certainly keeps ε, and the error that it certainly keeps."""

    saturation: Fraction
    error: flint.arb


def required_saturation(automaton: WTA, length: int, eps: Fraction) -> CertifiedSaturation:
    """The least whole C whose bound is at most ε, for all trees with |str(t)| ≤ length."""
    if eps <= 0:
        raise InputError("eps", str(eps), "a number > 0")
    errors, guess = TreeDecoderErrors.of(automaton, length), 1
    if length > SHORT:
        guess = int(required_saturation(automaton, length // 2, eps).saturation) + 1

    def enough(constant: int) -> bool:
        try:
            return bool(errors.bound(Fraction(constant)) <= ball(eps))
        except TooSoft:
            return False

    constant = Fraction(least_number(enough, MOST_SATURATION, "C", guess))
    return CertifiedSaturation(constant, errors.bound(constant))
