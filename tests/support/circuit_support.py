"""Random interventions, and circuit files that are wrong, each in one way."""

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from constructions.circuits import interventions as act
from constructions.circuits.circuit import Circuit
from verify.circuits.check import CircuitAnswer
from verify.circuits.trials import Drawing

Document = dict[str, Any]


def words(circuit: Circuit, least: int = 1) -> st.SearchStrategy[tuple[str, ...]]:
    """Words of a circuit's letters."""
    letters = st.sampled_from(circuit.tokens[:-1])
    return st.lists(letters, min_size=least, max_size=circuit.length).map(tuple)


@st.composite
def interventions(draw: st.DrawFn, circuit: Circuit, length: int) -> act.Intervention:
    """One intervention on a word of some length, of any kind, at any place."""
    position = st.integers(0, length)
    heads = [(part.layer, part.head) for part in circuit.components if part.head is not None]
    copies = [(part.layer, part.head) for part in circuit.components if part.kind == "copy"]
    layer = st.sampled_from(sorted({layer for layer, _ in copies}))
    after = st.one_of(st.just(-1), layer)
    features = st.sampled_from(["window", *(["decoy"] if "decoy" in circuit.subspaces else [])])
    testable = Drawing(circuit, Random(0)).testable
    edges = [(e.source, e.target, e.input) for e in circuit.edges if testable(e)]
    match draw(st.integers(0, 7)):
        case 0:
            other = draw(words(circuit))
            source = draw(st.integers(0, len(other)))
            return act.Interchange(draw(after), draw(position), other, source, (draw(features),))
        case 1:
            return act.AblateFeature(draw(after), draw(position), None, draw(features))
        case 2:
            name = draw(features)
            alone = circuit.subspaces[circuit.feature_name(name, -1)].independent
            entry = draw(st.integers(0, circuit.n**2 - 1)) if alone else None
            return act.AblateFeature(-1, draw(position), entry, name)
        case 3:
            name = draw(st.sampled_from(["scratch", "window"]))
            return act.AblateScratch(draw(layer), draw(position), name)
        case 4:
            return act.AblateHead(*draw(st.sampled_from(heads)))
        case 5:
            return act.MoveHead(*draw(st.sampled_from(copies)), draw(st.integers(0, length)))
        case 6:
            return act.AblateBlock(draw(layer))
        case _:
            return act.RemoveEdge(*draw(st.sampled_from(edges)))


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
