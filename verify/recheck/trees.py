"""Certificates on trees and Theorem 3, confirmed once more from the nested pairs of the trees.

Kinds         trees.position, trees.rule, trees.mended: printed and mended statements on positions
              trees.left-head, trees.left-last, trees.nearness: positions on the half circle
              trees.right-head, trees.step-head, trees.step, trees.step-repaired, trees.fourier,
              trees.fourier-width, trees.rank: the right head and its step
              (sizes, shapes, automata and errors are in `trees_more`)
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
    near,
    nearest_on_circle,
    nodes,
    printed_depths,
    read,
    running,
    shapes_within,
    step,
    written,
)

Body = Mapping[str, Any]
Values = dict[int, Any]
Function = Callable[[Tree], Values]
HALF = Fraction(1, 2)


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
    only(body, {"kind", "longest", "turn"})
    agree("turn", integer(body, "turn"), 1)
    longest = integer(body, "longest", 2)
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
    only(body, {"kind", "longest"})
    longest = integer(body, "longest", 2)
    for length in range(2, longest + 1):
        angles = [folded(Fraction(x, length)) for x in range(length + 1)]
        if any(a >= b for a, b in pairwise(angles)):
            raise Refused(f"T = {length}: the angle does not grow")
    return f"closeness is cosine order for T up to {longest}"


def right_head(body: Body) -> str:
    """From a position the printed right head looks elsewhere than at the right child."""
    only(body, {"kind", "depth", "step", "tokens", "position", "child", "attended"})
    tree, i = read(sequence(body, "tokens")), integer(body, "position", 1)
    tokens, kind = written(tree), text(body, "step")
    agree("right child", integer(body, "child"), rights(tree).get(i))
    depths = {"printed": printed_depths, "before": before_depths}.get(text(body, "depth"))
    if depths is None:
        raise Refused(f"depth {body['depth']!r} is not known")
    candidates = running(i, depths(tokens))
    for terms, attended in sequence(body, "attended"):
        _beats(i, attended, candidates, len(tokens), terms, kind)
        if attended == body["child"]:
            raise Refused(f"with {terms} terms the head does attend to the right child")
    return f"{''.join(tokens)}, position {i}: attends to {attended}, not {body['child']}"


def _beats(
    i: int, attended: int, candidates: list[int], length: int, terms: int, kind: str
) -> None:
    if attended not in candidates:
        raise Refused(f"position {attended} is not in the running")
    low = near(i, attended, length, terms, kind)[0]
    for j in candidates:
        if j != attended and not low > near(i, j, length, terms, kind)[1]:
            raise Refused(f"position {j} may score as high as {attended}")


def step_head(body: Body) -> str:
    """With an exact step and brackets before i the printed score finds every right child.

    Scores are 2 + cos for j ≥ i + 2 and cos before; the order is exact by folded angles.
    """
    only(body, {"kind", "leaves"})
    leaves, count = few(body), 0
    for tree in shapes_within(leaves):
        d, length = before_depths(written(tree)), len(written(tree))
        for i, right in inner(rights(tree), tree).items():
            fits = [j for j in running(i, d) if j >= i + 2]
            best = min(fits, key=lambda j: folded(Fraction(i + 2 - j, length)))
            agree(f"{''.join(written(tree))}, position {i}", best, right)
            count += 1
    return f"right heads with an exact step: {count} opening brackets, up to {leaves} leaves"


def rank(body: Body) -> str:
    """[j ≥ i+2] has T - 2 rows in echelon form: row i begins with a 1 in column i + 2."""
    only(body, {"kind", "length", "rank", "width"})
    length, width = integer(body, "length", 3), integer(body, "width", 1)
    agree("rank", integer(body, "rank"), length - 2)
    if length - 2 <= width:
        raise Refused("the rank does not exceed the width")
    return f"T = {length}: rank {length - 2} > {width}"


def literal_step(body: Body) -> str:
    """The printed sum is below ½ at some j ≥ i + 2."""
    only(body, {"kind", "length", "i", "j", "terms"})
    length, i, j = (integer(body, key, 1) for key in ("length", "i", "j"))
    if j < i + 2:
        raise Refused("j is below i + 2")
    for terms in sequence(body, "terms"):
        if not step(i, j, length, terms, "literal")[1] < HALF:
            raise Refused(f"with {terms} terms the sum is not below ½")
    return f"T = {length}, i = {i}, j = {j}: below ½ for k in {body['terms']}"


def repaired_step(body: Body) -> str:
    """With k = 2T the repaired sum is within ¼ of the step."""
    only(body, {"kind", "lengths"})
    for length in sequence(body, "lengths"):
        for m in range(1 - length, length):
            low, high = step(0, m, length, 2 * length, "repaired")
            wanted = int(m >= 2)
            if not (abs(low - wanted) < Fraction(1, 4) and abs(high - wanted) < Fraction(1, 4)):
                raise Refused(f"T = {length}, offset {m}: not within ¼")
    return f"repaired sum within ¼ for T in {body['lengths']}"


def pairs_of(length: int) -> set[tuple[int, int]]:
    """Offsets of right children and their rivals in all trees of at most T tokens."""
    found = set()
    for tree in shapes_within((length + 2) // 3):
        d = before_depths(written(tree))
        for i, right in inner(rights(tree), tree).items():
            rivals = [j for j, x in enumerate(d, 1) if x == d[i - 1] + 1 and j != right]
            found |= {(right - i, j - i) for j in rivals}
    return found


def separates(pairs: set[tuple[int, int]], length: int, terms: int) -> bool | None:
    """Whether k terms separate all pairs; None if the intervals do not decide."""
    offsets = {m for pair in pairs for m in pair}
    value = {m: near(0, m, length, terms, "repaired") for m in offsets}
    if all(value[a][0] > value[b][1] for a, b in pairs):
        return True
    return False if any(value[a][1] <= value[b][0] for a, b in pairs) else None


def fourier(body: Body) -> str:
    """For each T the stated k separates all pairs, and no smaller k does."""
    only(body, {"kind", "terms"})
    for length, terms in sequence(body, "terms"):
        pairs = pairs_of(length)
        for k in range(terms + 1):
            agree(f"T = {length}, k = {k}", separates(pairs, length, k), k == terms)
    return "least k: " + ", ".join(f"{k} at T = {t}" for t, k in body["terms"])


def fourier_width(body: Body) -> str:
    """Three columns for depths, two for the place, two for each sine: more than seven."""
    only(body, {"kind", "length", "terms", "columns"})
    length, terms = integer(body, "length", 4), integer(body, "terms")
    fourier({"kind": "trees.fourier", "terms": [[length, terms]]})
    agree("columns", integer(body, "columns"), 3 + 2 + 2 * (terms + 1))
    if body["columns"] <= 7:
        raise Refused("the columns do not exceed 7")
    return f"T = {length}: k = {terms} takes {body['columns']} columns"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.position": position,
    "trees.rule": rule,
    "trees.mended": mended_fails,
    "trees.left-head": left,
    "trees.left-last": left_last,
    "trees.nearness": nearness,
    "trees.right-head": right_head,
    "trees.step-head": step_head,
    "trees.rank": rank,
    "trees.step": literal_step,
    "trees.step-repaired": repaired_step,
    "trees.fourier": fourier,
    "trees.fourier-width": fourier_width,
}
