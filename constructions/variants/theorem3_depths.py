"""Depths in two layers of Section 2.4, without a mask: softmax, as near as one likes.

Claimed       the depth at each position of I_t can be computed with two layers
Constructs    one layer whose head weighs all earlier positions nearly alike and all others hardly
              at all, times i - 1: the depth; a second layer that squares it
Notation      M > 1 the growth; up = M^(2j) and down = M^(1-2i), so that the score -down·up is
              -M^(2(j-i)+1): between -1/M and 0 for j < i, at most -M for j ≥ i; place (i, i²), with
              scores M(2ij - j²) for the head that copies; before: i - 1
Unlike print  no shift of the markers, no mask, a mean times i - 1 in place of a sum; depths sum the
              markers strictly before i. Coordinates grow like M^(2T)

Error. Let n = i - 1 ≥ 1 and b ≤ N e^(-M) the weight of all j ≥ i beside weights a_j in [e^(-1/M), 1]
for j < i. Then n a_j / (Σa + b) lies between e^(-1/M)/(1 + b) and e^(1/M), so n times the head is off
from the sum of the markers by at most n (e^(1/M) - 1) + n b + b e^(1/M). For i = 1 the factor i - 1 is
0. The second layer copies the depth, with at most N e^(-M) of its weight on depths elsewhere, which
differ by less than N. All of this is at most N (e^(1/M) - 1) + (2N + 2) N e^(-M), which tends to 0 as
M grows, for every N.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from constructions.automata.trees import parse
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Arithmetic, Attention, Head, Mask, Transformer, run
from constructions.theorem3 import MARKERS, block_values, copies, form, layer

LAYOUT = Layout(one=1, up=1, down=1, place=2, before=1, mark=1, depth=1, square=1)
RENEWED = range(LAYOUT["up"].start, LAYOUT["before"].stop)


def token(symbol: str, i: int, growth: int) -> list[Entry]:
    """An embedded token; depth and square begin as 0."""
    place: list[Entry] = [Fraction(growth) ** (2 * i), Fraction(growth) ** (1 - 2 * i), i, i * i]
    return [1, *place, i - 1, MARKERS.get(symbol, 0), 0, 0]


def mean_head() -> Head[Matrix]:
    """Nearly equal weights on all earlier positions: the mean of their markers."""
    query, key = form(LAYOUT, [{"down": -1}]), form(LAYOUT, [{"up": 1}])
    return Head(query, key, block_values(LAYOUT, "mark"), Attention.SOFT, Mask.NONE, "earlier")


def own_head(growth: int) -> Head[Matrix]:
    """Nearly all weight on the token itself."""
    query = form(LAYOUT, [{"place.0": 2 * growth}, {"one": -growth}])
    key = form(LAYOUT, [{"place.0": 1}, {"place.1": 1}])
    return Head(query, key, Matrix.identity(LAYOUT.size), Attention.SOFT, Mask.NONE, "own")


def build(growth: int) -> Transformer[Matrix]:
    """The two layers; the depth and its square are read out."""
    own = own_head(growth)
    depth = [("before", "earlier", "depth", 1), *copies("one", "mark")]
    square = [("depth", "depth", "square", 1), *copies("one", "mark", "depth")]
    layers = (layer(LAYOUT, (mean_head(), own), depth), layer(LAYOUT, (own,), square))
    return Transformer(layers, block_values(LAYOUT, "depth", "square"), RENEWED)


def depths(symbols: Sequence[str], growth: int, arithmetic: Arithmetic) -> Any:
    """The depth and its square at every position of str(t), as the two layers give them."""
    parse(symbols)
    rows = [token(symbol, i, growth) for i, symbol in enumerate(symbols, 1)]
    return run(build(growth), arithmetic, rows)
