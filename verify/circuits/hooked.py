"""A decoder as a module with hook points, under TransformerLens' names: for safetensors, npz and pt2.

Computes     what `constructions.exports.textbook.decode` computes, step by step through submodules, so
             that hooks can read and change each step
Graphs       a pt2 file is a graph of operations without modules to hook, but has the weights of our own
             decoder under their names; it scores q · k, which the textbook divides by a root
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

POINTS = ("hook_resid_pre", "hook_resid_mid", "hook_resid_post", "hook_mlp_out", "ln2")
ATTENTION_POINTS = ("hook_q", "hook_k", "hook_v", "hook_z", "hook_pattern")


class HookedAttention(nn.Module):
    """The heads of a layer; weights are buffers under their own names."""

    def __init__(self, weights: dict[str, torch.Tensor], name: str, divided: bool) -> None:
        super().__init__()
        self.divisor = weights[f"{name}.W_Q"].shape[-1] ** 0.5 if divided else 1.0
        for key in ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V"):
            self.register_buffer(key, weights[f"{name}.{key}"])
        for point in ATTENTION_POINTS:
            self.add_module(point, nn.Identity())

    def project(self, x: torch.Tensor, side: str) -> torch.Tensor:
        """Queries, keys or values (batch, t, head, width) of the stream."""
        weight, bias = self.get_buffer(f"W_{side}"), self.get_buffer(f"b_{side}")
        return torch.einsum("btd,hdk->bthk", x, weight) + bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What the heads add."""
        q, k, v = (
            self.get_submodule(f"hook_{side.lower()}")(self.project(x, side)) for side in "QKV"
        )
        scores = torch.einsum("bthk,bjhk->bhtj", q, k) / self.divisor
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        pattern = scores.masked_fill(future, -torch.inf).softmax(-1)
        pattern = self.get_submodule("hook_pattern")(pattern)
        mixed = self.get_submodule("hook_z")(torch.einsum("bhtj,bjhk->bthk", pattern, v))
        return torch.einsum("bthk,hkd->btd", mixed, self.get_buffer("W_O"))


class HookedBlock(nn.Module):
    """A layer: heads, then the block."""

    def __init__(
        self, weights: dict[str, torch.Tensor], layer: int, sigma: Any, divided: bool
    ) -> None:
        super().__init__()
        name = f"blocks.{layer}"
        self.attn, self.sigma = HookedAttention(weights, f"{name}.attn", divided), sigma
        for key in ("W_in", "W_out", "b_in", "W_gate"):
            if f"{name}.mlp.{key}" in weights:
                self.register_buffer(key, weights[f"{name}.mlp.{key}"])
        for point in POINTS:
            self.add_module(point, nn.Identity())

    def feedforward(self, x: torch.Tensor) -> torch.Tensor:
        """What the block adds."""
        inward = x @ self.get_buffer("W_in")
        if "W_gate" in self._buffers:
            hidden = self.sigma(x @ self.get_buffer("W_gate")) * inward
        else:
            hidden = self.sigma(inward + self.get_buffer("b_in"))
        out: torch.Tensor = hidden @ self.get_buffer("W_out")
        return out

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The stream after the layer."""
        x = self.get_submodule("hook_resid_pre")(x)
        x = self.get_submodule("hook_resid_mid")(x + self.attn(x))
        added = self.feedforward(self.get_submodule("ln2")(x))
        after: torch.Tensor = self.get_submodule("hook_resid_post")(
            x + self.get_submodule("hook_mlp_out")(added)
        )
        return after


class HookedDecoder(nn.Module):
    """A decoder from weights by TransformerLens' names and the description of its folder.

    `divided`: scores are q · k over the root of the head's width.
    """

    def __init__(
        self, weights: dict[str, torch.Tensor], note: dict[str, Any], divided: bool = True
    ) -> None:
        super().__init__()
        name = note["activation"]
        sigma = {
            "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
            "tanh": torch.tanh,
        }.get(name) or getattr(functional, name)
        self.tables = {key: weights[key] for key in weights if not key.startswith("blocks.")}
        layers = range(note["sizes"]["layers"])
        self.unembed = nn.Identity()
        self.blocks = nn.ModuleList(HookedBlock(weights, layer, sigma, divided) for layer in layers)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs (batch, t, m) for tokens (batch, t), BOS first."""
        w = self.tables
        x = w["embed.W_E"][tokens] + w["pos_embed.W_pos"][: tokens.shape[-1]]
        for block in self.blocks:
            x = block(x)
        x = self.unembed(x)
        outputs: torch.Tensor = x @ w["unembed.W_U"] + w["unembed.b_U"]
        return outputs


PARTS = {
    "heads.back.query": "attn.W_Q",
    "heads.back.key": "attn.W_K",
    "heads.back.value": "attn.W_V",
    "heads.back.bias": "attn.b_Q",
    "combine": "attn.W_O",
    "feedforward.hidden": "mlp.W_in",
    "feedforward.inward": "mlp.W_in",
    "feedforward.gate": "mlp.W_gate",
    "feedforward.bias": "mlp.b_in",
    "feedforward.output": "mlp.W_out",
}


def weights_of_graph(graph: nn.Module) -> dict[str, torch.Tensor]:
    """The weights of a pt2 graph by TransformerLens' names, a head of zeros where a layer has none."""
    own = {name: value.detach() for name, value in graph.named_parameters()}
    tables = {"embed.W_E": own["tokens"], "pos_embed.W_pos": own["places"],
              "unembed.W_U": own["transformer.readout"]}  # fmt: skip
    outputs = tables["unembed.W_U"].shape[1]
    tables["unembed.b_U"] = own.get("transformer.bias", own["tokens"].new_zeros(outputs))
    for layer in range(sum(name.endswith(".combine") for name in own)):
        first = f"transformer.layers.{layer}."
        listed = {PARTS[key]: own[first + key] for key in PARTS if first + key in own}
        tables |= {f"blocks.{layer}.{key}": value
                   for key, value in _with_one_head(listed, own["tokens"]).items()}  # fmt: skip
    return tables


def _with_one_head(
    weights: dict[str, torch.Tensor], tokens: torch.Tensor
) -> dict[str, torch.Tensor]:
    """The weights of a layer as those of one head, with biases."""
    width = tokens.shape[1]
    if "attn.W_Q" not in weights:
        none = {f"attn.W_{side}": tokens.new_zeros((width, 1)) for side in "QKV"}
        weights = weights | none | {"attn.W_O": tokens.new_zeros((1, width))}
    for side in "QKV":
        zeros = tokens.new_zeros(weights[f"attn.W_{side}"].shape[1])
        weights = {f"attn.b_{side}": zeros} | weights
    return {name: value[None] if name.startswith("attn.") else value
            for name, value in weights.items()}  # fmt: skip
