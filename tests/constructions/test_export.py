"""A construction taken away and loaded again gives the same states."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.export import Dim

from constructions import export as export_module
from constructions.arithmetic import blocks
from constructions.arithmetic.torch import Torch
from constructions.errors import InputError
from constructions.export import Order, export, load, module_for
from constructions.families import counting
from constructions.module import SequenceModule
from constructions.modules_trees import TreeModule
from constructions.trees import balanced, comb, tokens
from constructions.wfa import WFA
from constructions.wta import WTA

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SEQUENCES = [Order("exact", 6), Order("soft", 6, Fraction(300)), Order("exact", 1)]
TREES = [Order("tree", 10), Order("logdepth", 10), Order("tree", 2)]
FOUR = [*SEQUENCES[:2], *TREES[:2]]


def some(*quick: str) -> list[Any]:
    """All four constructions; those that are not named only where there is time."""
    return [o if o.construction in quick else pytest.param(o, marks=pytest.mark.slow) for o in FOUR]


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


def test_folders_may_be_named_by_text(tmp_path: Path) -> None:
    folder = export(counting(), Order("exact", 4), str(tmp_path / "model"))
    assert load(str(folder))[0].weight(["0100"]).tolist() == [3.0]


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


ONE_BY_ONE = r"""
import runpy, sys
for script in sys.argv[1:]:
    runpy.run_path(script, run_name="__main__")
    print("\0")
"""
SHOWN = {"exact": "[4., 1.]", "soft": "[4.0000e+00, 1.0000e+00]"}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """The loading script of every construction and what it prints, in one new interpreter."""
    folder = tmp_path_factory.mktemp("scripts")
    orders = {order.construction: order for order in FOUR}
    for name, order in orders.items():
        export(counting() if order in SEQUENCES else ADDER, order, folder / name)
    files = {name: folder / name / "load.py" for name in orders}
    run = subprocess.run(
        [sys.executable, "-c", ONE_BY_ONE, *map(str, files.values())],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    assert run.returncode == 0, run.stderr
    printed = run.stdout.split("\0\n")[:-1]
    return {name: (files[name], said) for name, said in zip(orders, printed, strict=True)}


@pytest.mark.parametrize("name", [order.construction for order in FOUR])
def test_the_loading_script_runs_and_is_ten_lines(
    name: str, scripts: dict[str, tuple[Path, str]]
) -> None:
    script, printed = scripts[name]
    assert len(script.read_text().splitlines()) <= 10
    assert SHOWN.get(name, "[2., 1.]") in printed


def module_of(order: Order) -> SequenceModule | TreeModule:
    return module_for(counting() if order in SEQUENCES else ADDER, order)


def batch(module: SequenceModule | TreeModule, size: int, length: int) -> torch.Tensor:
    """So many words of so many letters, or trees of at most so many tokens."""
    if isinstance(module, SequenceModule):
        return module.encode([format(5 * i % 2**length, f"0{length}b") for i in range(size)])
    leaves = ["a", "b", "b", "a"][: (length + 2) // 3]
    return module.encode([tokens((comb, balanced)[i % 2](leaves)) for i in range(size)])


LENGTHS = {
    "exact": (1, 2, 5, 6),
    "soft": (1, 2, 5, 6),
    "tree": (1, 4, 7, 10),
    "logdepth": (1, 7, 10),
}


@pytest.mark.parametrize("order", some("exact", "tree"), ids=lambda o: o.construction)
def test_one_exported_graph_serves_every_size_of_batch_and_every_length(order: Order) -> None:
    module = module_of(order)
    sizes = {0: Dim("batch"), 1: Dim("length", max=order.length)}
    program = torch.export.export(
        module, (batch(module, 2, order.length),), dynamic_shapes=(sizes,)
    ).module()
    for length in LENGTHS[order.construction]:
        for size in (1, 2, 5):
            words = batch(module, size, length)
            assert torch.equal(program(words), module(words))
    with pytest.raises(AssertionError, match=str(order.length)):
        program(torch.zeros((2, order.length + 1), dtype=torch.int64))


@pytest.mark.parametrize("order", some("exact"), ids=lambda o: o.construction)
def test_a_graph_compiled_without_breaks_gives_the_same_states(order: Order) -> None:
    module = module_of(order)
    torch.compiler.reset()
    compiled = torch.compile(module, backend="eager", fullgraph=True)
    for size in (2, 5):
        words = batch(module, size, order.length)
        assert torch.equal(compiled(words), module(words))


@pytest.mark.slow
@pytest.mark.parametrize("order", FOUR, ids=lambda o: o.construction)
def test_generated_code_gives_the_same_states(order: Order) -> None:
    module = module_of(order)
    torch.compiler.reset()
    compiled = torch.compile(module, fullgraph=True)
    words = batch(module, 3, order.length)
    with torch.no_grad():
        error = (compiled(words) - module(words)).abs().max()
    assert float(error) <= (0 if order.construction == "exact" else 1e-9)


def test_a_batch_of_one_cannot_stand_for_every_size() -> None:
    module = module_of(FOUR[0])
    with pytest.raises(Exception, match="specialized it to be a constant"):
        torch.export.export(module, (batch(module, 1, 6),), dynamic_shapes=({0: Dim("batch")},))


def test_graphs_hold_the_dense_pass_and_not_a_node_for_each_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", 1)
    monkeypatch.setattr(blocks, "FEWEST", 1)
    module = module_of(FOUR[0])
    sizes = []
    for arithmetic in (module.transformer.arithmetic, Torch()):
        module.transformer.arithmetic = arithmetic
        sizes.append(len(torch.export.export(module, (batch(module, 2, 6),)).graph.nodes))
    assert sizes[0] == sizes[1]


ALONE = """
import sys, torch
assert not any(name.startswith(("constructions", "verify")) for name in sys.modules)
words, states = torch.load(sys.argv[2], weights_only=True)
assert torch.equal(torch.export.load(sys.argv[1]).module()(words), states)
assert not any(name.startswith(("constructions", "verify")) for name in sys.modules)
print("equal")
"""


@pytest.mark.slow
def test_an_exported_program_runs_where_assay_is_not_installed(tmp_path: Path) -> None:
    module = module_of(FOUR[0])
    words = batch(module, 4, 6)
    program = torch.export.export(module, (words,), dynamic_shapes=({0: Dim("batch")},))
    torch.export.save(program, tmp_path / "model.pt2")
    torch.save([words, module(words).detach()], tmp_path / "expected.pt")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path / "model.pt2"), str(tmp_path / "expected.pt")],
        capture_output=True, text=True, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout == "equal\n", done.stderr


@pytest.mark.parametrize(("name", "constant"), [("tree", 1328), ("logdepth", 40)])
def test_a_soft_tree_model_is_near_the_states_and_says_so(
    name: str, constant: int, tmp_path: Path
) -> None:
    loaded, body = load(export(ADDER, Order(name, 10, Fraction(constant)), tmp_path))
    assert (body["attention"], body["saturation"]) == ("soft", str(constant))
    assert f"beyond.{name}.soft" in body["claims"]
    string = tokens(comb(["a", "b", "a", "b"]))
    found = loaded(loaded.encode([string]))[0].tolist()
    for i, state in ADDER.states(string).items():
        assert found[i - 1] == pytest.approx([float(w) for w in state], abs=1e-6)
    far, _ = load(export(ADDER, Order(name, 10, Fraction(1)), tmp_path))
    assert far(far.encode([string]))[0, 0, 0].item() != pytest.approx(12, abs=1e-6)


def test_the_description_says_what_graphs_can_do(tmp_path: Path) -> None:
    body = json.loads((export(counting(), Order("exact", 4), tmp_path) / "model.json").read_text())
    assert body["attention"] == "hard"
    assert any("torch.export" in limit and "torch.compile" in limit for limit in body["limits"])


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
        (counting(), Order("exact", 1 << 20), "length: found 1048576"),
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


@pytest.mark.parametrize(
    ("name", "constant", "culprit"),
    [
        ("soft", Fraction(-1), "a number > 0"),
        ("tree", Fraction(0), "a number > 0"),
        ("exact", Fraction(5), "its attention is hard"),
    ],
)
def test_a_constant_that_means_nothing_is_refused(
    name: str, constant: Fraction, culprit: str
) -> None:
    with pytest.raises(InputError, match=culprit):
        Order(name, 4, constant)


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
        case "digits":
            body["length"] = int("1" * 4000)
        case "construction":
            body["construction"] = "none"
        case "weights":
            (folder / "weights.safetensors").write_bytes(b"\xff" * 20)
        case "missing":
            (folder / "weights.safetensors").unlink()
    text = json.dumps(body).replace("1" * 4000, "1" * 5000)
    (folder / "model.json").write_text("[" if change == "json" else text)


@pytest.mark.parametrize(
    "change", ["schema", "length", "digits", "construction", "weights", "missing", "json"]
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


@pytest.mark.parametrize(("value", "fits"), [(1, True), (16384, True), (0, False), (16385, False)])
def test_a_step_is_at_least_two_to_the_power_minus_16384(value: int, fits: bool) -> None:
    if fits:
        assert export_module._fineness(value) == value
    else:
        with pytest.raises(InputError, match=r"fineness: found .* from 1 to 16384"):
            export_module._fineness(value)
