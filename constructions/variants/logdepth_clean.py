"""Log depth on the string of a tree alone: no mask, no residual stream, no begin or end token.

Asked         Section 4.2 asks whether O(log T) layers suffice for WTAs on arbitrary trees
Constructs    ⌈log2 T⌉ layers that find the depths by a scan, one that finds where right children begin,
              and one layer for each step of `pebbling`; states are where subtrees begin, as
              Definition 4.2 asks; n² + n + 12 coordinates, at most four heads, degree 2
Invariant     after every step μ(v) = M μ(c) + b for each node v, with c a node below v or v itself
Notation      as in `logdepth`; phi: place of the right child; count: sum of the marks of places 2 … i;
              depth = count - mark; rise = B^(i+1) at an opening bracket, fall = B^(1-i), B = W = 2T + 2
Short form    `build_short`: one softmax head in place of the scan, so 2 layers and the steps. Its scores
              are -b^(2(j-i)-1), and a more at place 1: A = ⌈e^a⌉ times what it reads tends to count
Shown         the mark of place 1 does not count, so that place 1 serves as begin token of the scan. The
              right child is the first j ≥ i + 2 one level down: the score
              -rise_i fall_j - 2j - W (depth_j - depth_i - 1)² puts all j < i + 2 behind, without a mask.
              In a step the left head of a token with g = 0 looks at the token itself, so that
              f_left - f and b_left - b are 0 there; a token with g = 1 has f = b = 0.
              Machine-checked in `verify/coq/LogDepthEncoderStatements.v`, with softmax and MLPs too, and
              `LogDepthEncoderShort.v`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp

from constructions.automata.pebbling import most_steps
from constructions.automata.trees import CLOSE, OPEN, check_string, most_leaves
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import soft_transformer
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Attention, Layer, Mask, Transformer
from constructions.running.simulation import TreeView
from constructions.theorem1 import check_length
from constructions.theorem3 import Column, Unit, block, block_values, copies
from constructions.variants.theorem3_variants import Scores, head, start_state

KEYS: list[Column] = [{"place.0": 1}, {"place.1": 1}]
MARKS = {OPEN: 1, CLOSE: -1}


def layout(n: int) -> Layout:
    """(1, place, phi, f, g, c, count, mark, depth2, rise, fall, b, M): n² + n + 12 coordinates."""
    return Layout(
        one=1, place=2, phi=1, f=1, g=1, c=1, count=1, mark=1, depth2=1, rise=1, fall=1, b=n, M=n * n
    )  # fmt: skip


def names(coordinates: Layout) -> list[str]:
    """Every coordinate by name: `one`, `place.0`, …, `M.0`, …"""
    return [f"{name}.{k}" for name in coordinates for k in range(len(coordinates[name]))]


def towards(query: Column) -> Scores:
    """Queries and keys whose score is largest where the place is the query."""
    return [{name: 2 * value for name, value in query.items()}, {"one": -1}], KEYS


def layer(n: int, looks: dict[str, Scores], units: Sequence[Unit]) -> Layer[Matrix]:
    """The head that looks at the token itself, then `looks`; all read whole tokens (W_O = I)."""
    coordinates = layout(n)
    everything = {"own": towards({"place.0": 1}), **looks}
    heads = tuple(
        head(coordinates, name, tuple(coordinates), scores, Mask.NONE)
        for name, scores in everything.items()
    )
    own = {name: len(coordinates[name]) for name in coordinates}
    around = Layout(**own, **dict.fromkeys(looks, coordinates.size))
    return Layer(heads, Matrix.identity(around.size), block(around, coordinates, units))


class Reads:
    """Names of a head's inputs: `Reads(n, "left")("b", 2)` is coordinate b.2 of the left token."""

    def __init__(self, n: int, head_name: str) -> None:
        self.coordinates, self.head_name = layout(n), head_name

    def __call__(self, name: str, offset: int = 0) -> str:
        """The name, among all that the heads read, of one coordinate."""
        return f"{self.head_name}.{self.coordinates[name][offset]}"


def scan_layer(n: int, distance: int) -> Layer[Matrix]:
    """count ← count + count at place max(1, i - distance); depth2 ← (count - mark)²."""
    count = Reads(n, "back")("count")
    stay = [name for name in names(layout(n)) if name not in ("count.0", "depth2.0")]
    units: list[Unit] = [*copies(*stay), ("one", "count", "count", 1), ("one", count, "count", 1)]
    units += [("count", "count", "depth2", 1), ("count", count, "depth2", 2)]
    units += [(count, count, "depth2", 1), ("count", "mark", "depth2", -2)]
    units += [(count, "mark", "depth2", -2), ("mark", "mark", "depth2", 1)]
    return layer(n, {"back": towards({"place.0": 1, "one": -distance})}, units)


def sum_layer(n: int, factor: int) -> Layer[Matrix]:
    """count ← factor · what the head reads; depth2 ← (count - mark)²; phi and c ← the place."""
    count = Reads(n, "sum")("count")
    gone = ("count.0", "depth2.0", "phi.0", "c.0")
    stay = [name for name in names(layout(n)) if name not in gone]
    units: list[Unit] = [*copies(*stay), ("one", count, "count", factor)]
    units += [(count, count, "depth2", factor**2), (count, "mark", "depth2", -2 * factor)]
    units += [("mark", "mark", "depth2", 1)]
    units += [("one", "place.0", "phi", 1), ("one", "place.0", "c", 1)]
    scores: Scores = ([{"phi": -1}, {"one": 1}], [{"c": 1}, {"depth2": 1}])
    made = layer(n, {"sum": scores}, units)
    own, summing = made.heads
    return replace(made, heads=(own, replace(summing, attention=Attention.SOFT)))


def match_layer(n: int, length: int) -> Layer[Matrix]:
    """phi ← where the right child begins, at an opening bracket; the token's own place elsewhere."""
    w = 2 * length + 2
    queries: list[Column] = [
        {"rise": -1}, {"one": -2}, {"one": -w}, {"count": 2 * w, "mark": -2 * w, "one": 2 * w}
    ]  # fmt: skip
    keys: list[Column] = [{"fall": 1}, {"place.0": 1}, {"depth2": 1}, {"count": 1, "mark": -1}]
    gone = ("phi", "count", "mark", "depth2", "rise", "fall")
    stay = [name for name in names(layout(n)) if name.partition(".")[0] not in gone]
    place = Reads(n, "match")("place")
    units: list[Unit] = [*copies(*stay), ("g", place, "phi", 1)]
    units += [("one", "place.0", "phi", 1), ("g", "place.0", "phi", -1)]
    return layer(n, {"match": (queries, keys)}, units)


def step_layer(automaton: WTA) -> Layer[Matrix]:
    """One step of `pebbling` at all nodes."""
    looks = {
        "left": towards({"place.0": 1, "g": 1}),
        "right": towards({"phi": 1}),
        "under": towards({"c": 1}),
    }
    n = automaton.n
    units = [*_marks(n), *_states(automaton), *_matrices(automaton)]
    return layer(n, looks, [*copies("one", "place.0", "place.1", "phi"), *units])


def _activity_units(n: int, out: str, left: int, right: int, both: int) -> list[Unit]:
    """F, g·f_right and F·f_right with F = f_left - f, each times a number."""
    f_left, f_right = Reads(n, "left")("f"), Reads(n, "right")("f")
    units: list[Unit] = [("one", f_left, out, left), ("one", "f", out, -left)]
    units += [("g", f_right, out, right)]
    units += [(f_left, f_right, out, both), ("f", f_right, out, -both)]
    return [unit for unit in units if unit[3] != 0]


def _marks(n: int) -> list[Unit]:
    """f, g and the pointer c."""
    f_left, f_under, c_under = Reads(n, "left")("f"), Reads(n, "under")("f"), Reads(n, "under")("c")
    units: list[Unit] = [*copies("f"), ("one", f_under, "f", 1)]
    units += [("f", f_under, "f", -1), ("g", f_under, "f", -1), *_activity_units(n, "f", 0, 0, 1)]
    units += [*copies("g"), *_activity_units(n, "g", -1, -1, 1), ("one", c_under, "c", 1)]
    units += [(f_left, "phi", "c", 1), ("f", "phi", "c", -1)]
    units += [(f_left, "place.0", "c", -1), ("f", "place.0", "c", 1)]
    return [*units, *_activity_units(n, "c", 0, 1, -1)]


def _states(automaton: WTA) -> list[Unit]:
    """b + M b_under + T(b_left - b, b_right)."""
    n, span = automaton.n, range(automaton.n)
    left, right, under = (Reads(n, name) for name in ("left", "right", "under"))
    units: list[Unit] = [*copies(*(f"b.{k}" for k in span))]
    units += [(f"M.{k * n + m}", under("b", m), f"b.{k}", 1) for k in span for m in span]
    for k in span:
        for p in span:
            for q in span:
                weight = automaton.tensor[k][p][q]
                units += [(left("b", p), right("b", q), f"b.{k}", weight)]
                units += [(f"b.{p}", right("b", q), f"b.{k}", -weight)]
    return units


def _matrices(automaton: WTA) -> list[Unit]:
    """M M_under + (1 - f_right) T(b_left - b, ·) + (g - F) T(·, b_right) - F - g f_right + F f_right."""
    n, span = automaton.n, range(automaton.n)
    under = Reads(n, "under")
    units: list[Unit] = []
    for a in span:
        for q in span:
            out = f"M.{a * n + q}"
            units += [(f"M.{a * n + m}", under("M", m * n + q), out, 1) for m in span]
            for j in span:
                units += _vector_units(
                    n, j, out, automaton.tensor[a][j][q], automaton.tensor[a][q][j]
                )
            units += _activity_units(n, out, -1, -1, 1) if a == q else []
    return units


def _vector_units(n: int, j: int, out: str, first: Entry, second: Entry) -> list[Unit]:
    """(1 - f_right) (b_left - b)_j times `first`, and (g - F) b_right_j times `second`."""
    left, right = Reads(n, "left"), Reads(n, "right")
    return [
        ("one", left("b", j), out, first), ("one", f"b.{j}", out, -first),
        (right("f"), left("b", j), out, -first), (right("f"), f"b.{j}", out, first),
        ("g", right("b", j), out, second),
        (left("f"), right("b", j), out, -second), ("f", right("b", j), out, second),
    ]  # fmt: skip


@dataclass(frozen=True)
class CleanLogDepth(TreeView):
    """A transformer that simulates a WTA on trees whose string has at most `length` tokens."""

    automaton: WTA
    length: int
    transformer: Transformer[Matrix]

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of str(t), and no others."""
        check_string(symbols, self.length)
        return [self._token(symbol, i) for i, symbol in enumerate(symbols, 1)]

    def _token(self, symbol: str, i: int) -> list[Entry]:
        n, base, first = self.automaton.n, 2 * self.length + 2, i == 1
        opening, letter = int(symbol == OPEN), int(symbol not in (OPEN, CLOSE))
        mark = MARKS.get(symbol, 0)
        count, square = (0, mark * mark) if first else (mark, 0)
        powers = [opening * base ** (i + 1), Fraction(1, base ** (i - 1))]
        identity = [opening * int(a == q) for a in range(n) for q in range(n)]
        state = start_state(self.automaton, symbol)
        numbers = [1, i, i * i, i, letter, opening, i, count, mark, square]
        return [*numbers, *powers, *state, *identity]


@dataclass(frozen=True)
class ShortLogDepth(CleanLogDepth):
    """The same with one head for the depths; it tends to the states as `base`, `sink` and C grow."""

    base: int
    sink: int

    def _token(self, symbol: str, i: int) -> list[Entry]:
        token, at = super()._token(symbol, i), layout(self.automaton.n).at
        token[at("phi")] = Fraction(1, self.base ** (2 * i - 1))
        token[at("c")] = self.base ** (2 * i - 2)
        token[at("depth2")] = self.sink if i == 1 else 0
        return token


def build(automaton: WTA, length: int, steps: int | None = None) -> CleanLogDepth:
    """The construction; the steps, if not given, are enough for every tree.

    Examples:
        >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
        >>> {i: str(state) for i, (state,) in build(pairs, 7).states("[[ab]a]").items()}
        {1: '12', 2: '6', 3: '2', 4: '3', 6: '2'}

    """
    check_length(length)
    count = most_steps(most_leaves(length)) if steps is None else steps
    scans = tuple(scan_layer(automaton.n, 2**level) for level in range((length - 1).bit_length()))
    stack = (*scans, match_layer(automaton.n, length), *[step_layer(automaton)] * count)
    readout = block_values(layout(automaton.n), "b")
    return CleanLogDepth(automaton, length, Transformer(stack, readout))


def build_short(
    automaton: WTA,
    length: int,
    saturation: Entry = 40,
    base: int = 2**20,
    sink: int = 20,
    steps: int | None = None,
) -> ShortLogDepth:
    """The construction with 2 layers and the steps, with softmax in all heads.

    Examples:
        >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
        >>> states = build_short(pairs, 7).states("[[ab]a]", dtype="float64")
        >>> {i: round(state, 2) for i, (state,) in states.items()}
        {1: 12.0, 2: 6.0, 3: 2.0, 4: 3.0, 6: 2.0}

    """
    check_length(length)
    count = most_steps(most_leaves(length)) if steps is None else steps
    first, second = sum_layer(automaton.n, ceil(exp(sink))), match_layer(automaton.n, length)
    stack = (first, second, *[step_layer(automaton)] * count)
    hard = Transformer(stack, block_values(layout(automaton.n), "b"))
    return ShortLogDepth(automaton, length, soft_transformer(hard, saturation), base, sink)
