"""The maps of a report: one of the numbered statements and proofs, one for each section.

A map is a drawing whose boxes carry mark, word and colour of a verdict and lead to a claim.
Only claims with edges are drawn; a claim of another section on which something rests is drawn
as a guest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reports.graph import Drawing, Edge, draw
from reports.view import ClaimView, View
from reports.words import VERDICTS, Word, place

LONGEST = 27


@dataclass(frozen=True)
class Node:
    """What a box shows and where it leads."""

    label: str
    claim: str
    title: str
    word: Word
    guest: bool = False


@dataclass(frozen=True)
class Map:
    """A drawing with what its boxes show."""

    key: str
    title: str
    drawing: Drawing
    nodes: Mapping[str, Node]

    @property
    def alt(self) -> str:
        """The map in a sentence, for those who do not see it."""
        count, edges = len(self.drawing.boxes), len(self.drawing.curves)
        return f"{self.title}: {count} boxes and {edges} arrows, each arrow to what rests on it."


def maps(view: View) -> list[Map]:
    """The overview, then a map for each section that has edges."""
    found = [_overview(view)]
    for number, (section, claims) in enumerate(view.sections.items()):
        if one := _section(f"map-{number}", section, claims, view):
            found.append(one)
    return [one for one in found if one.drawing.curves]


def _section(key: str, section: str, claims: Sequence[ClaimView], view: View) -> Map | None:
    own = {claim.id for claim in claims}
    edges = [(above, claim.id) for claim in claims for above in claim.data["rests_on"]]
    touched = {name for edge in edges for name in edge}
    if not edges:
        return None
    nodes = {
        claim.id: _node(claim, claim.id not in own) for claim in view.claims if claim.id in touched
    }
    return Map(key, place(section), draw(list(nodes), edges), nodes)


def _node(claim: ClaimView, guest: bool) -> Node:
    return Node(_short(claim.id), claim.id, claim.data["title"], claim.word, guest)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _overview(view: View) -> Map:
    """Numbered statements and printed proofs; an edge where one rests on another, however far."""
    stations = _stations(view)
    above = {claim.id: claim.data["rests_on"] for claim in view.claims}
    owner = {name: key for key, names in stations.items() for name in names}
    edges = {
        (owner[found], key)
        for key, names in stations.items()
        for found in _nearest(names, above, owner, key)
    }
    reduced = _reduced(edges)
    by_id = {claim.id: claim for claim in view.claims}
    touched = {name for edge in reduced for name in edge}
    nodes = {key: _station(key, by_id[key], view) for key in stations if key in touched}
    return Map("map-overview", "Numbered statements and proofs", draw(list(nodes), reduced), nodes)


def _stations(view: View) -> dict[str, list[str]]:
    """The claim that speaks for each station, with all the claims that belong to it."""
    found: dict[str, list[str]] = {}
    for row in view.rows:
        if row.head:
            found[row.head["id"]] = [claim["id"] for claim in row.claims]
    found.update({c.id: [c.id] for c in view.claims if c.data["kind"] == "proof"})
    return found


def _station(key: str, claim: ClaimView, view: View) -> Node:
    names = {row.head["id"]: row.statement.name for row in view.rows if row.head}
    proofs = {row.proof["id"]: f"Proof of {row.statement.name}" for row in reversed(view.rows)
              if row.proof}  # fmt: skip
    label = names.get(key) or proofs.get(key) or _short(key)
    return Node(label, key, claim.data["title"], VERDICTS[claim.data["verdict"]])


def _nearest(
    names: Iterable[str], above: Mapping[str, Sequence[str]], owner: Mapping[str, str], key: str
) -> set[str]:
    """The first claims of other stations met on the way up."""
    found, seen, todo = set(), set(), list(names)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if owner.get(name, key) != key:
            found.add(name)
        else:
            todo.extend(above[name])
    return found


def _reduced(edges: Iterable[Edge]) -> list[Edge]:
    """The edges that no longer way explains; edges that close a circle left out."""
    after: dict[str, set[str]] = {}
    for a, b in sorted(edges):
        if a not in _reach(after, b):
            after.setdefault(a, set()).add(b)
    return [
        (a, b)
        for a, targets in sorted(after.items())
        for b in sorted(targets)
        if not any(b in _reach(after, c) for c in targets if c != b)
    ]


def _reach(after: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        for name in after.get(todo.pop(), ()):
            if name not in found:
                found.add(name)
                todo.append(name)
    return found
