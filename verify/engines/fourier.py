"""How many terms of the repaired Fourier step the right head needs, decided by balls.

With depths right, positions j with d_j = d_i + 1 compete by f(j - i), where f(m) = cos(π(m-2)/T)
+ 2 S_k(m) and S_k the repaired sum with l = 0 … k. The head is right on a set of trees if f(ρ) is
above f(m) for every pair (ρ, m) of offsets, of the right child and of a rival, that occurs in them.

Notation      `realised`: the pairs of all trees with at most so many leaves, by enumeration;
              `sufficient`: a superset for all trees of length T, from counting symbols;
              `lower_pairs`: some pairs that occur at every T = 3n - 2, for lower bounds
"""

from __future__ import annotations

from collections.abc import Collection

import flint

from constructions.theorem3_printed import Depth, Printed, Step, open_before
from constructions.trees import children, shapes, tokens

Pair = tuple[int, int]
BITS = 128
MOST_TERMS = 4096


def realised(leaves: int) -> set[Pair]:
    """The pairs of offsets that occur in trees with at most so many leaves."""
    found: set[Pair] = set()
    for count in range(2, leaves + 1):
        for shape in shapes(count):
            symbols = tokens(shape)
            d = open_before(symbols)
            for i, (_, right) in children(symbols).items():
                rivals = [j for j, x in enumerate(d, 1) if x == d[i - 1] + 1 and j != right]
                found |= {(right - i, j - i) for j in rivals}
    return found


def sufficient(length: int) -> set[Pair]:
    """A superset of the pairs that occur in trees with |str(t)| ≤ T.

    The right child stands at an offset 3a - 1; the left child at 1; other rivals after the right
    child, or x places before i, where x + ρ + 4 ≤ T: something before the rival, the right child
    after i, and two closing brackets.
    """
    found: set[Pair] = set()
    for right in range(2, length - 1, 3):
        found |= {(right, 1), *((right, m) for m in range(right + 1, length))}
        found |= {(right, -x) for x in range(1, length - right - 3)}
    return found


def lower_pairs(length: int) -> set[Pair]:
    """Pairs that occur at length T = 3n - 2: the left child, and a closing bracket after a leaf."""
    return {pair for right in range(2, length - 1, 3) for pair in ((right, 1), (right, right + 1))}


def separates(pairs: Collection[Pair], length: int, terms: int) -> bool:
    """Whether f(ρ) > f(m) for all pairs, certainly."""
    head = Printed(Depth.BEFORE, Step.REPAIRED, terms)
    with flint.ctx.workprec(BITS):
        value = {m: head.near(0, m, length) for m in {m for pair in pairs for m in pair}}
        return all(value[right] > value[rival] for right, rival in pairs)


def terms_needed(pairs: Collection[Pair], length: int) -> int:
    """The least k for which the head is right on these pairs."""
    for terms in range(MOST_TERMS):
        if separates(pairs, length, terms):
            return terms
    raise ValueError(f"more than {MOST_TERMS} terms at length {length}")
