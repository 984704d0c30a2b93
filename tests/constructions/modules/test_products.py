"""The gradients of all weights at the construction's weights are those of the definition."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.autograd import forward_ad, gradcheck, gradgradcheck
from torch.func import functional_call

from constructions import theorem1
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.modules.passes import PassKind
from constructions.modules.word_module import SequenceModule, to_torch

SINGLE = WFA.of(["1/2"], {"a": [["2/3"]], "b": [["-3/4"]]}, [1])
PAIR = WFA.of(
    [1, "1/3"],
    {"a": [["1/3", "1/7"], ["-2/9", "5/11"]], "b": [["9/10", 0], ["1/6", "-1/3"]]},
    [1, 1],
)
Gradients = dict[str, torch.Tensor | None]


def letters(count: int, length: int, most: int = 3) -> torch.Tensor:
    """Words, some with pads in them."""
    return torch.randint(0, most, (count, length), generator=torch.Generator().manual_seed(2))


def gradients(module: SequenceModule, words: torch.Tensor) -> tuple[torch.Tensor, Gradients]:
    """The states, and the gradients of a sum of them with whole factors."""
    states = module(words)
    factors = torch.randint(-2, 3, states.shape, generator=torch.Generator().manual_seed(4))
    (states * factors).sum().backward()
    return states.detach(), {name: weight.grad for name, weight in module.named_parameters()}


class Rechecked(nn.Module):
    """A module that looks at its weights at every call: `gradcheck` moves them past the counters."""

    def __init__(self, module: SequenceModule) -> None:
        super().__init__()
        self.module = module
        self.taken = set[PassKind]()

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """The states."""
        self.module.recheck()
        self.taken.add(self.module.current_pass(words))
        return self.module(words)

    def as_function(self, words: torch.Tensor) -> tuple[Callable[..., torch.Tensor], list]:
        """The states as a function of all weights that have a gradient, and these weights."""
        left_out = ("query", "key", "places")
        named = {n: p for n, p in self.named_parameters() if not n.endswith(left_out)}
        weights = [weight.detach().clone().requires_grad_() for weight in named.values()]
        return (
            lambda *values: functional_call(self, dict(zip(named, values, strict=True)), (words,)),
            weights,
        )


def test_gradients_are_those_that_differences_of_the_general_pass_show() -> None:
    """A weight that is moved is no longer the construction's, and the general pass is taken."""
    for automaton, length, whole in ((SINGLE, 4, True), (PAIR, 3, False), (PAIR, 1, True)):
        module = Rechecked(to_torch(theorem1.build(automaton, length)))
        function, weights = module.as_function(letters(2, length))
        assert gradcheck(function, weights, fast_mode=not whole)
        assert gradgradcheck(function, weights, fast_mode=True)
        assert module.taken == {PassKind.PRODUCTS, PassKind.BLOCKS}


def test_a_part_of_the_weights_may_ask_for_gradients() -> None:
    module = to_torch(theorem1.build(PAIR, 5))
    _, whole = gradients(module, letters(2, 5))
    some = to_torch(theorem1.build(PAIR, 5)).requires_grad_(False)
    weight = some.transformer.layers[1].combine.requires_grad_()
    assert some.current_pass() is PassKind.PRODUCTS
    _, found = gradients(some, letters(2, 5))
    assert torch.equal(weight.grad, whole["transformer.layers.1.combine"])
    assert [name for name, value in found.items() if value is not None] == [
        "transformer.layers.1.combine"
    ]


def test_weights_that_change_between_the_passes_are_refused_by_autograd() -> None:
    module = to_torch(theorem1.build(PAIR, 4))
    states = module(letters(1, 4))
    with torch.no_grad():
        module.transformer.readout.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        states.sum().backward()


def test_no_words_one_word_and_hidden_words_fit() -> None:
    module, words = to_torch(theorem1.build(counting(), 4)), letters(3, 4, 2)
    whole = module(words)
    assert torch.equal(module(words[1]), whole[1])
    assert torch.equal(module(words.reshape(3, 1, 4)).squeeze(1), whole)
    assert torch.equal(torch.vmap(module)(words), whole)
    states, found = gradients(module, words[:0])
    assert states.shape == (0, 5, 2) and not found["letters"].any()


def test_derivatives_in_forward_mode_are_those_of_the_definition() -> None:
    """The readout is linear: its derivative along itself are the states."""
    module, words = to_torch(theorem1.build(PAIR, 4)), letters(2, 4)
    readout = module.transformer.readout.detach()
    with forward_ad.dual_level():
        dual = {"transformer.readout": forward_ad.make_dual(readout.clone(), readout)}
        states = forward_ad.unpack_dual(functional_call(module, dual, (words,)))
        assert states.tangent is not None and torch.equal(states.tangent, states.primal)
        torch.testing.assert_close(states.primal, module(words))


def test_narrow_formats_and_listeners_take_the_routed_pass() -> None:
    for dtype in (torch.bfloat16, torch.float16):
        assert to_torch(theorem1.build(counting(), 4), dtype).current_pass() is PassKind.ROUTED
    module = to_torch(theorem1.build(counting(), 4))
    assert module.current_pass() is PassKind.PRODUCTS
    module.transformer.layers[0].register_forward_hook(lambda *_: None)
    assert module.current_pass() is PassKind.ROUTED
