"""Confirms the targets of heads, by exact angles and rational intervals, and the terms of sums of sines.

tree.left-head      cos(π(i+1-j)/T) falls with the folded angle, which is a rational
tree.right-head     scores as intervals; a comparison they leave open is refused
step.near           the sum of sines as an interval at every offset
step.some-count     for each k the first T at which a rival is certainly ahead
score.rank          elimination in rationals
softmax.depths      weights exp(-M^(1-2k)) of earlier tokens; later ones weigh at most e^(-M)
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import Recomputed, Refused, fraction
from verify.recheck.kernel import tree
from verify.recheck.kernel.interval import Interval, exp
from verify.recheck.kernel.tree import Tree
from verify.recheck.kinds.tree_strings import lettered

DEPTHS = {"printed": tree.printed_depths, "before": tree.before_depths}
STEPS = ("literal", "scaled", "repaired", "exact")
TERMS = Different((0, 40), 1, 12)
UNIT = 10**12
BITS = 120
LEAST_GROWTH = 64


@confirms("tree.left-head", "exact", longest=(1, 48))
def left_head(longest: int) -> Recomputed:
    """The largest score is at the smallest folded angle."""
    for length in range(1, longest + 1):
        for i in range(1, length + 1):
            if (found := tree.nearest_on_circle(i + 1, length)) != [min(i + 1, length)]:
                return Recomputed(False, {}, {"T": length, "i": i, "attended": found})
    return Recomputed(True, {"positions": longest * (longest + 1) // 2})


def attended(i: int, tokens: list[str], depth: str, step: str, terms: int) -> int:
    """Position that the head attends from i: the candidate certainly ahead of all others."""
    length = len(tokens)
    scores = {
        j: tree.near(i, j, length, terms, step) for j in tree.running(i, DEPTHS[depth](tokens))
    }
    best = max(scores, key=lambda j: scores[j][0])
    if any(high >= scores[best][0] for j, (_, high) in scores.items() if j != best):
        raise Refused(f"{''.join(tokens)}, position {i}: intervals do not decide")
    return best


def rights(shape: Tree) -> dict[int, int]:
    """The right child of each inner node."""
    return {node.start: node.right for node in tree.nodes(shape) if node.right}


@confirms(
    "tree.right-head", "enclosure", depth=tuple(DEPTHS), step=STEPS, terms=TERMS, leaves=(1, 6)
)
def right_head(depth: str, step: str, terms: list[int], leaves: int) -> Recomputed:
    """All opening brackets of all shapes, for each number of terms."""
    missed: list[dict[tuple[str, int], int]] = [{} for _ in terms]
    children: dict[tuple[str, int], int] = {}
    for shape in lettered(leaves):
        tokens = tree.written(shape)
        for i, right in sorted(rights(shape).items()):
            children["".join(tokens), i] = right
            for k, found in zip(terms, missed, strict=True):
                if (looks := attended(i, tokens, depth, step, k)) != right:
                    found["".join(tokens), i] = looks
    values = {"brackets": len(children), "missed": [len(found) for found in missed]}
    if not all(missed):
        return Recomputed(True, values)
    common = [case for case in children if all(case in found for found in missed)]
    if not common:
        return Recomputed(None, values)
    string, i = common[0]
    shown = {"child": children[string, i], "looks": [found[string, i] for found in missed]}
    return Recomputed(False, values, {"string": string, "position": i, **shown})


@confirms("tree.right-heads", "enclosure", string=str, terms=(0, 40))
def right_heads(string: str, terms: int) -> Recomputed:
    """One tree: arcs of both heads, and the first with a wrong target."""
    if len(string) > 40:
        raise Refused("expected a tree of at most 40 tokens")
    shape = tree.read(list(string))
    wanted, tokens = rights(shape), list(string)
    ways = {
        "right head as printed": ("printed", "literal", terms),
        "right head as repaired": ("before", "exact", 0),
    }
    heads = [_arcs(label, tokens, wanted, *way) for label, way in ways.items()]
    depths = tree.before_depths(tokens)
    values = {"drawing": {"tokens": tokens, "depths": depths, "heads": heads}}
    if not heads[0]["missed"]:
        return Recomputed(True, values)
    i = heads[0]["missed"][0]
    looks = dict(heads[0]["arcs"])[i]
    shown = {"string": string, "position": i, "child": wanted[i], "looks": looks}
    return Recomputed(False, values, shown)


def _arcs(
    label: str, tokens: list[str], wanted: dict[int, int], depth: str, step: str, terms: int
) -> dict[str, Any]:
    looks = {i: attended(i, tokens, depth, step, terms) for i in sorted(wanted)}
    return {
        "label": label,
        "arcs": [[i, j] for i, j in looks.items()],
        "missed": [i for i, j in looks.items() if j != wanted[i]],
        "depths": DEPTHS[depth](tokens),
    }


def slack(value: Any) -> Fraction:
    """A number between 0 and 1."""
    if not 0 < (found := fraction(value)) < 1:
        raise Refused(f"{value}, expected a slack between 0 and 1")
    return found


@confirms(
    "step.near",
    "enclosure",
    formula=STEPS,
    lengths=Different((2, 16), 1, 6),
    terms=TERMS,
    within=slack,
)
def near_step(formula: str, lengths: list[int], terms: list[int], within: Fraction) -> Recomputed:
    """At every offset the interval of the sum is certainly within the within, or certainly not."""
    for length in lengths:
        far = [_far(formula, length, k, within) for k in terms]
        if all(far):
            common = set.intersection(*far)
            if not common:
                return Recomputed(None, {"T": length})
            offset = min(common, key=lambda m: (abs(m - 2), -m))
            return Recomputed(False, {}, {"T": length, "offset": offset, "step": int(offset >= 2)})
    return Recomputed(True, {"offsets": sum(2 * length - 1 for length in lengths)})


def _far(formula: str, length: int, terms: int, slack: Fraction) -> set[int]:
    found = set()
    for m in range(1 - length, length):
        low, high = (end - int(m >= 2) for end in tree.step(0, m, length, terms, formula))
        if low > slack or high < -slack:
            found.add(m)
        elif not (-slack < low and high < slack):
            raise Refused(f"T = {length}, offset {m}: intervals do not decide")
    return found


@confirms("step.some-count", "enclosure", most=(0, 10), longest=(4, 60))
def some_count(most: int, longest: int) -> Recomputed:
    """For each number of terms the first length at which it certainly fails."""
    fails = [_first_failure(k, longest) for k in range(most + 1)]
    good = [k for k, length in enumerate(fails) if length is None]
    if good:
        return Recomputed(True, {"k": good[0]})
    numbers = list(range(most + 1))
    curve = {"label": "k fails at T", "x": list(map(str, fails)), "y": list(map(str, numbers))}
    return Recomputed(False, {"fails": [curve]}, {"k": numbers, "T": fails})


def _first_failure(terms: int, longest: int) -> int | None:
    """A right child at offset 3a - 1 against the left child, and against the token after it."""
    for length in range(4, longest + 1, 3):
        for right in range(2, length - 1, 3):
            ahead = tree.near(0, right, length, terms, "repaired")
            for rival in (1, right + 1):
                other = tree.near(0, rival, length, terms, "repaired")
                if ahead[1] < other[0]:
                    return length
                if ahead[0] <= other[1]:
                    raise Refused(f"T = {length}, offsets {right}, {rival}: intervals overlap")
    return None


@confirms(
    "score.rank", "exact", pattern=("[j ≥ i+2]", "equal on j ≤ i"), length=(3, 40), width=(1, 1000)
)
def score_rank(pattern: str, length: int, width: int) -> Recomputed:
    """The rank of the matrix that the pattern determines."""
    if pattern == "[j ≥ i+2]":
        rank = eliminated(
            [[Fraction(int(j >= i + 2)) for j in range(length)] for i in range(length)]
        )
    else:  # a triangle without a zero on its diagonal, whatever is above it
        side = range(length - 1)
        rank = eliminated([[Fraction(int(j >= i)) for j in side] for i in side])
    shown = {"T": length, "rank": rank, "columns": width}
    return Recomputed(rank <= width, shown, None if rank <= width else shown)


def eliminated(rows: list[list[Fraction]]) -> int:
    """The rank of a matrix, by elimination."""
    rank = 0
    for column in range(len(rows[0])):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            factor = rows[r][column] / rows[rank][column]
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank


@confirms(
    "softmax.depths",
    "enclosure",
    leaves=(1, 5),
    growths=[(LEAST_GROWTH, 1 << 20), 1, 4],
    below=fraction,
)
def softmax_depths(leaves: int, growths: list[int], below: Fraction) -> Recomputed:
    """The largest errors, rounded up to 12 digits, fall as M grows."""
    shapes = list(tree.shapes_within(leaves))
    errors = [_rounded(growth, shapes) for growth in growths]
    values = {"errors": [str(error) for error in errors]}
    good = errors == sorted(set(errors), reverse=True) and errors[-1] <= below
    return Recomputed(good, values, None if good else values)


def _rounded(growth: int, shapes: list[Tree]) -> Fraction:
    found = [_error(growth, shape) for shape in shapes]
    low, high = (ceil(max(pair[side] for pair in found) * UNIT) for side in (0, 1))
    if low != high:
        raise Refused(f"M = {growth}: intervals do not decide the twelfth digit")
    return Fraction(low, UNIT)


@cache
def _beside(growth: int, back: int) -> Interval:
    """exp(-M^(1-2k)), the weight of the token k before."""
    return exp(-Fraction(1, growth ** (2 * back - 1)), BITS)


@cache
def _faint() -> Fraction:
    """An upper bound on e^(-64), and so on e^(-M)."""
    return exp(Fraction(-LEAST_GROWTH), BITS)[1]


def _depth(growth: int, m: list[int], i: int) -> Interval:
    """(i - 1) times the mean of the markers, as the head weighs them."""
    low = high = whole_low = whole_high = Fraction(0)
    for j in range(1, i):
        a, b = _beside(growth, i - j)
        low, high = low + min(a * m[j - 1], b * m[j - 1]), high + max(a * m[j - 1], b * m[j - 1])
        whole_low, whole_high = whole_low + a, whole_high + b
    rest = (len(m) - i + 1) * _faint()
    low, high, whole_high = low - rest, high + rest, whole_high + rest
    ends = [(i - 1) * x / y for x in (low, high) for y in (whole_low, whole_high)]
    return min(ends), max(ends)


def _error(growth: int, shape: Tree) -> Interval:
    """The largest error of a depth in one tree; the second layer blurs by at most 2N² e^(-M)."""
    tokens = tree.written(shape)
    m, d = tree.markers(tokens), tree.before_depths(tokens)
    blur, least, most = 2 * len(tokens) ** 2 * _faint(), Fraction(0), Fraction(0)
    for i in range(2, len(tokens) + 1):
        low, high = (end - d[i - 1] for end in _depth(growth, m, i))
        most = max(most, abs(low) + blur, abs(high) + blur)
        near = Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))
        least = max(least, near - blur)
    return least, most
