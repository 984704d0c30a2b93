"""Theorem 3: does the term 2 [j ≥ i+2] keep the right head from looking before i + 2?

Asks          the printed Fourier sum as the step, with right depths; an exact step
Finds         the smallest tree and opening bracket that look before i + 2 for every number of terms
Notation      k terms of the sum, T = |str(t)|, β → ∞ as a limit
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from constructions.exact import cos_pi
from constructions.theorem3_printed import Depth, Printed, Step
from constructions.trees import children
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines.tree_evidence import all_shapes, drawn, either, fails, holds
from verify.engines.tree_rules import strings
from verify.evidence import Evidence, Outcome, Strength

LITERAL, REPAIRED = Name.LITERAL, Name.REPAIRED
FEW = range(9)
LONGEST_CIRCLE = 24


@check("thm3.right-head.step")
def does_the_step_keep_the_head_ahead(job: Job) -> Iterator[Evidence]:
    """Look for opening brackets whose right head looks before i + 2, printed and exact."""
    leaves = 6 if job.full else 5
    yield too_early(leaves)
    yield never_early(leaves)


def early_heads(head: Printed, leaves: int) -> Iterator[tuple[Sequence[str], int, int]]:
    """The trees, opening brackets i and positions j < i + 2 that a right head looks at."""
    for symbols in strings(leaves):
        for i, j in sorted(head.right(symbols).items()):
            if j < i + 2:
                yield symbols, i, j


def too_early(leaves: int) -> Evidence:
    """The smallest tree whose head looks before i + 2 for every number of terms, depths right."""
    claim, scope = "thm3.right-head.step", f"{all_shapes(leaves)}, k = 0 … {FEW[-1]}, β → ∞"
    found = [{(s, i): j for s, i, j in early_heads(h, leaves)} for h in early_readings()]
    first = next((case for case in found[0] if all(case in early for early in found)), None)
    if first is None:
        text = "No opening bracket looks before i + 2 for every number of terms."
        return Evidence(claim, Outcome.UNKNOWN, Strength.OBSERVED, scope, text)
    symbols, i = first
    looks = [[k, early[first]] for k, early in enumerate(found)]
    certificate = {
        "kind": "trees.early-head",
        "step": Step.LITERAL.value,
        "tokens": list(symbols),
        "position": i,
        "attended": looks,
    }
    seen = ", ".join(sorted({str(j) for _, j in looks}))
    text = f"On {drawn(symbols)} position {i} attends to {seen}, before {i + 2}"
    return fails(
        claim,
        LITERAL,
        scope,
        f"{text}, whatever k from 0 to {FEW[-1]} is taken in the printed sum for [j ≥ i+2]; depths "
        "are those strictly before i.",
        certificate,
        f"{text}.",
        strength=Strength.ENCLOSURE,
        repair="An exact step, or a mask in its place.",
    )


def early_readings() -> list[Printed]:
    """The right head with right depths and the printed sum, for each number of terms."""
    return [Printed(Depth.BEFORE, Step.LITERAL, k) for k in FEW]


def never_early(leaves: int) -> Evidence:
    """With an exact step no opening bracket looks before i + 2; the margin is exact for all small T."""
    early = [drawn(s) for s, _, _ in early_heads(Printed(Depth.BEFORE, Step.EXACT), leaves)]
    margins = all(
        (2 + cos_pi(Fraction(t - 3, t)) - cos_pi(Fraction(1, t))).sign() > 0
        for t in range(4, LONGEST_CIRCLE + 1)
    )
    text = (
        f"With an exact step {len(early)} trees have an opening bracket that looks before i + 2. The "
        "step adds 2, and 2 + cos(π(j-i-2)/T) > 1 for every j ≥ i + 2, while no cosine exceeds 1; "
        f"the least margin, at j = T and i = 1, is positive for T = 4 … {LONGEST_CIRCLE}, exactly."
    )
    brackets = sum(len(children(symbols)) for symbols in strings(leaves))
    certificate = {
        "kind": "trees.never-early",
        "leaves": leaves,
        "brackets": brackets,
        "longest": LONGEST_CIRCLE,
    }
    evidence = holds(
        "thm3.right-head.step",
        REPAIRED,
        Strength.EXHAUSTIVE,
        f"{all_shapes(leaves)}; T up to {LONGEST_CIRCLE} for the margin",
        text,
        certificate,
        limits="An exact step is no product of queries and keys of constant width; a mask is.",
    )
    return either(not early and margins, evidence)
