"""A decoder as a module with hook points, under TransformerLens' names: for safetensors and npz.

Computes     what `constructions.exports.textbook.decode` computes, step by step through submodules, so
             that hooks can read and change each step
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

    def __init__(self, weights: dict[str, torch.Tensor], name: str) -> None:
        super().__init__()
        for key in ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V"):
            self.register_buffer(key, weights[f"{name}.{key}"])
        for point in ATTENTION_POINTS:
            self.add_module(point, nn.Identity())

    def project(self, x: torch.Tensor, side: str) -> torch.Tensor:
        """Queries, keys or values (batch, t, head, width) of the stream."""
        weight, bias = self.get_buffer(f"W_{side}"), self.get_buffer(f"b_{side}")
        return torch.einsum("btd,hdk->bthk", x, weight) + bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the sum of the heads' outputs."""
        q, k, v = (
            self.get_submodule(f"hook_{side.lower()}")(self.project(x, side)) for side in "QKV"
        )
        scores = torch.einsum("bthk,bjhk->bhtj", q, k) / q.shape[-1] ** 0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        pattern = scores.masked_fill(future, -torch.inf).softmax(-1)
        pattern = self.get_submodule("hook_pattern")(pattern)
        mixed = self.get_submodule("hook_z")(torch.einsum("bhtj,bjhk->bthk", pattern, v))
        return torch.einsum("bthk,hkd->btd", mixed, self.get_buffer("W_O"))


class HookedBlock(nn.Module):
    """A layer: heads, then the block."""

    def __init__(self, weights: dict[str, torch.Tensor], layer: int, sigma: Any) -> None:
        super().__init__()
        name = f"blocks.{layer}"
        self.attn, self.sigma = HookedAttention(weights, f"{name}.attn"), sigma
        for key in ("W_in", "W_out", "b_in", "W_gate"):
            if f"{name}.mlp.{key}" in weights:
                self.register_buffer(key, weights[f"{name}.mlp.{key}"])
        for point in POINTS:
            self.add_module(point, nn.Identity())

    def feedforward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the block's output."""
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
    """A decoder from weights by TransformerLens' names and the description of its folder."""

    def __init__(self, weights: dict[str, torch.Tensor], note: dict[str, Any]) -> None:
        super().__init__()
        name = note["activation"]
        sigma = {
            "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
            "tanh": torch.tanh,
        }.get(name) or getattr(functional, name)
        self.weights = weights
        self.tables = {key: weights[key] for key in weights if not key.startswith("blocks.")}
        layers = range(note["sizes"]["layers"])
        self.unembed = nn.Identity()
        self.blocks = nn.ModuleList(HookedBlock(weights, layer, sigma) for layer in layers)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs (batch, t, m) for tokens (batch, t), BOS first."""
        w = self.tables
        x = w["embed.W_E"][tokens] + w["pos_embed.W_pos"][: tokens.shape[-1]]
        for block in self.blocks:
            x = block(x)
        x = self.unembed(x)
        outputs: torch.Tensor = x @ w["unembed.W_U"] + w["unembed.b_U"]
        return outputs
