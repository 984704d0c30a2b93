"""A model taken away and loaded again gives the automaton's states, whatever was built."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from export_support import ADDER, NOTHING, counter, model_of, written
from safetensors.torch import load_file, save_file

from constructions.automata.families import counting
from constructions.automata.trees import balanced_tree, comb, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.exports.folder import write
from constructions.exports.loader import load_model
from constructions.exports.order import Order

MODELS = [
    (counting(), Order(6)),
    (counting(), Order(6, plain=True)),
    (counting(), Order(6, format="npz")),
    (counting(), Order(6, "exact")),
    (counting(), Order(1, "exact")),
    (counting(), Order(6, "soft", feedforward="exact")),
    (counting(), Order(6, "soft")),
    (ADDER, Order(10)),
    (ADDER, Order(10, "tree")),
    (ADDER, Order(2, "tree")),
    (ADDER, Order(10, "logdepth")),
    (ADDER, Order(10, "tree", attention="soft", feedforward="exact")),
    (ADDER, Order(10, "logdepth", attention="soft")),
]
# MLPs with h = 2^-12 are off by about 2^-24 a product of numbers below 12, in up to five layers.
CLOSE = 1e-3


@pytest.mark.parametrize(("automaton", "order"), MODELS, ids=lambda value: str(value)[:60])
def test_a_loaded_model_gives_the_automatons_states(
    automaton: WFA | WTA, order: Order, tmp_path: Path
) -> None:
    model = load_model(write(model_of(automaton, order, 3000), NOTHING, tmp_path))
    if isinstance(automaton, WFA):
        words: list[Any] = ["", "0", "010010"[: order.length]]
        exact = [dict(enumerate(automaton.states(word))) for word in words]
    else:
        leaves = ["a", "b", "a", "b"][: (order.length + 2) // 3]
        words = [shape(leaves) for shape in (comb, balanced_tree)]
        exact = [automaton.states(tokens(tree)) for tree in words]
    with torch.no_grad():
        for states, truth in zip(model.states(words), exact, strict=True):
            for place, state in truth.items():
                assert states[place].tolist() == pytest.approx([float(w) for w in state], abs=CLOSE)
        weights = [float(automaton.weight(word)) for word in words]
        assert model.weight(words).tolist() == pytest.approx(weights, abs=CLOSE)


def test_the_exact_model_gives_exact_states(tmp_path: Path) -> None:
    (states,) = load_model(counter(tmp_path, 6, construction="exact")).states(["010010"])
    assert states.tolist() == [[float(w) for w in s] for s in counting().states("010010")]


def test_a_string_is_one_word_and_whole_numbers_are_symbols(tmp_path: Path) -> None:
    model = load_model(counter(tmp_path, 4, construction="exact"))
    for words in ("0100", ["0100"], [[0, 1, 0, 0]]):
        assert model.weight(words).tolist() == [3]
        assert len(model.states(words)) == 1
    assert model.encode([0, 1]) == model.encode("01")


def test_a_minimised_model_gives_weights(tmp_path: Path) -> None:
    from verify.automaton.export import export

    folder = export(counting(), Order(6, minimise=True), tmp_path).folder
    model = load_model(str(folder))
    assert model.weight(["0100", "1"]).tolist() == pytest.approx([3, 0], abs=1e-6)
    assert model.outputs(["0100"])[0].shape == (5, 1)


def test_weights_come_from_the_file_and_changed_ones_are_refused_unless_allowed(
    tmp_path: Path,
) -> None:
    for number, asked in enumerate(({}, {"construction": "exact"})):
        folder = counter(tmp_path / str(number), 4, **asked)
        weights = load_file(folder / "model.safetensors")
        first = "letters" if asked else "embed.W_E"
        weights[first] = weights[first] * 2
        save_file(weights, folder / "model.safetensors")
        with pytest.raises(InputError, match="as exported"):
            load_model(folder)
        found = load_model(folder, changed=True).weight(["0000"])
        assert found.item() != pytest.approx(4, abs=0.1)


def test_a_decoder_is_trained_further_under_the_names_of_its_file(tmp_path: Path) -> None:
    folder = counter(tmp_path, 4)
    model = load_model(folder)
    assert set(model.module.state_dict()) == set(load_file(folder / "model.safetensors"))
    model.weight(["0100"]).sum().backward()
    assert model.module.get_parameter("embed.W_E").grad.abs().sum() > 0


ONE_BY_ONE = r"""
import runpy, sys
for script in sys.argv[1:]:
    runpy.run_path(script, run_name="__main__")
    print("\0")
"""
SCRIPTS = {
    "exact": ({"construction": "exact"}, "[4., 1.]"),
    "tree": ({"construction": "tree"}, "[2., 1.]"),
    "decoder": ({}, "[4., 1.]"),
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Output of the loading scripts, in one new interpreter."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, (asked, _) in SCRIPTS.items():
        written(folder / name, ADDER if name == "tree" else counting(), 6, **asked)
    run = subprocess.run(
        [sys.executable, "-c", ONE_BY_ONE, *(str(folder / name / "load.py") for name in SCRIPTS)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert run.returncode == 0, run.stderr
    return dict(zip(SCRIPTS, run.stdout.split("\0\n")[:-1], strict=True))


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_loading_script_runs_in_a_new_interpreter(name: str, printed: dict[str, str]) -> None:
    assert SCRIPTS[name][1] in printed[name]


def damage(folder: Path, change: str) -> None:
    """Damage a folder so that loading it must fail."""
    note = json.loads((folder / "model.json").read_text())
    match change:
        case "weights":
            (folder / "model.safetensors").write_bytes(b"\xff" * 20)
        case "missing":
            (folder / "model.safetensors").unlink()
        case "digits":
            note["length"] = int("1" * 4000)
        case "layers":
            note["sizes"]["layers"] = "two"
        case "activation":
            note["activation"] = "dropout"
        case _:
            note[change] = {"length": 8, "levels": 0, "fineness": 99999}.get(change, "other")
    text = json.dumps(note).replace("1" * 4000, "1" * 5000)
    (folder / "model.json").write_text("[" if change == "json" else text)


CHANGES = ("schema", "format", "digits", "construction", "weights", "missing", "json", "layers",
           "saturation", "attention", "feedforward", "dtype", "tokens", "outputs", "activation")  # fmt: skip


@pytest.mark.parametrize("change", [*CHANGES, "length", "levels", "fineness"])
@pytest.mark.parametrize("construction", ["decoder", "soft"])
def test_a_damaged_folder_is_one_clear_line(construction: str, change: str, tmp_path: Path) -> None:
    folder = counter(tmp_path, 4, construction=construction)
    damage(folder, change)
    if construction == "decoder" and change in ("length", "levels", "fineness", "saturation"):
        load_model(folder)  # said, and not needed to run the weights
        return
    with pytest.raises(InputError) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("length", [10**7, 10**40])
def test_a_length_that_the_weights_cannot_be_of_is_refused_before_anything_is_built(
    length: int, tmp_path: Path
) -> None:
    folder = counter(tmp_path, 4, construction="exact")
    note = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**note, "length": length}))
    with pytest.raises(InputError, match=r"a length whose weights are the .* of the folder"):
        load_model(folder)


@pytest.mark.parametrize("schema", ["assay-model-1", "assay-decoder-1"])
def test_a_folder_of_an_earlier_version_is_refused_with_what_to_do(
    schema: str, tmp_path: Path
) -> None:
    folder = counter(tmp_path, 4)
    (folder / "model.json").write_text(json.dumps({"schema": schema}))
    with pytest.raises(InputError) as caught:
        load_model(folder)
    line = f"schema: found {schema}, expected assay-model-2; an earlier version wrote this folder"
    assert line in str(caught.value)
    assert "export the automaton again" in str(caught.value)


@pytest.mark.parametrize(
    ("word", "line"),
    [("02", "symbols of 0, 1"), ("0" * 5, "at most 4, the length")],
)
def test_an_input_that_the_model_cannot_read_is_refused(
    word: str, line: str, tmp_path: Path
) -> None:
    model = load_model(counter(tmp_path, 4))
    with pytest.raises(InputError, match=line):
        model.weight([word])


def test_a_library_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match="expected torch, transformers, for gpt2"):
        load_model(counter(tmp_path, 4, format="gpt2"))
