"""The circuit of an exported decoder: `circuit.json`, made from the exact simulation.

Features     those of the decoder's stream (`constructions.decoder`), where the class has them; of a
             normalised stream, those of `normalised_circuit`
Left out     the paper's own constructions, and decoders for trees
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from constructions.automata.processes import is_process
from constructions.automata.wfa import WFA
from constructions.circuits.circuit import Circuit
from constructions.circuits.file import FILE, to_bytes
from constructions.circuits.parts import (
    PLACE,
    SCRATCH,
    WINDOW,
    Component,
    Feature,
    Readout,
    Rows,
    Subspace,
)
from constructions.circuits.sites import SITES
from constructions.circuits.wiring import (
    AND,
    BELIEF,
    COPY,
    LOGIT,
    PRODUCT,
    Wiring,
    additive_components,
)
from constructions.core.matrix import Entry, Matrix
from constructions.decoder import Normalisation
from constructions.exports.normalised_circuit import hooks, normalised_circuit, shared_constants
from constructions.language_model import LanguageDesign, LanguageModel
from constructions.normalised import NormalisedModel
from constructions.theorem1 import span

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

MEANINGS = {
    WINDOW: "(A^w - I)_ij, row by row, w the last min(t, 2^l) letters after l layers; 0 at BOS",
    SCRATCH: "0 between layers; between head and block, (A^u - I)_ij of the window that the head read",
    PLACE: "t/p and (t/p)², p = 2^⌈log₂ T⌉",
    LOGIT: "what the last block adds to the logits: log(f/M) less a linear part",
    BELIEF: "αᵀ(A^w - I): with α added, the forward vector of the window; times S of the readout and divided "
    "by its weight ahead, the belief",
    "one": "the constant 1",
    "large": "the constant K, which neutralises RMSNorm and serves as the constant 1",
    "zero": "0, which LayerNorm shifts as it shifts all coordinates",
    "plus": "the constant K, which neutralises LayerNorm",
    "minus": "the constant -K, which neutralises LayerNorm",
}
COMPUTED = {
    WINDOW: "embed: A^σ - I of the letter; a head adds X, the window at the position that it reads; a "
    "block adds XY, Y being the window before the head",
    SCRATCH: "a head adds X; the block takes it away",
    PLACE: "embedded once; no component writes it",
    LOGIT: "the last block",
    BELIEF: "linear in the window",
}


def circuit_file(model: ExportModel) -> dict[str, bytes]:
    """circuit.json of a decoder in a format with hooks; else nothing."""
    order = model.order
    if not (order.decoder and model.words and order.format in SITES):
        return {}
    return {FILE: to_bytes(circuit_of(model))}


def circuit_of(model: ExportModel) -> Circuit:
    """The circuit of a model that `circuit_file` has a file for."""
    simulation, order = model.simulation, model.order
    if isinstance(simulation, NormalisedModel):
        return normalised_circuit(model)
    design, layers = simulation.design, len(simulation.transformer.layers)
    constant, rotary = constant_feature(design), order.target.rotary
    parts = additive_components(layers, _block(design), has_logarithm(simulation))
    places = model.coordinates
    width = max(end for _, end in places.values())
    spaces = {
        name: Subspace.of_coordinates(name, range(*ends), width) for name, ends in places.items()
    }
    own = readout(model)
    if own.ahead is not None:
        spaces[BELIEF] = belief_space(own.alpha, spaces[WINDOW])
    return Circuit(
        format=order.format,
        n=simulation.automaton.n,
        length=order.length,
        tokens=tuple(simulation.symbols),
        embedding=embedding(simulation),
        features=features(design, spaces),
        subspaces=spaces,
        hooks=hooks(order.format, layers, partial(held_features, parts, spaces)),
        components=parts,
        edges=Wiring(constant, rotary, design.gated).edges(parts),
        readout=own,
        sites=SITES[order.format],
        constants=constants(model, constant),
    )


def has_logarithm(simulation: Any) -> bool:
    """Check that the last layer takes logarithms."""
    return isinstance(simulation, LanguageModel) and simulation.logarithm is not None


def constant_feature(design: Any) -> str | None:
    """The feature that holds the constant 1."""
    return None if design.one is None else next(iter(design.one))[0]


def _block(design: Any) -> str:
    digital = isinstance(design, LanguageDesign) and design.slope is not None
    return AND if digital else PRODUCT


def exact_rows(rows: Sequence[Sequence[Entry]]) -> Rows:
    """Rows of fractions."""
    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def embedding(simulation: Any) -> dict[str, Rows]:
    """The window of every token."""
    n, where = simulation.automaton.n, simulation.layout[WINDOW]
    rows = [row[where.start : where.stop] for row in simulation.token_rows()]
    matrices = [exact_rows([row[i * n : (i + 1) * n] for i in range(n)]) for row in rows]
    return dict(zip(simulation.symbols, matrices, strict=True))


def features(design: Any, spaces: dict[str, Subspace]) -> tuple[Feature, ...]:
    """Return the features of the stream; constants are computed as constants."""
    values = {"zero": 0, **design.constants()}
    return tuple(
        Feature(name, space.read.shape[1], MEANINGS[name],
                COMPUTED.get(name) or f"constant {values[name]}")
        for name, space in spaces.items()
    )  # fmt: skip


def belief_space(alpha: Sequence[Fraction], space: Subspace) -> Subspace:
    """Return the subspace of αᵀX for the window X; it is written in a row i with α_i other than 0."""
    n = len(alpha)
    row = next(i for i, x in enumerate(alpha) if x)
    read = Matrix(
        (n * n, n), {(i * n + j, j): x for i, x in enumerate(alpha) for j in range(n) if x}
    )
    write = Matrix((n, n * n), {(j, row * n + j): 1 / alpha[row] for j in range(n)})
    return Subspace(BELIEF, space.read @ read, write @ space.write)


def held_features(
    parts: Sequence[Component], spaces: dict[str, Subspace], site: str, layer: int
) -> dict[str, str]:
    """Return what each feature is at a hook."""
    copies = sum(part.kind == COPY and part.layer <= layer for part in parts)
    idle = any(part.kind == "idle" and part.layer == layer for part in parts)
    back = 2 ** (copies if site == "after" or idle else copies - 1)
    letters = "the letter itself" if site == "embedding" else f"the last min(t, {back}) letters"
    listed = {name: MEANINGS[name] for name in spaces}
    listed[WINDOW] = f"(A^w - I)_ij, w {letters}"
    listed[SCRATCH] = "0"
    if site == "middle" and not idle:
        listed[SCRATCH] = f"X, the window of position max(t - {back}, 0) before the layer"
        listed[WINDOW] = (
            f"Y + X, Y the window before the layer, X that of position max(t - {back}, 0)"
        )
    return listed


def readout(model: ExportModel) -> Readout:
    """Return how outputs, states and beliefs come from the window."""
    simulation, automaton = model.simulation, model.automaton
    outputs = exact_rows(simulation.outputs.rows())
    own = exact_rows(Matrix.identity(simulation.automaton.n).rows())
    ahead: Sequence[Entry] | None = None
    if model.order.language:
        state, ahead = own, [1] * len(own)
        if has_logarithm(simulation):
            ahead = simulation.source.automaton.beta
    elif model.order.minimise:
        state = own
    else:
        state = outputs
        ahead = automaton.beta if isinstance(automaton, WFA) and is_process(automaton) else None
    return Readout(
        tuple(Fraction(x) for x in simulation.automaton.alpha),
        outputs,
        state,
        None if ahead is None else tuple(Fraction(x) for x in ahead),
        simulation.logarithm if isinstance(simulation, LanguageModel) else None,
        simulation.largest if isinstance(simulation, LanguageModel) else None,
    )


def constants(model: ExportModel, constant: str | None) -> dict[str, str | int | None]:
    """The constants from which the distance to the exact machine follows."""
    design = model.simulation.design
    return shared_constants(model, constant) | {
        "fineness": design.fineness,
        "levels": design.levels,
        "norm": str(design.norm),
        "large": None if design.norm is Normalisation.NONE else design.large,
        "slope": model.constants.slope,
        "span": span(model.simulation.length),
        "noise": "0",
    }
