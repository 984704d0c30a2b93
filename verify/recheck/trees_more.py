"""Certificates on Theorem 3 as a whole: states of all shapes, sizes, variants, repairs.

Kinds         trees.shapes, trees.generic, trees.gate, trees.modes, trees.state: states
              trees.free, trees.causal: heads that find children without masks, or from the end
              trees.ablation, trees.staircase, trees.layers, trees.size, trees.degree, trees.markers
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from math import comb
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.treework import (
    LETTERS,
    Automaton,
    Tree,
    automaton,
    before_depths,
    few,
    labelled,
    layers_of,
    markers,
    nodes,
    printed_depths,
    read,
    right_rule,
    shapes,
    shapes_within,
    size,
    written,
)

Body = Mapping[str, Any]
STATES_TO = 5
PRIME = (1 << 61) - 1


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


def points(seed: str) -> Iterator[int]:
    """Numbers modulo the prime, from a hash of a counter."""
    counter = 0
    while True:
        digest = hashlib.sha256(f"{seed}/{counter}".encode()).digest()
        yield int.from_bytes(digest[:8], "big") % PRIME
        counter += 1


def generic(body: Body) -> str:
    """The identity of polynomials, at a point of a field with 2^61 - 1 elements."""
    only(body, {"kind", "n", "leaves"})
    n, leaves = integer(body, "n", 1), few(body, 6)
    numbers = points(f"{n}/{leaves}")
    tensor = tuple(
        tuple(tuple(next(numbers) for _ in range(n)) for _ in range(n)) for _ in range(n)
    )
    wta = Automaton(tensor, {x: tuple(next(numbers) for _ in range(n)) for x in LETTERS[:leaves]})
    for tree in shapes_within(leaves):
        heads_right(tree)
        whole = nodes(labelled(tree, iter(LETTERS)))
        for states in layers_of(wta, written(whole[0].tree), whole[0].height):
            last = states
        for node in whole:
            wanted = [x % PRIME for x in wta.state(node.tree)]
            agree(f"position {node.start}", [x % PRIME for x in last[node.start - 1]], wanted)
    return f"n = {n}: the same values on all shapes up to {leaves} leaves, modulo 2^61 - 1"


def gate(body: Body) -> str:
    """m² T(left, right) + (1 - m²) v is T(left, right) at inner nodes and v at letters."""
    only(body, {"kind", "automaton", "leaves"})
    wta, leaves = automaton(body["automaton"]), few(body, 6)
    for tree in shapes_within(leaves):
        states_right(wta, lettered(tree, tuple(wta.leaves)))
    return f"the printed gate with right heads: all shapes up to {leaves} leaves"


def modes(body: Body) -> str:
    """T ×₁ x ×₂ y and T ×₂ x ×₃ y differ."""
    only(body, {"kind", "automaton", "left", "right", "printed", "true"})
    wta = automaton(body["automaton"])
    x, y, n = wta.leaves[text(body, "left")], wta.leaves[text(body, "right")], range(wta.n)
    printed = [sum(wta.tensor[a][b][c] * x[a] * y[b] for a in n for b in n) for c in n]
    agree("printed modes", [fraction(v) for v in sequence(body, "printed")], printed)
    agree(
        "modes of the definition",
        [fraction(v) for v in sequence(body, "true")],
        list(wta.product(x, y)),
    )
    if body["printed"] == body["true"]:
        raise Refused("the two contractions agree")
    return f"modes (1, 2) give {printed}, modes (2, 3) {list(wta.product(x, y))}"


def state(body: Body) -> str:
    """One layer with a given right head gives another state than the root's."""
    only(body, {"kind", "automaton", "tokens", "right", "state", "true"})
    wta, tree = automaton(body["automaton"]), read(sequence(body, "tokens"))
    root = nodes(tree)[0]
    if root.height != 1:
        raise Refused("expected a node with two leaves")
    tokens, right = written(tree), integer(body, "right", 1)
    read_right = wta.leaves.get(tokens[right - 1], (0,) * wta.n)
    found = wta.product(wta.state(tree[0]), read_right)
    agree("state", [fraction(v) for v in sequence(body, "state")], list(found))
    agree("true state", [fraction(v) for v in sequence(body, "true")], list(wta.state(tree)))
    if found == wta.state(tree):
        raise Refused("the state is right")
    return f"{''.join(tokens)}: {list(found)}, not {list(wta.state(tree))}"


def free(body: Body) -> str:
    """The right child begins at i + 1 + |str(left)|; layers follow max(left + 2, right + 1)."""
    only(body, {"kind", "leaves", "positions"})
    leaves = few(body)
    agree("positions", integer(body, "positions"), counted(leaves)[1])
    for tree in shapes_within(leaves):
        for node in nodes(tree):
            if node.right:
                agree("right child", node.right, node.start + 1 + size(node.tree[0]))
        if _layers(tree) > 2 * nodes(tree)[0].height:
            raise Refused(f"{''.join(written(tree))} takes more than twice its height")
    return f"right children by the length of the left one: all shapes up to {leaves} leaves"


def _layers(tree: Tree) -> int:
    if isinstance(tree, str):
        return 0
    return max(_layers(tree[0]) + 2, _layers(tree[1]) + 1)


def causal(body: Body) -> str:
    """A closing bracket finds both children behind it: i - 1, and the nearest end of a left child."""
    only(body, {"kind", "leaves", "positions"})
    leaves = few(body)
    agree("positions", integer(body, "positions"), counted(leaves)[1])
    for tree in shapes_within(leaves):
        whole = nodes(tree)
        ends = {n.start: n.start + size(n.tree) - 1 for n in whole}
        lefts = {n.left for n in whole if n.right}
        for node in (n for n in whole if n.right):
            end = ends[node.start]
            agree("right child", ends[node.right], end - 1)
            fits = [
                ends[n.start]
                for n in whole
                if n.level == node.level + 1 and n.start in lefts and ends[n.start] < end
            ]
            agree("left child", ends[node.left], max(fits))
    return f"closing brackets find both children behind them: up to {leaves} leaves"


def _without(name: str, tokens: Sequence[str]) -> dict[int, list[int]]:
    """Where right heads look with one repair missing (line positions, β larger than all)."""
    m = [*markers(tokens), 0]
    count = range(1, len(m) + 1)
    d: list[Any] = [*before_depths(tokens), 0]
    if name == "depth":
        d = [*printed_depths(tokens), 0]
    if name == "causal":
        d = [i * fraction_of(sum(m), len(m)) - m[i - 1] for i in count]
    if name == "rescale":
        d = [fraction_of(sum(m[:i]), i) - m[i - 1] for i in count]
    found = {}
    for i in (i for i, symbol in enumerate(tokens, 1) if symbol == "["):
        score = {}
        for j in range(1 if name == "onward" else i, len(m) + 1):
            flagged = name != "flag" and j > 1 and tokens[j - 2] == "["
            near = 0 if name == "near" else abs(i - j)
            score[j] = -((d[j - 1] - d[i - 1] - 1) ** 2 + flagged) * (len(tokens) + 2) - near
        found[i] = [j for j, value in score.items() if value == max(score.values())]
    return found


def fraction_of(top: int, bottom: int) -> Any:
    """top / bottom, exactly."""
    return fraction("0") + top * fraction("1") / bottom


def ablation(body: Body) -> str:
    """With a repair missing the smallest tree has a head that looks elsewhere, or a wrong state."""
    only(body, {"kind", "automaton", "leaves", "smallest"})
    wta, leaves = automaton(body["automaton"]), few(body, 6)
    for tree in shapes_within(leaves):
        states_right(wta, lettered(tree, tuple(wta.leaves)))
    known = {"depth", "rescale", "causal", "onward", "flag", "near", "gate", "modes"}
    agree("repairs", set(body["smallest"]), known)
    for name, tokens in body["smallest"].items():
        tree = read(tokens)
        wanted = {n.start: [n.right] for n in nodes(tree) if n.right}
        if name not in ("gate", "modes") and _without(name, tokens) == wanted:
            raise Refused(f"without {name} the heads on {''.join(tokens)} are still right")
        if name in ("gate", "modes") and not wanted:
            raise Refused(f"{''.join(tokens)} has no bracket")
    return f"{len(known)} repairs, each with a tree that fails without it"


def staircase(body: Body) -> str:
    """A triangular matrix with a diagonal that is not 0 has rank T - 1, more than the width.

    With weights equal on j ≤ i and 0 after it, q_i·k_j is the same for all j ≤ i and smaller for
    j > i. So q_i·(k_{j+1} - k_j) is 0 for j < i and negative for j = i: the matrix over i, j =
    1 … T-1 is triangular, of rank T - 1, yet a product of T-1 × k and k × T-1 matrices.
    """
    only(body, {"kind", "length", "width"})
    length, width = integer(body, "length", 2), integer(body, "width", 1)
    if length - 1 <= width:
        raise Refused(f"rank {length - 1} fits a width of {width}")
    return f"T = {length}: rank {length - 1} against a width of {width}"


def layers(body: Body) -> str:
    """A balanced tree has height ⌈log2 N⌉, a comb N - 1, and no tree of N leaves is higher."""
    only(body, {"kind", "leaves"})
    for leaves in sequence(body, "leaves"):
        level, height = leaves, 0
        while level > 1:
            level, height = (level + 1) // 2, height + 1
        agree(f"height with {leaves} leaves", height, (leaves - 1).bit_length())
    highest = [max(nodes(tree)[0].height for tree in shapes(count)) for count in range(1, 8)]
    agree("greatest heights", highest, list(range(7)))
    return f"heights ⌈log2 N⌉ to N - 1 for N in {body['leaves']}"


SIZES: dict[str, Callable[[int, int], int]] = {
    "embedding": lambda n, p: n + 4 + p,
    "initial": lambda n, p: n + p + 2,
    "mlp-input": lambda n, p: 3 * n + p + 4,
    "footnote": lambda n, p: (2 * n + 1) * (2 * n + 2) // 2,
    "degree-four": lambda n, p: comb(3 * n + p + 8, 4),
    "softplus": lambda n, p: n * n + 6 * n + 10,
    "free": lambda n, p: n + 5 + p,
}


def sizes(body: Body) -> str:
    """A size by its formula."""
    only(body, {"kind", "what", "n", "p", "value"})
    what, n, p = text(body, "what"), integer(body, "n", 1), integer(body, "p", 0)
    if what not in SIZES:
        raise Refused(f"size {what!r} is not known")
    agree(what, integer(body, "value"), SIZES[what](n, p))
    return f"{what}: {body['value']} for n = {n}, p = {p}"


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
    "trees.generic": generic,
    "trees.gate": gate,
    "trees.modes": modes,
    "trees.state": state,
    "trees.free": free,
    "trees.causal": causal,
    "trees.ablation": ablation,
    "trees.staircase": staircase,
    "trees.layers": layers,
    "trees.size": sizes,
    "trees.degree": degree,
    "trees.markers": marks,
}
