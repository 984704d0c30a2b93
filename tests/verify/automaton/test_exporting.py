"""Exported folders: complete, plain, and their weights are the construction's."""

import json
import runpy
from fractions import Fraction

import flint
import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from constructions.automata.families import hmm
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.exports import tokenizer, transformerlens
from constructions.exports.folder import FORMATS
from constructions.files.formats import load
from constructions.modules.decoder import DecoderModule
from verify.automaton.exporting import Order, export, make, upper
from verify.automaton.sampling import measured

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LEAVES = WTA.of([1, 0], [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
EPS = Fraction(1, 10**6)
FILES = {
    "transformerlens": {"config.json", "model.safetensors", "load.py"},
    "gpt2": {"config.json", "model.safetensors", "load.py", "tokenizer.json",
             "tokenizer_config.json"},
    "llama": {"config.json", "model.safetensors", "load.py", "tokenizer.json",
              "tokenizer_config.json"},
    "pt2": {"model.pt2", "load.py"},
    "safetensors": {"model.safetensors", "load.py"},
}  # fmt: skip


def stock(weights, layers, tokens, gated):
    """A plain decoder, written here from its textbook definition, on TransformerLens' weights."""
    x = weights["embed.W_E"][tokens] + weights["pos_embed.W_pos"][: len(tokens)]
    future = torch.ones(len(tokens), len(tokens), dtype=torch.bool).triu(1)
    for i in range(layers):
        a = {k: weights[f"blocks.{i}.attn.{k}"] for k in ("W_Q", "W_K", "W_V", "W_O", "b_Q")}
        m = {k: weights[f"blocks.{i}.mlp.{k}"] for k in ("W_in", "W_out", "b_in")}
        q, k, v = x @ a["W_Q"] + a["b_Q"][:, None], x @ a["W_K"], x @ a["W_V"]
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf)
        x = x + (scores.softmax(-1) @ v @ a["W_O"]).sum(0)
        if gated:
            hidden = functional.silu(x @ weights[f"blocks.{i}.mlp.W_gate"]) * (x @ m["W_in"])
        else:
            hidden = functional.gelu(x @ m["W_in"] + m["b_in"])
        x = x + hidden @ m["W_out"]
    return x @ weights["unembed.W_U"] + weights["unembed.b_U"]


@pytest.fixture(scope="module", params=FORMATS)
def written(request, tmp_path_factory):
    """A format, and the folder of a small model in it."""
    folder = tmp_path_factory.mktemp("exported")
    export(HMM, Order(request.param, 6, EPS), folder)
    return request.param, folder


def test_a_folder_has_its_files_a_card_and_a_description(written):
    name, folder = written
    assert {path.name for path in folder.iterdir()} == FILES[name] | {
        "README.md", "model.json", "stream.json"}  # fmt: skip
    note, card = read(folder)
    assert note["tokens"] == ["a", "b", "<bos>"] and note["states"] == 2
    assert note["certified_error"] in card and note["theorem"] in card
    assert float(note["certified_error"]) <= 1e-6
    assert sum(b - a for a, b in note["coordinates"].values()) == note["sizes"]["model"]


@pytest.mark.parametrize("plain", [False, True], ids=["gated", "plain"])
def test_stock_weights_run_in_a_textbook_decoder(tmp_path, plain):
    made = export(HMM, Order("transformerlens", 6, EPS, plain=plain), tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    found = stock(weights, 3, torch.tensor([2, 0, 1, 1, 0, 1]), not plain)
    exact = torch.tensor(
        [[float(x) for x in state] for state in HMM.states("abbab")], dtype=torch.float64
    )
    assert float((found - exact).norm(dim=-1).max()) <= float(upper(made.error))
    weights["blocks.1.attn.W_Q"] *= 0.5
    wrong = stock(weights, 3, torch.tensor([2, 0, 1, 1, 0, 1]), not plain)
    assert float((wrong - exact).norm(dim=-1).max()) > float(upper(made.error))


def test_the_card_has_the_certified_error_with_rounding_in_every_format(written):
    note, card = read(written[1])
    assert float(note["certified_error_with_rounding"]) >= float(note["certified_error"])
    assert note["certified_error_with_rounding"] in card and "measured" not in card


def read(folder):
    return json.loads((folder / "model.json").read_text()), (folder / "README.md").read_text()


def test_where_rounding_is_not_certified_the_card_says_what_was_measured(tmp_path):
    export(HMM, Order("gpt2", 64, EPS, dtype="float32"), tmp_path / "plain")
    export(LEAVES, Order("transformerlens", 20, EPS), tmp_path / "tree")
    export(HMM, Order("llama", 300, EPS), tmp_path / "llama")
    for name in ("plain", "tree"):
        note, card = read(tmp_path / name)
        assert note["certified_error_with_rounding"] is None
        assert f"measured, not certified: {note['measured_error']}" in card
        assert float(note["measured_error"]) > 0
    note, card = read(tmp_path / "llama")
    assert note["measured_error"] is None and "it is not certified." in card
    assert "C grows like T²" in card


@pytest.mark.parametrize("minimise", [False, True])
def test_what_is_measured_is_the_error_of_the_outputs(minimise):
    made = make(HMM, Order("safetensors", 8, EPS, minimise=minimise))
    assert measured(made.simulation, HMM, "float64", minimise) <= float(upper(made.error))
    other = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/4", "1/2"], ["3/4", "1/2"]], [1, 0], "ab")
    assert measured(made.simulation, other, "float64", minimise) > float(upper(made.error))


@pytest.mark.parametrize(("name", "plain"), [("transformerlens", True), ("gpt2", False),
                                             ("safetensors", True), ("safetensors", False),
                                             ("llama", False)])  # fmt: skip
def test_every_activation_that_is_offered_is_written_and_the_first_is_the_default(
    tmp_path, name, plain
):
    order = Order(name, 4, EPS, plain=plain)
    assert order.design().activation == order.activations[0]
    for sigma in order.activations:
        made = export(HMM, Order(name, 4, EPS, plain=plain, activation=sigma), tmp_path / sigma)
        note, _ = read(tmp_path / sigma)
        assert note["sizes"]["activation"] == sigma
        if name == "safetensors":
            model = runpy.run_path(str(tmp_path / sigma / "load.py"))["model"]
            found = model(torch.tensor([2, 0, 1, 1]))
            exact = [[float(x) for x in s] for s in HMM.states("abb")]
            error = (found - torch.tensor(exact, dtype=torch.float64)).norm(dim=-1).max()
            assert float(error) <= float(upper(made.rounded))


def test_gpt2_has_its_own_activation_unless_another_is_asked_for():
    assert Order("gpt2", 4, EPS).design().activation == "gelu_new"
    for bad in ({"format": "llama", "activation": "tanh"}, {"format": "gpt2", "activation": "relu"},
                {"format": "transformerlens", "plain": True, "activation": "tanh"}):  # fmt: skip
        with pytest.raises(InputError, match="--activation"):
            Order(length=4, eps=EPS, **bad)


def test_sizes_are_those_of_the_class_that_loads_the_model(tmp_path):
    for name, keys in (("gpt2", ("n_embd", "n_embd")), ("llama", ("hidden_size", "head_dim")),
                       ("transformerlens", ("d_model", "d_head"))):  # fmt: skip
        made = export(HMM, Order(name, 6, EPS), tmp_path / name)
        config = json.loads((tmp_path / name / "config.json").read_text())
        note, _ = read(tmp_path / name)
        wanted = [config[key] for key in keys]
        assert [made.sizes["d_model"], made.sizes["d_head"]] == wanted
        assert [note["sizes"]["model"], note["sizes"]["head"]] == wanted


def test_idle_states_are_left_out_and_still_delivered(tmp_path):
    idle = WFA.of([1, 0, 0], {"a": [["1/2", 0, "1/2"], [1, 1, 1], [0, 0, 1]]}, [1, 1, 1])
    made = make(idle, Order("safetensors", 5, EPS))
    assert made.simulation.automaton.n == 2 and made.original.n == 3
    (found,) = DecoderModule(made.simulation).states(["aaaaa"])
    exact = torch.tensor(
        [[float(x) for x in state] for state in idle.states("aaaaa")], dtype=torch.float64
    )
    assert float((found - exact).norm(dim=-1).max()) <= float(upper(made.error))
    least = make(idle, Order("safetensors", 5, EPS, minimise=True))
    assert least.simulation.transformer.readout.shape[1] == 1
    (weights,) = DecoderModule(least.simulation).states(["aaaaa"])
    assert abs(float(weights[-1, 0]) - float(idle.weight("aaaaa"))) <= float(upper(least.error))


def test_longer_symbols_are_written_apart_and_blanks_are_refused():
    body = tokenizer.tokenizer(["red", "blue"])
    assert body["model"]["vocab"] == {"red": 0, "blue": 1, "<bos>": 2}
    assert len(body["pre_tokenizer"]["pretokenizers"]) == 1
    for bad in ("a b", "<bos>"):
        with pytest.raises(InputError, match="symbol"):
            tokenizer.vocabulary([bad])


@pytest.mark.parametrize("plain", [False, True], ids=["gated", "plain"])
def test_the_script_of_plain_weights_runs_with_torch_alone(tmp_path, plain, capsys):
    made = export(HMM, Order("safetensors", 6, EPS, plain=plain), tmp_path)
    model = runpy.run_path(str(tmp_path / "load.py"))["model"]
    exact = torch.tensor([[float(x) for x in s] for s in HMM.states("abbab")], dtype=torch.float64)
    found = model(torch.tensor([2, 0, 1, 1, 0, 1]))
    assert float((found - exact).norm(dim=-1).max()) <= float(upper(made.error))
    assert "tensor" in capsys.readouterr().out


@pytest.mark.parametrize("value", ["1e-7", "0.999", "12345.6", "1", "9.991e-3"])
def test_an_error_is_rounded_up_when_it_is_written(value):
    exact = flint.arb(value)
    assert flint.arb(upper(exact)) >= exact.lower()
    assert flint.arb(upper(exact)) <= exact * flint.arb("1.011")
    assert upper(flint.arb(0)) == "0"


def test_the_loader_is_short():
    code = transformerlens.LOADER.split('"""')[2].strip().splitlines()
    assert len([line for line in code if line and "import" not in line]) <= 10


@pytest.mark.parametrize("automaton", [
    WFA.of([1], {"<bos>": [["1/2"]]}, [1]),
    WFA.of([1], {"a": [["1e400"]]}, [1]),
], ids=["bos", "huge"])  # fmt: skip
@pytest.mark.parametrize("name", ["transformerlens", "gpt2", "pt2"])
def test_an_automaton_that_no_float_model_can_hold_is_refused_by_name(tmp_path, automaton, name):
    with pytest.raises(InputError):
        export(automaton, Order(name, 4, EPS), tmp_path)


@pytest.mark.parametrize("order", [
    {"format": "flax"},
    {"dtype": "bfloat16"},
    {"eps": Fraction(0)},
    {"length": 1 << 20},
])  # fmt: skip
def test_what_cannot_be_written_is_refused_by_name(tmp_path, order):
    fields = {"format": "transformerlens", "length": 4, "eps": EPS} | order
    with pytest.raises(InputError):
        export(HMM, Order(**fields), tmp_path)
    with pytest.raises(InputError, match="plain"):
        Order("llama", 4, EPS, plain=True)


def test_bfloat16_is_refused_with_its_reason():
    with pytest.raises(InputError, match=r"up to length 15.* certified for length 1 alone"):
        make(HMM, Order("transformerlens", 4, EPS, dtype="bfloat16"))


@pytest.mark.parametrize("plain", [False, True], ids=["gated", "plain"])
def test_an_automaton_in_lopsided_coordinates_is_scaled_back(plain, monkeypatch):
    units = [1, Fraction(1, 1 << 12)]
    rows = {s: [[w * units[j] / units[i] for j, w in enumerate(row)]
                for i, row in enumerate(HMM.matrix(s))] for s in "ab"}  # fmt: skip
    lopsided = WFA.of([a * u for a, u in zip(HMM.alpha, units, strict=True)], rows, [1, 1])
    order = Order("safetensors", 8, EPS, plain=plain)
    made = make(lopsided, order)
    (found,) = DecoderModule(made.simulation).states(["abbabaab"])
    exact = [[float(x) for x in state] for state in lopsided.states("abbabaab")]
    error = (found.detach() - torch.tensor(exact, dtype=torch.float64)).norm(dim=-1).max()
    assert float(error) <= float(upper(made.rounded))
    monkeypatch.setattr(
        "verify.automaton.exporting.balanced_reduction", lambda reduction: reduction
    )
    unscaled = make(lopsided, order)
    assert made.simulation.saturation < unscaled.simulation.saturation
    assert not plain or made.simulation.design.fineness < unscaled.simulation.design.fineness
    assert "coordinates" in made.constants and "coordinates" not in unscaled.constants


def test_the_stream_holds_the_matrices_of_the_automaton_that_is_written_beside_it(tmp_path):
    idle = WFA.of([1, 0, 0], {"a": [["1/2", 0, "1/2"], [1, 1, 1], [0, 0, 1]]}, [1, 1, 1])
    export(idle, Order("safetensors", 4, EPS), tmp_path)
    inside, weights = load(tmp_path / "stream.json"), load_file(tmp_path / "model.safetensors")
    held = [
        float(w) - (i == j) for i, row in enumerate(inside.matrix("a")) for j, w in enumerate(row)
    ]
    assert inside.n == 2 and weights["embed.W_E"][0, :4].tolist() == held
