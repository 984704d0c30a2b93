"""Theorem 3 as printed: each step against all small trees, with its smallest counterexample.

Asks          the depth formula, the mean, the mask, both heads, the Fourier step, the modes
Finds         the smallest tree on which a printed step is wrong, and whether the mended reading is
              right on all shapes up to a number of leaves
Notation      T = |str(t)|, k terms of the Fourier sum, β → ∞ as a limit
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import flint

from constructions.exact import cos_pi
from constructions.theorem3_printed import Depth, Printed, Step, left_attended, open_before
from constructions.trees import children
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines.tree_evidence import all_shapes, arcs, drawn, either, fails, holds
from verify.engines.tree_rules import RULES, Rule, child, differs, strings
from verify.evidence import Drawing, Evidence, Outcome, Strength, Table

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
FEW = range(9)
LONGEST_CIRCLE = 24


@check(*(rule.claim for rule in RULES))
def each_printed_rule_on_every_small_tree(job: Job) -> Iterator[Evidence]:
    """Compare each printed statement about positions with the truth on all small trees."""
    leaves = 7 if job.full else 5
    for rule in RULES:
        yield printed_rule(rule, leaves)
        yield mended_rule(rule, leaves)


def printed_rule(rule: Rule, leaves: int) -> Evidence:
    """What all small trees say of a rule as printed."""
    found = rule.smallest(leaves)
    if found is None:
        return whole_rule(rule, leaves, LITERAL)
    symbols, i = found
    said, true = rule.printed(symbols)[i], rule.truth(symbols)[i]
    wrong, total = rule.wrong(leaves)
    certificate = {
        "kind": "trees.position",
        "rule": rule.id,
        "tokens": list(symbols),
        "position": i,
        "printed": str(said),
        "true": str(true),
    }
    given, wanted = rule.shown(said), rule.shown(true)
    seen = f"On {drawn(symbols)} the print gives {given} at position {i}, where {wanted} is right"
    return fails(
        rule.claim,
        LITERAL,
        all_shapes(leaves),
        f"{seen}; it is wrong on {wrong} of {total} trees.",
        certificate,
        f"{drawn(symbols)}, position {i}: {given} for {wanted} ({rule.says}).",
    )


def mended_rule(rule: Rule, leaves: int) -> Evidence:
    """What all small trees say of a rule as mended."""
    found = rule.everywhere(leaves)
    if found is None:
        return whole_rule(rule, leaves, rule.reading)
    symbols, i = found
    certificate = {"kind": "trees.mended", "rule": rule.id, "tokens": list(symbols), "position": i}
    text = f"The mended reading is wrong on {drawn(symbols)} at position {i}."
    return fails(rule.claim, rule.reading, all_shapes(leaves), text, certificate, text)


def whole_rule(rule: Rule, leaves: int, reading: Name) -> Evidence:
    """A rule that is right on all small trees."""
    function = rule.printed if reading is LITERAL else rule.mended
    positions = sum(len(function(symbols)) for symbols in strings(leaves))
    certificate = {
        "kind": "trees.rule",
        "rule": rule.id,
        "reading": reading.value,
        "leaves": leaves,
        "positions": positions,
    }
    return holds(
        rule.claim,
        reading,
        Strength.EXHAUSTIVE,
        all_shapes(leaves),
        f"Right at all {positions} positions of {all_shapes(leaves)}.",
        certificate,
    )


@check("thm3.left-head.score", "thm3.left-head", "thm3.left-head.output", "thm3.right-head.closest")
def the_left_head_on_the_half_circle(job: Job) -> Iterator[Evidence]:
    """Decide exactly where the left head looks from every position, for all small T."""
    longest = 2 * LONGEST_CIRCLE if job.full else LONGEST_CIRCLE
    scope = f"all T from 2 to {longest}, positions (cos πi/T, sin πi/T)"
    where = {t: [left_attended(i, t) for i in range(1, t + 1)] for t in range(2, longest + 1)}
    certificate = left_certificate(longest)
    ahead = all(w[:-1] == [[i + 1] for i in range(1, t)] for t, w in where.items())
    last = all(w[-1] == [t] for t, w in where.items())
    said = f"From each i < T the unique maximum is at i + 1, for all T up to {longest}."
    back = "With the clockwise matrix of Theorem 1 as R the head looks back."
    for claim, reading in (
        ("thm3.left-head.score", LITERAL),
        ("thm3.left-head.score", CHARITABLE),
        ("thm3.left-head", CHARITABLE),
    ):
        evidence = holds(claim, reading, Strength.EXACT, scope, said, certificate, limits=back)
        yield either(ahead, evidence)
    itself = f"The last position attends to itself for all T up to {longest}."
    evidence = holds("thm3.left-head.output", LITERAL, Strength.EXACT, scope, itself, certificate)
    yield either(ahead and last, evidence)
    final = {"kind": "trees.left-last", "length": 4, "attended": 4}
    none = "Position T has no next position; its scores are largest at T itself."
    shown = "T = 4: position 4 attends to 4, not to 5."
    yield either(last, fails("thm3.left-head", LITERAL, scope, none, final, shown))
    yield from nearness(longest, scope)


def left_certificate(longest: int) -> dict[str, object]:
    """All lengths up to the longest, with the number of positions that are decided."""
    positions = sum(range(2, longest + 1))
    return {"kind": "trees.left-head", "longest": longest, "turn": 1, "positions": positions}


def nearness(longest: int, scope: str) -> Iterator[Evidence]:
    """cos(πx/T) falls strictly for x = 0 … T, so that the closest position scores highest."""
    falls = all(
        (cos_pi(Fraction(x, t)) - cos_pi(Fraction(x + 1, t))).sign() > 0
        for t in range(2, longest + 1)
        for x in range(t)
    )
    text = (
        "cos(π|i+2-j|/T) falls strictly with |i+2-j| up to T, so of any two positions the closer "
        "to i + 2 scores higher, from every i < T."
    )
    for reading in (LITERAL, CHARITABLE):
        evidence = holds(
            "thm3.right-head.closest",
            reading,
            Strength.EXACT,
            scope,
            text,
            {"kind": "trees.nearness", "longest": longest, "steps": sum(range(2, longest + 1))},
            limits="Closest to i + 2 is not yet the right child: that takes the step.",
        )
        yield either(falls, evidence)


@check("thm3.right-head", "thm3.right-head.score", "thm3.right-head.children")
def where_the_right_head_looks(job: Job) -> Iterator[Evidence]:
    """Decide by balls where the printed right head looks, in each reading, on small trees."""
    leaves = 6 if job.full else 5
    rows = [reading_row(depth, step, k, leaves) for depth, step, k in head_readings()]
    table = Table(
        "right-head",
        "Where the right head looks from opening brackets",
        ("depth", "step", "k", "trees with a wrong head", "smallest"),
        tuple(rows),
    )
    shown = {"tables": (table,), "drawings": (head_drawing(),)}
    yield head_literal("thm3.right-head", Depth.PRINTED, leaves, **shown)
    yield leaf_heads()
    yield from exact_step(leaves)


def leaf_heads() -> Evidence:
    """The right head of the one-leaf tree looks at its only position, where no child begins."""
    looks, true = Printed().attended(1, "a"), child(1)("a")[1]
    certificate = {
        "kind": "trees.position",
        "rule": "right-output",
        "tokens": ["a"],
        "position": 1,
        "printed": str(looks),
        "true": str(true),
    }
    text = f"A leaf is in I_t and has no right child; its head looks at position {looks}."
    shown = f"The one-leaf tree a: position 1 attends to {looks}."
    claim = "thm3.right-head.children"
    return either(looks != true, fails(claim, LITERAL, "the tree a", text, certificate, shown))


def head_drawing() -> Drawing:
    """The right heads of the smallest tree with two brackets, as printed and as repaired."""
    symbols = next(tree for tree in strings(3) if len(children(tree)) > 1)
    wanted = {i: right for i, (_, right) in children(symbols).items()}
    ways = {"as printed": Printed(), "as repaired": Printed(Depth.BEFORE, Step.EXACT)}
    heads = tuple(
        arcs(f"right head {way}", head.right(symbols), wanted, head.depths(symbols))
        for way, head in ways.items()
    )
    said = (f"the {head.label} looks {_pairs(head.arcs)}" for head in heads)
    return Drawing(
        "right-heads",
        f"Where the right heads of {drawn(symbols)} look",
        f"On {drawn(symbols)} " + "; ".join(said) + ".",
        tuple(symbols),
        tuple(open_before(symbols)),
        heads,
    )


def _pairs(found: Sequence[tuple[int, int]]) -> str:
    return ", ".join(f"from {i} at {j}" for i, j in found)


def head_readings() -> Iterator[tuple[Depth, Step, int]]:
    """The readings of the right head that the table lists."""
    for depth in Depth:
        for step in Step:
            for k in (0,) if step is Step.EXACT else (0, 2, 8):
                yield depth, step, k


def wrong_heads(depth: Depth, step: Step, k: int, leaves: int) -> list[tuple[Sequence[str], int]]:
    """The trees, each with the first position, where a reading's right head looks elsewhere."""
    head = Printed(depth, step, k)
    found: list[tuple[Sequence[str], int]] = []
    for symbols in strings(leaves):
        if (i := differs(head.right(symbols), child(1)(symbols))) is not None:
            found.append((symbols, i))
    return found


def reading_row(depth: Depth, step: Step, k: int, leaves: int) -> tuple[str, ...]:
    """One row of the table."""
    wrong = wrong_heads(depth, step, k, leaves)
    terms = "-" if step is Step.EXACT else str(k)
    return depth.value, step.value, terms, str(len(wrong)), drawn(wrong[0][0]) if wrong else "none"


Found = tuple[Depth, Step, Sequence[str], int, list[list[int]]]


def first_wrong(depth: Depth, step: Step, terms: Sequence[int], leaves: int) -> Found | None:
    """The smallest tree with a position that is wrong for every number of terms given."""
    for symbols in strings(leaves):
        for i, (_, right) in sorted(children(symbols).items()):
            looks = [[k, Printed(depth, step, k).attended(i, symbols)] for k in terms]
            if all(j != right for _, j in looks):
                return depth, step, symbols, i, looks
    return None


def head_literal(claim: str, depth: Depth, leaves: int, **more: object) -> Evidence:
    """What all small trees say of the right head with the printed step."""
    found = first_wrong(depth, Step.LITERAL, FEW, leaves)
    if found:
        return head_fails(claim, found, leaves, **more)
    text = f"For some k up to {FEW[-1]} every head looks at its right child."
    scope = all_shapes(leaves)
    return Evidence(claim, Outcome.UNKNOWN, Strength.OBSERVED, scope, text)


def head_fails(claim: str, found: Found, leaves: int, **more: object) -> Evidence:
    """Evidence from a tree on which the head is wrong for all numbers of terms."""
    depth, step, symbols, i, looks = found
    right = children(symbols)[i][1]
    certificate = {
        "kind": "trees.right-head",
        "depth": depth.value,
        "step": step.value,
        "tokens": list(symbols),
        "position": i,
        "child": right,
        "attended": looks,
    }
    seen = ", ".join(sorted({str(j) for _, j in looks}))
    text = f"On {drawn(symbols)} position {i} attends to {seen}, not to {right}"
    return fails(
        claim,
        LITERAL,
        f"{all_shapes(leaves)}, k = {looks[0][0]} … {looks[-1][0]}, β → ∞",
        f"{text}, whatever k from {looks[0][0]} to {looks[-1][0]} is taken.",
        certificate,
        f"{text}.",
        strength=Strength.ENCLOSURE,
        **more,
    )


def exact_step(leaves: int) -> Iterator[Evidence]:
    """With brackets before i and an exact step the printed score finds every right child."""
    right = not wrong_heads(Depth.BEFORE, Step.EXACT, 0, leaves)
    brackets = sum(len(children(symbols)) for symbols in strings(leaves))
    certificate = {"kind": "trees.step-head", "leaves": leaves, "brackets": brackets}
    said = f"Every opening bracket of {all_shapes(leaves)} attends to its right child."
    for claim, reading in (
        ("thm3.right-head.score", CHARITABLE),
        ("thm3.right-head", REPAIRED),
        ("thm3.right-head.children", CHARITABLE),
    ):
        scope = all_shapes(leaves)
        evidence = holds(claim, reading, Strength.EXHAUSTIVE, scope, said, certificate)
        yield either(right, evidence)
    length, width = 10, 7
    steps = [[int(j >= i + 2) for j in range(length)] for i in range(length)]
    rank = flint.fmpq_mat(steps).rank()
    text = (
        f"The matrix [j ≥ i+2] has rank {rank} at T = {length} (T - 2 in general), more than n + 6 "
        f"= {width} coordinates can give; an exact step is no product of such vectors."
    )
    certificate = {"kind": "trees.rank", "length": length, "rank": rank, "width": width}
    shown = f"T = {length}, n = 1: rank {rank} against {width} coordinates."
    mend = "Take the step as a mask, or as a Fourier sum with enough terms."
    evidence = fails(
        "thm3.right-head.score", LITERAL, "T = 10, n = 1", text, certificate, shown, repair=mend
    )
    yield either(rank > width, evidence)
