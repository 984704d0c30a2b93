"""Confirms the symbolic proofs of exactness without any polynomial arithmetic of the first check.

sequence.sympy      tuples of letters on a circle, the ones of the tensor; monomials as paths
sequence.contents   the letters that each token has multiplied, and paths through their matrices
tree.sympy          layers by the rule that the heads follow, on polynomials as dictionaries
product.sympy       the ones of the tensor are the terms of the matrix product
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import Recomputed, Refused
from verify.recheck.kinds import tree_states
from verify.recheck.kinds.sequences import (
    Letters,
    held,
    layer_product,
    line,
    multiplies,
    wrong_prefix,
)

CONSTRUCTIONS = ("theorem1", "third-head", "residual", "no-pads", "unrolled")
STATES = Different((1, 4))


@confirms(
    "sequence.sympy", "symbolic",
    construction=CONSTRUCTIONS, states=STATES, lengths=Different((1, 12)),
)  # fmt: skip
def states(construction: str, states: list[int], lengths: list[int]) -> Recomputed:
    """Outputs equal states; a coordinate of state t has a monomial for each path of t steps."""
    terms = 0
    for n in states:
        for length in lengths:
            position = wrong_prefix(construction, length)
            if position is not None or not multiplies(n):
                return Recomputed(False, {}, {"n": n, "T": length, "t": position})
            terms += sum(n ** (t + 1) for t in range(length + 1))
    return Recomputed(True, {"terms": terms})


def paths(n: int, letters: Letters) -> list[str]:
    """The monomials of entry (1, 1) of a product of matrices: a path from 1 to 1."""
    if not letters:
        return ["1"]
    found = []
    for inner in product(range(1, n + 1), repeat=len(letters) - 1):
        path = (1, *inner, 1)
        steps = zip(letters, pairwise(path), strict=True)
        found.append("·".join(sorted(f"A{t}[{i},{j}]" for t, (i, j) in steps)))
    return sorted(found)


@confirms("sequence.contents", "symbolic", n=(1, 3), length=(1, 8))
def contents(n: int, length: int) -> Recomputed:
    """The letters of each token after each layer, and the monomials of entry (1, 1)."""
    places = line("theorem1", length)
    layers = held(places, length)
    if layers is None or not multiplies(n):
        raise Refused(f"T = {length}: a tie, or a tensor that does not multiply")
    for layer, tokens in enumerate(layers):
        for t in range(length + 1):
            if tokens[t] != tuple(range(max(1, t - 2**layer + 1), t + 1)):
                return Recomputed(False, {}, {"T": length, "layer": layer, "t": t})
    drawn = {
        "length": length,
        "positions": list(places.positions),
        "rows": [[list(tokens[t]) for t in places.positions] for tokens in layers],
    }
    entries = [[paths(n, tokens[t]) for t in range(1, length + 1)] for tokens in layers]
    return Recomputed(True, {"drawing": drawn, "entries": entries})


@confirms(
    "tree.sympy", "symbolic",
    places=("line", "circle"), states=Different((1, 2)), leaves=(1, 4),
)  # fmt: skip
def trees(places: str, states: list[int], leaves: int) -> Recomputed:
    """Heads that read their children give every state, wherever positions are placed."""
    counts = [_trees(n, leaves) for n in states]
    return Recomputed(True, {"trees": counts[-1]})


def _trees(n: int, leaves: int) -> int:
    found = tree_states.states({"construction": "masked", "n": n, "leaves": leaves}, {})
    if not found.holds:
        raise Refused(f"n = {n}: a tree with at most {leaves} leaves has another state")
    return int(found.values["trees"])


@confirms("product.sympy", "symbolic", states=Different((1, 8)))
def tensor(states: Sequence[int]) -> Recomputed:
    """The ones of Lemma 1's tensor pick, for each entry of AB, exactly its n terms."""
    return layer_product({"states": list(states)}, {})
