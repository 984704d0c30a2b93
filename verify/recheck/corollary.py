"""Certificates on tree automata: runs by recursion, sets by recursion, weights that cancel.

Kinds         trees.runs, trees.cancel, trees.run-count
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence
from verify.recheck.treework import Tree, automaton, few, leafy, read, shapes_within, written

Body = Mapping[str, Any]


def _runs(machine: Mapping[str, Any], tree: Tree) -> list[int]:
    """Runs that end in each state, by recursion."""
    if isinstance(tree, str):
        return [int(q in machine["leaves"][tree]) for q in range(machine["n"])]
    left, right = _runs(machine, tree[0]), _runs(machine, tree[1])
    found = [0] * machine["n"]
    for p, r, q in machine["rules"]:
        found[q] += left[p] * right[r]
    return found


def _possible(machine: Mapping[str, Any], tree: Tree) -> set[int]:
    """States that a tree may be in, by recursion on sets."""
    if isinstance(tree, str):
        return set(machine["leaves"][tree])
    left, right = _possible(machine, tree[0]), _possible(machine, tree[1])
    return {q for p, r, q in machine["rules"] if p in left and r in right}


def runs(body: Body) -> str:
    """A state is possible if and only if some run ends in it."""
    only(body, {"kind", "automata", "leaves"})
    leaves, count = few(body, 5), 0
    for machine in sequence(body, "automata"):
        letters = sorted(machine["leaves"])
        for shape in shapes_within(leaves):
            for tree in leafy(shape, letters):
                seen = {q for q, k in enumerate(_runs(machine, tree)) if 2 * k > 1}
                agree("".join(written(tree)), seen, _possible(machine, tree))
                count += 1
    return f"{count} trees: possible states are those with a run"


def cancel(body: Body) -> str:
    """All states of a tree are not 0, and their weighted sum is."""
    only(body, {"kind", "automaton", "alpha", "tokens"})
    state = automaton(body["automaton"]).state(read(sequence(body, "tokens")))
    alpha = [fraction(x) for x in sequence(body, "alpha", len(state))]
    if not all(state) or sum(a * x for a, x in zip(alpha, state, strict=True)) != 0:
        raise Refused("the weights do not cancel")
    return f"state {[str(x) for x in state]} sums to 0"


def run_count(body: Body) -> str:
    """The runs on a balanced tree, squared up height by height."""
    only(body, {"kind", "automaton", "leaves", "runs"})
    leaves = integer(body, "leaves", 1)
    if leaves & (leaves - 1) or leaves > 64:
        raise Refused("expected a power of two up to 64")
    tree: Tree = "a"
    for _ in range(leaves.bit_length() - 1):
        tree = (tree, tree)
    found = max(_runs(body["automaton"], tree))
    agree("runs", fraction(body["runs"]), found)
    return f"{leaves} leaves: {found} runs"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.runs": runs,
    "trees.cancel": cancel,
    "trees.run-count": run_count,
}
