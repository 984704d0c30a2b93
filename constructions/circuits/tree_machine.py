"""The exact machine of a tree circuit: what the file says a tree decoder computes, in rationals.

Computes     for a tree the contribution of every component at every position, by features; a component
             reads the sum of what its edges in the file carry to it, nothing else
Heads        scores Σ_r query_r(t) key_r(j) for j ≤ t; the mean of the copies at the positions of the
             largest score
Blocks       `tree_blocks`: depth, square, begin, step
Exact        where attention is hard. A model with softmax is within a distance that `verify.circuits`
             derives
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import flint

from constructions.automata.trees import CLOSE
from constructions.circuits.circuit import (
    EMBED,
    KEY,
    LOGITS,
    QUERY,
    STREAM,
    VALUE,
    Component,
    Edge,
    Hook,
)
from constructions.circuits.components import inputs
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
from constructions.circuits.tree_blocks import BLOCKS, Node, exact
from constructions.circuits.tree_circuit import STATE, Form, TreeCircuit, TreeHead
from constructions.circuits.tree_components import reads, sizes
from constructions.core.errors import InputError

Values = dict[str, flint.fmpq_mat]  # by feature: a row for each position
Scores = list[list[flint.fmpq]]
Chosen = TypeVar("Chosen")


def rows_of(matrix: flint.fmpq_mat) -> list[tuple[Fraction, ...]]:
    """The rows in Python's type."""
    return [tuple(Fraction(int(x.p), int(x.q)) for x in row) for row in matrix.table()]


@dataclass(frozen=True)
class HeadReading:
    """Where a head reads from every position; `scores` are none where it was made to read elsewhere."""

    positions: tuple[tuple[int, ...], ...]
    scores: Scores | None

    @property
    def gap(self) -> flint.fmpq | None:
        """The least distance of a largest score to one that is smaller; none where there is no such."""
        gaps = [max(row) - score for row in self.scores or [] for score in row if score != max(row)]
        return min(gaps, default=None)


@dataclass(frozen=True)
class TreeTrace:
    """All values of a run: features at the hooks, what inputs have seen, what components have added.

    `patches` are what interventions have added to the stream, each after a layer (-1: the embedding).
    """

    circuit: TreeCircuit
    count: int
    embedded: Values
    middle: tuple[Values, ...]
    after: tuple[Values, ...]
    views: Mapping[tuple[str, str], Values]
    added: Mapping[str, Values]
    readings: Mapping[str, HeadReading]
    patches: tuple[tuple[int, Values], ...]

    def __getitem__(self, name: str) -> dict[str, list[tuple[Fraction, ...]]]:
        """The features at a hook, by its name."""
        names = {hook.name: hook for hook in self.circuit.hooks}
        if name not in names:
            raise InputError("hook", name, f"one of {', '.join(names)}")
        return self.features(names[name])

    def stream(self, hook: Hook) -> Values:
        """The features of the stream at a hook, as matrices."""
        if hook.site == "embedding":
            return self.embedded
        return (self.middle if hook.site == "middle" else self.after)[hook.layer]

    def features(self, hook: Hook) -> dict[str, list[tuple[Fraction, ...]]]:
        """Every feature that a hook holds, for every position."""
        stream = self.stream(hook)
        return {name: rows_of(stream[name]) for name in hook.holds if name in stream}

    @cached_property
    def outputs(self) -> list[tuple[Fraction, ...]]:
        """The state at every position, as the readout sees it."""
        return rows_of(self.views[LOGITS, STREAM][STATE])

    @property
    def gap(self) -> flint.fmpq | None:
        """The least distance between different scores, the larger of which is the largest, of any head."""
        gaps = [gap for each in self.readings.values() if (gap := each.gap) is not None]
        return min(gaps, default=None)


def run(circuit: TreeCircuit, tree: Any, interventions: tuple[Intervention, ...] = ()) -> TreeTrace:
    """The values for a tree, with interventions."""
    return _TreeRun(circuit, tuple(circuit.symbols(tree)), interventions).trace()


@dataclass(frozen=True)
class _TreeRun:
    """One tree under way: `added` are the contributions by component, `patches` what interventions add."""

    circuit: TreeCircuit
    symbols: tuple[str, ...]
    interventions: tuple[Intervention, ...]
    added: dict[str, Values] = field(default_factory=dict)
    patches: list[tuple[int, Values]] = field(default_factory=list)
    views: dict[tuple[str, str], Values] = field(default_factory=dict)
    readings: dict[str, HeadReading] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.symbols)

    @cached_property
    def sizes(self) -> dict[str, int]:
        return sizes(self.circuit.n)

    def zero(self, feature: str) -> flint.fmpq_mat:
        return flint.fmpq_mat(self.count, self.sizes[feature])

    def chosen(self, kind: type[Chosen]) -> Iterator[Chosen]:
        return (each for each in self.interventions if isinstance(each, kind))

    def trace(self) -> TreeTrace:
        self.added[EMBED] = self.embedding()
        self.patch(-1)
        embedded, middle, after = self.stream(), list[Values](), list[Values]()
        for layer in range(self.circuit.layers):
            parts = [part for part in self.circuit.components
                     if part.layer == layer and part.name not in (EMBED, LOGITS)]  # fmt: skip
            for part in parts:
                self.see(part)
                if isinstance(part, TreeHead):
                    self.added[part.name] = self.head(part)
            middle.append(self.stream())
            for part in parts:
                if not isinstance(part, TreeHead):
                    self.added[part.name] = self.block(part)
            self.patch(layer)
            after.append(self.stream())
        self.see(self.circuit.by_name[LOGITS])
        return TreeTrace(self.circuit, self.count, embedded, tuple(middle), tuple(after), self.views,
                         self.added, self.readings, tuple(self.patches))  # fmt: skip

    def embedding(self) -> Values:
        """1, i, i², the pointer to oneself; leaves known, closing brackets inactive with M = I."""
        n, values = self.circuit.n, {name: self.zero(name) for name in self.sizes}
        for t, symbol in enumerate(self.symbols):
            for name, value in (("one", 1), ("index", t), ("square", t * t), ("pointer", t)):
                values[name][t, 0] = value
            for a, weight in enumerate(self.circuit.leaves.get(symbol, ())):
                values["known"][t, 0], values[STATE][t, a] = 1, exact(weight)
            if symbol == CLOSE:
                values["inactive"][t, 0] = 1
                for a in range(n):
                    values["matrix"][t, a * n + a] = 1
        return values

    def stream(self) -> Values:
        """Everything that has been added so far."""
        totals = {name: self.zero(name) for name in self.sizes}
        for values in (*self.added.values(), *(patch for _, patch in self.patches)):
            for name, matrix in values.items():
                totals[name] += matrix
        return totals

    def patch(self, layer: int) -> None:
        """What interventions on the stream after a layer add to it."""
        for each in self.chosen(Interchange):
            if each.layer == layer:
                source = run(self.circuit, each.word)
                values = source.embedded if layer < 0 else source.after[layer]
                for name in each.features:
                    width = range(self.sizes[name])
                    new = {i: values[name][each.source, i] for i in width}
                    self._set(layer, name, each.position, new)
        for one in self.chosen(AblateFeature):
            if one.layer == layer:
                entries = range(self.sizes[one.feature]) if one.entry is None else [one.entry]
                self._set(layer, one.feature, one.position, dict.fromkeys(entries, flint.fmpq(0)))

    def _set(self, layer: int, name: str, position: int, values: dict[int, flint.fmpq]) -> None:
        present, missing = self.stream()[name], self.zero(name)
        for i, value in values.items():
            missing[position, i] = value - present[position, i]
        self.patches.append((layer, {name: missing}))

    def edges(self, target: str, side: str) -> list[Edge]:
        """The edges into an input that no intervention removes."""
        removed = {(each.source, each.target, each.input) for each in self.chosen(RemoveEdge)}
        listed = self.circuit.into.get((target, side), [])
        return [edge for edge in listed if (edge.source, edge.target, edge.input) not in removed]

    def see(self, part: Component) -> None:
        """What the inputs of a head see, or of a block once the heads of its layer have added."""
        if isinstance(part, TreeHead) or part.name == LOGITS:
            for side in inputs(part):
                self.views[part.name, side] = self.view(part, side)

    def view(self, part: Component, side: str) -> Values:
        """The sum of what the edges carry, and what was patched before."""
        totals = {name: self.zero(name) for name in reads(part, side)}
        for edge in self.edges(part.name, side):
            added = self.added.get(edge.source, {})
            for name in edge.carries:
                if name in added:
                    totals[name] += added[name]
        for _, values in self.patches:
            for name, matrix in values.items():
                if name in totals:
                    totals[name] += matrix
        return totals

    def form(self, form: Form, values: Values) -> list[flint.fmpq]:
        """A form at every position."""
        terms = [(values[name], i, exact(coefficient)) for name, i, coefficient in form]
        return [sum((c * matrix[t, i] for matrix, i, c in terms), flint.fmpq(0))
                for t in range(self.count)]  # fmt: skip

    def head(self, part: TreeHead) -> Values:
        """The mean of the copies at the positions read."""
        ablated = {(each.layer, each.head) for each in self.chosen(AblateHead)}
        if not part.copies or (part.layer, part.head) in ablated:
            return {}
        reading = self.reading(part)
        self.readings[part.name] = reading
        added: Values = {}
        for form, name, entry in part.copies:
            values = self.form(form, self.views[part.name, VALUE])
            matrix = added.setdefault(name, self.zero(name))
            for t, positions in enumerate(reading.positions):
                matrix[t, entry] += sum((values[j] for j in positions), flint.fmpq(0)) / len(
                    positions
                )
        return added

    def reading(self, part: TreeHead) -> HeadReading:
        """The positions of the largest score; those of a moved head."""
        for each in self.chosen(MoveHead):
            if (each.layer, each.head) == (part.layer, part.head):
                back = tuple((max(t - each.distance, 0),) for t in range(self.count))
                return HeadReading(back, None)
        queries = [self.form(form, self.views[part.name, QUERY]) for form in part.query]
        keys = [self.form(form, self.views[part.name, KEY]) for form in part.key]
        zero = flint.fmpq(0)
        pairs = list(zip(queries, keys, strict=True))
        scores = [[sum((q[t] * k[j] for q, k in pairs), zero) for j in range(t + 1)]
                  for t in range(self.count)]  # fmt: skip
        return HeadReading(
            tuple(tuple(j for j, x in enumerate(row) if x == top)
                  for row in scores for top in [max(row)]), scores)  # fmt: skip

    def block(self, part: Component) -> Values:
        """What a block adds."""
        seen = self.view(part, STREAM)
        for each in self.chosen(AblateScratch):
            if each.layer == part.layer and each.feature in seen:
                for i in range(self.sizes[each.feature]):
                    seen[each.feature][each.position, i] = 0
        self.views[part.name, STREAM] = seen
        if AblateBlock(part.layer) in self.interventions or part.kind == "idle":
            return {}
        added = {name: self.zero(name) for name in self.sizes}
        tables = {name: matrix.table() for name, matrix in seen.items()}
        for t in range(self.count):
            rows = {name: table[t] for name, table in tables.items()}
            BLOCKS[part.kind](Node(self.circuit.n, self.circuit.tensor, rows, added, t))
        return {name: matrix for name, matrix in added.items() if any(matrix.entries())}
