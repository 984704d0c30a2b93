"""Rounding of a sum of products, whatever the order in which its terms are added.

Claimed       terms t_1 … t_k, each the product of numbers that r roundings make, added in any order: the sum
              misses by at most (r u + γ_{k-1+r}²) Σ|t| + u A, where A bounds the sum of the sizes of all
              k - 1 partial sums
Derivation    a term misses by (1 + u)^r - 1 ≤ r u + γ_r² of itself. An addition rounds by u of what comes
              out, which is the partial sum of the true terms up to γ_{k-1+r} Σ|t|; there are k - 1, and
              γ_r² + (k-1) u γ_{k-1+r} ≤ γ_{k-1+r}²
A             an order is a binary tree with the terms as leaves; its partial sums are its inner nodes. The
              j largest of them have j + 1 exits, of which the two of a lowest one hold all of its terms, so
              that the j-th largest has at most k - j + 1 terms: A ≤ S_2 + … + S_k, S_i the sum of the i
              largest |t|. No partial sum exceeds the sum P of the positive or Q of the negative terms, so
              min(S_i, max(P, Q)) may replace S_i
Notation      u unit roundoff, γ_k = k u / (1 - k u)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import flint

from verify.bounds.floating import Precision


@dataclass(frozen=True)
class TermSizes:
    """Bounds on the terms of a sum: their number without zeros, Σ|t| and S_2 + … + S_k."""

    count: int
    total: flint.arb
    partial: flint.arb

    @classmethod
    def of(cls, terms: Iterable[flint.arb], most: flint.arb | None = None) -> TermSizes:
        """From bounds on the |t|, and a bound on every partial sum if there is one.

        Examples:
            >>> sizes = TermSizes.of([flint.arb(1), flint.arb(3), flint.arb(2)])
            >>> sizes.count, float(sizes.total), float(sizes.partial)
            (3, 6.0, 11.0)

        """
        ends = sorted((end for end in (t.upper() for t in terms) if end > 0), reverse=True)
        total, tops = flint.arb(0), [flint.arb(0)]  # S_0, S_1, …
        for end in ends:
            total = (total + end).upper()
            tops.append(total if most is None else total.min(most).upper())
        return cls(len(ends), total, sum(tops[2:], flint.arb(0)).upper())

    def loss(self, form: Precision, roundings: int) -> flint.arb:
        """Error of the sum, if each term is rounded `roundings` times."""
        if not self.count:
            return flint.arb(0)
        second = form.gamma(self.count - 1 + roundings)
        share = roundings * form.roundoff + second * second
        return (share * self.total + form.roundoff * self.partial).upper()
