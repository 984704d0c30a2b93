"""Certificates on trees and Theorem 3, confirmed once more from the nested pairs of the trees.

Kinds         trees.position, trees.rule, trees.mended: printed and mended statements on positions
              trees.left-head, trees.left-last, trees.nearness: positions on the half circle
              (the right head is in `trees_heads`, states in `trees_states` and `trees_gate`, the
              construction without masks in `trees_free`, sizes in `trees_more`)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.treework import (
    Tree,
    before_depths,
    few,
    folded,
    markers,
    nearest_on_circle,
    nodes,
    printed_depths,
    read,
    shapes_within,
    written,
)

Body = Mapping[str, Any]
Values = dict[int, Any]
Function = Callable[[Tree], Values]


def at_nodes(values: list[Any], tree: Tree) -> Values:
    """The values at the positions where subtrees begin."""
    return {node.start: values[node.start - 1] for node in nodes(tree)}


def levels(tree: Tree) -> Values:
    """Ancestors of each node."""
    return {node.start: node.level for node in nodes(tree)}


def heights(tree: Tree) -> Values:
    """Height of each subtree."""
    return {node.start: node.height for node in nodes(tree)}


def lefts(tree: Tree) -> Values:
    """Where left children begin."""
    return {node.start: node.left for node in nodes(tree)}


def rights(tree: Tree) -> Values:
    """Where right children begin."""
    return {node.start: node.right for node in nodes(tree)}


def inner(values: Values, tree: Tree) -> Values:
    """Only inner nodes."""
    return {node.start: values[node.start] for node in nodes(tree) if node.right}


def summed(tree: Tree) -> Values:
    """The printed sum."""
    return at_nodes(printed_depths(written(tree)), tree)


def before(tree: Tree) -> Values:
    """Brackets open before."""
    return at_nodes(before_depths(written(tree)), tree)


def means(tree: Tree) -> Values:
    """The causal mean of m_{j+1}."""
    return {i: Fraction(value, i) for i, value in summed(tree).items()}


def shifted(offset: int) -> Function:
    """m_{i+offset}, 0 outside."""

    def found(tree: Tree) -> Values:
        m = [0, *markers(written(tree)), 0]
        return {node.start: m[node.start + offset] for node in nodes(tree)}

    return found


def left_head(tree: Tree) -> Values:
    """Where the left head looks."""
    length = len(written(tree))
    return {n.start: min(nearest_on_circle(n.start + 1, length)) for n in nodes(tree)}


def closest(depths: Callable[[list[str]], list[int]]) -> Function:
    """The closest j > i + 1 with d_j = d_i + 1, from inner nodes."""

    def found(tree: Tree) -> Values:
        d = depths(written(tree))
        fits = {
            n.start: [j for j in range(n.start + 2, len(d) + 1) if d[j - 1] == d[n.start - 1] + 1]
            for n in nodes(tree)
            if n.right
        }
        return {i: min(js, default=0) for i, js in fits.items()}

    return found


def second_tree(tree: Tree) -> Values:
    """The second later subtree one level down, from inner nodes."""
    whole = nodes(tree)
    return {
        n.start: [m.start for m in whole if m.start > n.start and m.level == n.level + 1][1]
        for n in whole
        if n.right
    }


def second_position(tree: Tree) -> Values:
    """The second later position with d_j = d_{i+1}."""
    d = before_depths(written(tree))
    found = {}
    for node in nodes(tree):
        i = node.start
        same = [j for j in range(i + 1, len(d) + 1) if d[j - 1] == d[min(i, len(d) - 1)]]
        found[i] = same[1] if len(same) > 1 else 0
    return found


def penalty(depths: Callable[[list[str]], list[int]]) -> Function:
    """The least depth term from inner nodes."""

    def found(tree: Tree) -> Values:
        d = depths(written(tree))
        starts = [node.start for node in nodes(tree) if node.right]
        return {i: min((1 - (x - d[i - 1])) ** 2 for x in d) for i in starts}

    return found


def rescaled(tree: Tree) -> Values:
    """The mean times the number of positions."""
    return {i: i * value for i, value in means(tree).items()}


def nothing(tree: Tree) -> Values:
    """0 everywhere."""
    return {node.start: 0 for node in nodes(tree)}


def next_position(tree: Tree) -> Values:
    """i + 1."""
    return {node.start: node.start + 1 for node in nodes(tree)}


RULES: dict[str, tuple[Function, Function, Function]] = {
    "depth": (summed, levels, before),
    "difference": (summed, before, levels),
    "mean": (means, summed, rescaled),
    "shift": (shifted(1), shifted(-1), shifted(-1)),
    "meaning": (heights, levels, levels),
    "left-child": (next_position, lefts, lambda t: inner(next_position(t), t)),
    "left-output": (left_head, lefts, lambda t: inner(left_head(t), t)),
    "right-output": (lambda t: {1: 1}, rights, lambda t: inner(rights(t), t)),
    "closest": (closest(printed_depths), rights, closest(before_depths)),
    "second-tree": (second_tree, rights, second_tree),
    "second": (second_position, rights, lambda t: inner(second_position(t), t)),
    "penalty": (penalty(printed_depths), nothing, penalty(before_depths)),
}


def rule_of(body: Body) -> tuple[Function, Function, Function]:
    """The three functions of the rule that a certificate names."""
    name = text(body, "rule")
    if name not in RULES:
        raise Refused(f"rule {name!r} is not known")
    return RULES[name]


def position(body: Body) -> str:
    """A printed statement gives another value than the true one at a position of a tree."""
    only(body, {"kind", "rule", "tokens", "position", "printed", "true"})
    printed, truth, _ = rule_of(body)
    tree, i = read(sequence(body, "tokens")), integer(body, "position", 1)
    said, right = printed(tree).get(i), truth(tree).get(i)
    if said is None or right is None:
        raise Refused(f"position {i} is not one where the statement speaks")
    agree("printed value", fraction(body["printed"]), said)
    agree("true value", fraction(body["true"]), right)
    if said == right:
        raise Refused("the two values are equal")
    return f"{text(body, 'rule')}: {''.join(written(tree))}, position {i}: {said}, truly {right}"


def rule(body: Body) -> str:
    """A statement is right at all positions of all shapes."""
    only(body, {"kind", "rule", "reading", "leaves", "positions"})
    printed, truth, mended = rule_of(body)
    function = printed if text(body, "reading") == "literal" else mended
    leaves, count = few(body), 0
    for tree in shapes_within(leaves):
        true = truth(tree)
        for i, value in function(tree).items():
            count += 1
            agree(f"{''.join(written(tree))}, position {i}", value, true[i])
    agree("positions", integer(body, "positions"), count)
    return f"{text(body, 'rule')}: right at {count} positions of all shapes up to {leaves} leaves"


def mended_fails(body: Body) -> str:
    """A mended statement is wrong at a position of a tree."""
    only(body, {"kind", "rule", "tokens", "position"})
    _, truth, mended = rule_of(body)
    tree, i = read(sequence(body, "tokens")), integer(body, "position", 1)
    if mended(tree).get(i) == truth(tree).get(i):
        raise Refused("the mended statement is right there")
    return f"{text(body, 'rule')}: mended, wrong on {''.join(written(tree))} at {i}"


def left(body: Body) -> str:
    """From i < T the left head looks at i + 1, from T at T; by exact angles."""
    only(body, {"kind", "longest", "turn", "positions"})
    agree("turn", integer(body, "turn"), 1)
    longest = integer(body, "longest", 2)
    agree("positions", integer(body, "positions"), longest * (longest + 1) // 2 - 1)
    for length in range(2, longest + 1):
        for i in range(1, length + 1):
            wanted = [i + 1] if i < length else [length]
            agree(f"T = {length}, i = {i}", wanted, nearest_on_circle(i + 1, length))
    return f"left head: i + 1 from i < T, T from T, for T up to {longest}"


def left_last(body: Body) -> str:
    """The last position attends to itself, not to T + 1."""
    only(body, {"kind", "length", "attended"})
    length = integer(body, "length", 2)
    agree("attended", [integer(body, "attended")], nearest_on_circle(length + 1, length))
    return f"T = {length}: the last position attends to {length}"


def nearness(body: Body) -> str:
    """The angle π x/T, folded, grows strictly for x = 0 … T, so its cosine falls."""
    only(body, {"kind", "longest", "steps"})
    longest = integer(body, "longest", 2)
    agree("steps", integer(body, "steps"), longest * (longest + 1) // 2 - 1)
    for length in range(2, longest + 1):
        angles = [folded(Fraction(x, length)) for x in range(length + 1)]
        if any(a >= b for a, b in pairwise(angles)):
            raise Refused(f"T = {length}: the angle does not grow")
    return f"closeness is cosine order for T up to {longest}"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.position": position,
    "trees.rule": rule,
    "trees.mended": mended_fails,
    "trees.left-head": left,
    "trees.left-last": left_last,
    "trees.nearness": nearness,
}
