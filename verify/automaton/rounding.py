"""Rounding errors of the exact construction in floating point, over all words, by balls.

Shown         e(1) = u φ(1) + n η; the window of k letters is the product of windows of a and of b, b the
              largest power of two below k, and misses in the spectral norm by at most e(k) ≤
              N(a) e(b) + e(a) N(b) + e(a) e(b) + γ_n (φ(a) + √n e(a)) (φ(b) + √n e(b)) + n² η. State k misses
              by at most ‖α‖ (e(k) + γ_{n+1} (φ(k) + √n e(k))) + n η (1 + √n (φ(k) + √n e(k))); where states
              are multiplied by products of b letters, by at most f(k): with a = k - b such a step adds
              l(a, b) = (S + f(a)) e(b) + γ_n (S + f(a)) (φ(b) + √n e(b)) + n √n η, S = ‖α‖ N(a), and later
              letters multiply this by their product, so that f(k) is the sum of N(k) f(0), f(0) =
              u ‖α‖ + √n η, and of N(k - a - b) l(a, b) over the steps. The fused pass takes some power of two
              that divides k for b, the recurrence takes 1: f is the worst over all ways, and holds in either.
              The T + 1 states miss theirs by at most the root of the sum of the squares
Notation      u unit roundoff, η smallest positive number, γ_k = k u / (1 - k u); N(k) ≥ ‖A^w‖₂ and
              φ(k) ≥ ‖|A^w|‖₂ over words of k letters, |A| entry by entry, for so roundings are bounded:
              |δ(XY)| ≤ γ_n |X| |Y|. And ‖|E|‖₂ ≤ √n ‖E‖₂
Why           copies, selections, products with the identity of a pad and sums with zeros are exact;
              only the n products of an entry, their sum, the readout and the weights are rounded
Exact         where all weights are multiples of 2^-s, windows of k letters are multiples of 2^-sk, and states
              of 2^-(sk + s₀) with s₀ for α: if all sums are below 2^(p - sk), p the significand's bits, and
              2^-sk is no less than η, nothing is rounded, as long as no factor was
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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.core.matrix import Entry
from constructions.theorem1 import span
from verify.bounds.floating import Precision
from verify.bounds.growth import ProductNorms
from verify.bounds.leak import gap
from verify.bounds.recursion import readout_factor
from verify.bounds.scaled import ScaledNorms

SCORE_ROUNDINGS = 7
HALF = flint.arb("0.5")


@dataclass(frozen=True)
class Grid:
    """Weights as multiples of 2^-bits, and α as multiples of 2^-start; None if they are no such numbers."""

    bits: int | None
    start: int | None

    @classmethod
    def of(cls, automaton: WFA) -> Grid:
        """The coarsest grid of an automaton's weights."""
        maps = [w for rows in automaton.transitions.values() for row in rows for w in row]
        return cls(binary_places(maps), binary_places(automaton.alpha))

    @property
    def products(self) -> Grid:
        """The grid of products of the maps alone, without α."""
        return replace(self, start=0)

    def lost(
        self, precision: Precision, letters: int, size: flint.arb, otherwise: flint.arb
    ) -> flint.arb:
        """Return 0 if the format has all sums of that size over `letters` letters, else the given bound."""
        if self.bits is None or self.start is None:
            return otherwise
        places = self.bits * letters + self.start
        fits = places <= -precision.least and size < flint.arb(2) ** (precision.bits - places)
        return flint.arb(0) if fits else otherwise


def binary_places(weights: Iterable[Entry]) -> int | None:
    """The least s such that all weights are multiples of 2^-s, or None.

    Examples:
        >>> binary_places([Fraction(3, 8), 5]), binary_places([Fraction(1, 3)])
        (3, None)

    """
    bottoms = []
    for weight in weights:
        if not isinstance(weight, int | Fraction) or weight.denominator & (weight.denominator - 1):
            return None
        bottoms.append(weight.denominator)
    return max(bottoms).bit_length() - 1


def attention_is_right(precision: Precision, length: int) -> bool:
    """Return whether rounding certainly leaves the largest score of every row the largest."""
    error = flint.arb(2).sqrt() * precision.gamma(SCORE_ROUNDINGS)
    return bool(2 * error < gap(span(length)))


def halves(count: int) -> tuple[int, int]:
    """Return the numbers of letters on each side of the last product of a window of `count` letters."""
    right = 1 << ((count - 1).bit_length() - 1)
    return count - right, right


def product_errors(
    precision: Precision, n: int, length: int, found: ProductNorms, grid: Grid
) -> tuple[list[flint.arb], flint.arb]:
    """(e(0) … e(T), largest product): errors of the product of k letters, over all words."""
    root, norm, absolute = flint.arb(n).sqrt(), found.bounds, found.absolute
    first = absolute[1]
    stored = precision.roundoff * first + n * precision.smallest
    errors = [flint.arb(0), grid.lost(precision, 1, first, stored)]
    largest = first.max(root)
    for k in range(2, length + 1):
        a, b = halves(k)
        size = (absolute[a] + root * errors[a]) * (absolute[b] + root * errors[b])
        rounded = precision.gamma(n) * size + n * n * precision.smallest
        moved = norm[a] * errors[b] + errors[a] * norm[b] + errors[a] * errors[b]
        if moved.is_zero():
            rounded = grid.lost(precision, k, size, rounded)
        errors.append((moved + rounded).upper())
        largest = largest.max(size)
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
    """The bound in the automaton's own coordinates."""
    n, initial, absolute = automaton.n, readout_factor(automaton, 0), found.absolute
    root = flint.arb(n).sqrt()
    grid = Grid.of(automaton)
    errors, largest = product_errors(precision, n, length, found, grid.products)
    carried, sums = carried_errors(precision, n, errors, found, initial, grid)
    squares, largest = flint.arb(0), largest.max(sums).max(initial)
    for k, (error, other) in enumerate(zip(errors, carried, strict=True)):
        size = absolute[k] + root * error
        state = initial * (error + precision.gamma(n + 1) * size)
        state = state + n * precision.smallest * (1 + root * size)
        if error.is_zero():
            state = grid.lost(precision, k, initial * size, state)
        state = state.max(other)
        squares, largest = squares + state * state, largest.max(initial * size)
    total = squares.sqrt()
    reach = largest * (1 + precision.gamma(n + 1))
    fits = reach < precision.largest and total < precision.largest
    return total.upper() if fits else flint.arb("inf")


def carried_errors(
    precision: Precision,
    n: int,
    errors: Sequence[flint.arb],
    found: ProductNorms,
    initial: flint.arb,
    grid: Grid,
) -> tuple[list[flint.arb], flint.arb]:
    """(f(0) … f(T), largest sum): errors of states that are multiplied by products."""
    root, tiny = flint.arb(n).sqrt(), precision.smallest
    norm, absolute = found.bounds, found.absolute
    first = grid.lost(precision, 0, initial, precision.roundoff * initial + root * tiny)
    carried, largest = [first], initial
    steps: list[list[tuple[int, flint.arb]]] = [[]]
    for k in range(1, len(errors)):
        steps.append([])
        for b in dividing_powers(k):
            a, off = k - b, errors[b]
            before = initial * norm[a] + carried[a]
            size = before * (absolute[b] + root * off)
            rounded = precision.gamma(n) * size + n * root * tiny
            if carried[a].is_zero() and off.is_zero():
                rounded = grid.lost(precision, k, size, rounded)
            steps[k].append((a, rounded + before * off))
            largest = largest.max(size)
        sums = [first * norm[k]]
        for j in range(1, k + 1):
            sums.append(_largest(sums[a] + lost * norm[k - j] for a, lost in steps[j]))
        carried.append(sums[-1])
    return carried, largest


def _largest(sizes: Iterable[flint.arb]) -> flint.arb:
    return max(size.upper() for size in sizes)


def dividing_powers(count: int) -> list[int]:
    """Return the powers of two that divide a number: the possible lengths of a last factor.

    Examples:
        >>> dividing_powers(12)
        [1, 2, 4]

    """
    return [1 << power for power in range((count & -count).bit_length())]


def nothing_vanishes(precision: Precision, automaton: WFA, length: int) -> bool:
    """Return whether every nonzero state certainly stays nonzero: no weight is negative, none too small."""
    maps = [w for rows in automaton.transitions.values() for row in rows for w in row]
    if min(*maps, *automaton.alpha) < 0:
        return False
    first, least = (
        min([Fraction(1), *filter(None, weights)]) for weights in (automaton.alpha, maps)
    )
    smallest = ball(first) * ball(least) ** span(length)
    roundings = (automaton.n + 2) * (span(length) + 1)
    return bool(precision.gamma(roundings) < HALF and smallest > 2 * precision.normal)
