"""The tree decoder: sizes, exact states on small and large trees, and what is refused."""

from fractions import Fraction

import pytest
from trees_support import caterpillar, end_index

from constructions import decoder_tree
from constructions.arithmetic import Floats, Rational
from constructions.automata.pebbling import most_steps
from constructions.automata.random_trees import labelled_shape, random_tokens, random_wta
from constructions.automata.trees import (
    balanced_tree,
    comb,
    ends,
    positions,
    shapes,
    tokens,
    zigzag,
)
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.decoder_tree import TreeDecoderBuilder, build

STOCHASTIC = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]},
)


def exact_states(states):
    return {i: tuple(Fraction(int(x.p), int(x.q)) for x in row) for i, row in states.items()}


@pytest.mark.parametrize("leaves", range(1, 6))
@pytest.mark.parametrize("n", [1, 2])
def test_states_are_exact_on_all_small_shapes(n, leaves):
    automaton = random_wta(n, leaves)
    model = build(automaton, 3 * leaves - 2, "relu")
    for shape in shapes(leaves):
        string = tokens(labelled_shape(shape, leaves))
        found = model.states(string, Rational())
        assert {i: [str(x) for x in row] for i, row in found.items()} == {
            i: [str(x) for x in row] for i, row in automaton.states(string).items()
        }


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
    assert len(model.encode(random_tokens(leaves, 1))) == formulas["context"]


def test_a_longer_model_reads_shorter_trees_and_prefixes():
    automaton = random_wta(2, 9)
    model = build(automaton, 40, "relu")
    string = random_tokens(6, 4)
    assert {i: [str(x) for x in r] for i, r in model.states(string, Rational()).items()} == {
        i: [str(x) for x in r] for i, r in automaton.states(string).items()
    }
    whole = decoder_tree.run(model.transformer, Rational(), model.encode(string))
    part = decoder_tree.run(model.transformer, Rational(), model.encode(string[:9]))
    assert (whole[:10] == part).all()


def test_subtrees_end_where_the_definition_says():
    string = random_tokens(12, 5)
    assert ends(string) == {i: end_index(string, i) for i in positions(string)}


@pytest.mark.parametrize("change", ["gate", "weight", "erase"])
def test_a_changed_construction_fails_on_some_shape(change, monkeypatch):
    if change == "gate":
        monkeypatch.setattr(TreeDecoderBuilder, "gate", property(lambda self: {}))
    elif change == "weight":
        monkeypatch.setattr(TreeDecoderBuilder, "match_head", lambda self: self.near_head())
    else:
        monkeypatch.setattr(TreeDecoderBuilder, "erasing_units", lambda self, *names: [])
    automaton, wrong = random_wta(2, 1), 0
    model = build(automaton, 13, "relu")
    for shape in shapes(5):
        string = tokens(labelled_shape(shape, 2))
        try:
            found = model.states(string, Rational())
        except ArithmeticError:
            wrong += 1
            continue
        wrong += any([str(x) for x in found[i]] != [str(x) for x in state]
                     for i, state in automaton.states(string).items())  # fmt: skip
    assert wrong > 0


def test_what_does_not_fit_is_refused_by_name():
    model = build(STOCHASTIC, 4)
    for bad in (["[", "a", "a", "]", "a"], ["c"]):
        with pytest.raises(InputError, match="tree"):
            model.encode(bad)
    with pytest.raises(InputError, match="activation"):
        build(STOCHASTIC, 4, "tanh")


def test_the_sizes_of_small_models_by_hand():
    assert decoder_tree.sizes(1, 1) == {
        "layers": 3, "heads": 2, "d_model": 17, "d_head": 4, "d_mlp": 25, "context": 2,
    }  # fmt: skip
    assert decoder_tree.sizes(2, 7) == {
        "layers": 4, "heads": 3, "d_model": 27, "d_head": 8, "d_mlp": 61, "context": 8,
    }  # fmt: skip
    assert [decoder_tree.sizes(1, length)["heads"] for length in (1, 4, 7)] == [2, 2, 3]
