"""GPT-2 and Llama with one layer, written out from their definitions in NumPy, for n-gram models."""

import math

import numpy as np

from constructions.exports import ngram


def logits(model, tokens, dtype=np.float32):
    """The logits of an n-gram model after each token, with its weights rounded to a type."""
    weights = {name: w.astype(dtype) for name, w in ngram.state_dict(model).items()}
    run = llama if model.rotary else gpt2
    return run(model, weights, np.array(tokens), dtype)


def attended(q, k, v):
    """Causal attention of one head."""
    scores = q @ k.T / np.sqrt(q.dtype.type(q.shape[-1]))
    scores[np.triu_indices(len(q), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)) @ v


def gpt2(model, w, tokens, dtype):
    """GPT2LMHeadModel."""

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + dtype(1e-5))
        return centred / scale * w[name + ".weight"] + w[name + ".bias"]

    name = "transformer.h.0."
    x = w["transformer.wte.weight"][tokens] + w["transformer.wpe.weight"][: len(tokens)]
    qkv = norm(x, name + "ln_1") @ w[name + "attn.c_attn.weight"] + w[name + "attn.c_attn.bias"]
    parts = [part.reshape(len(tokens), model.heads, -1) for part in np.split(qkv, 3, axis=1)]
    heads = [attended(*(part[:, h] for part in parts)) for h in range(model.heads)]
    joined = np.concatenate(heads, axis=1)
    x = x + joined @ w[name + "attn.c_proj.weight"] + w[name + "attn.c_proj.bias"]
    hidden = norm(x, name + "ln_2") @ w[name + "mlp.c_fc.weight"] + w[name + "mlp.c_fc.bias"]
    x = x + np.maximum(hidden, 0) @ w[name + "mlp.c_proj.weight"] + w[name + "mlp.c_proj.bias"]
    return norm(x, "transformer.ln_f") @ w["lm_head.weight"].T


def llama(model, w, tokens, dtype):
    """LlamaForCausalLM."""

    def norm(x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + dtype(1e-6)) * w[name + ".weight"]

    half = model.d_head // 2
    turns = dtype(1) / dtype(model.base) ** (np.arange(half, dtype=dtype) * 2 / dtype(model.d_head))
    angles = np.arange(len(tokens), dtype=dtype)[:, None] * turns
    cos, sin = np.cos(np.tile(angles, 2)), np.sin(np.tile(angles, 2))

    def turned(x):
        return x * cos + np.concatenate([-x[:, half:], x[:, :half]], axis=1) * sin

    name = "model.layers.0."
    x = w["model.embed_tokens.weight"][tokens]
    read = norm(x, name + "input_layernorm")
    parts = [
        (read @ w[f"{name}self_attn.{letter}_proj.weight"].T).reshape(len(tokens), model.heads, -1)
        for letter in "qkv"
    ]
    heads = [
        attended(turned(parts[0][:, h]), turned(parts[1][:, h]), parts[2][:, h])
        for h in range(model.heads)
    ]
    x = x + np.concatenate(heads, axis=1) @ w[name + "self_attn.o_proj.weight"].T
    read = norm(x, name + "post_attention_layernorm")
    gate, up = (read @ w[f"{name}mlp.{part}_proj.weight"].T for part in ("gate", "up"))
    x = x + np.maximum(gate, 0) * up @ w[name + "mlp.down_proj.weight"].T
    return norm(x, "model.norm") @ w["lm_head.weight"].T


def variation(model, word, dtype=np.float32):
    """The largest total variation over the prefixes of a word of symbols, `?` being unknown."""
    numbers = {symbol: i for i, symbol in enumerate(model.symbols)} | {"?": len(model.symbols) + 1}
    rows = logits(model, [model.bos, *(numbers[s] for s in word)], dtype).astype(float)
    worst = 0.0
    for t, row in enumerate(rows):
        exact = model.source.chances_after[model.source.context(word[:t])]
        found = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
        wanted = np.zeros(len(row))
        wanted[: len(exact)] = [float(p) for p in exact.values()]
        worst = max(worst, float(abs(found - wanted).sum()) / 2)
    return worst if math.isfinite(worst) else math.inf
