"""Errors by the number of letters in a token's product, and of αᵀ times it: decoder and Theorem 2.

Claimed       by us: `decoder` bounds all tokens of a layer alike, by the largest norms. Where products shrink
              with their length, so do errors; and of a prefix only the row αᵀ E is read
Derivation    before layer l, with w = 2^(l-1), a token holds k ≤ w letters: the prefix, if k < w. Let e(k)
              bound its error and, if it is a prefix, r(k) that of αᵀ times it, in units of ‖α‖. BOS holds no
              letter, and errs by z. The layer multiplies a window of a letters by one of b: b = w if the
              token has more than that, else a = 0, and BOS is read. With E' = A E + F B + F E + …,
              x = e(b) + d what the stream holds, y = e(a) + h what the head brings, and y = z + h for a = 0,
              e'(a + b) ≤ N(a) x + N(b) y + x y + c
              r'(a + b) ≤ s(a) x + (r(a) + h) (N(b) + x) + c  for prefixes, a > 0
              r'(b) ≤ r(b) + d + (z + h) (N(b) + x) + c       for prefixes of at most w letters
              Here h, d and c are what the head, adding it to the stream, and the block add by themselves in
              `decoder` or `decoder_rounding`: they are bounded for all tokens alike
Full windows  of 2w letters that are no prefix have a = b = w, and by induction the same r'(2w), as s(k) is
              over all words: a model that stops after a few layers, as it needs no older letters, is bounded
              by the r(k) of its last layer
BOS           attends to itself only; its window is A - I = 0, so that its errors are those of a chain with
              N = 1 and M = 0
Notation      N(k) ≥ ‖A^w‖ and s(k) ≥ ‖αᵀA^w‖/‖α‖ over words of exactly k letters
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import flint

from constructions.automata.wfa import WFA
from verify.bounds.growth import Growth, products
from verify.bounds.norms import largest
from verify.bounds.state_sizes import word_sizes

LONGEST = 512  # letters of a window
ByLetters = Mapping[int, flint.arb]


@dataclass(frozen=True)
class LayerLoss:
    """h, d and c: what a layer adds by its head, by the sum with the stream, and by its block."""

    head: flint.arb
    stream: flint.arb
    block: flint.arb


@dataclass(frozen=True)
class WindowSizes:
    """N(k) and s(k) for k = 0 … K, the letters of a window of the last layer."""

    norms: tuple[flint.arb, ...]
    rows: tuple[flint.arb, ...]

    def reach(self, length: int) -> flint.arb:
        """A bound on ‖A^w‖ over all words of at most that many letters: two windows."""
        most = len(self.norms) - 1
        pairs = ((max(0, k - most), min(k, most)) for k in range(length + 1))
        return largest(self.norms[a] * self.norms[b] for a, b in pairs).upper()


def window_sizes(automaton: WFA, longest: int, grown: Growth, initial: flint.arb) -> WindowSizes:
    """The sizes for words of at most `longest` letters; `initial` is ‖α‖."""
    entrywise = products(automaton, longest).bounds
    norms = tuple(a.min(b).upper() for a, b in zip(entrywise, grown.lengths, strict=True))
    sizes = word_sizes(automaton, longest).greatest
    rows = (norm if not initial > 0 else (size / initial).min(norm).upper()
            for size, norm in zip(sizes, norms, strict=True))  # fmt: skip
    return WindowSizes(norms, tuple(rows))


def prefix_errors(
    sizes: WindowSizes,
    length: int,
    first: flint.arb,
    layers: Sequence[LayerLoss],
    begin: Sequence[flint.arb],
) -> dict[int, flint.arb]:
    """r(t), 1 ≤ t ≤ length, after the last layer; `first` is e(1) and `begin` z before each layer."""
    errors, rows = {1: first}, {1: first}
    for number, (loss, bos) in enumerate(zip(layers, begin, strict=True)):
        step = WindowStep(sizes, 1 << number, loss, bos)
        letters = range(1, min(2 << number, length) + 1)
        errors, rows = ({k: _up(part(errors, rows, k)) for k in letters}
                        for part in (step.error, step.row_error))  # fmt: skip
    return rows


@dataclass(frozen=True)
class WindowStep:
    """One layer that doubles windows of `window` letters."""

    sizes: WindowSizes
    window: int
    loss: LayerLoss
    begin: flint.arb

    def error(self, errors: ByLetters, _: ByLetters, k: int) -> flint.arb:
        """e'(k)."""
        a, b = (0, k) if k <= self.window else (k - self.window, self.window)
        x, norm = errors[b] + self.loss.stream, self.sizes.norms
        y = (errors[a] if a else self.begin) + self.loss.head
        return norm[a] * x + norm[b] * y + x * y + self.loss.block

    def row_error(self, errors: ByLetters, rows: ByLetters, k: int) -> flint.arb:
        """r'(k)."""
        loss, sizes = self.loss, self.sizes
        if k <= self.window:
            right = sizes.norms[k] + errors[k] + loss.stream
            return rows[k] + loss.stream + (self.begin + loss.head) * right + loss.block
        a, x = k - self.window, errors[self.window] + loss.stream
        brought = rows[a] + loss.head
        return sizes.rows[a] * x + brought * (sizes.norms[self.window] + x) + loss.block


def _up(value: flint.arb) -> flint.arb:
    return flint.arb(value.upper())
