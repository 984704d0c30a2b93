"""The machine of a circuit: it runs the computation that the file describes, in any arithmetic.

Computes      for every component, in their order, what it adds to the features of the stream at every
              position; a component sees the sum of what its edges in the file carry to it, nothing else
Reading       scores 2j(t-s) - j²: with the place in query and key, position max(t - s, 0); without it in
              the query BOS; without the constant in the query the position itself; without anything in the
              query or in the key all positions alike, and the head brings their mean. Rotary heads need the
              constant (of a normalised stream the place) in query and key, and read all alike without it
Interventions a feature that is replaced after a layer is the same for all later readers, less what
              removed edges carried before; of several changes at one place the last in the list counts
Arithmetic    `ExactArithmetic` gives the exact values (`trace`); bounds beside the values, in
              `verify.circuits`, say how far a model may be from them
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Generic, TypeVar

from constructions.circuits.arithmetic import Arithmetic, Shape, Value
from constructions.circuits.circuit import Circuit
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateHead,
    AblateScratch,
    Interchange,
    Intervention,
    MoveHead,
    RemoveEdge,
    check_interventions,
)
from constructions.circuits.parts import (
    EMBED,
    KEY,
    LOGITS,
    PLACE,
    QUERY,
    SCRATCH,
    STREAM,
    VALUE,
    Component,
    Hook,
)
from constructions.circuits.wiring import AND, BELIEF, COPY, LOGARITHM, LOGIT, PRODUCT, precedes

Chosen = TypeVar("Chosen")
Values = dict[str, list[Value]]  # by feature: the values at all positions


@dataclass(frozen=True)
class Patch(Generic[Value]):
    """A feature that an intervention replaces after a layer; `earlier` had written to it before."""

    layer: int
    feature: str
    position: int
    value: Value
    earlier: frozenset[str]


@dataclass(frozen=True)
class Run(Generic[Value]):
    """One word: what each component has added, what was replaced, and what each input has seen."""

    circuit: Circuit
    symbols: tuple[str, ...]
    interventions: tuple[Intervention, ...]
    arithmetic: Arithmetic[Value]
    added: dict[str, Values[Value]] = field(default_factory=dict)
    patches: list[Patch[Value]] = field(default_factory=list)
    views: dict[tuple[str, str], Values[Value]] = field(default_factory=dict)

    @property
    def positions(self) -> range:
        """BOS and the letters."""
        return range(len(self.symbols))

    def interventions_of(self, kind: type[Chosen]) -> Iterator[Chosen]:
        """Return the interventions of a kind."""
        return (each for each in self.interventions if isinstance(each, kind))

    def run(self) -> Run[Value]:
        """Compute everything, component by component."""
        for part in self.circuit.components:
            self.see(part)
            self.added[part.name] = self.write(part)
            if part.name == EMBED:
                self.patch(-1)
            elif part.head is None and part.name != LOGITS:
                self.patch(part.layer)
        return self

    def shape(self, feature: str) -> Shape:
        """Return rows and columns of a feature."""
        return (1 if feature == BELIEF else self.circuit.n, self.circuit.n)

    # What a component sees

    def see(self, part: Component) -> None:
        """Compute the inputs of a component."""
        for side in self.circuit.inputs(part):
            self.views[part.name, side] = {
                name: [self.view(part, side, name, t) for t in self.positions]
                for name in self.circuit.wiring.reads(part, side) if name in self.circuit.computed_features
            }  # fmt: skip
        if part.head is None:
            for each in self.interventions_of(AblateScratch):
                name = self.circuit.read_name(each.feature, each.layer)
                seen = self.views.get((part.name, STREAM), {})
                if each.layer == part.layer and name in seen and part.name != LOGITS:
                    seen[name][each.position] = self.zero(name)

    def zero(self, feature: str) -> Value:
        """Return a feature that is 0."""
        return self.arithmetic.zero(self.shape(feature))

    def view(self, part: Component, side: str, feature: str, t: int) -> Value:
        """Return the value of a feature that an input reads at a position."""
        carrying = [edge for edge in self.circuit.into.get((part.name, side), [])
                    if feature in edge.carries]  # fmt: skip
        gone = {edge.source for edge in carrying if self.is_removed(edge.source, part.name, side)}
        seen = [edge.source for edge in carrying if edge.source not in gone]
        return self.total(feature, t, seen, gone, self.patches)

    def tokens(self, part: Component, t: int) -> list[list[Value]]:
        """Return all features of the token that each input of a component sees at a position."""
        return [[self.seen(part, side, name, t) for name in self.circuit.computed_features]
                for side in self.circuit.inputs(part)]  # fmt: skip

    def seen(self, part: Component, side: str, feature: str, t: int) -> Value:
        """Return a feature of the token that an input sees: the stream without removed edges."""
        gone = {edge.source for edge in self.circuit.into.get((part.name, side), [])
                if self.is_removed(edge.source, part.name, side)
                and (feature in edge.carries or not edge.carries)}  # fmt: skip
        sources = [each.name for each in self.circuit.components
                   if precedes(each, part) and each.name not in gone]  # fmt: skip
        return self.total(feature, t, sources, gone, self.patches)

    def is_removed(self, source: str, target: str, side: str) -> bool:
        """Check for an intervention that removes an edge."""
        return RemoveEdge(source, target, side) in self.interventions

    def total(
        self,
        feature: str,
        t: int,
        seen: Iterable[str],
        gone: Iterable[str],
        patches: Sequence[Patch[Value]],
    ) -> Value:
        """Return the sum of the sources' contributions since the last replacement of the feature.

        Contributions before it count negatively for sources that are removed (`gone`).
        """
        places = (
            each for each in reversed(patches) if (each.feature, each.position) == (feature, t)
        )
        patch = next(places, None)
        earlier = frozenset[str]() if patch is None else patch.earlier
        values = [] if patch is None else [patch.value]
        values += self.contributions(feature, t, (name for name in seen if name not in earlier))
        removed = self.contributions(feature, t, (name for name in gone if name in earlier))
        return self.arithmetic.total(values, removed, self.shape(feature))

    def contributions(self, feature: str, t: int, sources: Iterable[str]) -> list[Value]:
        """Return the contribution of each of some sources to a feature."""
        written = (self.added[name] for name in sources if name in self.added)
        return [values[feature][t] for values in written if feature in values]

    # What a component adds

    def write(self, part: Component) -> Values[Value]:
        """Compute the contribution of a component to the features."""
        wiring, arithmetic = self.circuit.wiring, self.arithmetic
        names = [name for name in wiring.writes(part) if name in self.circuit.computed_features]
        if part.kind == "embed":
            matrices = self.circuit.embedding
            letters = [arithmetic.embed(matrices[symbol]) for symbol in self.symbols]
            return dict.fromkeys(names, letters)
        if not names or self.is_ablated(part):
            return {}
        if part.kind == COPY:
            seen = next(iter(self.views[part.name, VALUE].values()))
            tokens = cache(partial(self.tokens, part))
            brought = [
                arithmetic.gather(seen[: t + 1], self.read(part, t), part.share, tokens)
                for t in self.positions
            ]
            return dict.fromkeys(names, brought)
        return self.write_block(part, names)

    def write_block(self, part: Component, names: Sequence[str]) -> Values[Value]:
        """Return the contribution of a block, equal for the window and its decoy."""
        seen = self.views[part.name, STREAM]
        read, windows = (seen[name] for name in self.circuit.block_reads(part.layer))
        alpha = self.circuit.readout.alpha
        rows = [
            self.arithmetic.block(
                part.kind, read[t], windows[t], alpha, partial(self.tokens, part, t)
            )
            for t in self.positions
        ]
        columns = [list(column) for column in zip(*rows, strict=True)]
        if part.kind in (PRODUCT, AND):
            return {name: columns[name == SCRATCH] for name in names}
        return dict(zip(names, columns, strict=True))

    def is_ablated(self, part: Component) -> bool:
        """Check whether the last intervention on the component is an ablation."""
        if part.head is None:
            return AblateBlock(part.layer) in self.interventions
        return isinstance(self.change_of_head(part), AblateHead)

    def change_of_head(self, part: Component) -> AblateHead | MoveHead | None:
        """Return the last intervention on a head."""
        found = [each for each in self.interventions if isinstance(each, AblateHead | MoveHead)
                 and (each.layer, each.head) == (part.layer, part.head)]  # fmt: skip
        return found[-1] if found else None

    def read(self, part: Component, t: int) -> list[int]:
        """Return the positions that a head reads: one, or all with equal weights."""
        change = self.change_of_head(part)
        if isinstance(change, MoveHead):
            return [max(t - change.distance, 0)]
        query, key = self.places(part, QUERY), self.places(part, KEY)
        back, wiring = [max(t - (part.distance or 0), 0)], self.circuit.wiring
        if wiring.rotary:
            turned = PLACE if wiring.normalised else wiring.constant
            return back if turned in query and turned in key else list(range(t + 1))
        has_constant = wiring.constant is None or wiring.constant in query
        if PLACE not in key or not (PLACE in query or has_constant):
            return list(range(t + 1))
        if PLACE in query:
            return back if has_constant else [t]
        return [0]

    def places(self, part: Component, side: str) -> set[str]:
        """Return the embedding's part of an input; a removed edge still carries constants."""
        lost = {PLACE} if self.is_removed(EMBED, part.name, side) else set()
        listed = self.circuit.into.get((part.name, side), [])
        return {name for edge in listed if edge.source == EMBED for name in edge.carries} - lost

    # What interventions replace

    def patch(self, layer: int) -> None:
        """Apply the interventions on the stream after a layer, in their order."""
        for each in self.interventions:
            if isinstance(each, Interchange) and each.layer == layer:
                source = run(self.circuit, each.word, (), self.arithmetic)
                for given in each.features:
                    name = self.circuit.feature_name(given, layer)
                    self.replace(
                        layer, name, each.position, source.stream(name, "after", layer, each.source)
                    )
            if isinstance(each, AblateFeature) and each.layer == layer:
                name = self.circuit.feature_name(each.feature, layer)
                old = self.total(name, each.position, self.added, (), self.patches)
                self.replace(layer, name, each.position, self.arithmetic.without(old, each.entry))

    def replace(self, layer: int, feature: str, position: int, value: Value) -> None:
        """Replace a feature at a position for all that comes later."""
        self.patches.append(Patch(layer, feature, position, value, frozenset(self.added)))

    # The stream

    def at_hook(self, feature: str, hook: Hook, t: int) -> Value:
        """Return a feature at a hook and position."""
        return self.stream(feature, hook.site, hook.layer, t)

    def stream(self, feature: str, site: str, layer: int, t: int) -> Value:
        """Return a feature at a place of the stream; after layer -1 it is the embedding."""
        layer = -1 if site == "embedding" else layer
        sources = [part.name for part in self.circuit.components
                   if part.name == EMBED or part.layer < layer or
                   (part.layer == layer and (site == "after" or part.head is not None))]  # fmt: skip
        patches = [each for each in self.patches
                   if each.layer < layer or (each.layer == layer and site != "middle")]  # fmt: skip
        return self.total(feature, t, sources, (), patches)

    @cached_property
    def logarithm(self) -> Component | None:
        """The block that takes logarithms, if there is one."""
        return next((part for part in self.circuit.components if part.kind == LOGARITHM), None)

    @property
    def final(self) -> list[Value]:
        """The window or belief that the readout sees."""
        return self.views[LOGITS, STREAM][self.circuit.content]

    @property
    def arguments(self) -> list[Value]:
        """The window or belief that the block of logarithms sees."""
        if self.logarithm is None:
            return self.final
        return self.views[self.logarithm.name, STREAM][self.circuit.content]

    @property
    def has_large(self) -> bool:
        """True unless the block of logarithms is missing or ablated."""
        return self.logarithm is not None and not self.is_ablated(self.logarithm)

    @property
    def has_logits(self) -> bool:
        """True if logits reach the readout."""
        return self.has_large and any(
            LOGIT in edge.carries
            and edge.source == self.logarithm.name  # type: ignore[union-attr]
            and not self.is_removed(edge.source, LOGITS, STREAM)
            for edge in self.circuit.into.get((LOGITS, STREAM), [])
        )


def run(
    circuit: Circuit,
    word: Sequence[str],
    interventions: tuple[Intervention, ...],
    arithmetic: Arithmetic[Value],
) -> Run[Value]:
    """Return the run of a word, with interventions, in an arithmetic."""
    symbols = tuple(circuit.symbols(word))
    check_interventions(circuit, symbols, interventions)
    return Run(circuit, symbols, interventions, arithmetic).run()
