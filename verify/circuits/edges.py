"""Edges in the formats of tools: candidates without the truth, answers with scores, and EAP-IG's graph.

edges.json      the edges and components that are scored, without what is true of them: lists of
                [source, target, input], input one of query, key, value, stream
Answers         a list of edges, which counts as a set; edges with scores, [source, target, input, score] or
                {name: score}, which are ranked; or a graph of EAP-IG. A name is "source -> target (input)",
                without the brackets where the input is the stream, or EAP-IG's
EAP-IG          `eap_ig.json` is what its `Graph.from_json` reads: nodes input, a0.h0, m0, logits, edges
                a0.h0->m0, input->a0.h0<q>. `in_graph` is the truth, and true of edges that are not scored, as
                they carry a constant that is needed. `score` is 1 for edges that matter, else 0
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import EMBED, KEY, LOGITS, PLACE, QUERY, STREAM, VALUE, Edge
from constructions.core.errors import InputError

CANDIDATES = "assay-edges-1"
LETTERS = {QUERY: "q", KEY: "k", VALUE: "v"}
INPUTS = {letter: side for side, letter in LETTERS.items()}
EAP_EDGE = re.compile(r"([^\s<>-]+)->([^\s<>-]+)(?:<([qkv])>)?")
EAP_HEAD = re.compile(r"a(\d+)\.h(\d+)")


def edge_name(item: Any) -> str:
    """Return the name of an edge, from its ends, its name or EAP-IG's; of a component its own name."""
    if isinstance(item, str):
        return _own_name(item)
    if isinstance(item, Sequence) and len(item) in (2, 3):
        side = item[2] if len(item) == 3 else STREAM
        return f"{item[0]} -> {item[1]}" + ("" if side == STREAM else f" ({side})")
    raise InputError(
        "answer", item, "a name, [source, target, input] or [source, target, input, score]"
    )


def _own_name(text: str) -> str:
    found = EAP_EDGE.fullmatch(text)
    if found is None:
        return text
    source, target, letter = found.groups()
    return edge_name([_own_node(source), _own_node(target), INPUTS.get(letter, STREAM)])


def _own_node(name: str) -> str:
    head = EAP_HEAD.fullmatch(name)
    if head is not None:
        return f"head {head[1]}.{head[2]}"
    return f"mlp {name[1:]}" if re.fullmatch(r"m\d+", name) else {"input": EMBED}.get(name, name)


def parse_scores(answer: Any, field: str) -> tuple[dict[str, float], bool]:
    """Return names with their scores, and whether they are ranked; a plain list scores 1 each."""
    if isinstance(answer, Mapping):
        return {edge_name(key): _score(value, field) for key, value in answer.items()}, True
    if not isinstance(answer, Sequence) or isinstance(answer, str):
        raise InputError(field, answer, "a list, or scores by name")
    scored = [not isinstance(item, str) and isinstance(item, Sequence) and len(item) == 4
              for item in answer]  # fmt: skip
    if any(scored):
        if not all(scored):
            raise InputError(
                field, "scores for some edges only", "a score for every edge or for none"
            )
        return {edge_name(item[:3]): _score(item[3], field) for item in answer}, True
    return {edge_name(item): 1.0 for item in answer}, False


def _score(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InputError(field, value, "a finite score")
    return float(value)


def is_positional(edge: Edge) -> bool:
    """Check that an edge carries only a position to a head: the same for all words of one length."""
    return PLACE in edge.carries


def candidates(truth: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contents of edges.json: what is scored, without what is true of it."""
    return {
        "schema": CANDIDATES,
        "edges": [[edge["source"], edge["target"], edge["input"]] for edge in truth["edges"]],
        "components": [part["name"] for part in truth["components"]],
    }


def eap_node(name: str) -> str:
    """Return EAP-IG's name of a component."""
    if name == EMBED:
        return "input"
    kind, _, place = name.partition(" ")
    return (
        f"a{place.replace('.', '.h')}" if kind == "head" else f"m{place}" if kind == "mlp" else name
    )


def eap_edge(edge: Edge) -> str:
    """Return EAP-IG's name of an edge."""
    side = "" if edge.input == STREAM else f"<{LETTERS[edge.input]}>"
    return f"{eap_node(edge.source)}->{eap_node(edge.target)}{side}"


def eap_graph(circuit: Circuit, truth: Mapping[str, Any]) -> dict[str, Any]:
    """Return the truth as a graph of EAP-IG.

    Examples:
        >>> import assay, json, tempfile
        >>> folder = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp()).folder
        >>> circuit = assay.circuits.load_circuit(folder)
        >>> parts = [{"name": part.name, "matters": True} for part in circuit.components]
        >>> graph = eap_graph(circuit, {"edges": [], "components": parts})
        >>> graph["cfg"]["n_layers"], len(graph["nodes"])
        (2, 6)

    """
    known = {(e["source"], e["target"], e["input"]): e["matters"] for e in truth["edges"]}
    parts = {part["name"]: part["matters"] for part in truth["components"]}
    edges = {}
    for edge in circuit.edges:
        matters = known.get((edge.source, edge.target, edge.input))
        inside = bool(edge.carries) if matters is None else bool(matters)
        edges[eap_edge(edge)] = {"score": float(bool(matters)), "in_graph": inside}
    names = [part.name for part in circuit.components]
    return {
        "cfg": {"n_layers": circuit.layers, "n_heads": circuit.whole_number("heads"),
                "d_model": circuit.width, "parallel_attn_mlp": False},
        "nodes": {eap_node(name): {"in_graph": name in (EMBED, LOGITS) or bool(parts[name])}
                  for name in names},
        "edges": edges,
    }  # fmt: skip


def from_eap_graph(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer that a graph of EAP-IG gives: its edges with their scores."""
    edges = body["edges"]
    if not isinstance(edges, Mapping) or not all(
        isinstance(each, Mapping) for each in edges.values()
    ):
        raise InputError("edges", edges, "EAP-IG's edges, each with a score")
    return {"edges": {name: abs(_score(each.get("score"), name)) for name, each in edges.items()}}
