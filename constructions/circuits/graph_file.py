"""Parts of `circuit.json`: numbers, subspaces, hooks, edges, and the check of their names.

Numbers     whole or "p/q". A subspace is {"coordinates": […]}, or {"read": [[row, column, value], …],
            "write": …} with the shape of `read`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from constructions import __version__
from constructions.circuits.circuit import (
    Circuit,
    Component,
    Edge,
    Feature,
    Hook,
    Rows,
    Subspace,
)
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.numbers import number


def write_number(value: Any) -> int | str:
    """A whole number, or "p/q"."""
    exact = Fraction(value)
    return int(exact) if exact.denominator == 1 else str(exact)


def number_rows(rows: Rows) -> list[list[int | str]]:
    """Rows of numbers as they are written."""
    return [[write_number(x) for x in row] for row in rows]


def exact_rows(rows: Any, field: str) -> Rows:
    """Rows of numbers as they are read."""
    return tuple(tuple(number(x, field) for x in row) for row in rows)


def _entries(matrix: Matrix) -> list[list[int | str]]:
    return [[i, j, write_number(value)] for (i, j), value in sorted(matrix.entries.items())]


def _subspace(space: Subspace) -> dict[str, Any]:
    if space.coordinates is not None:
        return {"coordinates": space.coordinates}
    return {
        "shape": list(space.read.shape),
        "read": _entries(space.read),
        "write": _entries(space.write),
    }


def _matrix(shape: tuple[int, int], entries: Any, field: str) -> Matrix:
    return Matrix(shape, {(int(i), int(j)): number(value, field) for i, j, value in entries})


def _read_subspace(name: str, body: Mapping[str, Any], width: int) -> Subspace:
    if "coordinates" in body:
        return Subspace.of_coordinates(name, [int(c) for c in body["coordinates"]], width)
    rows, columns = body["shape"]
    read = _matrix((rows, columns), body["read"], f"subspaces.{name}.read")
    return Subspace(name, read, _matrix((columns, rows), body["write"], f"subspaces.{name}.write"))


def graph_document(circuit: Circuit, schema: str) -> dict[str, Any]:
    """The fields that all circuit files have, but for the components."""
    width = next(iter(circuit.subspaces.values())).read.shape[0]
    return {
        "schema": schema,
        "assay": __version__,
        "format": circuit.format,
        "states": circuit.n,
        "length": circuit.length,
        "width": width,
        "tokens": list(circuit.tokens),
        "features": {f.name: {"size": f.size, "meaning": f.meaning, "computed": f.computed}
                     for f in circuit.features},
        "subspaces": {name: _subspace(space) for name, space in circuit.subspaces.items()},
        "hooks": [{"module": h.module, "side": h.side, "site": h.site, "layer": h.layer,
                   "holds": dict(h.holds)} for h in circuit.hooks],
        "edges": [{"source": e.source, "target": e.target, "input": e.input,
                   "carries": list(e.carries)} for e in circuit.edges],
        "sites": dict(circuit.sites),
        "constants": dict(circuit.constants),
    }  # fmt: skip


def graph_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same, as fields of a circuit."""
    return {
        "format": body["format"],
        "n": int(body["states"]),
        "length": int(body["length"]),
        "tokens": tuple(body["tokens"]),
        "features": tuple(Feature(name, **fields) for name, fields in body["features"].items()),
        "subspaces": {name: _read_subspace(name, space, int(body["width"]))
                      for name, space in body["subspaces"].items()},
        "hooks": tuple(Hook(**fields) for fields in body["hooks"]),
        "edges": tuple(Edge(e["source"], e["target"], e["input"], tuple(e["carries"]))
                       for e in body["edges"]),
        "sites": dict(body["sites"]),
        "constants": dict(body["constants"]),
    }  # fmt: skip


def check_names(circuit: Circuit, reads: Callable[[Component, str], tuple[str, ...]]) -> None:
    """Refuse names that are nowhere defined, and an edge that carries what its target does not read."""
    names, features = {part.name for part in circuit.components}, set(circuit.subspaces)
    for edge in circuit.edges:
        for end in (edge.source, edge.target):
            if end not in names:
                raise InputError("edges", end, f"one of {', '.join(sorted(names))}")
        for feature in edge.carries:
            if feature not in features:
                raise InputError("edges.carries", feature, f"one of {', '.join(sorted(features))}")
        read = reads(circuit.by_name[edge.target], edge.input)
        for feature in edge.carries:
            if feature not in read:
                expected = f"what the target reads: {', '.join(read) or 'nothing'}"
                raise InputError(f"edge {edge.name}", feature, expected)
    for hook in circuit.hooks:
        for feature in hook.holds:
            if feature not in features:
                raise InputError("hooks.holds", feature, f"one of {', '.join(sorted(features))}")
