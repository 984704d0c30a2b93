"""Corollary 1: tree automata through counting runs and a threshold.

Asks          do the states whose count is above ½ agree with an independent Boolean evaluation; can
              non-zero be read as true; how precise must the counts be
Notation      a state's count is the number of runs that end in it; an error below ½ is enough
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from constructions.arithmetic import Rational
from constructions.sizes import sizes
from constructions.theorem3 import Places, build
from constructions.tree_automaton import (
    TreeAutomaton,
    count_runs,
    most_runs,
    random_automaton,
    threshold,
)
from constructions.trees import balanced, tokens
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks.theorem3 import plain
from verify.claims.model import Name
from verify.engines.tree_evidence import either, fails, holds
from verify.engines.tree_sides import trees_within
from verify.engines.trees import Batch
from verify.evidence import Evidence, Figure, Series, Strength, Table

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
ALL = TreeAutomaton.of(
    2, {"a": [0, 1]}, [(p, r, q) for p in (0, 1) for r in (0, 1) for q in (0, 1)], [1]
)


def plain_automaton(automaton: TreeAutomaton) -> dict[str, Any]:
    """A tree automaton as plain data."""
    return {
        "n": automaton.n,
        "leaves": {s: sorted(q) for s, q in automaton.leaves.items()},
        "rules": sorted([list(rule) for rule in automaton.rules]),
        "final": sorted(automaton.final),
    }


@dataclass
class Runs:
    """What the layers gave on all small trees: disagreements, positions, counts at the roots."""

    wrong: int = 0
    positions: int = 0
    largest: int = 0
    roots: Counter[tuple[int, ...]] = field(default_factory=Counter)

    def digest(self) -> str:
        """A hash of how many trees have which counts at the root, with the number of tokens."""
        lines = sorted(f"{list(counts)} {times}" for counts, times in self.roots.items())
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def disagreements(automaton: TreeAutomaton, leaves: int) -> Runs:
    """Compare threshold and Boolean sets at every position of all trees over two letters."""
    counts, found = count_runs(automaton), Runs()
    strings = [tokens(tree) for tree in trees_within("ab", leaves)]
    by_length: dict[int, list[tuple[str, ...]]] = {}
    for string in strings:
        by_length.setdefault(len(string), []).append(string)
    for length, group in by_length.items():
        for states in Batch(tuple(group)).states(counts, (length - 1) // 3):
            last = states
        for row, string in enumerate(group):
            found.roots[(length, *last[row, 0].tolist())] += 1
            for i, possible in automaton.possible(string).items():
                seen = last[row, i - 1]
                found.wrong += threshold(list(seen)) != possible
                found.positions += 1
                found.largest = max(found.largest, int(max(seen)))
    return found


@check("cor1.subsume", "cor1.exists", "cor1.nonzero", "cor1.proof", "cor1.precision", "cor1.sizes")
def counting_runs_against_boolean_sets(job: Job) -> Iterator[Evidence]:
    """Run the transformer's layers on counts of runs and compare with Boolean sets on all trees."""
    leaves = 7 if job.full else 5
    machines = [random_automaton(n, seed) for n, seed in ((2, 1), (3, 2), (3, 5), (4, 4))]
    found = [disagreements(machine, leaves) for machine in machines]
    wrong, total = sum(f.wrong for f in found), sum(f.positions for f in found)
    many = len(trees_within("ab", leaves))
    scope = (
        f"{len(machines)} non-deterministic tree automata, all {many} trees over two letters with at "
        f"most {leaves} leaves"
    )
    text = (
        f"At {total} positions the states with more than ½ runs are the possible ones, {wrong} "
        f"exceptions; the largest count is {max(f.largest for f in found)}."
    )
    certificate = {
        "kind": "trees.runs",
        "automata": [plain_automaton(m) for m in machines],
        "leaves": leaves,
        "trees": many,
        "positions": total,
        "largest": [str(f.largest) for f in found],
        "roots": [f.digest() for f in found],
    }
    for claim, reading in (
        ("cor1.subsume", LITERAL),
        ("cor1.exists", LITERAL),
        ("cor1.exists", CHARITABLE),
        ("cor1.exists", REPAIRED),
        ("cor1.nonzero", REPAIRED),
        ("cor1.proof", REPAIRED),
        ("cor1.precision", CHARITABLE),
    ):
        evidence = holds(
            claim,
            reading,
            Strength.EXHAUSTIVE,
            scope,
            text,
            certificate,
            limits="The certificate counts runs and sets anew, by recursion on all trees; it does "
            "not run layers.",
        )
        yield either(wrong == 0, evidence)
    yield from dense(machines[1])


def dense(machine: TreeAutomaton) -> Iterator[Evidence]:
    """The dense transformer for one automaton: its sizes, and its counts on one tree."""
    counts = count_runs(machine)
    model = build(counts, 13, places=Places.LINE)
    measured, arithmetic = sizes(model.transformer), Rational()
    symbols = tokens(balanced("abab"))
    rows = model.states(symbols, arithmetic)
    right = all(
        threshold([Fraction(str(x)) for x in rows[i - 1]]) == possible
        for i, possible in machine.possible(symbols).items()
    )
    n = machine.n
    text = (
        f"For {n} states the embedding is {measured.embedding} = n + 6, with 3 heads, as for WTAs."
    )
    evidence = holds(
        "cor1.sizes",
        LITERAL,
        Strength.EXACT,
        "one automaton with 3 states, T = 13",
        text,
        {"kind": "trees.size", "what": "embedding", "n": n, "p": 2, "value": n + 6},
        limits="The certificate counts the coordinates; the heads are measured.",
    )
    yield either(right and measured.embedding == n + 6 and measured.heads == 3, evidence)


@check("cor1.nonzero", "cor1.precision")
def how_precise_counts_must_be(job: Job) -> Iterator[Evidence]:
    """Show weights that cancel, and counts that outgrow every fixed number of digits."""
    cancel = cancelling()
    value = cancel.weight(("a", "a"))
    certificate = {
        "kind": "trees.cancel",
        "automaton": plain(cancel),
        "alpha": ["1", "1"],
        "tokens": list("[aa]"),
        "state": [str(x) for x in cancel.state(("a", "a"))],
    }
    one, other = cancel.state(("a", "a"))
    text = (
        f"Two states with weights {one} and {other} at the root of [aa]: both true, their sum is 0"
    )
    evidence = fails(
        "cor1.nonzero",
        LITERAL,
        "one WTA with n = 2, the tree [aa]",
        f"{text}.",
        certificate,
        f"{text}.",
        repair="Count runs: weights 0 and 1.",
    )
    yield either(value == 0 and all(cancel.state(("a", "a"))), evidence)
    yield growth()


def cancelling() -> WTA:
    """Both states of [aa] are not 0, and f([aa]) is."""
    return WTA.of([1, 1], [[[1, 2], [3, 4]], [[-1, -2], [-3, -4]]], {"a": [1, 1]})


def growth() -> Evidence:
    """Counts of runs on balanced trees double their digits with each height."""
    counts = count_runs(ALL)
    rows, heights = [], range(1, 7)
    for h in heights:
        leaves = 2**h
        runs = max(counts.state(balanced(["a"] * leaves)))
        bits = int(runs).bit_length() + 1
        rows.append(
            (
                str(leaves),
                str(3 * leaves - 2),
                str(bits),
                str(most_runs(ALL, leaves)[-1].bit_length() + 1),
            )
        )
    series = Series("bits", tuple(row[0] for row in rows), tuple(row[2] for row in rows))
    figure = Figure(
        "run-bits",
        "Bits that counts of runs need",
        "The bits grow in proportion to the number of leaves.",
        "leaves",
        "bits for an error below ½",
        (series,),
        xscale="log",
        yscale="log",
    )
    table = Table(
        "run-bits",
        "Precision for a threshold at ½",
        ("leaves", "T", "bits needed", "bits enough, by splits"),
        tuple(rows),
    )
    runs = int(max(counts.state(balanced(["a"] * 16))))
    text = (
        f"With two states and all rules a balanced tree with 16 leaves has {runs} runs in a state: an "
        f"absolute error below ½ takes {runs.bit_length() + 1} bits, in proportion to the leaves "
        f"({rows[-1][2]} bits at {rows[-1][0]} leaves). A relative precision that is fixed fails."
    )
    certificate = {
        "kind": "trees.run-count",
        "automaton": plain_automaton(ALL),
        "leaves": 16,
        "runs": str(runs),
    }
    evidence = fails(
        "cor1.precision",
        LITERAL,
        "balanced trees with up to 64 leaves",
        text,
        certificate,
        f"16 leaves: {runs} runs.",
        figures=(figure,),
        tables=(table,),
        repair="An absolute error below ½; bits in proportion to the leaves.",
    )
    return either(runs > 2**16, evidence)
