"""Passes of a word decoder that use the known targets of the heads.

Claimed       the head of layer l scores C g(j), g(j) = 2j(t-s) - j² = (t-s)² - (j-(t-s))² with s = 2^(l-1).
              Over 0 ≤ j ≤ t the largest g is at j* = max(t-s, 0), and with d = max(s-t, 0) that of j* + k
              is lower by k² + 2kd; where d > 0 only k ≥ 0 exist
Constructs    routed     hard attention: row j* is copied; no scores; gradients of the dense pass
              band       soft attention over the rows j* - w … j* + w that exist: memory O(Tw)
              fused      either, of models with gated blocks, without the matrices that only select: a
                         layer brings X from the rows above and turns the window Y into Y + X + XY, a
                         product of n × n matrices in place of 2n³ + n² units
Fused         x σ(y) - x σ(-y) = x y is exact (`blocks.gated`), and the scratch is 0 between layers, so the
              numbers are those of the other passes up to rounding. Each rounding is one that
              `verify.bounds.decoder_rounding` allows for: one for Y + X, n γ_n |X||Y| of nγ_{2n+24} |X||Y|
              for the product, one for adding it, none for the scratch; the readout is the same
Width         relative to that of j* the tokens further away than w have together at most
              R(w) = 2 Σ_{k>w} e^(-Ck²), and the sum is at most e^(-C(w+1)²) / (1 - e^(-C(2w+3))), as
              (w+1+i)² ≥ (w+1)² + i(2w+3).
              The sum of all relative weights is at least 1, so the full softmax is (1-r) times the
              band's plus r times a mean of values outside, with r ≤ R(w): leaving them out moves no
              coordinate by more than R(w) times the spread of its values. w is the least with
              R(w) ≤ u, the unit roundoff of the format, by a bound in balls: one rounding
Rounding      relative scores -C (k² + 2kd) are computed from whole numbers, not as differences of scores
              of size CT², so the weights err by a few u at every T. w ≥ 1 means that
              2 e^(-C)/(1 - e^(-3C)) > u, hence C < 38 in float64: nothing overflows
Gradients     of soft attention are those of the general pass
Not here      decoders behind a norm, whose scores carry a factor of each token: they take the general
              pass; and plain blocks, whose units multiply up to a step h, are never fused
Notation      T length, t and j tokens, BOS is 0; w `width`, s `back`, d `missing`

`decoder_routing` compares exact weights with those of `decoder.build`; trees have other heads and take
the general pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import flint
import torch
from torch import Tensor

from constructions.core.exact import Exact, ball
from constructions.core.transformer import Head, Transformer
from constructions.decoder import DecoderBuilder, DecoderSimulation, Normalisation
from constructions.modules.passes import BITS, with_heads
from constructions.theorem1 import depth

FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class DecoderRouting:
    """C (0 if attention is hard) and T, which decide the width of the band in each format.

    `gated`: whether all blocks are gated, so that their products are exact.
    """

    saturation: Fraction
    length: int
    gated: bool = False

    @property
    def hard(self) -> bool:
        """True if each token attends to one row alone."""
        return not self.saturation

    def width(self, dtype: torch.dtype) -> int | None:
        """The width of a band with fewer columns than T + 1, if one is certified."""
        if self.hard:
            return 0
        return width(self.saturation, dtype, (self.length - 1) // 2)

    def widths(self) -> Mapping[torch.dtype, int]:
        """The certified widths by format."""
        widths = {dtype: self.width(dtype) for dtype in FORMATS}
        return {dtype: width for dtype, width in widths.items() if width is not None}


def decoder_routing(simulation: Any) -> DecoderRouting | None:
    """Attention targets, if all layers equal those of `decoder.build` as exact data; else None."""
    if not isinstance(simulation, DecoderSimulation):
        return None
    if simulation.design.norm is not Normalisation.NONE:
        return None
    n, length, constant = simulation.automaton.n, simulation.length, simulation.saturation
    builder = DecoderBuilder(n, length, simulation.design, constant)
    layers = tuple(builder.layer(number) for number in range(1, depth(length) + 1))
    if simulation.transformer.layers != layers:
        return None
    if constant is None:
        return DecoderRouting(Fraction(0), length, simulation.design.gated)
    saturation = Exact.of(constant).rational()
    if saturation is None or saturation <= 0:
        return None
    return DecoderRouting(saturation, length, simulation.design.gated)


def remainder(saturation: Fraction, width: int) -> flint.arb:
    """2 e^(-C(w+1)²) / (1 - e^(-C(2w+3))), an upper bound of 2 Σ_{k>w} e^(-Ck²), as a ball.

    >>> [remainder(Fraction(10), w).str(3, radius=False) for w in (0, 1)]
    ['9.08e-5', '8.50e-18']
    """
    with flint.ctx.workprec(BITS):
        constant = ball(saturation)
        first = (-constant * (width + 1) ** 2).exp()
        return 2 * first / (1 - (-constant * (2 * width + 3)).exp())


def unit(dtype: torch.dtype) -> Fraction:
    """u, half of the distance from 1 to the next number."""
    return Fraction(torch.finfo(dtype).eps) / 2


def width(saturation: Fraction, dtype: torch.dtype, most: int) -> int | None:
    """Return the least w ≤ most whose remainder is certainly at most u, or None.

    >>> [width(Fraction(c), torch.float64, 64) for c in (1, 4, 20, 40)]
    [6, 3, 1, 0]
    """
    u = unit(dtype)
    limit = flint.arb(u.numerator) / u.denominator  # a power of two, so exact
    places = range(most + 1)
    least = bisect_left(places, True, key=lambda w: remainder(saturation, w) <= limit)
    return least if least <= most else None


def band(count: int, back: int, width: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """The rows (count, 2w + 1) of the band, k² + 2kd for each, and whether it is in 0 … t."""
    places = torch.arange(count, device=device).unsqueeze(-1)
    target = (places - back).clamp(min=0)
    offset = torch.arange(-width, width + 1, device=device)
    rows, missing = target + offset, target - (places - back)
    return rows, offset * (offset + 2 * missing), (rows >= 0) & (rows <= places)


@dataclass(frozen=True)
class BandedHead:
    """A causal head that looks s = `back` tokens back and `width` rows to either side."""

    head: Head[Any]
    back: int
    routing: DecoderRouting
    width: int

    def attend(self, arithmetic: Any, x: Tensor) -> Tensor:
        """The values of the band's rows by their weights."""
        return self.mix(arithmetic, x, arithmetic.apply(x, self.head.value))

    def mix(self, arithmetic: Any, x: Tensor, values: Tensor) -> Tensor:
        """Weighted sum of values at the band's rows, one column of the band at a time."""
        rows, lower, exist = band(x.shape[-2], self.back, self.width, x.device)
        middle = rows[:, self.width : self.width + 1]
        columns = torch.where(exist, rows, middle).T  # any row will do where the weight is 0
        if self.routing.hard:
            return _band_values(arithmetic, values, columns[0])
        wide = x.dtype if x.dtype == torch.float64 else torch.float32
        constant = float(self.routing.saturation) if self.width else 0.0  # then lower is 0
        scores = (-constant * lower.to(wide)).masked_fill(~exist, float("-inf"))
        weights = torch.softmax(scores, dim=-1).to(values.dtype)
        parts = (
            weights[..., k : k + 1] * _band_values(arithmetic, values, column)
            for k, column in enumerate(columns)
        )
        return sum(parts, torch.zeros_like(values))


def _band_values(arithmetic: Any, values: Tensor, rows: Tensor) -> Tensor:
    copied: Tensor = arithmetic.rows_at(values, rows.expand(values.shape[:-1]))
    return copied


def with_banded_heads(
    model: Transformer[Any], routing: DecoderRouting, width: int
) -> Transformer[Any]:
    """The model as modules whose heads attend to a band of rows."""
    modules: list[Any] = [layer.heads[0] for layer in model.layers]
    heads = [
        (BandedHead(module.current(), 1 << number, routing, width),)
        for number, module in enumerate(modules)
    ]
    return with_heads(model, heads)


def fused_tokens(
    x: Tensor, model: Transformer[Any], arithmetic: Any, routing: DecoderRouting, width: int
) -> Tensor:
    """The tokens after all layers of a model with gated blocks, from the embedded ones."""
    heads: list[Any] = [layer.heads[0] for layer in with_banded_heads(model, routing, width).layers]
    entries = heads[0].head.value.shape[-1] if heads else 0
    window = x[..., :entries]
    for head in heads:
        left = head.mix(arithmetic, x, window) if width else _shifted_rows(window, head.back)
        window = window + left + _product(left, window)
    return torch.cat([window, x[..., entries:]], dim=-1)


def _shifted_rows(values: Tensor, back: int) -> Tensor:
    """Values read with the whole weight on the row `back` positions before, at least BOS."""
    rows = torch.arange(values.shape[-2], device=values.device) - back
    return values.index_select(-2, rows.clamp(min=0))


def _product(left: Tensor, right: Tensor) -> Tensor:
    """The product of matrices that are given as rows of n² entries."""
    n = isqrt(left.shape[-1])
    matrices = (part.reshape(*part.shape[:-1], n, n) for part in (left, right))
    return torch.matmul(*matrices).flatten(-2)
