"""Sweeps of Theorem 2's model that use its circulant structure.

Claimed       nothing of its own: the same numbers as the dense forward pass of
              `constructions.transformer`, which stays the reference and which tests compare
Constructs    all heads of all layers share one row of softmax weights p (see `verify.bounds.leak`):
              attention of the right head is P X with the circulant matrix P = (p_{t-s}), that of
              the left head at layer l is P X, 2^(l-1) rows further down
Notation      2M tokens, each an n × n matrix; X the exact ones, X + E those of the soft model
              D = P (X + E) - X = (P - I)(X - 1⊗I) + P E    error after attention, as P 1 = 1
              E' = X_L D_R + D_L X_R + D_L D_R               error after the exact product
              E' = mlp(X_L + D_L, X_R + D_R) - X_L X_R       error after an MLP

`certified` carries the errors themselves, in balls, so that nothing cancels: equal tokens give
an error of exactly 0, and an error of 1e-700 keeps its leading digits. `measured` runs the plain
forward pass in mpmath and subtracts; its digits follow C, and where they ran out it says None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint
import mpmath

from constructions.arithmetic import Balls
from constructions.arithmetic.objects import Objects, zeros
from constructions.multiplication import Multiplier
from constructions.theorem1 import depth, span
from constructions.wfa import WFA
from verify.bounds import leak
from verify.bounds.norms import enclosed, frobenius, identity, largest, largest_norm, matrix

Tokens = list[flint.arb_mat]
LOG2_10 = Fraction(33219, 10000)


@dataclass(frozen=True)
class LayerErrors:
    """One layer: spectral norms, the largest over all positions."""

    error: flint.arb
    incoming: flint.arb
    attention: flint.arb
    norm: flint.arb

    def max(self, other: LayerErrors) -> LayerErrors:
        """The larger of two, number by number."""
        return LayerErrors(
            self.error.max(other.error),
            self.incoming.max(other.incoming),
            self.attention.max(other.attention),
            self.norm.max(other.norm),
        )


@dataclass(frozen=True)
class Run:
    """Words at one C: the largest errors by layer, and of the T + 1 states in Frobenius norm."""

    saturation: Fraction
    bits: int
    layers: tuple[LayerErrors, ...]
    states: flint.arb

    @property
    def digits(self) -> int:
        """The working precision in decimal digits."""
        return int(self.bits / LOG2_10)

    @property
    def decided(self) -> bool:
        """Whether every error is known to be positive, or exactly 0."""
        return all(known(layer.error) for layer in self.layers) and known(self.states)


def known(error: flint.arb) -> bool:
    """Whether a ball decides between 0 and a positive number."""
    return bool(error > 0) or bool(error.is_zero())


def certified(
    automaton: WFA,
    words: Sequence[Sequence[str]],
    length: int,
    saturation: Fraction,
    bits: int | None = None,
    feedforward: Multiplier | None = None,
) -> Run:
    """Enclosed errors of the soft model over words; without `bits` the precision follows C."""
    working = bits or bits_needed(saturation, span(length), feedforward)
    while True:
        with flint.ctx.workprec(working):
            sweep = Sweep(automaton, length, saturation, feedforward)
            layers, states = sweep.run(words)
            run = Run(saturation, working, layers, states)
        if bits or run.decided or 2 * working > leak.HIGHEST_BITS:
            return run
        working *= 2


def state_error(
    automaton: WFA,
    words: Sequence[Sequence[str]],
    length: int,
    saturation: Fraction,
    feedforward: Multiplier | None = None,
) -> flint.arb:
    """The largest Frobenius norm of the error of the T + 1 states alone, over words."""
    with flint.ctx.workprec(bits_needed(saturation, span(length), feedforward)):
        sweep = Sweep(automaton, length, saturation, feedforward)
        return largest(sweep.states(word) for word in words)


def bits_needed(saturation: Fraction, span: int, feedforward: Multiplier | None) -> int:
    """Bits for C, and for what the MLP cancels."""
    extra = 0 if feedforward is None else 2 * abs(feedforward.scale).numerator.bit_length()
    return leak.bits_for(saturation, span) + extra


@dataclass(frozen=True)
class Stage:
    """The tokens before a layer, exact and in error, and what attention makes of the error."""

    exact: Tokens
    errors: Tokens
    attention: Tokens
    incoming: Tokens

    def norms(self, after: Tokens) -> LayerErrors:
        """The norms of this layer, given the errors after it."""
        attention = largest_norm(self.attention)
        same = self.incoming is self.attention
        incoming = attention if same else largest_norm(self.incoming)
        return LayerErrors(largest_norm(after), incoming, attention, largest_norm(self.exact))


class Sweep:
    """What does not depend on the word: P - I, and the matrices of the letters."""

    def __init__(
        self,
        automaton: WFA,
        length: int,
        saturation: Fraction,
        feedforward: Multiplier | None = None,
    ) -> None:
        self.automaton, self.length, self.feedforward = automaton, length, feedforward
        self.span, self.one = span(length), identity(automaton.n)
        self.zero, self.ones = 0 * self.one, flat([self.one] * (2 * self.span))
        weights = leak.weights(saturation, self.span)
        self.difference = circulant([-sum(weights[1:], flint.arb(0)), *weights[1:]])
        self.letters = {a: matrix(rows) for a, rows in automaton.transitions.items()}
        self.alpha = flint.arb_mat([[enclosed(value) for value in automaton.alpha]])

    def run(self, words: Sequence[Sequence[str]]) -> tuple[tuple[LayerErrors, ...], flint.arb]:
        """The largest norms of each layer, and the largest error of the states."""
        layers: list[LayerErrors] = []
        states = flint.arb(0)
        for word in words:
            stages = list(self.stages(word))
            seen = [a.norms(b.errors) for a, b in pairwise(stages)]
            layers = [a.max(b) for a, b in zip(layers, seen, strict=True)] if layers else seen
            states = states.max(self._readout(stages[-1].errors, len(word)))
        return tuple(layers), states

    def states(self, word: Sequence[str]) -> flint.arb:
        """‖(αᵀE_0; …; αᵀE_T)‖_F."""
        for stage in self.stages(word):
            errors = stage.errors
        return self._readout(errors, len(word))

    def tokens(self, word: Sequence[str]) -> Tokens:
        """Identities at -M+1 … 0, then the word's matrices, then identities up to M."""
        inside = [self.letters[symbol] for symbol in word]
        return [self.one] * self.span + inside + [self.one] * (self.span - len(word))

    def stages(self, word: Sequence[str]) -> Iterator[Stage]:
        """The tokens before each layer, and those after the last."""
        exact = self.tokens(word)
        errors = [self.zero] * len(exact)
        for layer in range(depth(self.length)):
            stage = self._attend(exact, errors)
            yield stage
            exact, errors = self._feed(stage, 1 << layer)
        yield Stage(exact, errors, [], [])

    def _attend(self, exact: Tokens, errors: Tokens) -> Stage:
        """D from the exact tokens alone, and with E: P E = E + (P - I) E."""
        alone = self.difference * (flat(exact) - self.ones)
        attention = split(alone, self.automaton.n)
        if all(error is self.zero for error in errors):  # before the first layer
            return Stage(exact, errors, attention, attention)
        before = flat(errors)
        incoming = alone + before + self.difference * before
        return Stage(exact, errors, attention, split(incoming, self.automaton.n))

    def _feed(self, stage: Stage, shift: int) -> tuple[Tokens, Tokens]:
        """(X, E) after the feed-forward block."""
        left, left_error = turned(stage.exact, shift), turned(stage.incoming, shift)
        product = [self._times(a, b) for a, b in zip(left, stage.exact, strict=True)]
        if self.feedforward is None:
            return product, self._product_errors(left, left_error, stage.exact, stage.incoming)
        inputs = add(left, left_error), add(stage.exact, stage.incoming)
        return product, subtract(multiplied(self.feedforward, *inputs), product)

    def _times(self, a: flint.arb_mat, b: flint.arb_mat) -> flint.arb_mat:
        """A B, where a pad stays the same object."""
        return b if a is self.one else a if b is self.one else a * b

    def _product_errors(self, left: Tokens, d: Tokens, right: Tokens, e: Tokens) -> Tokens:
        """(X + D)(Y + E) - XY = X E + D (Y + E), token by token."""
        parts = zip(left, d, right, e, strict=True)
        return [self._times(x, e_t) + d_t * (y + e_t) for x, d_t, y, e_t in parts]

    def _readout(self, errors: Tokens, letters: int) -> flint.arb:
        rows = [self.alpha * error for error in errors[self.span - 1 : self.span + letters]]
        return frobenius(flint.arb_mat([list(part.entries()) for part in rows]))


def circulant(row: Sequence[flint.arb]) -> flint.arb_mat:
    """The matrix with entry row[(i - j) mod 2M] at (i, j)."""
    size, twice = len(row), [*reversed(row), *reversed(row)]
    rows = (twice[size - 1 - i : 2 * size - 1 - i] for i in range(size))
    return flint.arb_mat(size, size, [value for line in rows for value in line])


def flat(tokens: Tokens) -> flint.arb_mat:
    """One row for each token, with all its entries."""
    return flint.arb_mat(len(tokens), tokens[0].ncols() ** 2, listed(tokens))


def listed(tokens: Tokens) -> list[flint.arb]:
    """The entries of all tokens; those of a pad, the same object many times, are listed once."""
    known = {id(token): token.entries() for token in tokens}
    return [x for token in tokens for x in known[id(token)]]


def split(rows: flint.arb_mat, n: int) -> Tokens:
    """The tokens of which these are the rows."""
    entries, size = rows.entries(), n * n
    return [flint.arb_mat(n, n, entries[i : i + size]) for i in range(0, len(entries), size)]


def turned(tokens: Tokens, shift: int) -> Tokens:
    """The token `shift` positions to the left, cyclically."""
    return tokens[-shift:] + tokens[:-shift]


def add(left: Tokens, right: Tokens) -> Tokens:
    """Token by token."""
    return [a + b for a, b in zip(left, right, strict=True)]


def subtract(left: Tokens, right: Tokens) -> Tokens:
    """Token by token."""
    return [a - b for a, b in zip(left, right, strict=True)]


def multiplied(feedforward: Multiplier, left: Tokens, right: Tokens) -> Tokens:
    """The MLP of the model on all tokens."""
    arithmetic = Balls(flint.ctx.prec)
    block = feedforward.block.map(arithmetic.weight, arithmetic.row)
    n = feedforward.n
    inputs: Objects = zeros(len(left), 2 * n * n + 2)
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        inputs[i, : 2 * n * n] = [*a.entries(), *b.entries()]
    outputs = block(arithmetic, inputs)
    return [flint.arb_mat(n, n, list(row[: n * n])) for row in outputs]


def measured(
    automaton: WFA,
    word: Sequence[str],
    length: int,
    saturation: Fraction,
    digits: int | None = None,
) -> list[Any | None]:
    """Errors by layer (largest entry over all positions) in mpmath; None where digits ran out."""
    working = digits or int(leak.bits_for(saturation, span(length)) / LOG2_10)
    context = mpmath.MPContext()
    context.dps = working
    return [
        error if error > context.mpf(10) ** (5 - working) * size else None
        for error, size in _forward(context, automaton, word, length, saturation)
    ]


def _forward(
    context: Any, automaton: WFA, word: Sequence[str], length: int, saturation: Fraction
) -> Iterator[tuple[Any, Any]]:
    """(largest error, largest entry) after each layer of the plain forward pass."""
    size = span(length)
    row = _softmax(context, saturation, size)
    exact = soft = _entries(context, automaton, word, size)
    for layer in range(depth(length)):
        mixed = _mix(context, row, soft)
        soft = _products(context, turned(mixed, 1 << layer), mixed)
        exact = _products(context, turned(exact, 1 << layer), exact)
        pairs = [pair for a, b in zip(soft, exact, strict=True) for pair in zip(a, b, strict=True)]
        yield max(abs(x - y) for x, y in pairs), max(abs(y) for _, y in pairs)


def _softmax(context: Any, saturation: Fraction, size: int) -> list[Any]:
    constant = context.mpf(saturation.numerator) / saturation.denominator
    powers = [
        context.exp(constant * (context.cospi(context.mpf(m) / size) - 1)) for m in range(2 * size)
    ]
    total = context.fsum(powers)
    return [power / total for power in powers]


def _entries(context: Any, automaton: WFA, word: Sequence[str], size: int) -> list[Any]:
    one = [context.mpf(int(i == j)) for i in range(automaton.n) for j in range(automaton.n)]
    inside = [
        [_mpf(context, value) for rows in automaton.matrix(symbol) for value in rows]
        for symbol in word
    ]
    return [one] * size + inside + [one] * (size - len(word))


def _mpf(context: Any, value: Any) -> Any:
    """A rational, or the middle of a ball, at the context's precision."""
    if isinstance(value, (int, Fraction)):
        return context.mpf(value.numerator) / value.denominator
    with flint.ctx.workprec(context.prec + 16):
        mantissa, exponent = enclosed(value).mid().man_exp()
    return context.ldexp(context.mpf(int(mantissa)), int(exponent))


def _mix(context: Any, row: list[Any], tokens: list[Any]) -> list[Any]:
    size = len(row)
    return [
        [
            context.fdot((row[m], tokens[(i - m) % size][c]) for m in range(size))
            for c in range(len(tokens[0]))
        ]
        for i in range(size)
    ]


def _products(context: Any, left: list[Any], right: list[Any]) -> list[Any]:
    n = 1
    while n * n < len(left[0]):
        n += 1
    return [
        [
            context.fdot((a[i * n + k], b[k * n + j]) for k in range(n))
            for i in range(n)
            for j in range(n)
        ]
        for a, b in zip(left, right, strict=True)
    ]
