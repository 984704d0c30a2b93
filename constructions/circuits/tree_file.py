"""`circuit.json` of a tree decoder: the circuit as a document, with every number exact, and back.

Schema      `assay-tree-circuit-1`; what words have too is written alike (`file`). `tensor` and `leaves` are
            those of the automaton; a head has `query` and `key`, lists of forms [[feature, entry,
            coefficient], …], and `copies`, [form, feature, entry]
Refused     what lacks a field, names what is not there, or carries what its target does not read, in one
            line
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from constructions.circuits.circuit import Component
from constructions.circuits.graph_file import (
    check_names,
    exact_rows,
    graph_document,
    graph_fields,
    number_rows,
    write_number,
)
from constructions.circuits.tree_circuit import TREE_SCHEMA, Copy, Form, TreeCircuit, TreeHead
from constructions.circuits.tree_components import BLOCK_READS, reads, sizes
from constructions.core.errors import InputError
from constructions.core.numbers import number

KINDS = ("embed", "idle", *BLOCK_READS)


def tree_document(circuit: TreeCircuit) -> dict[str, Any]:
    """The contents of circuit.json."""
    body = {
        "tensor": [number_rows(rows) for rows in circuit.tensor],
        "leaves": {s: [write_number(x) for x in leaf] for s, leaf in circuit.leaves.items()},
    }
    parts = [_component(part) for part in circuit.components]
    return graph_document(circuit, TREE_SCHEMA) | body | {"components": parts}


def _component(part: Component) -> dict[str, Any]:
    body = {"name": part.name, "kind": part.kind, "layer": part.layer, "head": part.head}
    if not isinstance(part, TreeHead):
        return body
    copies = [[_form(form), name, entry] for form, name, entry in part.copies]
    return body | {
        "query": [_form(form) for form in part.query],
        "key": [_form(form) for form in part.key],
        "copies": copies,
    }


def _form(form: Form) -> list[list[Any]]:
    return [[name, entry, write_number(value)] for name, entry, value in form]


def tree_circuit(body: Mapping[str, Any]) -> TreeCircuit:
    """The circuit of a document; what does not fit is refused."""
    circuit = TreeCircuit(
        **graph_fields(body),
        components=tuple(_read_component(part) for part in body["components"]),
        tensor=tuple(exact_rows(rows, "tensor") for rows in body["tensor"]),
        leaves={symbol: tuple(number(x, f"leaves.{symbol}") for x in leaf)
                for symbol, leaf in body["leaves"].items()},
    )  # fmt: skip
    _check(circuit)
    return circuit


def _read_component(body: Mapping[str, Any]) -> Component:
    fields = {name: body[name] for name in ("name", "kind", "layer", "head")}
    if body["head"] is None:
        return Component(**fields)
    query, key = (tuple(map(_read_form, body[side])) for side in ("query", "key"))
    if len(query) != len(key):
        raise InputError(f"{body['name']}.key", f"{len(key)} forms", f"{len(query)}, as `query`")
    copies: tuple[Copy, ...] = tuple(
        (_read_form(form), str(name), int(entry)) for form, name, entry in body["copies"]
    )
    return TreeHead(**fields, query=query, key=key, copies=copies)


def _read_form(body: Any) -> Form:
    return tuple((str(name), int(i), number(value, "components")) for name, i, value in body)


def _entries(part: TreeHead) -> Iterator[tuple[str, int]]:
    forms = [*part.query, *part.key, *(form for form, _, _ in part.copies)]
    yield from ((name, entry) for form in forms for name, entry, _ in form)
    yield from ((name, entry) for _, name, entry in part.copies)


def _check(circuit: TreeCircuit) -> None:
    """Refuse names that are nowhere defined and lists of another size."""
    count = sizes(circuit.n)
    if set(circuit.subspaces) != set(count):
        raise InputError("subspaces", ", ".join(circuit.subspaces), ", ".join(count))
    for name, space in circuit.subspaces.items():
        if space.read.shape[1] != count[name]:
            raise InputError(
                f"subspaces.{name}", f"{space.read.shape[1]} numbers", str(count[name])
            )
    if number(circuit.constants["saturation"], "constants.saturation") <= 0:
        raise InputError("constants.saturation", circuit.constants["saturation"], "a number > 0")
    for part in circuit.components:
        if not isinstance(part, TreeHead) and part.kind not in KINDS:
            raise InputError(part.name, part.kind, f"one of {', '.join(KINDS)}")
        for name, entry in _entries(part) if isinstance(part, TreeHead) else ():
            if entry not in range(count.get(name, 0)):
                raise InputError(part.name, f"{name}[{entry}]", "an entry of a feature")
    check_names(circuit, reads)
    for symbol, leaf in circuit.leaves.items():
        if len(leaf) != circuit.n or symbol not in circuit.tokens:
            raise InputError(f"leaves.{symbol}", f"{len(leaf)} numbers", f"{circuit.n}, of a token")
    shapes = {len(circuit.tensor), *(len(rows) for rows in circuit.tensor),
              *(len(row) for rows in circuit.tensor for row in rows)}  # fmt: skip
    if shapes != {circuit.n}:
        raise InputError("tensor", f"sizes {sorted(shapes)}", f"{circuit.n} three times")
