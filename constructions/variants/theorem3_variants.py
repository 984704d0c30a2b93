"""Theorem 3 in two other ways: without any mask, and with causal masks and closing brackets.

Claimed       the results still hold if a state is read at the closing bracket, with causal masks;
              the heads of Section 2.4, which has no mask, are enough
Constructs    `build_maskless`: no mask at all, no mean, no depth. Each bracket learns the length of its left
              subtree, which says where the right one begins: r = i + 1 + |left|. A node is done two
              layers after its left child and one after its right child, so 2·height(t) layers do
              `build_causal`: every head causal, a begin token before str(t); the state of a node
              appears at its closing bracket, after three layers and then one for each height
Notation      as in `theorem3`, positions on the line; done: 1 where the state is right; size: the
              length |str| of a subtree that is done, else 0; target: where the right head looks
              (beyond the end as long as it is not known); close: 1 for "]", -1 for the begin
              token; side: whether a left child begins (in the end: ends) here
Unlike print  print gives neither construction
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructions.automata.trees import CLOSE, OPEN, check_string
from constructions.automata.wta import WTA
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import (
    Arithmetic,
    Attention,
    Head,
    Layer,
    Mask,
    Transformer,
    run,
)
from constructions.theorem1 import check_length
from constructions.theorem3 import (
    END,
    KINDS,
    MARKERS,
    Column,
    Places,
    Unit,
    block_values,
    copies,
    end_weight,
    form,
    greatest_height,
    layer,
    own_head,
    scores_towards,
    state_copies,
    tensor_units,
)

LINE = Places.LINE
Scores = tuple[list[Column], list[Column]]


def maskless_layout(n: int) -> Layout:
    """(state, 1, place, kind, done, size, target): n + 7 coordinates."""
    return Layout(state=n, one=1, place=2, kind=1, done=1, size=1, target=1)


def causal_layout(n: int) -> Layout:
    """(state, 1, place, count, close, mark, side): n + 7 coordinates."""
    return Layout(state=n, one=1, place=2, count=1, close=1, mark=1, side=1)


def head(
    coordinates: Layout, name: str, values: Sequence[str], scores: Scores, mask: Mask
) -> Head[Matrix]:
    """A hard head from its linear forms."""
    query, key = form(coordinates, scores[0]), form(coordinates, scores[1])
    return Head(query, key, block_values(coordinates, *values), Attention.HARD, mask, name)


def maskless_own_head(coordinates: Layout) -> Head[Matrix]:
    """The head that copies the token without a mask: 2ij - j² is largest at j = i."""
    return head(coordinates, "own", tuple(coordinates), scores_towards(0, 0, LINE), Mask.NONE)


def maskless_layer(automaton: WTA, tokens: Any) -> Layer[Matrix]:
    """One layer of the construction without masks; all its layers are alike.

    The number of tokens may be a symbol: a proof for all lengths reads the same weights.
    """
    coordinates, n = maskless_layout(automaton.n), automaton.n
    queries, keys = scores_towards(1, tokens, LINE)
    weight = end_weight(tokens, LINE)
    gate: Column = {"one": -weight, "kind": weight}
    read = ("state", "done", "size")
    left = head(coordinates, "left", read, ([*queries, gate], [*keys, {"kind": 1}]), Mask.NONE)
    follow: Scores = ([{"target": 2}, {"one": -1}], [{"place.0": 1}, {"place.1": 1}])
    right = head(coordinates, "right", read, follow, Mask.NONE)
    return layer(
        coordinates,
        (left, right, maskless_own_head(coordinates)),
        maskless_units(automaton, n, tokens),
    )


def maskless_units(automaton: WTA, n: int, tokens: Any) -> list[Unit]:
    """state, done and size of a node whose children are done; where its right child begins."""
    done_l, size_l, done_r, size_r = f"left.{n}", f"left.{n + 1}", f"right.{n}", f"right.{n + 1}"
    units: list[Unit] = [
        *tensor_units(automaton),
        *state_copies(n),
        *copies("one", "kind", "done", "size"),
    ]
    units += [("kind", f"state.{a}", f"state.{a}", -1) for a in range(n)]
    units += [("kind", "done", "done", -1), (done_l, done_r, "done", 1)]
    units += [("kind", "size", "size", -1), (size_l, done_r, "size", 1)]
    units += [(done_l, size_r, "size", 1), (done_l, done_r, "size", 2)]
    beyond = tokens + 1
    units += [("one", "one", "target", beyond), (done_l, "place.0", "target", 1)]
    units += [(done_l, "one", "target", 1 - beyond), ("one", size_l, "target", 1)]
    return units


def causal_prefix(n: int) -> Layer[Matrix]:
    """count ← brackets still open after i; side ← whether the token before is an opening one."""
    coordinates, nothing = causal_layout(n), form(causal_layout(n), [])
    marker = block_values(coordinates, "mark")
    mean = Head(nothing, nothing, marker, Attention.SATURATED, Mask.CAUSAL, "mean")
    previous = head(coordinates, "previous", ("side",), scores_towards(-1, 1, LINE), Mask.CAUSAL)
    units: list[Unit] = [("count", "mean", "count", 1), ("one", "previous", "side", 1)]
    units += [("one", "side", "mark", 1), *copies("one", "close"), *state_copies(n)]
    return layer(coordinates, (mean, previous, own_head(coordinates)), units)


def causal_square(n: int) -> Layer[Matrix]:
    """mark ← count² - [opening]: opening brackets come first where counts are equal."""
    coordinates = causal_layout(n)
    units: list[Unit] = [("count", "count", "mark", 1), ("one", "mark", "mark", -1)]
    units += [*copies("one", "count", "close", "side"), *state_copies(n)]
    return layer(coordinates, (own_head(coordinates),), units)


def causal_match(n: int, tokens: int) -> Layer[Matrix]:
    """A closing bracket takes the side of its opening one; mark ← count².

    The opening bracket is the nearest j ≤ i with count_j = count_i + 1 and an opening symbol.
    """
    coordinates, beta = causal_layout(n), tokens + 1
    queries: list[Column] = [{"one": -beta}, {"count": 2 * beta, "one": 2 * beta}, {"one": 1}]
    keys: list[Column] = [{"mark": 1}, {"count": 1}, {"place.0": 1}]
    match = head(coordinates, "match", ("side",), (queries, keys), Mask.CAUSAL)
    units: list[Unit] = [*copies("one", "count", "close"), *state_copies(n)]
    units += [("close", "match", "side", 1), ("close", "side", "side", -1), *copies("side")]
    units += [("count", "count", "mark", 1)]
    return layer(coordinates, (match, own_head(coordinates)), units)


def causal_parse(automaton: WTA, tokens: int) -> Layer[Matrix]:
    """A closing bracket attends to i - 1 (right child) and to the last token of its left child.

    The latter is the nearest j ≤ i with count_j = count_i + 1 that ends a left child. Letters and
    opening brackets look at the begin token with their right head, so that their product is 0.
    """
    coordinates, beta = causal_layout(automaton.n), tokens + 1
    weight = end_weight(tokens, LINE)
    queries, keys = scores_towards(-1, tokens, LINE)
    gate: Column = {"one": -weight, "close": weight}
    before: Scores = ([*queries, gate], [*keys, {"close": 1}])
    right = head(coordinates, "right", ("state",), before, Mask.CAUSAL)
    level: list[Column] = [{"one": -beta}, {"count": 2 * beta, "one": 2 * beta}, {"one": beta}]
    near: Scores = ([*level, {"one": 1}], [{"mark": 1}, {"count": 1}, {"side": 1}, {"place.0": 1}])
    left = head(coordinates, "left", ("state",), near, Mask.CAUSAL)
    return layer(coordinates, (left, right, own_head(coordinates)), causal_units(automaton))


def causal_units(automaton: WTA) -> list[Unit]:
    """state ← T ×₂ left ×₃ right + (1 - close) · state, the rest copied."""
    units: list[Unit] = [*tensor_units(automaton), *state_copies(automaton.n)]
    units += [("close", f"state.{a}", f"state.{a}", -1) for a in range(automaton.n)]
    return [*units, *copies("one", "count", "close", "mark", "side")]


def start_state(automaton: WTA, symbol: str) -> Sequence[Entry]:
    """v_σ at a letter, 0 elsewhere."""
    return automaton.leaf(symbol) if _is_letter(symbol) else (0,) * automaton.n


def maskless_token(automaton: WTA, symbol: str, i: Entry, tokens: Entry) -> list[Entry]:
    """An embedded token of `build_maskless` at position i of at most `tokens` tokens."""
    leaf = int(_is_letter(symbol))
    extra = [KINDS.get(symbol, 0), leaf, leaf, tokens + 1]
    return [*start_state(automaton, symbol), 1, i, i * i, *extra]


@dataclass(frozen=True)
class MaskVariantSimulation:
    """A transformer for a WTA at a length; `causal` ones read states at closing brackets."""

    automaton: WTA
    length: int
    causal: bool
    transformer: Transformer[Matrix]

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of str(t), with an end token or (causal) a begin token."""
        check_string(symbols, self.length)
        written = [END, *symbols] if self.causal else [*symbols, END]
        token = self._causal if self.causal else self._maskless
        return [token(symbol, i) for i, symbol in enumerate(written, 1)]

    def _maskless(self, symbol: str, i: int) -> list[Entry]:
        return maskless_token(self.automaton, symbol, i, self.length + 1)

    def _causal(self, symbol: str, i: int) -> list[Entry]:
        close = {CLOSE: 1, END: -1}.get(symbol, 0)
        extra = [i, close, MARKERS.get(symbol, 0), int(symbol == OPEN)]
        return [*start_state(self.automaton, symbol), 1, i, i * i, *extra]

    def states(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The state the transformer returns at every position of str(t)."""
        rows = run(self.transformer, arithmetic, self.encode(symbols))
        return rows[1:] if self.causal else rows[:-1]


def _is_letter(symbol: str) -> bool:
    return symbol not in (OPEN, CLOSE, END)


def build_maskless(automaton: WTA, length: int, layers: int | None = None) -> MaskVariantSimulation:
    """The construction without masks; 2·height layers are enough for every tree.

    >>> from constructions.arithmetic import Rational
    >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
    >>> [str(state) for (state,) in build_maskless(pairs, 7).states("[[ab]a]", Rational())]
    ['12', '6', '2', '3', '0', '2', '0']
    """
    tokens = check_length(length) + 1
    count = 2 * greatest_height(length) if layers is None else layers
    stack = (maskless_layer(automaton, tokens),) * count
    coordinates = maskless_layout(automaton.n)
    model = Transformer(stack, block_values(coordinates, "state"), coordinates["place"])
    return MaskVariantSimulation(automaton, length, False, model)


def build_causal(automaton: WTA, length: int, height: int | None = None) -> MaskVariantSimulation:
    """The construction with causal masks; states at letters and closing brackets.

    >>> from constructions.arithmetic import Rational
    >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
    >>> [str(state) for (state,) in build_causal(pairs, 7).states("[[ab]a]", Rational())]
    ['0', '0', '2', '3', '6', '2', '12']
    """
    tokens, n = check_length(length) + 1, automaton.n
    count = greatest_height(length) if height is None else height
    first = (causal_prefix(n), causal_square(n), causal_match(n, tokens))
    coordinates = causal_layout(n)
    readout = block_values(coordinates, "state")
    stack = (*first, *(causal_parse(automaton, tokens),) * count)
    return MaskVariantSimulation(
        automaton, length, True, Transformer(stack, readout, coordinates["place"])
    )
