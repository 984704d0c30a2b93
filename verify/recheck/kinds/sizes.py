"""Confirms sizes of models by counting coordinates, and limits by inequalities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

from verify.recheck.declarations import ByName, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate
from verify.recheck.kernel import formula
from verify.recheck.kinds.algebra import expanded
from verify.recheck.kinds.logdepth import products_of
from verify.recheck.kinds.sequences import LENGTHS, STATES, depth, line

LOGARITHM, ROUNDED = "log₂ T", "⌈log₂ T⌉"
NAMES = ("depth", "embedding", "attention", "feedforward", "heads", "tokens", "products")
SIZES = ByName(str, known=NAMES)


def coordinates(construction: str, n: int) -> tuple[list[int], list[int], int]:
    """The blocks of the embedding, those of both inputs of the bilinear layer, and the heads."""
    square = n * n
    match construction:
        case "theorem1":
            return [square, square, 2], [square, square], 2
        case "third-head" | "no-pads":
            return [square, square, 2], [square, 2, square, 2], 3
        case "residual":
            return [square, square, 2, 1], [square, 1, square, 1], 2
        case "unrolled":
            return [n, square, 1, 2], [n, 1, square, 1], 2
    raise Refused(f"construction {abbreviate(construction)} is not known")


TREES = {
    "masked": ("one", "place.0", "place.1", "count", "kind", "mark"),
    "clean": ("one", "place.0", "place.1", "kind", "done", "size", "target", "letter"),
}


def height(length: int) -> int:
    """The greatest height of a tree of at most T tokens."""
    return (length + 2) // 3 - 1


def tree_sizes(construction: str, n: int, length: int) -> dict[str, int]:
    """Coordinates by name; two layers and one for each height, or two for each height."""
    if construction == "logdepth":
        # nine coordinates never change; two marks, a pointer, M and b do
        heads = len(("near", "far", "pointer", "own"))
        return {"embedding": 9 + 2 + 1 + n * n + n, "heads": heads, "products": products_of(n)}
    width = (2 * n if construction == "clean" else n) + len(TREES[construction])
    layers = 2 * height(length) if construction == "clean" else 2 + height(length)
    layered = 1 if layers else 0
    heads = layered * len(("left", "right", "own"))
    return {"embedding": width, "attention": layered * width, "heads": heads, "depth": layers}


def counted(construction: str, n: int, length: int) -> dict[str, int]:
    """The sizes, counted; a model without layers has no heads."""
    if construction in ("logdepth", *TREES):
        return tree_sizes(construction, n, length)
    places = line(construction, length)
    embedding, inputs, heads = coordinates(construction, n)
    layered = 1 if places.turns else 0
    return {
        "depth": len(places.turns),
        "embedding": sum(embedding),
        "attention": layered * sum(embedding),
        "feedforward": layered * sum(inputs),
        "heads": layered * heads,
        "tokens": len(places.positions),
    }


def stated(printed: str, n: int, length: int) -> int | None:
    """A printed size; None where it is no whole number."""
    if printed == ROUNDED:
        return depth(length)
    if printed == LOGARITHM:
        return depth(length) if 2 ** depth(length) == length else None
    value = formula.value(formula.read(printed), {"n": n, "T": length, "h": height(length)})
    return int(value)


@confirms("model.sizes", "exact", construction=str, sizes=SIZES, states=STATES, lengths=LENGTHS)
def model_sizes(
    construction: str, sizes: dict[str, str], states: list[int], lengths: list[int]
) -> Recomputed:
    """Each printed size is the counted one."""
    return compared(sizes, states, lengths, partial(counted, construction))


def compared(
    sizes: Mapping[str, str],
    states: Sequence[int],
    lengths: Sequence[int],
    count: Callable[[int, int], Mapping[str, int]],
) -> Recomputed:
    """Compare printed sizes with counted ones, where a size is counted."""
    for n, length in product(states, lengths):
        for name, real in sorted(count(n, length).items()):
            if name in sizes and (value := stated(sizes[name], n, length)) != real:
                shown = {"size": name, "printed": value, "built": real}
                return Recomputed(False, {}, {"n": n, "T": length, **shown})
    return Recomputed(True)


def _left(k: int) -> int:
    """Return 4·2^(k-1) - k²."""
    return (4 << (k - 1)) - k * k


@confirms("depth.vanishes", "symbolic", depth=str)
def vanishes(depth: str) -> Recomputed:
    """⌈log₂ T⌉² ≤ 4T for every T, so the quotient vanishes; a count by its leading term."""
    if depth == ROUNDED:
        # With k = ⌈log₂ T⌉ ≥ 1 there is T > 2^(k-1), and k² ≤ 4·2^(k-1) holds up to k = 3 and
        # then by induction, since (k+1)² ≤ 2k² from k = 3 on (k² - 2k - 1 grows from 2).
        small = all(_left(k) >= 0 for k in range(1, 4))
        twice, next_square = formula.read("2k²"), formula.read("(k+1)²")
        growing = all(d >= 0 for d in formula.differences(twice, next_square, "k", 3))
        return Recomputed(small and growing, {"limit": "0"})
    tree = formula.read(depth)
    if formula.names(tree) not in ([], ["T"]):
        raise Refused(f"depth {abbreviate(depth)}: expected a count in T")
    coefficients = expanded(tree)
    highest = max(coefficients, default=0)
    if highest == 0:
        return Recomputed(True, {"limit": "0"})
    leading = coefficients[highest]
    limit = str(leading) if highest == 1 else ("oo" if leading > 0 else "-oo")
    return Recomputed(False, {"limit": limit}, {"limit": limit})
