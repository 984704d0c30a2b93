"""Rounding errors of the exact construction in floating point, over all words, by balls.

Shown         e_0 = u φ_0,  e_l ≤ 2 μ_l e_{l-1} + e_{l-1}² + γ_n (φ_l + e_{l-1})² + n² η, and the
              T + 1 states miss theirs by at most
              √(T+1) (‖α‖ (e_L + γ_{n+1} (φ + e_L)) + n η (1 + φ + e_L)); where states are multiplied by
              products in every layer, as the fused pass does, by at most √(T+1) f_L with
              f_0 = u ‖α‖ + √n η,  f_l ≤ f (μ_l + e) + S e + γ_n (S + f) (φ_l + e) + n √n η
Notation      u unit roundoff, η smallest positive number, γ_k = k u / (1 - k u); μ_l the largest
              spectral and φ_l = √n μ_l the largest Frobenius norm of a factor at layer l; S = ‖α‖ μ_l
Why           copies, selections and sums with zeros are exact; only the n products of an entry,
              their sum, the readout and the weights themselves are rounded
Range         no entry of a weight, a product, a partial sum or a state exceeds
              (1 + γ_{n+1}) max(1, ‖A^σ‖, ‖α‖, (φ + e)², ‖α‖ (φ + e)), which must stay below the format's
              largest number; then nothing overflows. Where no weight is negative, nothing cancels, so
              every nonzero number on the way is at least the least nonzero α_i times the M-th power of
              the least nonzero weight (or of 1, if that is less). (n + 2)(M + 1) roundings halve it at
              most, so it stays nonzero if it is twice above the smallest normal number
Attention     a score misses C cos by at most √2 γ_7: two roundings of weights and positions, two
              of the key, two of the score, one to spare; twice that must stay below the gap

Weights go through float64 first, so u is taken a thousandth larger than the format's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import flint

from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.theorem1 import depth, span
from verify.bounds.budget import TooSoft, least_number
from verify.bounds.floating import Precision, wide_precision
from verify.bounds.growth import ProductNorms
from verify.bounds.leak import gap
from verify.bounds.recursion import readout_factor
from verify.bounds.scaled import ScaledNorms

SCORE_ROUNDINGS = 7
HALF = flint.arb("0.5")


def attention_is_right(precision: Precision, length: int) -> bool:
    """Whether rounding certainly leaves the largest score of every row the largest."""
    error = flint.arb(2).sqrt() * precision.gamma(SCORE_ROUNDINGS)
    return bool(2 * error < gap(span(length)))


def product_errors(
    precision: Precision, n: int, length: int, found: ProductNorms
) -> tuple[list[flint.arb], flint.arb]:
    """(e_0 … e_L, largest product) for all words of that length."""
    root = flint.arb(n).sqrt()
    error = precision.roundoff * root * found.up_to(1) + n * precision.smallest
    errors, largest = [error], root * found.up_to(1)
    for layer in range(1, depth(length) + 1):
        norm = found.up_to(1 << (layer - 1))
        size = root * norm + error
        largest = largest.max(size * size)
        rounded = precision.gamma(n) * size * size + n * n * precision.smallest
        error = (2 * norm * error + error * error + rounded).upper()
        errors.append(error)
    return errors, largest


def state_error(
    precision: Precision,
    automaton: WFA,
    length: int,
    found: ProductNorms,
    scaled: Sequence[ScaledNorms] = (),
) -> flint.arb:
    """The largest Frobenius distance of the T + 1 states from the true ones, over all words.

    Infinite where a number may overflow: then nothing is certain. The least of the bounds in the
    coordinates that are given.
    """
    least = _state_error(precision, automaton, length, found)
    if not least.is_finite():
        return least
    for own in scaled:
        place = own.coordinates
        wide = replace(precision, least=precision.least + place.spread, most=1 << 30)
        error = _state_error(wide, place.automaton, length, own.norms) * place.inverse
        least = least.min(error.upper())
    return least


def _state_error(
    precision: Precision, automaton: WFA, length: int, found: ProductNorms
) -> flint.arb:
    """The same in the automaton's own coordinates."""
    n = automaton.n
    errors, largest = product_errors(precision, n, length, found)
    error = errors[-1]
    size = flint.arb(n).sqrt() * found.up_to(span(length)) + error
    total = readout_factor(automaton, length) * (error + precision.gamma(n + 1) * size)
    tokens, initial = flint.arb(length + 1).sqrt(), readout_factor(automaton, 0)
    total += tokens * n * precision.smallest * (1 + size)
    carried, sums = carried_error(precision, n, errors, found, initial)
    total = total.max(tokens * carried)
    reach = largest.max(initial).max(initial * size).max(sums) * (1 + precision.gamma(n + 1))
    fits = reach < precision.largest and total < precision.largest
    return total.upper() if fits else flint.arb("inf")


def carried_error(
    precision: Precision,
    n: int,
    errors: Sequence[flint.arb],
    found: ProductNorms,
    initial: flint.arb,
) -> tuple[flint.arb, flint.arb]:
    """(f_L, largest sum): the error of a state that is multiplied by products, layer by layer."""
    root, tiny = flint.arb(n).sqrt(), precision.smallest
    error, largest = precision.roundoff * initial + root * tiny, initial
    for layer, off in enumerate(errors[:-1]):
        norm = found.up_to(1 << layer)
        state, product = initial * norm, root * norm + off
        largest = largest.max((state + error) * product)
        rounded = precision.gamma(n) * (state + error) * product + n * root * tiny
        error = (error * (norm + off) + state * off + rounded).upper()
    return error, largest


def nothing_vanishes(precision: Precision, automaton: WFA, length: int) -> bool:
    """Whether every nonzero state certainly stays nonzero: no weight is negative, none too small."""
    maps = [w for rows in automaton.transitions.values() for row in rows for w in row]
    if min(*maps, *automaton.alpha) < 0:
        return False
    first = min((w for w in automaton.alpha if w), default=Fraction(1))
    least = min((w for w in maps if w), default=Fraction(1))
    smallest = ball(min(first, 1)) * ball(min(least, 1)) ** span(length)
    roundings = (automaton.n + 2) * (span(length) + 1)
    return bool(precision.gamma(roundings) < HALF and smallest > 2 * precision.normal)


def bits_for(
    automaton: WFA,
    length: int,
    found: ProductNorms,
    eps: flint.arb,
    most: int,
    scaled: Sequence[ScaledNorms] = (),
) -> int | None:
    """The fewest bits of significand with which the exact construction certainly stays within ε."""

    def enough(bits: int) -> bool:
        form = wide_precision(bits)
        right = attention_is_right(form, length)
        return right and bool(state_error(form, automaton, length, found, scaled) <= eps)

    try:
        return least_number(enough, 2 * most, "bits")
    except TooSoft:
        return None
