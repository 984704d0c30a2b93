"""Copies in place of products with matrices of ones: the same bits."""

from collections.abc import Sequence

import pytest
import torch

from constructions import logdepth, theorem1, theorem2, theorem3
from constructions.arithmetic.copying import Copies, CopyingTorch, copied_entries
from constructions.arithmetic.torch import Torch
from constructions.automata.trees import comb, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.matrix import Matrix
from constructions.core.transformer import run

AUTOMATON = WFA.of(
    [1, "1/3"],
    {"a": [["1/3", "1/7"], ["-2/9", "5/11"]], "b": [["9/10", 0], ["1/6", "-1/3"]]},
    [1, 1],
)
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": ["1/3", 1]})
BOTH = (CopyingTorch, Torch)
FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("build", [theorem1.build, lambda a, t: theorem2.build(a, t, 50)])
def test_words_have_the_states_of_the_reference(build, dtype: torch.dtype) -> None:
    simulation = build(AUTOMATON, 11)
    rows = simulation.encode("abbabaabbab")
    found, wanted = (run(simulation.transformer, a(dtype), rows) for a in BOTH)
    assert torch.equal(found, wanted)


@pytest.mark.parametrize("build", [theorem3.build, logdepth.build])
def test_trees_have_the_states_of_the_reference(build) -> None:
    string = tokens(comb(list("abbab")))
    simulation = build(ADDER, len(string))
    rows = simulation.encode(string)
    found, wanted = (run(simulation.transformer, a(), rows) for a in BOTH)
    assert torch.equal(found, wanted)


def test_only_matrices_of_ones_with_two_a_column_are_copies() -> None:
    ones = Matrix((3, 2), {(0, 0): 1, (2, 0): 1, (1, 1): 1})
    assert isinstance(copied_entries(ones), Copies)
    assert copied_entries(Matrix((3, 1), {(0, 0): 1, (1, 0): 1, (2, 0): 1})) is None
    assert copied_entries(Matrix((1, 1), {(0, 0): 2})) is None
    assert CopyingTorch().apply(torch.tensor([[1.0, 2.0, 4.0]]), copied_entries(ones)).tolist() == [
        [5.0, 2.0]
    ]


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_a_tensor_adds_its_terms_in_the_order_of_the_reference(dtype: torch.dtype) -> None:
    random, tensor = torch.Generator().manual_seed(3), theorem1.tensor(5)
    left, right = (torch.rand(40, 25, generator=random).to(dtype) for _ in range(2))
    found, wanted = (a(dtype).contract(a(dtype).tensor(tensor), left, right) for a in BOTH)
    assert torch.equal(found, wanted)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_scores_of_positions_are_those_of_the_reference(dtype: torch.dtype) -> None:
    angles = torch.arange(200) * torch.pi / 100
    queries = torch.stack([angles.cos(), angles.sin()], dim=-1).to(dtype)
    keys = (30 * queries.flip(0)).to(dtype)
    assert torch.equal(
        CopyingTorch(dtype).scores(queries, keys), Torch(dtype).scores(queries, keys)
    )


def ones(pairs: Sequence[tuple[int, int]]) -> Matrix:
    """A matrix of 12 by 12 with these ones."""
    return Matrix((12, 12), dict.fromkeys(pairs, 1))


@pytest.mark.parametrize(
    ("dtype", "width", "used"),
    [
        (torch.bfloat16, 2, torch.float32),
        (torch.float16, 1, torch.float32),
        (torch.bfloat16, 3, torch.bfloat16),
        (torch.float32, 2, torch.float32),
        (torch.float64, 2, torch.float64),
    ],
)
def test_scores_of_two_coordinates_in_16_bits_are_computed_in_32(
    dtype: torch.dtype, width: int, used: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, scores = [], Torch.scores

    def spied(self: Torch, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        seen.append((queries.dtype, keys.dtype))
        return scores(self, queries, keys)

    monkeypatch.setattr(Torch, "scores", spied)
    x = torch.ones(3, width, dtype=dtype)
    assert CopyingTorch(dtype).scores(x, x).dtype == dtype
    assert seen == [(used, used)]
