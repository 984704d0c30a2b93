"""Graphs of torch: one serves all batches and lengths, and runs where Assay is not installed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from export_support import ADDER, counter, model_of, written
from torch.export import Dim

from constructions.arithmetic import blocks
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting
from constructions.automata.trees import balanced_tree, comb, tokens
from constructions.core.errors import InputError
from constructions.exports.loader import load_model
from constructions.exports.order import Order
from constructions.modules.tree_module import TreeModule
from constructions.modules.word_module import SequenceModule

FOUR = [
    Order(6, "exact"),
    Order(6, "soft", feedforward="exact"),
    Order(10, "tree"),
    Order(10, "logdepth"),
]


def some(*quick: str) -> list[Any]:
    """All four constructions; those that are not named only where there is time."""
    return [o if o.construction in quick else pytest.param(o, marks=pytest.mark.slow) for o in FOUR]


def module_of(order: Order) -> SequenceModule | TreeModule:
    words = order.construction in ("exact", "soft")
    module: SequenceModule | TreeModule = model_of(counting() if words else ADDER, order).module()
    return module


def batch(module: SequenceModule | TreeModule, size: int, length: int) -> torch.Tensor:
    """`size` words of `length` letters, or trees of at most `length` tokens."""
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


@pytest.mark.parametrize(
    "asked",
    [
        {"construction": "decoder"},
        {"construction": "exact"},
        pytest.param({"construction": "soft"}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_the_graph_of_a_folder_takes_words_of_every_length(asked: Any, tmp_path: Path) -> None:
    folder = counter(tmp_path, 6, format="pt2", **asked)
    model = load_model(folder, trusted=True)
    words = ["", "0", "01", "010010", "000111"]
    exact = [float(counting().weight(word)) for word in words]
    assert model.weight(words).tolist() == pytest.approx(exact, abs=1e-5)
    note = json.loads((folder / "model.json").read_text("utf-8"))
    with pytest.raises(AssertionError):
        model.module(torch.zeros((2, 8 + len(note["begin"])), dtype=torch.int64))


@pytest.mark.slow
def test_the_graph_of_a_tree_model_takes_trees_of_every_length(tmp_path: Path) -> None:
    model = load_model(
        written(tmp_path, ADDER, 10, construction="tree", format="pt2"), trusted=True
    )
    trees = ["b", "[a b]", "[a [b a]]", "[[a a] [b b]]"]
    assert model.weight(trees).tolist() == [float(ADDER.weight(tree)) for tree in (
        "b", ("a", "b"), ("a", ("b", "a")), (("a", "a"), ("b", "b")))]  # fmt: skip


def test_a_graph_that_can_run_code_is_loaded_only_where_it_is_trusted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found pt2, expected trusted=True"):
        load_model(counter(tmp_path, 3, format="pt2", construction="exact"))


@pytest.mark.parametrize("length", [1, 2])
def test_a_graph_for_the_shortest_words_is_written_too(length: int, tmp_path: Path) -> None:
    folder = counter(tmp_path, length, format="pt2", construction="exact")
    assert load_model(folder, trusted=True).weight(["0" * length] * 2).tolist() == [length] * 2
