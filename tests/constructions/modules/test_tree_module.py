"""The module of a tree model: which pass it takes, what it returns, what it refuses."""

import warnings

import pytest
import torch

from constructions import logdepth, theorem3
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from constructions.core.errors import InputError
from constructions.modules.passes import PassKind
from constructions.modules.tree_module import longest_string, to_torch, with_units
from constructions.theorem3 import Places

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
BUILDS = {
    "circle": lambda length: theorem3.build(ADDER, length),
    "line": lambda length: theorem3.build(ADDER, length, places=Places.LINE),
    "log-depth": lambda length: logdepth.build(ADDER, length),
}
each = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)


@each
@pytest.mark.parametrize(("length", "most"), [(1, 1), (3, 1), (4, 4), (6, 4), (7, 7)])
def test_the_longest_string_is_that_of_a_whole_tree(build, length, most):
    assert longest_string(build(length)) == most
    assert to_torch(build(length)).places.shape[0] == most + 1


@each
@pytest.mark.parametrize(("length", "tree"), [(1, "b"), (7, "[b[ab]]")])
def test_the_two_tables_add_up_to_the_embedding(build, length, tree):
    simulation = build(length)
    module = to_torch(simulation)
    numbers = [*module.encode([tree])[0].tolist(), module.tokens.shape[0] - 1]
    rows = module.transformer.arithmetic.array(simulation.encode(tree))
    assert torch.equal(module.tokens[numbers] + module.places, rows)


def test_trees_are_encoded_by_numbers_with_brackets_last():
    module = to_torch(BUILDS["circle"](7))
    assert module.encode(["[a b]", ("b", "b")]).tolist() == [[2, 0, 1, 3], [2, 1, 1, 3]]
    assert module.encode([]).shape == (0, 1)
    assert module.weight(["[a [a b]]", "b", "[a b]"]).round(decimals=9).tolist() == [7, 5, 6]
    assert module.weight([]).shape == (0,)


@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (
            lambda m: m.encode(["a", "[a b]"]),
            "trees: found strings of 1, 4 tokens, expected trees of equally many tokens",
        ),
        (lambda m: m.encode(["z"]), "tree: found z, expected a symbol of the alphabet a, b"),
        (lambda m: m.encode(["[a[ab]]"]), "tree: found 7 tokens, expected at most 4, the length"),
        (
            lambda m: m(torch.zeros((1, 5), dtype=torch.int64)),
            "tree: found 5 tokens, expected at most 4",
        ),
        (
            lambda m: m(torch.tensor([[4]])),
            "token: found 4, expected a number from 0 to 3, the closing bracket",
        ),
        (lambda m: m(torch.tensor([[-1]])), "token: found -1, expected a number from 0 to 3"),
    ],
)
def test_inputs_that_do_not_fit_are_refused_by_name(ask, line):
    with pytest.raises(InputError) as caught:
        ask(to_torch(BUILDS["circle"](5)))
    assert line in str(caught.value)


def test_tokens_that_are_no_tree_take_the_general_pass():
    module, dense = (to_torch(BUILDS["circle"](4), dense=d) for d in (False, True))
    with torch.no_grad():
        for string in ([2, 2], [0, 1], [3]):
            tokens = torch.tensor([string])
            assert torch.equal(module(tokens), dense(tokens))


def test_units_may_replace_products():
    for build in (BUILDS["line"], BUILDS["log-depth"]):
        model = with_units(build(4), FourUnits.of("gelu", 12))
        module = to_torch(model)
        assert module.current_pass() is PassKind.DENSE
        assert {type(layer.feedforward).__name__ for layer in model.transformer.layers} == {"MLP"}
        assert module.weight(["[a b]"]).detach().round().tolist() == [6]


@pytest.mark.parametrize(("dtype", "warns"), [(torch.bfloat16, True), (torch.float64, False)])
def test_a_hook_warns_when_scores_may_not_be_resolved(dtype, warns):
    module = to_torch(theorem3.build(ADDER, 10), dtype)
    module.transformer.layers[0].register_forward_hook(lambda *_: None)
    with torch.no_grad(), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert module.current_pass() is PassKind.DENSE
        module.weight(["[a [a b]]"])
        module.weight(["[a [a b]]"])
    assert len(said) == warns
    assert all("a hook is registered on transformer.layers.0" in str(w.message) for w in said)


@pytest.mark.parametrize("build", [theorem3.build, logdepth.build])
def test_the_text_of_a_tree_is_one_tree(build):
    simulation = build(WTA.of([1], [[[1]]], {"a": [2], "b": [3]}), 7)
    module = to_torch(simulation)
    assert module.weight("[a b]").tolist() == [6] == module.weight(["[a b]"]).tolist()
    assert len(module.states("[a b]")) == 1 == len(simulation.batch("[a b]"))
