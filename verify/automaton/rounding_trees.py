"""Rounding in a tree model, on all trees of a length: whether heads look right, and how far states are off.

Shown         coordinates are followed through the layers, with an error e for each beside its largest
              size V; if twice the error of a score stays below the gap g, the largest score of every
              row stays the largest, and the errors of the states are those that were followed
  a form      Σ w x misses by at most Σ |w| e + γ_{t+2} Σ |w| (V + e) + η Σ (1 + V + e), t terms: each
              product may lose η, and so may each stored weight
  a score     η of `verify.bounds.budget`, γ_{k+1} Σ (|q| + e(q)) (|k| + e(k)) and k times the
              smallest number, k pairs
  a mean      of R tokens: e + γ_{R+3} (V + e) + R η
  an output   Σ |w| (|x| e(y) + |y| e(x) + e(x) e(y) + γ_{2m+4} (|x| + e(x)) (|y| + e(y)) + η) and
              η (1 + (|x| + e(x)) (|y| + e(y))) for each of its m products: x y, w and w x y may each
              lose η; the constant one is exact, and so is what one product with it copies
  range       V + e of every coordinate, and Σ max(1, |w|) (|x| + e(x)) (|y| + e(y)) of every output,
              stay below the format's largest number: x y is computed before w x y
Notation      u unit roundoff, γ_k = k u / (1 - k u); embedded coordinates, those written anew after
              each layer among them, miss by u V

`score_error` follows only what scores depend on. The states of Theorem 3's model have a better bound,
by the number of leaves, in `rounding_leaves`; those of the log-depth model have this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import flint

from constructions.blocks.smoothing import Product, constants, is_copy, products
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.core.transformer import Bilinear, Head, Layer
from verify.bounds.budget import AbsoluteForm, BudgetSubject, HeadRead, stages
from verify.bounds.floating import Precision
from verify.bounds.norms import largest

Ball = Any


def attention_is_right(precision: Precision, subject: BudgetSubject) -> bool:
    """Return whether rounding certainly leaves the largest score of every row the largest."""
    return bool(2 * score_error(precision, subject) < ball(subject.gap))


def score_error(precision: Precision, subject: BudgetSubject) -> Ball:
    """A bound on the rounding error of every score, with C = 1; infinite where one may overflow."""
    return followed(precision, subject, read_by_scores(subject))[0]


def state_error(precision: Precision, subject: BudgetSubject) -> Ball:
    """A bound on the rounding error of every entry of every state, if heads look right.

    Infinite where a number may overflow.
    """
    _, errors = followed(precision, subject, set(range(len(subject.sizes))))
    return largest(errors[i] for i in subject.states)


def followed(
    precision: Precision, subject: BudgetSubject, targets: set[int]
) -> tuple[Ball, Sequence[Ball]]:
    """The largest error of a score, and those of some coordinates after the last layer."""
    known: dict[tuple[int, int], Rounded] = {}
    errors: list[Ball] = []
    found = flint.arb(0)
    for layer, sizes in stages(subject):
        key = id(layer), id(sizes)
        if key not in known:
            known[key] = Rounded(layer, sizes, subject, precision, targets)
        errors = errors or known[key].embedded()
        found = found.max(known[key].score_error(errors))
        errors = known[key].after(errors)
    return found, errors


def read_by_scores(subject: BudgetSubject) -> set[int]:
    """The coordinates that scores depend on, in this layer or in a later one."""
    layers = list({id(layer): layer for layer in subject.transformer.layers}.values())
    found = {row for layer in layers for head in layer.heads for row in _rows(head)}
    while True:
        more = {row for layer in layers for row in _sources(layer, found)} - found
        if not more:
            return found
        found |= more


def _rows(head: Head[Matrix]) -> set[int]:
    return {row for row, _ in head.query.entries} | {row for row, _ in head.key.entries}


def _sources(layer: Layer[Matrix], targets: set[int]) -> set[int]:
    """The coordinates of a token from which some coordinates of the next layer are made."""
    brought = [set(form) for head in layer.heads for form in head.value.columns()]
    used = {c for p in _towards(layer, targets) for c in (*p.left, *p.right)}
    return {row for c in used for row in brought[c]}


def _towards(layer: Layer[Matrix], targets: set[int]) -> list[Product]:
    block = layer.feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("rounding is followed through bilinear layers")
    return [p for p in products(block) if targets & set(p.output)]


class Rounded:
    """One layer in a floating-point format, as far as scores depend on it."""

    def __init__(
        self,
        layer: Layer[Matrix],
        sizes: list[Ball],
        subject: BudgetSubject,
        precision: Precision,
        targets: set[int],
    ) -> None:
        self.subject, self.precision, self.sizes = subject, precision, sizes
        self.heads = [
            HeadRead(head, self.sizes, subject.tokens, subject.gap) for head in layer.heads
        ]
        self.brought = [size for head in self.heads for size in head.sizes]
        ones, found = constants(layer, subject.one), _towards(layer, targets)
        self.writers = Counter(target for product in found for target in product.output)
        self.products = [Rounding(p, is_copy(p, ones), self.writers) for p in found]

    def embedded(self) -> list[Ball]:
        """Bound on the rounding error of an embedded coordinate: u V, and the smallest number."""
        step = self.precision
        missed = [step.roundoff * size + step.smallest for size in self.sizes]
        missed[self.subject.one] = flint.arb(0)
        return missed

    def form(self, form: AbsoluteForm, sizes: Sequence[Ball], errors: Sequence[Ball]) -> Ball:
        """The error of a linear form."""
        moved, terms = form.through(errors), len(form.terms)
        if terms == 1 and form.terms[0][1] == 1:
            return moved
        size = form.through(sizes) + moved
        lost = sum((sizes[i] + errors[i] for i, _ in form.terms), flint.arb(terms))
        return moved + self.precision.gamma(terms + 2) * size + lost * self.precision.smallest

    def score_error(self, errors: Sequence[Ball]) -> Ball:
        """The largest rounding error of a score."""
        return largest(self._score(head, errors) for head in self.heads if head.leaks)

    def _score(self, head: HeadRead, errors: Sequence[Ball]) -> Ball:
        queries = [self.form(form, self.sizes, errors) for form in head.query]
        keys = [self.form(form, self.sizes, errors) for form in head.key]
        sides = zip(head.query_sizes, queries, head.key_sizes, keys, strict=True)
        moved, total = flint.arb(0), flint.arb(0)
        for q, dq, k, dk in sides:
            moved += q * dk + dq * k + dq * dk
            total += (q + dq) * (k + dk)
        if not total < self.precision.largest:
            return flint.arb("inf")
        lost = len(keys) * self.precision.smallest
        return moved + self.precision.gamma(len(keys) + 1) * total + lost

    def _read(self, head: HeadRead, errors: Sequence[Ball]) -> list[Ball]:
        moved = [self.form(form, self.sizes, errors) for form in head.value]
        if not head.mean:
            return moved
        share = self.precision.gamma(self.subject.tokens + 3)
        lost = self.subject.tokens * self.precision.smallest
        return [e + share * (v + e) + lost for e, v in zip(moved, head.sizes, strict=True)]

    def after(self, errors: Sequence[Ball]) -> list[Ball]:
        """Errors after the layer, of the followed coordinates only."""
        wrong = [error for head in self.heads for error in self._read(head, errors)]
        renewed, fresh = self.subject.transformer.positions, self.embedded()
        found, size = ([flint.arb(0)] * len(self.sizes) for _ in range(2))
        for product in self.products:
            moved, reached = self._product(product, wrong)
            for target, weight in product.output.terms:
                lost = flint.arb(0) if product.exact else self._lost(target, weight, reached)
                found[target] += weight * moved + lost
                size[target] += weight.max(flint.arb(1)) * reached
        kept = [self._within(*pair) for pair in zip(found, size, strict=True)]
        return [fresh[i] if i in renewed else error for i, error in enumerate(kept)]

    def _lost(self, target: int, weight: Ball, reached: Ball) -> Ball:
        """Bound the rounding errors that one product adds to an output."""
        share, tiny = self.precision.gamma(2 * self.writers[target] + 4), self.precision.smallest
        return weight * (share * reached + tiny) + tiny * (1 + reached)

    def _within(self, error: Ball, size: Ball) -> Ball:
        """An error, or infinity where the number may overflow."""
        fits = bool(2 * (size + error) < self.precision.largest)
        return error.upper() if fits else flint.arb("inf")

    def _product(self, product: Rounding, wrong: Sequence[Ball]) -> tuple[Ball, Ball]:
        """Return the error of a product from those of its factors, and its size."""
        left, right = product.left, product.right
        dx, dy = self.form(left, self.brought, wrong), self.form(right, self.brought, wrong)
        x, y = left.through(self.brought), right.through(self.brought)
        return x * dy + y * dx + dx * dy, (x + dx) * (y + dy)


class Rounding:
    """A product by its forms; exact if it copies a coordinate and nothing is added to it."""

    def __init__(self, product: Product, copy: bool, writers: Mapping[int, int]) -> None:
        self.left, self.right, self.output = map(
            AbsoluteForm, (product.left, product.right, product.output)
        )
        alone = all(writers[target] == 1 for target in product.output)
        self.exact = copy and alone and set(product.output.values()) == {1}
