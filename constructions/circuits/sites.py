"""Hook points of each library's class: names of submodules, `{l}` being the number of the block.

embedding, middle, after   where the stream is seen: before block 0, before the second norm of a block,
                           after a block. A `:input` means the input of the submodule
norm, query, key, value    what a head reads: the norm before it, then the projections; `columns` of a
                           joint projection are counted in widths of the stream
pattern                    the attention, where the class has it as a hook
mixed                      what the heads have gathered, side by side, before W_O
block                      what the block adds; `second` is the norm before it, `final` the last one
heads                      output of the heads, if a norm follows them (olmo2) instead of preceding them
Unlike                     transformerlens, safetensors, npz: no norms, and W_Q, W_K, W_V, W_O are
                           parameters beside the hooks. Our own module has the same names
"""

from __future__ import annotations

from collections.abc import Mapping

LENS: Mapping[str, str] = {
    "embedding": "blocks.0.hook_resid_pre",
    "middle": "blocks.{l}.hook_resid_mid",
    "after": "blocks.{l}.hook_resid_post",
    "query": "blocks.{l}.attn.hook_q",
    "key": "blocks.{l}.attn.hook_k",
    "value": "blocks.{l}.attn.hook_v",
    "pattern": "blocks.{l}.attn.hook_pattern",
    "mixed": "blocks.{l}.attn.hook_z",
    "second": "blocks.{l}.ln2:input",
    "block": "blocks.{l}.hook_mlp_out",
    "final": "unembed:input",
}
GPT2: Mapping[str, str] = {
    "embedding": "transformer.h.0:input",
    "middle": "transformer.h.{l}.ln_2:input",
    "after": "transformer.h.{l}",
    "norm": "transformer.h.{l}.ln_1",
    "query": "transformer.h.{l}.attn.c_attn columns 0",
    "key": "transformer.h.{l}.attn.c_attn columns 1",
    "value": "transformer.h.{l}.attn.c_attn columns 2",
    "mixed": "transformer.h.{l}.attn.c_proj:input",
    "second": "transformer.h.{l}.ln_2:input",
    "block": "transformer.h.{l}.mlp",
    "final": "transformer.ln_f:input",
}
LLAMA: Mapping[str, str] = {
    "embedding": "model.layers.0:input",
    "middle": "model.layers.{l}.post_attention_layernorm:input",
    "after": "model.layers.{l}",
    "norm": "model.layers.{l}.input_layernorm",
    "query": "model.layers.{l}.self_attn.q_proj",
    "key": "model.layers.{l}.self_attn.k_proj",
    "value": "model.layers.{l}.self_attn.v_proj",
    "mixed": "model.layers.{l}.self_attn.o_proj:input",
    "second": "model.layers.{l}.post_attention_layernorm:input",
    "block": "model.layers.{l}.mlp",
    "final": "model.norm:input",
}
OLMO2: Mapping[str, str] = {
    "embedding": "model.layers.0:input",
    "middle": "model.layers.{l}.mlp:input",
    "after": "model.layers.{l}",
    "query": "model.layers.{l}.self_attn.q_proj",
    "key": "model.layers.{l}.self_attn.k_proj",
    "value": "model.layers.{l}.self_attn.v_proj",
    "mixed": "model.layers.{l}.self_attn.o_proj:input",
    "heads": "model.layers.{l}.post_attention_layernorm",
    "second": "model.layers.{l}.mlp:input",
    "block": "model.layers.{l}.post_feedforward_layernorm",
    "final": "model.norm:input",
}
SITES: Mapping[str, Mapping[str, str]] = {
    "transformerlens": LENS,
    "safetensors": LENS,
    "npz": LENS,
    "gpt2": GPT2,
    "llama": LLAMA,
    "olmo2": OLMO2,
}
STREAM_SITES = ("embedding", "middle", "after")


def at_layer(site: str, layer: int) -> tuple[str, str]:
    """The submodule of a site in one layer, and which side of it.

    Examples:
        >>> at_layer(GPT2["middle"], 1)
        ('transformer.h.1.ln_2', 'input')

    """
    name, _, side = site.partition(" ")[0].partition(":")
    return name.format(l=layer), side or "output"
