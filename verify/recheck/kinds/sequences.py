"""Confirms what sequence transformers hold by tuples of letters and arithmetic of positions.

A token is the tuple of the letters whose matrices it has multiplied. A head attends the position
whose code is nearest on the circle, so routing is arithmetic of whole numbers. That the tensor of
Lemma 1 multiplies n × n matrices is seen from its ones; with it, what holds for letters holds for
matrices of symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate
from verify.recheck.kernel import formula

Letters = tuple[int, ...]
MOST, MOST_STATES = 128, 16


def depth(length: int) -> int:
    """The least L with 2^L ≥ T."""
    return (length - 1).bit_length()


@dataclass(frozen=True)
class Line:
    """The positions of a construction, and how many positions make a full turn in each layer."""

    positions: range
    turns: tuple[int, ...]

    def source(self, target: int, layer: int) -> int | None:
        """The position nearest to a target on the circle of that layer; None for a tie."""
        turn = self.turns[layer]
        if (found := self._at(target, turn)) is not None:
            return found
        best = sorted(self.positions, key=lambda t: circular(t - target, turn))[:2]
        near = [circular(t - target, turn) for t in best]
        return best[0] if len(best) == 1 or near[0] < near[1] else None

    def _at(self, target: int, turn: int) -> int | None:
        """The one position with the target's own code."""
        found = [t for t in range(target - turn, target + turn + 1, turn) if t in self.positions]
        return found.pop() if len(found) == 1 else None


def circular(difference: int, turn: int) -> int:
    """The distance on a circle of `turn` places."""
    return min(difference % turn, -difference % turn)


def line(construction: str, length: int) -> Line:
    """The positions of a construction: padded to -M+1 … M, or 0 … T."""
    layers = depth(length)
    span = 1 << layers
    padded = range(1 - span, span + 1)
    growing = tuple(2 * span << (layers - 1 - layer) for layer in range(layers))
    match construction:
        case "theorem1" | "residual":
            return Line(padded, (2 * span,) * layers)
        case "unrolled":
            return Line(padded, (2 * span,) * length)
        case "third-head":
            return Line(padded, growing)
        case "no-pads":
            turns = tuple(2 * length << (layers - layer) for layer in range(layers))
            return Line(range(length + 1), turns)
    raise Refused(f"construction {abbreviate(construction)} is not known")


def held(places: Line, length: int, unrolled: bool = False) -> list[dict[int, Letters]] | None:
    """The letters each position holds before the first layer and after each; None for a tie."""
    own: dict[int, Letters] = {t: (t,) if 1 <= t <= length else () for t in places.positions}
    none: dict[int, Letters] = dict.fromkeys(places.positions, ())
    tokens = none if unrolled else own
    found = [tokens]
    for layer in range(len(places.turns)):
        shift = 1 if unrolled else 1 << layer
        sources = {t: places.source(t - shift, layer) for t in places.positions}
        if None in sources.values():
            return None
        right = own if unrolled else tokens
        tokens = {t: tokens[s] + right[t] for t, s in sources.items() if s is not None}
        found.append(tokens)
    return found


def wrong_prefix(construction: str, length: int) -> int | None:
    """The first position that does not end with its prefix; -1 for a tie; None if all do."""
    found = held(line(construction, length), length, construction == "unrolled")
    if found is None:
        return -1
    wrong = (t for t in range(length + 1) if found[-1][t] != tuple(range(1, t + 1)))
    return next(wrong, None)


def multiplies(n: int) -> bool:
    """The ones of Lemma 1's tensor pick, for each entry of the product, exactly its n terms."""
    found = ones(n)
    return all(
        {(a // n, a % n, b // n, b % n) for a, b in found[i * n + j]}
        == {(i, k, k, j) for k in range(n)}
        for i, j in product(range(n), repeat=2)
    )


def ones(n: int) -> dict[int, set[tuple[int, int]]]:
    """Entries of Lemma 1's tensor that are 1: for each coordinate of the product those of both factors."""
    found: dict[int, set[tuple[int, int]]] = {}
    for i, k, j in product(range(n), repeat=3):
        found.setdefault(i * n + j, set()).add((i * n + k, k * n + j))
    return found


STATES, LENGTHS = Different((1, MOST_STATES)), Different((1, MOST))


@confirms("sequence.words", "exact", construction=str, most=(1, MOST), also=LENGTHS)
def words(construction: str, most: int, also: Sequence[int] = ()) -> Recomputed:
    """Each position ends with its prefix."""
    if also and min(also) <= most:
        raise Refused(f"also = {also}, expected numbers above {most}")
    for length in [*range(1, most + 1), *also]:
        position = wrong_prefix(construction, length)
        if position is not None:
            return Recomputed(False, {}, {"T": length, "t": position})
    return Recomputed(True)


@confirms("sequence.rounds", "exhaustive", lengths=LENGTHS)
def rounds(lengths: list[int]) -> Recomputed:
    """After layer l position t holds at most 2^l letters that end with its own."""
    for length in lengths:
        for layer, tokens in enumerate(held(line("theorem1", length), length) or []):
            for t in range(1, length + 1):
                if tokens[t] != tuple(range(max(1, t - 2**layer + 1), t + 1)):
                    return Recomputed(False, {}, {"T": length, "layer": layer, "t": t})
    return Recomputed(True)


@confirms("attention.sources", "exact", lengths=Different((1, 1024)))
def sources(lengths: list[int]) -> Recomputed:
    """Left heads look 2^(l-1) positions back modulo 2M, right heads nowhere else than here."""
    for length in lengths:
        places = line("theorem1", length)
        for layer in range(depth(length)):
            for shift in (1 << layer, 0):
                for row, t in enumerate(places.positions):
                    source = places.source(t - shift, layer)
                    if source is None or (t - shift - source) % len(places.positions):
                        return Recomputed(False, {}, {"T": length, "row": row})
    return Recomputed(True)


@confirms("layer.product", "exact", states=STATES)
def layer_product(states: list[int]) -> Recomputed:
    """The ones of the tensor are the terms of the matrix product."""
    for n in states:
        if not multiplies(n):
            raise Refused(f"n = {n}: the tensor does not multiply")
    return Recomputed(True)


@confirms("layers.alike", "exact", n=(1, MOST_STATES), length=(2, MOST))
def alike(n: int, length: int) -> Recomputed:
    """W_out sends coordinate c of the product to c and to n² + c; the other coordinates stay zero."""
    square = n**2
    written = {place for c in range(square) for place in (c, square + c)}
    token = [*range(square), *range(square), "cos", "sin"]
    return Recomputed(True, {"unwritten": [c for c in range(len(token)) if c not in written]})


@confirms("readout.states", "exact", states=STATES)
def readout(states: list[int]) -> Recomputed:
    """αᵀA for unit vectors α and unit matrices A, which decide a bilinear map."""
    for n in states:
        for i, row, column in product(range(n), repeat=3):
            found = [int((row * n + column, j) in unit_readout(n, i)) for j in range(n)]
            if found != [int(row == i and column == j) for j in range(n)]:
                return Recomputed(False, {}, {"n": n, "coordinate": column})
    return Recomputed(True)


def unit_readout(n: int, i: int) -> set[tuple[int, int]]:
    """The ones of the readout's matrix for α = e_i: rows and columns."""
    return {(i * n + j, j) for j in range(n)}


def with_pads(length: int, count: int) -> bool:
    """Return True if every output is right with `count` pads in place of T."""
    span = 1 << depth(length)
    found = held(Line(range(1 - count, span + 1), (2 * span,) * depth(length)), length)
    letters = range(0 if count else 1, length + 1)
    return found is not None and all(found[-1][t] == tuple(range(1, t + 1)) for t in letters)


@confirms("pads.enough", "exhaustive", lengths=Different((1, 32)), fewer=bool)
def pads_enough(lengths: list[int], fewer: bool) -> Recomputed:
    """The numbers of pads from 1 to T that are enough."""
    enough: dict[int, list[int]] = {}
    for length in lengths:
        powers_of_two(length)
        enough[length] = [k for k in range(1, length + 1) if with_pads(length, k)]
    values = {"enough": [[length, counts] for length, counts in enough.items()]}
    for length, counts in enough.items():
        if length not in counts or (fewer and min(counts) == length):
            return Recomputed(False, values, {"T": length, "enough": counts})
    return Recomputed(True, values)


@confirms("pads.needed", "exhaustive", lengths=Different((1, 32)))
def pads_needed(lengths: list[int]) -> Recomputed:
    """Without any pad some state after a letter is wrong."""
    for length in lengths:
        powers_of_two(length)
        if with_pads(length, 0):
            return Recomputed(False, {}, {"T": length})
    return Recomputed(True)


def powers_of_two(length: int) -> None:
    """Pads are counted for the lengths of the proof."""
    if length & (length - 1):
        raise Refused(f"lengths: {length}, expected powers of two")


@confirms("states.rows", "exhaustive", declared=formula.read, most=(1, 12))
def rows(declared: formula.Tree, most: int) -> Recomputed:
    """A word of T letters has as many states as prefixes, the empty one among them."""
    if formula.names(declared) not in ([], ["T"]):
        raise Refused("declared: expected a count in T")
    for length in range(1, most + 1):
        word = "x" * length
        prefixes = len([word[:cut] for cut in range(length + 1)])
        stated = formula.value(declared, {"T": length})
        if stated != prefixes:
            witness = {"T": length, "declared": int(stated), "listed": prefixes}
            return Recomputed(False, {}, witness)
    return Recomputed(True)
