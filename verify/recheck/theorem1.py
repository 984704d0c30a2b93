"""Certificates of Theorem 1 and Lemma 1, confirmed by integers, strings and rationals alone.

A generic identity for (n, T) is confirmed by its three parts: attention is arithmetic of
positions modulo 2M, the tensor's ones are exactly the products of the matrix product, and the
scan on words puts every prefix at its position. Together they are the identity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.bounds import cos_pi
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text

Body = Mapping[str, Any]
LARGEST = 4096


def _whole(values: list[Any], what: str, least: int = 1, most: int = LARGEST) -> list[int]:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Refused(f"{what}: {value!r}, expected an integer from {least} to {most}")
    if not values:
        raise Refused(f"{what}: nothing is claimed")
    return values


def _span(length: int) -> int:
    return 1 << (length - 1).bit_length()


def _scan(length: int, pads: int | None = None) -> dict[int, tuple[int, ...]] | None:
    """The letters each position holds after the last layer; None if a row has no one maximum."""
    span = _span(length)
    low = 1 - (span if pads is None else pads)
    held: dict[int, tuple[int, ...]] = {
        t: (t,) if 1 <= t <= length else () for t in range(low, span + 1)
    }
    shift = 1
    while shift < span:
        sources = {t: _nearest(t - shift, low, span) for t in held}
        if any(source is None for source in sources.values()):
            return None
        held = {t: held[sources[t]] + held[t] for t in held}  # type: ignore[index]
        shift *= 2
    return held


def _nearest(target: int, low: int, span: int) -> int | None:
    """The position whose code is nearest on the circle of 2M codes; None for a tie."""
    for distance in range(span + 1):
        found = {
            t
            for offset in (distance, -distance)
            for turn in (-2 * span, 0, 2 * span)
            if low <= (t := target + offset + turn) <= span
        }
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _prefixes_right(length: int, pads: int | None = None) -> bool:
    held = _scan(length, pads)
    first = 1 if pads == 0 else 0
    return held is not None and all(
        held[t] == tuple(range(1, t + 1)) for t in range(first, length + 1)
    )


def _lemma(n: int) -> None:
    """The ones of the tensor, as pairs of factors of each entry of the product."""
    ones = {(i * n + k, k * n + j, i * n + j) for i in range(n) for k in range(n) for j in range(n)}
    for i in range(n):
        for j in range(n):
            factors = {(a, b) for a, b, c in ones if c == i * n + j}
            if factors != {(i * n + k, k * n + j) for k in range(n)}:
                raise Refused(f"n = {n}: entry ({i}, {j}) is no matrix product")


def exact(body: Body) -> str:
    """Outputs equal states for the stated (n, T)."""
    only(body, {"kind", "pairs"})
    pairs = sequence(body, "pairs")
    for pair in pairs:
        n, length = _whole(pair, "a pair", most=LARGEST) if len(pair) == 2 else (0, 0)
        if not n:
            raise Refused(f"pair {pair!r}, expected [n, T]")
        _lemma(n)
        if not _prefixes_right(length):
            raise Refused(f"T = {length}: a prefix is not at its position")
    if not pairs:
        raise Refused("no pair is claimed")
    return f"all T + 1 states for (n, T) = {pairs}"


def words(body: Body) -> str:
    """Prefixes at their positions, for all n."""
    only(body, {"kind", "lengths"})
    lengths = _whole(sequence(body, "lengths"), "lengths")
    for length in lengths:
        if not _prefixes_right(length):
            raise Refused(f"T = {length}: a prefix is not at its position")
    return f"prefixes at positions 0 … T for {len(lengths)} lengths up to {max(lengths)}"


def routing(body: Body) -> str:
    """Left heads look 2^(l-1) back, and that position is unique."""
    only(body, {"kind", "lengths"})
    for length in _whole(sequence(body, "lengths"), "lengths"):
        span = _span(length)
        agree("a power of two", length, span)
        for layer in range((length - 1).bit_length()):
            for t in range(1 - span, span + 1):
                source = _nearest(t - 2**layer, 1 - span, span)
                if source is None or (t - 2**layer - source) % (2 * span):
                    raise Refused(f"T = {length}, layer {layer + 1}: position {t} goes astray")
    return f"routing of every head for T in {body['lengths']}"


def gap(body: Body) -> str:
    """1 - cos(π/T) is at least the stated rational, and other scores are not above cos(π/T)."""
    only(body, {"kind", "lengths", "gap"})
    lengths = _whole(sequence(body, "lengths"), "lengths", most=1 << 20)
    for length, stated in zip(lengths, sequence(body, "gap", len(lengths)), strict=True):
        agree("gap", fraction(stated), Fraction(2, length * length))
        high = cos_pi(Fraction(1, length), 160)[1]
        if length > 1 and not 1 - high >= fraction(stated):
            raise Refused(f"T = {length}: the gap is not confirmed")
        for m in range(2, min(length, 16) + 1):
            if not cos_pi(Fraction(m, length), 160)[1] < cos_pi(Fraction(1, length), 160)[0]:
                raise Refused(f"T = {length}: score {m} is not below the next one")
    return f"gap at least 2/T² for T in {lengths} (cos falls on [0, π])"


def pads(body: Body) -> str:
    """Exactly the stated numbers of pads are enough."""
    only(body, {"kind", "enough"})
    rows = sequence(body, "enough")
    for length, counts in rows:
        found = [count for count in range(1, length + 1) if _prefixes_right(length, count)]
        agree(f"pads for T = {length}", counts, found)
    return f"numbers of pads that are enough: {rows}" if rows else _nothing()


def no_pads(body: Body) -> str:
    """Without pads some output is wrong."""
    only(body, {"kind", "lengths"})
    for length in _whole(sequence(body, "lengths"), "lengths", least=2):
        if _prefixes_right(length, 0):
            raise Refused(f"T = {length}: without pads every output is right")
    return f"without pads an output is wrong for T in {body['lengths']}"


def infixes(body: Body) -> str:
    """The stated products of consecutive letters stand at no position."""
    only(body, {"kind", "length", "absent"})
    length = integer(body, "length", 1)
    held = set((_scan(length) or {}).values())
    every = {tuple(range(a, b)) for a in range(1, length + 1) for b in range(a + 1, length + 2)}
    found = sorted(every - held, key=lambda w: (len(w), w))
    agree("absent products", [list(w) for w in found], sequence(body, "absent"))
    return f"T = {length}: {len(found)} products of consecutive letters stand nowhere"


def lemma(body: Body) -> str:
    """The tensor multiplies for the stated n."""
    only(body, {"kind", "states"})
    for n in _whole(sequence(body, "states"), "states", most=64):
        _lemma(n)
    return f"the tensor's ones are the products of AB for n in {body['states']}"


def blocks(body: Body) -> str:
    """Whether the stated blocks fit together to the wanted shape."""
    only(body, {"kind", "n", "blocks", "transposed", "wanted", "fits"})
    table = sequence(body, "blocks")
    heights = [[block[0] for block in row] for row in table]
    widths = {sum(block[1] for block in row) for row in table}
    aligned = all(len(set(row)) == 1 for row in heights) and len(widths) == 1
    shape = [sum(row[0] for row in heights), max(widths)]
    wanted = sequence(body, "wanted", 2)
    fits = aligned and (shape[::-1] if body["transposed"] is True else shape) == wanted
    agree("whether the blocks fit", body["fits"], fits)
    n = integer(body, "n", 1)
    d = 2 * n * n + 2
    if d not in wanted or not set(wanted) <= {2, n * n, d}:
        raise Refused(f"wanted {wanted}, expected the embedding dimension {d} and 2, n² or itself")
    if len(table) not in (1, 3) or any(len(row) != 3 for row in table):
        raise Refused("expected one or three block rows of three blocks")
    if strange := {size for row in table for block in row for size in block} - {2, n * n}:
        raise Refused(f"blocks with sizes {strange}, expected n² and 2")
    return f"n = {body['n']}: blocks {table} {'fit' if fits else 'do not fit'} {wanted}"


def layers(body: Body) -> str:
    """Scores read the positions and W_out does not write them: the columns do not meet."""
    only(body, {"kind", "n", "length"})
    n, length = integer(body, "n", 1), integer(body, "length", 2)
    written, positions = set(range(2 * n * n)), {2 * n * n, 2 * n * n + 1}
    if written & positions or not _prefixes_right(length):
        raise Refused("the positions are written by W_out")
    return f"n = {n}, T = {length}: one block for all layers; positions are read, not written"


def output_columns(body: Body) -> str:
    """The printed W_out has zero columns at the positions."""
    only(body, {"kind", "n", "zero"})
    n = integer(body, "n", 1)
    agree("zero columns", sequence(body, "zero"), [2 * n * n, 2 * n * n + 1])
    return f"n = {n}: W_out writes nothing into columns {body['zero']}"


def residual(body: Body) -> str:
    """x_2 + x_1 x_2 is not x_1 x_2 at the stated point."""
    only(body, {"kind", "first", "second", "found", "wanted"})
    first, second = integer(body, "first"), integer(body, "second")
    agree("found", integer(body, "found"), second + first * second)
    agree("wanted", integer(body, "wanted"), first * second)
    if second == 0:
        raise Refused("the point does not tell the two apart")
    return f"x_1 = {first}, x_2 = {second}: {body['found']} for {body['wanted']}"


def rotation(body: Body) -> str:
    """Rows of ρ are orthonormal: signs as in (c s; -s c)."""
    only(body, {"kind", "signs"})
    (a, b), (c, d) = sequence(body, "signs", 2)
    if {abs(v) for v in (a, b, c, d)} != {1} or a * d != 1 or b * c != -1:
        raise Refused("the signs are not those of a rotation")
    return "ρ = (c s; -s c): rows orthonormal, determinant c² + s² = 1"


def readout(body: Body) -> str:
    """Σ_i α_i A_ij has exactly the terms of row vector times matrix."""
    only(body, {"kind", "states"})
    for n in _whole(sequence(body, "states"), "states", most=64):
        for j in range(n):
            read = {(i, i * n + j) for i in range(n)}
            if read != {
                (i, c) for i in range(n) for c in range(n * n) if c // n == i and c % n == j
            }:
                raise Refused(f"n = {n}: column {j} is read wrongly")
    return f"vec(A) ↦ αᵀA for n in {body['states']}"


def embedding(body: Body) -> str:
    """Two copies of n² numbers and two positions are 2n² + 2 coordinates."""
    only(body, {"kind", "states"})
    for n in _whole(sequence(body, "states"), "states", most=64):
        agree("coordinates", len([*range(n * n), *range(n * n), 0, 1]), 2 * n * n + 2)
    return f"2n² + 2 coordinates for n in {body['states']}"


def concatenation(body: Body) -> str:
    """Heads side by side have more coordinates than the selectors take."""
    only(body, {"kind", "n", "heads", "selector"})
    d = 2 * integer(body, "n", 1) ** 2 + 2
    agree("heads", integer(body, "heads"), 2 * d)
    agree("selector", integer(body, "selector"), d)
    return f"n = {body['n']}: {2 * d} coordinates for {d}"


def widths(body: Body) -> str:
    """Queries and values have different widths."""
    only(body, {"kind", "n", "query", "value"})
    agree("query", integer(body, "query"), 2)
    agree("value", integer(body, "value"), 2 * integer(body, "n", 1) ** 2 + 2)
    return f"n = {body['n']}: query width 2, value width {body['value']}"


FORMULAS: dict[str, Callable[[int, int], int]] = {
    "embedding": lambda n, t: 2 * n * n + 2,
    "attention": lambda n, t: 2 * n * n + 2,
    "feedforward": lambda n, t: 2 * n * n,
    "heads": lambda n, t: 2,
}


def size(body: Body) -> str:
    """A table of sizes follows the printed formula."""
    only(body, {"kind", "field", "states", "lengths", "values"})
    field = text(body, "field")
    if field not in FORMULAS:
        raise Refused(f"size {field!r} is not known")
    states, lengths = sequence(body, "states"), sequence(body, "lengths")
    values = [
        [FORMULAS[field](n, t) for t in _whole(lengths, "lengths")]
        for n in _whole(states, "states")
    ]
    agree(f"sizes {field}", sequence(body, "values"), values)
    return f"{field} for n in {states}, T in {lengths}"


def depth(body: Body) -> str:
    """The depths are the least numbers of doublings that reach T."""
    only(body, {"kind", "lengths", "depths"})
    lengths = _whole(sequence(body, "lengths"), "lengths")
    for length, layers in zip(lengths, sequence(body, "depths", len(lengths)), strict=True):
        if not (2**layers >= length and (layers == 0 or 2 ** (layers - 1) < length)):
            raise Refused(f"T = {length}: {layers} is not ⌈log2 T⌉")
    return f"⌈log2 T⌉ for {len(lengths)} lengths"


def no_power(body: Body) -> str:
    """The length is no power of two, so log2 T is no whole number."""
    only(body, {"kind", "length"})
    length = integer(body, "length", 1)
    if length & (length - 1) == 0:
        raise Refused(f"{length} is a power of two")
    return f"T = {length} is no power of two"


def orders(body: Body) -> str:
    """The exact sizes stay below the printed orders."""
    only(body, {"kind", "states", "lengths"})
    for n in _whole(sequence(body, "states"), "states"):
        if 2 * n * n + 2 > 4 * n * n:
            raise Refused(f"n = {n}: 2n² + 2 is above 4n²")
    for length in _whole(sequence(body, "lengths"), "lengths", least=2):
        if (length - 1).bit_length() > length.bit_length():
            raise Refused(f"T = {length}: depth above 1 + log2 T")
    return f"sizes within 4n² and 1 + log2 T for n in {body['states']}"


def shape(body: Body) -> str:
    """A mode of length n does not take a vector of n² coordinates."""
    only(body, {"kind", "n", "mode", "vector"})
    n = integer(body, "n", 2)
    agree("mode", integer(body, "mode"), n)
    agree("vector", integer(body, "vector"), n * n)
    return f"n = {n}: a mode of {n} for a vector of {n * n}"


def indices(body: Body) -> str:
    """Some index is used and not bound."""
    only(body, {"kind", "bound", "used"})
    bound, used = sequence(body, "bound"), sequence(body, "used")
    agree("bound indices", bound, ["i'", "j'", "j''"])
    agree("used indices", used, sorted(["i'", "i", "j'", "i''", "j''", "j"]))
    return f"not bound: {sorted(set(used) - set(bound))}"


def _nothing() -> str:
    raise Refused("nothing is claimed")


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "theorem1.exact": exact,
    "theorem1.words": words,
    "theorem1.routing": routing,
    "theorem1.gap": gap,
    "theorem1.pads": pads,
    "theorem1.no-pads": no_pads,
    "theorem1.infixes": infixes,
    "theorem1.lemma": lemma,
    "theorem1.blocks": blocks,
    "theorem1.layers": layers,
    "theorem1.output-columns": output_columns,
    "theorem1.residual": residual,
    "theorem1.rotation": rotation,
    "theorem1.readout": readout,
    "theorem1.embedding": embedding,
    "theorem1.concatenation": concatenation,
    "theorem1.widths": widths,
    "theorem1.size": size,
    "theorem1.depth": depth,
    "theorem1.no-power": no_power,
    "theorem1.orders": orders,
    "lemma1.shape": shape,
    "lemma1.indices": indices,
}
