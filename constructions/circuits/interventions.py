"""Interventions on a decoder: what is changed, as data. The machine predicts what follows.

Interchange     the window after a layer at a position becomes that of another word (layer -1: the
                embedding)
AblateFeature   the window there, or one of its entries, becomes 0: the identity, no letter read
AblateScratch   a block reads 0 in the scratch at a position, or in another feature
AblateHead      a head adds nothing          MoveHead   a head reads max(t - distance, 0)
AblateBlock     a block adds nothing
RemoveEdge      a target does not see what a source adds: of the features that the edge carries, or
                all of it where the edge carries nothing
"""

from __future__ import annotations

from dataclasses import dataclass

from constructions.circuits.circuit import SCRATCH, WINDOW


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
    """The head adds nothing."""

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
    """The block adds nothing."""

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
