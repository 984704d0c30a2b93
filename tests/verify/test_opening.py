"""Sentences of abstract, introduction and conclusion; and every certificate of these topics."""

import importlib
import json
from fractions import Fraction
from typing import Any

import pytest
from tests_support import changes

from constructions import families, theorem1
from verify.check import REGISTERED, Job
from verify.checks import closing, opening, statements
from verify.claims.model import Name
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

TOPICS = (
    "closing",
    "families",
    "families_counting",
    "families_pfa",
    "opening",
    "preliminaries",
    "preliminaries_architecture",
    "preliminaries_trees",
    "scan",
    "simulation",
)


def outcomes(evidence: Any) -> dict[tuple[str, Name], Outcome]:
    return {(item.claim, item.reading): item.outcome for item in evidence}


def test_small_automata_are_simulated() -> None:
    found = outcomes(opening.small_automata_are_simulated(Job()))
    assert found.pop(("intro.liu.log", Name.LITERAL)) is Outcome.UNKNOWN
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_wrong_shift_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = theorem1.theta
    monkeypatch.setattr(theorem1, "theta", lambda layer, span: -original(layer, span))
    found = outcomes(opening.simulated(statements.smallest_exact()))
    assert found["abs.wfa", Name.LITERAL] is Outcome.FAILS


def test_a_layer_too_many_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = theorem1.layers
    monkeypatch.setattr(statements.theorem1, "layers", lambda n, t: original(n, t) * 2)
    assert statements.smallest_exact(1, 2)


def test_a_start_from_which_one_learns_is_no_counterexample() -> None:
    assert set(outcomes(opening.stuck((0, 0, 0))).values()) == {Outcome.FAILS}
    assert set(outcomes(opening.stuck((1, 1, 2))).values()) == {Outcome.UNKNOWN}


def test_automata_generalise_each_other() -> None:
    found = outcomes(opening.automata_generalise_each_other(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_dfa_that_stays_where_it_is_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = families.dfa

    def lazy(states: int, start: int, accepting: Any, moves: Any) -> Any:
        return original(states, start, accepting, {a: range(states) for a in moves})

    monkeypatch.setattr(families, "dfa", lazy)
    found = outcomes(opening.automata_generalise_each_other(Job()))
    assert set(found.values()) == {Outcome.FAILS}


def test_small_trees_are_simulated() -> None:
    found = outcomes(opening.small_trees_are_simulated(Job()))
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_tree_transformer_that_is_cut_short_is_noticed() -> None:
    found = outcomes(opening.tree_statements(lambda trees: statements.tree_problem(trees, 1)))
    assert found["abs.wta", Name.LITERAL] is Outcome.FAILS
    assert found["intro.wta.balanced", Name.LITERAL] is Outcome.FAILS


def test_combs_take_linearly_many_layers() -> None:
    (item,) = opening.combs_are_as_deep_as_they_are_long(Job())
    assert item.outcome is Outcome.FAILS


def test_shallow_combs_would_be_no_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "height", lambda tree: 1)
    (item,) = opening.combs_are_as_deep_as_they_are_long(Job())
    assert item.outcome is Outcome.UNKNOWN


def test_small_tree_automata_are_simulated() -> None:
    (item,) = opening.small_tree_automata_are_simulated(Job())
    assert item.outcome is Outcome.HOLDS


def test_negative_weights_would_lose_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    original = opening.reached
    monkeypatch.setattr(opening, "reached", lambda tree, rules, leaf: original(tree, rules, {0, 1}))
    assert opening.boolean_problem((1,) * 8 + (0, 1)) == "a"


def test_sizes_depend_on_states_and_length() -> None:
    found = outcomes(opening.what_the_sizes_depend_on(Job()))
    assert found["abs.sizes", Name.LITERAL] is Outcome.FAILS
    assert found["intro.extend", Name.CHARITABLE] is Outcome.HOLDS


def test_a_depth_that_does_not_grow_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = theorem1.layers
    monkeypatch.setattr(theorem1, "layers", lambda n, t: original(n, 2))
    found = outcomes(opening.what_the_sizes_depend_on(Job()))
    assert found["abs.sizes", Name.LITERAL] is Outcome.UNKNOWN
    assert found["abs.sizes", Name.CHARITABLE] is Outcome.FAILS
    assert found["intro.extend", Name.LITERAL] is Outcome.UNKNOWN


def test_a_soft_model_comes_close_if_c_is_large() -> None:
    (item,) = opening.a_soft_model_comes_close(Job())
    assert item.outcome is Outcome.HOLDS
    (item,) = opening.soft(1, 2, Fraction(1, 10), Fraction(1))
    assert item.outcome is Outcome.FAILS


def test_the_printed_recursion_fails_for_weights_above_one_only() -> None:
    assert opening.recursion(Fraction(2), Fraction(1, 10)).outcome is Outcome.FAILS
    assert opening.recursion(Fraction(1, 2), Fraction(1, 10)).outcome is Outcome.UNKNOWN


def test_second_order_networks_are_automata_if_they_are_linear() -> None:
    found = outcomes(closing.second_order_networks(Job()))
    assert found["rel.2rnn", Name.LITERAL] is Outcome.FAILS
    assert found["rel.2rnn", Name.CHARITABLE] is Outcome.HOLDS
    assert closing.squaring([2**t for t in range(7)]).outcome is Outcome.UNKNOWN


def test_combs_need_fewer_layers_than_their_height() -> None:
    found = outcomes(closing.fewer_layers_than_the_height(Job()))
    assert found["con.wta-must", Name.LITERAL] is Outcome.FAILS
    assert found["con.wta-must", Name.CHARITABLE] is Outcome.HOLDS
    assert found["con.question.tight", Name.LITERAL] is Outcome.UNKNOWN
    assert found["con.question.tight", Name.CHARITABLE] is Outcome.UNKNOWN
    assert found["con.question.tight", Name.REPAIRED] is Outcome.HOLDS


def test_a_short_comb_is_no_counterexample() -> None:
    found = outcomes(closing.combs(4))
    assert found["con.wta-must", Name.LITERAL] is Outcome.UNKNOWN


def test_a_wrong_number_of_steps_mends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(closing, "steps", lambda shape: 99)
    found = outcomes(closing.combs(10))
    assert found["con.question.tight", Name.LITERAL] is Outcome.UNKNOWN
    assert found["con.question.tight", Name.REPAIRED] is Outcome.FAILS


def test_states_of_trees_are_inside_weights_of_their_strings() -> None:
    (item,) = closing.trees_as_bracketed_words(Job())
    assert (item.claim, item.reading) == ("rel.zhao-harder", Name.REPAIRED)
    assert item.outcome is Outcome.HOLDS


def test_inside_weights_that_forget_a_cut_are_noticed() -> None:
    def shallow(automaton: Any, word: Any) -> Any:
        return closing.inside(automaton, word) if len(word) < 5 else (0,) * automaton.n

    item = closing.not_easier(shallow, 2, 3)
    assert item.outcome is Outcome.FAILS
    assert item.summary == "[a[aa]]: another inside weight"


def test_a_construction_that_is_faster_than_the_height_is_noticed() -> None:
    assert closing.must(lambda trees, layers=None: None).outcome is Outcome.FAILS


def test_relu_networks_miss_the_square() -> None:
    assert closing.relu(3).outcome is Outcome.FAILS


def test_a_floor_of_zero_would_refute_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closing, "relu_floor", lambda units: Fraction(0))
    assert closing.relu(3).outcome is Outcome.UNKNOWN


def test_the_checklist_meets_the_pseudocode() -> None:
    (item,) = closing.a_definition_and_an_algorithm(Job())
    assert item.outcome is Outcome.FAILS


def certificates() -> dict[str, dict[str, Any]]:
    """Every different certificate of these topics, in the quick profile and without data."""
    found: dict[str, dict[str, Any]] = {}
    for topic in TOPICS:
        importlib.import_module(f"verify.checks.{topic}")
    for name, registered in REGISTERED.items():
        if name.partition(".")[0] in TOPICS and "pautomac" not in registered.needs:
            for item in registered.body(Job()):
                if item.certificate is not None and not _of_theorem_1(item.certificate):
                    written = json.dumps(item.certificate, sort_keys=True)
                    found[written] = json.loads(written)
    return found


def _of_theorem_1(certificate: Any) -> bool:
    return str(certificate["kind"]).startswith("theorem1.")


def confirms(body: dict[str, Any]) -> bool:
    try:
        validator = validators().get(str(body.get("kind")))
        return validator is not None and bool(validator(body))
    except (Refused, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        return False


def test_every_certificate_is_confirmed_and_every_changed_field_refused() -> None:
    bodies = certificates()
    assert len(bodies) > 50
    for body in bodies.values():
        assert confirms(body), body
        for other in changes(body):
            assert not confirms(other), other
