"""Hard attention in blocks of rows gives the states of the dense pass, bit for bit."""

from random import Random

import pytest
import torch

from constructions import theorem1
from constructions.arithmetic import blocks
from constructions.arithmetic.blocks import BlockwiseTorch
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.core.transformer import Attention, Mask
from constructions.modules.passes import PassKind
from constructions.modules.word_module import SequenceModule, to_torch

SMALL = 1 << 9


def words(automaton: WFA, count: int, length: int) -> torch.Tensor:
    random = Random(3)
    letters = len(automaton.alphabet)
    return torch.tensor([[random.randrange(letters) for _ in range(length)] for _ in range(count)])


def general_module(
    simulation: theorem1.WordSimulation, dtype: torch.dtype = torch.float64
) -> SequenceModule:
    """A module that does not know where its heads look."""
    module = to_torch(simulation, dtype)
    module._routing = None
    assert module.current_pass() is PassKind.BLOCKS
    return module


def general_and_dense_states(
    simulation: theorem1.WordSimulation, dtype: torch.dtype, given: torch.Tensor
):
    with torch.no_grad():
        return [
            m(given) for m in (general_module(simulation, dtype), to_torch(simulation, dtype, True))
        ]


def test_blocks_of_their_own_size_give_the_states_of_the_dense_pass() -> None:
    simulation = theorem1.build(counting(), 512)
    assert blocks.ENTRIES // 1024 < 1024, "more than one block"
    found, dense = general_and_dense_states(simulation, torch.float64, words(counting(), 2, 512))
    assert torch.equal(found, dense)
    word = "".join(counting().alphabet[i] for i in words(counting(), 2, 512)[1])
    assert found[1].tolist() == [[float(w) for w in state] for state in counting().states(word)]


@pytest.mark.parametrize("mask", [Mask.NONE, Mask.CAUSAL, Mask.ANTICAUSAL])
@pytest.mark.parametrize("attention", list(Attention))
def test_every_head_is_that_of_the_reference(
    mask: Mask, attention: Attention, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", SMALL)
    generator = torch.Generator().manual_seed(5)
    draw = [torch.randint(-9, 9, (2, 50, k), generator=generator).double() for k in (3, 3, 4)]
    queries, keys, values = draw
    found = [
        a.mix(a.scores(queries, keys), values, attention, mask) for a in (BlockwiseTorch(), Torch())
    ]
    assert torch.equal(*found), "also where several scores are largest: the first one"
