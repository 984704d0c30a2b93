"""A decoder as an ordinary `torch.nn.Module`: words of different lengths in one batch.

Use           `DecoderModule(simulation)(module.encode(["abba", "ab"]))` gives a state for each token;
              words are padded on the right, and a causal model never looks there
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from constructions.arithmetic.torch import Torch
from constructions.errors import InputError
from constructions.submodules import TransformerModule


class DecoderModule(nn.Module):
    """A decoder for words or trees: tokens by number in, BOS first, one output for each out."""

    def __init__(self, simulation: Any, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        arithmetic = Torch(dtype)
        self.simulation = simulation
        self.tokens = nn.Parameter(arithmetic.array(simulation.token_rows()))
        self.places = nn.Parameter(arithmetic.array(simulation.position_rows()))
        self.transformer = TransformerModule(simulation.transformer, dtype, dense=True)

    def encode(self, words: Sequence[Sequence[str]]) -> torch.Tensor:
        """BOS and the letters of each word by number, padded with BOS on the right."""
        rows = [self.simulation.tokens(word) for word in words]
        longest = max((len(row) for row in rows), default=0)
        pad = self.simulation.bos
        return torch.tensor([row + [pad] * (longest - len(row)) for row in rows], dtype=torch.int64)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs (batch, t, m) for tokens (batch, t)."""
        count = tokens.shape[-1]
        if count > self.places.shape[0]:
            most = self.places.shape[0] - 1
            raise InputError("word", f"{count - 1} letters", f"at most {most}, the length")
        output: torch.Tensor = self.transformer(self.tokens[tokens] + self.places[:count])
        return output

    def states(self, words: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """The outputs of each word, without those of its padding."""
        outputs = self(self.encode(words))
        return [output[: len(word) + 1] for output, word in zip(outputs, words, strict=True)]
