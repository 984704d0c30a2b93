"""The module of a sequence model: which pass it takes, what it returns, what it refuses."""

import warnings
from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from constructions import theorem1
from constructions.automata.families import counting
from constructions.blocks.multiplication import slim_multiplier
from constructions.core.errors import InputError
from constructions.modules.construction import number_out_of_range
from constructions.modules.passes import PassKind
from constructions.modules.word_module import to_torch

SIMULATION = theorem1.build(counting(), 4)
STATES = [[[0, 1], [1, 1], [1, 1], [2, 1], [3, 1]], [[0, 1]] * 5]


def taken_pass(module):
    with torch.no_grad():
        return module.current_pass()


def test_a_hard_model_with_units_for_its_products_is_routed():
    blocks = slim_multiplier(2, "gelu", Fraction(4), Fraction(1, 1000)).block
    layers = tuple(replace(x, feedforward=blocks) for x in SIMULATION.transformer.layers)
    smooth = replace(SIMULATION, transformer=replace(SIMULATION.transformer, layers=layers))
    module = to_torch(smooth)
    assert taken_pass(module) is PassKind.ROUTED
    with torch.no_grad():
        assert module.weight(["0100"]).round().tolist() == [3]


def test_a_module_with_a_hook_calls_its_parts():
    module = to_torch(SIMULATION)
    hook = module.transformer.layers[0].heads["left"].register_forward_hook(lambda *_: None)
    assert taken_pass(module) is PassKind.DENSE
    assert module.pass_reason() == "a hook is registered on transformer.layers.0.heads.left"
    hook.remove()
    assert taken_pass(module) is PassKind.RECURRENCE
    module.register_forward_hook(lambda *_: None)
    assert taken_pass(module) is PassKind.RECURRENCE, (
        "who listens to the whole module hears every pass"
    )


@pytest.mark.parametrize("name", ["", ".heads.left", ".feedforward"])
@pytest.mark.parametrize(("dtype", "warns"), [(torch.float64, False), (torch.bfloat16, True)])
def test_a_hook_hears_its_part_and_warns_where_scores_may_not_be_resolved(name, dtype, warns):
    """bfloat16 cannot separate the scores of 128 tokens."""
    module, heard = to_torch(theorem1.build(counting(), 64), dtype), []
    for number in range(6):
        part = module.get_submodule(f"transformer.layers.{number}{name}")
        part.register_forward_hook(lambda *given: heard.append(given[-1].shape[-2]))
    with torch.no_grad(), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = module.weight(["0" * 64]).tolist()
    assert (found == [64]) is not warns and len(said) == warns
    assert heard == [128] * 6


def test_a_hook_that_moves_positions_moves_the_answer():
    module = to_torch(SIMULATION)
    with torch.no_grad():
        before = module(torch.tensor([[0, 1, 0, 0]]))
        head = module.transformer.layers[0].heads["left"]
        head.register_forward_pre_hook(lambda _, given: (given[0].roll(1, -2),))
        assert not torch.equal(module(torch.tensor([[0, 1, 0, 0]])), before)


def test_words_are_padded_on_the_right():
    module = to_torch(SIMULATION)
    assert module.encode(["01", "0100", ""]).tolist() == [[0, 1, 2, 2], [0, 1, 0, 0], [2, 2, 2, 2]]
    assert module.encode([]).shape == (0, 0)
    assert [s.tolist() for s in module.states(["01", ""])] == [STATES[0][:3], STATES[0][:1]]
    assert module.weight(["0100", "11", ""]).tolist() == [3, 0, 0]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([[0] * 5], "word: found 5 letters, expected at most 4, the length"),
        ([[0, 3]], "letter: found 3, expected a number from 0 to 1, or 2 for a pad"),
        ([[-1]], "letter: found -1, expected a number from 0 to 1, or 2 for a pad"),
    ],
)
@pytest.mark.parametrize("dense", [False, True])
def test_numbers_of_no_letter_are_refused_in_every_pass(words, line, dense):
    with pytest.raises(InputError, match=line), torch.no_grad():
        to_torch(SIMULATION, dense=dense)(torch.tensor(words))


def test_symbols_and_lengths_are_refused_by_name():
    module = to_torch(SIMULATION)
    with pytest.raises(InputError, match="word: found x, expected a symbol of the alphabet 0, 1"):
        module.encode(["0x"])
    with pytest.raises(InputError, match="word: found 5 letters, expected at most 4, the length"):
        module.encode(["00000"])


def test_a_number_out_of_range_is_found():
    assert number_out_of_range(torch.tensor([0, 2]), 2) is None
    assert number_out_of_range(torch.tensor([0, 3]), 2) == 3
    assert number_out_of_range(torch.tensor([-2, 3]), 2) == -2
    assert number_out_of_range(torch.empty(0), 2) is None
    assert number_out_of_range(torch.empty(3, device="meta"), 2) is None


def test_the_final_weights_and_routes_are_no_part_of_the_saved_weights():
    module = to_torch(SIMULATION)
    assert {"final", "routes", "softmax_row"}.isdisjoint(module.state_dict())
    assert module.final.tolist() == [1, 0]
    assert module.routes.tolist() == [[(i - back) % 8 for i in range(8)] for back in (1, 2)]


def test_a_module_without_values_takes_the_pass_of_its_construction():
    module = to_torch(SIMULATION).to("meta")
    assert module.parameters_on_meta()
    assert not to_torch(SIMULATION).parameters_on_meta()
    assert module.recheck()
