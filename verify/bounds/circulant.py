"""Sweeps of Theorem 2's model that use its circulant structure.

Claimed       no new result: the same numbers as the dense forward pass of
              `constructions.core.transformer`, which stays the reference and which tests compare
Constructs    all heads of all layers share one row of softmax weights p (see `verify.bounds.leak`):
              attention of the right head is P X with the circulant matrix P = (p_{t-s}), that of
              the left head at layer l is P X, 2^(l-1) rows further down
Notation      2M tokens, each an n × n matrix; X the exact ones, X + E those of the soft model
              D = P (X + E) - X = (P - I)(X - 1⊗I) + P E    error after attention, as P 1 = 1
              E' = X_L D_R + D_L X_R + D_L D_R               error after the exact product
              E' = mlp(X_L + D_L, X_R + D_R) - X_L X_R       error after an MLP
Precision     the errors themselves are carried, in balls, so that nothing cancels: equal tokens
              give an error of exactly 0, and 1e-700 is known to as many digits as 1e-7. Bits are
              needed for the weights: exp(-C g) loses log2 C of them. Only an MLP cancels
Cost          X and its norms do not depend on C: one word is run at all C of a sweep
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import flint

from constructions.arithmetic import Balls
from constructions.arithmetic.objects import Objects, zeros
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier
from constructions.core.exact import ball
from constructions.theorem1 import depth, span
from verify.bounds import leak
from verify.bounds.norms import frobenius_norm, identity, largest, largest_norm, matrix

Tokens = list[flint.arb_mat]
Word = Sequence[str]
Progress = Callable[[int, int], None]
LOG2_10 = Fraction(33219, 10000)
TOGETHER = (
    16  # values of C that share the exact tokens of a word: each keeps a matrix of (2M)² balls
)
ACCURACY = 117  # bits of a weight, 35 digits; with C < 2048 a number takes two machine words


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
class SoftRun:
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
    def is_decided(self) -> bool:
        """True if every error is known to be positive, or exactly 0."""
        return all(is_decided(layer.error) for layer in self.layers) and is_decided(self.states)

    def max(self, other: SoftRun) -> SoftRun:
        """The larger of two runs at the same C, number by number."""
        layers = tuple(a.max(b) for a, b in zip(self.layers, other.layers, strict=True))
        return SoftRun(self.saturation, self.bits, layers, self.states.max(other.states))


def is_decided(error: flint.arb) -> bool:
    """True if a ball decides between 0 and a positive number."""
    return bool(error > 0) or bool(error.is_zero())


def certified_runs(
    automaton: WFA,
    words: Sequence[Word],
    length: int,
    constants: Sequence[Fraction],
    bits: int | None = None,
    feedforward: Multiplier | None = None,
    progress: Progress | None = None,
) -> list[SoftRun]:
    """Enclosed errors of the soft model over words, at each C.

    Without `bits` the precision follows the largest C, and is doubled for a C that it leaves
    undecided. `progress` hears before each word its number and how many there are.
    """
    working = bits or bits_needed(max(constants), span(length), feedforward)
    runs: dict[Fraction, SoftRun] = {}
    undecided = list(constants)
    while undecided:
        for first in range(0, len(undecided), TOGETHER):
            some = undecided[first : first + TOGETHER]
            runs |= _runs(automaton, words, length, some, working, feedforward, progress)
        working *= 2
        again = not bits and working <= leak.HIGHEST_BITS
        undecided = [c for c in undecided if again and not runs[c].is_decided]
    return [runs[c] for c in constants]


def _runs(
    automaton: WFA,
    words: Sequence[Word],
    length: int,
    constants: Sequence[Fraction],
    bits: int,
    feedforward: Multiplier | None,
    progress: Progress | None,
) -> dict[Fraction, SoftRun]:
    """The runs at one precision, word by word."""
    with flint.ctx.workprec(bits):
        exact = ExactPass(automaton, length)
        soft = {c: SoftPass(exact, c, feedforward) for c in constants}
        runs: dict[Fraction, SoftRun] = {}
        for number, word in enumerate(words, start=1):
            if progress is not None:
                progress(number, len(words))
            before = exact.layers(word)
            for c, model in soft.items():
                layers, states = model.run(before, len(word))
                run = SoftRun(c, bits, layers, states)
                runs[c] = runs[c].max(run) if c in runs else run
    return runs


def state_error(
    automaton: WFA,
    words: Sequence[Word],
    length: int,
    saturation: Fraction,
    feedforward: Multiplier | None = None,
) -> flint.arb:
    """The largest Frobenius norm of the error of the T + 1 states alone, over words."""
    with flint.ctx.workprec(bits_needed(saturation, span(length), feedforward)):
        exact = ExactPass(automaton, length)
        model = SoftPass(exact, saturation, feedforward)
        return largest(model.states(exact.layers(word), len(word)) for word in words)


def bits_needed(saturation: Fraction, span: int, feedforward: Multiplier | None) -> int:
    """Bits for C; with an MLP also for what its terms and the exact product cancel."""
    if feedforward is None:
        return ACCURACY + int(saturation).bit_length()
    scale = abs(feedforward.scale).numerator.bit_length()
    return leak.bits_for(saturation, span) + 2 * scale


@dataclass(frozen=True)
class ExactTokens:
    """The exact tokens X before a layer, or after the last."""

    tokens: Tokens
    ones: flint.arb_mat

    @cached_property
    def rows(self) -> flint.arb_mat:
        """X - 1⊗I, a row for each token."""
        return flat_rows(self.tokens) - self.ones

    @cached_property
    def norm(self) -> flint.arb:
        """The largest spectral norm of a token."""
        return largest_norm(self.tokens)


class ExactPass:
    """Data that do not depend on C: the matrices of the letters, and their products."""

    def __init__(self, automaton: WFA, length: int) -> None:
        self.n, self.depth, self.span = automaton.n, depth(length), span(length)
        self.one = identity(automaton.n)
        self.ones = flat_rows([self.one] * (2 * self.span))
        self.letters = {a: matrix(rows) for a, rows in automaton.transitions.items()}
        self.alpha = flint.arb_mat([[ball(value) for value in automaton.alpha]])

    def layers(self, word: Word) -> list[ExactTokens]:
        """The tokens before each layer, and those after the last."""
        tokens = self.tokens(word)
        stages = [ExactTokens(tokens, self.ones)]
        for layer in range(self.depth):
            left = shifted_tokens(tokens, 1 << layer)
            tokens = [self.times(a, b) for a, b in zip(left, tokens, strict=True)]
            stages.append(ExactTokens(tokens, self.ones))
        return stages

    def tokens(self, word: Word) -> Tokens:
        """Identities at -M+1 … 0, then the word's matrices, then identities up to M."""
        inside = [self.letters[symbol] for symbol in word]
        return [self.one] * self.span + inside + [self.one] * (self.span - len(word))

    def times(self, a: flint.arb_mat, b: flint.arb_mat) -> flint.arb_mat:
        """A B, where a pad stays the same object."""
        return b if a is self.one else a if b is self.one else a * b


@dataclass(frozen=True)
class SoftLayer:
    """The errors of one layer: from its own attention, from that and before, and after its block."""

    attention: Tokens
    incoming: Tokens
    after: Tokens

    def norms(self, before: ExactTokens) -> LayerErrors:
        """The norms of this layer, given the exact tokens before it."""
        attention = largest_norm(self.attention)
        same = self.incoming is self.attention
        incoming = attention if same else largest_norm(self.incoming)
        return LayerErrors(largest_norm(self.after), incoming, attention, before.norm)


class SoftPass:
    """The errors of the soft model at one C, from the exact tokens of a word."""

    def __init__(
        self, exact: ExactPass, saturation: Fraction, feedforward: Multiplier | None = None
    ) -> None:
        self.exact, self.feedforward = exact, feedforward
        weights = leak.weights(saturation, exact.span)
        self.difference = circulant([-sum(weights[1:], flint.arb(0)), *weights[1:]])

    def run(
        self, exact: Sequence[ExactTokens], letters: int
    ) -> tuple[tuple[LayerErrors, ...], flint.arb]:
        """The norms of each layer, and the error of the states."""
        soft = list(self.layers(exact))
        norms = tuple(layer.norms(before) for layer, before in zip(soft, exact[:-1], strict=True))
        return norms, self._readout(soft, letters)

    def states(self, exact: Sequence[ExactTokens], letters: int) -> flint.arb:
        """‖(αᵀE_0; …; αᵀE_T)‖_F."""
        return self._readout(list(self.layers(exact)), letters)

    def layers(self, exact: Sequence[ExactTokens]) -> Iterator[SoftLayer]:
        """The errors of each layer; the tokens before the first layer are exact."""
        after: Tokens = []
        for layer, (before, product) in enumerate(pairwise(exact)):
            attention, incoming = self._attend(before.rows, after)
            after = self._feed(before.tokens, incoming, product.tokens, 1 << layer)
            yield SoftLayer(attention, incoming, after)

    def _attend(self, exact: flint.arb_mat, errors: Tokens) -> tuple[Tokens, Tokens]:
        """D from the exact tokens alone, and with E: P E = E + (P - I) E."""
        alone = self.difference * exact
        attention = tokens_of_rows(alone, self.exact.n)
        if not errors:
            return attention, attention
        before = flat_rows(errors)
        return attention, tokens_of_rows(alone + before + self.difference * before, self.exact.n)

    def _feed(self, exact: Tokens, incoming: Tokens, product: Tokens, shift: int) -> Tokens:
        """E after the feed-forward block."""
        left, left_error = shifted_tokens(exact, shift), shifted_tokens(incoming, shift)
        if self.feedforward is None:
            return self._product_errors(left, left_error, exact, incoming)
        inputs = token_sums(left, left_error), token_sums(exact, incoming)
        return token_differences(mlp_products(self.feedforward, *inputs), product)

    def _product_errors(self, left: Tokens, d: Tokens, right: Tokens, e: Tokens) -> Tokens:
        """(X + D)(Y + E) - XY = X E + D (Y + E), token by token."""
        times = self.exact.times
        parts = zip(left, d, right, e, strict=True)
        return [times(x, e_t) + d_t * (y + e_t) for x, d_t, y, e_t in parts]

    def _readout(self, layers: Sequence[SoftLayer], letters: int) -> flint.arb:
        if not layers:
            return flint.arb(0)
        first = self.exact.span - 1
        rows = [self.exact.alpha * error for error in layers[-1].after[first : first + letters + 1]]
        return frobenius_norm(flint.arb_mat([list(part.entries()) for part in rows]))


def circulant(row: Sequence[flint.arb]) -> flint.arb_mat:
    """The matrix with entry row[(i - j) mod 2M] at (i, j)."""
    size, twice = len(row), [*reversed(row), *reversed(row)]
    rows = (twice[size - 1 - i : 2 * size - 1 - i] for i in range(size))
    return flint.arb_mat(size, size, [value for line in rows for value in line])


def flat_rows(tokens: Tokens) -> flint.arb_mat:
    """One row for each token, with all its entries."""
    return flint.arb_mat([token.entries() for token in tokens])


def tokens_of_rows(rows: flint.arb_mat, n: int) -> Tokens:
    """The tokens of which these are the rows."""
    entries, size = rows.entries(), n * n
    return [flint.arb_mat(n, n, entries[i : i + size]) for i in range(0, len(entries), size)]


def shifted_tokens(tokens: Tokens, shift: int) -> Tokens:
    """The token `shift` positions to the left, cyclically."""
    return tokens[-shift:] + tokens[:-shift]


def token_sums(left: Tokens, right: Tokens) -> Tokens:
    """Token by token."""
    return [a + b for a, b in zip(left, right, strict=True)]


def token_differences(left: Tokens, right: Tokens) -> Tokens:
    """Token by token."""
    return [a - b for a, b in zip(left, right, strict=True)]


def mlp_products(feedforward: Multiplier, left: Tokens, right: Tokens) -> Tokens:
    """The MLP of the model on all tokens."""
    arithmetic = Balls(flint.ctx.prec)
    block = feedforward.block.realised(arithmetic)
    n = feedforward.n
    inputs: Objects = zeros(len(left), 2 * n * n + 2)
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        inputs[i, : 2 * n * n] = [*a.entries(), *b.entries()]
    outputs = block(arithmetic, inputs)
    return [flint.arb_mat(n, n, list(row[: n * n])) for row in outputs]
