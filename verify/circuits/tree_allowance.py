"""How far a tree decoder may be from the exact machine of its circuit in one run, with rounding.

Claimed      |computed - exact| ≤ e for every entry of every feature at every hook and position: the exact
             machine has hard attention, the model softmax with C, rounded weights and floating point
Run          e is propagated beside the exact values of the run itself, with interventions, in balls
Scores       C Σ (|q| e(k) + e(q) |k| + e(q) e(k)) and rounding; D is the largest of a row
Softmax      m positions have the largest exact score, others are C g lower: weights are within e^{±2D} of
             1/m, the others at most λ = e^{2D - C g}/m. A head is off by Σ λ |v - v̄| + [m > 1] (e^{2D} -
             1) |v̄| and the errors of what it reads; one that was moved, by those alone
Block        x + block(x) is a polynomial of degree 2 in what the block sees (two gated units are a
             product): |w| e for linear terms, |w| (|y| e(z) + |z| e(y) + e(y) e(z)) for products, so that
             what is erased leaves nothing. The constant one is exact. A block that sees less than the
             stream adds its own errors
Rounding     of projections, scores, units and sums: γ_k times the product of absolute values of stream and
             weights, in the coordinates of the class, then read by the features
Edges        what a reader sees is the stream less a source's part: their errors add
Interchange  a feature has the error of the run that it comes from
Limits       the assumptions on floating point are those of `verify.bounds.decoder_rounding`: sums in any
             order, σ and exp within a few units. An infinite bound says that nothing is known, not that it
             is wrong
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import flint

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
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateHead,
    AblateScratch,
    Interchange,
    Intervention,
    RemoveEdge,
)
from constructions.circuits.tree_circuit import STATE, TreeCircuit, TreeHead
from constructions.circuits.tree_components import sizes
from constructions.circuits.tree_machine import TreeTrace, Values
from constructions.core.errors import InputError
from verify.bounds.floating import ONCE, Precision
from verify.circuits.allowance import upper
from verify.circuits.tree_errors import (
    Mixing,
    Polynomial,
    Sight,
    Table,
    absolute,
    block_polynomials,
    evaluate,
    exact_ball,
    plus,
    polynomial_error,
)
from verify.circuits.tree_weights import TreeWeights

BITS = 96
UNKNOWN = flint.arb("inf")


@dataclass(frozen=True)
class TreeAllowance:
    """Bounds on every entry of every feature at the hooks, and on the outputs."""

    streams: Mapping[tuple[str, int], Table]
    outputs: tuple[tuple[flint.arb, ...], ...]

    def table(self, hook: Hook, name: str, count: int, size: int) -> list[list[float]]:
        """The bounds of a feature at a hook, by position and entry."""
        return [[upper(x) for x in row] for row in self.streams[hook.site, hook.layer][name]]


@dataclass(frozen=True)
class TreeRunBounds:
    """Errors beside one exact run; `sources` are the same of the runs that interchanges read."""

    circuit: TreeCircuit
    weights: TreeWeights
    trace: TreeTrace
    interventions: tuple[Intervention, ...]
    symbols: Sequence[str]
    sources: Mapping[tuple[str, ...], TreeRunBounds]
    added: dict[str, Table] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of positions."""
        return self.trace.count

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many numbers each feature is."""
        return sizes(self.circuit.n)

    @cached_property
    def form(self) -> Precision:
        """The floating-point format that the library computes in."""
        return ONCE[str(self.circuit.constants["computes_in"])]

    @cached_property
    def saturation(self) -> flint.arb:
        """C."""
        return exact_ball(Fraction(str(self.circuit.constants["saturation"])))

    @cached_property
    def tiny(self) -> flint.arb:
        """More than what underflow loses in any sum of a layer."""
        return self.form.normal * flint.arb(2) ** 40

    def zero(self) -> Table:
        """No error."""
        return {name: [[flint.arb(0)] * size for _ in range(self.count)]
                for name, size in self.sizes.items()}  # fmt: skip

    # between features and coordinates

    def magnitude(self, values: Values, errors: Table) -> flint.arb_mat:
        """Bounds on the computed coordinates."""
        return self.coordinates(values) + self.flat(errors) * self.weights.absolute_write

    def coordinates(self, values: Values) -> flint.arb_mat:
        """|x| of the exact stream."""
        tables = [values[name].table() for name in self.sizes]
        rows = [[x for table in tables for x in table[t]] for t in range(self.count)]
        return absolute((flint.fmpq_mat(rows) * self.weights.write).table())

    def flat(self, errors: Table) -> flint.arb_mat:
        """The errors of all features side by side."""
        return flint.arb_mat([[x for name in self.sizes for x in errors[name][t]]
                              for t in range(self.count)])  # fmt: skip

    def features(self, coordinates: flint.arb_mat) -> Table:
        """What errors of coordinates are for features."""
        rows, listed, start = (coordinates * self.weights.absolute_read).table(), {}, 0
        for name, size in self.sizes.items():
            listed[name] = [row[start : start + size] for row in rows]
            start += size
        return listed

    # readers

    def removals(self, part: Component, side: str) -> list[tuple[Edge | None, RemoveEdge]]:
        """The removed edges into an input, with what the file says of them."""
        found = []
        for each in self.interventions:
            if isinstance(each, RemoveEdge) and (each.target, each.input) == (part.name, side):
                edges = [e for e in self.circuit.into.get((part.name, side), [])
                         if e.source == each.source]  # fmt: skip
                found.append((edges[0] if edges else None, each))
        return found

    def stream(self, values: Values, errors: Table) -> Sight:
        """All that is there to be seen."""
        return Sight(values, errors, self.magnitude(values, errors))

    def sight(self, part: Component, side: str, stream: Sight) -> Sight:
        """What an input sees of the stream."""
        values, errors, magnitude, complete = (
            stream.values, stream.errors, stream.magnitude, stream.complete)  # fmt: skip
        for edge, each in self.removals(part, side):
            complete = False
            carried = edge.carries if edge is not None and edge.carries else tuple(self.sizes)
            gone, off = (
                self.trace.added.get(each.source, {}),
                self.added.get(each.source, self.zero()),
            )
            values = {name: matrix - gone[name] if name in carried and name in gone else matrix
                      for name, matrix in values.items()}  # fmt: skip
            errors = plus(errors, {name: off[name] for name in carried})
            full = {name: gone.get(name, matrix - matrix) for name, matrix in values.items()}
            magnitude = magnitude + 2 * self.magnitude(full, off)
        for one in self.interventions:
            if isinstance(one, AblateScratch) and one.layer == part.layer and side == STREAM:
                complete = False
                values, errors = self.without(one.feature, one.position, values, errors)
        if not complete:
            errors = plus(errors, self.features(8 * self.form.roundoff * magnitude))
        return Sight(values, errors, magnitude, complete)

    def without(
        self, name: str, position: int, values: Values, errors: Table
    ) -> tuple[Values, Table]:
        """A feature that is 0 at a position; the rounding of it is counted by the caller."""
        matrix = flint.fmpq_mat(values[name])
        for i in range(self.sizes[name]):
            matrix[position, i] = 0
        return values | {name: matrix}, errors | {name: [
            [flint.arb(0)] * self.sizes[name] if t == position else row
            for t, row in enumerate(errors[name])]}  # fmt: skip

    # heads

    def head(self, part: TreeHead, stream: Sight) -> tuple[Table, flint.arb_mat]:
        """The errors of what a head adds, and bounds on the coordinates that it adds."""
        sees = {side: self.sight(part, side, stream) for side in (QUERY, KEY, VALUE)}
        weights, name = self.weights.by_name, f"blocks.{part.layer}.attn"
        matrix = {side: sees[side].magnitude * weights[f"{name}.W_{key}.{part.head}"]
                  for side, key in ((QUERY, "Q"), (KEY, "K"), (VALUE, "V"))}  # fmt: skip
        width, d = matrix[QUERY].ncols(), self.weights.write.ncols()
        rounding = self.form.gamma(2 * d + width + 48)
        rounding /= flint.arb(width).sqrt() if self.weights.divided else 1
        rounded = rounding * (matrix[QUERY] * matrix[KEY].transpose())
        mixing = self.mixing(part, sees, rounded)
        mixed = mixing.bound * matrix[VALUE] * weights[f"{name}.W_O.{part.head}"]
        share = self.form.gamma(d + self.count + width + 64)
        found = plus(self.zero(), self.features(share * mixed))
        for form, target, entry in part.copies:
            values, off = evaluate(form, sees[VALUE], self.count)
            for t in range(self.count):
                found[target][t][entry] += mixing.error(t, values, off)
        return found, mixed

    def mixing(self, part: TreeHead, sees: Mapping[str, Sight], rounded: flint.arb_mat) -> Mixing:
        """How far the attention of a head is from the exact one."""
        reading = self.trace.readings[part.name]
        if reading.scores is None:
            return Mixing(reading.positions, [{} for _ in range(self.count)],
                          [flint.arb(0)] * self.count)  # fmt: skip
        pairs = [(evaluate(q, sees[QUERY], self.count), evaluate(k, sees[KEY], self.count))
                 for q, k in zip(part.query, part.key, strict=True)]  # fmt: skip
        leaks, moves = [], []
        for t, row in enumerate(reading.scores):
            move = flint.arb(0)
            for j in range(t + 1):
                off = sum((abs(q[t]) * dk[j] + dq[t] * abs(k[j]) + dq[t] * dk[j]
                           for (q, dq), (k, dk) in pairs), flint.arb(0))  # fmt: skip
                move = move.max(self.saturation * off + 4 * rounded[t, j])
            best, m = max(row), len(reading.positions[t])
            twice = 2 * move + 64 * self.form.roundoff
            leaks.append({j: (twice - self.saturation * flint.arb(best - score)).exp() / m
                          for j, score in enumerate(row) if score != best})  # fmt: skip
            moves.append(twice)
        return Mixing(reading.positions, leaks, moves)

    # blocks

    def block(self, part: Component, sight: Sight) -> tuple[Table, flint.arb_mat]:
        """The rounding of a block, and bounds on the coordinates that it adds."""
        weights, name = self.weights.by_name, f"blocks.{part.layer}.mlp"
        gate, inward = (sight.magnitude * weights[f"{name}.{key}"] for key in ("W_gate", "W_in"))
        units = flint.arb_mat([[x * y for x, y in zip(*rows, strict=True)]
                               for rows in zip(gate.table(), inward.table(), strict=True)])  # fmt: skip
        bound = units * weights[f"{name}.W_out"]
        share = self.form.gamma(3 * self.weights.write.ncols() + gate.ncols() + 80)
        return self.features(share * bound), bound

    def polynomials(self, kind: str, sight: Sight) -> dict[tuple[str, int], Polynomial]:
        """What a block adds, with the constant one as it sees it."""
        constants = {int(x.p) for x in sight.values["one"].entries()}
        if len(constants) != 1:
            raise InputError("interventions", "a constant that differs by position", "one constant")
        return block_polynomials(self.circuit.n, self.circuit.tensor, kind, constants.pop())

    def block_errors(self, part: Component, sight: Sight, own: bool) -> Table:
        """The errors of what a block adds; with `own`, of the stream after it."""
        polynomials, found = self.polynomials(part.kind, sight), self.zero()
        for name, size in self.sizes.items():
            for i in range(size):
                terms = dict(polynomials.get((name, i), {}))
                if own:
                    terms[(name, i),] = terms.get(((name, i),), flint.arb(0)) + 1
                for t in range(self.count):
                    found[name][t][i] = polynomial_error(terms, sight, t)
        return found

    # the run

    def embedding(self) -> Table:
        """The errors of the embedding."""
        tokens, positions = (
            self.weights.by_name["embed.W_E"],
            self.weights.by_name["pos_embed.W_pos"],
        )
        numbers = {symbol: i for i, symbol in enumerate(self.circuit.tokens)}
        rows = [[tokens[numbers[symbol], c] + positions[t, c] for c in range(tokens.ncols())]
                for t, symbol in enumerate(self.symbols)]  # fmt: skip
        return plus(self.zero(), self.features(self.form.gamma(6) * flint.arb_mat(rows)))

    def patched(self, layer: int, errors: Table, values: Values) -> Table:
        """The errors after interventions on the stream after a layer: of old, new and source rounding."""
        changes = [patch for where, patch in self.trace.patches if where == layer]
        if not changes:
            return errors
        old = dict(values)
        for name, matrix in (item for patch in changes for item in patch.items()):
            old[name] = old[name] - matrix
        both = self.magnitude(values, errors) + self.magnitude(old, errors)
        kept = {name: list(rows) for name, rows in errors.items()}
        for each in self.interventions:
            if isinstance(each, Interchange) and each.layer == layer:
                taken = self.sources[each.word].after(layer)
                for name in each.features:
                    kept[name][each.position] = taken[name][each.source]
            if isinstance(each, AblateFeature) and each.layer == layer:
                rows, zero = kept[each.feature], flint.arb(0)
                rows[each.position] = [zero if each.entry in (None, i) else x
                                       for i, x in enumerate(rows[each.position])]  # fmt: skip
        return plus(kept, self.features(self.form.gamma(64) * both))

    def after(self, layer: int) -> Table:
        """The errors of what another run reads of the stream after a layer, by sums of coordinates."""
        site = ("embedding", 0) if layer < 0 else ("after", layer)
        errors = self.bounds.streams[site]
        values = self.trace.embedded if layer < 0 else self.trace.after[layer]
        share = self.form.gamma(self.weights.write.ncols() + 8)
        return plus(errors, self.features(share * self.magnitude(values, errors)))

    def layer(self, layer: int, values: Values, errors: Table) -> tuple[Table, Table]:
        """The errors between heads and block, and after the block."""
        parts = [
            p for p in self.circuit.components if p.layer == layer and p.name not in (EMBED, LOGITS)
        ]
        stream = self.stream(values, errors)
        middle, magnitude = errors, stream.magnitude
        ablated = {(each.layer, each.head) for each in self.interventions
                   if isinstance(each, AblateHead)}  # fmt: skip
        for part in parts:
            if isinstance(part, TreeHead) and part.copies and (layer, part.head) not in ablated:
                self.added[part.name], bound = self.head(part, stream)
                middle, magnitude = plus(middle, self.added[part.name]), magnitude + bound
        middle = self.settled(middle, magnitude)
        (block,) = [part for part in parts if part.head is None]
        if AblateBlock(layer) in self.interventions or block.kind == "idle":
            return middle, middle
        between = self.stream(self.trace.middle[layer], middle)
        sight = self.sight(block, STREAM, between)
        rounding, bound = self.block(block, sight)
        if any(isinstance(e, RemoveEdge) and e.source == block.name for e in self.interventions):
            self.added[block.name] = plus(self.block_errors(block, sight, own=False), rounding)
        after = self.block_errors(block, sight, own=sight.complete)
        if not sight.complete:
            after = plus(after, middle)
        after = self.settled(plus(after, rounding), between.magnitude + bound)
        return middle, after

    def settled(self, errors: Table, magnitude: flint.arb_mat) -> Table:
        """With the rounding of additions to the stream, and underflow; every bound a number."""
        rounding = self.features(self.form.gamma(16) * magnitude)
        return {name: [[self.number(x + y) for x, y in zip(*rows, strict=True)]
                       for rows in zip(errors[name], rounding[name], strict=True)]
                for name in errors}  # fmt: skip

    def number(self, value: flint.arb) -> flint.arb:
        """An upper bound, if the format can hold what it is a bound of."""
        total = value + self.tiny
        return flint.arb(total.upper()) if total < self.form.largest else UNKNOWN

    @cached_property
    def bounds(self) -> TreeAllowance:
        """All bounds of the run."""
        with flint.ctx.workprec(BITS):
            errors = self.added[EMBED] = self.embedding()
            errors = self.patched(-1, errors, self.trace.embedded)
            values, streams = self.trace.embedded, {("embedding", 0): errors}
            for layer in range(self.circuit.layers):
                streams["middle", layer], errors = self.layer(layer, values, errors)
                values = self.trace.after[layer]
                errors = self.patched(layer, errors, values)
                streams["after", layer] = errors
            return TreeAllowance(streams, self.outputs(values, errors))

    def outputs(self, values: Values, errors: Table) -> tuple[tuple[flint.arb, ...], ...]:
        """The errors of the outputs."""
        sight = self.sight(self.circuit.by_name[LOGITS], STREAM, self.stream(values, errors))
        share = self.form.gamma(self.weights.write.ncols() + 16)
        rounded = share * (sight.magnitude * self.weights.by_name["unembed.W_U"])
        return tuple(tuple(self.number(x + y) for x, y in zip(*rows, strict=True))
                     for rows in zip(sight.errors[STATE], rounded.table(), strict=True))  # fmt: skip


def tree_allowance(
    weights: TreeWeights,
    trace: TreeTrace,
    symbols: Sequence[str],
    interventions: Sequence[Intervention],
) -> TreeAllowance:
    """The bounds of a run; the runs that interchanges read are bounded first."""
    circuit = weights.circuit
    words = {each.word for each in interventions if isinstance(each, Interchange)}
    sources = {word: TreeRunBounds(circuit, weights, circuit.values(word), (), circuit.symbols(word), {})
               for word in words}  # fmt: skip
    return TreeRunBounds(circuit, weights, trace, tuple(interventions), symbols, sources).bounds
