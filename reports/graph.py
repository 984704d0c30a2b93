"""Layered drawing of the dependencies between statements, foundations on the left.

Constructs    layers by the longest way from a foundation; a foundation is placed just left of its
              first use; long edges pass through reserved empty places; the order within a
              layer by the mean place of neighbours, swept a fixed number of times; every layer
              is centred
Notation      an edge (a, b) means that b rests on a; sizes in CSS pixels
Deterministic the same nodes and edges, in the same order, give the same coordinates
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise

Edge = tuple[str, str]
WIDTH, HEIGHT = 196.0, 40.0
GAP_X, GAP_Y, THREAD, MARGIN = 64.0, 14.0, 10.0, 12.0
SWEEPS = 12


@dataclass(frozen=True)
class Box:
    """Position of a node: its upper left corner."""

    name: str
    x: float
    y: float


@dataclass(frozen=True)
class Curve:
    """An edge as the path of an SVG."""

    source: str
    target: str
    path: str


@dataclass(frozen=True)
class Drawing:
    """Boxes and curves with the size of the whole."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]


@dataclass
class _Layers:
    """Nodes by layer; threads are the empty places of long edges."""

    order: list[list[str]]
    chains: dict[Edge, list[str]]
    threads: set[str]

    def size(self, name: str) -> float:
        return THREAD if name in self.threads else HEIGHT

    def links(self) -> list[Edge]:
        return [pair for chain in self.chains.values() for pair in pairwise(chain)]


def draw(nodes: Sequence[str], edges: Iterable[Edge]) -> Drawing:
    """Lay out a graph without cycles."""
    kept = sorted(set(edges), key=lambda e: (nodes.index(e[0]), nodes.index(e[1])))
    layers = _assign_layers(nodes, kept)
    _untangle(layers)
    y = _heights(layers)
    x = {name: MARGIN + i * (WIDTH + GAP_X) for i, row in enumerate(layers.order) for name in row}
    boxes = tuple(Box(name, x[name], y[name] - HEIGHT / 2) for name in nodes)
    curves = tuple(Curve(a, b, _path(layers, (a, b), x, y)) for a, b in kept)
    width = 2 * MARGIN + len(layers.order) * (WIDTH + GAP_X) - GAP_X
    height = MARGIN + max((box.y + HEIGHT for box in boxes), default=0.0)
    return Drawing(width, max(height, *y.values(), 0.0) + MARGIN, boxes, curves)


def depths(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """The layer of each node; foundations are placed just left of their first use."""
    above: dict[str, list[str]] = {name: [] for name in nodes}
    below: dict[str, list[str]] = {name: [] for name in nodes}
    for a, b in edges:
        above[b].append(a)
        below[a].append(b)
    depth: dict[str, int] = {}
    for name in TopologicalSorter(above).static_order():
        depth[name] = max((depth[a] + 1 for a in above[name]), default=0)
    for name in nodes:
        if not above[name] and below[name]:
            depth[name] = min(depth[b] for b in below[name]) - 1
    return depth


def _assign_layers(nodes: Sequence[str], edges: Sequence[Edge]) -> _Layers:
    depth = depths(nodes, edges)
    order: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for name in nodes:
        order[depth[name]].append(name)
    chains: dict[Edge, list[str]] = {}
    threads: set[str] = set()
    for a, b in edges:
        inner = [f"{a} {b} {i}" for i in range(depth[a] + 1, depth[b])]
        for i, thread in enumerate(inner, depth[a] + 1):
            order[i].append(thread)
        threads.update(inner)
        chains[a, b] = [a, *inner, b]
    return _Layers(order, chains, threads)


def _untangle(layers: _Layers) -> None:
    left, right = _neighbours(layers.links())
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        rows = layers.order[1:] if forward else layers.order[-2::-1]
        near = left if forward else right
        place = {name: i / len(row) for row in layers.order for i, name in enumerate(row)}
        for row in rows:
            mean = {
                name: _mean([place[n] for n in near.get(name, [])], place[name]) for name in row
            }
            row.sort(key=mean.__getitem__)
            place.update({name: i / len(row) for i, name in enumerate(row)})


def _neighbours(links: Iterable[Edge]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    left: dict[str, list[str]] = {}
    right: dict[str, list[str]] = {}
    for a, b in links:
        left.setdefault(b, []).append(a)
        right.setdefault(a, []).append(b)
    return left, right


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _heights(layers: _Layers) -> dict[str, float]:
    """Return the middle of each node: every layer is stacked, and centred beside the highest one."""
    heights = [sum(map(layers.size, row)) + GAP_Y * (len(row) - 1) for row in layers.order]
    y: dict[str, float] = {}
    for row, height in zip(layers.order, heights, strict=True):
        top = MARGIN + (max(heights) - height) / 2
        for name in row:
            y[name] = round(top + layers.size(name) / 2, 1)
            top += layers.size(name) + GAP_Y
    return y


def _path(layers: _Layers, edge: Edge, x: Mapping[str, float], y: Mapping[str, float]) -> str:
    """A smooth way from the right side of one box to the left side of another."""
    parts: list[str] = []
    for a, b in pairwise(layers.chains[edge]):
        start, end = x[a] + WIDTH, x[b]
        half = (start + end) / 2
        opening = f"M{x[a] + WIDTH:g} {y[a]:g}" if not parts else f"H{start:g}"
        parts.append(f"{opening}C{half:g} {y[a]:g} {half:g} {y[b]:g} {end:g} {y[b]:g}")
    return "".join(parts)
