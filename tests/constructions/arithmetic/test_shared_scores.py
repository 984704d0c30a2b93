"""Words that share the scores of a layer have the states they have alone."""

import pytest
import torch

from constructions import theorem1, theorem2
from constructions.arithmetic.shared_scores import HeadWeights, SharedScoresTorch
from constructions.arithmetic.torch import Torch
from constructions.automata.wfa import WFA
from constructions.core.transformer import Attention, Mask, realise, run

AUTOMATON = WFA.of(
    [1, "1/3"],
    {"a": [["1/3", "1/7"], ["-2/9", "5/11"]], "b": [["9/10", 0], ["1/6", "-1/3"]]},
    [1, 1],
)
WORDS = ("abbabaabbab", "b" * 11, "")
FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def states_together(simulation, dtype: torch.dtype) -> list[torch.Tensor]:
    """The outputs of all words, run layer by layer with one arithmetic."""
    arithmetic = SharedScoresTorch(dtype)
    model = realise(simulation.transformer, arithmetic)
    tokens = [arithmetic.array(simulation.encode(word)) for word in WORDS]
    *_, last = zip(*(model.states(arithmetic, x) for x in tokens), strict=True)
    return [model.read(arithmetic, x) for x in last]


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_a_tensor_adds_its_terms_in_the_order_of_the_reference(dtype: torch.dtype) -> None:
    random, tensor = torch.Generator().manual_seed(3), theorem1.tensor(5)
    left, right = (torch.rand(40, 25, generator=random).to(dtype) for _ in range(2))
    found, wanted = (
        a(dtype).contract(a(dtype).tensor(tensor), left, right) for a in (SharedScoresTorch, Torch)
    )
    assert torch.equal(found, wanted)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_hard_heads_have_the_states_of_the_reference(dtype: torch.dtype) -> None:
    simulation = theorem1.build(AUTOMATON, 11)
    for word, found in zip(WORDS, states_together(simulation, dtype), strict=True):
        assert torch.equal(
            found, run(simulation.transformer, Torch(dtype), simulation.encode(word))
        )


def test_soft_heads_have_them_up_to_the_order_of_sums() -> None:
    simulation = theorem2.build(AUTOMATON, 11, 50)
    for word, found in zip(WORDS, states_together(simulation, torch.float64), strict=True):
        wanted = run(simulation.transformer, Torch(), simulation.encode(word))
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-14)


def test_other_queries_keys_or_kinds_of_attention_share_nothing() -> None:
    queries, kind = torch.eye(3), (Attention.HARD, Mask.NONE)
    head = HeadWeights((queries, queries), kind, torch.arange(3))
    assert head.belongs_to((queries.clone(), queries), kind)
    assert not head.belongs_to((2 * queries, queries), kind)
    assert not head.belongs_to((queries, -queries), kind)
    assert not head.belongs_to((queries, queries), (Attention.HARD, Mask.CAUSAL))
    assert not head.belongs_to((queries, queries), (Attention.SOFT, Mask.NONE))
