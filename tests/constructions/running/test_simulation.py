"""Public methods of a simulation: exact states by default, floats by name, attention, a drawing."""

from fractions import Fraction
from xml.etree import ElementTree

import flint
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import logdepth, theorem1, theorem2, theorem3
from constructions.arithmetic import Rational, RationalStates
from constructions.automata.families import counting
from constructions.automata.strategies import automata, words
from constructions.automata.trees import balanced_tree, comb, string
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import Undecided
from constructions.modules.tree_module import to_torch as tree_module
from constructions.modules.word_module import to_torch
from constructions.running import arithmetic_choice as running
from constructions.running.patterns import Pattern

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
HMM = WFA.from_hmm([0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]], "wsc")
LONG = WFA.of([1], {"a": [[2]], "aa": [[3]]}, [1])
BUILDS = (theorem3.build, logdepth.build)


def test_patterns_have_targets_and_reads():
    mean = Pattern(1, "mean", ("a", "b"), ((1, 0), (Fraction(1, 2), Fraction(1, 2))))
    assert mean.targets() == [0, 0]
    assert mean.reads() == [(0, 0)]
    assert Pattern(1, "left", ("a", "b"), ((0, 1), (0.6, 0.4))).reads() == [(0, 1), (1, 0)]
    balls = ((flint.arb("0.2"), flint.arb("0.8")),)
    assert Pattern(1, "soft", ("a", "b"), balls).reads() == [(0, 1)]


def test_words_and_states_of_a_small_model():
    model = theorem1.build(counting(), 2)
    assert model.states("01") == [(0, 1), (1, 1), (1, 1)]
    assert model.states("01", dtype="float32") == [(0.0, 1.0), (1.0, 1.0), (1.0, 1.0)]
    assert model.states("01", Rational()).tolist() == [[0, 1], [1, 1], [1, 1]]
    assert (model.weight("00"), model.weight("")) == (2, 0)
    assert model.weight("00", dtype="float64") == 2.0
    assert model.batch(["0", ""]) == [[(0, 1), (1, 1)], [(0, 1)]]
    soft = theorem2.build(counting(), 2, 40)
    assert running.is_hard(model.transformer)
    assert not running.is_hard(soft.transformer)
    assert abs(soft.weight("00") - 2) < 1e-9


def test_contents_of_a_tree_appear_in_their_layer():
    model = theorem3.build(ADDER, 4)
    first, *after = model.contents(string("[a b]"))
    assert first == ["[", "a", "b", "]"]
    assert after[0] == ["", "(1, 1)", "(5, 1)", ""]
    assert after[-1] == ["(6, 1)", "(1, 1)", "(5, 1)", ""]
    assert model.attention("[a b]")[0].tokens == ("[", "a", "b", "]", "end")


@settings(max_examples=20, deadline=None)
@given(automaton=automata(states=2, symbols=2), data=st.data())
def test_states_are_exact_without_naming_an_arithmetic(automaton, data):
    word = data.draw(words(automaton, longest=4))
    model = theorem1.build(automaton, 4)
    assert model.states(word) == automaton.states(word)
    assert model.weight(word) == automaton.weight(word)


def test_balls_for_positions_give_the_states_of_exact_positions():
    model = theorem1.build(HMM, 8)
    with RationalStates() as fast:
        assert (model.states("wscwsc", fast) == model.states("wscwsc", Rational())).all()


def test_balls_too_wide_to_decide_a_maximum_are_an_error():
    with RationalStates(4) as wide, pytest.raises(Undecided):
        theorem1.build(counting(), 16).states("01", wide)


@pytest.mark.parametrize("dtype", ["float64", "float32", np.float32, torch.float32, "bfloat16"])
def test_a_floating_point_type_may_be_named_in_any_librarys_way(dtype):
    assert theorem1.build(counting(), 4).weight("0100", dtype=dtype) == 3.0


def test_an_unknown_type_is_named():
    with pytest.raises(InputError, match="dtype: found int8, expected one of float64"):
        theorem1.build(counting(), 4).states("01", dtype="int8")


def test_softmax_states_are_enclosed():
    found = theorem2.build(counting(), 4, 40).weight("0100")
    assert isinstance(found, flint.arb)
    assert 0 < abs(found - 3) < 1e-3


def test_every_head_looks_where_theorem_one_says():
    for pattern in theorem1.build(counting(), 4).attention("0100"):
        back = 1 << (pattern.layer - 1) if pattern.head == "left" else 0
        assert pattern.targets() == [(i - back) % 8 for i in range(8)]
        assert all(sum(row) == 1 for row in pattern.weights)


def test_soft_attention_is_a_distribution_that_leaks():
    (first, *_) = theorem2.build(counting(), 4, 5).attention("01", dtype="float64")
    rows = np.array(first.weights)
    assert np.allclose(rows.sum(axis=1), 1)
    assert 0.5 < rows[4][3] < 1


@pytest.mark.parametrize("build", BUILDS, ids=["tree", "logdepth"])
def test_trees_are_read_in_every_form_and_counted_from_one(build):
    model = build(ADDER, 10)
    forms = [("a", ("b", "a")), "[a[ba]]", "(a (b a))", list("[a[ba]]"), string("[a [b a]]")]
    for tree in forms:
        assert model.states(tree) == ADDER.states(tree)
        assert model.weight(tree) == ADDER.weight(tree) == 7
    assert model.weight("[a[ba]]", dtype="float32") == 7.0
    assert sorted(model.states("[a[ba]]")) == [1, 2, 3, 4, 5]


def test_an_nltk_tree_is_read():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree.fromstring("(S (NP a) (VP (V b) (NP a)))")
    assert ADDER.weight(tree) == 7
    with pytest.raises(InputError, match="a node S with 3 subtrees"):
        ADDER.weight(nltk.Tree("S", ["a", "b", "a"]))


@pytest.mark.parametrize("build", BUILDS, ids=["tree", "logdepth"])
@pytest.mark.parametrize(
    ("tree", "line"),
    [
        ("[a b", "tree, position 4: found the end, expected a closing ]"),
        (["[", "a", "]"], "tree, position 3: found a node with 1 subtrees"),
        (("a", ("a", "b", "a")), "tree: found a node with 3 subtrees, expected pairs"),
        (7, "tree: found 7, expected a pair"),
        ("", "tree, position 1: found nothing, expected a symbol"),
        ([], "tree, position 1: found nothing, expected a symbol"),
        ("(a (b a)", "tree, position 7: found the end, expected a closing ]"),
        ("[a[a[a[aa]]]]", "tree: found 13 tokens, expected at most 10, the length"),
    ],
)
def test_both_constructions_refuse_ill_formed_trees(build, tree, line):
    with pytest.raises(InputError) as refused:
        build(ADDER, 10).states(tree)
    assert str(refused.value).startswith(line)


@pytest.mark.parametrize("build", BUILDS, ids=["tree", "logdepth"])
def test_a_tree_module_takes_trees_of_any_size(build):
    module = tree_module(build(ADDER, 10))
    trees = ["[a b]", "a", ("a", ("b", "a")), "[a b]"]
    for found, tree in zip(module.states(trees), trees, strict=True):
        assert {i: s.tolist() for i, s in found.items()} == {
            i: [float(w) for w in s] for i, s in ADDER.states(tree).items()
        }
    assert module.weight(trees).tolist() == [6.0, 1.0, 7.0, 6.0]
    assert module.weight([]).shape == (0,)
    with pytest.raises(InputError, match="strings of 1, 4 tokens, expected trees of equally many"):
        module.encode(["[a b]", "a"])
    with pytest.raises(InputError, match="token: found 5, expected a number from 0 to 3"):
        module(torch.tensor([[5]]))


def test_a_tiny_weight_of_a_large_tree_keeps_its_digits():
    """About 5e-33 on 36 leaves: the log-depth model once gave exactly 0."""
    tiny = WTA.of([1], [[[1]]], {"a": ["0.127"]})
    exact = float(Fraction("0.127") ** 36)
    model = logdepth.build(tiny, 106)
    for tree in (balanced_tree(["a"] * 36), comb(["a"] * 36)):
        for found in (
            model.weight(tree, dtype="float64"),
            tree_module(model).weight([tree]).item(),
            tree_module(model, dense=True).weight([tree]).item(),
        ):
            assert abs(found / exact - 1) < 1e-9


def test_lengths_are_whole_numbers_of_any_library():
    assert theorem1.build(counting(), np.int64(4)).weight("0100") == 3
    assert theorem3.build(ADDER, np.int32(7)).weight("[a b]") == 6
    for wrong in ("4", 4.0, True, 0):
        with pytest.raises(InputError, match=r"length: found .*, expected a whole number ≥ 1"):
            theorem1.build(counting(), wrong)


def test_a_string_over_symbols_of_several_characters_is_refused():
    for asked in (LONG.weight, LONG.weight_by_paths, theorem1.build(LONG, 4).weight):
        assert asked(["a", "aa"]) == 6
        with pytest.raises(InputError, match="word: found aaa, expected a list of symbols: aa has"):
            asked("aaa")
    with pytest.raises(InputError, match="a list of symbols"):
        to_torch(theorem1.build(LONG, 4)).encode(["aaa"])


def test_the_drawing_has_a_line_for_every_read_and_the_contents():
    root = ElementTree.fromstring(theorem1.build(counting(), 4).draw("0100"))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"I", "0", "01", "0100", "left head", "right head"} <= set(texts)
    lines = list(root.iter("{http://www.w3.org/2000/svg}line"))
    assert len(lines) == 2 + 5 * 2 + 4 + 3  # legend; own reads; reads one and two back


def test_a_drawing_shows_symbols_and_never_obeys_them():
    evil = WFA.of([1], {"<b>": [[1]]}, [1])
    assert "<b>" not in theorem1.build(evil, 2).draw(["<b>", "<b>"])
    with pytest.raises(InputError, match="at most 64 to draw"):
        theorem1.build(counting(), 64).draw("0" * 64)
