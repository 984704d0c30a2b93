"""How many steps the log-depth construction takes: bounds, lemmas, and games that break them."""

from pathlib import Path

import pytest
from tests_support import confirmed, evidence, outcomes

from constructions.pebbling import Mark, State, extremal, most_steps, play, start, step
from constructions.trees import children, comb, tokens
from verify.check import REGISTERED
from verify.checks import logdepth_steps as step_checks
from verify.engines import logdepth_lemmas as lemmas
from verify.evidence import Outcome

STEP_CHECKS = [
    step_checks.every_small_tree_keeps_the_bound,
    step_checks.the_least_number_of_leaves_by_dynamic_programming,
    step_checks.the_arithmetic_of_the_induction_closes_for_all_k,
    step_checks.extremal_trees_attain_the_bound,
    step_checks.combs_take_a_logarithm,
    step_checks.never_more_steps_than_the_height,
]


LEMMAS = {
    lemmas.off_the_way: step_checks.lemma_off_the_way,
    lemmas.inactive_waits: step_checks.lemma_inactive_waits,
    lemmas.pointers_compose: step_checks.lemma_pointers_compose,
    lemmas.chain_gain: step_checks.lemma_chain_gain,
    lemmas.induction_cases: step_checks.lemma_induction_cases,
    lemmas.enough_leaves: step_checks.lemma_enough_leaves,
    lemmas.chain_order: step_checks.lemma_chain_order,
    lemmas.one_after_children: step_checks.lemma_one_after_children,
}


@pytest.mark.parametrize("body", [*STEP_CHECKS, *LEMMAS.values()])
def test_checks_on_steps_hold_and_are_confirmed(body):
    assert {item.outcome for item in evidence(body)} == {Outcome.HOLDS}
    confirmed(body)


def test_a_bound_that_is_too_small_is_refuted(monkeypatch):
    monkeypatch.setattr(step_checks, "most_steps", lambda n: max(0, most_steps(n) - 1))
    assert outcomes(step_checks.every_small_tree_keeps_the_bound) == [Outcome.FAILS]


def test_a_wrong_formula_for_combs_and_extremal_trees_is_refuted(monkeypatch):
    monkeypatch.setattr(step_checks, "comb_steps", lambda n: max(0, n.bit_length()))
    assert outcomes(step_checks.combs_take_a_logarithm) == [Outcome.FAILS]
    monkeypatch.setattr(step_checks, "extremal", lambda k: comb("a" * (k + 1)))
    assert outcomes(step_checks.extremal_trees_attain_the_bound) == [Outcome.FAILS]


def test_a_wrong_programme_and_a_wrong_height_are_refuted(monkeypatch):
    monkeypatch.setattr(step_checks, "dynamic_bounds", lambda k: list(range(1, k + 2)))
    dynamic = step_checks.the_least_number_of_leaves_by_dynamic_programming
    assert outcomes(dynamic) == [Outcome.FAILS]
    monkeypatch.setattr(step_checks, "steps", lambda tree: len(tokens(tree)))
    assert outcomes(step_checks.never_more_steps_than_the_height) == [Outcome.FAILS]


def test_an_inequality_that_does_not_close_is_named():
    wrong = {"P_k ≥ 2 P_{k-1}": (3, {7: 1, 6: -2}, 0)}
    assert lemmas.induction_closes(wrong) == list(wrong)
    late = {"only from 5 on": (3, {7: 1}, -8)}
    assert lemmas.induction_closes(late) == list(late)


def lazy(tree):
    """A game in which nothing becomes active in odd steps."""
    symbols = tokens(tree)
    below, state = children(symbols), start(symbols)
    yield state
    for time in range(1, 100):
        new = step(state, below)
        marks, pointers = dict(new.marks), dict(new.pointers)
        for node in below:
            if time % 2 and (state.marks[node], marks[node]) == (Mark.INACTIVE, Mark.ACTIVE):
                marks[node], pointers[node] = Mark.INACTIVE, node
        state = State(marks, pointers)
        yield state
        if state.finished:
            return


def hasty(tree):
    """A game in which a node is pebbled as soon as it is active."""
    for state in play(tree):
        marks = {
            v: Mark.PEBBLED if m is Mark.ACTIVE and state.pointers[v] - v > 1 else m
            for v, m in state.marks.items()
        }
        yield State(marks, state.pointers)


def leaping(tree):
    """A game in which a pointer goes on to a child, one step after its node became active."""
    below, before = children(tokens(tree)), set()
    for state in play(tree):
        moved = {v: below[c][0] for v in before if (c := state.pointers[v]) in below}
        yield State(state.marks, {**state.pointers, **moved})
        before = {v for v, mark in state.marks.items() if mark is Mark.ACTIVE}


def doubled(tree):
    """A game with every state shown twice: all times are too late."""
    for state in play(tree):
        yield state
        yield state


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.__name__)
def test_each_lemma_is_broken_by_some_other_game(lemma, monkeypatch):
    shapes = [tree for n in range(2, 10) for tree in step_checks.unordered_shapes(n)] + [
        extremal(9)
    ]
    broken = []
    for game in (lazy, hasty, leaping, doubled):
        monkeypatch.setattr(lemmas, "play", game)
        monkeypatch.setattr(lemmas, "times", lambda tree, game=game: first_times(game, tree))
        broken.append(any(lemma(lemmas.Record(tree)) for tree in shapes))
    assert any(broken)


def first_times(game, tree):
    found = {}
    for time, state in enumerate(game(tree)):
        for node, mark in state.marks.items():
            if mark is Mark.PEBBLED:
                found.setdefault(node, time)
    return found


def test_every_lemma_and_every_check_is_named_in_the_documentation():
    text = (Path(__file__).parents[2] / "docs" / "logdepth.md").read_text("utf-8")
    for lemma in LEMMAS:
        assert f"`{lemma.__name__.replace('_', '-')}`" in text
    for name, check in REGISTERED.items():
        if name.startswith("logdepth") and ".lemma_" not in name:
            assert f"`{check.body.__name__}`" in text, name
