"""A decoder for TransformerLens: the arguments of its configuration, and a state dict.

`HookedTransformer(HookedTransformerConfig(**config))` loads the state dict strictly; buffers that
hold no weights (the causal mask, the number for masked scores) are the model's own.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from constructions.core.embedding import DecoderEmbedding
from constructions.exports.stock import Shape, layer_weights, readout, shape, table

LOADER = '''"""Load this folder's model in TransformerLens and run it; needs transformer_lens."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformer_lens import HookedTransformer, HookedTransformerConfig

here = Path(__file__).parent
config, note = (json.loads((here / name).read_text("utf-8")) for name in ("config.json", "model.json"))
dtype = getattr(torch, note["dtype"])
model = HookedTransformer(HookedTransformerConfig(**config, dtype=dtype, device="cpu"))
model.load_state_dict({**model.state_dict(), **load_file(here / "model.safetensors")}, strict=True)
index = {symbol: i for i, symbol in enumerate(note["tokens"])}
states, cache = model.run_with_cache(torch.tensor([[index[s] for s in ["<bos>", *note["example"]]]]))
print(ascii(["<bos>", *note["example"]]))  # one row of the output for each of these tokens
print(states[0])
'''


def config(size: Shape) -> dict[str, Any]:
    """The arguments of `HookedTransformerConfig`, but for the floating-point type."""
    return {
        "n_layers": size.layers,
        "n_heads": size.heads,
        "d_model": size.model,
        "d_head": size.head,
        "d_mlp": size.hidden,
        "n_ctx": size.context,
        "d_vocab": size.vocabulary,
        "d_vocab_out": size.outputs,
        "act_fn": size.activation,
        "gated_mlp": size.gated,
        "normalization_type": None,
        "positional_embedding_type": "standard",
        "attention_dir": "causal",
        "use_attn_scale": True,
        "default_prepend_bos": False,
        "seed": 0,
    }


def state_dict(simulation: DecoderEmbedding) -> dict[str, Tensor]:
    """The weights by TransformerLens' names."""
    size, (unembed, bias) = shape(simulation), readout(simulation.transformer)
    found = {
        "embed.W_E": table(simulation.token_rows()),
        "pos_embed.W_pos": table(simulation.position_rows()),
        "unembed.W_U": unembed,
        "unembed.b_U": bias,
    }
    for i, layer in enumerate(simulation.transformer.layers):
        found |= _layer(f"blocks.{i}", layer_weights(layer, size), size)
    return found


def _layer(name: str, weights: dict[str, Tensor], size: Shape) -> dict[str, Tensor]:
    attention = {f"{name}.attn.{key}": weights[key] for key in ("W_Q", "W_K", "W_V", "W_O", "b_Q")}
    for key in ("b_K", "b_V"):
        attention[f"{name}.attn.{key}"] = torch.zeros((size.heads, size.head), dtype=torch.float64)
    zeros = torch.zeros(size.model, dtype=torch.float64)
    keys = ("W_in", "W_out", "b_in", *(("W_gate",) if size.gated else ()))
    block = {f"{name}.mlp.{key}": weights[key] for key in keys}
    return attention | block | {f"{name}.attn.b_O": zeros, f"{name}.mlp.b_out": zeros.clone()}
