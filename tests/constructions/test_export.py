"""A construction taken away and loaded again gives the same states."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from constructions import export as export_module
from constructions.errors import InputError
from constructions.export import Order, export, load, module_for
from constructions.families import counting
from constructions.trees import balanced, comb, tokens
from constructions.wfa import WFA
from constructions.wta import WTA

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SEQUENCES = [Order("exact", 6), Order("soft", 6, Fraction(300)), Order("exact", 1)]
TREES = [Order("tree", 10), Order("logdepth", 10), Order("tree", 2)]


@pytest.mark.parametrize("order", SEQUENCES, ids=str)
def test_a_loaded_sequence_model_gives_the_same_states(order: Order, tmp_path: Path) -> None:
    module = module_for(counting(), order)
    loaded, body = load(export(counting(), order, tmp_path / "model"))
    words = module.encode(["010010"[: order.length], "000111"[: order.length]])
    assert torch.equal(module(words), loaded(words))
    assert body["construction"] == order.construction
    assert body["alphabet"] == ["0", "1"]


def test_the_loaded_exact_model_gives_the_automatons_states(tmp_path: Path) -> None:
    loaded, _ = load(export(counting(), Order("exact", 6), tmp_path))
    found = loaded(loaded.encode(["010010"]))[0]
    exact = [[float(w) for w in state] for state in counting().states("010010")]
    assert found.tolist() == exact


@pytest.mark.parametrize("order", TREES, ids=str)
def test_a_loaded_tree_model_gives_the_automatons_states(order: Order, tmp_path: Path) -> None:
    loaded, _ = load(export(ADDER, order, tmp_path))
    leaves = (order.length + 2) // 3
    for shape in (comb, balanced):
        string = tokens(shape(["a", "b", "a", "b"][:leaves]))
        found = loaded(loaded.encode([string]))[0].tolist()
        for i, state in ADDER.states(string).items():
            assert found[i - 1] == [float(w) for w in state]


def test_the_weights_come_from_the_file(tmp_path: Path) -> None:
    folder = export(counting(), Order("exact", 4), tmp_path)
    weights = load_file(folder / "weights.safetensors")
    weights["letters"] = weights["letters"] * 2
    save_file(weights, folder / "weights.safetensors")
    with pytest.raises(InputError, match="as exported"):
        load(folder)
    loaded, _ = load(folder, changed=True)
    found = loaded(loaded.encode(["0000"]))[0]
    assert found[-1].tolist() != [4.0, 1.0]


def test_the_loading_script_runs_and_is_ten_lines(tmp_path: Path) -> None:
    folder = export(counting(), Order("exact", 4), tmp_path)
    script = folder / "load.py"
    assert len(script.read_text().splitlines()) <= 10
    paths = os.pathsep.join(path for path in sys.path if path)
    run = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert run.returncode == 0, run.stderr
    assert "[4., 1.]" in run.stdout


@pytest.mark.parametrize("name", ["exact", pytest.param("tree", marks=pytest.mark.slow)])
def test_torch_export_and_compile_give_the_same_states(name: str) -> None:
    automaton: WFA | WTA = counting() if name == "exact" else ADDER
    module = module_for(automaton, Order(name, 4))
    example = ["0", "1", "0", "0"] if name == "exact" else ["[", "a", "b", "]"]
    words = module.encode([example, example])
    exported = torch.export.export(module, (words,)).module()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    assert torch.equal(exported(words), module(words))
    assert torch.equal(compiled(words), module(words))


def test_a_write_that_fails_leaves_the_previous_model_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export(counting(), Order("exact", 4), tmp_path)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_module.os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        export(counting(), Order("exact", 8), tmp_path)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("automaton", "order", "culprit"),
    [
        (counting(), Order("tree", 4), "exact or soft"),
        (ADDER, Order("exact", 4), "tree or logdepth"),
        (counting(), Order("soft", 4), "saturation"),
        (counting(), Order("exact", 0), "length"),
        (counting(), Order("soft", 4, Fraction(-1)), "saturation"),
    ],
)
def test_an_order_that_cannot_be_met_is_refused(
    automaton: WFA | WTA, order: Order, culprit: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=culprit):
        export(automaton, order, tmp_path)
    assert not list(tmp_path.iterdir())


def test_unknown_constructions_and_formats_are_refused() -> None:
    with pytest.raises(InputError, match="construction"):
        Order("magic", 4)
    with pytest.raises(InputError, match="dtype"):
        Order("exact", 4, None, "float8")


def test_a_model_too_large_to_build_is_refused_at_once(tmp_path: Path) -> None:
    zeros = [[0] * 100 for _ in range(100)]
    large = WFA.of([1] * 100, {"a": zeros}, [1] * 100)
    with pytest.raises(InputError, match="100 states at length 64"):
        export(large, Order("exact", 64), tmp_path)


def damaged(folder: Path, change: str) -> None:
    body = json.loads((folder / "model.json").read_text())
    match change:
        case "schema":
            body["schema"] = "other"
        case "length":
            body["length"] = 8
        case "construction":
            body["construction"] = "none"
        case "weights":
            (folder / "weights.safetensors").write_bytes(b"\xff" * 20)
        case "missing":
            (folder / "weights.safetensors").unlink()
    (folder / "model.json").write_text("[" if change == "json" else json.dumps(body))


@pytest.mark.parametrize(
    "change", ["schema", "length", "construction", "weights", "missing", "json"]
)
def test_a_damaged_folder_is_one_clear_line(change: str, tmp_path: Path) -> None:
    folder = export(counting(), Order("exact", 4), tmp_path)
    damaged(folder, change)
    with pytest.raises(InputError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(InputError, match="a place to write"):
        export(counting(), Order("exact", 4), tmp_path / "file")
