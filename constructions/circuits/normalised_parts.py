"""The components and edges of a decoder with a normalised stream: every feature has one writer.

Writes      embed: window0, the place and the constant · head l: read{l+1} · block l: window{l+1}, or
            the belief in the last layer with a head · the last block: logits
Reads       query, key: the place, which RoPE turns · value of head l: window{l} · block l: read{l+1} and
            window{l} · the last block: belief and the constant · logits: belief, logit and the constant
Counting    layers from 0, as in `components`; windows and reads as `constructions.normalised` counts them
"""

from __future__ import annotations

from constructions.circuits.circuit import (
    EMBED,
    KEY,
    LOGITS,
    PLACE,
    QUERY,
    STREAM,
    VALUE,
    Component,
    Edge,
)
from constructions.circuits.components import LOGIT, inputs, precedes

ONE, BELIEF = "one", "belief"
COMPOSE, STATE = "compose", "state"


def window(number: int) -> str:
    """The feature that holds the windows of 2^number letters."""
    return f"window{number}"


def read_feature(layer: int) -> str:
    """The feature that the head of a layer writes."""
    return f"read{layer + 1}"


def normalised_components(copies: int) -> tuple[Component, ...]:
    """So many layers with a head that copies, a layer of logarithms, logits."""
    listed = [Component(EMBED, "embed")]
    for layer in range(copies):
        kind = COMPOSE if layer < copies - 1 else STATE
        listed.append(Component(f"head {layer}.0", "copy", layer, 0, 2**layer))
        listed.append(Component(f"mlp {layer}", kind, layer))
    listed.append(Component(f"head {copies}.0", "idle", copies, 0))
    listed.append(Component(f"mlp {copies}", "logarithm", copies))
    return (*listed, Component(LOGITS, "readout", copies))


def written_features(part: Component) -> tuple[str, ...]:
    """What a component writes."""
    return {
        "embed": (window(0), PLACE, ONE),
        "copy": (read_feature(part.layer),),
        COMPOSE: (window(part.layer + 1),),
        STATE: (BELIEF,),
        "logarithm": (LOGIT,),
    }.get(part.kind, ())


def input_features(part: Component, side: str) -> tuple[str, ...]:
    """What an input of a component reads."""
    product = (read_feature(part.layer), window(part.layer))
    return {
        ("copy", QUERY): (PLACE,),
        ("copy", KEY): (PLACE,),
        ("copy", VALUE): (window(part.layer),),
        (COMPOSE, STREAM): product,
        (STATE, STREAM): product,
        ("logarithm", STREAM): (BELIEF, ONE),
        ("readout", STREAM): (BELIEF, LOGIT, ONE),
    }.get((part.kind, side), ())


def normalised_edges(parts: tuple[Component, ...]) -> tuple[Edge, ...]:
    """All edges, as the residual stream has them."""
    return tuple(
        Edge(source.name, target.name, side, carried_features(source, target, side))
        for source in parts
        for target in parts
        if precedes(source, target)
        for side in inputs(target)
    )


def carried_features(source: Component, target: Component, side: str) -> tuple[str, ...]:
    """What a source writes and an input of a target reads."""
    reads = input_features(target, side)
    return tuple(name for name in written_features(source) if name in reads)
