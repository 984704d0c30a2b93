"""Certificates on Theorem 3 as a whole: states of small shapes, sizes, layers.

Kinds         trees.shapes: heads of all shapes, states of the small ones
              trees.size, trees.sizes, trees.order: coordinates, heads, units, counted by name
              trees.square: three softplus units
              trees.layers, trees.layer-count: heights, and layers that trees of a height take
              trees.conventions: two printed depths, and the depths of a leaf that they imply
              trees.staircase, trees.degree, trees.markers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, cycle, pairwise, product
from math import comb, log1p
from typing import Any

from verify.recheck.bounds import exp
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.trees_states import Residues
from verify.recheck.treework import (
    Automaton,
    Tree,
    automaton,
    few,
    labelled,
    layers_of,
    markers,
    nodes,
    read,
    right_rule,
    shapes,
    shapes_within,
    written,
)

Body = Mapping[str, Any]
STATES_TO = 6
SLACK = Fraction(1, 1 << 44)


def counted(leaves: int) -> tuple[int, int]:
    """How many shapes there are, and how many positions begin a subtree, by Catalan numbers."""
    catalan = [comb(2 * k, k) // (k + 1) for k in range(leaves)]
    return sum(catalan), sum((2 * k + 1) * c for k, c in enumerate(catalan))


def heads_right(tree: Tree) -> None:
    """The repaired rule finds the right child of every inner node; the left one is at i + 1."""
    found = right_rule(written(tree))
    for node in nodes(tree):
        if node.right:
            agree(f"right child in {''.join(written(tree))}", found[node.start], node.right)
            agree("left child", node.start + 1, node.left)


def states_right(wta: Automaton, tree: Tree) -> None:
    """After l layers a subtree of height at most l holds its state, any other one 0."""
    whole, zero = nodes(tree), (0,) * wta.n
    for layer, states in enumerate(layers_of(wta, written(tree), whole[0].height)):
        for node in whole:
            wanted = wta.state(node.tree) if node.height <= layer else zero
            agree(f"layer {layer}, position {node.start}", states[node.start - 1], wanted)


def lettered(tree: Tree, alphabet: Sequence[str]) -> Tree:
    """The shape with the letters of an alphabet in turn."""
    return labelled(tree, cycle(sorted(alphabet)))


def all_states(body: Body) -> str:
    """All shapes have right heads; states, which depend on heads alone, are run on the small ones."""
    only(body, {"kind", "leaves", "shapes", "positions", "automata"})
    leaves = few(body)
    agree("shapes and positions", (body["shapes"], body["positions"]), counted(leaves))
    for tree in shapes_within(leaves):
        heads_right(tree)
    machines = [automaton(item) for item in sequence(body, "automata")]
    for wta in machines:
        for tree in shapes_within(min(leaves, STATES_TO)):
            states_right(wta, lettered(tree, tuple(wta.leaves)))
    return f"{body['shapes']} shapes, {body['positions']} positions: heads right, states right"


def staircase(body: Body) -> str:
    """A triangular matrix with a diagonal that is not 0 has rank T - 1, more than the width.

    With weights equal on j ≤ i and 0 after it, q_i·k_j is the same for all j ≤ i and smaller for
    j > i. So q_i·(k_{j+1} - k_j) is 0 for j < i and negative for j = i: the matrix over i, j =
    1 … T-1 is triangular, of rank T - 1, yet a product of T-1 × k and k × T-1 matrices.
    """
    only(body, {"kind", "n", "length", "width", "rank"})
    length, width = integer(body, "length", 2), integer(body, "width", 1)
    agree("width", width, integer(body, "n", 1) + 6)
    agree("rank", integer(body, "rank"), length - 1)
    if length - 1 <= width:
        raise Refused(f"rank {length - 1} fits a width of {width}")
    return f"T = {length}: rank {length - 1} against a width of {width}"


def layers(body: Body) -> str:
    """A balanced tree has height ⌈log2 N⌉, a comb N - 1, and no tree of N leaves is higher."""
    only(body, {"kind", "rows", "count"})
    for leaves, balanced, highest in sequence(body, "rows", integer(body, "count", 1)):
        level, height = leaves, 0
        while level > 1:
            level, height = (level + 1) // 2, height + 1
        agree(f"heights with {leaves} leaves", [balanced, highest], [height, leaves - 1])
    found = [max(nodes(tree)[0].height for tree in shapes(count)) for count in range(1, 8)]
    agree("greatest heights", found, list(range(7)))
    return f"heights ⌈log2 N⌉ to N - 1 for N in {[row[0] for row in body['rows']]}"


def coordinates(n: int, p: int) -> list[str]:
    """A token of the repaired construction, name by name."""
    return [*_several("state", n), "one", *_several("place", p), "count", "kind", "mark"]


def _several(name: str, count: int) -> list[str]:
    return [f"{name}{k}" for k in range(count)]


def hidden(n: int) -> int:
    """The softplus units of a parse layer: which linear forms its products and copies read."""
    left, right, own = (_several(name, n) for name in ("left", "right", "state"))
    products = [*product(left, right), *(("kind", x) for x in own)]
    factors = {x for pair in products for x in pair}
    copied = [*own, "one", "count", "kind", "mark"]
    forms = {*products, *factors, "constant", *product(copied, ("+", "-"))}
    return len(forms)


def bilinear_forms(n: int) -> set[object]:
    """The softplus units of the bilinear part alone: products, their factors, the constant."""
    pairs = [*product(_several("left", n), _several("right", n))]
    return {*pairs, *(x for pair in pairs for x in pair), "constant"}


def monomials(symbols: int, degree: int) -> int:
    """How many monomials of at most a degree there are, one symbol after the other."""
    counts = [1] + [0] * degree
    for _ in range(symbols):
        for k in range(1, degree + 1):
            counts[k] += counts[k - 1]
    return sum(counts)


SIZES: dict[str, Callable[[int, int], int]] = {
    "embedding": lambda n, p: len(coordinates(n, p)),
    "initial": lambda n, p: len([*_several("v", n), *_several("p", p), "m", "1"]),
    "footnote": lambda n, p: len(list(combinations(range(2 * n + 2), 2))),
    "degree-four": lambda n, p: monomials(2 * n + len(coordinates(n, p)), 4),
    "softplus": lambda n, p: hidden(n),
    "bilinear": lambda n, p: len(bilinear_forms(n)),
}


def size_of(body: Body) -> str:
    """A size, counted name by name."""
    only(body, {"kind", "what", "n", "p", "value"})
    what, n, p = text(body, "what"), integer(body, "n", 1), integer(body, "p", 0)
    agree("p", p, 2)
    if what not in SIZES:
        raise Refused(f"size {what!r} is not known")
    agree(what, integer(body, "value"), SIZES[what](n, p))
    return f"{what}: {body['value']} for n = {n}, p = {p}"


def order(body: Body) -> str:
    """Monomials of degree at most four for n = 1, 2, …: their differences end at the degree."""
    only(body, {"kind", "values", "degree"})
    values = sequence(body, "values", 6)
    agree("monomials", values, [SIZES["degree-four"](n, 2) for n in range(1, 7)])
    degree = 0
    while len(set(values)) > 1:
        values, degree = [b - a for a, b in pairwise(values)], degree + 1
    agree("degree", integer(body, "degree"), degree)
    return f"monomials for n = 1 … 6: a polynomial of degree {degree}"


def square(body: Body) -> str:
    """(4/h²)(σ(2hd) - 2σ(hd) + σ(0)) is within the bound of d², for d = 0 … T."""
    only(body, {"kind", "longest", "step", "bound"})
    longest, step = integer(body, "longest", 1), fraction(body["step"])
    agree("bound", fraction(body["bound"]), Fraction(3, 8) * step**2 * longest**4)
    for d in range(longest + 1):
        one, two, zero = (softplus(k * d * step) for k in (1, 2, 0))
        low = 4 / step**2 * (two[0] - 2 * one[1] + zero[0])
        high = 4 / step**2 * (two[1] - 2 * one[0] + zero[1])
        if not max(abs(low - d * d), abs(high - d * d)) < fraction(body["bound"]):
            raise Refused(f"d = {d}: the error may reach the bound")
    return f"three softplus units square depths up to {longest}, h = {step}"


def softplus(x: Fraction) -> tuple[Fraction, Fraction]:
    """log(1 + e^x): a guess with its neighbours, each confirmed by bounds on e^y."""
    below, above = exp(x, 80)
    guess = Fraction(log1p(float(above)))
    low, high = guess - SLACK, guess + SLACK
    if not (exp(low, 80)[1] <= 1 + below and 1 + above <= exp(high, 80)[0]):
        raise Refused(f"log(1 + e^{x}) is not enclosed")
    return low, high


def sizes(body: Body) -> str:
    """Depth, embedding, attention width and heads of built models, counted name by name."""
    only(body, {"kind", "road", "rows", "count"})
    road = text(body, "road")
    if road not in ROADS:
        raise Refused(f"road {road!r} is not known")
    names, layers_for, read = ROADS[road]
    for n, length, *measured in sequence(body, "rows", integer(body, "count", 1)):
        agree("tokens of some tree", length % 3, 1)
        tall = max(leaves for leaves in range(1, length + 1) if 3 * leaves - 2 <= length) - 1
        token, reads = len(names(n, 2)), {"left": n + read, "right": n + read}
        widest = max(*reads.values(), token, 4)
        wanted = [layers_for(tall), token, widest, len({*reads, "own"})]
        agree(f"sizes for n = {n}, T = {length}", measured, wanted)
    return f"{len(body['rows'])} models, {road}: depth, embedding, attention width, heads"


def lengths_coordinates(n: int, p: int) -> list[str]:
    """A token of the construction without masks, name by name."""
    return [*_several("state", n), "one", *_several("place", p), "kind", "done", "size", "target"]


# what a token holds, the layers for a height, what a head reads beside the state
ROADS: dict[str, tuple[Callable[[int, int], list[str]], Callable[[int], int], int]] = {
    "masks": (coordinates, lambda tall: 2 + tall, 0),
    "lengths": (lengths_coordinates, lambda tall: 2 * tall, 2),
}


def conventions(body: Body) -> str:
    """Two passages give depths to trees of known heights: a leaf gets two different depths."""
    only(body, {"kind", "printed", "leaves"})
    found = []
    for tokens, depth in sequence(body, "printed", 2):
        tree = read(list(tokens))
        agree("letters a, b in turn", tokens, "".join(written(lettered(tree, "ab"))))
        found.append(integer({"depth": depth}, "depth", 0) - nodes(tree)[0].height)
    agree("depths of a leaf", sequence(body, "leaves", 2), found)
    if len(set(found)) == 1:
        raise Refused("the passages agree")
    return f"a leaf has depth {found[0]} in one passage, {found[1]} in the other"


def layer_count(body: Body) -> str:
    """A comb of height h is right after h parse layers and not before; 2 + h is 1 + (h + 1)."""
    only(body, {"kind", "rows", "count"})
    wta = Residues((((3,),),), {"a": (5,)})
    rows = sequence(body, "rows", integer(body, "count", 1))
    for height, (stated, count) in enumerate(rows):
        agree("height", stated, height)
        tree: Tree = "a"
        for _ in range(height):
            tree = ("a", tree)
        runs = layers_of(wta, written(tree), height + 1)
        right = [states[0] == wta.state(tree) for states in runs]
        agree(f"height {height}: right after", right.index(True), height)
        agree(f"height {height}: layers", count, 1 + (height + 1))
    return f"combs of height 0 … {height}: 2 + height layers, and no fewer"


def degree(body: Body) -> str:
    """m·m·left·right is the monomial of highest degree."""
    only(body, {"kind", "degree"})
    agree("degree", integer(body, "degree"), len(("m", "m", "left", "right")))
    return "degree four"


def marks(body: Body) -> str:
    """Three kinds of symbol, three markers."""
    only(body, {"kind", "letter", "open", "close"})
    agree("markers", [body["letter"], body["open"], body["close"]], markers(["a", "[", "]"]))
    if len({body["letter"], body["open"], body["close"]}) != 3:
        raise Refused("two markers are equal")
    return "markers 0, 1, -1 differ"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.shapes": all_states,
    "trees.staircase": staircase,
    "trees.layers": layers,
    "trees.size": size_of,
    "trees.sizes": sizes,
    "trees.conventions": conventions,
    "trees.order": order,
    "trees.square": square,
    "trees.layer-count": layer_count,
    "trees.degree": degree,
    "trees.markers": marks,
}
