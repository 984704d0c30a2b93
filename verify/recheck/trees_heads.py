"""Certificates on the right head of Theorem 3 and its step, by intervals and exact angles.

Kinds         trees.right-head, trees.early-head: where the printed head looks, by intervals
              trees.step-head, trees.never-early: an exact step, by folded angles
              trees.right-forms: the columns of the repaired head, run on all small shapes
              trees.rank, trees.step, trees.step-repaired, trees.fourier, trees.fourier-width
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from verify.recheck.bounds import cos_pi
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.trees import inner, rights
from verify.recheck.treework import (
    before_depths,
    few,
    folded,
    near,
    nodes,
    printed_depths,
    read,
    running,
    shapes_within,
    step,
    written,
)

Body = Mapping[str, Any]
HALF = Fraction(1, 2)
COORDINATES = ("one", "place.0", "place.1", "count", "kind", "mark")


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
    looks = sequence(body, "attended")
    agree("numbers of terms", [k for k, _ in looks], list(range(len(looks) or 1)))
    for terms, attended in looks:
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


def early_head(body: Body) -> str:
    """From an opening bracket the head with right depths looks before i + 2, for every k."""
    only(body, {"kind", "step", "tokens", "position", "attended"})
    tree, i = read(sequence(body, "tokens")), integer(body, "position", 1)
    tokens, kind = written(tree), text(body, "step")
    if not rights(tree).get(i):
        raise Refused(f"position {i} is no opening bracket")
    candidates, looks = running(i, before_depths(tokens)), sequence(body, "attended")
    agree("numbers of terms", [k for k, _ in looks], list(range(9)))
    for terms, attended in looks:
        _beats(i, attended, candidates, len(tokens), terms, kind)
        if attended >= i + 2:
            raise Refused(f"with {terms} terms the head looks at {attended}, not before {i + 2}")
    return f"{''.join(tokens)}, position {i}: looks before {i + 2} for k = 0 … 8"


def never_early(body: Body) -> str:
    """An exact step: the best position in the running is at least i + 2; the margin is positive."""
    only(body, {"kind", "leaves", "brackets", "longest"})
    leaves, count = few(body), 0
    for tree in shapes_within(leaves):
        d = before_depths(written(tree))
        for i in inner(rights(tree), tree):
            if not any(j >= i + 2 for j in running(i, d)):
                raise Refused(f"{''.join(written(tree))}, position {i}: nothing from i + 2 on")
            count += 1
    agree("opening brackets", integer(body, "brackets"), count)
    agree("longest", integer(body, "longest", 4), 24)
    for length in range(4, body["longest"] + 1):
        last, next_one = (cos_pi(Fraction(x, length), 64) for x in (length - 3, 1))
        if not 2 + last[0] > next_one[1]:
            raise Refused(f"T = {length}: the margin may not be positive")
    return f"an exact step: {count} opening brackets look at i + 2 or later"


def right_forms(body: Body) -> str:
    """The stated columns, as products of queries and keys for j ≥ i, find every right child."""
    only(body, {"kind", "n", "rows", "forms", "leaves", "brackets"})
    n, leaves, count = integer(body, "n", 1), few(body, 6), 0
    agree("rows", integer(body, "rows"), n + len(COORDINATES))
    columns = [tuple(_form(side) for side in pair) for pair in sequence(body, "forms", 3)]
    for tree in shapes_within(leaves):
        rows = _tokens(tree)
        for i, child in inner(rights(tree), tree).items():
            scores = {
                j: sum(_dot(q, rows[i - 1]) * _dot(k, rows[j - 1]) for q, k in columns)
                for j in range(i, len(rows) + 1)
            }
            best = [j for j, score in scores.items() if score == max(scores.values())]
            agree(f"{''.join(written(tree))}, position {i}", best, [child])
            count += 1
    agree("opening brackets", integer(body, "brackets"), count)
    return f"{len(columns)} columns find {count} right children, up to {leaves} leaves"


def _form(side: Any) -> dict[str, Fraction]:
    if not isinstance(side, dict) or not side or not set(side) <= set(COORDINATES):
        raise Refused("a column is a linear form in known coordinates")
    return {name: fraction(value) for name, value in side.items()}


def _dot(form: Mapping[str, Fraction], row: Mapping[str, int]) -> Fraction:
    return sum((weight * row[name] for name, weight in form.items()), Fraction(0))


def _tokens(tree: Any) -> list[dict[str, int]]:
    """The coordinates of all tokens, the end token last; mark is d² + [a left child begins]."""
    tokens = [*written(tree), ""]
    depths = [*before_depths(tokens[:-1]), 0]
    lefts = {node.left for node in nodes(tree) if node.right} | {1}
    return [
        {
            "one": 1,
            "place.0": i,
            "place.1": i * i,
            "count": d,
            "kind": {"[": 1, "": -1}.get(symbol, 0),
            "mark": d * d + (i in lefts and (i > 1 or symbol == "[")),
        }
        for i, (symbol, d) in enumerate(zip(tokens, depths, strict=True), 1)
    ]


def step_head(body: Body) -> str:
    """With an exact step and brackets before i the printed score finds every right child.

    Scores are 2 + cos for j ≥ i + 2 and cos before; the order is exact by folded angles.
    """
    only(body, {"kind", "leaves", "brackets"})
    leaves, count = few(body), 0
    for tree in shapes_within(leaves):
        d, length = before_depths(written(tree)), len(written(tree))
        for i, right in inner(rights(tree), tree).items():
            fits = [j for j in running(i, d) if j >= i + 2]
            best = min(fits, key=lambda j: folded(Fraction(i + 2 - j, length)))
            agree(f"{''.join(written(tree))}, position {i}", best, right)
            count += 1
    agree("opening brackets", integer(body, "brackets"), count)
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
    only(body, {"kind", "length", "i", "j", "terms", "last"})
    agree("terms", sequence(body, "terms"), list(range(integer(body, "last", 0) + 1)))
    length, i, j = (integer(body, key, 1) for key in ("length", "i", "j"))
    if j < i + 2:
        raise Refused("j is below i + 2")
    for terms in sequence(body, "terms"):
        if not step(i, j, length, terms, "literal")[1] < HALF:
            raise Refused(f"with {terms} terms the sum is not below ½")
    return f"T = {length}, i = {i}, j = {j}: below ½ for k in {body['terms']}"


def repaired_step(body: Body) -> str:
    """With k = 2T the repaired sum is within ¼ of the step."""
    only(body, {"kind", "lengths", "offsets"})
    offsets = sum(2 * length - 1 for length in sequence(body, "lengths"))
    agree("offsets", integer(body, "offsets"), offsets)
    for length in sequence(body, "lengths"):
        for m in range(1 - length, length):
            low, high = step(0, m, length, 2 * length, "repaired")
            wanted = int(m >= 2)
            if not (abs(low - wanted) < Fraction(1, 4) and abs(high - wanted) < Fraction(1, 4)):
                raise Refused(f"T = {length}, offset {m}: not within ¼")
    return f"repaired sum within ¼ for T in {body['lengths']}"


@cache
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
    only(body, {"kind", "terms", "pairs"})
    total = sum(len(pairs_of(length)) for length, _ in sequence(body, "terms"))
    agree("pairs", integer(body, "pairs"), total)
    for length, terms in sequence(body, "terms"):
        pairs = pairs_of(length)
        for k in range(terms + 1):
            agree(f"T = {length}, k = {k}", separates(pairs, length, k), k == terms)
    return "least k: " + ", ".join(f"{k} at T = {t}" for t, k in body["terms"])


def fourier_width(body: Body) -> str:
    """Three columns for depths, two for the place, two for each sine: more than seven."""
    only(body, {"kind", "length", "terms", "columns"})
    length, terms = integer(body, "length", 4), integer(body, "terms")
    pairs = len(pairs_of(length))
    fourier({"kind": "trees.fourier", "terms": [[length, terms]], "pairs": pairs})
    agree("columns", integer(body, "columns"), 3 + 2 + 2 * (terms + 1))
    if body["columns"] <= 7:
        raise Refused("the columns do not exceed 7")
    return f"T = {length}: k = {terms} takes {body['columns']} columns"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.right-head": right_head,
    "trees.early-head": early_head,
    "trees.step-head": step_head,
    "trees.never-early": never_early,
    "trees.right-forms": right_forms,
    "trees.rank": rank,
    "trees.step": literal_step,
    "trees.step-repaired": repaired_step,
    "trees.fourier": fourier,
    "trees.fourier-width": fourier_width,
}
