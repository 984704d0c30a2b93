"""The map of a report: the numbered statements and what they rest on, with their standings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from reports.graph import Drawing, Edge, draw
from reports.labels import Word
from reports.page_one import entries
from reports.view import StatementView, View

LONGEST = 27


@dataclass(frozen=True)
class Node:
    """Text of a box and the statement that it links to."""

    label: str
    statement: str
    title: str
    word: Word


@dataclass(frozen=True)
class Map:
    """A drawing with the texts and links of its boxes."""

    key: str
    title: str
    drawing: Drawing
    nodes: Mapping[str, Node]

    @property
    def alt(self) -> str:
        """The map in a sentence, as alternative text."""
        count, edges = len(self.drawing.boxes), len(self.drawing.curves)
        return f"{self.title}: {count} boxes and {edges} arrows, each arrow to what rests on it."


def maps(view: View) -> list[Map]:
    """The map of the numbered statements, if any rests on another."""
    stations = {each.id: each for each in view.statements if each.data["numbered"]}
    edges = {
        (found, name) for name, each in stations.items() for found in _nearest(each, view, stations)
    }
    reduced = _transitive_reduction(edges)
    if not reduced:
        return []
    touched = {name for edge in reduced for name in edge}
    nodes = {name: _node(each) for name, each in stations.items() if name in touched}
    title = "Numbered statements"
    return [Map("map-overview", title, draw(list(nodes), reduced), nodes)]


def unmapped_statements(view: View) -> list[StatementView]:
    """The numbered statements of page one that are on no map: nothing here rests on them."""
    mapped = {name for one in maps(view) for name in one.nodes}
    named = (view.by_id[entry["statement"]] for entry in entries(view.record))
    return [each for each in named if each.data["numbered"] and each.id not in mapped]


def _node(each: StatementView) -> Node:
    label = each.name if len(each.name) <= LONGEST else f"{each.name[: LONGEST - 1]}…"
    return Node(label, each.id, each.data["title"], each.standing)


def _nearest(each: StatementView, view: View, stations: Mapping[str, StatementView]) -> set[str]:
    """The nearest numbered statements among the dependencies of a statement."""
    by_id = view.by_id
    found, seen, todo = set(), set(), list(each.data["rests_on"])
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in stations:
            found.add(name)
        else:
            todo.extend(by_id[name].data["rests_on"])
    return found


def _transitive_reduction(edges: Iterable[Edge]) -> list[Edge]:
    """Edges of the transitive reduction: those not implied by a longer path."""
    above: dict[str, set[str]] = {}
    for a, b in edges:
        above.setdefault(b, set()).add(a)
    all_above: dict[str, set[str]] = {}
    for name in TopologicalSorter(above).static_order():
        direct = above.get(name, set())
        all_above[name] = direct.union(*(all_above[a] for a in direct))
    return sorted(
        (a, b)
        for b, direct in above.items()
        for a in direct
        if not any(a in all_above[other] for other in direct)
    )
