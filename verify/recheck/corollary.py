"""Certificates on tree automata: runs by recursion, sets by recursion, weights that cancel.

Kinds         trees.runs, trees.cancel, trees.run-count
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence
from verify.recheck.treework import Tree, automaton, few, read

Body = Mapping[str, Any]


def _runs(machine: Mapping[str, Any], tree: Tree) -> list[int]:
    """Runs that end in each state, by recursion."""
    if isinstance(tree, str):
        return [int(q in machine["leaves"][tree]) for q in range(machine["n"])]
    return _joined(machine, _runs(machine, tree[0]), _runs(machine, tree[1]))


def _joined(machine: Mapping[str, Any], left: Sequence[int], right: Sequence[int]) -> list[int]:
    found = [0] * machine["n"]
    for p, r, q in machine["rules"]:
        found[q] += left[p] * right[r]
    return found


def _sets(machine: Mapping[str, Any], left: set[int], right: set[int]) -> set[int]:
    """States that a node may be in, from those of its children."""
    return {q for p, r, q in machine["rules"] if p in left and r in right}


Held = tuple[tuple[int, ...], frozenset[int]]


def _all_trees(machine: Mapping[str, Any], leaves: int) -> list[Counter[Held]]:
    """For each number of leaves: how many trees have which runs and which possible states.

    Trees with the same runs and states are counted together; a node depends on its children by
    these alone.
    """
    n = machine["n"]
    starts = [machine["leaves"][symbol] for symbol in sorted(machine["leaves"])]
    first = Counter((tuple(int(q in s) for q in range(n)), frozenset(s)) for s in starts)
    found = [Counter[Held](), first]
    for size in range(2, leaves + 1):
        level: Counter[Held] = Counter()
        for k in range(1, size):
            for (left, may), a in found[k].items():
                for (right, might), b in found[size - k].items():
                    states = frozenset(_sets(machine, set(may), set(might)))
                    level[tuple(_joined(machine, left, right)), states] += a * b
        found.append(level)
    return found[1:]


def runs(body: Body) -> str:
    """A state is possible if and only if some run ends in it; trees, positions and counts agree."""
    only(body, {"kind", "automata", "leaves", "trees", "positions", "largest", "roots"})
    leaves, machines = few(body, 7), sequence(body, "automata")
    largest, roots, positions = [], [], 0
    for machine in machines:
        _machine(machine)
        levels = _all_trees(machine, leaves)
        for counts, states in (held for level in levels for held in level):
            agree("states with a run", {q for q, k in enumerate(counts) if 2 * k > 1}, set(states))
        agree("trees", integer(body, "trees"), sum(level.total() for level in levels))
        positions += sum((2 * k - 1) * level.total() for k, level in enumerate(levels, 1))
        roots.append(_roots(levels))
        largest.append(str(max(max(counts) for level in levels for counts, _ in level)))
    agree("positions", integer(body, "positions"), positions)
    agree("largest counts", sequence(body, "largest"), largest)
    agree("counts at the roots", sequence(body, "roots"), roots)
    return f"{len(machines)} automata, {body['trees']} trees: possible states are those with a run"


def _roots(levels: list[Counter[Held]]) -> str:
    """A hash of how many trees have which length and which counts at the root."""
    roots: Counter[tuple[int, ...]] = Counter()
    for leaves, level in enumerate(levels, 1):
        for (counts, _), times in level.items():
            roots[3 * leaves - 2, *counts] += times
    lines = sorted(f"{list(counts)} {times}" for counts, times in roots.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _machine(machine: Any) -> None:
    """An automaton with known fields, rules in order and states in range."""
    only(machine, {"n", "leaves", "rules", "final"})
    states = range(integer(machine, "n", 1))
    named = [q for rule in machine["rules"] for q in rule]
    named += [q for start in machine["leaves"].values() for q in start] + machine["final"]
    if any(type(q) is not int or q not in states for q in named) or not machine["final"]:
        raise Refused("a state is out of range, or none is final")
    agree("final state", machine["final"], [states[-1]])
    rules = [tuple(rule) for rule in machine["rules"]]
    agree("rules in order", rules, sorted(set(rules)))
    for letter, start in machine["leaves"].items():
        agree(f"states of {letter} in order", start, sorted(set(start)))


def cancel(body: Body) -> str:
    """All states of a tree are not 0, and their weighted sum is."""
    only(body, {"kind", "automaton", "alpha", "tokens", "state"})
    state = automaton(body["automaton"]).state(read(sequence(body, "tokens")))
    agree("state", [fraction(x) for x in sequence(body, "state")], list(state))
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
    _machine(body["automaton"])
    agree("letters", sorted(body["automaton"]["leaves"]), ["a"])
    found = max(_runs(body["automaton"], tree))
    agree("runs", fraction(body["runs"]), found)
    return f"{leaves} leaves: {found} runs"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.runs": runs,
    "trees.cancel": cancel,
    "trees.run-count": run_count,
}
