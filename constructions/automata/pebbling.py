"""A parallel pebbling game on binary trees: how many steps the log-depth construction needs.

Claimed       a tree with N leaves is pebbled after at most max{k : P_k - 1 ≤ N} steps, and never
              later than its height; the bound is attained by the extremal trees
Constructs    the game, its step counts, the extremal trees t_k = (leaf, (t_{k-3}, t_{k-2}))
Notation      P_0 = 2, P_1 = 3, P_2 = 4, P_k = P_{k-2} + P_{k-3} (Padovan numbers), also to the
              left: P_{-1} = 2, P_{-2} = P_{-3} = 1; c_t(v) the pointer of v at time t
Not in print  the paper asks the question (Section 4.2) and leaves it open; docs/logdepth.md has
              the proof

At time 0 the leaves are pebbled and the inner nodes inactive. In one step, all nodes at once:

    inactive, both children pebbled     becomes pebbled
    inactive, one child pebbled         becomes active, its pointer goes to the other child
    active, pointer to a pebbled node   becomes pebbled
    active, pointer to an active node   points where that node points
    active, pointer to an inactive node stays as it is

A node is named by the position in str(t) where its subtree begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import count
from random import Random

from constructions.automata.trees import OPEN, Tree, children, positions, tokens


class PebbleMark(StrEnum):
    """The state of a node in the game."""

    PEBBLED = "pebbled"
    INACTIVE = "inactive"
    ACTIVE = "active"


@dataclass(frozen=True)
class GameState:
    """The game at one time: a mark and a pointer for each node (a pebbled node keeps its last)."""

    marks: Mapping[int, PebbleMark]
    pointers: Mapping[int, int]

    @property
    def is_finished(self) -> bool:
        """Return True if every node is pebbled."""
        return all(mark is PebbleMark.PEBBLED for mark in self.marks.values())


Children = Mapping[int, tuple[int, int]]


def initial_state(symbols: tuple[str, ...]) -> GameState:
    """Time 0: leaves pebbled, inner nodes inactive, every pointer to the node itself."""
    nodes = positions(symbols)
    marks = {
        i: PebbleMark.INACTIVE if symbols[i - 1] == OPEN else PebbleMark.PEBBLED for i in nodes
    }
    return GameState(marks, {i: i for i in nodes})


def next_state(state: GameState, below: Children) -> GameState:
    """One step of the game, all nodes at once."""
    marks, pointers = dict(state.marks), dict(state.pointers)
    for node, (left, right) in below.items():
        if state.marks[node] is PebbleMark.INACTIVE:
            _begin(state, node, (left, right), marks, pointers)
        elif state.marks[node] is PebbleMark.ACTIVE:
            target = state.pointers[node]
            if state.marks[target] is PebbleMark.PEBBLED:
                marks[node] = PebbleMark.PEBBLED
            pointers[node] = state.pointers[target]
    return GameState(marks, pointers)


def _begin(
    state: GameState,
    node: int,
    pair: tuple[int, int],
    marks: dict[int, PebbleMark],
    pointers: dict[int, int],
) -> None:
    waiting = [child for child in pair if state.marks[child] is not PebbleMark.PEBBLED]
    if not waiting:
        marks[node] = PebbleMark.PEBBLED
    elif len(waiting) == 1:
        marks[node], pointers[node] = PebbleMark.ACTIVE, waiting[0]


def play(tree: Tree) -> Iterator[GameState]:
    """The states at times 0, 1, …, up to the first at which every node is pebbled."""
    symbols = tokens(tree)
    below, state = children(symbols), initial_state(symbols)
    yield state
    while not state.is_finished:
        state = next_state(state, below)
        yield state


def steps(tree: Tree) -> int:
    """The time at which the last node is pebbled.

    >>> [steps(extremal_tree(k)) for k in range(8)]
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    return sum(1 for _ in play(tree)) - 1


def times(tree: Tree) -> dict[int, int]:
    """For each node, the time at which it is pebbled."""
    times_by_node: dict[int, int] = {}
    for time, state in enumerate(play(tree)):
        for node, mark in state.marks.items():
            if mark is PebbleMark.PEBBLED:
                times_by_node.setdefault(node, time)
    return times_by_node


@cache
def padovan(k: int) -> int:
    """P_k for k ≥ -3.

    >>> [padovan(k) for k in range(-3, 10)]
    [1, 1, 2, 2, 3, 4, 5, 7, 9, 12, 16, 21, 28]
    """
    if k < -3:
        raise ValueError(f"padovan({k}): expected k ≥ -3")
    if k <= -1:
        return {-3: 1, -2: 1, -1: 2}[k]
    return padovan(k - 2) + padovan(k - 3)


def least_leaves(k: int) -> int:
    """P_k - 1: no tree with fewer leaves needs k steps."""
    return padovan(k) - 1


def most_steps(leaves: int) -> int:
    """max{k : P_k - 1 ≤ N}: no tree with N leaves needs more steps.

    >>> [most_steps(n) for n in range(1, 12)]
    [0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6]
    """
    if leaves < 1:
        raise ValueError(f"a tree with {leaves} leaves: expected at least one")
    return next(k for k in count() if least_leaves(k + 1) > leaves)


def comb_steps(leaves: int) -> int:
    """Steps of a comb, whichever way it turns: 2 + ⌊log₂(N - 2)⌋ from N = 3 on."""
    return min(leaves - 1, 1 + (leaves - 2).bit_length())


def extremal_tree(k: int, label: str = "a") -> Tree:
    """t_k: the least tree that needs k steps, P_k - 1 leaves."""
    grown: list[Tree] = [label, (label, label), (label, (label, label))]
    while len(grown) <= k:
        grown.append((label, (grown[-3], grown[-2])))
    return grown[k]


@cache
def unordered_shapes(leaves: int) -> tuple[Tree, ...]:
    """All shapes with that many leaves, up to the order of children."""
    if leaves == 1:
        return ("a",)
    trees: list[Tree] = []
    for small in range(1, leaves // 2 + 1):
        ones, others = unordered_shapes(small), unordered_shapes(leaves - small)
        for i, one in enumerate(ones):
            trees += [(one, other) for other in (others[i:] if 2 * small == leaves else others)]
    return tuple(trees)


def random_shape(leaves: int, random: Random, label: str = "a") -> Tree:
    """A uniformly random ordered shape, by Rémy's algorithm: graft a leaf beside any node."""
    below: list[list[int] | None] = [None]
    above, root = list[int | None]([None]), 0
    for _ in range(leaves - 1):
        node, new = random.randrange(len(below)), len(below)
        pair = [node, new + 1] if random.random() < 0.5 else [new + 1, node]
        below += [pair, None]
        above += [above[node], new]
        _hang(below, above[node], node, new)
        above[node] = new
        root = new if root == node else root
    return _assemble(below, root, label)


def _hang(below: list[list[int] | None], parent: int | None, old: int, new: int) -> None:
    pair = None if parent is None else below[parent]
    if pair is not None:
        pair[pair.index(old)] = new


def _assemble(below: list[list[int] | None], root: int, label: str) -> Tree:
    """The nested pairs, from the bottom up, without recursion."""
    order, built = [root], dict[int, Tree]()
    for node in order:
        order += below[node] or []
    for node in reversed(order):
        pair = below[node]
        built[node] = label if pair is None else (built[pair[0]], built[pair[1]])
    return built[root]
