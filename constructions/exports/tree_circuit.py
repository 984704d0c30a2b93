"""The circuit of an exported tree decoder: `circuit.json`, made from the exact simulation.

Features     the blocks of `constructions.decoder_tree`'s stream, in the coordinates of the class
Formats      those whose hooks are TransformerLens': safetensors, npz, pt2, transformerlens
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from constructions.circuits.circuit import Feature, Hook, Subspace
from constructions.circuits.sites import SITES, STREAM_SITES, at_layer
from constructions.circuits.tree_circuit import TreeCircuit
from constructions.circuits.tree_components import tree_components, tree_edges

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

MEANINGS = {
    "one": "the constant 1",
    "index": "the position t",
    "square": "t²",
    "left": "of a closing bracket, from layer 2 on: the position where its left child ends",
    "known": "f: 1 where the state of the subtree that ends here is known, at leaves from the start",
    "inactive": "g: 1 at a closing bracket none of whose children was known, else 0",
    "pointer": "c: the position of the node that μ = M μ(c) + b refers to; at first t itself",
    "matrix": "M of μ = M μ(c) + b, row by row; 0 where the state is known",
    "state": "b of μ = M μ(c) + b: where known, the state μ of the subtree that ends here",
    "near": "F: f of the right child, between head and block; in layer 0 the mean of brackets",
    "near_state": "b of the right child, between head and block",
    "far": "N: f of the left child, between head and block",
    "far_state": "b of the left child, between head and block",
    "read_matrix": "M of the node pointed to, between head and block; before layer 2 depth² first",
    "read_state": "b of the node pointed to, between head and block; before layer 2 of the token before",
    "read_known": "f of the node pointed to, between head and block; before layer 2 of the token before",
    "read_pointer": "c of the node pointed to, between head and block; before layer 2 the depth",
}
HOOKED = ("safetensors", "npz", "pt2", "transformerlens")
EMBEDDED = ("one", "index", "square")
CONTENT = ("known", "inactive", "pointer", "matrix", "state")


def has_tree_circuit(model: ExportModel) -> bool:
    """Whether a model is a tree decoder in a format with these hooks."""
    order = model.order
    return order.decoder and not model.words and order.format in HOOKED


def tree_circuit_of(model: ExportModel) -> TreeCircuit:
    """The circuit of a model that has one."""
    automaton, order, simulation = model.weighted, model.order, model.simulation
    layers, places = len(simulation.transformer.layers), model.coordinates
    heads = int(model.sizes["heads"])
    parts = tree_components(automaton.n, order.length, layers, heads)
    width = max(end for _, end in places.values())
    tensor, leaves = simulation.automaton.tensor, simulation.automaton.leaves
    return TreeCircuit(
        format=order.format,
        n=automaton.n,
        length=order.length,
        tokens=tuple(simulation.symbols),
        features=features(places),
        subspaces={name: Subspace.of_coordinates(name, range(*ends), width)
                   for name, ends in places.items()},
        hooks=hooks(order.format, layers),
        components=parts,
        edges=tree_edges(parts),
        sites=SITES[order.format],
        constants=constants(model, heads),
        tensor=tuple(tuple(tuple(map(Fraction, row)) for row in rows) for rows in tensor),
        leaves={symbol: tuple(map(Fraction, leaf)) for symbol, leaf in leaves.items()},
    )  # fmt: skip


def features(places: dict[str, list[int]]) -> tuple[Feature, ...]:
    """The features of the stream, and which kinds of components write them."""
    return tuple(Feature(name, end - first, MEANINGS[name], computed(name))
                 for name, (first, end) in places.items())  # fmt: skip


def computed(name: str) -> str:
    """Where a feature comes from."""
    if name in EMBEDDED:
        return "embedded once; no component writes it"
    if name == "left":
        return "match adds where the right child begins, less one"
    if name in CONTENT:
        return "embedded; begin and step add to it, as constructions.circuits.tree_machine says"
    return "heads and early blocks add it; the block of the layer that uses it takes it away"


def hooks(name: str, layers: int) -> tuple[Hook, ...]:
    """The places of a library where the stream is seen."""
    listed: list[Hook] = []
    for layer in range(layers):
        for site in STREAM_SITES if layer == 0 else STREAM_SITES[1:]:
            module, side = at_layer(SITES[name][site], layer)
            listed.append(Hook(site, layer, module, side, holds(site, layer)))
    return tuple(listed)


def holds(site: str, layer: int) -> dict[str, str]:
    """What each feature is at a hook; what is erased there is 0."""
    listed = dict(MEANINGS)
    steps = max(0, layer - 1 if site == "after" else layer - 2)
    listed["state"] = f"b after {steps} steps of the game: where known, the state of the subtree"
    listed["known"] = f"f after {steps} steps of the game"
    brought = [key for key in listed if key.startswith(("near", "far", "read"))]
    if site == "embedding" or (site == "after" and layer >= 2):
        listed |= dict.fromkeys(brought, "0")
    return listed


def constants(model: ExportModel, heads: int) -> dict[str, str | int | None]:
    """The constants from which the distance to the exact machine follows."""
    return {
        "saturation": str(model.constants.saturation),
        "activation": model.order.activation,
        "dtype": model.order.dtype,
        "computes_in": model.order.target.computes_in or model.order.dtype,
        "heads": heads,
    }
