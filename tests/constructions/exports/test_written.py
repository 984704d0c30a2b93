"""Edge cases of writing and reading: layouts of JSON, pickles, limits, absent libraries."""

import os

import numpy as np
import pytest
from export_support import ADDER, counter, model_of
from safetensors.torch import load_file, save_file

from constructions.automata.families import counting, hmm
from constructions.core.errors import InputError
from constructions.exports import llama, loader
from constructions.exports.loader import load_model
from constructions.exports.npz import archive
from constructions.exports.order import Order, settle

HALF = ["1/2", "1/2"]
UMLAUT = hmm([HALF, HALF], [HALF, HALF], HALF, ["ä", "b"])


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


def test_a_head_of_llama_is_even_and_at_least_four_wide():
    assert [llama.rotary_width(n) for n in range(1, 6)] == [4, 4, 10, 16, 26]
    model = model_of(hmm([[1, 0, 0]] * 3, [[1, 1, 1]], [1, 0, 0], "a"), Order(2, format="llama"))
    weights = llama.state_dict(model.simulation)
    assert weights["model.layers.0.self_attn.v_proj.weight"].shape == (10, 19)
    assert weights["model.layers.0.self_attn.o_proj.weight"].shape == (19, 10)
