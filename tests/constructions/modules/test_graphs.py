"""Graphs of torch: one serves all batches and lengths, and runs where Assay is not installed."""

from typing import Any

import pytest
import torch
from export_support import ADDER, model_of
from torch.export import Dim

from constructions.automata.families import counting
from constructions.automata.trees import balanced_tree, comb, tokens
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
