"""All that float64 can return for a soft head of the decoder and for its derivatives, as balls.

Every operation of the band, forwards and backwards, is done in balls on what is already enclosed, and
then gets the error that it may have itself: a sum in which each term passes at most r roundings is off by
γ_r Σ |terms|, γ_r = ru/(1 - ru), in any order of the additions. By inclusion the balls hold the
definition's own values at the same tokens, too: nothing is compared with a tolerance.

Rows that the band leaves out may have any weight between 0 and their own; `lost` is the largest share
of a token that they have together, at most u.

Notation      x tokens, q k v queries, keys and values, j* the row s tokens back, w the width, p weights,
              g and D the derivatives of the loss by what the head brings and by its scores,
              φ_tj = g_t · v_j
Exponentials  of float64 are within one unit in the last place in PyTorch (Sleef's `u10`): 2u
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import pytest
import torch

from constructions.core.exact import ball
from constructions.core.transformer import Head
from constructions.modules.passes_decoder import BandedHead

U, TINY, BITS = Fraction(1, 1 << 53), Fraction(1, 1 << 1000), 256
ERROR = flint.arb(0, 1)
Rows = flint.arb_mat


def gamma(roundings: int) -> flint.arb:
    """γ_r = ru / (1 - ru)."""
    return ball(roundings * U / (1 - roundings * U))


def near(value: flint.arb, error: flint.arb) -> flint.arb:
    """A value that is off by at most this, and by an underflow."""
    return value + ERROR * (error + ball(TINY)).upper()


def rows(values: torch.Tensor) -> Rows:
    """A matrix of floats, each of them exactly."""
    return Rows(values.detach().tolist())


def entrywise(function: Callable[..., flint.arb], *given: Rows) -> Rows:
    """A function of the entries of some matrices."""
    count, size = given[0].nrows(), given[0].ncols()
    return Rows([[function(*(m[i, j] for m in given)) for j in range(size)] for i in range(count)])


def product(left: Rows, right: Rows, roundings: int | None = None) -> Rows:
    """A product of matrices; each term passes as many roundings as there are terms, or so many."""
    share = gamma(left.ncols() if roundings is None else roundings)
    size = entrywise(abs, left) * entrywise(abs, right)
    return entrywise(lambda value, most: near(value, share * most), left * right, size)


def added(*parts: Rows) -> Rows:
    """A sum of matrices, in any order."""
    share = gamma(len(parts) - 1)
    return entrywise(lambda *v: near(sum(v, flint.arb(0)), share * sum(map(abs, v))), *parts)


@dataclass(frozen=True)
class Word:
    """A head on the tokens of one word."""

    head: Head[torch.Tensor]
    back: int
    width: int
    x: Rows
    g: Rows

    @property
    def count(self) -> int:
        """The number of tokens N; the band has fewer columns."""
        return int(self.x.nrows())

    def read(self, weight: torch.Tensor) -> Rows:
        """X W."""
        return product(self.x, rows(weight))

    def queries(self) -> Rows:
        """X W_Q + b_Q."""
        if self.head.bias is None:
            return self.read(self.head.query)
        return added(self.read(self.head.query), rows(self.head.bias.expand(self.count, -1)))

    def differences(self, t: int, keys: Rows) -> Rows:
        """k_j - k_j* for all j ≤ t."""
        best, size = max(t - self.back, 0), keys.ncols()
        by_row = [[keys[j, e] - keys[best, e] for e in range(size)] for j in range(t + 1)]
        return entrywise(lambda value: near(value, gamma(1) * abs(value)), Rows(by_row))

    def powers(self, t: int, queries: Rows, keys: Rows) -> list[flint.arb]:
        """e^(score less the largest one), over all j ≤ t."""
        query = Rows([[queries[t, e]] for e in range(queries.ncols())])
        scores = product(self.differences(t, keys), query).entries()
        largest = scores[0]
        for score in scores[1:]:
            largest = largest.max(score)
        lower = [near(score - largest, gamma(1) * abs(score - largest)) for score in scores]
        return [near(score.exp(), gamma(2) * score.exp()) for score in lower]

    def left_out(self, t: int) -> list[bool]:
        """Whether the band leaves out row j of token t, for all j ≤ t."""
        best = max(t - self.back, 0)
        return [abs(j - best) > self.width for j in range(t + 1)]

    def lost(self) -> flint.arb:
        """The largest share of the rows that the band leaves out."""
        queries, keys, worst = self.queries(), self.read(self.head.key), flint.arb(0)
        for t in range(self.count):
            powers = self.powers(t, queries, keys)
            out = [power for power, is_out in zip(powers, self.left_out(t), strict=True) if is_out]
            worst = worst.max(sum(out, flint.arb(0)) / sum(powers, flint.arb(0)))
        return worst

    def weights(self, queries: Rows, keys: Rows) -> Rows:
        """p."""
        found, some = Rows(self.count, self.count), (1 + ERROR) / 2
        for t in range(self.count):
            pairs = zip(self.powers(t, queries, keys), self.left_out(t), strict=True)
            powers = [some * power if is_out else power for power, is_out in pairs]
            whole = sum(powers, flint.arb(0))
            whole = near(whole, gamma(self.count) * abs(whole))
            for j, power in enumerate(powers):
                found[t, j] = near(power / whole, gamma(2) * abs(power / whole))
        return found

    def by_scores(self, p: Rows, values: Rows) -> Rows:
        """D_tj = p_tj (φ_tj - Σ p φ), as such or as a difference of two products."""
        gains, found = product(self.g, values.transpose()), Rows(self.count, self.count)
        for t in range(self.count):
            terms = [p[t, j] * gains[t, j] for j in range(t + 1)]
            mean = near(sum(terms, flint.arb(0)), gamma(self.count) * sum(map(abs, terms)))
            for j in range(t + 1):
                size = abs(p[t, j]) * (abs(gains[t, j]) + abs(mean))
                found[t, j] = near(p[t, j] * (gains[t, j] - mean), gamma(3) * size)
        return found

    def by_queries(self, by_scores: Rows, keys: Rows) -> Rows:
        """Σ_j D_tj (k_j - k_j*)."""
        found = []
        for t in range(self.count):
            row = Rows([[by_scores[t, j] for j in range(t + 1)]])
            found.append(product(row, self.differences(t, keys), self.count).entries())
        return Rows(found)

    def by_keys(self, by_scores: Rows, queries: Rows) -> Rows:
        """D_tj q_t at row j, and its opposite at row j*.

        Each term is a product, and passes at most N + 2m additions for m < N columns.
        """
        pairs = [(t, j) for t in range(self.count) for j in range(t + 1)]
        terms = [(j, t, by_scores[t, j]) for t, j in pairs]
        terms += [(max(t - self.back, 0), t, -by_scores[t, j]) for t, j in pairs]
        ends, size = Rows(self.count, len(terms)), queries.ncols()
        for number, (row, *_) in enumerate(terms):
            ends[row, number] = 1
        shares = Rows([[share * queries[t, e] for e in range(size)] for _, t, share in terms])
        return product(ends, shares, 4 * self.count)

    def enclosed(self) -> dict[str, Rows]:
        """What the head brings, and the derivatives by its tokens, queries, keys and values."""
        queries, keys, values = self.queries(), self.read(self.head.key), self.read(self.head.value)
        p = self.weights(queries, keys)
        by_scores = self.by_scores(p, values)
        found = {
            "query": self.by_queries(by_scores, keys),
            "key": self.by_keys(by_scores, queries),
            "value": product(p.transpose(), self.g, 4 * self.count),
        }
        weights = self.head.query, self.head.key, self.head.value
        pairs = zip(found.values(), weights, strict=True)
        tokens = added(*(product(part, rows(weight.T)) for part, weight in pairs))
        return {"output": product(p, values), "tokens": tokens, **found}


@dataclass(frozen=True)
class Watched:
    """What a head of the band was called with, and what it brought."""

    banded: BandedHead
    number: int
    x: torch.Tensor
    output: torch.Tensor

    @property
    def width(self) -> int:
        """The width of the band in this call; -1, nothing at all, where none is certified."""
        factor, own = self.banded.routing.factor, self.banded.width
        if factor is not None:
            certified = self.banded.routing.width(self.x.dtype, factor.seen(self.x))
            own = -1 if certified is None else certified
        return own

    def words(self) -> list[Word]:
        """The head on each word of the batch."""
        assert self.output.grad is not None
        pairs = zip(self.x, self.output.grad, strict=True)
        head, back = self.banded.head, 1 << self.number
        return [Word(head, back, self.width, rows(x), rows(g)) for x, g in pairs]

    def differing(self) -> list[str]:
        """What is not within its roundings of the definition, and `lost` if the band is too narrow."""
        words, found = self.words(), []
        if any(not word.lost() <= ball(U) for word in words):
            found.append("lost")
        enclosed = [word.enclosed() for word in words]
        for name, floats in (("output", self.output), ("tokens", self.x.grad)):
            assert floats is not None
            pairs = zip(enclosed, floats, strict=True)
            found += [] if all(within(part, balls[name]) for balls, part in pairs) else [name]
        x = stacked([word.x for word in words]).transpose()
        parts = {name: stacked([balls[name] for balls in enclosed]) for name in enclosed[0]}
        return found + self.by_weights(x, parts)

    def by_weights(self, x: Rows, parts: dict[str, Rows]) -> list[str]:
        """Which derivatives by weights are not within their roundings: Xᵀ times those by tokens."""
        head = self.banded.head
        exact = {name: product(x, parts[name]) for name in ("query", "key", "value")}
        if head.bias is not None:
            exact["bias"] = product(Rows(1, x.ncols(), [1] * x.ncols()), parts["query"])
        return [
            name for name, balls in exact.items() if not within(getattr(head, name).grad, balls)
        ]


def stacked(parts: list[Rows]) -> Rows:
    """Matrices below each other."""
    return Rows([row for part in parts for row in part.tolist()])


def within(found: torch.Tensor | None, balls: Rows) -> bool:
    """Whether all numbers lie in their balls; what was not computed does not."""
    if found is None:
        return False
    numbers = found.reshape(balls.nrows(), balls.ncols())
    return all(map(flint.arb.contains, balls.entries(), rows(numbers).entries()))


def differing(module: Any, given: torch.Tensor, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """For each head of a model what differs, after the gradient of a sum of squares."""
    seen: list[Watched] = []
    own = BandedHead.attend

    def attend(self: BandedHead, arithmetic: Any, x: torch.Tensor) -> torch.Tensor:
        read = x.view_as(x)
        read.retain_grad()
        found = own(self, arithmetic, read)
        found.retain_grad()
        seen.append(Watched(self, len(seen), read, found))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(BandedHead, "attend", attend)
        module(given).square().sum().backward()
    with flint.ctx.workprec(BITS):
        return [watched.differing() for watched in seen]
