"""Disguises: the same exact computation in another stream, so that discovery is no look-up.

Basis          x becomes x R, R orthogonal and kept by the norm: a permutation, and blocks of four among the
               coordinates of window and scratch, for RMSNorm ±H₄/2 (Hadamard) with signs, for LayerNorm
               J/2 - I, which keeps the all-ones direction. Constants, places, noise and logits are permuted
               and not mixed: mixed with K or with noise a window would lose its digits.
Superposition  the windows of all words span a space of rank r < n²: the stream holds r coordinates, and n²
               features are linear functions of them. Exact, since the space is closed under products
Distractors    coordinates of noise, a second head in every layer that copies noise from elsewhere, hidden
               units that multiply noise, and one layer more of nothing else: active on every word, read by
               nothing that is read. Noise stays below |x|² = 2, which the bound on RMSNorm has to spare (it
               counts 3 for places and a constant one, which Llama's stream does not have)
Weights        sums of stored weights times 0, ±1 or ±1/2, each rounded once
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import cos, fsum, pi, sin, sqrt
from random import Random
from typing import Any

import flint
import numpy as np

from constructions.circuits.arithmetic import exact_matrix
from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import (
    EMBED,
    LOGITS,
    SCRATCH,
    WINDOW,
    Component,
    Feature,
    Hook,
    Subspace,
)
from constructions.circuits.sites import SITES, at_layer
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.exports.stock import Weights

NOISE = "noise"
OUT = "self_attn.o_proj.weight"
MOST_NOISE = Fraction(2)
SHARE = Fraction(1, 16)  # of noise that a head or a unit adds
Config = dict[str, Any]
READS = {
    "gpt2": {"c_attn.weight": 0, "c_fc.weight": 0, "lm_head.weight": 1},
    "llama": dict.fromkeys(
        ("q_proj.weight", "k_proj.weight", "v_proj.weight", "up_proj.weight", "gate_proj.weight",
         "lm_head.weight"), 1),
}  # fmt: skip
WRITES = {
    "gpt2": {"wte.weight": 1, "wpe.weight": 1, "attn.c_proj.weight": 1, "mlp.c_proj.weight": 1},
    "llama": {"embed_tokens.weight": 1, "o_proj.weight": 0, "down_proj.weight": 0},
}
HADAMARD = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
REGULAR = [[-1, 1, 1, 1], [1, -1, 1, 1], [1, 1, -1, 1], [1, 1, 1, -1]]


@dataclass(frozen=True)
class Model:
    """What a disguise changes: configuration, weights and circuit of one folder."""

    config: Config
    weights: Weights
    circuit: Circuit

    @property
    def width(self) -> int:
        """The width of the stream."""
        return int(self.config["n_embd" if self.circuit.format == "gpt2" else "hidden_size"])


@dataclass(frozen=True)
class StreamMap:
    """x ↦ x S, with x S E = x for all streams that occur: S is d × d', E is d' × d."""

    into: Matrix
    back: Matrix


def apply(model: Model, change: StreamMap) -> Model:
    """The model on the changed stream."""
    name = model.circuit.format
    weights = {
        key: _transform(value, change, _axis(key, READS[name]), _axis(key, WRITES[name]))
        for key, value in model.weights.items()
    }
    width = change.into.shape[1]
    for key, value in weights.items():  # one gain for all coordinates, K √(2/d) or K/√d
        if value.ndim == 1 and value.shape[0] == model.width and not key.endswith("bias"):
            (gain,) = set(value.tolist())
            weights[key] = np.full(width, gain * sqrt(model.width) / sqrt(width))
    size = {"gpt2": {"n_embd": width}, "llama": {"hidden_size": width}}.get(name, {})
    spaces = {
        feature: Subspace(feature, change.back @ space.read, space.write @ change.into)
        for feature, space in model.circuit.subspaces.items()
    }
    return Model(model.config | size, weights, replace(model.circuit, subspaces=spaces))


def _axis(key: str, table: Mapping[str, int]) -> int | None:
    return next((axis for end, axis in table.items() if key.endswith(end)), None)


def _transform(weight: Any, change: StreamMap, read: int | None, write: int | None) -> Any:
    """E W for what reads the stream, W S for what writes to it."""
    if read is not None:
        return _combine(weight, [dict(row) for row in _rows(change.back)], read)
    if write is not None:
        return _combine(weight, change.into.columns(), write)
    return weight


def _rows(matrix: Matrix) -> list[dict[int, Any]]:
    return matrix.transpose.columns()


def _combine(weight: Any, forms: Sequence[Mapping[int, Any]], axis: int) -> Any:
    """New coordinates along an axis, each a sum of old ones that is rounded once."""
    old = np.moveaxis(weight, axis, 0)
    new = np.zeros((len(forms), *old.shape[1:]))
    for i, form in enumerate(forms):
        parts = [float(value) * old[k] for k, value in form.items()]
        if len(parts) == 1:
            new[i] = parts[0]
        elif parts:
            new[i] = np.vectorize(lambda *terms: fsum(terms))(*parts)
    return np.ascontiguousarray(np.moveaxis(new, 0, axis))


def basis(model: Model, random: Random) -> StreamMap:
    """A random permutation with signs and blocks of four that the norm keeps."""
    centred = model.circuit.format == "gpt2"
    spaces = model.circuit.subspaces
    free = sorted({row for name in (WINDOW, SCRATCH) for row, _ in spaces[name].read.entries})
    fixed = [c for c in range(model.width) if c not in free]
    random.shuffle(free)
    order = list(range(model.width))
    random.shuffle(order)
    entries: dict[tuple[int, int], Fraction] = {}
    block = REGULAR if centred else HADAMARD
    blocked = len(free) // 4 * 4
    for start in range(0, blocked, 4):
        for i, j in np.ndindex(4, 4):
            entries[free[start + i], order[free[start + j]]] = Fraction(block[i][j], 2)
    for c in [*free[blocked:], *fixed]:
        entries[c, order[c]] = Fraction(1)
    if not centred:
        signs = {c: random.choice((1, -1)) for c in range(model.width)}
        entries = {(i, j): signs[i] * value for (i, j), value in entries.items()}
    into = Matrix((model.width, model.width), entries)
    return StreamMap(into, into.transpose)


def span_of_windows(circuit: Circuit) -> flint.fmpq_mat:
    """A basis in reduced form of span{I, A^w - I}; I too, so that unknown letters fit in."""
    n = circuit.n
    unit = flint.fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    letters = [unit + exact_matrix(circuit.embedding[symbol]) for symbol in circuit.tokens[:-1]]
    rows, pending = [unit.entries()], [unit]
    while pending:
        matrix = pending.pop()
        for letter in letters:
            product = matrix * letter
            candidate = [*rows, product.entries()]
            if flint.fmpq_mat(candidate).rank() == len(candidate):
                rows = candidate
                pending.append(product)
    reduced, _ = flint.fmpq_mat(rows).rref()
    return reduced


def superposition(model: Model) -> StreamMap | None:
    """Window and scratch on r coordinates each; none where r = n²."""
    circuit, n = model.circuit, model.circuit.n
    table = [
        [Fraction(int(x.p), int(x.q)) for x in row] for row in span_of_windows(circuit).table()
    ]
    if len(table) == n * n:
        return None
    squeezed = {name: circuit.subspaces[name].coordinates or [] for name in (WINDOW, SCRATCH)}
    taken = {c for where in squeezed.values() for c in where}
    into: dict[tuple[int, int], Fraction] = {}
    back: dict[tuple[int, int], Fraction] = {}
    column = 0
    for where in squeezed.values():
        for row in table:
            pivot = next(j for j, x in enumerate(row) if x)
            into[where[pivot], column] = Fraction(1)
            back |= {(column, where[j]): x for j, x in enumerate(row) if x}
            column += 1
    for c in (c for c in range(model.width) if c not in taken):
        into[c, column] = back[column, c] = Fraction(1)
        column += 1
    return StreamMap(Matrix((model.width, column), into), Matrix((column, model.width), back))


def widening(width: int, more: int) -> StreamMap:
    """More coordinates, 0 so far."""
    into = Matrix((width, width + more), {(i, i): 1 for i in range(width)})
    return StreamMap(into, into.transpose)


@dataclass(frozen=True)
class Distraction:
    """Noise in a Llama: its coordinates, and where the extra layer stands."""

    model: Model
    random: Random
    extra: int  # the number of the extra layer

    @property
    def count(self) -> int:
        """Three or four coordinates: two heads want an even width."""
        return 3 + (self.model.width + 3) % 2

    def apply(self) -> Model:
        """The model with noise."""
        first, count = self.model.width, self.count
        wide = apply(self.model, widening(first, count))
        where = list(range(first, first + count))
        weights = self.weights(wide, where)
        self.check_size(len(self.layers))
        config = wide.config | {
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "num_hidden_layers": len(self.layers),
            "intermediate_size": wide.config["intermediate_size"] + count,
        }
        return Model(config, weights, self.circuit(wide.circuit, where, first + count))

    @property
    def layers(self) -> list[int | None]:
        """The old layers in their new order; none is the extra one."""
        old: list[int | None] = list(range(self.model.circuit.layers))
        return [*old[: self.extra], None, *old[self.extra :]]

    def check_size(self, layers: int) -> None:
        """Refuse more noise than the bound has to spare: b/16 for each of two heads, b²/16 for a unit."""
        bound = Fraction(1, 4)
        for _ in range(layers):
            bound += 2 * bound * SHARE
            bound += bound * bound * SHARE
            if self.count * bound * bound > MOST_NOISE:
                found = f"{layers} layers"
                raise InputError(
                    "distractors", found, f"so few that noise stays below {MOST_NOISE}"
                )

    def weights(self, model: Model, where: list[int]) -> Weights:
        """Embedding, and every layer with its noise."""
        listed = {k: v for k, v in model.weights.items() if ".layers." not in k}
        table = listed["model.embed_tokens.weight"].copy()
        table[:, where] = [[self.random.randint(-8, 8) / 32 for _ in where] for _ in table]
        listed["model.embed_tokens.weight"] = table
        for number, old in enumerate(self.layers):
            listed |= self.layer(model, number, old, where)
        return listed

    def layer(self, model: Model, number: int, old: int | None, where: list[int]) -> Weights:
        """One layer: the old one, or nothing, beside a second head and units for noise."""
        source = 0 if old is None else old
        prefix, name = f"model.layers.{source}.", f"model.layers.{number}."
        own = {k.removeprefix(prefix): v for k, v in model.weights.items() if k.startswith(prefix)}
        shape = own["self_attn.q_proj.weight"].shape
        if old is None:
            own = {k: 0 * v if "proj" in k else v for k, v in own.items()}
            own |= self.head(model, shape, where)
        noisy = self.head(model, shape, where)
        heads = {key: np.concatenate([own[key], value], axis=int(key == OUT))
                 for key, value in noisy.items()}  # fmt: skip
        return {name + k: v for k, v in (own | heads | self.units(own, where)).items()}

    def head(self, model: Model, shape: tuple[int, int], where: list[int]) -> Weights:
        """A head that copies noise from another position."""
        width, d = shape
        (large,) = {row for row, _ in model.circuit.subspaces["large"].read.entries}
        constant = float(model.circuit.whole("large"))
        length = model.circuit.whole("built_length")
        angle = -pi * self.random.randint(1, length) / (length + 1)
        size = float(Fraction(str(model.circuit.constants["saturation"]))) * sqrt(width) / constant
        query, key, value, out = (np.zeros((width, d)) for _ in range(4))
        last, pair = width // 2 - 1, width - 1
        query[last, large], query[pair, large] = size * cos(angle), size * sin(angle)
        key[last, large] = 1 / constant
        targets = self.random.sample(where, len(where))
        for i, (c, target) in enumerate(zip(where, targets, strict=True)):
            value[i, c], out[i, target] = 1, self.random.choice((1, -1)) * float(SHARE)
        parts = {"q": query, "k": key, "v": value}
        return {f"self_attn.{k}_proj.weight": v for k, v in parts.items()} | {OUT: out.T}

    def units(self, own: Weights, where: list[int]) -> Weights:
        """Hidden units that multiply one coordinate of noise by the gate of another."""
        d, count = own["mlp.up_proj.weight"].shape[1], len(where)
        up, gate, down = (np.zeros((count, d)) for _ in range(3))
        for i in range(count):
            up[i, self.random.choice(where)] = 1
            gate[i, self.random.choice(where)] = 1
            down[i, where[i]] = self.random.choice((1, -1)) * float(SHARE)
        return {
            "mlp.up_proj.weight": np.concatenate([own["mlp.up_proj.weight"], up]),
            "mlp.gate_proj.weight": np.concatenate([own["mlp.gate_proj.weight"], gate]),
            "mlp.down_proj.weight": np.concatenate([own["mlp.down_proj.weight"], down.T], axis=1),
        }

    def circuit(self, old: Circuit, where: list[int], width: int) -> Circuit:
        """The circuit with distractors, and layers in their new order."""
        parts = components_with_noise(old.components, self.layers)
        space = Subspace.of_coordinates(NOISE, where, width)
        noise = Feature(NOISE, len(where), "nothing that reaches an output", "distractors")
        return replace(
            old,
            features=(*old.features, noise),
            subspaces={**old.subspaces, NOISE: space},
            hooks=hooks_in_layers(old, self.layers),
            components=parts,
            edges=old.wiring.edges(parts),
            constants={**old.constants, "heads": 2, "noise": str(MOST_NOISE)},
        )


def components_with_noise(
    parts: Sequence[Component], layers: Sequence[int | None]
) -> tuple[Component, ...]:
    """Components in new layers, each with a head of noise beside it; the extra one has noise alone."""
    listed = [Component(EMBED, "embed")]
    for number, old in enumerate(layers):
        if old is None:
            listed += [Component(f"head {number}.0", NOISE, number, 0),
                       Component(f"head {number}.1", NOISE, number, 1),
                       Component(f"mlp {number}", NOISE, number)]  # fmt: skip
            continue
        own = [part for part in parts if part.layer == old and part.name not in (EMBED, LOGITS)]
        for part in own:
            kind = "mlp" if part.head is None else "head"
            name = f"{kind} {number}" if part.head is None else f"{kind} {number}.{part.head}"
            listed.append(replace(part, name=name, layer=number))
        listed.insert(len(listed) - 1, Component(f"head {number}.1", NOISE, number, 1))
    return (*listed, Component(LOGITS, "readout", len(layers) - 1))


def hooks_in_layers(old: Circuit, layers: Sequence[int | None]) -> tuple[Hook, ...]:
    """The hooks of the new layers; the extra one holds what is held before it."""
    by_layer: dict[int, list[Hook]] = {}
    for hook in old.hooks:
        by_layer.setdefault(hook.layer, []).append(hook)
    listed: list[Hook] = []
    before: Mapping[str, str] = by_layer[0][0].holds
    for number, source in enumerate(layers):
        sites = ("embedding", "middle", "after") if number == 0 else ("middle", "after")
        for site in sites:
            held = before
            if source is not None and site != "embedding":
                held = next(h.holds for h in by_layer[source] if h.site == site)
            module, side = at_layer(SITES[old.format][site], number)
            listed.append(Hook(site, number, module, side, held))
            before = held if site == "after" else before
    return tuple(listed)


Disguise = Callable[[Model, Random], Model]


def with_basis(model: Model, random: Random) -> Model:
    """Another basis."""
    return apply(model, basis(model, random))


def with_superposition(model: Model, random: Random) -> Model:
    """Fewer coordinates than entries, where the windows allow it; then another basis."""
    change = superposition(model)
    return with_basis(model if change is None else apply(model, change), random)


def with_distractors(model: Model, random: Random) -> Model:
    """Noise, in another basis."""
    extra = random.randint(1, max(1, model.circuit.layers - 1))
    return with_basis(Distraction(model, random, extra).apply(), random)


def with_everything(model: Model, random: Random) -> Model:
    """Superposition, noise and another basis."""
    change = superposition(model)
    return with_distractors(model if change is None else apply(model, change), random)


DISGUISES: dict[str, Disguise] = {
    "none": lambda model, random: model,
    "basis": with_basis,
    "superposition": with_superposition,
    "distractors": with_distractors,
    "everything": with_everything,
}
