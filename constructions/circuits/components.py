"""The components and edges of a decoder, from what each kind reads and writes.

Writes      embed: window, place, constants · copy: window, scratch · product, and: window, scratch ·
            logarithm: logit · noise, idle: nothing that another component reads
Reads       query, key: place and the constant · value: window · block: scratch, window and the constant ·
            logits: window, logit and the constant
Edges       from every component to every later input, as the residual stream has them; an edge carries
            what its source writes and its target reads, most often nothing
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constructions.circuits.circuit import (
    EMBED,
    KEY,
    LOGITS,
    PLACE,
    QUERY,
    SCRATCH,
    STREAM,
    VALUE,
    WINDOW,
    Component,
    Edge,
)

LOGIT = "logit"
IN_A_LAYER = ("head", "block", LOGITS)  # in the order in which they read the stream
WRITES = {
    "embed": (WINDOW, PLACE),
    "copy": (WINDOW, SCRATCH),
    "product": (WINDOW, SCRATCH),
    "and": (WINDOW, SCRATCH),
    "logarithm": (LOGIT,),
}
READS = {
    ("copy", QUERY): (PLACE,),
    ("copy", KEY): (PLACE,),
    ("copy", VALUE): (WINDOW,),
    ("product", STREAM): (WINDOW, SCRATCH),
    ("and", STREAM): (WINDOW, SCRATCH),
    ("logarithm", STREAM): (WINDOW,),
    ("readout", STREAM): (WINDOW, LOGIT),
}
CONSTANT_READERS = {
    ("copy", QUERY),
    ("product", STREAM),
    ("logarithm", STREAM),
    ("readout", STREAM),
}


def components(layers: int, block: str, logarithm: bool) -> tuple[Component, ...]:
    """Embedding, a copying head and a block a layer, a layer of logarithms if there is one, logits."""
    listed = [Component(EMBED, "embed")]
    for layer in range(layers):
        last = logarithm and layer == layers - 1
        listed.append(
            Component(f"head {layer}.0", "idle", layer, 0)
            if last
            else Component(f"head {layer}.0", "copy", layer, 0, 2**layer)
        )
        listed.append(Component(f"mlp {layer}", "logarithm" if last else block, layer))
    return (*listed, Component(LOGITS, "readout", layers - 1))


def inputs(part: Component) -> tuple[str, ...]:
    """The inputs of a component."""
    if part.kind == "embed":
        return ()
    return (QUERY, KEY, VALUE) if part.head is not None else (STREAM,)


def edges(
    parts: Sequence[Component], constant: str | None, rotary: bool, gated: bool
) -> tuple[Edge, ...]:
    """All edges; `constant` is the feature that holds the constant 1, if the stream has one."""
    return tuple(_edges(parts, constant, rotary, gated))


def _edges(
    parts: Sequence[Component], constant: str | None, rotary: bool, gated: bool
) -> Iterator[Edge]:
    for source in parts:
        for target in parts:
            if precedes(source, target):
                for side in inputs(target):
                    reads = read_features(target, side, constant, rotary, gated)
                    writes = (*WRITES.get(source.kind, ()), *_constants(source, constant))
                    carried = tuple(name for name in writes if name in reads)
                    yield Edge(source.name, target.name, side, carried)


def read_features(
    part: Component, side: str, constant: str | None, rotary: bool, gated: bool
) -> tuple[str, ...]:
    """What an input of a component reads."""
    reads = READS.get((part.kind, side), ())
    if rotary and PLACE in reads:
        return () if constant is None else (constant,)
    takes = (part.kind, side) in CONSTANT_READERS and (part.kind != "product" or gated)
    return (*reads, constant) if takes and constant is not None else reads


def _constants(source: Component, constant: str | None) -> tuple[str, ...]:
    return (constant,) if source.name == EMBED and constant is not None else ()


def precedes(source: Component, target: Component) -> bool:
    """Whether what a source adds is in the stream when a target reads it."""
    return _time(source) < _time(target)


def _time(part: Component) -> tuple[bool, int, int]:
    side = LOGITS if part.name == LOGITS else "block" if part.head is None else "head"
    return part.name != EMBED, part.layer, IN_A_LAYER.index(side)
