"""A circuit: the known inner workings of a decoder, as data that a program can be held against.

Feature     a named quantity of the stream, the same at every hook: window, scratch, place, constants
Subspace    the directions that hold a feature: value = x R, and x + (v' - v) W changes v to v'
Hook        a place of the library's class where the stream can be read, by the library's own name
Component   what reads the stream and adds to it: embed, head l.h, mlp l; logits reads alone
Edge        which features of a source's output a target reads; none: the edge carries nothing
Counting    layers and heads from 0, as libraries count; positions from 0, where BOS stands
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from constructions.blocks.logarithm import Logarithm
from constructions.core.errors import InputError, unknown_symbol
from constructions.core.matrix import Matrix

if TYPE_CHECKING:
    from constructions.circuits.interventions import Intervention
    from constructions.circuits.machine import Trace
    from constructions.circuits.normalised_machine import NormalisedTrace

SCHEMA = "assay-circuit-1"
EMBED, LOGITS = "embed", "logits"
WINDOW, SCRATCH, PLACE = "window", "scratch", "place"
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
    """Where the stream holds a feature: `read` is d × k, `write` k × d, and write · read = I.

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
    def coordinates(self) -> list[int] | None:
        """The coordinates, if the subspace is that of some; else none."""
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
    """What reads and writes the stream; `kind` says how (see `machine`).

    A head reads position max(t - distance, 0). `noise`: it is active and carries nothing.
    """

    name: str
    kind: str
    layer: int = 0
    head: int | None = None
    distance: int | None = None


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


@dataclass(frozen=True)
class Circuit:
    """The circuit of a decoder: features, where they are, and the graph of components.

    `sites` are where a library is intervened in, `constants` the model's constants.

    Examples:
        >>> import assay, tempfile
        >>> folder = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp()).folder
        >>> circuit = assay.load_circuit(folder)
        >>> [hook.name for hook in circuit.hooks][:2]
        ['blocks.0.hook_resid_pre', 'blocks.0.hook_resid_mid']
        >>> ablation = assay.interventions.AblateHead(1, 0)  # what is older than two letters is lost
        >>> [str(state[0]) for state in circuit.values("0000", [ablation]).outputs]
        ['0', '1', '2', '2', '2']

    """

    format: str
    n: int
    length: int
    tokens: tuple[str, ...]
    features: tuple[Feature, ...]
    subspaces: Mapping[str, Subspace]
    hooks: tuple[Hook, ...]
    components: tuple[Component, ...]
    edges: tuple[Edge, ...]
    sites: Mapping[str, str]
    constants: Mapping[str, str | int | None]
    embedding: Mapping[str, Rows]
    readout: Readout

    @property
    def layers(self) -> int:
        """The number of layers."""
        return 1 + max(component.layer for component in self.components)

    @property
    def bos(self) -> str:
        """The token before every word."""
        return self.tokens[-1]

    @cached_property
    def by_name(self) -> dict[str, Component]:
        """The components by their names."""
        return {component.name: component for component in self.components}

    @cached_property
    def into(self) -> dict[tuple[str, str], list[Edge]]:
        """The edges into each input of each component."""
        listed: dict[tuple[str, str], list[Edge]] = {}
        for edge in self.edges:
            listed.setdefault((edge.target, edge.input), []).append(edge)
        return listed

    def whole(self, name: str) -> int:
        """A constant that is a whole number; anything else is refused."""
        value = self.constants[name]
        if not isinstance(value, int):
            raise InputError(f"constants.{name}", value, "a whole number")
        return value

    def symbols(self, word: Sequence[str]) -> list[str]:
        """BOS and the letters of a word; what does not fit is refused.

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4, format="npz")
            >>> folder = assay.export(assay.families.counting(), order, tempfile.mkdtemp()).folder
            >>> assay.load_circuit(folder).symbols("01")
            ['<bos>', '0', '1']

        """
        if len(word) > self.length:
            raise InputError("word", f"{len(word)} letters", f"at most {self.length}, the length")
        for symbol in word:
            if symbol not in self.tokens[:-1]:
                raise unknown_symbol("word", symbol, self.tokens[:-1])
        return [self.bos, *word]

    @property
    def normalised(self) -> bool:
        """Whether what is written into the stream is normalised first (olmo2)."""
        return self.constants.get("stream") == NORMALISED

    def feature_name(self, name: str, layer: int) -> str:
        """The name that a feature of an intervention has in a layer: of a normalised stream its own."""
        own = {WINDOW: self.window_after, SCRATCH: self.scratch_in}
        return own[name](layer) if name in own else name

    def window_after(self, layer: int) -> str:
        """The feature that an intervention on the window after a layer changes; -1: the embedding."""
        if not self.normalised:
            return WINDOW
        from constructions.circuits.normalised_parts import BELIEF, STATE, window

        part = self.by_name.get(f"mlp {layer}")
        return BELIEF if part is not None and part.kind == STATE else window(layer + 1)

    def scratch_in(self, layer: int) -> str:
        """The feature that holds what the head of a layer has read, for the block to read."""
        return f"read{layer + 1}" if self.normalised else SCRATCH

    def values(
        self, word: Sequence[str], interventions: Sequence[Intervention] = ()
    ) -> Trace | NormalisedTrace:
        """The exact value of every feature at every hook and position, and the outputs.

        Of a normalised stream: up to a factor above 0, whose square is exact (`NormalisedTrace`).

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4, format="npz")
            >>> folder = assay.export(assay.families.counting(), order, tempfile.mkdtemp()).folder
            >>> trace = assay.load_circuit(folder).values("010")
            >>> [str(state[0]) for state in trace.outputs]
            ['0', '1', '1', '2']

        """
        from constructions.circuits.machine import run
        from constructions.circuits.normalised_machine import run_normalised

        return (run_normalised if self.normalised else run)(self, word, tuple(interventions))
