"""Decoders for words, loaded by the real libraries: states within the certified error.

Run by `tox run -e interop`; skipped where a library is missing.
"""

import json
import runpy
from random import Random

import pytest
import torch
from safetensors.torch import load_file, save_file

from constructions.automata.families import hmm
from constructions.exports.formats import format_of
from constructions.exports.loader import load_model
from constructions.exports.order import Order
from constructions.exports.transformerlens import hooked_model
from verify.automaton.export import export

LENGTH = 64
HMM = hmm([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/8", "1/8", "3/4"]],
          [["1/3", "1/2", "1/5"], ["2/3", "1/2", "4/5"]], ["1/2", "1/4", "1/4"], "ab")  # fmt: skip


def drawn(count=24):
    random = Random(64)
    lengths = [0, 1, 2, 63, 64, *(random.randint(3, 62) for _ in range(count - 5))]
    return ["".join(random.choice("ab") for _ in range(k)) for k in lengths]


def worst(run, words=None):
    """The largest Euclidean error of a state over the words, each run by itself."""
    errors = []
    for word in drawn() if words is None else words:
        tokens = torch.tensor([[2, *("ab".index(letter) for letter in word)]])
        with torch.no_grad():
            found = run(tokens)[0, :, :3].double()
        exact = torch.tensor(
            [[float(x) for x in state] for state in HMM.states(word)], dtype=torch.float64
        )
        errors.append(float((found - exact).norm(dim=-1).max()))
    return max(errors)


def made(tmp_path, name, eps="1/1000000", **options):
    export(HMM, Order(LENGTH, format=name, eps=eps, **options), tmp_path, force=True)
    return json.loads((tmp_path / "model.json").read_text())


@pytest.mark.parametrize(("plain", "sigma"), [
    (False, "silu"), (False, "gelu"), (False, "gelu_new"), (True, "gelu"), (True, "gelu_new"),
    (True, "silu"),
])  # fmt: skip
def test_hooked_transformer_loads_strictly_and_keeps_the_error(tmp_path, plain, sigma):
    pytest.importorskip("transformer_lens")
    note = made(tmp_path, "transformerlens", plain=plain, activation=sigma)
    model = runpy.run_path(str(tmp_path / "load.py"))["model"]
    assert type(model).__name__ in ("HookedTransformer", "TransformerBridge"), (
        "version 3, version 4"
    )
    error, bound = worst(model), note["certified_error"]
    print(f"transformerlens plain={plain} {sigma}: measured {error:.2e}, certified {bound}")
    assert error <= float(bound)


@pytest.mark.parametrize("name", ["blocks.1.attn.W_V", "blocks.0.mlp.W_gate", "unembed.W_U"])
def test_weights_of_transformer_lens_are_loaded_strictly(tmp_path, name):
    pytest.importorskip("transformer_lens")
    made(tmp_path, "transformerlens")
    config = json.loads((tmp_path / "config.json").read_text())
    weights = load_file(tmp_path / "model.safetensors")
    weights.pop(name)
    with pytest.raises(RuntimeError, match="Missing key"):
        hooked_model(config, torch.float64, weights)


def test_with_a_small_error_the_bound_with_rounding_is_kept(tmp_path):
    pytest.importorskip("transformer_lens")
    note = made(tmp_path, "transformerlens", "1/10000000000000")
    model = runpy.run_path(str(tmp_path / "load.py"))["model"]
    error, bound = worst(model), float(note["certified_error_with_rounding"])
    print(f"transformerlens, eps 1e-13: measured {error:.2e}, certified with rounding {bound:.2e}")
    assert error <= bound < 1e-10


def test_the_attention_patterns_of_hooked_transformer_are_the_scan(tmp_path):
    pytest.importorskip("transformer_lens")
    made(tmp_path, "transformerlens")
    model = runpy.run_path(str(tmp_path / "load.py"))["model"]
    _, cache = model.run_with_cache(torch.tensor([[2, *([0, 1] * 10)]]))
    for layer in range(6):
        reads = cache["pattern", layer][0, 0].argmax(dim=-1).tolist()
        assert reads == [max(t - 2**layer, 0) for t in range(21)]


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize(("name", "sigma"), [
    ("gpt2", "gelu_new"), ("gpt2", "gelu"), ("gpt2", "silu"), ("gpt2", "tanh"),
    ("llama", "silu"), ("llama", "gelu"), ("llama", "gelu_new"),
])  # fmt: skip
def test_from_pretrained_loads_the_folder_and_keeps_the_error(tmp_path, name, sigma, attention):
    transformers = pytest.importorskip("transformers")
    note = made(tmp_path, name, activation=sigma)
    model, report = transformers.AutoModelForCausalLM.from_pretrained(
        tmp_path, dtype=torch.float64, output_loading_info=True, attn_implementation=attention
    )
    assert not report["missing_keys"] and not report["unexpected_keys"]
    assert model.config.dtype == torch.float64
    error = worst(lambda tokens: model(input_ids=tokens).logits)
    exact, rounded = note["certified_error"], note["certified_error_with_rounding"]
    print(f"{name} {sigma} {attention}: measured {error:.2e}, certified {exact}, rounded {rounded}")
    assert error <= float(exact if rounded is None else rounded)
    # Llama computes in float32 inside, whose rounding is above the exact certificate
    assert name == "llama" or sigma == "tanh" or error <= float(exact)


def test_gpt2_without_an_activation_asked_for_has_the_default_of_its_class(tmp_path):
    transformers = pytest.importorskip("transformers")
    made(tmp_path, "gpt2")
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["activation_function"] == transformers.GPT2Config().activation_function


@pytest.mark.parametrize("name", ["transformerlens", "llama"])
def test_in_float32_the_bound_with_rounding_is_kept(tmp_path, name):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("transformer_lens")
    note = made(tmp_path, name, "1/100000", dtype="float32")
    if name == "transformerlens":
        run = runpy.run_path(str(tmp_path / "load.py"))["model"]
    else:
        model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32)
        run = lambda tokens: model(input_ids=tokens).logits  # noqa: E731
    error, bound = worst(run), note["certified_error_with_rounding"]
    print(f"float32, {name}: measured {error:.2e}, certified with rounding {bound}")
    assert error <= float(bound)


def test_the_tokenizer_reads_words_and_padded_batches_do_not_mix(tmp_path):
    transformers = pytest.importorskip("transformers")
    note = made(tmp_path, "gpt2")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert tokenizer(["ab"])["input_ids"] == tokenizer(["a b"])["input_ids"] == [[2, 0, 1]]
    batch = tokenizer(["abba", "b"], return_tensors="pt", padding=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float64)
    with torch.no_grad():
        together = model(**batch).logits[1, -2:, :3]  # pads stand on the left
        alone = model(**tokenizer(["b"], return_tensors="pt")).logits[0, :, :3]
    error = float(note["certified_error_with_rounding"])  # of each: a pad moves the places
    assert float((together - alone).abs().max()) <= 2 * error


@pytest.mark.parametrize("name", ["transformerlens", "gpt2", "llama"])
def test_the_loading_script_of_each_folder_runs_and_load_runs_the_same_model(tmp_path, name):
    pytest.importorskip("transformer_lens" if name == "transformerlens" else "transformers")
    note = made(tmp_path, name)
    assert "model" in runpy.run_path(str(tmp_path / "load.py"))
    with torch.no_grad():
        weights = load_model(tmp_path).weight(["abba", "b", ""])
    exact = torch.tensor([float(HMM.weight(word)) for word in ("abba", "b", "")])
    error = float(note["certified_error_with_rounding"])
    assert float((weights.double() - exact).abs().max()) <= 3**0.5 * error


def test_a_model_with_a_wrong_shift_is_noticed(tmp_path):
    pytest.importorskip("transformer_lens")
    note = made(tmp_path, "transformerlens")
    weights = load_file(tmp_path / "model.safetensors")
    weights["blocks.2.attn.W_Q"][0, 20, 0] *= 1.25
    save_file(weights, tmp_path / "model.safetensors")
    model = runpy.run_path(str(tmp_path / "load.py"))["model"]
    assert worst(model) > float(note["certified_error"])


def test_the_bridge_of_transformer_lens_runs_the_folder_of_gpt2(tmp_path):
    transformers = pytest.importorskip("transformers")
    bridge = pytest.importorskip("transformer_lens.model_bridge").TransformerBridge
    note = made(tmp_path, "gpt2")
    loaded = transformers.AutoModelForCausalLM.from_pretrained(
        tmp_path, dtype=torch.float64, attn_implementation="eager"
    )
    model = bridge.boot_transformers(
        str(tmp_path), hf_model=loaded, dtype=torch.float64, device="cpu"
    )
    assert worst(model) <= float(note["certified_error"])
    _, cache = model.run_with_cache(torch.tensor([[2, *([0, 1] * 10)]]))
    for layer in range(6):
        reads = cache[f"blocks.{layer}.attn.hook_pattern"][0, 0].argmax(dim=-1).tolist()
        assert reads == [max(t - 2**layer, 0) for t in range(21)]


@pytest.mark.parametrize("name", ["transformerlens", "gpt2", "llama"])
def test_the_names_that_explain_gives_are_those_of_the_library(tmp_path, name):
    """Each name holds what `explain` says: the weights of the head, and the stream."""
    pytest.importorskip("transformer_lens" if name == "transformerlens" else "transformers")
    note = made(tmp_path, name)
    model = load_model(tmp_path).module
    first, end = note["coordinates"]["window"]
    start, weights, stream = format_of(name).places
    names = [start, *(stream.format(block) for block in range(6))]
    seen = recorded(
        getattr(model, "model", model), [*names, weights.format(1)], torch.tensor([[2, 0, 1, 1]])
    )
    for layer, place in enumerate(names):
        held = seen[place][0, 3, first:end].reshape(3, 3) + torch.eye(3, dtype=seen[place].dtype)
        product = torch.eye(3, dtype=torch.float64)
        for letter in "abb"[max(0, 3 - 2**layer) :]:
            product = product @ torch.tensor([[float(w) for w in row] for row in HMM.matrix(letter)],
                                             dtype=torch.float64)  # fmt: skip
        assert float((held.double() - product).abs().max()) < 1e-3, (place, "roundings of float32")
    assert seen[weights.format(1)][0, 0, 3].argmax() == 1, "two letters back"


def recorded(model, names, tokens):
    """The values that hooks of TransformerLens, or of torch's modules, see at each name."""
    with torch.no_grad():
        if hasattr(model, "run_with_cache"):
            cache = model.run_with_cache(tokens)[1]
            return {name: cache[name] for name in names}
        seen, parts = {}, dict(model.named_modules())
        for name in names:
            attention = name.endswith("attn")

            def hook(module, given, output, name=name, attention=attention):
                seen[name] = output[1 if attention else 0] if isinstance(output, tuple) else output

            parts[name].register_forward_hook(hook)
        model(input_ids=tokens, output_attentions=True)
        return seen
