"""The checks of the families: printed automata refuted, repaired ones proved, mutants noticed."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy

from constructions import families as construction
from constructions.pautomac import Model
from constructions.wfa import WFA
from verify.check import Job
from verify.checks import families, families_counting, families_pfa
from verify.claims.model import Name
from verify.evidence import Outcome


def outcomes(evidence: Any) -> dict[tuple[str, Name], Outcome]:
    return {(item.claim, item.reading): item.outcome for item in evidence}


def test_hidden_markov_models_are_automata() -> None:
    found = outcomes(families.hidden_markov_models_are_automata(Job()))
    assert found.pop(("fam.hmm.formula", Name.LITERAL)) is Outcome.FAILS
    assert set(found.values()) == {Outcome.HOLDS}


def test_a_transposed_transition_matrix_is_noticed() -> None:
    def transposed(model: families.Markov, word: Any) -> Any:
        rows = tuple(zip(*model.transition, strict=True))
        return families.weight(replace(model, transition=rows), word)

    assert "another polynomial" in str(families.markov_problem(transposed))


def test_a_bound_index_is_no_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    original = families.nested
    monkeypatch.setattr(families, "nested", lambda model, word, index=None: original(model, word))
    assert families.free_index().outcome is Outcome.UNKNOWN


def test_probabilities_sum_to_one_at_each_length_and_not_over_lengths() -> None:
    found = outcomes(families.probabilities_sum_to_one_at_each_length(Job()))
    assert found["fam.hmm.distribution", Name.LITERAL] is Outcome.FAILS
    assert found["fam.hmm.distribution", Name.CHARITABLE] is Outcome.HOLDS
    assert found["fam.pfa.stochastic", Name.LITERAL] is Outcome.FAILS
    assert found["fam.hmm.definition", Name.LITERAL] is Outcome.HOLDS


def test_observations_indexed_the_other_way_do_not_sum_to_one() -> None:
    model = families.markov(2, 2)
    mutant = replace(model, observation=tuple(zip(*model.observation, strict=True)))
    assert "the probabilities sum to" in str(families.mass_problem(mutant))


def test_probabilistic_automata_are_automata() -> None:
    found = outcomes(families_pfa.probabilistic_automata_are_automata(Job()))
    assert found.pop(("fam.pfa.definition", Name.LITERAL)) is Outcome.FAILS
    assert set(found.values()) == {Outcome.HOLDS}


def test_final_weights_that_do_not_fill_up_break_the_telescope(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = families_pfa.generic_pfa
    half = (sympy.Rational(1, 2),)
    monkeypatch.setattr(
        families_pfa, "generic_pfa", lambda n, p: replace(original(n, p), beta=half * n)
    )
    assert families_pfa.telescope_problem(1, 1)


def test_a_weight_that_drops_a_path_is_noticed() -> None:
    class Lossy(WFA):
        def weight_by_paths(self, word: Any) -> Any:
            return super().weight_by_paths(word) + len(word)

    automaton = families_pfa.generic_pfa(1, 1)
    lossy = Lossy(automaton.alpha, automaton.transitions, automaton.beta)
    assert "not the sum over paths" in str(families_pfa.path_problem(lossy))


def test_a_total_function_needs_no_extension() -> None:
    item = next(iter(families_pfa.partial_function({(0, "a", 0)})))
    assert item.outcome is Outcome.UNKNOWN


def model(final: str) -> Model:
    return Model(
        {(0,): Fraction(1)},
        {(0,): Fraction(final)},
        {(0, 0): Fraction(1)},
        {(0, 0, 0): Fraction(1)},
    )


def test_data_that_sum_to_one_hold_and_others_are_named() -> None:
    assert set(outcomes(families_pfa.sums({"4": model("1/2")})).values()) == {Outcome.HOLDS}
    bad = replace(model("1/2"), moves={(0, 0, 0): Fraction(1, 2)})
    found = outcomes(families_pfa.sums({"4": bad}))
    assert found["fam.pfa.final", Name.LITERAL] is Outcome.FAILS
    assert found["fam.pfa.final", Name.CHARITABLE] is Outcome.FAILS
    assert found["fam.pfa.initial", Name.LITERAL] is Outcome.HOLDS


def test_without_data_nothing_is_said() -> None:
    found = outcomes(families_pfa.the_data_are_probabilities(Job()))
    assert set(found.values()) == {Outcome.UNAVAILABLE}


def test_zeros_are_counted() -> None:
    assert set(outcomes(families_counting.zeros_are_counted(Job())).values()) == {Outcome.HOLDS}


@pytest.mark.parametrize(
    ("mutant", "claim"),
    [
        ({"alpha": (1, 0)}, "fam.counting.state"),
        ({"beta": (0, 1)}, "fam.counting.parameters"),
        ({"transitions": {"0": ((1, 1), (0, 1)), "1": ((1, 0), (0, 1))}}, "fam.counting.powers"),
        ({"transitions": {"0": ((1, 0), (1, 1)), "1": ((1, 0), (1, 1))}}, "fam.counting.identity"),
    ],
)
def test_a_changed_counting_automaton_is_noticed(mutant: dict[str, Any], claim: str) -> None:
    automaton = replace(construction.counting(), **mutant)
    assert outcomes(families_counting.counting(automaton))[claim, Name.LITERAL] is Outcome.FAILS


def test_the_printed_k_counting_automaton_never_counts() -> None:
    found = outcomes(families_counting.the_first_k_letters_are_counted(Job()))
    assert {v for (_, reading), v in found.items() if reading is Name.LITERAL} == {Outcome.FAILS}
    assert {v for (_, reading), v in found.items() if reading is not Name.LITERAL} == {
        Outcome.HOLDS
    }


def test_a_repaired_automaton_is_no_counterexample() -> None:
    found = outcomes(families_counting.printed(construction.k_counting))
    assert found["fam.k-counting", Name.LITERAL] is Outcome.UNKNOWN
    assert families_counting.basis_vectors(1, 1).outcome is Outcome.UNKNOWN


def test_the_printed_automaton_does_not_pass_the_induction() -> None:
    problem = families_counting.k_step_problem(construction.k_counting_as_printed, 2, 3)
    assert "the empty word has state (1, 0, 0)" in str(problem)


def test_counts_need_k_plus_one_states_and_their_sum_two() -> None:
    found = outcomes(families_counting.how_many_states_counting_needs(Job()))
    assert found["fam.k-counting.needs", Name.LITERAL] is Outcome.FAILS
    assert found["fam.k-counting.needs", Name.CHARITABLE] is Outcome.HOLDS


def test_final_vectors_read_counts_only_with_the_repaired_alpha() -> None:
    found = outcomes(families_counting.what_a_final_vector_reads(Job()))
    assert found["fam.k-counting.beta.equal", Name.LITERAL] is Outcome.FAILS
    assert found["fam.k-counting.beta.sum", Name.REPAIRED] is Outcome.HOLDS
    swapped = outcomes(
        families_counting.readings(construction.k_counting, construction.k_counting_as_printed)
    )
    assert swapped["fam.k-counting.beta.sum", Name.LITERAL] is Outcome.UNKNOWN
    assert swapped["fam.k-counting.beta.sum", Name.REPAIRED] is Outcome.FAILS
