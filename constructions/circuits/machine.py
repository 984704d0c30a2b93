"""The exact machine of a circuit: what the file says the decoder computes, in rationals.

Computes     for a word the contribution of every component at every position, window X and scratch S;
             a component reads the sum of what its edges in the file carry to it, nothing else
Kinds        embed     window A^σ - I
             copy      a head: (X, X) with X the window at the position that it reads
             product   a block: (S Y, -S) with Y = X - S
             and       a digital block: window Σ_k [(I+S)_ik + (I+Y)_kj ≥ 3/2] in place of I + X, and -S
             logarithm a block that writes Σ w σ(s(1 - x/k)), x = f/M, f = αᵀ(I + X)B
             noise     nothing that another component reads; idle: nothing
             readout   f; with a logarithm c + b f/M plus what that block has written
Reading      scores 2j(t-s) - j²: with the place in query and key, position max(t - s, 0); without it in
             the query BOS; without the constant in the query the position itself; without anything in
             the query or in the key all positions alike, and the head brings their mean. Rotary heads
             read the constant alone
Exact        where attention is hard and products are exact. A model with softmax is within a certified
             distance of this machine, which `verify.circuits` computes
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import flint

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
    Circuit,
    Component,
    Edge,
    Hook,
    Rows,
)
from constructions.circuits.components import LOGIT
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
from constructions.core.errors import InputError

Pair = tuple[flint.fmpq_mat, flint.fmpq_mat]
Chosen = TypeVar("Chosen")
THRESHOLD = flint.fmpq(3, 2)


def exact_matrix(rows: Rows) -> flint.fmpq_mat:
    """Rows of fractions as a matrix."""
    return flint.fmpq_mat(
        [[flint.fmpq(x.numerator, x.denominator) for x in map(Fraction, row)] for row in rows]
    )


def fractions(matrix: flint.fmpq_mat) -> tuple[Fraction, ...]:
    """The entries, row by row."""
    return tuple(Fraction(int(x.p), int(x.q)) for x in matrix.entries())


@dataclass(frozen=True)
class Trace:
    """What a run of the machine gives: the window and scratch after everything that is added.

    `middle` and `after` have for every layer the pairs of all positions, `embedded` those before the
    first layer; `values` are what the heads can read, `views` what the blocks read, and `final` what the
    readout reads; `has_logits`: it reads the logits of a layer of logarithms. `trace[name]` has the
    features at a hook, by its name.
    """

    circuit: Circuit
    embedded: tuple[Pair, ...]
    middle: tuple[tuple[Pair, ...], ...]
    after: tuple[tuple[Pair, ...], ...]
    values: tuple[tuple[flint.fmpq_mat, ...], ...]
    views: tuple[tuple[Pair, ...], ...]
    final: tuple[flint.fmpq_mat, ...]
    has_logits: bool

    def __getitem__(self, name: str) -> dict[str, list[tuple[Fraction, ...]]]:
        """Every feature at a hook, for every position."""
        names = {hook.name: hook for hook in self.circuit.hooks}
        if name not in names:
            raise InputError("hook", name, f"one of {', '.join(names)}")
        return self.features(names[name])

    def pairs(self, hook: Hook) -> tuple[Pair, ...]:
        """Window and scratch at a hook, for all positions."""
        if hook.site == "embedding":
            return self.embedded
        return (self.middle if hook.site == "middle" else self.after)[hook.layer]

    @cached_property
    def outputs(self) -> list[tuple[Fraction, ...]]:
        """αᵀ(I + X)B for every position; of a model with a logarithm, what it is taken of."""
        return [self._read(window, self.circuit.readout.outputs) for window in self.final]

    @cached_property
    def arguments(self) -> list[tuple[Fraction, ...]]:
        """What a layer of logarithms takes them of: f as its block reads it, at every position."""
        return [self._read(window, self.circuit.readout.outputs) for window, _ in self.views[-1]]

    @cached_property
    def states(self) -> list[tuple[Fraction, ...]]:
        """The automaton's state after every position."""
        return [self._read(window, self.circuit.readout.state) for window in self.final]

    @cached_property
    def beliefs(self) -> list[tuple[Fraction, ...]] | None:
        """States divided by the weight ahead; none where the automaton is no process."""
        ahead = self.circuit.readout.ahead
        if ahead is None:
            return None
        return [tuple(x / total for x in state) if total else state for state in self.states
                for total in [sum(x * v for x, v in zip(state, ahead, strict=True))]]  # fmt: skip

    def _read(self, window: flint.fmpq_mat, columns: Rows) -> tuple[Fraction, ...]:
        alpha = exact_matrix((self.circuit.readout.alpha,))
        return fractions((alpha + alpha * window) * exact_matrix(columns))

    def features(self, hook: Hook) -> dict[str, list[tuple[Fraction, ...]]]:
        """Every feature that a hook holds, for every position; noise and logits are left out."""
        pairs, width = self.pairs(hook), self.circuit.whole("span")
        listed: dict[str, list[tuple[Fraction, ...]]] = {
            WINDOW: [fractions(window) for window, _ in pairs],
            SCRATCH: [fractions(scratch) for _, scratch in pairs],
            PLACE: [(Fraction(t, width), Fraction(t, width) ** 2) for t in range(len(pairs))],
        }  # fmt: skip
        for feature in self.circuit.features:
            if feature.computed.startswith("constant "):
                value = Fraction(feature.computed.removeprefix("constant "))
                listed[feature.name] = [(value,)] * len(pairs)
        return {name: rows for name, rows in listed.items() if name in hook.holds}


def run(
    circuit: Circuit, word: Sequence[str], interventions: tuple[Intervention, ...] = ()
) -> Trace:
    """The values for a word, with interventions."""
    return _Run(circuit, tuple(circuit.symbols(word)), interventions).trace()


@dataclass(frozen=True)
class _Run:
    """One word under way: `added` are the contributions by component, `patches` by layer."""

    circuit: Circuit
    symbols: tuple[str, ...]
    interventions: tuple[Intervention, ...]

    @cached_property
    def added(self) -> dict[str, list[Pair]]:
        return {}

    @cached_property
    def patches(self) -> dict[int, dict[int, flint.fmpq_mat]]:
        return {}

    @property
    def zero(self) -> flint.fmpq_mat:
        return flint.fmpq_mat(self.circuit.n, self.circuit.n)

    def chosen(self, kind: type[Chosen]) -> Iterator[Chosen]:
        return (each for each in self.interventions if isinstance(each, kind))

    def trace(self) -> Trace:
        self.added[EMBED] = [
            (exact_matrix(self.circuit.embedding[symbol]), self.zero) for symbol in self.symbols
        ]
        self.patch(-1)
        embedded = self.stream()
        middle, after, values, views = [], [], [], []
        for layer in range(self.circuit.layers):
            values.append(self.values(layer))
            for part in self.parts(layer, heads=True):
                self.added[part.name] = self.head(part)
            middle.append(self.stream())
            for part in self.parts(layer, heads=False):
                seen = [self.block_view(part, t) for t in range(len(self.symbols))]
                views.append(tuple(seen))
                self.added[part.name] = [self.block(part, *pair) for pair in seen]
            self.patch(layer)
            after.append(self.stream())
        final = [self.view(LOGITS, STREAM, t)[0] for t in range(len(self.symbols))]
        return Trace(
            self.circuit, embedded, tuple(middle), tuple(after), tuple(values), tuple(views),
            tuple(final), self.has_logits(),
        )  # fmt: skip

    def has_logits(self) -> bool:
        """Whether logits reach the readout."""
        layers = {part.name: part.layer for part in self.circuit.components}
        ablated = {each.layer for each in self.chosen(AblateBlock)}
        return any(LOGIT in edge.carries and layers[edge.source] not in ablated
                   for edge in self.edges(LOGITS, STREAM))  # fmt: skip

    def values(self, layer: int) -> tuple[flint.fmpq_mat, ...]:
        """What the copying heads of a layer can read, at all positions."""
        copies = [part.name for part in self.parts(layer, heads=True) if part.kind == "copy"]
        positions = range(len(self.symbols))
        return tuple(self.view(name, VALUE, t)[0] for name in copies for t in positions)

    def parts(self, layer: int, heads: bool) -> list[Component]:
        return [
            part
            for part in self.circuit.components
            if part.layer == layer
            and part.name not in (EMBED, LOGITS)
            and (part.head is not None) == heads
        ]

    def stream(self) -> tuple[Pair, ...]:
        """Everything that has been added so far."""
        totals = []
        for t in range(len(self.symbols)):
            window, scratch = self.zero, self.zero
            for rows in self.added.values():
                window, scratch = window + rows[t][0], scratch + rows[t][1]
            for patch in self.patches.values():
                window = window + patch.get(t, self.zero)
            totals.append((window, scratch))
        return tuple(totals)

    def patch(self, layer: int) -> None:
        """What interventions on the window after a layer add to it."""
        for each in self.chosen(Interchange):
            if each.layer == layer:
                source = run(self.circuit, each.word)
                pairs = source.embedded if layer < 0 else source.after[layer]
                self._set(layer, each.position, pairs[each.source][0], None)
        for one in self.chosen(AblateFeature):
            if one.layer == layer:
                self._set(layer, one.position, self.zero, one.entry)

    def _set(self, layer: int, position: int, window: flint.fmpq_mat, entry: int | None) -> None:
        missing = window - self.stream()[position][0]
        if entry is not None:
            kept = self.zero
            row, column = divmod(entry, self.circuit.n)
            kept[row, column] = missing[row, column]
            missing = kept
        self.patches.setdefault(layer, {})[position] = missing

    def edges(self, target: str, side: str) -> list[Edge]:
        """The edges into an input that no intervention removes."""
        removed = {(each.source, each.target, each.input) for each in self.chosen(RemoveEdge)}
        listed = self.circuit.into.get((target, side), [])
        return [edge for edge in listed if (edge.source, edge.target, edge.input) not in removed]

    def view(self, target: str, side: str, t: int) -> Pair:
        """What an input sees at a position: the sum of what its edges carry, and patches before it."""
        window, scratch = self.zero, self.zero
        for edge in self.edges(target, side):
            rows = self.added.get(edge.source)
            if rows is not None and WINDOW in edge.carries:
                window = window + rows[t][0]
            if rows is not None and SCRATCH in edge.carries:
                scratch = scratch + rows[t][1]
        for patch in self.patches.values():
            window = window + patch.get(t, self.zero)
        return window, scratch

    def head(self, part: Component) -> list[Pair]:
        """X in window and scratch, X the window at the position read."""
        count = len(self.symbols)
        ablated = {(each.layer, each.head) for each in self.chosen(AblateHead)}
        if part.kind != "copy" or (part.layer, part.head) in ablated:
            return [(self.zero, self.zero)] * count
        values = [self.view(part.name, VALUE, t)[0] for t in range(count)]
        return [(mean, mean) for mean in (self.mean(part, values, t) for t in range(count))]

    def mean(self, part: Component, values: list[flint.fmpq_mat], t: int) -> flint.fmpq_mat:
        """The mean of the values at the positions that a head reads from position t."""
        positions = self.positions(part, t)
        total = self.zero
        for position in positions:
            total = total + values[position]
        return total / flint.fmpq(len(positions))

    def positions(self, part: Component, t: int) -> list[int]:
        """Where a head reads: one position, or all alike."""
        for each in self.chosen(MoveHead):
            if (each.layer, each.head) == (part.layer, part.head):
                return [max(t - each.distance, 0)]
        query, key = self.carried(part, QUERY), self.carried(part, KEY)
        back = [max(t - (part.distance or 0), 0)]
        constant = self.circuit.constants["one"]
        if self.circuit.constants["rotary"]:
            return back if constant in query and constant in key else list(range(t + 1))
        has_constant = constant is None or constant in query
        if PLACE not in key or not (PLACE in query or has_constant):
            return list(range(t + 1))
        if PLACE in query:
            return back if has_constant else [t]
        return [0]

    def carried(self, part: Component, side: str) -> set[str]:
        """The features that the embedding brings to an input; a removed edge still brings constants."""
        listed = self.circuit.into.get((part.name, side), [])
        remaining = self.edges(part.name, side)
        features: set[str] = set()
        for edge in listed:
            if edge.source == EMBED:
                features |= set(edge.carries) - ({PLACE} if edge not in remaining else set())
        return features

    def block_view(self, part: Component, t: int) -> Pair:
        """What a block reads; nothing in the scratch where that is ablated."""
        window, scratch = self.view(part.name, STREAM, t)
        ablated = AblateScratch(part.layer, t) in self.interventions
        return window, self.zero if ablated else scratch

    def block(self, part: Component, window: flint.fmpq_mat, scratch: flint.fmpq_mat) -> Pair:
        """What a block adds."""
        if AblateBlock(part.layer) in self.interventions or part.kind not in ("product", "and"):
            return self.zero, self.zero
        other = window - scratch
        if part.kind == "product":
            return scratch * other, -scratch
        return conjunction(scratch, other) - window, -scratch


def conjunction(left: flint.fmpq_mat, right: flint.fmpq_mat) -> flint.fmpq_mat:
    """Σ_k [(I + X)_ik + (I + Y)_kj ≥ 3/2] - I, for X and Y."""
    n = left.nrows()
    unit = flint.fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    x, y = left + unit, right + unit
    rows = [
        [sum(int(x[i, k] + y[k, j] >= THRESHOLD) for k in range(n)) - int(i == j) for j in range(n)]
        for i in range(n)
    ]
    return flint.fmpq_mat(rows)
