"""A decoder written out from its definition, on weights under TransformerLens' names.

`load.py` of a folder repeats the source of `decode`, so that what the script runs and what
`constructions.exports.loader` runs are the same lines.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import nn
from torch.nn import functional


def decode(w: Any, note: Any, tokens: torch.Tensor) -> torch.Tensor:
    """Outputs (batch, t, m) for tokens (batch, t), BOS first."""
    sigma = {"gelu_new": lambda x: functional.gelu(x, approximate="tanh"), "tanh": torch.tanh}.get(
        note["activation"]
    ) or getattr(functional, note["activation"])
    x = w["embed.W_E"][tokens] + w["pos_embed.W_pos"][: tokens.shape[-1]]
    future = torch.ones(tokens.shape[-1], tokens.shape[-1], dtype=torch.bool).triu(1)
    for i in range(note["sizes"]["layers"]):
        a, m = f"blocks.{i}.attn.", f"blocks.{i}.mlp."
        y = x[..., None, :, :]  # one row of tokens for each head
        q, k = y @ w[a + "W_Q"] + w[a + "b_Q"][:, None], y @ w[a + "W_K"]
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf)
        x = x + (scores.softmax(-1) @ (y @ w[a + "W_V"]) @ w[a + "W_O"]).sum(-3)
        if note["feedforward"] == "gated":
            hidden = sigma(x @ w[m + "W_gate"]) * (x @ w[m + "W_in"])
        else:
            hidden = sigma(x @ w[m + "W_in"] + w[m + "b_in"])
        x = x + hidden @ w[m + "W_out"]
    outputs: torch.Tensor = x @ w["unembed.W_U"] + w["unembed.b_U"]
    return outputs


SOURCE = inspect.getsource(decode)


class TextbookDecoder(nn.Module):
    """`decode` as a module; its parameters have the names of the file."""

    def __init__(self, weights: dict[str, torch.Tensor], note: dict[str, Any]) -> None:
        super().__init__()
        self.note = note
        for name, weight in weights.items():
            *path, last = name.split(".")
            self._inside(path).register_parameter(last, nn.Parameter(weight))

    def _inside(self, path: list[str]) -> nn.Module:
        """The module at a path; made where there is none yet."""
        module: nn.Module = self
        for part in path:
            if part not in module._modules:
                module.add_module(part, nn.Module())
            module = module.get_submodule(part)
        return module

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs for tokens, BOS first."""
        return decode(dict(self.named_parameters()), self.note, tokens)
