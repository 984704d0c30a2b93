"""Token embedding of a decoder: the sum of a row of W_E (token) and a row of W_pos (position).

Notation      tokens have numbers, BOS the last one; positions count from 0, the position of BOS
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Transformer

BOS = "<bos>"


class DecoderEmbedding(ABC):
    """Base class of the decoders for words and for trees."""

    transformer: Transformer[Matrix]

    @property
    @abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """The tokens by their numbers."""

    @property
    def bos(self) -> int:
        """The number of the token BOS."""
        return len(self.symbols) - 1

    @property
    def context(self) -> int:
        """The largest number of tokens: BOS, pads and end tokens included."""
        return len(self.position_rows())

    @abstractmethod
    def token_rows(self) -> list[list[Entry]]:
        """W_E."""

    @abstractmethod
    def position_rows(self) -> list[list[Entry]]:
        """W_pos."""

    @abstractmethod
    def tokens(self, symbols: Sequence[str], /) -> list[int]:
        """BOS, then the symbols by their numbers; refuse unknown symbols and inputs that are too long."""

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens."""
        tokens, places = self.token_rows(), self.position_rows()
        return [
            [a + b for a, b in zip(tokens[token], places[i], strict=True)]
            for i, token in enumerate(self.tokens(symbols))
        ]
