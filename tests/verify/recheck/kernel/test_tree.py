"""Trees and steps of the kernel: what is not known is refused."""

import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel import tree


@pytest.mark.parametrize("kind", ["literal", "scaled", "repaired", "exact"])
def test_a_step_is_enclosed(kind):
    low, high = tree.step(1, 4, 7, 3, kind)
    assert 0 <= high - low < 1e-9


def test_a_step_that_is_not_known_is_refused():
    with pytest.raises(Refused, match="step 'none' is not known"):
        tree.step(1, 4, 7, 3, "none")


@pytest.mark.parametrize(
    ("tokens", "because"),
    [
        ([], "are no tree"),
        (["]"], "are no tree"),
        ([""], "are no tree"),
        ([1], "are no tree"),
        (["[", "a"], "are no tree"),
        (["[", "a", "b"], "closing bracket is missing"),
        (["[", "a", "b", "c"], "closing bracket is missing"),
        (["a", "b", "c"], "2 tokens after the end"),
    ],
)
def test_tokens_that_are_no_tree_are_refused(tokens, because):
    with pytest.raises(Refused, match=because):
        tree.read(tokens)


def test_a_string_is_read_back():
    assert tree.read(tree.written(("a", ("b", "c")))) == ("a", ("b", "c"))


def test_a_leaf_outside_the_alphabet_is_refused():
    automaton = tree.Automaton([[[3]]], {"a": (2,)})
    assert automaton.state(("a", "a")) == (12,)
    with pytest.raises(Refused, match="leaf 'b' is not in the alphabet"):
        automaton.state(("a", "b"))
