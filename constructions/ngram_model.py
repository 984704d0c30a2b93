"""n-grams in one layer of a stock class: GPT-2 or Llama, one unit for each context.

Claimed       nothing by the paper
Stream        own letter, one-hot | the letters 1 … k-2 before, copied, one-hot | logits | fillers
Heads         k - 2, head s copies the letter s positions back, or <bos>. GPT-2: learned positions
              hold codes of t, t-1, …, ±1 with equally many +1, so that two of them differ in two places
              at least. Llama: all frequencies of RoPE, score A Σ_f cos θ_f(t - j - s)
Units         one for each context u: +1 for each of its letters, -1 for each letter a before it with au a
              context too. For every history exactly one is on, that of the longest suffix u which is a
              context: u matches and no au does; a shorter suffix v is a suffix of u, whose letter before
              v is one of those that count -1, as contexts are suffix-closed; others miss a letter.
              With ReLU a unit that is off is 0, also in floating point
Logits        are the unit's row of the down projection: log p(σ | u), `LOW` for what is impossible
Norms         no large coordinate: fillers, written by the same unit, give every token the same norm (and
              in LayerNorm the mean 0), which the gain of the norm undoes
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, count, islice

import numpy as np

from constructions.arithmetic.floats import Array
from constructions.automata.definite import Context
from constructions.automata.ngram import Ngram
from constructions.core.embedding import BOS
from constructions.core.layout import Layout
from constructions.core.one_line import one_line

LOW = -40.0  # e^-40 = 4e-18, below float64's unit roundoff beside 1
GAP, HALF, MARGIN = 120.0, 16.0, 1.001
LEAST_HEAD = 32  # fewer frequencies of RoPE leave a small gap between scores
EPSILON = {"gpt2": 1e-5, "llama": 1e-6}  # under the root of a norm, by the class
SPECIALS = 3  # BOS, and the tokenizer's pad and unknown
Term = tuple[int, int, int]  # steps back, coordinate of the one-hot letter, sign


@one_line(lambda self: f"{self.kind}, length {self.length}, {self.source!r}")
@dataclass(frozen=True)
class NgramModel:
    """The model of an n-gram table for words of at most `length` letters, in a class of transformers."""

    source: Ngram
    length: int
    kind: str

    @property
    def automaton(self) -> Ngram:
        """The table."""
        return self.source

    @property
    def rotary(self) -> bool:
        """True if positions are rotary (Llama) and not embedded (GPT-2)."""
        return self.kind == "llama"

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tokens by their numbers: letters, EOS, BOS."""
        return (*self.source.symbols, BOS)

    @property
    def bos(self) -> int:
        """The number of BOS."""
        return len(self.symbols) - 1

    @property
    def context(self) -> int:
        """The largest number of tokens, BOS included."""
        return self.length + 1

    @property
    def copies(self) -> int:
        """Number of previous letters that are copied: k - 2."""
        return max(self.source.order - 2, 0)

    @property
    def width(self) -> int:
        """The width of a one-hot letter: the alphabet, <bos> and an unknown letter."""
        return len(self.source.alphabet) + 2

    @property
    def vocabulary(self) -> int:
        """Letters, EOS, BOS, pad, unknown."""
        return len(self.source.symbols) + SPECIALS

    @cached_property
    def contexts(self) -> list[Context]:
        """The contexts in the order of their units."""
        return sorted(self.source.counts, key=lambda context: (len(context), context))

    @cached_property
    def conditions(self) -> list[tuple[list[Term], int]]:
        """For each unit its terms, and how many letters must match."""
        place = {s: i for i, s in enumerate((*self.source.alphabet, BOS))}
        before = defaultdict[Context, list[str]](list)
        for context in self.contexts:
            if context:
                before[context[1:]].append(context[0])
        found = []
        for context in self.contexts:
            terms = [(s, place[letter], 1) for s, letter in enumerate(reversed(context))]
            terms += [(len(context), place[letter], -1) for letter in before[context]]
            found.append((terms, len(context)))
        return found

    @cached_property
    def logits(self) -> Array:
        """log p(σ | u) for every unit and token; `LOW` for what is impossible."""
        table = np.full((len(self.contexts), self.vocabulary), LOW)
        for i, context in enumerate(self.contexts):
            for j, p in enumerate(self.source.chances_after[context].values()):
                table[i, j] = math.log(p) if p else LOW
        return table

    @cached_property
    def token_places(self) -> list[int]:
        """The coordinate of each token's one-hot letter: EOS, BOS and pad are <bos>."""
        n = len(self.source.alphabet)
        return [*range(n), n, n, n, n + 1]

    @cached_property
    def code(self) -> Array:
        """A code of ±1 for each place 0 … T; any two differ in two places at least."""
        places = self.length + 1
        size = next(m for m in count(2, 2) if math.comb(m, m // 2) >= places)
        table = -np.ones((places, size))
        for row, ones in zip(
            table, islice(combinations(range(size), size // 2), places), strict=True
        ):
            row[list(ones)] = 1
        return table

    @property
    def codes(self) -> int:
        """Number of codes of a token: its own position and k - 2 previous ones; 0 for bigrams."""
        return self.copies + 1 if self.copies and not self.rotary else 0

    @property
    def heads(self) -> int:
        """k - 2, and at least one, which writes nothing."""
        return max(self.copies, 1)

    @cached_property
    def layout(self) -> Layout:
        """The coordinates of the stream."""
        size, code = self.width, self.codes * (self.code.shape[1] if self.codes else 0)
        fixed = {"one": 1, "fill": 1} if self.rotary else dict.fromkeys(FIXED, 1)
        parts = {"letter": size, "copied": self.copies * size, "logit": self.vocabulary}
        return Layout(**parts, **({"code": code} if code else {}), **fixed)

    @cached_property
    def d_head(self) -> int:
        """The width of a head: GPT-2's are the stream in equal parts."""
        if self.rotary:
            return max(self.width + self.width % 2, LEAST_HEAD)
        least = max(self.width, self.code.shape[1] if self.codes else 0)
        return max(-(-self.layout.size // self.heads), least)

    @cached_property
    def d_model(self) -> int:
        """The width of the stream, a multiple of the number of heads."""
        if self.rotary:
            return self.layout.size + -self.layout.size % self.heads
        return self.heads * self.d_head

    @cached_property
    def base(self) -> float:
        """The base of RoPE: its slowest frequency is 1/T."""
        return math.pow(max(self.length, 2), self.d_head / max(self.d_head - 2, 1))

    @cached_property
    def frequencies(self) -> list[float]:
        """θ_f for the pairs of a head."""
        return [self.base ** (-2 * f / self.d_head) for f in range(self.d_head // 2)]

    @cached_property
    def amplitude(self) -> float:
        """A: the gap between scores is at least `GAP`."""
        widths = [
            width_of_peak(self.frequencies, self.length, s) for s in range(1, self.copies + 1)
        ]
        return GAP / (0.999 * min(widths, default=1.0))

    @cached_property
    def square_norms(self) -> tuple[float, float, float]:
        """|x|² of every token: embedded, after the heads, and R, what the units add to it."""
        table = self.logits
        sums = np.zeros(len(table)) if self.rotary else table.sum(1)
        added = float(((table**2).sum(1) + sums**2).max()) * MARGIN
        if self.rotary:
            return 2.0, 2.0 + self.copies, added
        first = 1.0 + self.codes * (self.code.shape[1] if self.codes else 0) + 1.0
        after = first - 1.0 + self.copies + (1.0 + self.copies) ** 2
        return first, after, added


FIXED = ("mean", "zero", "balance", "plus", "minus")


def width_of_peak(frequencies: list[float], length: int, back: int) -> float:
    """Least excess of Σ_f cos θ_f(t - j - s) at the token s before (or at BOS) over other tokens."""
    peak = np.cos(np.outer(frequencies, np.arange(-back, length + 1))).sum(0)
    gap = len(frequencies) - np.delete(peak, back).max()
    for t in range(
        1, back
    ):  # BOS is the target: distance t, at index t of what is read from t - s on
        scores = np.cos(np.outer(frequencies, np.arange(t + 1) - back)).sum(0)
        gap = min(gap, scores[t] - scores[:t].max())
    return float(gap)
