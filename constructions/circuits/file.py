"""`circuit.json`: a circuit as a document, with every number exact, and back.

Schema      `assay-circuit-1`; the fields are those of `circuit.Circuit`, docs/circuits.md describes each
Numbers     whole or "p/q". A subspace is {"coordinates": […]}, or {"read": [[row, column, value], …],
            "write": …} with the shape of `read`
Refused     another schema, missing or unknown fields, values of another kind, names that are not there,
            sizes that do not fit, in one line
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from constructions import __version__
from constructions.blocks.logarithm import Logarithm
from constructions.circuits.check_file import check_circuit, one_of, record
from constructions.circuits.circuit import SCHEMA, Circuit
from constructions.circuits.parts import Component, Edge, Feature, Hook, Readout, Rows, Subspace
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.numbers import number

FILE = "circuit.json"
FIELDS = ("schema", "assay", "format", "states", "length", "width", "tokens", "embedding", "features",
          "subspaces", "hooks", "components", "edges", "readout", "sites", "constants")  # fmt: skip
READOUT = ("alpha", "outputs", "state", "ahead", "logarithm", "largest")
SINGLE = ("sharpness", "least", "offset", "slope", "error")
LISTS = ("knots", "weights")


# Writing


def write_number(value: Any) -> int | str:
    """Return a whole number, or "p/q"."""
    exact = Fraction(value)
    return int(exact) if exact.denominator == 1 else str(exact)


def to_document(circuit: Circuit) -> dict[str, Any]:
    """Return the contents of circuit.json."""
    readout = circuit.readout
    body = {
        "schema": SCHEMA,
        "assay": __version__,
        "format": circuit.format,
        "states": circuit.n,
        "length": circuit.length,
        "width": circuit.width,
        "tokens": list(circuit.tokens),
        "embedding": {token: _rows(rows) for token, rows in circuit.embedding.items()},
        "features": {f.name: {"size": f.size, "meaning": f.meaning, "computed": f.computed}
                     for f in circuit.features},
        "subspaces": {name: _subspace(space) for name, space in circuit.subspaces.items()},
        "hooks": [{"module": h.module, "side": h.side, "site": h.site, "layer": h.layer,
                   "holds": dict(h.holds)} for h in circuit.hooks],
        "components": [_component(part) for part in circuit.components],
        "edges": [{"source": e.source, "target": e.target, "input": e.input,
                   "carries": list(e.carries)} for e in circuit.edges],
        "readout": {
            "alpha": _row(readout.alpha),
            "outputs": _rows(readout.outputs),
            "state": _rows(readout.state),
            "ahead": _optional(readout.ahead, _row),
            "logarithm": _optional(readout.logarithm, _logarithm),
            "largest": _optional(readout.largest, write_number),
        },
        "sites": dict(circuit.sites),
        "constants": dict(circuit.constants),
    }  # fmt: skip
    return {name: body[name] for name in FIELDS}


def _row(values: Sequence[Any]) -> list[int | str]:
    return [write_number(x) for x in values]


def _rows(rows: Rows) -> list[list[int | str]]:
    return [_row(row) for row in rows]


def _component(part: Component) -> dict[str, Any]:
    body = {"name": part.name, "kind": part.kind, "layer": part.layer, "head": part.head,
            "distance": part.distance}  # fmt: skip
    return body if part.share == 1 else body | {"share": write_number(part.share)}


def _entries(matrix: Matrix) -> list[list[int | str]]:
    return [[i, j, write_number(value)] for (i, j), value in sorted(matrix.entries.items())]


def _subspace(space: Subspace) -> dict[str, Any]:
    if space.coordinates is not None:
        return {"coordinates": space.coordinates}
    shape = list(space.read.shape)
    return {"shape": shape, "read": _entries(space.read), "write": _entries(space.write)}


def _logarithm(log: Logarithm) -> dict[str, Any]:
    """Return the units: g(x) = offset + slope x - Σ weights σ(sharpness (1 - x/knot))."""
    single = {name: write_number(getattr(log, name)) for name in SINGLE}
    return {
        "activation": log.activation,
        **single,
        **{name: _row(getattr(log, name)) for name in LISTS},
    }


def _optional(value: Any, convert: Callable[[Any], Any]) -> Any:
    return None if value is None else convert(value)


def to_bytes(circuit: Circuit) -> bytes:
    """Return the file, one line a field."""
    lines = [f"{json.dumps(name)}: {_field(value)}" for name, value in to_document(circuit).items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _field(value: Any) -> str:
    """Return a list of records with one line each; everything else on one line."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return "[\n " + ",\n ".join(json.dumps(item, ensure_ascii=False) for item in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


# Reading


def load_circuit(folder: Path | str) -> Circuit:
    """Return the circuit of a folder that `export` has written, or of a file.

    Examples:
        >>> import assay, tempfile
        >>> written = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp())
        >>> [part.name for part in load_circuit(written.folder).components]
        ['embed', 'head 0.0', 'mlp 0', 'head 1.0', 'mlp 1', 'logits']

    """
    path = Path(folder)
    path = path / FILE if path.is_dir() else path
    text = read_text(path)
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("file", "text that is not JSON", "a circuit", str(path)) from None
    try:
        return from_document(body)
    except InputError as error:
        raise error.at(str(path)) from None


def from_document(body: Any) -> Circuit:
    """Return the circuit of a document; refuse a document that does not fit its schema."""
    schema = body.get("schema") if isinstance(body, dict) else None
    if schema != SCHEMA:
        raise InputError("schema", schema, SCHEMA)
    try:
        record("circuit", body, FIELDS)
        circuit = _circuit(body)
        check_circuit(circuit)
    except (TypeError, ValueError, AttributeError, IndexError, KeyError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("circuit", str(error), f"fields with values as in {schema}") from None
    return circuit


def _circuit(body: Mapping[str, Any]) -> Circuit:
    record("readout", body["readout"], READOUT)
    width, readout = _whole(body, "width"), body["readout"]
    return Circuit(
        format=_text(body, "format"),
        n=_whole(body, "states"),
        length=_whole(body, "length"),
        tokens=tuple(body["tokens"]),
        features=tuple(Feature(name, **record(f"features.{name}", fields, ("size", "meaning", "computed")))
                       for name, fields in body["features"].items()),
        subspaces={name: _read_subspace(name, space, width)
                   for name, space in body["subspaces"].items()},
        hooks=tuple(Hook(**record("hooks", fields, ("module", "side", "site", "layer", "holds")))
                    for fields in body["hooks"]),
        components=tuple(map(_read_component, body["components"])),
        edges=tuple(map(_read_edge, body["edges"])),
        sites=dict(body["sites"]),
        constants=dict(body["constants"]),
        embedding={token: _read_rows(rows, f"embedding.{token}")
                   for token, rows in body["embedding"].items()},
        readout=Readout(
            _read_row(readout["alpha"], "readout.alpha"),
            _read_rows(readout["outputs"], "readout.outputs"),
            _read_rows(readout["state"], "readout.state"),
            _optional(readout["ahead"], lambda row: _read_row(row, "readout.ahead")),
            _optional(readout["logarithm"], _read_logarithm),
            _optional(readout["largest"], lambda value: number(value, "readout.largest")),
        ),
    )  # fmt: skip


def _whole(body: Mapping[str, Any], name: str) -> int:
    value = body[name]
    if type(value) is not int or value < 1:
        raise InputError(name, value, "a whole number ≥ 1")
    return value


def _text(body: Mapping[str, Any], name: str) -> str:
    if not isinstance(body[name], str):
        raise InputError(name, body[name], "a string")
    return str(body[name])


def _read_row(values: Any, field: str) -> tuple[Fraction, ...]:
    if not isinstance(values, list):
        raise InputError(field, values, "a list of numbers")
    return tuple(number(x, field) for x in values)


def _read_rows(rows: Any, field: str) -> Rows:
    if not isinstance(rows, list):
        raise InputError(field, rows, "a list of rows")
    return tuple(_read_row(row, field) for row in rows)


def _read_component(body: Any) -> Component:
    names = ("name", "kind", "layer", "head", "distance")
    fields = dict(record("components", body, names, ("share",)))
    share = number(fields.pop("share", 1), f"{body['name']}.share")
    return Component(**fields, share=share)


def _read_edge(body: Any) -> Edge:
    fields = record("edges", body, ("source", "target", "input", "carries"))
    if not isinstance(fields["carries"], list):
        raise InputError("edges.carries", fields["carries"], "a list of features")
    return Edge(fields["source"], fields["target"], fields["input"], tuple(fields["carries"]))


def _read_subspace(name: str, body: Mapping[str, Any], width: int) -> Subspace:
    field = f"subspaces.{name}"
    if "coordinates" in body:
        record(field, body, ("coordinates",))
        for c in body["coordinates"]:
            one_of(f"{field}.coordinates", c, range(width))
        return Subspace.of_coordinates(name, body["coordinates"], width)
    record(field, body, ("shape", "read", "write"))
    rows, columns = body["shape"]
    if rows != width:
        raise InputError(f"{field}.shape", body["shape"], f"{width} rows, the width")
    read = _matrix((rows, columns), body["read"], f"{field}.read")
    return Subspace(name, read, _matrix((columns, rows), body["write"], f"{field}.write"))


def _matrix(shape: tuple[int, int], entries: Any, field: str) -> Matrix:
    listed: dict[tuple[int, int], Fraction] = {}
    for i, j, value in entries:
        one_of(f"{field} row", i, range(shape[0]))
        one_of(f"{field} column", j, range(shape[1]))
        if (i, j) in listed:
            raise InputError(field, f"entry {i}, {j} twice", "every entry once")
        listed[i, j] = number(value, field)
    return Matrix(shape, listed)


def _read_logarithm(body: Any) -> Logarithm:
    record("readout.logarithm", body, ("activation", *SINGLE, *LISTS))
    field = "readout.logarithm"
    sharpness, least, offset, slope, error = (
        number(body[name], f"{field}.{name}") for name in SINGLE
    )
    knots, weights = (_read_row(body[name], f"{field}.{name}") for name in LISTS)
    return Logarithm(body["activation"], sharpness, least, knots, weights, offset, slope, error)
