"""Distractors: coordinates of noise, heads that copy it, units that multiply it, an extra layer of both.

Noise        is active on every word and read by nothing that is read. It stays below |x|² = 2, which the
             bound on RMSNorm has to spare (it counts 3 for places and a constant one, which Llama's stream
             does not have)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import cos, pi, sin, sqrt
from random import Random

import numpy as np

from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import EMBED, LOGITS, Component, Feature, Hook, Subspace
from constructions.circuits.sites import SITES, at_layer
from constructions.core.errors import InputError
from constructions.exports.stock import Weights
from verify.circuits.stream_map import DisguisedModel, apply, widening

NOISE = "noise"
OUT = "self_attn.o_proj.weight"
MOST_NOISE = Fraction(2)
SHARE = Fraction(1, 16)  # of noise that a head or a unit adds


@dataclass(frozen=True)
class Distraction:
    """Noise in a Llama: its coordinates, and the position of the extra layer."""

    model: DisguisedModel
    random: Random
    extra: int  # the number of the extra layer

    @property
    def count(self) -> int:
        """Number of coordinates of the noise: three or four, even for two heads."""
        return 3 + (self.model.width + 3) % 2

    def apply(self) -> DisguisedModel:
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
        return DisguisedModel(config, weights, self.circuit(wide.circuit, where, first + count))

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
                    "distractors", found, f"fewer, so that noise stays below {MOST_NOISE}"
                )

    def weights(self, model: DisguisedModel, where: list[int]) -> Weights:
        """Embedding, and every layer with its noise."""
        listed = {k: v for k, v in model.weights.items() if ".layers." not in k}
        table = listed["model.embed_tokens.weight"].copy()
        table[:, where] = [[self.random.randint(-8, 8) / 32 for _ in where] for _ in table]
        listed["model.embed_tokens.weight"] = table
        for number, old in enumerate(self.layers):
            listed |= self.layer(model, number, old, where)
        return listed

    def layer(
        self, model: DisguisedModel, number: int, old: int | None, where: list[int]
    ) -> Weights:
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

    def head(self, model: DisguisedModel, shape: tuple[int, int], where: list[int]) -> Weights:
        """A head that copies noise from another position."""
        width, d = shape
        (large,) = {row for row, _ in model.circuit.subspaces["large"].read.entries}
        constant = float(model.circuit.whole_number("large"))
        length = model.circuit.whole_number("built_length")
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
    """Hooks of the new layers; the extra layer repeats the contents of the one before it."""
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
