"""Checks of a circuit file: names that are defined, sizes that fit, an edge from each writer to each reader.

What is checked   every name, number and size against the others of the file, so that the machine can run it.
                  That the model computes what the file says is found by interventions (`verify.circuits`)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from constructions.circuits.arithmetic import exact_matrix
from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import EMBED, LOGITS, Component, Subspace
from constructions.circuits.sites import SITES, STREAM_SITES, at_layer
from constructions.circuits.wiring import (
    AND,
    BELIEF,
    COMPOSE,
    COPY,
    LOGARITHM,
    PRODUCT,
    STATE,
    inputs,
    precedes,
)
from constructions.core.errors import InputError
from constructions.core.numbers import number

ADDITIVE = ("embed", COPY, PRODUCT, AND, LOGARITHM, "readout", "noise", "idle")
NORMALISED = ("embed", COPY, COMPOSE, STATE, LOGARITHM, "readout", "idle")
CONSTANTS = ("saturation", "activation", "fineness", "slope", "large", "epsilon", "rotary", "one",
             "built_length", "dtype", "computes_in", "heads")  # fmt: skip
ADDITIVE_CONSTANTS = ("levels", "norm", "span", "noise")
NORMALISED_CONSTANTS = ("stream", "written_square", "gain")
TYPES = ("float32", "float64", "bfloat16", "float16")
ENUMERATED = {
    "rotary": range(2),
    "norm": ("none", "rms", "layer"),
    "dtype": TYPES,
    "computes_in": TYPES,
}
WHOLE = ("fineness", "slope", "large", "levels", "span", "built_length", "heads", "gain")


def record(
    field: str, body: Any, names: Sequence[str], optional: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return a record that has exactly the fields named; refuse others."""
    if not isinstance(body, dict):
        raise InputError(field, body, f"a record with {', '.join(names)}")
    for name in names:
        if name not in body:
            raise InputError(name, None, f"a field of {field}")
    for name in body:
        one_of(field, name, (*names, *optional))
    return body


def one_of(field: str, value: Any, known: Collection[Any]) -> None:
    """Refuse a value that is not in `known`."""
    if isinstance(known, range):
        if type(value) is not int or value not in known:
            raise InputError(field, value, f"a whole number from {known.start} to {known.stop - 1}")
    elif not isinstance(value, str | tuple) or value not in known:
        raise InputError(field, value, f"one of {', '.join(map(str, known))}")


def check_circuit(circuit: Circuit) -> None:
    """Refuse a circuit whose names, sizes and edges do not fit together."""
    one_of("format", circuit.format, SITES)
    _check_tokens(circuit)
    _check_constants(circuit)
    _check_components(circuit)
    _check_features(circuit)
    _check_edges(circuit)
    _check_hooks(circuit)
    _check_readout(circuit)


def _check_tokens(circuit: Circuit) -> None:
    tokens = circuit.tokens
    if not all(isinstance(token, str) for token in tokens) or len(set(tokens)) != len(tokens):
        raise InputError("tokens", list(tokens), "distinct strings")
    if list(tokens) != list(circuit.embedding):
        raise InputError("tokens", list(tokens), "the keys of `embedding`, in the same order")
    for token, rows in circuit.embedding.items():
        _check_size(f"embedding.{token}", rows, circuit.n, circuit.n)


def _check_size(field: str, rows: Sequence[Sequence[Any]], height: int, width: int) -> None:
    if len(rows) != height or any(len(row) != width for row in rows):
        found = f"{len(rows)} rows of {sorted({len(row) for row in rows})}"
        raise InputError(field, found, f"{height} rows of {width} numbers")


def _check_constants(circuit: Circuit) -> None:
    known = NORMALISED_CONSTANTS if circuit.normalised else ADDITIVE_CONSTANTS
    record("constants", dict(circuit.constants), (*CONSTANTS, *known))
    for name, value in circuit.constants.items():
        field = f"constants.{name}"
        if name in ("activation", "one", "stream"):
            if not isinstance(value, str) and (name, value) != ("one", None):
                raise InputError(field, value, "a name")
        elif name in ENUMERATED:
            one_of(field, value, ENUMERATED[name])
        elif name in WHOLE:
            if (value is not None and (type(value) is not int or value < 1)) or (
                value is None and name in ("built_length", "heads")
            ):
                raise InputError(field, value, "a whole number ≥ 1")
        elif number(value, field) <= 0 and (name == "saturation" or circuit.normalised):
            raise InputError(field, value, "a number > 0")
        elif number(value, field) < 0:
            raise InputError(field, value, "a number ≥ 0")
    steps = {circuit.constants["fineness"], circuit.constants["slope"]}
    if circuit.normalised and steps != {None}:
        raise InputError("constants.fineness", "a step", "null in a normalised stream")
    plain = circuit.constants.get("norm") == "none"
    if plain != (circuit.constants["large"] is None):
        raise InputError(
            "constants.large",
            circuit.constants["large"],
            "a whole number K if there is a norm, else null",
        )
    if dict(circuit.sites) != dict(SITES[circuit.format]):
        raise InputError("sites", "other hook points", f"those of format {circuit.format}")


def _check_components(circuit: Circuit) -> None:
    kinds = NORMALISED if circuit.normalised else ADDITIVE
    for part in circuit.components:
        one_of("components.kind", part.kind, kinds)
        special = part.kind in ("embed", "readout")
        if (
            type(part.layer) is not int
            or part.name != _name(part)
            or (special and part.head is not None)
        ):
            raise InputError("components", part.name, f"the name {_name(part)} (kind, layer, head)")
        if part.kind == COPY and (type(part.distance) is not int or part.distance < 0):
            raise InputError(f"{part.name}.distance", part.distance, "a whole number ≥ 0")
        if part.kind != COPY and (part.distance is not None or part.share != 1):
            raise InputError(part.name, "a distance or share", "null and 1: only copies have them")
    if circuit.components[-1].layer != max(part.layer for part in circuit.components[:-1]):
        raise InputError("logits.layer", circuit.components[-1].layer, "the last layer")
    heads = {part.head for part in circuit.components if part.head is not None}
    if heads != set(range(circuit.whole_number("heads"))):
        raise InputError(
            "constants.heads", circuit.whole_number("heads"), f"{len(heads)}, as in `components`"
        )
    names = [part.name for part in circuit.components]
    order = all(not precedes(after, before) for before, after in pairwise(circuit.components))
    if len(set(names)) != len(names) or not order or (names[0], names[-1]) != (EMBED, LOGITS):
        raise InputError(
            "components", ", ".join(names), "each component once, in the order of the layers"
        )
    if circuit.normalised and not any(part.kind == LOGARITHM for part in circuit.components):
        raise InputError("components", "no logarithm block", "one, to compute the logits")


def _name(part: Component) -> str:
    special = {"embed": EMBED, "readout": LOGITS}.get(part.kind)
    if special is not None:
        return special
    return f"mlp {part.layer}" if part.head is None else f"head {part.layer}.{part.head}"


def _check_features(circuit: Circuit) -> None:
    sizes = {feature.name: feature.size for feature in circuit.features}
    if list(sizes) != list(circuit.subspaces):
        expected = f"those of the features: {', '.join(sizes)}"
        raise InputError("subspaces", ", ".join(circuit.subspaces), expected)
    for name, space in circuit.subspaces.items():
        if space.read.shape != (circuit.width, sizes[name]):
            found = f"{space.read.shape[1]} directions of {space.read.shape[0]} coordinates"
            raise InputError(
                f"subspaces.{name}", found, f"{sizes[name]} directions of {circuit.width}"
            )
        if space.coordinates is None and not _is_projection(space):
            raise InputError(
                f"subspaces.{name}.write",
                "a matrix",
                "one with write · read a projection of the rank of `read`",
            )
    derived = () if circuit.normalised else (BELIEF,)  # linear in the window
    plain = [c for name, space in circuit.subspaces.items() if name not in derived
             for c in space.coordinates or []]  # fmt: skip
    if len(set(plain)) != len(plain):
        raise InputError("subspaces", "one coordinate in two features", "each coordinate once")
    for name in circuit.computed_features:
        size = circuit.n if name == BELIEF else circuit.n**2
        if sizes.get(name) != size:
            raise InputError(f"features.{name}", sizes.get(name), f"a feature of size {size}")


def _is_projection(space: Subspace) -> bool:
    """Check that write · read is a projection of the rank of `read`: the identity but in superposition."""
    changed = exact_matrix((space.write @ space.read).rows())
    rank = exact_matrix(space.read.rows()).rank()
    return bool(changed * changed == changed and changed.rank() == rank)


def _check_edges(circuit: Circuit) -> None:
    for edge in circuit.edges:
        for end in (edge.source, edge.target):
            one_of("edges", end, list(circuit.by_name))
        source, target = circuit.by_name[edge.source], circuit.by_name[edge.target]
        one_of(f"edge {edge.name}", edge.input, inputs(target))
        if not precedes(source, target):
            raise InputError(f"edge {edge.name}", "a source after its target", "a source before it")
        for feature in edge.carries:
            one_of(f"edge {edge.name}", feature, list(circuit.subspaces))
            read = circuit.wiring.reads(target, edge.input)
            if feature not in read:
                expected = f"a feature that the target reads: {', '.join(read) or 'none'}"
                raise InputError(f"edge {edge.name}", feature, expected)
    ends = [(edge.source, edge.target, edge.input) for edge in circuit.edges]
    if len(set(ends)) != len(ends):
        raise InputError("edges", "an edge twice", "every edge once")


def _check_hooks(circuit: Circuit) -> None:
    expected = [(site, layer, *at_layer(circuit.sites[site], layer)) for layer in range(circuit.layers)
                for site in STREAM_SITES if layer == 0 or site != "embedding"]  # fmt: skip
    found = [(hook.site, hook.layer, hook.module, hook.side) for hook in circuit.hooks]
    if found != expected:
        wrong = next((name for name in found if name not in expected), found[-1:])
        raise InputError(
            "hooks", str(wrong), f"the hook points of {circuit.format}, layer by layer"
        )
    for hook in circuit.hooks:
        for feature in hook.holds:
            one_of("hooks.holds", feature, list(circuit.subspaces))


def _check_readout(circuit: Circuit) -> None:
    readout, n = circuit.readout, circuit.n
    _check_size("readout.alpha", [readout.alpha], 1, n)
    _check_size(
        "readout.outputs", readout.outputs, n, len(readout.outputs[0]) if readout.outputs else 0
    )
    _check_size("readout.state", readout.state, n, len(readout.state[0]) if readout.state else 0)
    if readout.ahead is not None:
        _check_size("readout.ahead", [readout.ahead], 1, len(readout.state[0]))
    log = readout.logarithm
    if circuit.normalised and log is None:
        raise InputError("readout.logarithm", None, "the logarithm of a normalised stream")
    if (log is None) != (readout.largest is None):
        raise InputError(
            "readout.largest", readout.largest, "a number if there is a logarithm, else null"
        )
    if log is not None and len(log.knots) != len(log.weights):
        found = f"{len(log.knots)} knots and {len(log.weights)} weights"
        raise InputError("readout.logarithm", found, "one weight for each knot")
