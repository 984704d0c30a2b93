"""The weights of an export are those of the built model, entry by entry, in the library's shapes.

Libraries divide scores by the root of a head's width; a built model does not. So W_Q and b_Q of an
export are those of the model times that root, once, and everything else is the model's own.
"""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from constructions import decoder, decoder_tree
from constructions.arithmetic.floats import nearest_float
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.decoder import Design, Normalisation
from constructions.exports import gpt2, stock

PLAIN = Design("gelu_new", 16, Normalisation.LAYER, 1 << 20, Fraction(1, 10**5))
ROUNDINGS = 4 * np.finfo(np.float64).eps  # of a product with two roots


def automaton(n):
    """An automaton whose weights are all different, so that an entry in the wrong place shows."""
    numbers = iter(range(2, 2 + 3 * n * n))
    letters = {letter: [[next(numbers) for _ in range(n)] for _ in range(n)] for letter in "ab"}
    return WFA.of(list(range(1, n + 1)), letters, [1] * n)


def dense(matrix, *shape):
    """A matrix of the model with zeros after it."""
    weights = np.zeros(shape or matrix.shape)
    for place, value in matrix.entries.items():
        weights[place] = nearest_float(value)
    return weights


def row(values, *shape):
    weights = np.zeros(shape)
    weights[: len(values)] = [nearest_float(value) for value in values]
    return weights


def table(rows, *shape):
    weights = np.zeros(shape)
    weights[: len(rows), : len(rows[0])] = [
        [nearest_float(value) for value in line] for line in rows
    ]
    return weights


def gpt2_weights(model):
    """Expected GPT-2 weights, from the built model alone: one head, as wide as the stream."""
    d = model.transformer.readout.shape[0]
    config = gpt2.config(model, "float64")
    rows, hidden = config["vocab_size"], config["n_inner"]
    gain = float(PLAIN.large) * sqrt(2 / d)
    names = {
        "transformer.wte.weight": table(gpt2.token_table(model), rows, d),
        "transformer.wpe.weight": table(model.position_rows(), config["n_positions"], d),
        "lm_head.weight": dense(model.transformer.readout.transpose, rows, d),
        "transformer.ln_f.weight": gain * np.ones(d),
        "transformer.ln_f.bias": np.zeros(d),
    }
    for i, layer in enumerate(model.transformer.layers):
        (head,), block, name = layer.heads, layer.feedforward, f"transformer.h.{i}"
        sides = (sqrt(d) * dense(head.query, d, d), dense(head.key, d, d), dense(head.value, d, d))
        names |= {
            f"{name}.attn.c_attn.weight": np.concatenate(sides, axis=1),
            f"{name}.attn.c_attn.bias": np.zeros(3 * d),
            f"{name}.attn.c_proj.weight": dense(layer.combine, d, d),
            f"{name}.attn.c_proj.bias": np.zeros(d),
            f"{name}.mlp.c_fc.weight": dense(block.hidden, d, hidden),
            f"{name}.mlp.c_fc.bias": row(block.bias, hidden),
            f"{name}.mlp.c_proj.weight": dense(block.output, hidden, d),
            f"{name}.mlp.c_proj.bias": np.zeros(d),
        }
        for norm in ("ln_1", "ln_2"):
            names |= {
                f"{name}.{norm}.weight": gain * np.ones(d),
                f"{name}.{norm}.bias": np.zeros(d),
            }
    return names


def lens_weights(model):
    """Expected TransformerLens weights, from the built model alone: heads of one width."""
    size, built = stock.shape(model), model.transformer
    d, width, heads = size.model, size.head, size.heads
    names = {
        "embed.W_E": table(model.token_rows(), size.vocabulary, d),
        "pos_embed.W_pos": table(model.position_rows(), size.context, d),
        "unembed.W_U": dense(built.readout),
        "unembed.b_U": row(built.bias or (), size.outputs),
    }
    for i, layer in enumerate(built.layers):
        start = 0
        parts = {key: np.zeros((heads, d, width)) for key in ("W_Q", "W_K", "W_V")}
        parts |= {key: np.zeros((heads, width)) for key in ("b_Q", "b_K", "b_V")}
        parts["W_O"] = np.zeros((heads, width, d))
        combine = dense(layer.combine)
        for k, head in enumerate(layer.heads):
            parts["W_Q"][k] = sqrt(width) * dense(head.query, d, width)
            parts["W_K"][k] = dense(head.key, d, width)
            parts["W_V"][k] = dense(head.value, d, width)
            parts["b_Q"][k] = sqrt(width) * row(head.bias or (), width)
            own = head.value.shape[1]
            parts["W_O"][k, :own] = combine[start : start + own]
            start += own
        block = layer.feedforward
        inward = block.inward if size.gated else block.hidden
        units = {
            "W_in": dense(inward, d, size.hidden),
            "W_out": dense(block.output, size.hidden, d),
            "b_in": np.zeros(size.hidden) if size.gated else row(block.bias, size.hidden),
            "b_out": np.zeros(d),
        }
        if size.gated:
            units["W_gate"] = dense(block.gate, d, size.hidden)
        names |= {f"blocks.{i}.attn.{key}": weight for key, weight in parts.items()}
        names |= {f"blocks.{i}.attn.b_O": np.zeros(d)}
        names |= {f"blocks.{i}.mlp.{key}": weight for key, weight in units.items()}
    return names


def differences(expected, exported):
    """The names that only one side has, or whose entries differ by more than roundings."""
    lines = sorted(expected.keys() ^ exported.keys())
    for name in sorted(expected.keys() & exported.keys()):
        left, right = expected[name], exported[name]
        if left.shape != right.shape or (np.abs(left - right) > ROUNDINGS * np.abs(left)).any():
            lines.append(name)
    return lines


@pytest.mark.parametrize(("n", "length"), [(1, 2), (2, 5), (3, 9), (7, 3)])
def test_gpt2_holds_the_built_model(n, length):
    model = decoder.build(automaton(n), length, PLAIN, 200)
    assert differences(gpt2_weights(model), gpt2.state_dict(model)) == []


@pytest.mark.parametrize("design", [Design("silu"), Design("gelu", 8)])
@pytest.mark.parametrize(("n", "length"), [(1, 2), (2, 5), (3, 9), (7, 3)])
def test_the_stock_names_hold_the_built_model(design, n, length):
    model = decoder.build(automaton(n), length, design, 50)
    assert differences(lens_weights(model), stock.state_dict(model)) == []


def test_the_stock_names_hold_the_built_tree_decoder():
    numbers = iter(range(2, 60))
    tensor = [[[next(numbers) for _ in range(2)] for _ in range(2)] for _ in range(2)]
    leaves = {letter: [next(numbers), next(numbers)] for letter in "ab"}
    model = decoder_tree.build(WTA.of([1, 1], tensor, leaves), 10, "silu", 50)
    assert differences(lens_weights(model), stock.state_dict(model)) == []


@pytest.mark.parametrize(
    ("name", "place"), [("W_Q", "attn.c_attn.weight"), ("W_out", "mlp.c_proj.weight")]
)
def test_a_weight_that_is_scaled_twice_is_named(monkeypatch, name, place):
    original = gpt2.layer_weights

    def scaled(layer, size):
        weights = original(layer, size)
        return weights | {name: sqrt(size.head) * weights[name]}

    model = decoder.build(automaton(2), 5, PLAIN, 200)
    monkeypatch.setattr(gpt2, "layer_weights", scaled)
    found = differences(gpt2_weights(model), gpt2.state_dict(model))
    assert found == [f"transformer.h.{i}.{place}" for i in range(3)]
