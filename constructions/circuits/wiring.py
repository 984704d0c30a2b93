"""The components and edges of a decoder: which features each component reads and writes.

Two streams   *additive* (gpt2, llama, safetensors, …): components add to the features window and scratch.
              *Normalised* (olmo2): every feature has one writer, and norms scale what is written
Writes        additive: embed window, place, constants · copy window, scratch · product, and: window,
              scratch · logarithm: logit · noise, idle: nothing that another component reads
              normalised: embed window0, place, one · head l read{l+1} · compose window{l+1} · state belief
Reads         query, key: place and the constant · value: the window · block: what its head has read, the
              window, the constant · logits: the window or belief, logit, the constant
Decoy         a copy of the window that every writer of the window writes too, and nothing reads
Edges         from every component to every later input, as the residual stream has them; an edge carries
              what its source writes and its target reads, most often nothing
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from constructions.circuits.parts import (
    DECOY,
    EMBED,
    KEY,
    LOGITS,
    NORMALISED,
    PLACE,
    QUERY,
    SCRATCH,
    STREAM,
    VALUE,
    WINDOW,
    Component,
    Edge,
)

LOGIT, ONE, BELIEF = "logit", "one", "belief"
COPY, PRODUCT, AND, COMPOSE, STATE, LOGARITHM = (
    "copy", "product", "and", "compose", "state", "logarithm")  # fmt: skip
IN_A_LAYER = ("head", "block", LOGITS)  # in the order in which they read the stream


def window(number: int) -> str:
    """Return the feature of a normalised stream that holds windows of 2^number letters."""
    return f"window{number}"


def read_feature(layer: int) -> str:
    """Return the feature of a normalised stream that the head of a layer writes."""
    return f"read{layer + 1}"


@dataclass(frozen=True)
class Wiring:
    """Features that the components of a decoder read and write.

    `constant` is the feature that holds the constant 1, if the stream has one; `gated`: blocks read it;
    `rotary`: positions are angles; `decoy`: the window has a copy that nothing reads.
    """

    constant: str | None
    rotary: bool = False
    gated: bool = False
    normalised: bool = False
    decoy: bool = False

    @classmethod
    def of_constants(cls, constants: Mapping[str, Any], features: Sequence[str] = ()) -> Wiring:
        """Return the wiring of a circuit file, from its constants and the names of its features."""
        one = constants["one"]
        return cls(
            None if one is None else str(one),
            bool(constants["rotary"]),
            constants["fineness"] is None and constants["slope"] is None,
            constants.get("stream") == NORMALISED,
            DECOY in features,
        )

    def writes(self, part: Component) -> tuple[str, ...]:
        """Return the features that a component adds to."""
        if self.normalised:
            return {
                "embed": (window(0), PLACE, ONE),
                COPY: (read_feature(part.layer),),
                COMPOSE: (window(part.layer + 1),),
                STATE: (BELIEF,),
                LOGARITHM: (LOGIT,),
            }.get(part.kind, ())
        copies = (WINDOW, DECOY) if self.decoy else (WINDOW,)
        if part.kind == "embed":
            return (*copies, PLACE) if self.constant is None else (*copies, PLACE, self.constant)
        if part.kind in (COPY, PRODUCT, AND):
            return (*copies, SCRATCH)
        return (LOGIT,) if part.kind == LOGARITHM else ()

    def reads(self, part: Component, side: str) -> tuple[str, ...]:
        """Return the features that an input of a component reads."""
        return self._normalised_reads(part, side) if self.normalised else self._reads(part, side)

    def _reads(self, part: Component, side: str) -> tuple[str, ...]:
        one = () if self.constant is None else (self.constant,)
        gate = one if self.gated else ()
        places = (one, one) if self.rotary else ((PLACE, *one), (PLACE,))
        return {
            (COPY, QUERY): places[0],
            (COPY, KEY): places[1],
            (COPY, VALUE): (WINDOW,),
            (PRODUCT, STREAM): (WINDOW, SCRATCH, *gate),
            (AND, STREAM): (WINDOW, SCRATCH),
            (LOGARITHM, STREAM): (WINDOW, *one),
            ("readout", STREAM): (WINDOW, LOGIT, *one),
        }.get((part.kind, side), ())

    def _normalised_reads(self, part: Component, side: str) -> tuple[str, ...]:
        block = (read_feature(part.layer), window(part.layer))
        return {
            (COPY, QUERY): (PLACE,),
            (COPY, KEY): (PLACE,),
            (COPY, VALUE): (window(part.layer),),
            (COMPOSE, STREAM): block,
            (STATE, STREAM): block,
            (LOGARITHM, STREAM): (BELIEF, ONE),
            ("readout", STREAM): (BELIEF, LOGIT, ONE),
        }.get((part.kind, side), ())

    def edges(self, parts: Sequence[Component]) -> tuple[Edge, ...]:
        """Return all edges between components, with the features that they carry."""
        return tuple(
            Edge(source.name, target.name, side, self.features_on(source, target, side))
            for source in parts
            for target in parts
            if precedes(source, target)
            for side in inputs(target)
        )

    def features_on(self, source: Component, target: Component, side: str) -> tuple[str, ...]:
        """Return the features that a source writes and an input of a target reads."""
        read = self.reads(target, side)
        return tuple(name for name in self.writes(source) if name in read)


def inputs(part: Component) -> tuple[str, ...]:
    """Return the inputs of a component."""
    if part.kind == "embed":
        return ()
    return (QUERY, KEY, VALUE) if part.head is not None else (STREAM,)


def precedes(source: Component, target: Component) -> bool:
    """Check that a source's output is in the stream when a target reads it."""
    return _time(source) < _time(target)


def _time(part: Component) -> tuple[bool, int, int]:
    side = LOGITS if part.name == LOGITS else "block" if part.head is None else "head"
    return part.name != EMBED, part.layer, IN_A_LAYER.index(side)


def additive_components(layers: int, block: str, logarithm: bool) -> tuple[Component, ...]:
    """Return embedding, a copying head and a block a layer, a layer of logarithms if any, logits."""
    listed = [Component(EMBED, "embed")]
    for layer in range(layers):
        last = logarithm and layer == layers - 1
        head = f"head {layer}.0"
        listed += [
            Component(head, "idle", layer, 0) if last else _copying(head, layer),
            Component(f"mlp {layer}", LOGARITHM if last else block, layer),
        ]
    return (*listed, Component(LOGITS, "readout", layers - 1))


def normalised_components(copies: int) -> tuple[Component, ...]:
    """Return `copies` layers with a head that copies, a layer of logarithms, logits."""
    listed = [Component(EMBED, "embed")]
    for layer in range(copies):
        kind = COMPOSE if layer < copies - 1 else STATE
        listed += [_copying(f"head {layer}.0", layer), Component(f"mlp {layer}", kind, layer)]
    listed += [Component(f"head {copies}.0", "idle", copies, 0),
               Component(f"mlp {copies}", LOGARITHM, copies)]  # fmt: skip
    return (*listed, Component(LOGITS, "readout", copies))


def _copying(name: str, layer: int) -> Component:
    return Component(name, COPY, layer, 0, 2**layer, Fraction(1))
