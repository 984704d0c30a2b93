"""Drawings as they were approved: where every box, arc and word stands."""

from dataclasses import asdict
from pathlib import Path

import pytest
from approved_support import agree_with_approved
from reports_support import made

from reports import render_all
from reports.badge import badge
from reports.drawing import inline, levels
from reports.graph import depths, draw
from reports.view import view

APPROVED = Path(__file__).with_suffix(".json")
TREES = {
    "one leaf": ("a", [[1, 1]], []),
    "three leaves": ("[a[bc]]", [[1, 2], [3, 5], [4, 4], [7, 1]], [3]),
    "a long string": ("[a" * 9 + "b" + "]" * 9, [[1, 28], [28, 1]], [28]),
    "no tree": ("]]a[b", [[5, 1]], []),
}
GRAPHS = {
    "a chain with a long edge": ("abcd", ["ab", "bc", "cd", "ad", "ac"]),
    "a tangle": ("abcdefgh", ["af", "ae", "bf", "bg", "ch", "cd", "dh", "ah", "eg"]),
    "no edges": ("abc", []),
    "long edges from every layer": (
        "abcdefghijkl",
        [
            "ab",
            "bc",
            "cd",
            "de",
            "be",
            "bd",
            "ce",
            "af",
            "fg",
            "gh",
            "hi",
            "fi",
            "gi",
            "aj",
            "ak",
            "al",
        ],
    ),
    "many meet in one": ("abcdefgh", ["ae", "be", "ce", "de", "ef", "eg", "eh", "ah", "bf", "dg"]),
}


@pytest.mark.parametrize("name", TREES)
def test_a_tree_is_drawn_as_approved(name: str) -> None:
    text, arcs, missed = TREES[name]
    first = {"label": "a head", "arcs": arcs, "missed": missed, "depths": []}
    second = {**first, "label": "another head", "missed": [], "depths": [7] * len(text)}
    drawing = {"id": "t", "title": "T", "alt": "A", "tokens": list(text), "depths": levels(text)}
    elements = inline({**drawing, "heads": [first, second, first]}).replace("><", ">\n<")
    agree_with_approved(APPROVED, f"tree: {name}", elements.splitlines())


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_drawn_as_approved(name: str) -> None:
    nodes, pairs = GRAPHS[name]
    edges = [(a, b) for a, b in pairs]
    found = {"depths": depths(list(nodes), edges), "drawing": asdict(draw(list(nodes), edges))}
    agree_with_approved(APPROVED, f"graph: {name}", found)


def test_a_badge_is_drawn_as_approved() -> None:
    elements = badge(view(*made())).decode().replace("><", ">\n<")
    agree_with_approved(APPROVED, "badge", elements.splitlines())


@pytest.mark.parametrize("name", ["report.md", "assay.tex", "junit.xml", "erratum.tex"])
def test_a_text_of_a_report_is_as_approved(name: str) -> None:
    agree_with_approved(APPROVED, f"text: {name}", render_all(*made())[name].decode().splitlines())
