"""How many steps a tree takes: the Padovan bound, each lemma of its proof, and the extremal trees.

Claims        beyond.logdepth.steps-bound, .steps-tight, .combs, .height
Shown         for all trees up to a size by playing the game; for all k up to a limit by a dynamic
              programme; each lemma of the proof in docs/logdepth.md on every node, time and tree of
              such sizes and on large random trees; the arithmetic of the induction for all k
Limits        the lemmas are proved by hand; that proof is checked here, not by a proof assistant
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from constructions.pebbling import (
    comb_steps,
    dynamic_bounds,
    extremal,
    least_leaves,
    most_steps,
    random_split,
    random_tree,
    steps,
    unordered_shapes,
)
from constructions.trees import comb, height, tokens, zigzag
from verify.check import Job, check
from verify.engines.logdepth_lemmas import (
    INEQUALITIES,
    Lemma,
    Record,
    chain_gain,
    chain_order,
    enough_leaves,
    growth_base,
    inactive_waits,
    induction_cases,
    induction_closes,
    off_the_way,
    one_after_children,
    pointers_compose,
)
from verify.evidence import Evidence, Outcome, Strength

BOUND = "beyond.logdepth.steps-bound"
TIGHT = "beyond.logdepth.steps-tight"
COMBS = "beyond.logdepth.combs"
HEIGHT = "beyond.logdepth.height"
SEED = 20240607


def holds(good: bool) -> Outcome:
    """The outcome of a decided question."""
    return Outcome.HOLDS if good else Outcome.FAILS


def said(good: bool, text: str) -> str:
    """What was seen; where it was not, the counterexample speaks."""
    return text if good else "This was not seen; the counterexample shows where it fails."


@cache
def small_trees(leaves: int) -> tuple[Record, ...]:
    """All shapes with at most so many leaves, up to the order of children."""
    return tuple(Record(tree) for n in range(1, leaves + 1) for tree in unordered_shapes(n))


@cache
def large_trees(leaves: int) -> tuple[Record, ...]:
    """Two random trees and an extremal one of about that size."""
    random = Random(SEED)
    given = [random_tree(leaves, random), random_split(leaves, random)]
    return tuple(Record(tree) for tree in [*given, extremal(most_steps(leaves))])


def first_failure(lemma: Lemma, records: tuple[Record, ...]) -> str:
    """The first tree and node on which a lemma fails, or nothing."""
    for record in records:
        if where := lemma(record):
            return f"{where} of {''.join(record.symbols)}"
    return ""


def lemma_evidence(job: Job, claim: str, lemma: Lemma) -> Iterator[Evidence]:
    """One lemma on all small trees and on some large ones."""
    limit, size = (14, 4000) if job.full else (12, 1000)
    records, more = small_trees(limit), large_trees(size)
    wrong = first_failure(lemma, records + more)
    name = lemma.__name__.replace("_", "-")
    statement = (lemma.__doc__ or "").strip()
    seen = f"Seen to hold on all of them and on {len(more)} trees with up to {size} leaves."
    yield Evidence(
        claim,
        holds(not wrong),
        Strength.EXHAUSTIVE,
        f"lemma {name}: all {len(records)} shapes with at most {limit} leaves, every node and time",
        f"Lemma {name}. {statement} {'Fails.' if wrong else seen}",
        engine="the game",
        certificate={
            "kind": "logdepth.lemma",
            "lemma": name,
            "leaves": limit,
            "trees": len(records),
        },
        counterexample=wrong,
        limits="A step of the proof in docs/logdepth.md, where it is proved for all trees by hand.",
    )


@check(BOUND)
def every_small_tree_keeps_the_bound(job: Job) -> Iterator[Evidence]:
    """Play the game on all shapes and compare the largest number of steps with the bound."""
    limit = 16 if job.full else 15
    found = [max(steps(tree) for tree in unordered_shapes(n)) for n in range(1, limit + 1)]
    bounds = [most_steps(n) for n in range(1, limit + 1)]
    shapes = sum(len(unordered_shapes(n)) for n in range(1, limit + 1))
    yield Evidence(
        BOUND,
        holds(found == bounds),
        Strength.EXHAUSTIVE,
        f"all {shapes} shapes with at most {limit} leaves, up to the order of children",
        f"The largest number of steps of a tree with 1, …, {limit} leaves is {found}; "
        f"max{{k : P_k - 1 ≤ N}} is {'the same' if found == bounds else bounds}.",
        engine="the game",
        certificate={"kind": "logdepth.steps", "largest": found},
        counterexample="" if found == bounds else f"expected {bounds}",
        limits="Larger trees are covered by the dynamic programme and by the proof in the "
        "documentation.",
    )


@check(BOUND)
def the_least_number_of_leaves_by_dynamic_programming(job: Job) -> Iterator[Evidence]:
    """Bound the least number of leaves for k steps from below and compare with P_k - 1."""
    limit = 20 if job.full else 18
    found = dynamic_bounds(limit)
    good = found == [least_leaves(k) for k in range(limit + 1)]
    yield Evidence(
        BOUND,
        holds(good),
        Strength.EXACT,
        f"k ≤ {limit}: all trees with fewer than {least_leaves(limit + 1)} leaves",
        f"Minimised over all activation times, a node that is unpebbled at time k - 1 has at "
        f"least {', '.join(map(str, found[:9]))}, …, {found[-1]} leaves for k = 0, …, {limit}: "
        f"{'P_k - 1 each time' if good else 'not always P_k - 1'}.",
        engine="dynamic programme",
        certificate={"kind": "logdepth.least-leaves", "least": found},
        counterexample="" if good else f"the programme finds {found}",
        limits="Rests on the lemmas that pointers compose and that the child off the way was "
        "pebbled one step before; for all k see the proof in the documentation.",
    )


@check(BOUND)
def lemma_off_the_way(job: Job) -> Iterator[Evidence]:
    """Check that the child off the way is pebbled one step before its parent is activated."""
    yield from lemma_evidence(job, BOUND, off_the_way)


@check(BOUND)
def lemma_inactive_waits(job: Job) -> Iterator[Evidence]:
    """Check that an inactive node has had no pebbled child one step before."""
    yield from lemma_evidence(job, BOUND, inactive_waits)


@check(BOUND)
def lemma_pointers_compose(job: Job) -> Iterator[Evidence]:
    """Check that pointers double: c_t = c_{t-1} c_{t-1}."""
    yield from lemma_evidence(job, BOUND, pointers_compose)


@check(BOUND)
def lemma_chain_gain(job: Job) -> Iterator[Evidence]:
    """Check that two active nodes in a row gain at least P_{s-2} leaves."""
    yield from lemma_evidence(job, BOUND, chain_gain)


@check(BOUND)
def lemma_induction_cases(job: Job) -> Iterator[Evidence]:
    """Check what each case of the induction asserts of sizes and times."""
    yield from lemma_evidence(job, BOUND, induction_cases)


@check(BOUND)
def lemma_enough_leaves(job: Job) -> Iterator[Evidence]:
    """Check the bound at every node, not at roots only."""
    yield from lemma_evidence(job, BOUND, enough_leaves)


@check(HEIGHT)
def lemma_chain_order(job: Job) -> Iterator[Evidence]:
    """Check that pointers keep their order along a chain."""
    yield from lemma_evidence(job, HEIGHT, chain_order)


@check(HEIGHT)
def lemma_one_after_children(job: Job) -> Iterator[Evidence]:
    """Check that a node is pebbled one step after its children at the latest."""
    yield from lemma_evidence(job, HEIGHT, one_after_children)


@check(BOUND)
def the_arithmetic_of_the_induction_closes_for_all_k(job: Job) -> Iterator[Evidence]:
    """Show the inequalities between Padovan numbers that the induction uses, for all k."""
    wrong = induction_closes()
    good = not wrong and growth_base()
    yield Evidence(
        BOUND,
        holds(good),
        Strength.EXHAUSTIVE,
        "the arithmetic of the induction, for all k; the lemmas it joins on small trees",
        said(
            good,
            f"All {len(INEQUALITIES)} inequalities between Padovan numbers that the induction uses "
            "hold for all k: as linear forms in three consecutive differences they have no "
            "negative coefficient. P_k ≥ 2ρ^k follows from ρ³ = ρ + 1 and k = 0, 1, 2.",
        ),
        engine="sympy",
        certificate={
            "kind": "logdepth.induction",
            "inequalities": [
                {"first": first, "terms": [[i, q] for i, q in form.items()], "constant": constant}
                for first, form, constant in INEQUALITIES.values()
            ],
        },
        counterexample="; ".join(wrong),
        limits="The inequalities are shown symbolically. The bound for all k needs the lemmas too, "
        "which are proved by hand and checked on small trees: no proof assistant has seen them.",
    )


@check(TIGHT)
def extremal_trees_attain_the_bound(job: Job) -> Iterator[Evidence]:
    """Play the game on t_k and count its leaves."""
    limit = 27 if job.full else 22
    found = [(steps(extremal(k)), tokens(extremal(k)).count("a")) for k in range(limit + 1)]
    wrong = [k for k, pair in enumerate(found) if pair != (k, least_leaves(k))]
    yield Evidence(
        TIGHT,
        holds(not wrong),
        Strength.EXACT,
        f"k ≤ {limit}, up to {found[-1][1]} leaves",
        said(
            not wrong,
            f"t_k takes exactly k steps and has exactly P_k - 1 leaves for k = 0, …, {limit}.",
        ),
        engine="the game",
        certificate={"kind": "logdepth.extremal", "leaves": [leaves for _, leaves in found]},
        counterexample=f"k = {wrong[0]}" if wrong else "",
        limits="That t_k takes k steps for all k is proved by hand, in the documentation.",
    )


@check(COMBS)
def combs_take_a_logarithm(job: Job) -> Iterator[Evidence]:
    """Play the game on combs and zigzags of every size."""
    limit = 600 if job.full else 200
    wrong = [
        n
        for n in range(1, limit + 1)
        if {steps(comb("a" * n)), steps(zigzag("a" * n))} != {comb_steps(n)}
    ]
    yield Evidence(
        COMBS,
        holds(not wrong),
        Strength.EXHAUSTIVE,
        f"N = 1 … {limit}, combs and zigzags",
        said(
            not wrong,
            f"Combs and zigzags with N = 3, …, {limit} leaves take 2 + ⌊log2(N-2)⌋ steps; with 1 "
            "and 2 leaves 0 and 1.",
        ),
        engine="the game",
        certificate={"kind": "logdepth.combs", "largest": limit},
        counterexample=f"N = {wrong[0]}" if wrong else "",
        limits="The formula for all N is proved by hand, in the documentation.",
    )


@check(HEIGHT)
def never_more_steps_than_the_height(job: Job) -> Iterator[Evidence]:
    """Compare steps and height on all small shapes."""
    limit = 14 if job.full else 13
    shapes = [tree for n in range(1, limit + 1) for tree in unordered_shapes(n)]
    wrong = [tree for tree in shapes if steps(tree) > height(tree)]
    yield Evidence(
        HEIGHT,
        holds(not wrong),
        Strength.EXHAUSTIVE,
        f"all {len(shapes)} shapes with at most {limit} leaves, up to the order of children",
        "No tree takes more steps than its height."
        if not wrong
        else f"{len(wrong)} trees take more steps than their height.",
        engine="the game",
        certificate={"kind": "logdepth.height", "leaves": limit, "trees": len(shapes)},
        counterexample="".join(tokens(wrong[0])) if wrong else "",
        limits="For all trees the statement is proved by hand, by the order of pointers on a "
        "chain, in docs/logdepth.md.",
    )
