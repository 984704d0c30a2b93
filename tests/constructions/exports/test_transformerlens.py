"""TransformerLens: the configuration written out, and the weights under their names."""

import pytest
import torch

from constructions import decoder
from constructions.automata.families import counting
from constructions.decoder import Design
from constructions.exports.stock import layer_weights, shape
from constructions.exports.transformerlens import config, state_dict


def test_the_configuration_of_a_small_model_is_this_one():
    assert config(shape(decoder.build(counting(), 4))) == {
        "n_layers": 2, "n_heads": 1, "d_model": 11, "d_head": 4, "d_mlp": 20, "n_ctx": 5,
        "d_vocab": 3, "d_vocab_out": 2, "act_fn": "silu", "gated_mlp": True,
        "normalization_type": None, "positional_embedding_type": "standard",
        "attention_dir": "causal", "use_attn_scale": True, "default_prepend_bos": False, "seed": 0,
    }  # fmt: skip


@pytest.mark.parametrize("design", [Design(), Design("gelu", 8)], ids=["gated", "plain"])
def test_every_weight_has_its_name_and_biases_that_are_not_used_are_zero(design):
    model = decoder.build(counting(), 4, design, 40)
    found, size = state_dict(model), shape(model)
    for i, layer in enumerate(model.transformer.layers):
        weights = layer_weights(layer, size)
        for name in ("W_Q", "W_K", "W_V", "W_O", "b_Q"):
            assert torch.equal(found.pop(f"blocks.{i}.attn.{name}"), weights[name])
        for name in ("W_in", "W_out", "b_in", *(["W_gate"] if design.gated else [])):
            assert torch.equal(found.pop(f"blocks.{i}.mlp.{name}"), weights[name])
        for name in ("b_K", "b_V"):
            assert found.pop(f"blocks.{i}.attn.{name}").tolist() == [[0] * size.head]
        for name in ("attn.b_O", "mlp.b_out"):
            assert found.pop(f"blocks.{i}.{name}").tolist() == [0] * size.model
    assert found["embed.W_E"].shape == (3, size.model)
    assert found["pos_embed.W_pos"].shape == (5, size.model)
    assert found["unembed.W_U"].shape == (size.model, 2)
    assert found["unembed.b_U"].tolist() == ([0, 0] if design.gated else [0, 1])
    assert len(found) == 4
