"""The checks of Section 3: rows of states, one step a layer, shortcuts, layers as rounds."""

from dataclasses import replace
from typing import Any

import pytest

from constructions import theorem1
from constructions.transformer import Bilinear
from constructions.wfa import WFA
from verify.check import Job
from verify.checks import simulation
from verify.claims.model import Name
from verify.evidence import Outcome


def outcomes(evidence: Any) -> dict[tuple[str, Name], Outcome]:
    return {(item.claim, item.reading): item.outcome for item in evidence}


def test_a_word_has_one_state_more_than_letters() -> None:
    found = outcomes(simulation.a_word_has_one_state_more_than_letters(Job()))
    assert found["sim.exact.definition", Name.LITERAL] is Outcome.FAILS
    assert found["sim.exact.definition", Name.CHARITABLE] is Outcome.HOLDS
    assert found["sim.approx.definition", Name.REPAIRED] is Outcome.HOLDS


def test_with_the_first_state_left_out_the_definition_would_fit() -> None:
    found = outcomes(simulation.rows(lambda automaton, word: automaton.states(word)[1:]))
    assert found["sim.exact.definition", Name.LITERAL] is Outcome.UNKNOWN
    assert found["sim.exact.definition", Name.REPAIRED] is Outcome.FAILS


def test_sums_over_paths_simulate_exactly() -> None:
    assert set(outcomes(simulation.always(simulation.by_paths)).values()) == {Outcome.HOLDS}


def test_a_function_that_forgets_alpha_does_not() -> None:
    def forgetful(automaton: WFA, word: tuple[str, ...]) -> list[Any]:
        return simulation.by_paths(replace(automaton, alpha=(1, 0)), word)

    assert set(outcomes(simulation.always(forgetful)).values()) == {Outcome.FAILS}


def test_one_step_a_layer_takes_exactly_t_layers() -> None:
    assert set(outcomes(simulation.one_step_a_layer(Job())).values()) == {Outcome.HOLDS}
    assert simulation.unrolled_problem(2, 3, 2) == "n = 2, T = 3, 2 layers: state 3 differs"


def test_a_recurrent_layer_without_shift_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorem1, "theta", lambda layer, span: 0)
    assert simulation.unrolled_problem(1, 2, 2)


def test_a_single_length_says_nothing_on_depth() -> None:
    found = outcomes(simulation.depth_against_length(Job()))
    assert found["sim.shortcut.definition", Name.LITERAL] is Outcome.FAILS
    assert found["sim.shortcut.definition", Name.REPAIRED] is Outcome.HOLDS
    assert found["sim.shortcuts-exist", Name.LITERAL] is Outcome.HOLDS


def test_a_linear_depth_is_no_shortcut() -> None:
    assert simulation.limit_problem(lambda t: t / 2) == "the depth does not vanish against T"


def test_layers_are_rounds_of_the_scan() -> None:
    assert set(outcomes(simulation.layers_are_rounds(Job())).values()) == {Outcome.HOLDS}


def test_factors_in_the_wrong_order_are_noticed() -> None:
    def reversed_product(automaton: WFA, length: int) -> theorem1.Simulation:
        model = theorem1.build(automaton, length)
        layers = []
        for layer in model.transformer.layers:
            block = layer.feedforward
            assert isinstance(block, Bilinear)
            swapped = replace(block, left=block.right, right=block.left)
            layers.append(replace(layer, feedforward=swapped))
        return theorem1.assemble(automaton, length, tuple(layers))

    assert "holds another product" in str(simulation.layers_problem(4, reversed_product))
