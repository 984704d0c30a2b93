"""The tree decoder: sizes, exact states on small and large trees, and what is refused."""

import pytest
from trees_support import caterpillar, end_index

from constructions import decoder_tree
from constructions.arithmetic import Floats, Rational
from constructions.automata.pebbling import most_steps
from constructions.automata.random_trees import labelled_shape, random_tree, random_wta
from constructions.automata.trees import (
    balanced_tree,
    comb,
    ends,
    positions,
    tokens,
    zigzag,
)
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.decoder_tree import build

STOCHASTIC = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]},
)


@pytest.mark.parametrize(
    "make", [comb, zigzag, balanced_tree, caterpillar], ids=lambda f: f.__name__
)
def test_states_are_near_on_large_trees_with_softmax_in_floats(make):
    model = build(STOCHASTIC, 178, "silu", 50)
    string = tokens(labelled_shape(make(["a"] * 60), 3))
    found, exact_ = model.states(string, Floats()), STOCHASTIC.states(string)
    worst = max(
        abs(float(x) - float(y)) for i in exact_ for x, y in zip(found[i], exact_[i], strict=True)
    )
    assert worst < 1e-12


@pytest.mark.parametrize(("n", "leaves"), [(1, 4), (2, 7), (3, 20), (2, 60)])
def test_sizes_follow_the_formulas(n, leaves):
    length = 3 * leaves - 2
    model, formulas = build(random_wta(n, 1), length), decoder_tree.sizes(n, length)
    layers = model.transformer.layers
    assert len(layers) == formulas["layers"] == 2 + most_steps(leaves)
    assert model.layout.size == formulas["d_model"]
    assert max(len(layer.heads) for layer in layers) == formulas["heads"]
    assert max(h.value.shape[1] for layer in layers for h in layer.heads) == formulas["d_head"]
    assert max(layer.feedforward.output.shape[0] for layer in layers) == formulas["d_mlp"]
    assert len(model.encode(tokens(random_tree(leaves, 1)))) == formulas["context"]


def test_a_longer_model_reads_shorter_trees_and_prefixes():
    automaton = random_wta(2, 9)
    model = build(automaton, 40, "relu")
    string = tokens(random_tree(6, 4))
    assert {i: [str(x) for x in r] for i, r in model.states(string, Rational()).items()} == {
        i: [str(x) for x in r] for i, r in automaton.states(string).items()
    }
    whole = decoder_tree.run(model.transformer, Rational(), model.encode(string))
    part = decoder_tree.run(model.transformer, Rational(), model.encode(string[:9]))
    assert (whole[:10] == part).all()


def test_subtrees_end_where_the_definition_says():
    string = tokens(random_tree(12, 5))
    assert ends(string) == {i: end_index(string, i) for i in positions(string)}


def test_inputs_that_do_not_fit_are_refused_by_name():
    model = build(STOCHASTIC, 4)
    for bad in (["[", "a", "a", "]", "a"], ["c"]):
        with pytest.raises(InputError, match="tree"):
            model.encode(bad)
    with pytest.raises(InputError, match="activation"):
        build(STOCHASTIC, 4, "tanh")
