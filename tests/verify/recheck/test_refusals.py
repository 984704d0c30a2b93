"""Refusals of the re-checker, each seen to happen: parameters that say nothing, intervals that do
not decide, and a computation of its own that does not come out."""

from dataclasses import replace
from fractions import Fraction

import pytest
from facts_support import refuses

from verify.recheck.errors import Refused
from verify.recheck.kernel import tree
from verify.recheck.kinds import pebbling, tree_heads, tree_states, tree_strings

NEAR = {"formula": "repaired", "lengths": [4], "terms": [8], "within": "1/4"}


@pytest.mark.parametrize(
    ("fact", "parameters", "because"),
    [
        ("step.near", {**NEAR, "within": "0"}, "a slack between 0 and 1"),
        ("step.near", {**NEAR, "within": "1"}, "a slack between 0 and 1"),
        ("step.near", {**NEAR, "lengths": [4, 4]}, "different entries"),
        ("step.near", {**NEAR, "formula": "none"}, "expected one of"),
        ("tree.right-heads", {"string": "a" * 41, "terms": 0}, "at most 40 tokens"),
        ("tree.strings-in", {"among": "Σ", "letters": 1, "leaves": 1}, "expected one of"),
        ("tree.not-a-string", {"string": ""}, "1 to 200"),
        ("tree.not-a-string", {"string": "a" * 201}, "1 to 200"),
        ("tree.rule", {"given": "level", "wanted": "left child", "leaves": 3}, "not there"),
        ("tree.rule", {"given": "level", "wanted": "luck", "leaves": 3}, "is not known"),
    ],
)
def test_parameters_that_say_nothing_are_refused(fact, parameters, because):
    refuses(fact, parameters, because)


@pytest.mark.parametrize(
    ("body", "because"),
    [
        ([], "expected an automaton"),
        ({"n": 1, "leaves": {}, "rules": [[0, 0, 0]]}, "one to three letters"),
        ({"n": 1, "leaves": {"a": [1]}, "rules": [[0, 0, 0]]}, "a state is not one of"),
        ({"n": 1, "leaves": {"a": [0]}, "rules": [[0, 0, 0], [0, 0, 0]]}, "different triples"),
        ({"n": 1, "leaves": {"a": [0]}, "rules": [[0, 0]]}, "different triples"),
    ],
)
def test_tree_automata_that_are_none_are_refused(body, because):
    with pytest.raises(Refused, match=because):
        tree_states.TreeAutomaton.of(body)


def wide(*_):
    return Fraction(-9), Fraction(9)


def test_intervals_that_do_not_decide_are_refused(monkeypatch):
    monkeypatch.setattr(tree, "near", wide)
    monkeypatch.setattr(tree, "step", wide)
    monkeypatch.setattr(tree_heads, "_error", lambda *_: (Fraction(0), Fraction(1)))
    with pytest.raises(Refused, match="do not decide"):
        tree_heads.attended(1, list("[a[bc]]"), "before", "exact", 0)
    with pytest.raises(Refused, match="do not decide"):
        tree_heads._far("repaired", 4, 8, Fraction(1, 4))
    with pytest.raises(Refused, match="overlap"):
        tree_heads._first_failure(1, 7)
    with pytest.raises(Refused, match="twelfth digit"):
        tree_heads._rounded(64, ["a"])


@pytest.mark.parametrize("off", [-1, 1])
def test_a_game_that_does_not_keep_the_bound_is_refused(monkeypatch, off):
    right = pebbling.most_steps
    monkeypatch.setattr(pebbling, "most_steps", lambda n: right(n) + off)
    refuses("pebbling.steps", {"leaves": 4}, "the bound is not met")


def test_a_tree_that_takes_more_layers_than_the_bound_is_refused(monkeypatch):
    monkeypatch.setattr(pebbling, "most_steps", lambda n: 0)
    refuses("pebbling.families", {"leaves": [9]}, "more layers than the bound")


def test_a_tree_that_is_too_high_for_its_string_is_refused(monkeypatch):
    """A tree of height h has a string of 3h + 1 tokens or more."""
    shape, nodes = ("a", ("b", "c")), tree.nodes
    higher = [replace(node, height=node.height + 1) for node in nodes(shape)]
    monkeypatch.setattr(tree, "nodes", lambda shape: higher)
    with pytest.raises(Refused, match="too high"):
        tree_strings._one_string(shape)


def test_a_string_that_is_not_read_back_or_has_other_ends_is_refused(monkeypatch):
    shape = ("a", ("b", "c"))
    tree_strings._one_string(shape)
    with monkeypatch.context() as patched, pytest.raises(Refused, match="not read back"):
        patched.setattr(tree, "read", lambda tokens: "a")
        tree_strings._one_string(shape)
    with monkeypatch.context() as patched, pytest.raises(Refused, match="position 1: ends"):
        patched.setattr(tree_strings, "_balanced", lambda tokens: len(tokens) == 1)
        tree_strings._one_string(shape)


@pytest.mark.parametrize("step", sorted(tree_heads.STEPS))
def test_a_right_head_that_looks_elsewhere_is_no_confirmation(step, monkeypatch):
    monkeypatch.setattr(tree_heads, "attended", lambda i, *_: i)
    asked = {"depth": "before", "step": step, "terms": [0], "leaves": 3}
    answer = tree_heads.right_head(asked, {})
    assert answer.holds is False and answer.values["missed"] == [answer.values["brackets"]]
