"""Targets of the heads of Appendix C, and the cost of a step function as a sum of sines.

    tree.left-head     argmax of p_iᵀRᵀp_j on the half circle: i + 1, and T from T
    tree.right-head    argmax of -β(1 - (d_j - d_i))² + p_iᵀRᵀp_j + 2[j ≥ i+2] as β grows
    tree.right-heads   the same on one tree, printed beside repaired, for a drawing
    step.near          a Fourier sum is near the step [j ≥ i+2]
    step.some-count    one number of sines up to a limit serves all lengths
    score.rank         scores of a given pattern need no more columns than there are
    softmax.depths     two layers of softmax without a mask come near all depths

Notation      T tokens, k the last index of the sum, so k + 1 sines; depths "printed" are the sums
              of m_{j+1} over j ≤ i, depths "before" the sums of m_j over j < i. Real numbers are
              compared in balls whose precision grows until they decide
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

import flint

from constructions.arithmetic import Balls
from constructions.automata.trees import children, parse
from constructions.core.exact import Undecided, ball
from constructions.variants.theorem3_depths import depths
from constructions.variants.theorem3_printed import (
    DepthReading,
    PrintedHead,
    StepReading,
    left_targets,
    open_before,
    step_value,
)
from verify.exactness.tree_positions import arcs, strings
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison, curve

BITS = 128
UNIT = 10**12
DEPTH_BITS = 256


@fact("tree.left-head", "exact")
def left_head(longest: int) -> Outcome:
    """For T = 1 … longest the left head looks from i < T at i + 1 alone, and from T at T alone."""
    for length in range(1, longest + 1):
        for i in range(1, length + 1):
            targets = left_targets(i, length)
            if targets != [min(i + 1, length)]:
                return Outcome(False, {}, {"T": length, "i": i, "attended": targets})
    return Outcome(True, {"positions": sum(range(1, longest + 1))})


@fact("tree.right-head", "enclosure")
def right_head(depth: str, step: str, terms: list[int], leaves: int) -> Outcome:
    """With some of these numbers of terms every right head of every shape finds the right child."""
    heads = [PrintedHead(DepthReading(depth), StepReading(step), k) for k in terms]
    missed: list[dict[tuple[str, int], int]] = [_missed_children(head, leaves) for head in heads]
    brackets = sum(len(children(symbols)) for symbols in strings(leaves))
    values = {"brackets": brackets, "missed": [len(cases) for cases in missed]}
    if not all(missed):
        return Outcome(True, values)
    first, *others = missed
    common = [case for case in first if all(case in cases for cases in others)]
    if not common:
        return Outcome(None, values)
    string, i = common[0]
    looks = [cases[string, i] for cases in missed]
    child = children(string)[i][1]
    return Outcome(False, values, {"string": string, "position": i, "child": child, "looks": looks})


def _missed_children(head: PrintedHead, leaves: int) -> dict[tuple[str, int], int]:
    """The trees and opening brackets whose right head does not attend to the right child."""
    missed = {}
    for symbols in strings(leaves):
        for i, (_, right) in sorted(children(symbols).items()):
            if (looks := head.target(i, symbols)) != right:
                missed["".join(symbols), i] = looks
    return missed


@fact("tree.right-heads", "enclosure")
def right_heads(string: str, terms: int) -> Outcome:
    """On one tree the right heads as printed look at the right children."""
    parse(tuple(string))
    wanted = {i: right for i, (_, right) in children(string).items()}
    ways = {
        "right head as printed": PrintedHead(DepthReading.PRINTED, StepReading.LITERAL, terms),
        "right head as repaired": PrintedHead(DepthReading.BEFORE, StepReading.EXACT),
    }
    heads = [arcs(way, h.right(string), wanted, h.depths(string)) for way, h in ways.items()]
    drawing = {"tokens": list(string), "depths": open_before(string), "heads": heads}
    if not heads[0]["missed"]:
        return Outcome(True, {"drawing": drawing})
    i = heads[0]["missed"][0]
    looks = dict(heads[0]["arcs"])[i]
    witness = {"string": string, "position": i, "child": wanted[i], "looks": looks}
    return Outcome(False, {"drawing": drawing}, witness)


@fact("step.near", "enclosure")
def near_step(formula: str, lengths: list[int], terms: list[int], within: str) -> Outcome:
    """For each length some of these numbers of terms bring the sum near the step at all offsets."""
    slack = Fraction(within)
    for length in lengths:
        far = [_far_offsets(StepReading(formula), length, k, slack) for k in terms]
        if all(far):
            common = sorted(set.intersection(*map(set, far)))
            if not common:
                return Outcome(None, {"T": length})
            offset = min(common, key=lambda m: (abs(m - 2), -m))
            return Outcome(False, {}, {"T": length, "offset": offset, "step": int(offset >= 2)})
    return Outcome(True, {"offsets": sum(2 * length - 1 for length in lengths)})


def _far_offsets(step: StepReading, length: int, terms: int, slack: Fraction) -> list[int]:
    """The offsets j - i at which the sum is certainly not within the slack of the step."""
    with flint.ctx.workprec(BITS):
        room = ball(slack)
        offsets = []
        for m in range(1 - length, length):
            off = abs(step_value(0, m, length, terms, step) - int(m >= 2))
            if not (off < room or off > room):
                raise Undecided(f"T = {length}, offset {m}, {terms} terms at {BITS} bits")
            if off > room:
                offsets.append(m)
    return offsets


@fact("step.some-count", "enclosure")
def some_count(most: int, longest: int) -> Outcome:
    """Some number of terms k ≤ most serves the right head at every length T = 4, 7, … ≤ longest."""
    fails = [_first_failure(k, longest) for k in range(most + 1)]
    good = next((k for k, length in enumerate(fails) if length is None), None)
    if good is not None:
        return Outcome(True, {"k": good})
    failing_lengths = curve("k fails at T", fails, range(most + 1))
    return Outcome(False, {"fails": [failing_lengths]}, {"k": list(range(most + 1)), "T": fails})


def rivals(length: int) -> list[tuple[int, int]]:
    """Offsets of a right child and of a rival that occur at every length T = 3n - 2.

    The rivals are the left child, and the closing bracket after a right child that is a leaf.
    """
    rights = range(2, length, 3)
    return sorted(pair for right in rights for pair in ((right, 1), (right, right + 1)))


def _first_failure(terms: int, longest: int) -> int | None:
    """The first length at which a rival certainly scores above some right child."""
    head = PrintedHead(DepthReading.BEFORE, StepReading.REPAIRED, terms)
    for length in range(4, longest + 1, 3):
        with flint.ctx.workprec(BITS):
            for right, rival in rivals(length):
                gap = head.nearness(0, right, length) - head.nearness(0, rival, length)
                if gap < 0:
                    return length
                if not gap > 0:
                    raise Undecided(f"T = {length}, offsets {right}, {rival} at {BITS} bits")
    return None


@fact("score.rank", "exact")
def score_rank(pattern: str, length: int, width: int) -> Outcome:
    """Scores of this pattern can be products of queries and keys with that many columns."""
    rank = min(_pattern(pattern, length, filling).rank() for filling in (0, 1, -7))
    return comparison(rank <= width, T=length, rank=rank, columns=width)


def _pattern(pattern: str, length: int, filling: int) -> flint.fmpq_mat:
    """A matrix that the scores determine; what they leave open is filled with multiples.

    "equal on j ≤ i" gives q_i·(k_{j+1} - k_j): 0 for j < i, not 0 for j = i, open beyond.
    "[j ≥ i+2]" is the step itself.
    """
    if pattern == "[j ≥ i+2]":
        return flint.fmpq_mat([[int(j >= i + 2) for j in range(length)] for i in range(length)])
    if pattern != "equal on j ≤ i":
        raise ValueError(f"pattern {pattern!r} is not known")
    side = range(length - 1)
    rows = [[-1 if i == j else filling * (i + 2 * j) * (j > i) for j in side] for i in side]
    return flint.fmpq_mat(rows)


@fact("softmax.depths", "enclosure")
def softmax_depths(leaves: int, growths: list[int], below: str) -> Outcome:
    """With ever larger growth M the depths come nearer, at last within `below`, on all shapes."""
    errors = [_largest_error(leaves, growth) for growth in growths]
    falls = all(a > b for a, b in itertools.pairwise(errors))
    good = falls and errors[-1] <= Fraction(below)
    return comparison(good, errors=[str(error) for error in errors])


def _largest_error(leaves: int, growth: int) -> Fraction:
    """The largest error of a depth on all shapes, rounded up to 12 digits."""
    with Balls(DEPTH_BITS) as balls:
        errors = (_depth_error(symbols, growth, balls) for symbols in strings(leaves))
        largest = reduce(flint.arb.max, errors)
        ceiling = (largest * UNIT).ceil().unique_fmpz()
    if ceiling is None:
        raise Undecided(f"the largest error at {DEPTH_BITS} bits")
    return Fraction(int(ceiling), UNIT)


def _depth_error(symbols: Sequence[str], growth: int, balls: Balls) -> flint.arb:
    rows = zip(depths(symbols, growth, balls), open_before(symbols), strict=True)
    return reduce(flint.arb.max, (abs(flint.arb(row[0]) - true) for row, true in rows))
