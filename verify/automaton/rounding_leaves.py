"""Rounding errors of the states of Theorem 3's model, over all trees, by the number of leaves.

Shown         with B_m of `verify.bounds.states`, the rounding error of every state of a tree with m
              leaves, if heads look right, is at most E_m: E_1 = u B_1,
              E_m = max (|T|(E_i, B_j) + |T|(B_i, E_j) + |T|(E_i, E_j) + γ S + η U) / (1 - 2γ)
              with S = |T|(B_i + E_i, B_j + E_j) + 2 B_m, γ = γ_{n²+5} and U of `underflow`
Notation      |T| entrywise absolute values, |T|(x, y) the contraction

Each parse layer adds and subtracts the state that a bracket has already, which rounds too: 2 B_m.
"""

from __future__ import annotations

from collections.abc import Callable

import flint

from verify.bounds.floating import Precision
from verify.bounds.norms import largest
from verify.bounds.states import StateBounds, Vector, entrywise_leaves, over_splits


def within_reach(found: StateBounds) -> bool:
    """Return whether the rounding errors of all splits of all leaves take reasonable time to follow."""
    return len(found.states) <= entrywise_leaves(len(found.tensor))


def state_error(precision: Precision, found: StateBounds) -> flint.arb:
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
    """Σ (|T| + 1 + |x y|) over the weights T of one state: the loss in T · (x · y), in η.

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
