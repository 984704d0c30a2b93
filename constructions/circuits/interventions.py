"""Interventions on a decoder, as data; the machine predicts their effects.

Interchange     features after a layer at a position become those of another word (layer -1: the embedding)
AblateFeature   a feature there, or one of its entries, becomes 0: of a window the identity, no letter read
AblateScratch   a block reads 0 in a feature at a position, usually in the output of its head
AblateHead      a head adds nothing          MoveHead   a head reads max(t - distance, 0)
AblateBlock     a block adds nothing
RemoveEdge      a target does not see what a source adds: of the features that the edge carries, or
                all of it where the edge carries nothing
Several         hold together; of two that set the same place the later one counts
Refused         places that the circuit does not have (`check_interventions`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from constructions.circuits.parts import EMBED, LOGITS, SCRATCH, STREAM, WINDOW, Subspace
from constructions.core.errors import InputError

if TYPE_CHECKING:
    from constructions.circuits.circuit import Circuit


@dataclass(frozen=True)
class Interchange:
    """The features after `layer` at `position` become those of `word` at `source`."""

    layer: int
    position: int
    word: tuple[str, ...]
    source: int
    features: tuple[str, ...] = (WINDOW,)

    def __str__(self) -> str:
        return (f"{', '.join(self.features)} after layer {self.layer} at position {self.position} from "
                f"position {self.source} of {' '.join(self.word)}")  # fmt: skip


@dataclass(frozen=True)
class AblateFeature:
    """The feature after `layer` at `position`, or its entry, becomes 0."""

    layer: int
    position: int
    entry: int | None = None
    feature: str = WINDOW

    def __str__(self) -> str:
        part = "" if self.entry is None else f"[{self.entry}]"
        return f"{self.feature}{part} after layer {self.layer} at position {self.position} set to 0"


@dataclass(frozen=True)
class AblateScratch:
    """The block of `layer` reads 0 in the feature at `position`."""

    layer: int
    position: int
    feature: str = SCRATCH

    def __str__(self) -> str:
        return f"{self.feature} read as 0 by mlp {self.layer} at position {self.position}"


@dataclass(frozen=True)
class AblateHead:
    """Replace the output of a head by 0."""

    layer: int
    head: int

    def __str__(self) -> str:
        return f"head {self.layer}.{self.head} ablated"


@dataclass(frozen=True)
class MoveHead:
    """The head reads max(t - distance, 0)."""

    layer: int
    head: int
    distance: int

    def __str__(self) -> str:
        return f"head {self.layer}.{self.head} reads {self.distance} back"


@dataclass(frozen=True)
class AblateBlock:
    """Replace the output of a block by 0."""

    layer: int

    def __str__(self) -> str:
        return f"mlp {self.layer} ablated"


@dataclass(frozen=True)
class RemoveEdge:
    """The target's input does not see the source."""

    source: str
    target: str
    input: str

    def __str__(self) -> str:
        return f"edge {self.source} -> {self.target} ({self.input}) removed"


Intervention = (
    Interchange | AblateFeature | AblateScratch | AblateHead | MoveHead | AblateBlock | RemoveEdge
)


def check_interventions(
    circuit: Circuit, symbols: Sequence[str], interventions: Sequence[Intervention]
) -> None:
    """Refuse interventions on places that a circuit or a word does not have."""
    for each in interventions:
        match each:
            case Interchange():
                _check_position(each.position, len(symbols))
                _check_position(each.source, len(circuit.symbols(each.word)), "source")
                for name in each.features:
                    _check_feature(circuit, name, each.layer)
            case AblateFeature():
                _check_position(each.position, len(symbols))
                _check_entry(each.entry, _check_feature(circuit, each.feature, each.layer))
            case AblateScratch():
                _check_position(each.position, len(symbols))
                _one_of(
                    "layer",
                    each.layer,
                    _layers_of_blocks(circuit, "product", "and", "compose", "state"),
                )
                circuit.read_name(each.feature, each.layer)
            case AblateHead() | MoveHead():
                heads = [(part.layer, part.head) for part in circuit.components if part.head is not None
                         and (part.kind == "copy" or isinstance(each, AblateHead))]  # fmt: skip
                _one_of("head", (each.layer, each.head), heads)
                if isinstance(each, MoveHead) and each.distance < 0:
                    raise InputError("distance", each.distance, "a number ≥ 0")
            case AblateBlock():
                _one_of("layer", each.layer, _layers_of_blocks(circuit))
            case RemoveEdge():
                edges = [(edge.source, edge.target, edge.input) for edge in circuit.edges]
                _one_of("edge", (each.source, each.target, each.input), edges)
            case _:
                raise InputError("interventions", each, "a class of assay.circuits.interventions")
    _check_last_block(circuit, interventions)


def _layers_of_blocks(circuit: Circuit, *kinds: str) -> list[int]:
    parts = [part for part in circuit.components
             if part.head is None and part.name not in (EMBED, LOGITS)]  # fmt: skip
    return [part.layer for part in parts if not kinds or part.kind in kinds]


def _one_of(field: str, value: Any, known: Sequence[Any]) -> None:
    if value not in known:
        first = ", ".join(map(str, known[:12])) + (", …" if len(known) > 12 else "")
        expected = f"one of {first}" if known else f"no {field}: this circuit has none"
        raise InputError(field, str(value), expected)


def _check_position(position: int, count: int, field: str = "position") -> None:
    if position not in range(count):
        raise InputError(field, position, f"a position from 0 to {count - 1}")


def _check_feature(circuit: Circuit, name: str, layer: int) -> Subspace:
    """Return the subspace of a feature that can be replaced after a layer; refuse others."""
    if layer not in range(-1, circuit.layers):
        raise InputError("layer", layer, f"from -1 to {circuit.layers - 1}")
    own = circuit.feature_name(name, layer)
    if circuit.normalised:
        earlier = [part for part in circuit.components if part.layer <= layer or part.name == EMBED]
        if not any(own in circuit.wiring.writes(part) for part in earlier):
            raise InputError("feature", name, f"a feature written by layer {layer} or before")
    return circuit.subspaces[own]


def _check_entry(entry: int | None, space: Subspace) -> None:
    size = space.read.shape[1]
    if entry is not None and entry not in range(size):
        raise InputError("entry", entry, f"an entry from 0 to {size - 1}")
    if entry is not None and not space.independent:
        raise InputError("entry", entry, "null (the whole feature): its entries share directions")


def _check_last_block(circuit: Circuit, interventions: Sequence[Intervention]) -> None:
    """Refuse interventions without an exact prediction: a norm is not neutral without K."""
    last = {AblateBlock(layer) for layer in _layers_of_blocks(circuit, "logarithm")}
    to_logits = any(isinstance(each, RemoveEdge) and (each.target, each.input) == (LOGITS, STREAM)
                    for each in interventions)  # fmt: skip
    if circuit.normalised and to_logits and last & set(interventions):
        found = "the last block ablated and an edge to the logits removed"
        raise InputError("interventions", found, "only one of the two")
