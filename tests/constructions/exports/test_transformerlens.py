"""TransformerLens: the configuration written out; the model itself is loaded in tests/interop."""

import inspect
import sys
from types import ModuleType

from constructions import decoder
from constructions.automata.families import counting
from constructions.exports.stock import shape
from constructions.exports.transformerlens import (
    LOADER,
    config,
    hooked_model,
    native_bridge,
)


def test_the_configuration_of_a_small_model_is_this_one():
    assert config(shape(decoder.build(counting(), 4))) == {
        "n_layers": 2, "n_heads": 1, "d_model": 11, "d_head": 4, "d_mlp": 20, "n_ctx": 5,
        "d_vocab": 3, "d_vocab_out": 2, "act_fn": "silu", "gated_mlp": True,
        "normalization_type": None, "positional_embedding_type": "standard",
        "attention_dir": "causal", "use_attn_scale": True, "default_prepend_bos": False, "seed": 0,
    }  # fmt: skip


def test_the_loader_is_short_and_repeats_what_load_runs():
    body = LOADER.split('"""', 2)[2]
    functions = [inspect.getsource(each) for each in (hooked_model, native_bridge)]
    assert all(source in body for source in functions)
    for source in functions:
        body = body.replace(source, "")
    lines = [line for line in body.splitlines() if line.strip() and "import" not in line]
    assert len(lines) <= 12


def test_what_takes_a_version_with_or_without_its_class_is_that_class(monkeypatch):
    """Version 4 has no `HookedTransformer`: its name raises an ImportError."""
    home = sys.modules[hooked_model.__module__]
    monkeypatch.setattr(home, "native_bridge", lambda *_: "bridge")
    lens = ModuleType("transformer_lens")
    monkeypatch.setitem(sys.modules, "transformer_lens", lens)
    assert hooked_model({}, None, {}) == "bridge"
    lens.HookedTransformer, lens.HookedTransformerConfig = Hooked, dict
    assert isinstance(hooked_model({}, None, {"a": 1}), Hooked)


class Hooked:
    """The part of `HookedTransformer` that the loader uses."""

    def __init__(self, config):
        assert config["device"] == "cpu"

    def state_dict(self):
        return {"mask": 0, "a": 0, "b": 0}

    def load_state_dict(self, weights, strict):
        assert strict and weights == {"mask": 0, "a": 1}
