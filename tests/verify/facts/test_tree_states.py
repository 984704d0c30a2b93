"""Facts on Theorem 3's models: every state for every WTA, sizes, modes, combs."""

from dataclasses import replace

import pytest

from constructions.variants import theorem3_clean
from constructions.variants.theorem3_variants import build_maskless
from verify.facts import tree_states


@pytest.mark.parametrize("construction", tree_states.CONSTRUCTIONS)
def test_every_construction_gives_every_state_of_every_small_tree(construction):
    assert tree_states.states_on_all_trees(construction, 1, 1).values == {
        "trees": 1,
        "positions": 1,
    }
    assert tree_states.states_on_all_trees(construction, 2, 3).values == {
        "trees": 4,
        "positions": 14,
    }


def test_a_model_with_a_layer_too_few_is_noticed(monkeypatch):
    monkeypatch.setattr(tree_states, "build_maskless", lambda a, t: build_maskless(a, t, 3))
    assert tree_states.states_on_all_trees("maskless", 1, 3).witness == {
        "string": "[[ab]c]",
        "position": 1,
    }


def test_a_letter_that_is_its_own_left_child_is_noticed(monkeypatch):
    monkeypatch.setattr(theorem3_clean, "_letter_removal", lambda automaton: [])
    assert tree_states.states_on_all_trees("clean", 1, 1).holds  # one letter passes no layer
    assert tree_states.states_on_all_trees("clean", 1, 2).holds is False


def test_a_right_head_that_looks_at_the_left_child_is_noticed(monkeypatch):
    monkeypatch.setattr(tree_states, "exact_heads", lambda s: {i: i + 1 for i in range(1, len(s))})
    assert tree_states.states_on_all_trees("printed", 1, 2).witness == {
        "string": "[ab]",
        "position": 1,
    }


def test_states_read_at_opening_brackets_of_the_closing_model_are_wrong(monkeypatch):
    monkeypatch.setattr(tree_states, "ends", lambda s: {i: i for i in range(1, len(s) + 1)})
    assert tree_states.states_on_all_trees("closing", 1, 2).holds is False


def test_modes_differ_from_two_states_on():
    assert tree_states.modes_agree(1).holds
    assert tree_states.modes_agree(2).witness == {
        "entry": 1,
        "printed": ["0", "0"],
        "defined": ["1", "0"],
    }


def test_units_are_counted_and_a_smaller_bound_is_noticed():
    assert tree_states.hidden_units(3, "n²+6n+10").values == {"units": [17, 26, 37]}
    assert tree_states.hidden_units(3, "n²+6n+9").witness == {"n": 1, "units": 17}


def test_a_comb_is_a_word_and_a_wrong_automaton_is_noticed(monkeypatch):
    assert tree_states.comb_word(1, 1).values == {"states": 2, "words": 2}
    found = tree_states.comb_word(2, 3)
    assert found.holds and found.values == {"states": 3, "words": 14}
    made = tree_states.comb_states
    turned = lambda a: replace(made(a), alpha=made(a).alpha[::-1])  # noqa: E731
    monkeypatch.setattr(tree_states, "comb_states", turned)
    assert tree_states.comb_word(1, 2).holds is False
