"""What the log-depth construction is run on: automata, labelled shapes and families of trees.

Automata     three with small integer weights (n = 1, 2, 3); implications, whose states are 0 or 1;
             mixing, whose states are distributions
Shapes       all ordered shapes of one size, with leaf k of shape m labelled by (3m + k² + k/2) mod 4
Families     comb, zigzag, caterpillar, balanced, random (two laws) and extremal trees
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from constructions.pebbling import extremal, most_steps, random_split, random_tree
from constructions.trees import Tree, balanced, caterpillar, comb, relabel, shapes, tokens, zigzag
from constructions.wta import WTA

ALPHABET = "abcd"
SEED = 20240607
PRIME = (1 << 31) - 1

TENSORS: Mapping[int, Any] = {
    1: [[[2]]],
    2: [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]],
    3: [
        [[1, 0, -1], [0, 1, 0], [1, 0, 0]],
        [[0, 1, 0], [-1, 0, 1], [0, 0, 1]],
        [[1, 0, 0], [0, 0, -1], [0, 1, 1]],
    ],
}
LEAVES: Mapping[int, Mapping[str, list[int]]] = {
    1: {"a": [1], "b": [-1], "c": [2], "d": [1]},
    2: {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]},
    3: {"a": [1, 0, 2], "b": [-1, 1, 1], "c": [0, 1, -1], "d": [1, 1, 0]},
}


def automaton(n: int) -> WTA:
    """The automaton with n states."""
    return WTA.of([1, *([0] * (n - 1))], TENSORS[n], LEAVES[n])


def implications() -> WTA:
    """Truth values, one-hot: a node is 'left implies right'; states stay 0 or 1."""
    false = [[0, 0], [1, 0]]
    true = [[1, 1], [0, 1]]
    return WTA.of([0, 1], [false, true], {"a": [0, 1], "b": [1, 0], "c": [0, 1], "d": [1, 0]})


def mixing() -> WTA:
    """A probabilistic automaton: for each pair of children a distribution, states sum to 1."""
    to = {(0, 0): "3/4", (0, 1): "1/3", (1, 0): "1/2", (1, 1): "1/5"}
    first = [[Fraction(to[j, k]) for k in range(2)] for j in range(2)]
    second = [[1 - weight for weight in row] for row in first]
    leaves = {"a": [1, 0], "b": [0, 1], "c": ["1/2", "1/2"], "d": ["1/3", "2/3"]}
    return WTA.of([1, 0], [first, second], leaves)


def plain(machine: WTA) -> dict[str, Any]:
    """The automaton as certificates hold it."""
    tensor = [[[str(w) for w in row] for row in rows] for rows in machine.tensor]
    leaves = {name: [str(w) for w in state] for name, state in machine.leaves.items()}
    return {"tensor": tensor, "leaves": leaves}


def labelled(leaves: int) -> list[Tree]:
    """All ordered shapes of that size, labelled by number and place."""
    return [
        relabel(shape, [ALPHABET[(3 * m + k * k + k // 2) % 4] for k in range(leaves)])
        for m, shape in enumerate(shapes(leaves))
    ]


def families(leaves: int) -> dict[str, Tree]:
    """One tree of each family with about that many leaves."""
    random = Random(SEED + leaves)
    labels = [random.choice(ALPHABET) for _ in range(leaves)]
    extreme = extremal(most_steps(leaves))
    return {
        "comb": comb(labels),
        "zigzag": zigzag(labels),
        "caterpillar": caterpillar(labels, 7),
        "balanced": balanced(labels),
        "random": relabel(random_tree(leaves, random), labels),
        "random split": relabel(random_split(leaves, random), labels),
        "extremal": relabel(extreme, labels[: tokens(extreme).count("a")]),
    }
