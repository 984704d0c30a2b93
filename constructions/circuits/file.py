"""`circuit.json`: a circuit as a document, with every number exact, and back.

Schema      `assay-circuit-1`; the fields are those of `circuit.Circuit`. Numbers are whole or "p/q". A
            subspace is {"coordinates": […]}, or {"read": [[row, column, value], …], "write": …} with the
            shape of `read`. docs/circuits.md describes each field
Refused     what has another schema, lacks a field, or names what is not there, in one line
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from constructions import __version__
from constructions.blocks.logarithm import Logarithm
from constructions.circuits.circuit import (
    SCHEMA,
    Circuit,
    Component,
    Edge,
    Feature,
    Hook,
    Readout,
    Rows,
    Subspace,
)
from constructions.circuits.components import read_features
from constructions.circuits.normalised_parts import input_features
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.numbers import number
from constructions.files.reader import read_text

FILE = "circuit.json"
SINGLE = ("sharpness", "least", "offset", "slope", "error")


def write_number(value: Any) -> int | str:
    """A whole number, or "p/q"."""
    exact = Fraction(value)
    return int(exact) if exact.denominator == 1 else str(exact)


def _rows(rows: Rows) -> list[list[int | str]]:
    return [[write_number(x) for x in row] for row in rows]


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


def to_document(circuit: Circuit) -> dict[str, Any]:
    """The contents of circuit.json."""
    readout = circuit.readout
    width = next(iter(circuit.subspaces.values())).read.shape[0]
    return {
        "schema": SCHEMA,
        "assay": __version__,
        "format": circuit.format,
        "states": circuit.n,
        "length": circuit.length,
        "width": width,
        "tokens": list(circuit.tokens),
        "embedding": {token: _rows(rows) for token, rows in circuit.embedding.items()},
        "features": {f.name: {"size": f.size, "meaning": f.meaning, "computed": f.computed}
                     for f in circuit.features},
        "subspaces": {name: _subspace(space) for name, space in circuit.subspaces.items()},
        "hooks": [{"module": h.module, "side": h.side, "site": h.site, "layer": h.layer,
                   "holds": dict(h.holds)} for h in circuit.hooks],
        "components": [{"name": c.name, "kind": c.kind, "layer": c.layer, "head": c.head,
                        "distance": c.distance} for c in circuit.components],
        "edges": [{"source": e.source, "target": e.target, "input": e.input,
                   "carries": list(e.carries)} for e in circuit.edges],
        "readout": {
            "alpha": [write_number(x) for x in readout.alpha],
            "outputs": _rows(readout.outputs),
            "state": _rows(readout.state),
            "ahead": None if readout.ahead is None else [write_number(x) for x in readout.ahead],
            "logarithm": _optional(readout.logarithm, _logarithm),
            "largest": _optional(readout.largest, write_number),
        },
        "sites": dict(circuit.sites),
        "constants": dict(circuit.constants),
    }  # fmt: skip


def _logarithm(log: Logarithm) -> dict[str, Any]:
    """The units: g(x) = offset + slope x - Σ weights σ(sharpness (1 - x/knot))."""
    single = {name: write_number(getattr(log, name)) for name in SINGLE}
    rows = {name: [write_number(x) for x in getattr(log, name)] for name in ("knots", "weights")}
    return {"activation": log.activation, **single, **rows}


def to_bytes(circuit: Circuit) -> bytes:
    """The file, one line a field."""
    body = to_document(circuit)
    lines = [f"{json.dumps(name)}: {_field(value)}" for name, value in body.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _field(value: Any) -> str:
    """A list of records with one line each; everything else on one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n " + ",\n ".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def load_circuit(folder: Path | str) -> Circuit:
    """The circuit of a folder that `export` has written, or of a file.

    Examples:
        >>> import assay, tempfile
        >>> written = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp())
        >>> [part.name for part in load_circuit(written.folder).components]
        ['embed', 'head 0.0', 'mlp 0', 'head 1.0', 'mlp 1', 'logits']

    """
    path = Path(folder)
    path = path / FILE if path.is_dir() else path
    try:
        body = json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise InputError("file", "no JSON", "a circuit", str(path)) from None
    try:
        return from_document(body)
    except InputError as error:
        raise error.at(str(path)) from None


def from_document(body: Any) -> Circuit:
    """The circuit of a document; what does not fit is refused."""
    schema = body.get("schema") if isinstance(body, dict) else None
    if schema != SCHEMA:
        raise InputError("schema", schema, SCHEMA)
    try:
        circuit = _circuit(body)
    except KeyError as error:
        raise InputError(str(error.args[0]), None, f"a field of {SCHEMA}") from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("circuit", str(error), f"fields as {SCHEMA} has them") from None
    _check(circuit)
    return circuit


def _exact(rows: Any, field: str) -> Rows:
    return tuple(tuple(number(x, field) for x in row) for row in rows)


def _matrix(shape: tuple[int, int], entries: Any, field: str) -> Matrix:
    return Matrix(shape, {(int(i), int(j)): number(value, field) for i, j, value in entries})


def _read_subspace(name: str, body: Mapping[str, Any], width: int) -> Subspace:
    if "coordinates" in body:
        return Subspace.of_coordinates(name, [int(c) for c in body["coordinates"]], width)
    rows, columns = body["shape"]
    read = _matrix((rows, columns), body["read"], f"subspaces.{name}.read")
    return Subspace(name, read, _matrix((columns, rows), body["write"], f"subspaces.{name}.write"))


def _optional(value: Any, convert: Callable[[Any], Any]) -> Any:
    return None if value is None else convert(value)


def _read_logarithm(body: Mapping[str, Any]) -> Logarithm:
    def one(name: str) -> Fraction:
        return number(body[name], f"readout.logarithm.{name}")

    def row(name: str) -> tuple[Fraction, ...]:
        return tuple(number(x, f"readout.logarithm.{name}") for x in body[name])

    return Logarithm(
        body["activation"], one("sharpness"), one("least"), row("knots"), row("weights"),
        one("offset"), one("slope"), one("error"),
    )  # fmt: skip


def _circuit(body: Mapping[str, Any]) -> Circuit:
    readout, width = body["readout"], int(body["width"])

    def row(values: Any) -> tuple[Fraction, ...]:
        return tuple(number(x, "readout") for x in values)

    return Circuit(
        format=body["format"],
        n=int(body["states"]),
        length=int(body["length"]),
        tokens=tuple(body["tokens"]),
        embedding={t: _exact(rows, f"embedding.{t}") for t, rows in body["embedding"].items()},
        features=tuple(Feature(name, **fields) for name, fields in body["features"].items()),
        subspaces={name: _read_subspace(name, space, width)
                   for name, space in body["subspaces"].items()},
        hooks=tuple(Hook(**fields) for fields in body["hooks"]),
        components=tuple(Component(**fields) for fields in body["components"]),
        edges=tuple(Edge(e["source"], e["target"], e["input"], tuple(e["carries"]))
                    for e in body["edges"]),
        readout=Readout(
            row(readout["alpha"]),
            _exact(readout["outputs"], "readout.outputs"),
            _exact(readout["state"], "readout.state"),
            _optional(readout["ahead"], row),
            _optional(readout["logarithm"], _read_logarithm),
            _optional(readout["largest"], lambda value: number(value, "readout.largest")),
        ),
        sites=dict(body["sites"]),
        constants=dict(body["constants"]),
    )  # fmt: skip


def _check(circuit: Circuit) -> None:
    """Refuse names that are nowhere defined and matrices of another size."""
    names, features = {part.name for part in circuit.components}, set(circuit.subspaces)
    for edge in circuit.edges:
        for end in (edge.source, edge.target):
            if end not in names:
                raise InputError("edges", end, f"one of {', '.join(sorted(names))}")
        for feature in edge.carries:
            if feature not in features:
                raise InputError("edges.carries", feature, f"one of {', '.join(sorted(features))}")
        _check_carried(circuit, edge)
    for hook in circuit.hooks:
        for feature in hook.holds:
            if feature not in features:
                raise InputError("hooks.holds", feature, f"one of {', '.join(sorted(features))}")
    for token, rows in circuit.embedding.items():
        if len(rows) != circuit.n or any(len(row) != circuit.n for row in rows):
            expected = f"{circuit.n} rows of {circuit.n} numbers"
            raise InputError(f"embedding.{token}", f"{len(rows)} rows", expected)
    if circuit.normalised:
        _check_normalised(circuit)
    if set(circuit.tokens) != set(circuit.embedding):
        raise InputError("tokens", list(circuit.tokens), "the tokens of the embedding")


def _check_normalised(circuit: Circuit) -> None:
    """Refuse a normalised stream without the numbers that its machine needs."""
    if not any(part.kind == "logarithm" for part in circuit.components):
        raise InputError("components", "no logarithm", "the block that makes the logits")
    if circuit.readout.logarithm is None or circuit.readout.largest is None:
        raise InputError("readout", "no logarithm", "its units and the largest weight")
    for name in ("written_square", "saturation", "epsilon", "gain", "large"):
        if number(circuit.constants[name], f"constants.{name}") <= 0:
            raise InputError(f"constants.{name}", circuit.constants[name], "a number above 0")


def _reads(circuit: Circuit, part: Component, side: str) -> tuple[str, ...]:
    """What an input of a component reads."""
    if circuit.normalised:
        return input_features(part, side)
    constants = circuit.constants
    one = None if constants["one"] is None else str(constants["one"])
    gated = constants["fineness"] is None and constants["slope"] is None
    return read_features(part, side, one, bool(constants["rotary"]), gated)


def _check_carried(circuit: Circuit, edge: Edge) -> None:
    """Refuse an edge that carries what its target does not read."""
    reads = _reads(circuit, circuit.by_name[edge.target], edge.input)
    for feature in edge.carries:
        if feature not in reads:
            expected = f"what the target reads: {', '.join(reads) or 'nothing'}"
            raise InputError(f"edge {edge.name}", feature, expected)
