"""A decoder as a torch module: padded batches, what is refused, which pass is taken and what it holds."""

import pytest
import torch
from torch.export import Dim
from torch.utils._python_dispatch import TorchDispatchMode

from constructions import decoder_tree, theorem2
from constructions.automata.families import counting, hmm
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.decoder import Design, build
from constructions.modules.decoder import DecoderModule
from constructions.modules.passes import PassKind
from constructions.modules.word_module import to_torch

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")


@pytest.mark.parametrize(
    ("tokens", "line"),
    [
        ([[2] * 6], "word: found 5 letters, expected at most 4, the length"),
        ([[3]], "token: found 3, expected a number from 0 to 2"),
        ([[-1]], "token: found -1, expected a number from 0 to 2"),
    ],
)
def test_tokens_that_do_not_fit_have_their_line(tokens: list[list[int]], line: str) -> None:
    module = DecoderModule(build(counting(), 4))
    assert module(torch.tensor([[2] * 5])).shape == (1, 5, 2)
    with pytest.raises(InputError, match=line):
        module(torch.tensor(tokens))


def test_a_decoder_takes_an_empty_batch_and_names_tokens_out_of_range():
    module = DecoderModule(build(counting(), 4, saturation=40))
    assert module.encode([]).shape == (0, 1)
    assert module.states([]) == []
    for number in (-1, 3):
        with pytest.raises(InputError, match=f"token: found {number}, expected a number from 0 to"):
            module(torch.tensor([[2, number]]))


def test_a_decoder_reads_words_and_trees_as_the_other_models_do():
    long = DecoderModule(build(WFA.of([1], {"a": [[2]], "aa": [[3]]}, [1]), 4, saturation=40))
    with pytest.raises(InputError, match="expected a list of symbols: aa has several characters"):
        long.states(["aaa"])
    adder = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
    trees = DecoderModule(decoder_tree.build(adder, 10, saturation=40))
    for tree in ("[a [b a]]", "(a (b a))", ("a", ("b", "a"))):
        (found,) = trees.states([tree])
        assert round(found[-1, 0].item(), 6) == 7


RELU = Design("relu")
FOUR = hmm([["1/4"] * 4] * 4, [["1/3"] * 4, ["2/3"] * 4], [1, 0, 0, 0], "ab")


def numbers(count: int, length: int) -> torch.Tensor:
    letters = torch.randint(0, 2, (count, length), generator=torch.Generator().manual_seed(3))
    return torch.cat([torch.full((count, 1), 2), letters], dim=-1)


def soft_module(length: int = 512, dense: bool = False) -> DecoderModule:
    return DecoderModule(build(HMM, length, RELU, 20), dense=dense)


def test_long_soft_words_take_the_band_and_short_ones_the_definition() -> None:
    assert soft_module().current_pass() is PassKind.DENSE, "gradients are the definition's"
    assert soft_module(dense=True).current_pass() is PassKind.DENSE
    with torch.no_grad():
        module = soft_module()
        assert module.current_pass() is PassKind.FUSED
        module.transformer.layers[0].register_forward_hook(lambda *_: None)
        assert module.current_pass() is PassKind.DENSE
        for length, taken in ((512, PassKind.BAND), (511, PassKind.DENSE)):
            plain = DecoderModule(build(HMM, length, Design("gelu", fineness=8), 20))
            assert plain.current_pass() is taken


def test_words_of_different_lengths_share_a_band_without_mixing() -> None:
    module, given = soft_module(), ["a" * 512, "", "b", "abba"]
    with torch.no_grad():
        together = module.states(given)
        for word, states in zip(given, together, strict=True):
            assert states.shape == (len(word) + 1, 2)
            assert torch.equal(states, module.states([word, "b" * 512])[0])


NAMES = ("layers.1.heads.back.key", "layers.0.heads.back.query", "layers.2.combine", "readout")


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_weight_is_used_and_not_passed_over(name: str) -> None:
    found, given = [], numbers(1, 512)
    with torch.no_grad():
        before = soft_module()(given)
        for dense in (False, True):
            module = soft_module(dense=dense)
            module(given)
            module.transformer.get_parameter(name).mul_(-1.5)
            assert module.current_pass() is (PassKind.DENSE)
            found.append(module(given))
    assert torch.equal(*found)
    assert not torch.allclose(found[0], before)


def test_other_letters_keep_the_band_and_other_places_do_not() -> None:
    with torch.no_grad():
        module, layout = soft_module(), build(HMM, 4, RELU, 20).layout
        module.tokens[0, layout["window"].start] += 1
        assert module.current_pass() is PassKind.FUSED
        module.tokens[0, layout["place"].start] += 1
        assert module.current_pass() is PassKind.DENSE
        other = soft_module()
        other.places[3] += 1
        assert other.current_pass() is PassKind.DENSE


def test_a_hook_sees_every_head_and_changes_an_output_by_rounding_alone() -> None:
    """Heads of 513 columns and of three, and blocks as in the test of the band's roundings."""
    module, heard = soft_module(), []
    head = module.transformer.layers[0].heads["back"]
    handle = head.register_forward_hook(lambda *given: heard.append(given[-1].shape))
    with torch.no_grad():
        assert module.current_pass() is PassKind.DENSE
        assert module.pass_reason() == "a hook is registered on transformer.layers.0.heads.back"
        found = module(numbers(1, 512))
        handle.remove()
        assert module.pass_reason() == "weights are as built"
        assert module.current_pass() is PassKind.FUSED
        bound = (
            1.01
            * 2.0**-53
            * ((2**9 - 1) * 2 * (20 + 2 * 513 + 20 + 2 * 3 + 2 * (11 + 2 * 2)) + 4 * (2 + 2))
        )
        assert (module(numbers(1, 512)) - found).abs().max() <= bound
    assert heard == [(1, 513, 4)]


def test_tree_decoders_load_weights_and_see_changed_ones() -> None:
    module = DecoderModule(decoder_tree.build(WTA.of([1], [[[1]]], {"a": [1]}), 4, saturation=40))
    module.load_state_dict(module.state_dict())
    assert module.current_pass() is PassKind.DENSE
    assert module.recheck()
    module.tokens.data[0] += 1
    assert not module.recheck()


class Largest(TorchDispatchMode):
    """The largest number of elements of any tensor that an operation returns."""

    found = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for one in result if isinstance(result, tuple | list) else (result,):
            if isinstance(one, torch.Tensor):
                self.found = max(self.found, one.untyped_storage().nbytes() // one.element_size())
        return result


def largest_tensor(module: torch.nn.Module, given: torch.Tensor) -> int:
    with torch.no_grad(), Largest() as seen:
        module(given)
    return seen.found


def test_no_soft_pass_at_4096_letters_holds_a_square_of_scores() -> None:
    """The largest arrays are the tokens, the block's units, or the complex spectrum of the values."""
    length = 4096
    decoder = DecoderModule(build(FOUR, length, RELU, 20))
    assert largest_tensor(decoder, numbers(1, length)) == (length + 1) * decoder.tokens.shape[-1]
    plain = DecoderModule(build(FOUR, length, Design("gelu", fineness=8), 20))
    assert largest_tensor(plain, numbers(1, length)) == (length + 1) * 4 * FOUR.n**3
    paper = to_torch(theorem2.build(counting(), length, length * length))
    with torch.no_grad():
        assert paper.current_pass() is PassKind.CIRCULANT
    assert largest_tensor(paper, numbers(1, length)[:, 1:]) < length**2 // 16


def exported_program(module: DecoderModule) -> torch.export.ExportedProgram:
    sizes = {0: Dim("batch"), 1: Dim("tokens", min=2, max=module.simulation.length + 1)}
    example = numbers(2, module.simulation.length)
    return torch.export.export(module, (example,), dynamic_shapes=(sizes,))


def has_square_array(program: torch.export.ExportedProgram) -> bool:
    """True if an array of the graph has as many columns as rows."""
    values = [node.meta.get("val") for node in program.graph.nodes]
    shapes = [value.shape for value in values if isinstance(value, torch.Tensor)]
    assert shapes
    return any(len(shape) > 1 and bool(shape[-1] == shape[-2]) for shape in shapes)


@pytest.mark.parametrize("constant", [pytest.param(None, marks=pytest.mark.slow), 20])
def test_exported_and_compiled_decoders_hold_no_square_of_scores(
    constant: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("constructions.modules.construction.FEW_SCORES", 0)
    simulation, given = build(HMM, 4, RELU, constant), numbers(3, 3)
    module = DecoderModule(simulation)
    with torch.no_grad():
        program = exported_program(module)
        assert not has_square_array(program)
        assert has_square_array(exported_program(DecoderModule(simulation, dense=True)))
        found = program.module()(given)
        assert torch.equal(torch.compile(module, backend="eager")(given), found)
        torch.testing.assert_close(module(given), found, rtol=0, atol=1e-13)
        assert torch.equal(torch.vmap(module)(given), module(given))
