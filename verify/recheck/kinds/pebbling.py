"""Confirms facts on the pebbling game: an own game, played on shapes that are pairs of shapes.

    pebbling.steps       the most steps of all shapes of each size, and their heights
    pebbling.combs       every comb played

A node is a number, a shape a letter (a leaf) or a pair of shapes. P_0, P_1, P_2 = 2, 3, 4.
"""

from __future__ import annotations

from functools import cache

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused
from verify.recheck.kernel import tree

Shape = tree.Tree
LEAF = "a"
KNOWN, WAITING, MOVING = 0, 1, 2


class Game:
    """One game, played to the end when it is made: who is known, and who points where."""

    def __init__(self, shape: Shape) -> None:
        self.pairs: list[tuple[int, int] | None] = []
        self._number(shape)
        count = range(len(self.pairs))
        marks = [KNOWN if self.pairs[v] is None else WAITING for v in count]
        pointers, self.steps = list(count), 0
        while any(marks):
            marks, pointers = self._next(marks, pointers)
            self.steps += 1

    def _number(self, shape: Shape) -> int:
        """Number the nodes from the leaves up; return the number of the root."""
        pair = None if shape == LEAF else (self._number(shape[0]), self._number(shape[1]))
        self.pairs.append(pair)
        return len(self.pairs) - 1

    def _next(self, marks: list[int], pointers: list[int]) -> tuple[list[int], list[int]]:
        new, moved = marks[:], pointers[:]
        for v, pair in enumerate(self.pairs):
            if pair is None or marks[v] == KNOWN:
                continue
            if marks[v] == MOVING:
                new[v] = KNOWN if marks[pointers[v]] == KNOWN else MOVING
                moved[v] = pointers[pointers[v]]
                continue
            unknown = [child for child in pair if marks[child] != KNOWN]
            if len(unknown) < 2:
                new[v] = MOVING if unknown else KNOWN
                moved[v] = unknown[0] if unknown else v
        return new, moved


def padovan(k: int) -> int:
    """P_k from P_0, P_1, P_2 = 2, 3, 4."""
    terms = [2, 3, 4]
    while len(terms) <= k:
        terms.append(terms[-2] + terms[-3])
    return terms[k]


def most_steps(leaves: int) -> int:
    """max{k : P_k - 1 ≤ N}."""
    k = 0
    while padovan(k + 1) - 1 <= leaves:
        k += 1
    return k


@cache
def unordered(leaves: int) -> tuple[Shape, ...]:
    """All shapes up to the order of children."""
    if leaves == 1:
        return (LEAF,)
    return tuple(
        (big, small)
        for less in range(1, leaves // 2 + 1)
        for i, small in enumerate(unordered(less))
        for big in (unordered(less)[: i + 1] if 2 * less == leaves else unordered(leaves - less))
    )


def comb(leaves: int) -> Shape:
    """A comb; which way it turns does not matter to the game."""
    shape: Shape = LEAF
    for _ in range(leaves - 1):
        shape = (LEAF, shape)
    return shape


@confirms("pebbling.steps", "exhaustive", leaves=(1, 13))
def steps(leaves: int) -> Recomputed:
    """The most steps of all shapes of each size."""
    largest = []
    for size in range(1, leaves + 1):
        played = [(Game(shape).steps, shape) for shape in unordered(size)]
        largest.append(max(k for k, _ in played))
        if largest[-1] != most_steps(size) or any(
            k > tree.nodes(shape)[0].height for k, shape in played
        ):
            raise Refused(
                f"{size} leaves: the bound is not met, or a tree takes more than its height"
            )
    return Recomputed(True, {"largest": largest})


def comb_steps(leaves: int) -> int:
    """0, 1, then 2 + ⌊log₂(N-2)⌋."""
    return leaves - 1 if leaves < 3 else 1 + (leaves - 2).bit_length()


@confirms("pebbling.combs", "exhaustive", most=(1, 300))
def combs(most: int) -> Recomputed:
    """Every comb played."""
    for leaves in range(1, most + 1):
        if (taken := Game(comb(leaves)).steps) != comb_steps(leaves):
            return Recomputed(False, {}, {"leaves": leaves, "steps": [taken]})
    return Recomputed(True, {"last": comb_steps(most)})
