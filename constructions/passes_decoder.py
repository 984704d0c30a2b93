"""Passes of a word decoder that know in advance where every head looks.

Claimed       the head of layer l scores C (2j(t-s) - j²), s = 2^(l-1), which is C (t-s)² less
              C (j-(t-s))². Over 0 ≤ j ≤ t the largest score is at j* = max(t-s, 0), and with
              d = max(s-t, 0) the score of j* + k is lower by C (k² + 2kd); where d > 0 only k ≥ 0 exist
Constructs    routed     hard attention: row j* is copied; no scores; gradients of the dense pass
              band       soft attention over the rows j* - w … j* + w that exist: memory O(Tw)
Width         relative to that of j* the tokens further away than w have together at most
              R(w) = 2 Σ_{k>w} e^(-Ck²) ≤ 2 e^(-C(w+1)²) / (1 - e^(-C(2w+3))), as (w+1+i)² ≥ (w+1)² + i(2w+3).
              The sum of all relative weights is at least 1, so the full softmax is (1-r) times the
              band's plus r times a mean of values outside, with r ≤ R(w): leaving them out moves no
              coordinate by more than R(w) times the spread of its values. w is the least with
              R(w) ≤ u, the unit roundoff of the format, by a bound in balls: one rounding
Rounding      relative scores -C (k² + 2kd) are computed from whole numbers, not as differences of
              scores of size CT², so the weights err by a few u at every T. w ≥ 1 means that
              2 e^(-C)/(1 - e^(-3C)) > u, hence C < 38 in float64: nothing overflows. w = 0 is a copy
Notation      T length, t and j tokens, BOS is 0; w `width`, s `back`, d `missing`

`known` compares exact weights with those of `decoder.build` without a normalisation; under LayerNorm or
RMSNorm the head reads other numbers, and trees have other heads: these take the general pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import torch
from torch import Tensor

from constructions.decoder import Builder, Normalisation, Simulation
from constructions.exact import Exact, ball
from constructions.passes import BITS, with_heads
from constructions.theorem1 import depth
from constructions.transformer import Transformer

FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@dataclass(frozen=True)
class Routing:
    """C (0 if attention is hard), and for each format the width of the band, where one is certified."""

    saturation: Fraction
    widths: Mapping[torch.dtype, int]

    @property
    def hard(self) -> bool:
        """Whether each token looks at one row alone."""
        return not self.saturation


def known(simulation: Any) -> Routing | None:
    """Where the heads look, if all layers are those of `decoder.build`, compared as exact data."""
    if not isinstance(simulation, Simulation) or simulation.design.norm is not Normalisation.NONE:
        return None
    length, constant = simulation.length, simulation.saturation
    builder = Builder(simulation.automaton.n, length, simulation.design, constant)
    layers = tuple(builder.layer(number) for number in range(1, depth(length) + 1))
    if simulation.transformer.layers != layers:
        return None
    if constant is None:
        return Routing(Fraction(0), dict.fromkeys(FORMATS, 0))
    saturation = Exact.of(constant).rational()
    if saturation is None or saturation <= 0:
        return None
    return Routing(saturation, widths(saturation, length))


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
    """The least w ≤ most whose remainder is certainly at most u; None if there is none.

    >>> [width(Fraction(c), torch.float64, 64) for c in (1, 4, 20, 40)]
    [6, 3, 1, 0]
    """
    u = unit(dtype)
    limit = flint.arb(u.numerator) / u.denominator  # a power of two, so exact
    found = bisect_left(range(most + 1), True, key=lambda w: remainder(saturation, w) <= limit)
    return found if found <= most else None


def widths(saturation: Fraction, length: int) -> dict[torch.dtype, int]:
    """The widths by format, of those bands that have fewer columns than all T + 1 tokens."""
    found = {dtype: width(saturation, dtype, (length - 1) // 2) for dtype in FORMATS}
    return {dtype: least for dtype, least in found.items() if least is not None}


def band(count: int, back: int, width: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """The rows (count, 2w + 1) of the band, k² + 2kd for each, and whether it is in 0 … t."""
    places = torch.arange(count, device=device).unsqueeze(-1)
    target = (places - back).clamp(min=0)
    offset = torch.arange(-width, width + 1, device=device)
    rows, missing = target + offset, target - (places - back)
    return rows, offset * (offset + 2 * missing), (rows >= 0) & (rows <= places)


@dataclass(frozen=True)
class Banded:
    """A causal head that looks s = `back` tokens back and `width` rows to either side."""

    value: Tensor
    back: int
    width: int
    saturation: float

    def attend(self, arithmetic: Any, x: Tensor) -> Tensor:
        """The values of the band's rows by their weights, one column of the band at a time."""
        values: Tensor = arithmetic.apply(x, self.value)
        rows, lower, exist = band(x.shape[-2], self.back, self.width, x.device)
        if self.width == 0:
            return self._copied(arithmetic, values, rows[:, 0])
        wide = values.dtype if values.dtype == torch.float64 else torch.float32
        scores = (-self.saturation * lower.to(wide)).masked_fill(~exist, float("-inf"))
        weights = torch.softmax(scores, dim=-1).to(values.dtype)
        middle = rows[:, self.width : self.width + 1]
        inside = torch.where(exist, rows, middle)  # any row will do where the weight is 0
        parts = (
            weights[:, k : k + 1] * self._copied(arithmetic, values, inside[:, k])
            for k in range(2 * self.width + 1)
        )
        return sum(parts, torch.zeros_like(values))

    def _copied(self, arithmetic: Any, values: Tensor, rows: Tensor) -> Tensor:
        copied: Tensor = arithmetic.copied(values, rows.expand(values.shape[:-1]))
        return copied


def banded(model: Transformer[Any], routing: Routing, width: int) -> Transformer[Any]:
    """The model with heads that look at a band of rows; C is of no use where that is one row."""
    constant = float(routing.saturation) if width else 0.0
    heads = [
        (Banded(layer.heads[0].value, 1 << number, width, constant),)
        for number, layer in enumerate(model.layers)
    ]
    return with_heads(model, heads)
