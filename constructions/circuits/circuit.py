"""A circuit: features, where the stream holds them, and the graph of components that compute them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from constructions.circuits.parts import (
    NORMALISED,
    PLACE,
    SCRATCH,
    WINDOW,
    Component,
    Edge,
    Feature,
    Hook,
    Readout,
    Rows,
    Subspace,
)
from constructions.circuits.wiring import (
    BELIEF,
    LOGIT,
    STATE,
    Wiring,
    inputs,
    read_feature,
    window,
)
from constructions.core.errors import InputError, check_fits, symbol_numbers

if TYPE_CHECKING:
    from constructions.circuits.interventions import Intervention
    from constructions.circuits.trace import Trace

SCHEMA = "assay-circuit-1"


@dataclass(frozen=True)
class Circuit:
    """The circuit of a decoder: features, where they are, and the graph of components.

    `sites` are where a library is intervened in, `constants` the model's constants.

    Examples:
        >>> import assay, tempfile
        >>> folder = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp()).folder
        >>> circuit = assay.circuits.load_circuit(folder)
        >>> [hook.name for hook in circuit.hooks][:2]
        ['blocks.0.hook_resid_pre', 'blocks.0.hook_resid_mid']
        >>> ablation = assay.circuits.interventions.AblateHead(1, 0)  # what is older than two letters is lost
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

    def whole_number(self, name: str) -> int:
        """A constant that is a whole number; anything else is refused."""
        value = self.constants[name]
        if not isinstance(value, int):
            raise InputError(f"constants.{name}", value, "a whole number")
        return value

    def symbols(self, word: Sequence[str]) -> list[str]:
        """BOS and the letters of a word; refuse unknown letters and words that are too long.

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4, format="npz")
            >>> folder = assay.export(assay.families.counting(), order, tempfile.mkdtemp()).folder
            >>> assay.circuits.load_circuit(folder).symbols("01")
            ['<bos>', '0', '1']

        """
        check_fits(len(word), self.length)
        symbol_numbers("word", word, self.tokens[:-1])
        return [self.bos, *word]

    @property
    def width(self) -> int:
        """The width of the stream."""
        return next(iter(self.subspaces.values())).read.shape[0]

    @property
    def normalised(self) -> bool:
        """True if norms scale the outputs that are written into the stream (olmo2)."""
        return self.constants.get("stream") == NORMALISED

    @cached_property
    def wiring(self) -> Wiring:
        """Features that each kind of component reads and writes."""
        return Wiring.of_constants(self.constants, list(self.subspaces))

    @cached_property
    def computed_features(self) -> tuple[str, ...]:
        """The features that the machine computes: no constants, places, logits or noise."""
        wiring = self.wiring
        names = [
            name
            for part in self.components
            for name in (
                *wiring.writes(part),
                *(x for side in inputs(part) for x in wiring.reads(part, side)),
            )
        ]
        left_out = {PLACE, LOGIT, wiring.constant}
        return tuple(name for name in dict.fromkeys(names) if name not in left_out)

    @property
    def content(self) -> str:
        """The feature that the readout reads."""
        return BELIEF if self.normalised else WINDOW

    def block_reads(self, layer: int) -> tuple[str, str]:
        """Return the features that the block of a layer multiplies."""
        return (read_feature(layer), window(layer)) if self.normalised else (SCRATCH, WINDOW)

    def feature_name(self, name: str, layer: int) -> str:
        """Return the name of a feature that an intervention replaces after a layer; -1: the embedding.

        In a normalised stream, window is what the block of the layer writes.
        """
        if name == WINDOW and self.normalised:
            part = self.by_name.get(f"mlp {layer}")
            name = BELIEF if part is not None and part.kind == STATE else window(layer + 1)
        if name not in self.computed_features:
            known = dict.fromkeys((WINDOW, *self.computed_features))
            raise InputError("feature", name, f"one of {', '.join(known)}")
        return name

    def read_name(self, name: str, layer: int) -> str:
        """Return the name of a feature that the block of a layer reads; scratch: what its head has read."""
        reads = self.block_reads(layer)
        name = dict(zip((SCRATCH, WINDOW), reads, strict=True)).get(name, name)
        if name not in reads or name not in self.computed_features:
            raise InputError("feature", name, f"one of {', '.join(reads)}, which the block reads")
        return name

    def inputs(self, part: Component) -> tuple[str, ...]:
        """Return the inputs of a component."""
        return inputs(part)

    def values(self, word: Sequence[str], interventions: Sequence[Intervention] = ()) -> Trace:
        """Return the exact value of every feature at every hook and position, and the outputs.

        Of a normalised stream: up to a factor above 0, whose square is exact (`Trace.squares`).

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4, format="npz")
            >>> folder = assay.export(assay.families.counting(), order, tempfile.mkdtemp()).folder
            >>> trace = assay.circuits.load_circuit(folder).values("010")
            >>> [str(state[0]) for state in trace.outputs]
            ['0', '1', '1', '2']

        """
        from constructions.circuits.trace import Trace, exact_run

        return Trace(exact_run(self, word, interventions))
