"""The circuit of a normalised stream, for `olmo2`: each matrix has its own coordinates, up to a scale.

Features     window{k} ∝ A^w of the last min(t, 2^k) letters · read{k} ∝ the window that head k - 1 has
             read · belief ∝ αᵀA^w · one, place and big, which are constants · logit
Scale        a norm behind a block leaves ν times a unit vector, ν² = d/4^k: the vector is given up to its
             scale, and the square of the scale is exact (`constructions.circuits.directions`)
Embedding    window0 holds each letter's matrix times a power of two, as written; the identity at BOS
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import (
    NORMALISED,
    PLACE,
    Component,
    Feature,
    Hook,
    Readout,
    Rows,
    Subspace,
)
from constructions.circuits.sites import SITES, STREAM_SITES, at_layer
from constructions.circuits.wiring import (
    BELIEF,
    LOGIT,
    ONE,
    Wiring,
    normalised_components,
    read_feature,
    window,
)
from constructions.core.matrix import Matrix
from constructions.normalised import GAIN, NormalisedModel, near_unit, written_power

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

SPARE = "spare"
WIRING = Wiring(ONE, rotary=True, normalised=True)
FIXED = {
    ONE: ("the constant 1", "constant 1"),
    PLACE: ("1 and 0, which RoPE turns where queries and keys read them", "embedded once"),
    BELIEF: ("(αᵀA^w)_j up to a factor above 0", "the block after the last head: αᵀXW, normalised"),
    LOGIT: ("what the last block adds to the logits: log(f/M) less a linear part", "the last block"),
    "big": ("K, which neutralises the last two norms", "the last block"),
    SPARE: ("0", "constant 0"),
}  # fmt: skip


def normalised_circuit(model: ExportModel) -> Circuit:
    """The circuit of an exported model with a normalised stream."""
    simulation: NormalisedModel = model.simulation
    places, name = model.coordinates, model.order.format
    width = max(end for _, end in places.values())
    parts = normalised_components(simulation.design.layers)
    return Circuit(
        format=name,
        n=simulation.n,
        length=model.order.length,
        tokens=tuple(simulation.symbols),
        embedding=_embedding(simulation),
        features=tuple(_feature(each, end - first) for each, (first, end) in places.items()),
        subspaces={each: Subspace.of_coordinates(each, range(*ends), width)
                   for each, ends in places.items()},
        hooks=hooks(name, 1 + max(part.layer for part in parts), partial(_held, parts)),
        components=parts,
        edges=WIRING.edges(parts),
        readout=_readout(simulation),
        sites=SITES[name],
        constants=_constants(model, width),
    )  # fmt: skip


def _embedding(simulation: NormalisedModel) -> dict[str, Rows]:
    """window0 of every token, as it is written."""
    n, automaton = simulation.n, simulation.automaton
    matrices = [automaton.matrix(symbol) for symbol in automaton.alphabet]
    listed = [near_unit(matrix) for matrix in (*matrices, Matrix.identity(n).rows())]
    rows = [tuple(tuple(map(Fraction, each[i * n : (i + 1) * n])) for i in range(n))
            for each in listed]  # fmt: skip
    return dict(zip(simulation.symbols, rows, strict=True))


def _feature(name: str, size: int) -> Feature:
    if name in FIXED:
        return Feature(name, size, *FIXED[name])
    number = int(name.removeprefix("window").removeprefix("read"))
    before = number - 1
    if name == window(number):
        letters = f"w the last min(t, {2**number}) letters"
        product = f"mlp {before}: {read_feature(before)} times {window(before)}, normalised"
        computed = product if number else "embed: the letter's matrix"
        return Feature(name, size, f"(A^w)_ij up to a factor above 0, {letters}", computed)
    letters = f"u the window of position max(t - {2**before}, 0)"
    computed = f"head {before}.0: {window(before)}, normalised"
    return Feature(name, size, f"(A^u)_ij up to a factor above 0, {letters}", computed)


def hooks(
    name: str, layers: int, held: Callable[[str, int], Mapping[str, str]]
) -> tuple[Hook, ...]:
    """Return the hooks of a library at which the stream is visible, each with the meaning of its features."""
    return tuple(
        Hook(site, layer, *at_layer(SITES[name][site], layer), held(site, layer))
        for layer in range(layers)
        for site in (STREAM_SITES if not layer else STREAM_SITES[1:])
    )


def _held(parts: Sequence[Component], site: str, layer: int) -> dict[str, str]:
    """Return the meanings of what has been written into the stream before a hook."""
    names = [name for part in parts if _before(part, site, layer) for name in WIRING.writes(part)]
    return {name: _feature(name, 1).meaning for name in names}


def _before(part: Component, site: str, layer: int) -> bool:
    """Check that a component has written into the stream that is seen at a hook."""
    if part.kind in ("embed", "readout"):
        return part.kind == "embed"
    done = site == "after" or (site == "middle" and part.head is not None)
    return part.layer < layer or (part.layer == layer and done)


def _readout(simulation: NormalisedModel) -> Readout:
    n = simulation.n
    return Readout(
        tuple(map(Fraction, simulation.automaton.alpha)),
        tuple(tuple(map(Fraction, row)) for row in simulation.outputs.rows()),
        tuple(tuple(map(Fraction, row)) for row in Matrix.identity(n).rows()),
        (Fraction(1),) * n,
        simulation.logarithm,
        simulation.largest,
    )


def shared_constants(model: ExportModel, one: str | None) -> dict[str, str | int | None]:
    """Return the constants that every stream has."""
    simulation, target = model.simulation, model.order.target
    return {
        "saturation": str(simulation.saturation),
        "activation": simulation.design.activation,
        "epsilon": str(simulation.design.epsilon),
        "rotary": int(target.rotary),
        "one": one,
        "built_length": simulation.length,
        "dtype": model.order.dtype,
        "computes_in": target.computes_in or model.order.dtype,
        "heads": 1,
    }


def _constants(model: ExportModel, width: int) -> dict[str, str | int | None]:
    """Return the constants from which scales and bounds follow."""
    return shared_constants(model, ONE) | {
        "stream": NORMALISED,
        "written_square": str(Fraction(width, written_power(width) ** 2)),
        "gain": GAIN,
        "large": model.simulation.design.large,
        "fineness": None,
        "slope": None,
    }
