"""A head of the decoder by hand, its exact softmax, and a small stochastic automaton with words for it."""

from __future__ import annotations

from fractions import Fraction

import flint
import torch

from constructions.automata.wfa import WFA
from constructions.core.transformer import Attention, Head, Mask
from constructions.decoder import Design

STOCHASTIC = WFA.of(
    ["1/3", "2/3"],
    {"a": [["1/3", "2/3"], ["2/9", "7/9"]], "b": [["9/10", "1/10"], ["1/6", "5/6"]]},
    [1, 1],
)
RELU = Design("relu")
SPAN = 64


def words(count: int, length: int) -> torch.Tensor:
    """Random words of two letters, BOS first."""
    letters = torch.randint(0, 2, (count, length), generator=torch.Generator().manual_seed(3))
    return torch.cat([torch.full((count, 1), 2), letters], dim=-1)


def softmax(constant: Fraction, t: int, back: int) -> list[flint.arb]:
    """The weights of row t by the definition: softmax of C (2j(t-s) - j²) over j = 0 … t."""
    scores = [constant * (2 * j * (t - back) - j * j) for j in range(t + 1)]
    lower = [score - max(scores) for score in scores]
    powers = [(flint.arb(x.numerator) / x.denominator).exp() for x in lower]
    whole = sum(powers, flint.arb(0))
    return [power / whole for power in powers]


def placed_tokens(values: torch.Tensor) -> torch.Tensor:
    """Tokens: three values, t/p, (t/p)² and 1."""
    place = torch.arange(len(values), dtype=values.dtype).unsqueeze(-1) / SPAN
    return torch.cat([values, place, place * place, torch.ones_like(place)], dim=-1)


def handwritten_head(constant: int, back: int, dtype: torch.dtype) -> Head[torch.Tensor]:
    """A head of the decoder for such tokens, its weights by hand; the format holds them all."""
    query, key, value = (torch.zeros((6, k), dtype=dtype) for k in (2, 2, 3))
    query[3, 0], key[3, 0], key[4, 1] = 2 * SPAN**2 * constant, 1, 1
    query[5, 0], query[5, 1] = -2 * SPAN * back * constant, -(SPAN**2) * constant
    value[:3] = torch.eye(3, dtype=dtype)
    return Head(query, key, value, Attention.SOFT, Mask.CAUSAL)
