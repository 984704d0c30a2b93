"""The integer engine of the repaired heads: it is the dense pass, ties are errors, heights are right."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions import theorem3
from constructions.arithmetic import Rational
from constructions.automata.random_trees import random_wta
from constructions.automata.trees import comb, tokens
from constructions.core.matrix import Matrix
from constructions.core.transformer import Tie, realise
from constructions.theorem3 import Places, TreePlan, build, layout
from verify.exactness.integers import IntegerPass
from verify.exactness.theorem3 import GenericPolynomial, generic_tree_automaton, heights, targets

TREES = ("a", "[ab]", "[[ab]c]", "[[ab][cd]]", "[a[b[cd]]]")


def dense_targets(symbols, places):
    """Return the targets of the built parse layer's heads, from 0, by the exact forward pass."""
    arithmetic = Rational()
    model = build(random_wta(1, 1, alphabet="abcd"), len(symbols), height=1, places=places)
    real = realise(model.transformer, arithmetic)
    rows = list(real.states(arithmetic, arithmetic.array(model.encode(symbols))))[2]
    found = {}
    for head in real.layers[2].heads[:2]:
        scores = head.scores(arithmetic, rows)
        for i, row in enumerate(scores):
            allowed = list(head.mask.visible(i, len(row)))
            best = arithmetic.maximisers([row[j] for j in allowed])
            found[head.name, i] = [allowed[j] for j in best]
    return found


def pass_states(model, tree):
    return IntegerPass(model, model.plan.layout, [tree]).states()


def engine_targets(symbols):
    return {
        (name, i): [j] for name in ("left", "right") for i, j in enumerate(targets(symbols, name))
    }


@pytest.mark.parametrize("symbols", TREES)
@pytest.mark.parametrize("places", list(Places))
def test_the_engine_looks_where_the_built_heads_look(symbols, places):
    assert engine_targets(symbols) == dense_targets(symbols, places)


def test_an_engine_without_flags_at_left_children_differs(monkeypatch):
    right = dense_targets("[[ab][cd]]", Places.LINE)
    monkeypatch.setattr(theorem3, "COPIED", ("one", "count", "kind"))
    assert engine_targets("[[ab][cd]]") != right


def test_states_of_a_long_comb_are_those_of_the_definition():
    automaton = random_wta(2, 2, bound=1)
    symbols = tokens(comb("ab" * 6))
    *_, last = pass_states(build(automaton, len(symbols), places=Places.LINE), comb("ab" * 6))
    for i, state in automaton.states(symbols).items():
        assert list(last[0, i - 1, :2]) == [int(x) for x in state]


def test_ties_are_errors_in_the_engine(monkeypatch):
    right = TreePlan.right
    nothing = Matrix.zeros(layout(1).size, 3)
    monkeypatch.setattr(TreePlan, "right", lambda plan: replace(right(plan), query=nothing))
    with pytest.raises(Tie, match="head right: tree 0, row 0 has a tie"):
        targets("[ab]", "right")


def test_a_layer_that_mixes_its_heads_is_not_run():
    model = build(random_wta(1, 1), 4, places=Places.LINE)
    first, *rest = model.transformer.layers
    mixed = replace(first, combine=first.combine.scaled(2))
    changed = replace(model, transformer=replace(model.transformer, layers=(mixed, *rest)))
    with pytest.raises(TypeError, match="side by side only"):
        list(pass_states(changed, ("a", "b")))


def test_heights_are_those_of_subtrees():
    assert heights("[[ab]c]") == {3: 0, 4: 0, 6: 0, 2: 1, 1: 2}


def test_a_score_with_a_symbol_in_it_is_an_error():
    ring, automaton = generic_tree_automaton(1, letters=1)
    with pytest.raises(ArithmeticError, match="expected a number in a score"):
        ring.scores(ring.array([list(automaton.leaf("a"))]), ring.array([[1]]))
    assert isinstance(ring, GenericPolynomial)


def test_heights_grow_by_one_from_level_to_level():
    assert heights("[a[b[c[de]]]]") == {1: 4, 2: 0, 3: 3, 4: 0, 5: 2, 6: 0, 7: 1, 8: 0, 9: 0}


def test_a_generic_tree_automaton_has_a_symbol_for_each_weight_but_those_of_the_root():
    ring, automaton = generic_tree_automaton(2, 1)
    names = [f"t{a}_{b}_{c}" for a in "01" for b in "01" for c in "01"]
    assert [*ring.generators] == [*names, "a0", "a1"] and automaton.alpha == (1, 1)


@pytest.mark.parametrize(("text", "kind"), [("3", int), ("1/2", Fraction)])
def test_whole_scores_are_ints_and_others_fractions(text, kind):
    ring, _ = generic_tree_automaton(1, 1)
    found = ring._constant(ring.element(Fraction(text)))
    assert type(found) is kind and found == Fraction(text)
