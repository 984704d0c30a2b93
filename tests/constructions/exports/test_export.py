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

from constructions.arithmetic import blocks
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting
from constructions.automata.trees import balanced_tree, comb, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.transformer import Attention
from constructions.exports import constructions as export_module
from constructions.exports.constructions import Order, export, load, module_for
from constructions.modules.trees import TreeModule
from constructions.modules.words import SequenceModule

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SEQUENCES = [Order("exact", 6), Order("soft", 6, Fraction(300)), Order("exact", 1)]
TREES = [Order("tree", 10), Order("logdepth", 10), Order("tree", 2)]
FOUR = [*SEQUENCES[:2], *TREES[:2]]


def some(*quick: str) -> list[Any]:
    """All four constructions; those that are not named only where there is time."""
    return [o if o.construction in quick else pytest.param(o, marks=pytest.mark.slow) for o in FOUR]


def test_an_order_is_hard_in_double_precision_unless_asked() -> None:
    order = Order("exact", 4)
    assert (order.saturation, order.dtype, order.fineness) == (None, "float64", None)
    assert (order.activation, order.note, order.levels) == ("gelu", "", 1)
    assert order.units is None
    assert order.attention is Attention.HARD
    soft = Order("soft", 4, Fraction(50), fineness=3, levels=2)
    assert soft.attention is Attention.SOFT
    assert soft.units is not None
    assert (soft.units.levels, soft.units.finest.step) == (2, Fraction(1, 8))


def test_the_description_of_a_small_model_is_this() -> None:
    found = export_module.description(counting(), Order("soft", 4, Fraction(5, 2)))
    assert found["schema"] == "assay-model-1"
    assert (found["attention"], found["saturation"]) == ("soft", "5/2")
    assert (found["feedforward"], found["activation"], found["levels"]) == (
        "exact product",
        None,
        None,
    )
    assert (found["states"], found["alphabet"]) == (2, ["0", "1"])
    assert found["example"] == ["0"] * 4
    assert found["claims"] == ["thm2", "thm2.choose"]
    assert (found["sizes"]["depth"], found["sizes"]["embedding"]) == (2, 10)
    assert found["sizes"]["largest"] == "1.5811388", "the root of 5/2"
    tree = export_module.description(ADDER, Order("logdepth", 4, Fraction(9), fineness=3))
    assert (tree["feedforward"], tree["activation"], tree["levels"]) == ("mlp", "gelu", 1)
    assert tree["claims"] == ["beyond.logdepth.encoder", "beyond.logdepth.soft"]
    assert tree["example"] == ["[", "a", "a", "]"]
    assert export_module.description(ADDER, Order("tree", 3))["example"] == ["a"]
    assert export_module.description(ADDER, Order("tree", 3))["saturation"] is None
    assert export_module.description(counting(), Order("exact", 2))["example"] == ["0", "0"]


@pytest.mark.parametrize(
    ("automaton", "order", "weights"),
    [
        (counting(), Order("exact", 4), 12 * 25 * 2 * 2),
        (counting(), Order("exact", 5), 12 * 25 * 2 * 3),
        (ADDER, Order("tree", 10), 10**2 * 4 * 3),
        (ADDER, Order("tree", 2), 10**2 * 4),
        (ADDER, Order("logdepth", 10), 10**5 * 4 * 3),
    ],
)
def test_the_estimate_of_weights_by_hand(
    automaton: WFA | WTA, order: Order, weights: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (export_module.MOST_WEIGHTS, export_module.LONGEST) == (200_000_000, 1 << 16)
    monkeypatch.setattr(export_module, "MOST_WEIGHTS", weights)
    assert export_module.checked(automaton, order) is automaton
    monkeypatch.setattr(export_module, "MOST_WEIGHTS", weights - 1)
    line = f"2 states at length {order.length}, about {weights} weights, expected at most {weights - 1}"
    with pytest.raises(InputError, match=line):
        export_module.checked(automaton, order)


def test_the_longest_model_is_built_and_no_longer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module, "LONGEST", 5)
    assert export_module.checked(counting(), Order("exact", 5))
    with pytest.raises(InputError, match="length: found 6, expected at most 5, to build a model"):
        export_module.checked(counting(), Order("exact", 6))


def test_an_infinite_weight_is_named_with_the_largest_number_of_its_format() -> None:
    fine = {"w": torch.ones(1, dtype=torch.float32)}
    assert export_module.finite(fine) is fine
    with pytest.raises(
        InputError, match=r"infinity in w, expected numbers below 3\.4e\+38, for float32"
    ):
        export_module.finite({"w": torch.tensor([float("inf")], dtype=torch.float32)})


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (
            lambda: Order("exact", 4, fineness=3),
            "fineness: found 3, expected nothing, where attention is hard",
        ),
        (
            lambda: Order("soft", 4, Fraction(1), fineness=3, activation="relu"),
            "activation: found relu",
        ),
        (
            lambda: Order("magic", 4),
            "construction: found magic, expected one of exact, soft, tree, logdepth",
        ),
        (
            lambda: Order("exact", 4, dtype="int8"),
            "dtype: found int8, expected one of float64, float32",
        ),
        (lambda: Order("soft", 4, Fraction(0)), "saturation: found 0, expected a number > 0"),
        (
            lambda: Order("exact", 4, Fraction(5)),
            "saturation: found 5, for exact, expected nothing",
        ),
    ],
)
def test_each_field_of_an_order_has_its_own_line(order: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        order()
    assert words in str(caught.value)


def test_the_error_on_a_sample_is_small_and_seen() -> None:
    assert export_module.sampled_error(counting(), Order("exact", 5)) == 0
    assert export_module.sampled_error(ADDER, Order("tree", 10)) < 1e-9
    assert export_module.sampled_error(counting(), Order("soft", 5, Fraction(1))) > 0.1


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
    for shape in (comb, balanced_tree):
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
    return module.encode([tokens((comb, balanced_tree)[i % 2](leaves)) for i in range(size)])


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

    monkeypatch.setattr(os, "fsync", full)
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
