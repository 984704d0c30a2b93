"""Ground truth on a circuit: the components and edges that matter, each with a word that shows it.

Matters      an edge or component matters if its removal changes an output on some word: a word is given,
             found by the exact machine, in rationals
Otherwise    `null`: no word of those tried shows it. For distractors, and for edges that carry nothing, none
             can; for others this is a statement on the words tried, no proof
Positional   an edge that carries the place, and so tells a head where it is
Left out     edges that carry constants alone: to remove them is to remove what neutralises a norm
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from constructions.circuits.circuit import Circuit
from constructions.circuits.interventions import AblateBlock, AblateHead, Intervention, RemoveEdge
from constructions.circuits.parts import EMBED, LOGITS, Component, Edge
from constructions.circuits.trace import Trace
from verify.circuits.edges import is_positional

SCHEMA = "assay-truth-1"
MOST_WORDS = 12
Word = tuple[str, ...]
Runs = Mapping[Word, tuple[Any, ...]]  # the outputs of each word


def outputs(trace: Trace) -> tuple[Any, ...]:
    """All that a run gives: outputs, what logarithms are taken of, and whether they arrive."""
    logs = trace.arguments if trace.circuit.readout.logarithm is not None else None
    return trace.outputs, logs, trace.has_logits


def witness(circuit: Circuit, change: Intervention, runs: Runs) -> Word | None:
    """The first word on which an intervention changes the outputs."""
    for word, exact in runs.items():
        if outputs(circuit.values(word, [change])) != exact:
            return word
    return None


def is_scored(circuit: Circuit, edge: Edge) -> bool:
    """Check that an edge can be removed: not if it carries constants alone, or comes from the embedding
    and carries nothing, where a norm would lose its constant.
    """
    constants = {f.name for f in circuit.features if f.computed.startswith("constant ")}
    return edge.source != EMBED or bool(set(edge.carries) - constants)


def component_change(part: Component) -> Intervention:
    """The ablation of a component."""
    if part.head is not None:
        return AblateHead(part.layer, part.head)
    return AblateBlock(part.layer)


def heads(parts: Sequence[Component]) -> dict[str, int | None]:
    """Return how far back each copying head reads."""
    return {part.name: part.distance for part in parts if part.kind == "copy"}


def truth(circuit: Circuit, words: Sequence[Word]) -> dict[str, Any]:
    """The contents of truth.json."""
    tried = {word: outputs(circuit.values(word)) for word in words[:MOST_WORDS]}
    parts = [part for part in circuit.components if part.name not in (EMBED, LOGITS)]
    listed = []
    for edge in circuit.edges:
        if is_scored(circuit, edge):
            removal = RemoveEdge(edge.source, edge.target, edge.input)
            found = witness(circuit, removal, tried) if edge.carries else None
            listed.append({"source": edge.source, "target": edge.target, "input": edge.input,
                           "positional": is_positional(edge), "matters": found is not None,
                           "witness": found})  # fmt: skip
    ablated = {part.name: None if part.kind in ("noise", "idle") else
               witness(circuit, component_change(part), tried) for part in parts}  # fmt: skip
    return {
        "schema": SCHEMA,
        "words_tried": len(tried),
        "components": [{"name": name, "matters": found is not None, "witness": found}
                       for name, found in ablated.items()],
        "edges": listed,
        "heads": heads(parts),
    }  # fmt: skip
