"""Tree models that read the routing off the brackets give the states of the definition."""

from fractions import Fraction

import pytest
import torch
from trees_support import caterpillar

from constructions import logdepth, theorem3
from constructions.automata.random_trees import random_tree
from constructions.automata.trees import (
    balanced_tree,
    comb,
    leaves,
    relabelled_tree,
    shapes,
    tokens,
    zigzag,
)
from constructions.automata.wta import WTA
from constructions.modules import passes_trees
from constructions.modules import tree_module as modules_trees
from constructions.modules.passes import PassKind
from constructions.modules.passes_trees import (
    NoTree,
    brackets,
)
from constructions.modules.tree_module import TreeModule
from constructions.theorem3 import Places

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
SKEW = WTA.of([1, 0], [[[0, 1], [2, 0]], [[1, 0], [0, 3]]], {"a": [1, 1], "b": [2, 1]})
POSITIVE = WTA.of(
    [1, 0],
    [[["1/3", "1/7"], ["2/9", "1/5"]], [["1/6", "2/3"], ["1/9", "1/11"]]],
    {"a": ["1/3", "2/3"], "b": ["5/7", "1/7"]},
)
BUILD = {
    "tree": theorem3.build,
    "line": lambda wta, length: theorem3.build(wta, length, places=Places.LINE),
    "logdepth": logdepth.build,
}
both = pytest.mark.parametrize("name", list(BUILD))


def modules(name: str, wta: WTA, length: int) -> list[TreeModule]:
    return [modules_trees.to_torch(BUILD[name](wta, length), dense=d) for d in (False, True)]


@both
def test_all_trees_up_to_five_leaves_have_the_states_of_the_definition(name: str) -> None:
    module, dense = modules(name, SKEW, 13)
    with torch.no_grad():
        assert (module.current_pass(), dense.current_pass()) == (PassKind.FUSED, PassKind.DENSE)
        for count in range(1, 6):
            labels = list("abbab"[:count])
            given = module.encode([tokens(relabelled_tree(tree, labels)) for tree in shapes(count)])
            assert torch.equal(module(given), dense(given))


@both
@pytest.mark.parametrize("shape", [comb, balanced_tree, zigzag, caterpillar])
def test_long_trees_have_the_automatons_states(name: str, shape) -> None:
    string = tokens(shape(["a", "b", "b"] * 7))
    module = modules_trees.to_torch(BUILD[name](ADDER, len(string)))
    with torch.no_grad():
        found = module(module.encode([string]))[0].tolist()
    for i, state in ADDER.states(string).items():
        assert found[i - 1] == [float(w) for w in state]


@pytest.mark.parametrize("name", ["tree", "logdepth"])
def test_too_few_layers_give_the_definitions_values(name: str) -> None:
    string = tokens(comb(["a", "b"] * 5))
    for layers in (0, 1, 3):
        if name == "tree":
            simulation = theorem3.build(SKEW, len(string), height=layers)
        else:
            simulation = logdepth.build(SKEW, len(string)).cut(2 + layers)
        module, dense = (modules_trees.to_torch(simulation, dense=d) for d in (False, True))
        with torch.no_grad():
            assert module.current_pass() is PassKind.FUSED
            given = module.encode([string])
            assert torch.equal(module(given), dense(given))


@pytest.mark.parametrize(("name", "per_node"), [("tree", 1), ("logdepth", 2)])
def test_states_are_within_their_roundings(name: str, per_node: int) -> None:
    """Weights ≥ 0: a node of N leaves is a sum of products of 2N - 1 rounded weights, and each
    contraction rounds at most 2n + 2 times; a composed map may round a term once more a node."""
    u, n = Fraction(1, 2**53), POSITIVE.n
    for seed in range(3):
        tree = random_tree(12, seed)
        string = tokens(tree)
        module = modules_trees.to_torch(BUILD[name](POSITIVE, len(string)))
        with torch.no_grad():
            found = module(module.encode([string]))[0].tolist()
        share = (len(list(leaves(tree))) * (2 + per_node * (2 * n + 2))) * u
        for i, state in POSITIVE.states(string).items():
            for value, true in zip(found[i - 1], state, strict=True):
                assert abs(Fraction(value) - true) <= share / (1 - share) * true


@pytest.mark.parametrize("name", ["tree", "logdepth"])
def test_gradients_batches_other_formats_and_no_trees_go_the_general_way(name: str) -> None:
    module, dense = modules(name, SKEW, 10)
    given = module.encode([tokens(shape(["a", "b", "a", "a"])) for shape in (comb, balanced_tree)])
    for one in (module, dense):
        one(given).square().sum().backward()
    assert module.current_pass() is PassKind.DENSE
    for (label, p), q in zip(module.named_parameters(), dense.parameters(), strict=True):
        assert (p.grad is None) == (q.grad is None), label
        assert p.grad is None or torch.equal(p.grad, q.grad), label
    with torch.no_grad():
        wrong = torch.tensor([[2, 0, 0, 0]])
        assert torch.equal(module(wrong), dense(wrong))
        assert torch.equal(module(given[0]), dense(given)[0])
        assert torch.equal(torch.vmap(module)(given), dense(given))
        assert torch.equal(module.float()(given), dense.float()(given))
        assert module.current_pass() is PassKind.FUSED
        assert module.to("meta")(given.to("meta")).shape == (2, 10, 2)


def test_a_letters_state_alone_may_change() -> None:
    module, dense = modules("tree", SKEW, 10)
    given = module.encode([tokens(comb(["a", "b", "a", "a"]))])
    with torch.no_grad():
        for one in (module, dense):
            one.tokens[0, :2] *= 3
        assert module.current_pass() is PassKind.FUSED
        assert torch.equal(module(given), dense(given))


def test_soft_trees_and_other_weights_have_no_fused_pass() -> None:
    assert passes_trees.is_hard_construction(logdepth.build(ADDER, 7))
    assert not passes_trees.is_hard_construction(
        logdepth.soft_simulation(logdepth.build(ADDER, 7), 9)
    )
    other = theorem3.build(SKEW, 7).transformer
    simulation = theorem3.build(ADDER, 7)
    assert not passes_trees.is_hard_construction(
        theorem3.TreeSimulation(ADDER, 7, simulation.plan, other)
    )


@pytest.mark.parametrize(
    ("string", "words"),
    [
        ([1, 0, 2], "a closing bracket at 2"),
        ([1, 0, 0, 0, 2], "a closing bracket at 4"),
        ([2], "a closing bracket at 0"),
        ([1, 0, 0], "brackets that do not make one tree"),
        ([0, 0], "brackets that do not make one tree"),
        ([], "brackets that do not make one tree"),
    ],
)
def test_the_place_of_a_wrong_bracket_is_named(string: list[int], words: str) -> None:
    with pytest.raises(NoTree, match=words):
        brackets([[0], string], 1, 2)
