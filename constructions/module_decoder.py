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
from constructions.module import out_of_range
from constructions.submodules import TransformerModule
from constructions.trees import string
from constructions.wfa import WFA, letters


class DecoderModule(nn.Module):
    """A decoder for words or trees: tokens by number in, BOS first, one output for each out.

    Examples:
        >>> from constructions import decoder
        >>> from constructions.families import counting
        >>> module = DecoderModule(decoder.build(counting(), 4, saturation=40))
        >>> [round(states[-1, 0].item(), 6) for states in module.states(["0100", "0"])]
        [3.0, 1.0]

    """

    def __init__(self, simulation: Any, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        arithmetic = Torch(dtype)
        self.simulation = simulation
        self.tokens = nn.Parameter(arithmetic.array(simulation.token_rows()))
        self.places = nn.Parameter(arithmetic.array(simulation.position_rows()))
        self.transformer = TransformerModule(simulation.transformer, dtype, dense=True)

    def encode(self, words: Sequence[Sequence[str]]) -> torch.Tensor:
        """BOS and the letters of each word by number, padded with BOS on the right.

        Examples:
            >>> from constructions import decoder
            >>> from constructions.families import counting
            >>> DecoderModule(decoder.build(counting(), 4)).encode(["01", "0"]).tolist()
            [[2, 0, 1], [2, 0, 2]]

        """
        rows = [self.simulation.tokens(self.symbols(word)) for word in words]
        longest = max((len(row) for row in rows), default=1)
        pad = self.simulation.bos
        padded = [row + [pad] * (longest - len(row)) for row in rows]
        return torch.tensor(padded, dtype=torch.int64).reshape(len(rows), longest)

    def symbols(self, word: Any) -> tuple[str, ...]:
        """The letters of a word, or str(t) of a tree in any of its forms."""
        automaton = self.simulation.automaton
        if isinstance(automaton, WFA):
            return letters(word, automaton.alphabet)
        return string(word)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs (batch, t, m) for tokens (batch, t)."""
        count = tokens.shape[-1]
        if count > self.places.shape[0]:
            most = self.places.shape[0] - 1
            raise InputError("word", f"{count - 1} letters", f"at most {most}, the length")
        if (bad := out_of_range(tokens, self.tokens.shape[0] - 1)) is not None:
            raise InputError("token", bad, f"a number from 0 to {self.tokens.shape[0] - 1}")
        output: torch.Tensor = self.transformer(self.tokens[tokens] + self.places[:count])
        return output

    def states(self, words: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """The outputs of each word, without those of its padding.

        Examples:
            >>> from constructions import decoder
            >>> from constructions.families import counting
            >>> [found.shape[0] for found in DecoderModule(decoder.build(counting(), 4)).states(["01", ""])]
            [3, 1]

        """
        outputs = self(self.encode(words))
        counts = [len(self.symbols(word)) + 1 for word in words]
        return [output[:count] for output, count in zip(outputs, counts, strict=True)]
