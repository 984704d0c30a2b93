"""One folder for every model: weights in a library's format, a description, a card, a script.

    model.json       construction, sizes, constants, errors, coordinates by name; hashes of the files
    automaton.json   the automaton that was given
    stream.json      the automaton whose matrices the model holds, where it is another one: reduced,
                     or in scaled coordinates
    circuit.json     of decoders for words: which subspace holds what, which component reads what
                     where, and what every intervention does (`constructions.circuits`)
    README.md        the same for people
    load.py          loads the model and runs it; further files are the format's own

Each file is written whole or not at all, and `model.json` comes last, with the hashes of all others,
so that a folder that was half written over is noticed. What an earlier model left there is removed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from constructions import __version__
from constructions.automata.ngram import Ngram
from constructions.circuits.file import FILE as CIRCUIT
from constructions.core.atomic_files import write_folder
from constructions.exports.built_model import ExportModel, Guarantee
from constructions.exports.card import card
from constructions.exports.circuit import circuit_file
from constructions.exports.formats import NAMES, Files, format_of
from constructions.files.reader import to_json

SCHEMA = "assay-model-2"
DESCRIPTION, AUTOMATON, STREAM, CARD = "model.json", "automaton.json", "stream.json", "README.md"
OUTPUTS = ("states", "weights", "logits")


def description(model: ExportModel, guarantee: Guarantee) -> dict[str, Any]:
    """The contents of model.json, but for the hashes."""
    order, constants = model.order, model.constants
    table = isinstance(model.automaton, Ngram)
    return {
        "schema": SCHEMA,
        "assay": __version__,
        "format": order.format,
        "construction": order.construction,
        "theorem": model.theorem,
        "claims": list(guarantee.claims),
        "length": order.length,
        "window": order.window,
        "inputs": model.inputs,
        "readout": model.readout,
        "outputs": "logits" if order.language else OUTPUTS[order.minimise],
        "begin": model.begin,
        "example": model.example,
        "tokens": list(model.tokens),
        "states": None if table else model.weighted.n,
        "states_in_the_model": None if table else model.stream.n,
        "matrices": None if table else AUTOMATON if model.stream == model.automaton else STREAM,
        "dtype": order.dtype,
        "rounding_in": order.target.computes_in or order.dtype,
        "attention": order.attention,
        "feedforward": order.feedforward,
        "activation": None if order.feedforward == "exact" else order.activation,
        "saturation": None if constants.saturation is None else str(constants.saturation),
        "fineness": constants.fineness,
        "levels": None if constants.fineness is None else constants.levels,
        "constants": constants.rows(),
        "asked_error": str(order.error) if order.attention == "soft" else None,
        "headline": guarantee.headline(model),
        "error_of": guarantee.quantity,
        "certified_error": guarantee.error,
        "certified_error_with_rounding": guarantee.rounded,
        "measured_error": guarantee.measured,
        "measured_on": guarantee.sample or None,
        "measured_in": guarantee.ran_in or None,
        "not_run": guarantee.not_run or None,
        "scale": None if guarantee.scale is None else asdict(guarantee.scale),
        "sizes": model.sizes,
        "coordinates": model.coordinates,
        "fragile": list(guarantee.fragile),
        "limits": [*order.target.limits, *guarantee.limits],
    }


def model_files(model: ExportModel) -> Files:
    """All files of a folder but the card and the description."""
    files = model.order.target.write(model)
    files[AUTOMATON] = to_json(model.automaton).encode()
    if model.stream != model.automaton:
        files[STREAM] = to_json(model.stream).encode()
    return files if isinstance(model.automaton, Ngram) else files | circuit_file(model)


def contents(model: ExportModel, guarantee: Guarantee, files: Files | None = None) -> Files:
    """All files of a folder, the description last."""
    body, files = description(model, guarantee), files or model_files(model)
    files = files | {CARD: card(body, files["load.py"].decode()).encode()}
    body["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return files | {DESCRIPTION: (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode()}


def write(
    model: ExportModel, guarantee: Guarantee, folder: Path, files: Files | None = None
) -> Path:
    """Write the folder of a model and return it; `files` are its `model_files`, if they are made."""
    written = contents(model, guarantee, files)
    write_folder(folder, written, "--out")
    formats = [format_of(name) for name in NAMES]
    ours = {
        STREAM,
        CIRCUIT,
        *(name for form in formats for name in (*form.files, *form.extra_files)),
    }
    for name in ours - set(written):
        (folder / name).unlink(missing_ok=True)
    return folder
