"""The drawing of a tree: its string, its depths, and the targets of heads at opening brackets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Arcs:
    """The arcs of one head: its targets, which of them are wrong, and the depths it computes."""

    label: str
    arcs: tuple[tuple[int, int], ...]
    missed: tuple[int, ...]
    depths: tuple[int, ...] = ()


@dataclass(frozen=True)
class TreeDrawing:
    """A tree given by its string, with the arcs of some heads."""

    id: str
    title: str
    alt: str
    tokens: tuple[str, ...]
    depths: tuple[int, ...]
    heads: tuple[Arcs, ...]


def arcs(
    label: str, looks: Mapping[int, int], wanted: Mapping[int, int], depths: Sequence[int] = ()
) -> Arcs:
    """Return the targets of a head at each opening bracket, with those that are wrong."""
    missed = tuple(i for i in looks if looks[i] != wanted[i])
    return Arcs(label, tuple(looks.items()), missed, tuple(depths))
