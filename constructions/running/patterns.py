"""Attention patterns: the weights of every head on some tokens, and a drawing of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import flint

from constructions.automata.trees import CLOSE
from constructions.core.errors import InputError
from constructions.core.one_line import one_line
from constructions.core.transformer import Arithmetic, Head, Mask, Transformer, realise
from constructions.running.arithmetic_choice import python_number
from constructions.running.drawing import Svg, TokenNode, draw

MOST_TOKENS = 64


@one_line(lambda self: f"layer {self.layer}, {self.head} head, {len(self.tokens)} tokens")
@dataclass(frozen=True)
class Pattern:
    """The attention of one head: `weights[i][j]` is the weight that token i gives to token j.

    Layers count from 1, tokens from 0; `tokens` names them, pads and end token included.

    Examples:
        >>> Pattern(1, "left", ("a", "b"), ((0, 1), (1, 0))).targets()
        [1, 0]

    """

    layer: int
    head: str
    tokens: tuple[str, ...]
    weights: tuple[tuple[Any, ...], ...]

    def targets(self) -> list[int]:
        """For each token the one that it gives most to.

        Examples:
            >>> Pattern(1, "own", ("a", "b"), ((1, 0), (0, 1))).targets()
            [0, 1]

        """
        return [max(range(len(row)), key=lambda j: _size(row[j])) for row in self.weights]

    def reads(self) -> list[tuple[int, int]]:
        """(i, j) where token i gives more than half to token j: a mean reads no single token.

        Examples:
            >>> Pattern(1, "mean", ("a", "b"), ((1, 0), (0.5, 0.5))).reads()
            [(0, 0)]

        """
        pairs = enumerate(self.targets())
        return [(i, j) for i, j in pairs if 2 * _size(self.weights[i][j]) > 1]


def attention(
    model: Transformer[Any],
    arithmetic: Arithmetic,
    rows: Sequence[Sequence[Any]],
    names: Sequence[str],
) -> list[Pattern]:
    """The pattern of every head on embedded tokens."""
    realised, patterns = realise(model, arithmetic), []
    states = realised.states(arithmetic, arithmetic.array(rows))
    for number, (layer, x) in enumerate(zip(realised.layers, states, strict=False), 1):
        read = x if layer.norm is None else layer.norm(arithmetic, x)
        for index, head in enumerate(layer.heads):
            name = head.name or f"head {index + 1}"
            weights = _weights(head, arithmetic, read, len(names))
            patterns.append(Pattern(number, name, tuple(names), weights))
    return patterns


def _weights(head: Head[Any], arithmetic: Arithmetic, x: Any, count: int) -> Any:
    """Attention weights of a head, computed by letting it mix unit vectors."""
    unit = arithmetic.array([[int(i == j) for j in range(count)] for i in range(count)])
    mixed = unit
    if head.mask is not Mask.SELF:
        mixed = arithmetic.mix(head.scores(arithmetic, x), unit, head.attention, head.mask)
    return tuple(tuple(python_number(value) for value in row) for row in mixed)


def _size(value: Any) -> Any:
    return value.mid() if isinstance(value, flint.arb) else value


def drawing(
    patterns: Sequence[Pattern], kept: Iterable[int], held: Sequence[Sequence[str]], title: str
) -> Svg:
    """The drawing of some tokens, with an arc from each token to each of them that it reads."""
    columns = {token: column for column, token in enumerate(kept)}
    if len(columns) > MOST_TOKENS:
        raise InputError("word", f"{len(columns)} tokens", f"at most {MOST_TOKENS} to draw")
    arcs = [
        (pattern.layer, pattern.head, columns[i], columns[j])
        for pattern in patterns
        for i, j in pattern.reads()
        if i in columns and j in columns and pattern.tokens[i] != CLOSE
    ]
    nodes = [TokenNode(level, column, text) for level, row in enumerate(held)
             for column, text in enumerate(row)]  # fmt: skip
    return draw(nodes, arcs, title)
