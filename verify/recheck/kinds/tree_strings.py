"""Confirms facts on strings of trees by recursion on pairs, never by a scan of the string.

tree.strings        ends of subtrees from the nodes; letters multiply the shapes
tree.strings-in     the first tree that is no letter has brackets and letters
tree.one-length     a tree with k leaves has 3k - 2 tokens
tree.not-a-string   a reader that refuses what is no tree
tree.rule           each number once more, from the nodes of the tree
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, comparison
from verify.recheck.kernel import tree
from verify.recheck.kernel.tree import LETTERS, Node, Tree

Numbers = dict[int, Fraction]
MOST_LEAVES = 8
SETS = ("Σ* ∪ {[, ]}", "(Σ ∪ {[, ]})*")


def lettered(leaves: int) -> list[Tree]:
    """All shapes with at most that many leaves, the leaves lettered a, b, c, … from left to right."""
    return [tree.labelled(shape, iter(LETTERS)) for shape in tree.shapes_within(leaves)]


@confirms("tree.strings", "exhaustive", letters=(1, 8), leaves=(1, 7))
def strings(letters: int, leaves: int) -> Recomputed:
    """Every shape: the string is read back, and each node's end is the only one of its position."""
    trees = positions = 0
    for shape in tree.shapes_within(leaves):
        _one_string(shape)
        count = (tree.size(shape) + 2) // 3
        trees += letters**count
        positions += letters**count * (2 * count - 1)
    return Recomputed(True, {"trees": trees, "positions": positions})


def _one_string(shape: Tree) -> None:
    written = tree.written(shape)
    nodes = tree.nodes(shape)
    ends = {node.start: node.start + tree.size(node.tree) - 1 for node in nodes}
    for start in range(1, len(written) + 1):
        found = [
            end
            for end in range(start, len(written) + 1)
            if _balanced(written[start - 1 : end]) and written[start - 1] != "]"
        ]
        if found != ([ends[start]] if start in ends else []):
            raise Refused(f"{''.join(written)}, position {start}: ends {found}")
    if tree.read(written) != shape or 3 * max(n.height for n in nodes) >= len(written):
        raise Refused(f"{''.join(written)}: not read back, or too high")


def _balanced(tokens: list[str]) -> bool:
    """Return True if a part of a tree's string is a tree's string: depth 0 is reached at the end only."""
    depths = list(accumulate(tree.markers(tokens)))
    return depths[-1] == 0 and (len(tokens) == 1 or min(depths[:-1]) > 0)


@confirms("tree.strings-in", "exhaustive", among=SETS, letters=(1, 8), leaves=(1, 7))
def strings_in(among: str, letters: int, leaves: int) -> Recomputed:
    """Trees of one leaf are letters; the first tree of two leaves mixes letters and brackets."""
    if among == SETS[0] and leaves > 1:
        return Recomputed(False, {}, {"string": "".join(tree.written((LETTERS[0], LETTERS[0])))})
    counts = [letters**k * len(tree.shapes(k)) for k in range(1, leaves + 1)]
    return Recomputed(True, {"trees": sum(counts)})


@confirms("tree.one-length", "exhaustive", length=(1, 100))
def one_length(length: int) -> Recomputed:
    """The lengths of strings up to T are 1, 4, 7, …"""
    lengths = list(range(1, length + 1, 3))
    if lengths == [length]:
        return Recomputed(True, {"lengths": lengths})
    return Recomputed(False, {"lengths": lengths}, {"string": "a", "tokens": 1, "length": length})


@confirms("tree.not-a-string", "exact", string=str)
def not_a_string(string: str) -> Recomputed:
    """The reader refuses it; or it is read, and its nodes are counted."""
    if not 1 <= len(string) <= 200:
        raise Refused("expected a string of 1 to 200 symbols")
    try:
        found = tree.read(list(string))
    except Refused:
        return Recomputed(True)
    return Recomputed(False, {}, {"nodes": len(tree.nodes(found))})


def _sums(nodes: list[Node], tokens: list[str], first: int, last: int) -> Numbers:
    """Σ m_k over k from `first` to i + last, at each node i; markers outside are 0."""
    m = dict(enumerate(tree.markers(tokens), 1))
    return {
        node.start: Fraction(sum(m.get(k, 0) for k in range(first, node.start + last + 1)))
        for node in nodes
    }


def _around(nodes: list[Node]) -> Numbers:
    """Number of inner nodes that begin before a position and end after it."""
    spans = [(n.start, n.start + tree.size(n.tree)) for n in nodes if n.right]
    return {n.start: Fraction(sum(a < n.start < b for a, b in spans)) for n in nodes}


def _second(nodes: list[Node]) -> Numbers:
    """From each inner node the second later node one level down."""
    ordered = sorted(nodes, key=lambda n: n.start)
    return {
        n.start: Fraction(
            [o.start for o in ordered if o.start > n.start and o.level == n.level + 1][1]
        )
        for n in ordered
        if n.right
    }


def _closest(nodes: list[Node], tokens: list[str]) -> Numbers:
    """From each inner node the closest token j > i + 1 with as many open brackets as its children."""
    depth = tree.before_depths(tokens)
    return {
        n.start: Fraction(
            min(j for j, d in enumerate(depth, 1) if j > n.start + 1 and d == n.level + 1)
        )
        for n in nodes
        if n.right
    }


Rule = Callable[[list[Node], list[str]], Numbers]
RULES: dict[str, Rule] = {
    "sum of m_{j+1} over j ≤ i": lambda nodes, s: _sums(nodes, s, 2, 1),
    "sum of m_j over j < i": lambda nodes, s: _sums(nodes, s, 1, -1),
    "mean of m_{j-1} over j ≤ i": lambda nodes, s: {
        i: total / i for i, total in _sums(nodes, s, 1, -1).items()
    },
    "i times that mean": lambda nodes, s: _sums(nodes, s, 1, -1),
    "m_{i+1}": lambda nodes, s: {n.start: Fraction(tree.markers([*s, ""])[n.start]) for n in nodes},
    "m_{i-1}": lambda nodes, s: {
        n.start: Fraction(tree.markers(["", *s])[n.start - 1]) for n in nodes
    },
    "level": lambda nodes, s: {n.start: Fraction(n.level) for n in nodes},
    "enclosing brackets": lambda nodes, s: _around(nodes),
    "height of the subtree": lambda nodes, s: {n.start: Fraction(n.height) for n in nodes},
    "i + 1": lambda nodes, s: {n.start: Fraction(n.start + 1) for n in nodes if n.right},
    "left child": lambda nodes, s: {n.start: Fraction(n.left) for n in nodes if n.right},
    "right child": lambda nodes, s: {n.start: Fraction(n.right) for n in nodes if n.right},
    "second tree one level down": lambda nodes, s: _second(nodes),
    "closest j > i + 1 one level down": _closest,
}


def _rule(name: Any) -> Rule:
    if not isinstance(name, str) or name not in RULES:
        raise Refused(f"{abbreviate(name)} is not known")
    return RULES[name]


@confirms("tree.rule", "exhaustive", given=_rule, wanted=_rule, leaves=(1, MOST_LEAVES))
def rule(given: Rule, wanted: Rule, leaves: int) -> Recomputed:
    """Both numbers at every position of every shape, and the first difference."""
    places = wrong = 0
    first: dict[str, Any] | None = None
    shapes = lettered(leaves)
    for shape in shapes:
        nodes, tokens = tree.nodes(shape), tree.written(shape)
        said, true = given(nodes, tokens), wanted(nodes, tokens)
        if not set(said) <= set(true):
            raise Refused("the second number is not there at every position of the first")
        places += len(said)
        differing = [i for i in sorted(said) if said[i] != true[i]]
        wrong += bool(differing)
        if differing and first is None:
            i = differing[0]
            shown = {"given": str(said[i]), "wanted": str(true[i])}
            first = {"string": "".join(tokens), "position": i, **shown}
    values = {"trees": len(shapes), "positions": places, "wrong": wrong}
    return Recomputed(first is None, values, first)


@confirms("tree.markers", "exact", letter=(-9, 9), opening=(-9, 9), closing=(-9, 9))
def markers(letter: int, opening: int, closing: int) -> Recomputed:
    """No two of the three markers are the same."""
    given = [letter, opening, closing]
    return comparison(len(set(given)) == 3, markers=given)
