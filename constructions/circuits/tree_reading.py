"""Where each head of a tree decoder reads, as a function of the string of the tree alone.

Positions   0 is BOS, 1 … N are the tokens of str(t); a node is named by where its subtree ends. An inner
            node ends at its closing bracket: its right child ends one before, its left child at `left`
Game        `constructions.automata.pebbling`, one step a layer from layer 2 on: f known, g inactive, c
            pointer, at first f at leaves, g at closing brackets, c the position itself
  layer 0   mean: all positions 0 … t; previous: max(t - 1, 0)
  layer 2   match: at a closing bracket where its right child begins, else BOS; near
  near      t - 1 where t is inactive, else BOS            far   `left` where t is inactive, else BOS
  pointer   c of the position
Step        inactive, with the right child known (F) and the left child known (N, both 0 or 1): c + F (left
            - t) - N; known if both, active if one. Others: c of c; active ones are known if the node
            pointed to is. So a node of which both children are known at once points at left - 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constructions.automata.trees import CLOSE, OPEN, children, ends

Positions = list[tuple[int, ...]]
FIRST_STEP = 2  # the layer that makes the first step of the game


@dataclass(frozen=True)
class Marks:
    """The game at one time, by positions: BOS and opening brackets are neither known nor inactive."""

    known: tuple[bool, ...]
    inactive: tuple[bool, ...]
    pointer: tuple[int, ...]


@dataclass(frozen=True)
class Places:
    """Of closing brackets: where the left child ends, and where the right child begins."""

    left: dict[int, int]
    right: dict[int, int]


def places(symbols: Sequence[str]) -> Places:
    """The places of a string."""
    end = ends(symbols)
    pairs = children(symbols).items()
    return Places(
        {end[node]: end[left] for node, (left, _) in pairs},
        {end[node]: right for node, (_, right) in pairs},
    )


def first_marks(symbols: Sequence[str]) -> Marks:
    """Leaves known, closing brackets inactive."""
    known = (False, *(symbol not in (OPEN, CLOSE) for symbol in symbols))
    inactive = (False, *(symbol == CLOSE for symbol in symbols))
    return Marks(known, inactive, tuple(range(len(known))))


def next_marks(marks: Marks, left: dict[int, int]) -> Marks:
    """One step of the game, at all positions at once."""
    known, inactive, pointer = list(marks.known), list(marks.inactive), list(marks.pointer)
    for t, target in enumerate(marks.pointer):
        if not marks.inactive[t]:
            pointer[t] = marks.pointer[target]
            known[t] = marks.known[t] or marks.known[target]
            continue
        near, far = marks.known[t - 1], marks.known[left[t]]
        pointer[t] += near * (left[t] - t) - far
        known[t], inactive[t] = near and far, not (near or far)
    return Marks(tuple(known), tuple(inactive), tuple(pointer))


def positions_by_layer(symbols: Sequence[str], layers: int) -> list[dict[str, Positions]]:
    """For every layer, by the name of the head: the positions read, from every position.

    Examples:
        >>> layer = positions_by_layer("[a[ab]]", 5)[3]
        >>> layer["far"][7], layer["pointer"][7]  # the root is active: it points at the node that ends at 6
        ((0,), (6,))

    """
    count, where = len(symbols) + 1, places(symbols)
    listed: list[dict[str, Positions]] = [{} for _ in range(layers)]
    listed[0] = {
        "mean": [tuple(range(t + 1)) for t in range(count)],
        "previous": [(max(t - 1, 0),) for t in range(count)],
    }
    marks = first_marks(symbols)
    for layer in range(FIRST_STEP, layers):
        waiting = [t if marks.inactive[t] else None for t in range(count)]
        listed[layer] = {"near": [(0 if t is None else t - 1,) for t in waiting]}
        if layer == FIRST_STEP:
            listed[layer]["match"] = [(0 if t is None else where.right[t],) for t in waiting]
        else:
            listed[layer]["far"] = [(0 if t is None else where.left[t],) for t in waiting]
            listed[layer]["pointer"] = [(target,) for target in marks.pointer]
        marks = next_marks(marks, where.left)
    return listed
