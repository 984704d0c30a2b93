"""Edge cases of writing and reading: layouts of JSON, pickles, limits, absent libraries."""

import json
import os
import sys
from fractions import Fraction
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from export_support import ADDER, NOTHING, counter, model_of
from safetensors.torch import load_file, save_file

from constructions.automata.families import counting, hmm
from constructions.core.errors import InputError
from constructions.decoder import MOST_LEVELS, Design, Normalisation
from constructions.exports import gpt2, huggingface, llama, loader, tokenizer, transformerlens
from constructions.exports.folder import contents
from constructions.exports.formats import format_of
from constructions.exports.loader import load_model
from constructions.exports.npz import archive
from constructions.exports.order import Order, settle

HALF = ["1/2", "1/2"]
UMLAUT = hmm([HALF, HALF], [HALF, HALF], HALF, ["ä", "b"])


@pytest.mark.parametrize("name", ["safetensors", "transformerlens", "gpt2"])
def test_json_has_a_blank_a_level_and_symbols_as_they_are(name):
    files = contents(model_of(UMLAUT, Order(3, format=name)), NOTHING)
    files |= {"config": huggingface._json({"a": {"b": 1.5}})}
    for file in ("automaton.json", "model.json", "config.json", "config"):
        if file in files:
            text = files[file].decode()
            assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n", file
    assert "ä" in files["model.json"].decode() and "ä" in files["automaton.json"].decode()


def test_a_tokenizer_is_one_line_and_its_settings_have_a_line_each():
    whole, settings = tokenizer.files(["ä", "<eos>"], 7).values()
    assert whole.decode() == json.dumps(tokenizer.tokenizer(["ä", "<eos>"]), ensure_ascii=False)
    assert settings.decode().splitlines()[:2] == [
        "{",
        ' "tokenizer_class": "PreTrainedTokenizerFast",',
    ]


def test_objects_are_neither_pickled_nor_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    trap = np.array([Trap()], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        archive({"w": trap})
    folder = counter(tmp_path / "model", 4, format="npz")
    np.savez(folder / "model.npz", w=trap)
    with pytest.raises(InputError, match=r"expected an uncompressed file of numpy\.savez"):
        load_model(folder, changed=True)
    assert not (tmp_path / "ran").exists()


def test_a_single_array_is_no_archive(tmp_path):
    folder = counter(tmp_path, 4, format="npz")
    with (folder / "model.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(InputError, match="weights: found no archive of arrays"):
        load_model(folder, changed=True)


@pytest.mark.parametrize("construction", ["decoder", "exact"])
def test_weights_that_are_no_tensors_or_not_those_of_the_module_are_refused(construction, tmp_path):
    folder = counter(tmp_path, 4, construction=construction)
    weights = load_file(folder / "model.safetensors")
    if construction == "exact":
        missing = {name: weight for name, weight in weights.items() if name != "letters"}
        save_file(missing, folder / "model.safetensors")
        with pytest.raises(InputError) as caught:
            load_model(folder, changed=True)
        assert caught.value.found == 'Missing key(s) in state_dict: "letters".'
        assert caught.value.expected == "the module's weights"
    (folder / "model.safetensors").write_bytes(b"\xff" * 20)
    with pytest.raises(
        InputError, match=r"model\.safetensors: weights: found .*, expected safetens"
    ):
        load_model(folder, changed=True)


@pytest.mark.parametrize("more", [0, 1])
def test_a_model_may_take_four_times_its_file_and_a_megabyte(more, tmp_path, monkeypatch):
    folder = counter(tmp_path, 4, construction="exact")
    stored = sum((folder / name).stat().st_size for name in ("model.safetensors", "load.py"))
    size = stored + stored + stored + stored + 1024 * 1024 + more
    monkeypatch.setattr(loader, "model_size", lambda *_: size)
    if more:
        with pytest.raises(InputError, match="length: found 4, expected a length whose weights"):
            load_model(folder)
    else:
        assert load_model(folder).weight(["00"]).item() == 2


@pytest.mark.parametrize(
    ("field", "value", "fits"),
    [
        *(("fineness", value, value <= 16384) for value in (1, 16384, 16385)),
        *(("levels", value, value <= MOST_LEVELS) for value in (1, MOST_LEVELS, MOST_LEVELS + 1)),
        *(
            (field, value, False)
            for field in ("fineness", "levels")
            for value in (0, -1, True, "2")
        ),
    ],
)
def test_constants_are_whole_numbers_up_to_their_limits(field, value, fits):
    note = {"saturation": "5/2", "fineness": 3, "levels": 2, field: value}
    if fits:
        found = loader._constants(note)
        assert (found.saturation, getattr(found, field)) == (Fraction(5, 2), value)
    else:
        with pytest.raises(
            InputError, match=f"{field}: found .*, expected a whole number from 1 to"
        ):
            loader._constants(note)


def test_constants_that_a_model_does_not_have_are_none_and_one_level():
    found = loader._constants({"saturation": None, "fineness": None, "levels": None})
    assert (found.saturation, found.fineness, found.levels) == (None, None, 1)


@pytest.mark.parametrize("length", [1, 3, 4, 5])
def test_an_example_has_up_to_four_tokens(length):
    word = model_of(counting(), Order(length, "exact")).example
    assert word == ["0"] * min(length, 4)
    tree = model_of(ADDER, Order(length, "tree")).example
    assert tree == (["[", "a", "a", "]"] if length >= 4 else ["a"])


@pytest.mark.parametrize(("length", "words"), [(1024, True), (100, False)])
def test_the_longest_models_in_single_precision_are_taken(length, words):
    assert settle(Order(length, dtype="float32"), words).dtype == "float32"
    with pytest.raises(InputError, match=f"float64, beyond length {length}"):
        settle(Order(length + 1, dtype="float32"), words)


@pytest.mark.parametrize("window", [None, 2, 4])
def test_a_window_is_a_power_of_two_from_two_on(window):
    asked = Order(8, format="olmo2", head="next", window=window)
    assert settle(asked, words=True).window == window


def test_a_design_begins_with_the_coarsest_step_and_the_least_k():
    plain = Design("gelu", 1, Normalisation.NONE, 0, Fraction(0), 3)
    assert format_of("safetensors").design("gelu", plain=True, levels=3) == plain
    gated = Design("silu", None, Normalisation.RMS, 1, Fraction(1, 10**6), 1)
    assert format_of("llama").design("silu", plain=False, levels=1) == gated
    layers = Design("gelu_new", 1, Normalisation.LAYER, 1, Fraction(1, 10**5), 2)
    assert format_of("gpt2").design("gelu_new", plain=True, levels=2) == layers
    assert gpt2.FORMAT is format_of("gpt2") and llama.FORMAT is format_of("llama")


def test_a_head_of_llama_is_even_and_at_least_four_wide():
    assert [llama.rotary_width(n) for n in range(1, 6)] == [4, 4, 10, 16, 26]
    model = model_of(hmm([[1, 0, 0]] * 3, [[1, 1, 1]], [1, 0, 0], "a"), Order(2, format="llama"))
    weights = llama.state_dict(model.simulation)
    assert weights["model.layers.0.self_attn.v_proj.weight"].shape == (10, 19)
    assert weights["model.layers.0.self_attn.o_proj.weight"].shape == (19, 10)


class Module:
    """A model of a library that keeps what it is given."""

    def __init__(self, **given):
        self.given = given

    def load_state_dict(self, weights, strict):
        assert strict
        self.weights = weights

    def __call__(self, input_ids):
        return SimpleNamespace(logits=input_ids[..., None] * torch.ones(5))


@pytest.mark.parametrize("gated", [True, False])
def test_a_bridge_is_given_all_weights_but_the_biases_that_it_does_not_have(gated, monkeypatch):
    names = ("transformer_lens", "transformer_lens.model_bridge",
             "transformer_lens.model_bridge.sources", "transformer_lens.utilities",
             "transformer_lens.utilities.tl_checkpoint_conversion")  # fmt: skip
    modules = {name: ModuleType(name) for name in names}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    boot = lambda settings, **given: Module(settings=settings, **given)  # noqa: E731
    modules[names[0]].TransformerBridgeConfig = dict
    modules[names[2]].native = SimpleNamespace(boot=boot)
    modules[names[4]].convert_tl_checkpoint = lambda weights, settings: (weights, settings)
    zero, one = torch.zeros(2), torch.ones(2)
    weights = {"a.mlp.b_in": zero, "a.mlp.b_out": one, "b.mlp.b_out": zero, "a.W": zero}
    config = {"gated_mlp": gated}
    found = transformerlens.hooked_model(config, torch.float32, weights)
    settings = {"gated_mlp": gated, "architecture": "TransformerLensNative"}
    assert found.given == {"settings": settings, "device": "cpu", "dtype": torch.float32}
    given, asked = found.weights
    assert list(given) == (["a.mlp.b_out", "a.W"] if gated else list(weights))
    assert asked == settings
