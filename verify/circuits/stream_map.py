"""Linear maps of the stream: the same exact computation, with other coordinates in weights and circuit.

Map          x becomes x S, and E leads back: x S E = x for all streams that occur. What reads the stream
             becomes E W, what writes to it W S, and the subspaces E R and W S
Rounding     new weights are sums of stored ones times 0, ±1, ±1/2 and such, each rounded once
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, sqrt
from typing import Any

import numpy as np

from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import Subspace
from constructions.core.matrix import Matrix
from constructions.exports.stock import Weights

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


@dataclass(frozen=True)
class DisguisedModel:
    """Configuration, weights and circuit of one folder; `most_window` bounds |X|² of all windows X."""

    config: Config
    weights: Weights
    circuit: Circuit
    most_window: Fraction = Fraction(0)

    @property
    def width(self) -> int:
        """The width of the stream."""
        return int(self.config["n_embd" if self.circuit.format == "gpt2" else "hidden_size"])


@dataclass(frozen=True)
class StreamMap:
    """x ↦ x S, with x S E = x for all streams that occur: S is d × d', E is d' × d."""

    into: Matrix
    back: Matrix


def apply(model: DisguisedModel, change: StreamMap) -> DisguisedModel:
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
    return DisguisedModel(model.config | size, weights, replace(model.circuit, subspaces=spaces))


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


def widening(width: int, more: int) -> StreamMap:
    """More coordinates, 0 so far."""
    into = Matrix((width, width + more), {(i, i): 1 for i in range(width)})
    return StreamMap(into, into.transpose)
