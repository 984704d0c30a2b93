"""Exported folders: complete, plain, and their weights are the construction's."""

import json
import runpy
from dataclasses import replace
from fractions import Fraction

import flint
import pytest
import torch
from export_support import STATE_FORMATS
from safetensors.torch import load_file
from torch.nn import functional

from constructions.automata.families import hmm
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.exports.order import Order, settle
from constructions.files.formats import load
from constructions.modules.decoder import DecoderModule
from verify.automaton.certificate import upper
from verify.automaton.constants import choose, format_precision, has_even_scale, reduce
from verify.automaton.export import export, make
from verify.automaton.sampling import measure
from verify.bounds.decoder_rounding import exact_error, state_error

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LEAVES = WTA.of([1, 0], [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip


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


@pytest.fixture(scope="module", params=STATE_FORMATS)
def written(request, tmp_path_factory):
    """A format, and the folder of a small model in it."""
    folder = tmp_path_factory.mktemp("exported")
    export(HMM, Order(6, format=request.param), folder)
    return request.param, folder


@pytest.mark.parametrize("plain", [False, True], ids=["gated", "plain"])
def test_stock_weights_run_in_a_textbook_decoder(tmp_path, plain):
    made = export(HMM, Order(6, format="transformerlens", plain=plain), tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    found = stock(weights, 3, torch.tensor([2, 0, 1, 1, 0, 1]), not plain)
    exact = torch.tensor(
        [[float(x) for x in state] for state in HMM.states("abbab")], dtype=torch.float64
    )
    assert float((found - exact).norm(dim=-1).max()) <= float(made.guarantee.error)
    weights["blocks.1.attn.W_Q"] *= 0.5
    wrong = stock(weights, 3, torch.tensor([2, 0, 1, 1, 0, 1]), not plain)
    assert float((wrong - exact).norm(dim=-1).max()) > float(made.guarantee.error)


def test_the_card_has_the_certified_error_with_rounding_in_every_format(written):
    note, card = read(written[1])
    assert float(note["certified_error"]) <= float(note["certified_error_with_rounding"])
    for name in ("certified_error", "certified_error_with_rounding", "theorem"):
        assert note[name] in card


def read(folder):
    return json.loads((folder / "model.json").read_text()), (folder / "README.md").read_text()


def test_where_rounding_is_not_certified_the_card_says_what_was_measured(tmp_path):
    export(HMM, Order(256, format="gpt2", dtype="float32"), tmp_path / "plain")
    export(LEAVES, Order(100, format="transformerlens", dtype="float32"), tmp_path / "tree")
    export(HMM, Order(1200, format="llama"), tmp_path / "llama")
    for name in ("plain", "tree"):
        note, card = read(tmp_path / name)
        assert note["certified_error_with_rounding"] is None
        assert f"measured {note['measured_error']}, rounding not certified" in card
        assert float(note["measured_error"]) > 0
    note, card = read(tmp_path / "llama")
    assert "rounding not certified" in card
    assert "C grows like T²" in card


@pytest.mark.parametrize("length", [22, 100])
def test_a_tree_decoder_is_certified_in_exact_arithmetic_and_no_tree_exceeds_it(length):
    model, guarantee = make(LEAVES, Order(length))
    assert guarantee.rounded is None
    assert measure(model).error <= flint.arb(guarantee.error) <= flint.arb("1e-6")


@pytest.mark.parametrize("minimise", [False, True])
def test_what_is_measured_is_the_error_of_the_outputs(minimise):
    model, guarantee = make(HMM, Order(8, minimise=minimise))
    assert measure(model).error <= float(guarantee.error)
    other = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/4", "1/2"], ["3/4", "1/2"]], [1, 0], "ab")
    assert measure(replace(model, automaton=other)).error > float(guarantee.error)


@pytest.mark.parametrize("plain", [False, True], ids=["gated", "plain"])
def test_every_activation_that_is_offered_keeps_the_error_with_rounding(tmp_path, plain):
    target = Order(4).target
    for sigma in target.smooth if plain else target.gates:
        made = export(HMM, Order(4, plain=plain, activation=sigma), tmp_path / sigma)
        assert read(tmp_path / sigma)[0]["activation"] == sigma
        model = runpy.run_path(str(tmp_path / sigma / "load.py"))["model"]
        found = model(torch.tensor([[2, 0, 1, 1]]))[0]
        exact = [[float(x) for x in s] for s in HMM.states("abb")]
        error = (found - torch.tensor(exact, dtype=torch.float64)).norm(dim=-1).max()
        assert float(error) <= float(made.guarantee.rounded)


def test_sizes_are_those_of_the_class_that_loads_the_model(tmp_path):
    for name, keys in (("gpt2", ("n_embd", "n_embd")), ("llama", ("hidden_size", "head_dim")),
                       ("transformerlens", ("d_model", "d_head"))):  # fmt: skip
        made = export(HMM, Order(6, format=name), tmp_path / name)
        config = json.loads((tmp_path / name / "config.json").read_text())
        note, _ = read(tmp_path / name)
        wanted = [config[key] for key in keys]
        assert [made.model.sizes["d_model"], made.model.sizes["d_head"]] == wanted
        assert [note["sizes"]["d_model"], note["sizes"]["d_head"]] == wanted


def test_idle_states_are_left_out_and_still_delivered():
    idle = WFA.of([1, 0, 0], {"a": [["1/2", 0, "1/2"], [1, 1, 1], [0, 0, 1]]}, [1, 1, 1])
    model, guarantee = make(idle, Order(5))
    assert model.stream.n == 2 and model.automaton.n == 3
    (found,) = DecoderModule(model.simulation).states(["aaaaa"])
    exact = torch.tensor(
        [[float(x) for x in state] for state in idle.states("aaaaa")], dtype=torch.float64
    )
    assert float((found - exact).norm(dim=-1).max()) <= float(guarantee.error)
    least, smaller = make(idle, Order(5, minimise=True))
    assert least.sizes["outputs"] == 1
    (weights,) = DecoderModule(least.simulation).states(["aaaaa"])
    assert abs(float(weights[-1, 0]) - float(idle.weight("aaaaa"))) <= float(smaller.error)


@pytest.mark.parametrize("value", ["1e-7", "0.999", "12345.6", "1", "9.991e-3"])
def test_an_error_is_rounded_up_when_it_is_written(value):
    exact = flint.arb(value)
    assert flint.arb(upper(exact)) >= exact.lower()
    assert flint.arb(upper(exact)) <= exact * flint.arb("1.011")
    assert upper(flint.arb(0)) == "0"
    assert [upper(Fraction(x)) for x in ("1/1000", "2/3", "0", "1e-6")] == [
        "1.00e-3", "6.67e-1", "0", "1.00e-6"]  # fmt: skip


def test_the_stream_holds_the_matrices_of_the_automaton_that_is_written_beside_it(tmp_path):
    idle = WFA.of([1, 0, 0], {"a": [["1/2", 0, "1/2"], [1, 1, 1], [0, 0, 1]]}, [1, 1, 1])
    export(idle, Order(4), tmp_path)
    inside, weights = load(tmp_path / "stream.json"), load_file(tmp_path / "model.safetensors")
    held = [
        float(w) - (i == j) for i, row in enumerate(inside.matrix("a")) for j, w in enumerate(row)
    ]
    assert inside.n == 2 and weights["embed.W_E"][0, :4].tolist() == held


def test_a_plain_model_has_the_step_that_suits_its_format_and_says_what_it_does(tmp_path):
    """In float32 the step of exact arithmetic, 2^-14, gave an error of 1e-3 under a headline below 1e-6."""
    made = export(HMM, Order(16, format="gpt2", dtype="float32"), tmp_path)
    exact, _ = make(HMM, Order(16, format="gpt2"))
    note, card = read(tmp_path)
    rounded, bound = note["certified_error_with_rounding"], float(note["certified_error"])
    assert made.model.constants.fineness < exact.constants.fineness - 4
    assert made.summary().splitlines()[0].split(": ", 1)[1] in card
    assert f"certified {rounded}; exact arithmetic" in made.summary().splitlines()[0]
    assert "use dtype=float64, levels=2" in made.summary()
    finer = replace(made.model, constants=exact.constants, simulation=exact.simulation)
    assert float(measure(made.model).error) <= bound < float(rounded)
    assert float(measure(made.model).error) < float(measure(finer).error)


def test_twice_the_least_c_makes_up_for_the_rounding_of_rotary_scores():
    """In float32 a norm and RoPE move scores by a share of C; with the least C the leak grows."""
    order = settle(Order(64, format="llama", dtype="float32", eps="1e-4"), words=True)
    decision = choose(HMM, order, reduce(HMM, order))
    facts, setting = decision.facts, decision.choice.setting
    least = replace(setting, saturation=setting.saturation / 2)
    assert decision.error < exact_error(facts, least) <= ball(order.error)
    rounded = [
        state_error(facts, each, format_precision(order), has_even_scale(facts.n))
        for each in (setting, least)
    ]
    assert 4 * rounded[0] < rounded[1]
