"""The hypotheses of Theorem 3 asked of one tree automaton, its layers, its states, its rounding.

Asked         Theorem 3: weights, activation, bounded states, depth of order log T (for the clause
              on balanced trees); Corollary 1: weights that stand for true and false
Shown         with B_m of `verify.bounds.states`, the rounding error of every state of a tree with m
              leaves, if attention looks where it should, is at most E_m: E_1 = u B_1,
              E_m = max (|T|(E_i, B_j) + |T|(B_i, E_j) + |T|(E_i, E_j) + γ S + η U) / (1 - 2γ)
              with S = |T|(B_i + E_i, B_j + E_j) + 2 B_m, γ = γ_{n²+5} and U of `underflow`
Notation      |T| entrywise absolute values, |T|(x, y) the contraction, N = (T+2)/3 leaves at most

Each parse layer adds and subtracts the state that a bracket has already, which rounds too: 2 B_m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import flint

from constructions.automata.pebbling import most_steps
from constructions.automata.wta import WTA
from constructions.theorem3 import greatest_height, most_leaves
from verify.automaton.numbers import at_most, count, shown
from verify.automaton.report_data import Class, Hypothesis, Status
from verify.bounds.floating import Precision
from verify.bounds.norms import largest
from verify.bounds.states import StateBounds, Vector, over_splits

THREE, BEYOND = "Theorem 3", "Section 4.2, the open question"
PREPARATION = 2
BALANCED = "balanced-trees"


def hypotheses(automaton: WTA, length: int, states: Vector) -> Iterator[Hypothesis]:
    """What the tree constructions ask, and what Section 4.2 leaves open."""
    leaves, tall = most_leaves(length), greatest_height(length)
    yield Hypothesis(
        THREE,
        "real weights, binary trees",
        Status.MET,
        f"{count(automaton.n, 'state')}, {count(len(automaton.alphabet), 'leaf symbol')}; "
        f"|str(t)| = 3N - 2 ≤ {length} allows {leaves} leaves at most",
        ("def2.3", "tree.str"),
        "binary-trees",
    )
    yield Hypothesis(
        THREE,
        "states are bounded",
        Status.MET,
        f"no entry of a state exceeds {at_most(largest(states))}, over all these trees",
        ("thm4",),
        "bounded-set",
    )
    yield balanced(leaves, tall)
    yield Hypothesis(
        BEYOND,
        "O(log T) layers for arbitrary trees",
        Status.MET,
        f"{PREPARATION} + {most_steps(leaves)} layers for every tree with at most {leaves} leaves, "
        f"where Theorem 3 takes {PREPARATION} + {tall}",
        ("thm3.question", "beyond.logdepth"),
        BALANCED,
    )


def balanced(leaves: int, tall: int) -> Hypothesis:
    """Depth of order log T: true of all trees of this length only while all are balanced."""
    low = (leaves - 1).bit_length()
    name, statements = "depth of order log T", ("thm3.depth", "thm3.comb")
    if tall <= low:
        witness = f"every tree with at most {leaves} leaves has height at most ⌈log2 {leaves}⌉"
        return Hypothesis(THREE, name, Status.MET, witness, statements, BALANCED)
    witness = (
        f"the comb with {leaves} leaves has height {tall}, balanced trees have {low}: "
        f"{PREPARATION + tall} layers for all trees, {PREPARATION + low} for balanced ones"
    )
    return Hypothesis(THREE, name, Status.NOT_MET, witness, statements, BALANCED)


def classes(automaton: WTA) -> Iterator[Class]:
    """Whether the weights can stand for those of a tree automaton: none is negative."""
    weights = [w for rows in automaton.tensor for row in rows for w in row]
    weights += [w for leaf in automaton.leaves.values() for w in leaf]
    low = min(weights)
    witness = (
        "no weight is negative, so nothing cancels and not 0 means true"
        if low >= 0
        else f"a weight of {shown(low)}: terms may cancel, and 0 need not mean false"
    )
    yield Class("weights of a tree automaton", low >= 0, witness, ("cor1.subsume",))


def rounding(precision: Precision, found: StateBounds) -> flint.arb:
    """A bound on the rounding error of an entry of a state, over all trees."""
    n = len(found.tensor)
    if not 4 * precision.gamma(n * n + 5) < 1:
        return flint.arb("inf")
    errors: list[Vector] = [[precision.roundoff * b + precision.smallest for b in found.states[0]]]
    for m in range(2, len(found.states) + 1):
        errors.append(over_splits(m, _errors_at(found, errors, precision)))
    worst = largest(largest(vector) for vector in errors)
    size = largest(found.largest()) + worst
    top = largest(w for rows in found.tensor for row in rows for w in row)
    fits = size * size * (1 + n * n * top) < precision.largest and top < precision.largest
    return worst.upper() if fits else flint.arb("inf")


def _errors_at(
    found: StateBounds, errors: list[Vector], precision: Precision
) -> Callable[[int, int], Vector]:
    gamma = precision.gamma(len(found.tensor) ** 2 + 5)

    def at(i: int, j: int) -> Vector:
        b_i, b_j, b_m = found.states[i - 1], found.states[j - 1], found.states[i + j - 1]
        e_i, e_j = errors[i - 1], errors[j - 1]
        left, right = _sum(b_i, e_i), _sum(b_j, e_j)
        moved = _sum(_sum(found.apply(e_i, b_j), found.apply(b_i, e_j)), found.apply(e_i, e_j))
        lost = [precision.smallest * underflow(rows, left, right) for rows in found.tensor]
        return [
            ((x + gamma * (y + 2 * b) + z) / (1 - 2 * gamma)).upper()
            for x, y, b, z in zip(moved, found.apply(left, right), b_m, lost, strict=True)
        ]

    return at


def underflow(rows: tuple[Vector, ...], left: Vector, right: Vector) -> flint.arb:
    """Σ (|T| + 1 + |x y|) over the weights T of one state: what is lost of T · (x · y), in η.

    x y may lose η, which T multiplies; the product with T another η; T itself, stored, one more.
    """
    total = flint.arb(0)
    for x, row in zip(left, rows, strict=True):
        for y, weight in zip(right, row, strict=True):
            if weight != 0:
                total += weight + 1 + x * y
    return total


def _sum(left: Vector, right: Vector) -> Vector:
    return [a + b for a, b in zip(left, right, strict=True)]
