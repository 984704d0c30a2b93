"""Theorem 3, repaired: a transformer that simulates every WTA on every tree with |str(t)| ≤ T.

Claimed       embedding n + 4 + p, O(1) heads, depth 1 + depth(t); one parse layer for each height
Constructs    two layers that find the depths, then `height` parse layers, all alike: each opening
              bracket attends to its left and right subtree and applies the tensor to their states
Notation      N = T + 1 tokens at most, the last one an end token; state: n coordinates; place: two
              coordinates of the position i; kind: 1 for "[", 0 for "]" and letters, -1 for the end;
              count: i, then the depth d_i; mark: the marker m_i, then the flag c_i (1 at left
              children), then d_i² + c_i; β weight of the depth in the right head
Unlike print  d_i sums the markers strictly before i; the mean of a head is multiplied by i; the
              mean has a causal mask and the right head an anticausal one (Section 2.4 has none);
              left children are flagged and passed over by the right head, where print has a
              Fourier sum; letters and closing brackets look at the end token with their left head,
              so that a bilinear block is enough where print has a gate of degree four; modes two
              and three of the tensor, as in Definition 2.3

Proof for every tree. Between an opening bracket i and the beginning r of its right subtree
are the symbols of the left one. All of them but the first have d_j ≥ d_i + 2, its closing bracket
included; the first, i + 1, is flagged. r has d_r = d_i + 1 and follows a letter or a closing bracket,
so it is not flagged: r is the nearest j ≥ i in question. By induction on l, after l parse layers a
subtree of height at most l holds its state and every other token holds 0, since T(x, y) = 0 where x
or y is 0.

Two ways to encode a position i: on the `circle`, (cos πi/N, sin πi/N), as in print, scores differ
by at least 1 - cos(π/N); on the `line`, (i, i²), scores are integers and weights grow with N².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from constructions.automata.trees import CLOSE, OPEN, check_string
from constructions.automata.trees import most_leaves as most_leaves  # noqa: PLC0414 - read from here
from constructions.automata.wta import WTA
from constructions.core.exact import cos_pi, sin_pi
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import (
    Arithmetic,
    Attention,
    Bilinear,
    Head,
    Layer,
    Mask,
    Transformer,
)
from constructions.running.simulation import TreeView
from constructions.theorem1 import check_length

END = ""
KINDS = {OPEN: 1, END: -1}
MARKERS = {OPEN: 1, CLOSE: -1}
COPIED = ("one", "count", "kind", "mark")
Column = dict[str, Entry]


class Places(StrEnum):
    """Encoding of a position."""

    CIRCLE = "circle"
    LINE = "line"


def layout(n: int) -> Layout:
    """(state, 1, place, count, kind, mark): n + 6 coordinates."""
    return Layout(state=n, one=1, place=2, count=1, kind=1, mark=1)


def joined_layout(coordinates: Layout, heads: Sequence[Head[Matrix]]) -> Layout:
    """The coordinates after attention: what each head reads, then (last) the token itself."""
    reads = {head.name: head.value.shape[1] for head in heads[:-1]}
    own = {name: len(coordinates[name]) for name in coordinates}
    return Layout(**reads, **own)


def greatest_height(length: int) -> int:
    """The largest height of a tree with |str(t)| ≤ T: one less than its leaves."""
    return most_leaves(length) - 1


def place(i: int, tokens: int, places: Places) -> tuple[Entry, Entry]:
    """(cos πi/N, sin πi/N) on the circle, (i, i²) on the line."""
    if places is Places.LINE:
        return i, i * i
    return cos_pi(Fraction(i, tokens)), sin_pi(Fraction(i, tokens))


def form(coordinates: Layout, columns: Sequence[Column]) -> Matrix:
    """A d × k matrix whose columns are linear forms, each written by the names it uses."""
    entries: dict[tuple[int, int], Entry] = {}
    for k, column in enumerate(columns):
        for name, value in column.items():
            entries[_at(coordinates, name), k] = value
    return Matrix((coordinates.size, len(columns)), entries)


def block_values(coordinates: Layout, *names: str) -> Matrix:
    """W_V that reads some blocks of the embedding, side by side."""
    chosen = [row for name in names for row in coordinates[name]]
    return _columns(coordinates, chosen)


def scores_towards(step: int, tokens: int, places: Places) -> tuple[list[Column], list[Column]]:
    """Queries and keys whose score is largest at j = i + step."""
    if places is Places.LINE:
        queries: list[Column] = [{"place.0": 2, "one": 2 * step}, {"one": -1}]
        return queries, [{"place.0": 1}, {"place.1": 1}]
    cosine, sine = cos_pi(Fraction(step, tokens)), sin_pi(Fraction(step, tokens))
    queries = [{"place.0": cosine, "place.1": -sine}, {"place.0": sine, "place.1": cosine}]
    return queries, [{"place.0": 1}, {"place.1": 1}]


def nearest_scores(tokens: int, places: Places) -> tuple[list[Column], list[Column]]:
    """Queries and keys whose score falls as j moves away from i, for j ≥ i."""
    if places is Places.LINE:
        return [{"one": -1}], [{"place.0": 1}]
    return scores_towards(0, tokens, places)


def depth_weight(tokens: int, places: Places) -> int:
    """β: more than the other terms of the right head can differ."""
    return 3 if places is Places.CIRCLE else tokens + 1


def end_weight(tokens: int, places: Places) -> int:
    """The weight that draws all but opening brackets to the end token."""
    return 3 if places is Places.CIRCLE else (tokens + 2) ** 2


@dataclass(frozen=True)
class TreePlan:
    """Parameters of the layers: number of tokens, encoding of positions, kind of attention."""

    n: int
    tokens: int
    places: Places = Places.CIRCLE
    attention: Attention = Attention.HARD
    saturation: Entry = 1

    @property
    def layout(self) -> Layout:
        """The coordinates of a token."""
        return layout(self.n)

    def head(
        self, name: str, value: str, scores: tuple[list[Column], list[Column]], mask: Mask
    ) -> Head[Matrix]:
        """A head from its linear forms; soft attention multiplies the queries by C."""
        queries = form(self.layout, scores[0])
        if self.attention is Attention.SOFT:
            queries = queries.scaled(self.saturation)
        key = form(self.layout, scores[1])
        return Head(queries, key, block_values(self.layout, value), self.attention, mask, name)

    def own(self) -> Head[Matrix]:
        """The head that copies the token."""
        return own_head(self.layout, self.attention)

    def left(self) -> Head[Matrix]:
        """Attends to i + 1 from an opening bracket, to the end token from elsewhere."""
        queries, keys = scores_towards(1, self.tokens, self.places)
        weight = end_weight(self.tokens, self.places)
        gate: Column = {"one": -weight, "kind": weight}
        return self.head("left", "state", ([*queries, gate], [*keys, {"kind": 1}]), Mask.NONE)

    def right(self) -> Head[Matrix]:
        """Attends to the nearest j ≥ i with d_j = d_i + 1 that is no left child."""
        queries, keys = nearest_scores(self.tokens, self.places)
        beta = depth_weight(self.tokens, self.places)
        queries = [{"one": -beta}, {"count": 2 * beta, "one": 2 * beta}, *queries]
        keys = [{"mark": 1}, {"count": 1}, *keys]
        return self.head("right", "state", (queries, keys), Mask.ANTICAUSAL)

    def mean(self) -> Head[Matrix]:
        """The mean of the markers up to i: equal weights under a causal mask."""
        nothing = form(self.layout, [])
        equal = Attention.SOFT if self.attention is Attention.SOFT else Attention.SATURATED
        return Head(nothing, nothing, block_values(self.layout, "mark"), equal, Mask.CAUSAL, "mean")

    def previous(self) -> Head[Matrix]:
        """The kind of the token before; the first token reads its own."""
        scores = scores_towards(-1, self.tokens, self.places)
        return self.head("previous", "kind", scores, Mask.NONE)

    def first_layer(self) -> Layer[Matrix]:
        """count ← i · mean - m_i = d_i, mark ← c_i = kind of the token before."""
        units = [("count", "mean", "count", 1), ("one", "mark", "count", -1)]
        units += [("one", "previous", "mark", 1), *copies("one", "kind"), *state_copies(self.n)]
        return layer(self.layout, (self.mean(), self.previous(), self.own()), units)

    def second_layer(self) -> Layer[Matrix]:
        """mark ← d_i² + c_i."""
        units = [("count", "count", "mark", 1), *copies(*COPIED), *state_copies(self.n)]
        return layer(self.layout, (self.own(),), units)

    def parse_layer(self, automaton: WTA) -> Layer[Matrix]:
        """state ← T ×₂ left ×₃ right + (1 - kind) · state, the rest copied."""
        units = [*tensor_units(automaton), *copies(*COPIED), *state_copies(self.n)]
        units += [("kind", f"state.{a}", f"state.{a}", -1) for a in range(self.n)]
        return layer(self.layout, (self.left(), self.right(), self.own()), units)


Unit = tuple[str, str, str, Entry]


def own_head(coordinates: Layout, attention: Attention = Attention.HARD) -> Head[Matrix]:
    """The head that copies the token."""
    nothing, keep = form(coordinates, []), Matrix.identity(coordinates.size)
    return Head(nothing, nothing, keep, attention, Mask.SELF, "own")


def layer(
    coordinates: Layout, heads: tuple[Head[Matrix], ...], units: Sequence[Unit]
) -> Layer[Matrix]:
    """Heads side by side (W_O = I), then a bilinear block of the given units."""
    around = joined_layout(coordinates, heads)
    return Layer(heads, Matrix.identity(around.size), block(around, coordinates, units))


def state_copies(n: int) -> list[Unit]:
    """The state stays: one times each of its coordinates."""
    return [("one", f"state.{a}", f"state.{a}", 1) for a in range(n)]


def copies(*names: str) -> list[Unit]:
    """Coordinates that stay: one times the coordinate."""
    return [("one", name, name, 1) for name in names]


def tensor_units(automaton: WTA) -> list[Unit]:
    """T_{abc} · left_b · right_c, added to state a."""
    return [
        (f"left.{b}", f"right.{c}", f"state.{a}", weight)
        for a, rows in enumerate(automaton.tensor)
        for b, row in enumerate(rows)
        for c, weight in enumerate(row)
        if weight != 0
    ]


def block(inputs: Layout, outputs: Layout, units: Sequence[Unit]) -> Bilinear[Matrix]:
    """The bilinear block that adds weight · x_a · x_b to coordinate c for each unit."""
    left = sorted({_at(inputs, a) for a, _, _, _ in units})
    right = sorted({_at(inputs, b) for _, b, _, _ in units})
    entries: dict[tuple[int, int, int], Entry] = {}
    for a, b, c, weight in units:
        index = left.index(_at(inputs, a)), right.index(_at(inputs, b)), _at(outputs, c)
        entries[index] = entries[index] + weight if index in entries else weight
    shape = (len(left), len(right), outputs.size)
    return Bilinear(
        _columns(inputs, left),
        _columns(inputs, right),
        Tensor(shape, entries),
        Matrix.identity(outputs.size),
    )


def _at(names: Layout, name: str) -> int:
    block, _, offset = name.partition(".")
    return names[block][int(offset or 0)]


def _columns(inputs: Layout, chosen: Sequence[int]) -> Matrix:
    return Matrix((inputs.size, len(chosen)), {(row, k): 1 for k, row in enumerate(chosen)})


@one_line(of_simulation)
@dataclass(frozen=True)
class TreeSimulation(TreeView):
    """A transformer that simulates a WTA on trees whose string has at most `length` tokens."""

    automaton: WTA
    length: int
    plan: TreePlan
    transformer: Transformer[Matrix]

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of str(t), and the end token."""
        check_string(symbols, self.length)
        return [self._token(symbol, i) for i, symbol in enumerate([*symbols, END], 1)]

    def _token(self, symbol: str, i: int) -> list[Entry]:
        letter = symbol not in (OPEN, CLOSE, END)
        state = self.automaton.leaf(symbol) if letter else (0,) * self.automaton.n
        where = place(i, self.plan.tokens, self.plan.places)
        return [*state, 1, *where, i, KINDS.get(symbol, 0), MARKERS.get(symbol, 0)]

    def outputs(self, symbols: Sequence[str], arithmetic: Arithmetic) -> Any:
        """A row for every position of str(t), none for the end token."""
        return super().outputs(symbols, arithmetic)[:-1]


def build(
    automaton: WTA,
    length: int,
    height: int | None = None,
    places: Places = Places.CIRCLE,
    attention: Attention = Attention.HARD,
    saturation: Entry = 1,
) -> TreeSimulation:
    """Theorem 3's transformer at length T, for trees up to a height (all trees, if not given).

    Examples:
        >>> from constructions.arithmetic import Rational
        >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
        >>> [str(state) for (state,) in build(pairs, 7).states("[a[ab]]", Rational())]
        ['12', '2', '6', '2', '3', '0', '0']

    """
    length = check_length(length)
    layers = greatest_height(length) if height is None else height
    plan = TreePlan(automaton.n, length + 1, places, attention, saturation)
    stack = (plan.first_layer(), plan.second_layer(), *[plan.parse_layer(automaton)] * layers)
    model = Transformer(stack, readout(plan.n), renewed_coordinates(plan.n))
    return TreeSimulation(automaton, length, plan, model)


def readout(n: int) -> Matrix:
    """The state at each position."""
    return block_values(layout(n), "state")


def renewed_coordinates(n: int) -> range:
    """The coordinates that are written anew after each layer: the places."""
    return layout(n)["place"]
