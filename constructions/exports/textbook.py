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

from constructions.core.errors import InputError


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


def check_shapes(weights: dict[str, torch.Tensor], note: dict[str, Any], where: str) -> None:
    """Refuse weights of other names or shapes than those of the decoder that `note` describes."""
    layers, gated = note["sizes"]["layers"], note["feedforward"] == "gated"
    if not 1 <= layers <= len(weights):
        raise InputError("weights", f"{len(weights)} for {layers} layers", "all of them", where)
    sizes = _sizes(weights, note)
    expected = {name: TABLES[name] for name in TABLES} | {
        f"blocks.{i}.{name}": axes
        for i in range(layers)
        for name, axes in (BLOCK | (GATE if gated else {})).items()
    }
    if different := sorted(set(expected) ^ set(weights)):
        raise InputError("weights", different[0], "the names of this decoder's weights", where)
    for name, axes in expected.items():
        wanted, shape = [sizes[axis] for axis in axes.split()], list(weights[name].shape)
        if shape != wanted:
            raise InputError("weights", f"{name} of shape {shape}", f"shape {wanted}", where)


def _sizes(weights: dict[str, torch.Tensor], note: dict[str, Any]) -> dict[str, int]:
    """Return the sizes that all weights must agree on, from the first ones that have them."""
    first = {
        "embed.W_E": ("tokens", "model"),
        "pos_embed.W_pos": ("positions", "model"),
        "blocks.0.attn.W_Q": ("heads", "model", "head"),
        "blocks.0.mlp.W_in": ("model", "hidden"),
    }
    found: dict[str, int] = {}
    for name, axes in first.items():
        shape = tuple(weights[name].shape) if name in weights else ()
        if len(shape) == len(axes):
            found = dict(zip(axes, shape, strict=True)) | found
    given = {"tokens": len(note["tokens"]), "outputs": note["sizes"]["outputs"]}
    return dict.fromkeys(("model", "positions", "heads", "head", "hidden"), 0) | found | given


TABLES = {
    "embed.W_E": "tokens model",
    "pos_embed.W_pos": "positions model",
    "unembed.W_U": "model outputs",
    "unembed.b_U": "outputs",
}
BLOCK = {
    **dict.fromkeys(("attn.W_Q", "attn.W_K", "attn.W_V"), "heads model head"),
    **dict.fromkeys(("attn.b_Q", "attn.b_K", "attn.b_V"), "heads head"),
    "attn.W_O": "heads head model",
    **dict.fromkeys(("attn.b_O", "mlp.b_out"), "model"),
    "mlp.W_in": "model hidden",
    "mlp.W_out": "hidden model",
    "mlp.b_in": "hidden",
}
GATE = {"mlp.W_gate": "model hidden"}


class TextbookDecoder(nn.Module):
    """`decode` as a module; its parameters have the names of the file."""

    def __init__(self, weights: dict[str, torch.Tensor], note: dict[str, Any]) -> None:
        super().__init__()
        self.note = note
        for name, weight in weights.items():
            *path, last = name.split(".")
            self._inside(path).register_parameter(last, nn.Parameter(weight))

    def _inside(self, path: list[str]) -> nn.Module:
        """The module at a path; create it if it does not exist."""
        module: nn.Module = self
        for part in path:
            if part not in module._modules:
                module.add_module(part, nn.Module())
            module = module.get_submodule(part)
        return module

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs for tokens, BOS first."""
        return decode(dict(self.named_parameters()), self.note, tokens)
