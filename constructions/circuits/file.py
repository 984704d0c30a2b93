"""`circuit.json`: a circuit as a document, with every number exact, and back.

Schema      `assay-circuit-1`; the fields are those of `circuit.Circuit` (`graph_file`).
            docs/circuits.md describes each field
Refused     what has another schema, lacks a field, or names what is not there, in one line
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from constructions.blocks.logarithm import Logarithm
from constructions.circuits.circuit import SCHEMA, Circuit, Component, Readout
from constructions.circuits.components import read_features
from constructions.circuits.graph_file import (
    check_names,
    exact_rows,
    graph_document,
    graph_fields,
    number_rows,
    write_number,
)
from constructions.circuits.normalised_parts import input_features
from constructions.core.errors import InputError
from constructions.core.numbers import number
from constructions.files.reader import read_text

FILE = "circuit.json"
FIELDS = ("schema", "assay", "format", "states", "length", "width", "tokens", "embedding", "features",
          "subspaces", "hooks", "components", "edges", "readout", "sites", "constants")  # fmt: skip
SINGLE = ("sharpness", "least", "offset", "slope", "error")


def to_document(circuit: Circuit) -> dict[str, Any]:
    """The contents of circuit.json."""
    readout = circuit.readout
    body = graph_document(circuit, SCHEMA) | {
        "embedding": {token: number_rows(rows) for token, rows in circuit.embedding.items()},
        "components": [{"name": c.name, "kind": c.kind, "layer": c.layer, "head": c.head,
                        "distance": c.distance} for c in circuit.components],
        "readout": {
            "alpha": [write_number(x) for x in readout.alpha],
            "outputs": number_rows(readout.outputs),
            "state": number_rows(readout.state),
            "ahead": None if readout.ahead is None else [write_number(x) for x in readout.ahead],
            "logarithm": _optional(readout.logarithm, _logarithm),
            "largest": _optional(readout.largest, write_number),
        },
    }  # fmt: skip
    return {name: body[name] for name in FIELDS}


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
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
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
        return _circuit(body)
    except KeyError as error:
        raise InputError(str(error.args[0]), None, f"a field of {schema}") from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("circuit", str(error), f"fields as {schema} has them") from None


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
    readout = body["readout"]

    def row(values: Any) -> tuple[Fraction, ...]:
        return tuple(number(x, "readout") for x in values)

    circuit = Circuit(
        **graph_fields(body),
        embedding={t: exact_rows(rows, f"embedding.{t}") for t, rows in body["embedding"].items()},
        components=tuple(Component(**fields) for fields in body["components"]),
        readout=Readout(
            row(readout["alpha"]),
            exact_rows(readout["outputs"], "readout.outputs"),
            exact_rows(readout["state"], "readout.state"),
            _optional(readout["ahead"], row),
            _optional(readout["logarithm"], _read_logarithm),
            _optional(readout["largest"], lambda value: number(value, "readout.largest")),
        ),
    )  # fmt: skip
    _check(circuit)
    return circuit


def _check(circuit: Circuit) -> None:
    """Refuse names that are nowhere defined and matrices of another size."""
    check_names(circuit, partial(_reads, circuit))
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
