"""The parts of a circuit: the known inner workings of a decoder, as data.

Feature     a named quantity of the stream, the same at every hook: window, scratch, place, constants
Subspace    the directions that hold a feature: value = x R, and x + (v' - v) W changes v to v'
Hook        a place of the library's class where the stream can be read, by the library's own name
Component   what reads the stream and adds to it: embed, head l.h, mlp l; logits reads alone
Edge        which features of a source's output a target reads; none: the edge carries nothing
Counting    layers and heads from 0, as libraries count; positions from 0, the position of BOS
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.blocks.logarithm import Logarithm
from constructions.core.matrix import Matrix

EMBED, LOGITS = "embed", "logits"
WINDOW, SCRATCH, PLACE, DECOY = "window", "scratch", "place", "decoy"
QUERY, KEY, VALUE, STREAM = "query", "key", "value", "stream"
NORMALISED = "normalised"  # the constant `stream` of such a circuit
Rows = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Feature:
    """A named quantity: how many numbers it is, what they are, and how they are computed."""

    name: str
    size: int
    meaning: str
    computed: str


@dataclass(frozen=True)
class Subspace:
    """Directions of the stream that hold a feature: `read` is d × k, `write` k × d, and write · read = I.

    In superposition k is larger than the rank of `read`: then write · read is a projection.
    """

    feature: str
    read: Matrix
    write: Matrix

    @classmethod
    def of_coordinates(cls, feature: str, coordinates: Sequence[int], width: int) -> Subspace:
        """Coordinates of the stream."""
        entries = {(c, i): 1 for i, c in enumerate(coordinates)}
        read = Matrix((width, len(coordinates)), entries)
        return cls(feature, read, read.transpose)

    @property
    def independent(self) -> bool:
        """True if each number can be changed alone: write · read = I."""
        product = Matrix.dense((self.write @ self.read).rows())  # without entries that are 0
        return product == Matrix.identity(self.read.shape[1])

    @property
    def coordinates(self) -> list[int] | None:
        """The coordinates of the stream that span the subspace; None if it is no such subspace."""
        held = {column: row for (row, column), value in self.read.entries.items() if value == 1}
        same = len(held) == len(self.read.entries) == self.read.shape[1]
        plain = same and self.write == self.read.transpose
        return [held[column] for column in range(self.read.shape[1])] if plain else None


@dataclass(frozen=True)
class Hook:
    """A place where the stream is seen: a submodule of the library's class, its input or its output.

    `site` is embedding, middle (between attention and block) or after a block; `holds` says what
    each feature is there.
    """

    site: str
    layer: int
    module: str
    side: str
    holds: Mapping[str, str]

    @property
    def name(self) -> str:
        """The module, and its input where that is meant."""
        return self.module if self.side == "output" else f"{self.module}:input"


@dataclass(frozen=True)
class Component:
    """A part of the model that reads and writes the stream; `kind` says how (see `arithmetic`).

    A head of kind copy reads position max(t - distance, 0) and writes `share` times what it finds there.
    `noise`: it is active and carries nothing.
    """

    name: str
    kind: str
    layer: int = 0
    head: int | None = None
    distance: int | None = None
    share: Fraction = Fraction(1)


@dataclass(frozen=True)
class Edge:
    """Source to target; a head has three inputs, the others one."""

    source: str
    target: str
    input: str
    carries: tuple[str, ...]

    @property
    def name(self) -> str:
        """Source, target and which of its inputs."""
        return f"{self.source} -> {self.target}" + (
            "" if self.input == STREAM else f" ({self.input})"
        )


@dataclass(frozen=True)
class Readout:
    """Outputs αᵀ(I + X)B of the window X; with `logarithm`, g(f/M) of these outputs f, M = `largest`.

    `state` is the matrix of the automaton's states, αᵀ(I + X)S, and `ahead` what a state is divided
    by to be a belief, if it is one.
    """

    alpha: tuple[Fraction, ...]
    outputs: Rows
    state: Rows
    ahead: tuple[Fraction, ...] | None = None
    logarithm: Logarithm | None = None
    largest: Fraction | None = None

    @property
    def scale(self) -> Fraction:
        """M; 1 where no logarithm is taken."""
        return Fraction(1) if self.largest is None else self.largest
