"""The exact machine of a circuit with a normalised stream: directions, and squares of their scales.

Computes     for a word every feature at every position, as `directions` has values; a component reads what
             its edges in the file carry to it, and 0 where they carry nothing
Kinds        embed     window0: the token's matrix, as it is
             copy      a head: the window at the position that it reads, normalised
             compose   a block: XW normalised, X what the head has written, W the window before
             state     the same with αᵀ before it: the belief
             logarithm a block that writes -Σ w σ(s(1 - x/k)), x = f/M, f the belief times B
             readout   c + b f/M and what that block has written
Reading      with the place in query and key, position max(t - distance, 0); without it all scores are 0, and
             the head brings the mean of all positions up to its own
Ablation     what an ablated head or block would have written is 0, and so is all that is made of it
Arithmetic   the run is written once: with `ExactDirections` it is the exact machine, and with bounds beside
             the values it says how far a model may be from it (`verify.circuits.normalised_allowance`)
Last norm    K x/√(|x|² + dε), 1 where the last block has written K: `last_factor` is 1 then. With that block
             ablated nothing neutralises the norm, and the outputs have the factor K/√(|x|² + dε)
Refused      a window that is replaced while an edge is removed, and the last block ablated while an edge to
             the logits is
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

import flint

from constructions.circuits.circuit import (
    KEY,
    LOGITS,
    PLACE,
    QUERY,
    STREAM,
    VALUE,
    Circuit,
    Component,
    Hook,
    Rows,
)
from constructions.circuits.components import LOGIT
from constructions.circuits.directions import (
    Direction,
    ExactDirections,
    StreamArithmetic,
    Value,
    square_norm,
)
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateHead,
    AblateScratch,
    Interchange,
    Intervention,
    MoveHead,
    RemoveEdge,
)
from constructions.circuits.machine import exact_matrix, fractions
from constructions.circuits.normalised_parts import (
    BELIEF,
    COMPOSE,
    ONE,
    STATE,
    read_feature,
    window,
    written_features,
)
from constructions.core.errors import InputError
from constructions.core.exact import ball

Chosen = TypeVar("Chosen")
ROW = tuple[Fraction, ...]


@dataclass(frozen=True)
class StreamRun(Generic[Value]):
    """The features of a run by name, at all positions, and the belief as the last two readers see it.

    `has_logits`: the readout sees logits; `has_large`: the last block has written K.
    """

    features: dict[str, list[Value]]
    arguments: list[Value]
    final: list[Value]
    has_logits: bool
    has_large: bool


@dataclass(frozen=True)
class NormalisedTrace:
    """What a run of the exact machine gives: `trace[name]` has the features at a hook, up to their scale.

    The scale of a feature at a position is the root of its number in `squares`; outputs and states are up
    to a factor above 0 as well, beliefs and the distributions of the next symbol are exact.
    """

    circuit: Circuit
    run: StreamRun[Direction]

    def __getitem__(self, name: str) -> dict[str, list[ROW]]:
        """The features at a hook, by its name."""
        return self.features(self._hook(name))

    def _hook(self, name: str) -> Hook:
        names = {hook.name: hook for hook in self.circuit.hooks}
        if name not in names:
            raise InputError("hook", name, f"one of {', '.join(names)}")
        return names[name]

    @property
    def has_logits(self) -> bool:
        """Whether logits reach the readout."""
        return self.run.has_logits

    def values(self, hook: Hook) -> dict[str, list[Direction]]:
        """Every feature that a hook holds, with its scale; logits and K are left out."""
        count = len(self.run.final)
        constant = {ONE: [Direction(exact_matrix(((Fraction(1),),)))] * count,
                    PLACE: [Direction(exact_matrix(((Fraction(1), Fraction(0)),)))] * count}  # fmt: skip
        listed = constant | self.run.features
        return {name: rows for name, rows in listed.items() if name in hook.holds}

    def features(self, hook: Hook) -> dict[str, list[ROW]]:
        """Every feature that a hook holds, up to its scale, for every position."""
        return {name: [fractions(value.vector) for value in rows]
                for name, rows in self.values(hook).items()}  # fmt: skip

    def squares(self, name: str) -> dict[str, list[Fraction]]:
        """The square of every feature's scale at a hook, by the hook's name."""
        return {feature: [value.square for value in rows]
                for feature, rows in self.values(self._hook(name)).items()}  # fmt: skip

    @cached_property
    def outputs(self) -> list[ROW]:
        """What the logarithm is taken of, up to a factor: weights of the next symbols."""
        return [self._read(value, self.circuit.readout.outputs) for value in self.run.final]

    @cached_property
    def arguments(self) -> list[ROW]:
        """The same as the block of logarithms reads it."""
        return [self._read(value, self.circuit.readout.outputs) for value in self.run.arguments]

    @cached_property
    def states(self) -> list[ROW]:
        """The automaton's state after every position, up to a factor."""
        return [self._read(value, self.circuit.readout.state) for value in self.run.final]

    @cached_property
    def beliefs(self) -> list[ROW]:
        """States divided by the weight ahead, 1 in every state of the stochastic form."""
        return [tuple(x / sum(row) for x in row) if sum(row) else row for row in self.states]

    def _read(self, value: Direction, columns: Rows) -> ROW:
        return fractions(value.vector * exact_matrix(columns))

    def linear(self, position: int, output: int) -> flint.arb:
        """f/M as the readout sees it."""
        return self._ratio(self.run.final[position], self.outputs[position][output])

    def argument(self, position: int, output: int) -> flint.arb:
        """f/M as the units of the logarithm see it."""
        return self._ratio(self.run.arguments[position], self.arguments[position][output])

    def last_factor(self, position: int) -> flint.arb:
        """What the last norm multiplies by, as h = 0 is taken elsewhere: 1 beside K."""
        if self.run.has_large:
            return flint.arb(1)
        constants = self.circuit.constants
        width = next(iter(self.circuit.subspaces.values())).read.shape[0]
        square = 2 + width * Fraction(str(constants["epsilon"]))  # one, and the place
        for rows in self.run.features.values():
            square += rows[position].square * square_norm(rows[position].vector)
        return flint.arb(self.circuit.whole("large")) / ball(square).sqrt()

    def _ratio(self, value: Direction, weight: Fraction) -> flint.arb:
        return value.scale * ball(weight) / ball(self.circuit.readout.scale)


def run_normalised(
    circuit: Circuit, word: Sequence[str], interventions: tuple[Intervention, ...] = ()
) -> NormalisedTrace:
    """The exact values for a word, with interventions."""
    arithmetic = ExactDirections(Fraction(str(circuit.constants["written_square"])))
    return NormalisedTrace(circuit, run_stream(circuit, word, interventions, arithmetic))


def run_stream(
    circuit: Circuit,
    word: Sequence[str],
    interventions: tuple[Intervention, ...],
    arithmetic: StreamArithmetic[Value],
) -> StreamRun[Value]:
    """The values for a word in any arithmetic."""
    _refuse(circuit, interventions)
    symbols = tuple(circuit.symbols(word))
    return _Run(circuit, symbols, interventions, arithmetic, {}).run()


def _refuse(circuit: Circuit, interventions: Sequence[Intervention]) -> None:
    removed = [each for each in interventions if isinstance(each, RemoveEdge)]
    replaced = any(isinstance(each, Interchange | AblateFeature) for each in interventions)
    if replaced and removed:
        found = "a window replaced and an edge removed"
        raise InputError("interventions", found, "one of the two at a time")
    last = {AblateBlock(part.layer) for part in circuit.components if part.kind == "logarithm"}
    if last & set(interventions) and any(each.target == LOGITS for each in removed):
        found = "the last block ablated and an edge to the logits removed"
        raise InputError("interventions", found, "one of the two at a time")


@dataclass(frozen=True)
class _Run(Generic[Value]):
    """One word under way: `features` has every feature that has been written so far."""

    circuit: Circuit
    symbols: tuple[str, ...]
    interventions: tuple[Intervention, ...]
    arithmetic: StreamArithmetic[Value]
    features: dict[str, list[Value]]

    def chosen(self, kind: type[Chosen]) -> Iterator[Chosen]:
        return (each for each in self.interventions if isinstance(each, kind))

    @property
    def positions(self) -> range:
        return range(len(self.symbols))

    def run(self) -> StreamRun[Value]:
        embed = self.arithmetic.embed
        self.features[window(0)] = [
            embed(self.circuit.embedding[symbol]) for symbol in self.symbols
        ]
        self.patch(-1)
        for part in self.circuit.components:
            if part.kind == "copy":
                self.features[read_feature(part.layer)] = [
                    self.head(part, t) for t in self.positions
                ]
            elif part.kind in (COMPOSE, STATE):
                self.features[self.circuit.window_after(part.layer)] = [
                    self.block(part, t) for t in self.positions
                ]
                self.patch(part.layer)
        logarithm = next(part for part in self.circuit.components if part.kind == "logarithm")
        readers = (logarithm.name, LOGITS)
        arguments, final = ([self.view(name, STREAM, BELIEF, t) for t in self.positions]
                         for name in readers)  # fmt: skip
        has_large = AblateBlock(logarithm.layer) not in self.interventions
        has_logits = has_large and self.carries(LOGIT, LOGITS, STREAM)
        return StreamRun(self.features, arguments, final, has_logits, has_large)

    def patch(self, layer: int) -> None:
        """Replace what interventions put into the window after a layer."""
        name = self.circuit.window_after(layer)
        for each in self.chosen(Interchange):
            if each.layer == layer:
                source = run_stream(self.circuit, each.word, (), self.arithmetic)
                self.features[name][each.position] = source.features[name][each.source]
        for one in self.chosen(AblateFeature):
            if one.layer == layer:
                old = self.features[name][one.position]
                self.features[name][one.position] = self.arithmetic.without(old, one.entry)

    @cached_property
    def writers(self) -> dict[str, str]:
        """The component that writes each feature."""
        return {
            name: part.name for part in self.circuit.components for name in written_features(part)
        }

    def carries(self, feature: str, target: str, side: str) -> bool:
        """Whether an edge brings a feature to an input, and no intervention removes it."""
        removed = {(each.source, each.target, each.input) for each in self.chosen(RemoveEdge)}
        source = self.writers.get(feature)
        return any(feature in edge.carries for edge in self.circuit.into.get((target, side), [])
                   if edge.source == source and (source, target, side) not in removed)  # fmt: skip

    def view(self, target: str, side: str, feature: str, t: int) -> Value:
        """What an input sees of a feature."""
        if self.carries(feature, target, side) and feature in self.features:
            return self.features[feature][t]
        return self.arithmetic.zero((1 if feature == BELIEF else self.circuit.n, self.circuit.n))

    def head(self, part: Component, t: int) -> Value:
        """The window at the positions that the head reads."""
        n, name = self.circuit.n, window(part.layer)
        ablated = {(each.layer, each.head) for each in self.chosen(AblateHead)}
        if (part.layer, part.head) in ablated:
            return self.arithmetic.zero((n, n))
        values = [self.view(part.name, VALUE, name, j) for j in range(t + 1)]
        return self.arithmetic.gather(values, self.read(part, t))

    def read(self, part: Component, t: int) -> list[int]:
        """Where a head reads: one position, or all alike."""
        for each in self.chosen(MoveHead):
            if (each.layer, each.head) == (part.layer, part.head):
                return [max(t - each.distance, 0)]
        if all(self.carries(PLACE, part.name, side) for side in (QUERY, KEY)):
            return [max(t - (part.distance or 0), 0)]
        return list(range(t + 1))

    def block(self, part: Component, t: int) -> Value:
        """The product of what a block reads, with αᵀ before it in the last layer."""
        n, last = self.circuit.n, part.kind == STATE
        if AblateBlock(part.layer) in self.interventions:
            return self.arithmetic.zero((1 if last else n, n))
        left = self.view(part.name, STREAM, read_feature(part.layer), t)
        if AblateScratch(part.layer, t) in self.interventions:
            left = self.arithmetic.zero((n, n))
        right = self.view(part.name, STREAM, window(part.layer), t)
        if last:
            return self.arithmetic.state(self.circuit.readout.alpha, left, right)
        return self.arithmetic.product(left, right)
