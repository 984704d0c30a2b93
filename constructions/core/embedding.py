"""How a decoder embeds its tokens: a row of W_E by the token, a row of W_pos by its place, added.

Notation      tokens have numbers, BOS the last one; places count from 0, where BOS stands
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Transformer

BOS = "<bos>"


class DecoderEmbedding(ABC):
    """What the decoders for words and for trees have in common."""

    transformer: Transformer[Matrix]

    @property
    @abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """The tokens by their numbers."""

    @property
    def bos(self) -> int:
        """The number of the token BOS."""
        return len(self.symbols) - 1

    @abstractmethod
    def token_rows(self) -> list[list[Entry]]:
        """W_E."""

    @abstractmethod
    def position_rows(self) -> list[list[Entry]]:
        """W_pos."""

    @abstractmethod
    def tokens(self, symbols: Sequence[str], /) -> list[int]:
        """BOS, then the symbols by their numbers; what does not fit is refused."""

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens."""
        tokens, places = self.token_rows(), self.position_rows()
        return [
            [a + b for a, b in zip(tokens[token], places[i], strict=True)]
            for i, token in enumerate(self.tokens(symbols))
        ]
