"""Circuit files that are wrong, each in one way, for the tests that they are refused."""

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from verify.circuits.check import CircuitAnswer

Document = dict[str, Any]


@contextmanager
def changed_circuit(folder: Path, change: Callable[[Document], Document]) -> Iterator[None]:
    """A folder whose circuit file is another one for a while."""
    path = folder / "circuit.json"
    good = path.read_bytes()
    path.write_text(json.dumps(change(json.loads(good))), "utf-8")
    try:
        yield
    finally:
        path.write_bytes(good)


def assert_refused_with_one_line(found: CircuitAnswer) -> None:
    """The model disagrees with its circuit, at a position that is named."""
    assert found.verdict == "refused"
    line = str(found.disagreement)
    assert "the model has" in line and "position" in line and "\n" not in line


def without_edge(source: str, target: str, side: str) -> Callable[[Document], None]:
    """Drop an edge."""

    def change(body: Document) -> None:
        kept = [
            e
            for e in body["edges"]
            if (e["source"], e["target"], e["input"]) != (source, target, side)
        ]
        assert len(kept) == len(body["edges"]) - 1
        body["edges"] = kept

    return change


def carrying_nothing(source: str, target: str, side: str) -> Callable[[Document], None]:
    """Say of an edge that it carries nothing."""

    def change(body: Document) -> None:
        (edge,) = [
            e
            for e in body["edges"]
            if (e["source"], e["target"], e["input"]) == (source, target, side)
        ]
        assert edge["carries"]
        edge["carries"] = []

    return change


def turned(feature: str) -> Callable[[Document], None]:
    """Exchange two directions of a feature."""

    def change(body: Document) -> None:
        where = body["subspaces"][feature]["coordinates"]
        where[1], where[2] = where[2], where[1]

    return change


def wrong_direction(body: Document) -> None:
    """Let the window be read as it is, and written in other directions."""
    where, width = body["subspaces"]["window"]["coordinates"], body["width"]
    read = [[c, i, 1] for i, c in enumerate(where)]
    written = [where[1], where[0], *where[2:]]
    write = [[i, c, 1] for i, c in enumerate(written)]
    body["subspaces"]["window"] = {"shape": [width, len(where)], "read": read, "write": write}


def off_by_one(layer: int) -> Callable[[Document], None]:
    """Let a head read one position further back."""

    def change(body: Document) -> None:
        (part,) = [c for c in body["components"] if c["name"] == f"head {layer}.0"]
        part["distance"] += 1

    return change


def other_letter(body: Document) -> None:
    """Change one entry of one letter by a thousandth."""
    body["embedding"][body["tokens"][0]][0][0] = "1/1000"


def idle_block(body: Document) -> None:
    """Say of a block that it does nothing."""
    (part,) = [c for c in body["components"] if c["name"] == "mlp 1"]
    part["kind"] = "idle"
    for edge in body["edges"]:
        if edge["target"] == "mlp 1":
            edge["carries"] = []


def wrong_scale(body: Document) -> None:
    """Say that norms write vectors of another size, a thousandth larger."""
    size = Fraction(body["constants"]["written_square"])
    body["constants"]["written_square"] = str(size * Fraction(1001, 1000) ** 2)


MUTANTS: dict[str, Callable[[Document], None]] = {
    "an edge dropped, value": without_edge("embed", "head 0.0", "value"),
    "an edge dropped, block": without_edge("head 0.0", "mlp 0", "stream"),
    "an edge dropped, late": without_edge("mlp 0", "logits", "stream"),
    "an edge that carries nothing": carrying_nothing("head 0.0", "head 1.0", "value"),
    "the window turned": turned("window"),
    "the window written elsewhere": wrong_direction,
    "a head's distance off by one": off_by_one(1),
    "a letter's matrix": other_letter,
    "a block idle": idle_block,
}

NORMALISED_MUTANTS: dict[str, Callable[[Document], None]] = {
    "an edge dropped, value": without_edge("embed", "head 0.0", "value"),
    "an edge dropped, query": without_edge("embed", "head 1.0", "query"),
    "an edge dropped, block": without_edge("head 0.0", "mlp 0", "stream"),
    "an edge dropped, late": without_edge("mlp 2", "logits", "stream"),
    "an edge that carries nothing": carrying_nothing("mlp 1", "mlp 2", "stream"),
    "a window turned": turned("window1"),
    "the belief turned": turned("belief"),
    "a head's distance off by one": off_by_one(1),
    "a letter's matrix": other_letter,
    "a block idle": idle_block,
    "another scale": wrong_scale,
}


def mutant(body: Document, name: str) -> Document:
    """A document changed in one way."""
    changed = copy.deepcopy(body)
    (NORMALISED_MUTANTS if "stream" in body["constants"] else MUTANTS)[name](changed)
    return changed
