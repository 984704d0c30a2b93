"""TransformerLens: the configuration written out; the model itself is loaded in tests/interop."""

from constructions import decoder
from constructions.automata.families import counting
from constructions.exports.stock import shape
from constructions.exports.transformerlens import LOADER, config


def test_the_configuration_of_a_small_model_is_this_one():
    assert config(shape(decoder.build(counting(), 4))) == {
        "n_layers": 2, "n_heads": 1, "d_model": 11, "d_head": 4, "d_mlp": 20, "n_ctx": 5,
        "d_vocab": 3, "d_vocab_out": 2, "act_fn": "silu", "gated_mlp": True,
        "normalization_type": None, "positional_embedding_type": "standard",
        "attention_dir": "causal", "use_attn_scale": True, "default_prepend_bos": False, "seed": 0,
    }  # fmt: skip


def test_the_loader_is_short():
    code = LOADER.split('"""')[2].strip().splitlines()
    assert len([line for line in code if line and "import" not in line]) <= 12


def test_the_loader_says_what_to_do_with_a_version_without_its_class():
    assert "TransformerBridge.boot_transformers(folder)" in LOADER
    assert "no_processing=True" in LOADER
