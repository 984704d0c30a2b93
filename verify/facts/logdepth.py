"""Logarithmic depth on trees: the built model on all small trees, its step, its scores, the game.

    logdepth.states      every token after every layer is as the game says, and every state is μ
    logdepth.step        the built layer is the stated polynomial map of degree two
    pebbling.steps       the most steps of trees with 1, 2, … leaves; never more than the height
    pebbling.combs       a comb with N ≥ 3 leaves takes 2 + ⌊log₂(N-2)⌋ steps

Notation      P_0, P_1, P_2 = 2, 3, 4 and P_k = P_{k-2} + P_{k-3}; E = T + 1. The game and the proof
              are in docs/logdepth.md
"""

from __future__ import annotations

from typing import Any

from constructions import logdepth
from constructions.automata.pebbling import (
    comb_steps,
    most_steps,
    steps,
    unordered_shapes,
)
from constructions.automata.trees import (
    Tree,
    comb,
    height,
    relabelled_tree,
    shapes,
    tokens,
    zigzag,
)
from constructions.automata.wta import WTA
from verify.facts.logdepth_invariant import examine
from verify.facts.logdepth_step_algebra import (
    differences,
    generic,
    named_units,
)
from verify.facts.registry import fact
from verify.judge.outcome import Outcome


def labelled_shapes(leaves: int) -> list[Tree]:
    """All ordered shapes of a size; leaf k of shape m has letter number (3m + k² + ⌊k/2⌋) mod 4."""
    return [
        relabelled_tree(shape, ["abcd"[(3 * m + k * k + k // 2) % 4] for k in range(leaves)])
        for m, shape in enumerate(shapes(leaves))
    ]


@fact("logdepth.states", "exhaustive")
def states_on_all_shapes(tensor: Any, letters: dict[str, list[int]], leaves: int) -> Outcome:
    """On all ordered shapes up to a size every state of a WTA is exact at every position."""
    machine, runs = WTA.of([1] * len(tensor), tensor, letters), []
    for size in range(1, leaves + 1):
        run = examine(logdepth.build(machine, 3 * size - 2), labelled_shapes(size))
        if run.fault:
            return Outcome(False, {}, {"leaves": size, "fault": run.fault})
        runs.append(run)
    names = ("trees", "nodes", "steps", "digest")
    return Outcome(True, {name: [getattr(run, name) for run in runs] for name in names})


@fact("logdepth.step", "symbolic")
def step_is_polynomial(n: int) -> Outcome:
    """For every tensor the layer maps tokens as stated."""
    model = generic(n)
    for wrong in differences(model):
        return Outcome(False, {}, {"where": wrong})
    return Outcome(True, {"units": named_units(model)})


@fact("pebbling.steps", "exhaustive")
def most_of_all_shapes(leaves: int) -> Outcome:
    """The most steps of a tree with N leaves are max{k : P_k - 1 ≤ N}, never above the height."""
    largest = []
    for size in range(1, leaves + 1):
        taken = [(steps(tree), tree) for tree in unordered_shapes(size)]
        largest.append(max(k for k, _ in taken))
        high = next((tree for k, tree in taken if k > height(tree)), None)
        if largest[-1] != most_steps(size) or high is not None:
            string = "".join(tokens(high or max(taken, key=lambda pair: pair[0])[1]))
            return Outcome(False, {"largest": largest}, {"leaves": size, "string": string})
    return Outcome(True, {"largest": largest})


@fact("pebbling.combs", "exhaustive")
def combs(most: int) -> Outcome:
    """Combs and zigzags with N = 1 … most leaves take 0, 1 and then 2 + ⌊log₂(N-2)⌋ steps."""
    for leaves in range(1, most + 1):
        taken = sorted({steps(comb("a" * leaves)), steps(zigzag("a" * leaves))})
        if taken != [comb_steps(leaves)]:
            return Outcome(False, {}, {"leaves": leaves, "steps": taken})
    return Outcome(True, {"last": comb_steps(most)})
