"""Hard attention in blocks of rows gives the states of the dense pass, bit for bit."""

from random import Random

import pytest
import torch

from constructions import logdepth, theorem1, theorem3
from constructions.arithmetic import blocks
from constructions.arithmetic.blocks import BlockwiseTorch
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting, k_counting
from constructions.automata.trees import balanced_tree, comb, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.transformer import Attention, Mask
from constructions.modules import tree_module as modules_trees
from constructions.modules.passes import PassKind
from constructions.modules.word_module import SequenceModule, to_torch

RATIONAL = WFA.of(
    [1, "1/3"],
    {"a": [["1/3", "1/7"], ["-2/9", "5/11"]], "b": [["9/10", 0], ["1/6", "-1/3"]]},
    [1, 1],
)
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
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


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("automaton", [counting(), k_counting(2, 3), RATIONAL], ids=lambda a: a.n)
def test_many_blocks_give_the_states_of_the_dense_pass(
    automaton: WFA, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", SMALL)
    for length, count in ((1, 2), (5, 3), (16, 1), (20, 2)):
        simulation = theorem1.build(automaton, length)
        assert torch.equal(
            *general_and_dense_states(simulation, dtype, words(automaton, count, length))
        )


def test_blocks_of_their_own_size_give_the_states_of_the_dense_pass() -> None:
    simulation = theorem1.build(counting(), 512)
    assert blocks.ENTRIES // 1024 < 1024, "more than one block"
    found, dense = general_and_dense_states(simulation, torch.float64, words(counting(), 2, 512))
    assert torch.equal(found, dense)
    word = "".join(counting().alphabet[i] for i in words(counting(), 2, 512)[1])
    assert found[1].tolist() == [[float(w) for w in state] for state in counting().states(word)]


@pytest.mark.parametrize("build", [theorem3.build, logdepth.build], ids=["tree", "logdepth"])
@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_trees_with_masks_give_the_states_of_the_dense_pass(
    build, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", SMALL)
    simulation = build(ADDER, 58)
    module, dense = (modules_trees.to_torch(simulation, dtype, dense=d) for d in (False, True))
    given = module.encode([tokens(shape(["a", "b"] * 10)) for shape in (comb, balanced_tree)])
    assert torch.equal(module(given), dense(given))


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


def test_no_block_holds_all_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", SMALL)
    shapes, masked = [], Torch._mask_scores

    def seen(self: Torch, scores: torch.Tensor, mask: Mask, first: int) -> torch.Tensor:
        shapes.append(tuple(scores.shape[-2:]))
        return masked(self, scores, mask, first)

    monkeypatch.setattr(BlockwiseTorch, "_mask_scores", seen)
    general_module(theorem1.build(counting(), 32))(words(counting(), 1, 32))
    assert set(shapes) == {(blocks.FEWEST, 64)}


def test_gradients_are_those_of_the_dense_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", SMALL)
    gradients = []
    simulation = theorem1.build(RATIONAL, 16)
    for module in (general_module(simulation), to_torch(simulation, dense=True)):
        module(words(RATIONAL, 2, 16)).square().sum().backward()
        gradients.append({name: p.grad for name, p in module.named_parameters()})
    for name, gradient in gradients[1].items():
        found = gradients[0][name]
        assert (found is None) == (gradient is None)
        assert gradient is None or torch.equal(found, gradient)


def test_a_module_maps_over_words_and_moves_between_devices() -> None:
    module, given = general_module(theorem1.build(counting(), 8)), words(counting(), 3, 8)
    assert torch.equal(torch.vmap(module)(given), module(given))
    assert module.to("meta")(given.to("meta")).shape == (3, 9, 2)
