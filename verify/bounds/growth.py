"""Bounds on the norms of products of transition maps, over all words of a length.

Claimed       (Appendix B.2) M = 2 max ‖A^σ‖₂ bounds the factors at every layer
Shown here    upper bounds on ‖A^w‖ and on ‖A^w - I‖ over **all** words w of k letters, and words that
              show how much of them is real
Notation      N_k = max ‖A^w‖ and R_k = max ‖A^w - I‖ over |w| = k; μ(k) = max(1, N_1, …, N_k) and
              ρ(k) = max(R_1, …, R_k); h(k) the largest ‖A^w - I/2‖, |w| ≤ k, at most N_k + 1/2 for k letters;
              U_k the entrywise bound on |A^w|
Listed        `growth` multiplies all words while their products are few, and carries the bounds on by
              N_{i+k} ≤ N_i N_k and R_{i+k} ≤ R_i N_k + R_k
Entrywise     `products` takes the least of the splits, of U_k = max_σ U_{k-1} |A^σ| with ‖A^w‖₂ ≤
              min(‖U_k‖_F, √(‖U_k‖₁ ‖U_k‖_∞)), and of 1 where every map is a contraction.
              ‖|A^w|‖₂ is at most that of U_k, √n N_k, and the product of those of two parts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import accumulate, pairwise
from typing import Any

import flint
import numpy as np

from constructions.automata.wfa import WFA
from constructions.core.exact import rational_matrix
from constructions.theorem1 import identity as unit_matrix
from verify.bounds.norms import (
    ENOUGH,
    Floats,
    certainly_at_least,
    identity,
    is_contraction,
    largest,
    largest_norm,
    map_entries,
    matrix,
    reaches_one,
    simple_bound,
    spectral_norm,
)

LISTED, WORK = 512, 1 << 25
SHORT_ENTRY = 128
MANY_STATES, SHORT_STEPS = 16, 8  # the steps are a power of two, from which doubling goes on
LARGEST_EXACT = 48
BEAM = 8
HALF = flint.arb("0.5")


@dataclass(frozen=True)
class Growth:
    """μ(k), ρ(k), N_k and h(k) for k = 0, 1, …; `listed`: up to that length all words were multiplied."""

    norms: tuple[flint.arb, ...]
    distances: tuple[flint.arb, ...]
    listed: int
    lengths: tuple[flint.arb, ...]
    halves: tuple[flint.arb, ...]

    def diameter(self, k: int) -> flint.arb:
        """A bound on ‖A^u - A^v‖ over words of at most k letters: through 0 or through I."""
        return 2 * self.norms[k].min(self.distances[k])

    def spread(self, k: int) -> flint.arb:
        """Minimum of the diameter and of that through I/2, which is half of it where products shrink."""
        return self.diameter(k).min(2 * self.halves[k])


def listable_count(n: int) -> int:
    """Number of products of n × n matrices to list; fewer for larger n."""
    return min(LISTED, WORK // n**3)


def growth(automaton: WFA, longest: int, limit: int | None = None) -> Growth:
    """μ and ρ up to words of `longest` letters, for all words; the letters are always listed."""
    norms, distances, halves = [flint.arb(1)], [flint.arb(0)], [HALF]
    most, letters = (
        listable_count(automaton.n) if limit is None else limit,
        len(automaton.transitions),
    )
    words = ProductList(automaton, max(most, letters))
    listed = 0
    for k in range(1, longest + 1):
        further = listed == k - 1 and (k == 1 or letters <= most)
        products = words.advance() if further else None
        if products is None:
            norms.append(_split(norms, k))
            distances.append((norms[k] + 1).min(_split_distance(norms, distances, k)))
            halves.append(norms[k] + HALF)
        else:
            listed = k
            norms.append(largest_norm(products))
            distances.append(_distance(products, norms[k]))
            halves.append(_half_distance(products, norms[k]))
    tops = (_running_maxima(values) for values in (norms, distances, halves))
    top_norms, top_distances, top_halves = tops
    return Growth(top_norms, top_distances, listed, tuple(norms), top_halves)


def _half_distance(products: Sequence[flint.arb_mat], norm: flint.arb) -> flint.arb:
    """max ‖A^w - I/2‖; for large matrices N_k + 1/2."""
    n = products[0].ncols()
    if n > MANY_STATES:
        return norm + HALF
    half = identity(n) * HALF
    return largest_norm([product - half for product in products])


def _distance(products: Sequence[flint.arb_mat], norm: flint.arb) -> flint.arb:
    """max ‖A^w - I‖, or N_k + 1 where that is no larger: a diameter uses the lesser of the two."""
    one = identity(products[0].ncols())
    apart = [product - one for product in products]
    if one.ncols() > MANY_STATES and certainly_at_least(apart, norm.upper()):
        return norm + 1
    return largest_norm(apart)


def _split(norms: Sequence[flint.arb], k: int) -> flint.arb:
    return reduce(flint.arb.min, (norms[i] * norms[k - i] for i in range(1, k // 2 + 1)))


def _split_distance(
    norms: Sequence[flint.arb], distances: Sequence[flint.arb], k: int
) -> flint.arb:
    half = k // 2
    return distances[half] * norms[k - half] + distances[k - half]


def _running_maxima(values: Sequence[flint.arb]) -> tuple[flint.arb, ...]:
    return tuple(accumulate(values, lambda top, value: top.max(value)))


class ProductList:
    """The distinct products of k letters, k = 1, 2, …, while they are at most `limit`.

    Rational products are stored exactly, and compared, while their entries are short; products with long
    entries do not repeat, and are carried on as balls.
    """

    def __init__(self, automaton: WFA, limit: int) -> None:
        self.limit = limit
        self.exact = all(
            isinstance(value, (int, Fraction))
            for rows in automaton.transitions.values()
            for row in rows
            for value in row
        )
        make = rational_matrix if self.exact else matrix
        self.letters = [make(rows) for rows in automaton.transitions.values()]
        self.current = [make(unit_matrix(automaton.n))]

    def advance(self) -> list[flint.arb_mat] | None:
        """The products of one letter more, or None when they are too many."""
        if self.exact and not all(map(_is_short, self.current)):
            self.exact = False
            self.letters, self.current = map(_balls, (self.letters, self.current))
        if not self.exact and len(self.current) * len(self.letters) > self.limit:
            return None
        with flint.ctx.workprec(flint.ctx.prec if self.exact else min(2 * ENOUGH, flint.ctx.prec)):
            return self._multiplied()

    def _multiplied(self) -> list[flint.arb_mat] | None:
        products: dict[Any, Any] = {}
        for product in self.current:
            for letter in self.letters:
                longer = product * letter
                products[_key(longer) if self.exact else len(products)] = longer
            if len(products) > self.limit:
                return None
        self.current = list(products.values())
        return _balls(self.current) if self.exact else self.current


def _key(product: flint.fmpq_mat) -> tuple[Any, ...]:
    numerators, denominator = product.numer_denom()
    return (*numerators.entries(), denominator)


def _is_short(product: flint.fmpq_mat) -> bool:
    """True if the entries, over one denominator, have few bits."""
    return all(int(x).bit_length() <= SHORT_ENTRY for x in _key(product))


def _balls(matrices: Sequence[Any]) -> list[flint.arb_mat]:
    return [flint.arb_mat(product) for product in matrices]


@dataclass(frozen=True)
class ProductNorms:
    """Bounds on ‖A^w‖₂: N_k for each k, and the norms of the single maps; and on ‖|A^w|‖₂."""

    single: Mapping[str, flint.arb]
    contractive: bool
    reaches_one: bool
    bounds: tuple[flint.arb, ...]
    absolute: tuple[flint.arb, ...]

    @property
    def largest(self) -> flint.arb:
        """max_σ ‖A^σ‖₂."""
        return largest(self.single.values())

    def up_to(self, length: int) -> flint.arb:
        """An upper bound on max(1, ‖A^w‖₂) over all words with |w| ≤ length."""
        return largest(self.bounds[: length + 1]).upper()


def products(automaton: WFA, longest: int) -> ProductNorms:
    """Bounds on the norms of all products of at most `longest` maps."""
    matrices = {symbol: matrix(rows) for symbol, rows in automaton.transitions.items()}
    single = {symbol: spectral_norm(rows) for symbol, rows in matrices.items()}
    contractive = _is_contractive(automaton, single)
    reaches = not contractive or any(map(reaches_one, automaton.transitions.values()))
    norms, absolute, root = [flint.arb(1)], [flint.arb(1)], flint.arb(automaton.n).sqrt()
    for k, entrywise in enumerate(_entrywise_norms(list(matrices.values()), longest), start=1):
        candidates = [entrywise, *_splits(norms, k)]
        candidates += [largest(single.values()).upper()] if k == 1 else []
        candidates += [flint.arb(1)] if contractive else []
        norms.append(_least(candidates))
        absolute.append(_least([entrywise, root * norms[k], *_splits(absolute, k)]))
    return ProductNorms(single, contractive, reaches, tuple(norms), tuple(absolute))


def listed_products(automaton: WFA, longest: int) -> ProductNorms:
    """The same, with N_k and ‖|A^w|‖₂ of short words, which are all multiplied."""
    known, root = products(automaton, longest), flint.arb(automaton.n).sqrt()
    words = ProductList(automaton, listable_count(automaton.n))
    norms, absolute, listed = [flint.arb(1)], [flint.arb(1)], words.advance()
    for k in range(1, longest + 1):
        own, entries = [known.bounds[k]], [known.absolute[k]]
        if listed is not None:
            own.append(largest_norm(listed))
            entries.append(largest_norm([map_entries(a, abs) for a in listed]))
            listed = words.advance()
        norms.append(_least([*own, *_splits(norms, k)]))
        absolute.append(_least([*entries, root * norms[k], *_splits(absolute, k)]))
    return replace(known, bounds=tuple(norms), absolute=tuple(absolute))


def _is_contractive(automaton: WFA, single: Mapping[str, flint.arb]) -> bool:
    """True if every map is a contraction; large maps that the balls do not decide count as no contraction."""
    if automaton.n > LARGEST_EXACT:
        return all(bool(size <= 1) for size in single.values())
    return all(map(is_contraction, automaton.transitions.values()))


def _splits(norms: Sequence[flint.arb], k: int) -> Iterator[flint.arb]:
    for i in range(1, k // 2 + 1):
        yield (norms[i] * norms[k - i]).upper()


def _least(values: Sequence[flint.arb]) -> flint.arb:
    return reduce(flint.arb.min, values).upper()


def _entrywise_norms(matrices: Sequence[flint.arb_mat], longest: int) -> Iterator[flint.arb]:
    """‖U_k‖ for k = 1 … longest, rounded up at every step: few digits are enough.

    Large matrices take SHORT_STEPS steps of one letter, then U_2k = U_k U_k; between these lengths
    the splits are left, and ∞ is returned.
    """
    absolute = [map_entries(rows, abs) for rows in matrices]
    bound = _maximum(absolute)
    for k in range(1, longest + 1):
        small = bound.nrows() <= MANY_STATES or k <= SHORT_STEPS
        with flint.ctx.workprec(min(ENOUGH, flint.ctx.prec)):
            if k > 1 and small:
                bound = _maximum([bound * rows for rows in absolute])
            elif not small and k & (k - 1):
                yield flint.arb("inf")
                continue
            elif not small:
                bound = map_entries(bound * bound, lambda x: x.upper())
            yield simple_bound(bound)


def _maximum(matrices: Sequence[flint.arb_mat]) -> flint.arb_mat:
    """The largest entries, rounded up."""
    first, *_ = matrices
    columns = zip(*(m.entries() for m in matrices), strict=True)
    entries = [reduce(flint.arb.max, column).upper() for column in columns]
    return flint.arb_mat(first.nrows(), first.ncols(), entries)


@dataclass(frozen=True)
class Witness:
    """A word whose product is large: its norm is certainly at least `lower`."""

    word: tuple[str, ...]
    lower: flint.arb


def witnesses(automaton: WFA, lengths: Sequence[int]) -> list[Witness]:
    """For each length a word with a large product, found by a beam search in floating point."""
    floats = scaled_maps(automaton)
    beam: list[tuple[tuple[str, ...], Floats]] = [((), np.eye(automaton.n))]
    certified: list[Witness] = []
    matrices = {symbol: matrix(rows) for symbol, rows in automaton.transitions.items()}
    for before, length in pairwise([0, *lengths]):
        for _ in range(length - before):
            grown = [((*word, s), rows @ a) for word, rows in beam for s, a in floats.items()]
            grown.sort(key=lambda pair: -float(np.linalg.norm(pair[1])))
            beam = _scaled_beam(grown[:BEAM])
        certified.append(_certified_witness(matrices, beam[0][0]))
    return certified


def scaled_maps(automaton: WFA) -> dict[str, Floats]:
    """The maps by one factor, so that weights beyond the range of floats are compared as well."""
    weights = (weight for rows in automaton.transitions.values() for row in rows for weight in row)
    size = max(map(abs, weights)) or 1
    return {
        symbol: np.array([[float(Fraction(w) / size) for w in row] for row in rows])
        for symbol, rows in automaton.transitions.items()
    }


def _scaled_beam(
    beam: list[tuple[tuple[str, ...], Floats]],
) -> list[tuple[tuple[str, ...], Floats]]:
    """All matrices by one factor, so that long products neither overflow nor vanish."""
    size = float(np.abs(beam[0][1]).max())
    return [(word, rows / size) for word, rows in beam] if size > 0 else beam


def _certified_witness(matrices: Mapping[str, flint.arb_mat], word: tuple[str, ...]) -> Witness:
    with flint.ctx.workprec(min(2 * ENOUGH, flint.ctx.prec)):
        product = matrices[word[0]]
        for symbol in word[1:]:
            product = product * matrices[symbol]
        return Witness(word, spectral_norm(product).lower())
