"""The checks on PAutomaC files, on small files written here and on the real ones if given."""

import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from verify.check import Job
from verify.checks import pautomac
from verify.evidence import Outcome, Strength

from constructions.families import counting
from constructions.pautomac import read_problem
from constructions.wfa import WFA
from verify.experiments import targets
from verify.experiments.printed import PRINTED
from verify.recheck import pautomac as recheck
from verify.recheck.errors import Refused

NEIGHBOUR = Path(__file__).parents[3] / "shared" / "pautomac"
DATA = Path(os.environ.get("ASSAY_PAUTOMAC") or NEIGHBOUR)
real = pytest.mark.skipif(not DATA.is_dir(), reason="data not given")

MODEL = """I: (state)
\t(0) 1.0
F: (state)
\t(1) 0.5
S: (state,symbol)
\t(0,0) 0.25
\t(0,1) 0.75
\t(1,1) 1.0
T: (state,symbol,state)
\t(0,0,1) 1.0
\t(0,1,0) 0.5
\t(0,1,1) 0.5
\t(1,1,1) 1.0
"""


@pytest.fixture
def folder(tmp_path):
    """One problem, called 39, whose solution file is right."""
    (tmp_path / "39.pautomac_model.txt").write_text(MODEL)
    (tmp_path / "39.pautomac.test").write_text("2 2\n1 0\n1 1\n")
    (tmp_path / "39.pautomac_solution.txt").write_text("2\n0.4\n0.6\n")
    return tmp_path


def outcomes(evidence, reading="literal"):
    return {e.claim: e.outcome for e in evidence if e.reading.value == reading}


def test_without_data_every_claim_is_unavailable_and_says_so():
    for body in (
        pautomac.descriptors_follow_from_the_files,
        pautomac.test_probabilities_follow_from_the_models,
        pautomac.a_softmax_cannot_return_the_states,
        pautomac.six_layers_give_the_exact_states,
    ):
        found = list(body(Job()))
        assert found and {e.outcome for e in found} == {Outcome.UNAVAILABLE}
        assert {e.summary for e in found} == {"data not given"}


def test_right_probabilities_are_certified_and_wrong_ones_refuted(folder):
    job = Job(pautomac=folder)
    (good,) = pautomac.test_probabilities_follow_from_the_models(job)
    assert good.outcome is Outcome.HOLDS and good.strength is Strength.ENCLOSURE
    assert recheck.probabilities(good.certificate)
    (folder / "39.pautomac_solution.txt").write_text("2\n0.4000001\n0.5999999\n")
    (bad,) = pautomac.test_probabilities_follow_from_the_models(job)
    assert bad.outcome is Outcome.FAILS


def test_the_bound_on_the_error_is_above_the_true_one(folder):
    (folder / "39.pautomac_solution.txt").write_text("2\n0.2\n0.8\n")
    assert targets.largest_error(folder, "39") >= 1


def printed_facts(problem="12"):
    row = PRINTED.one[problem]
    return targets.Facts(problem, int(row.states), int(row.alphabet), row.type, 55, "0" * 64)


def test_facts_that_agree_support_the_row_and_others_refute_it():
    (good,) = pautomac.row(printed_facts())
    assert good.outcome is Outcome.HOLDS and good.strength is Strength.OBSERVED
    for change in ({"states": 13}, {"alphabet": 14}, {"type": "HMM"}, {"present": 54}):
        (bad,) = pautomac.row(replace(printed_facts(), **change))
        assert bad.outcome is Outcome.FAILS
        assert recheck.descriptors(bad.certificate)


def test_a_certificate_that_hides_a_difference_is_refused():
    (bad,) = pautomac.row(replace(printed_facts(), states=13))
    for change in ({"differs": []}, {"what": "colour"}, {"more": 1}):
        with pytest.raises(Refused):
            recheck.descriptors({**bad.certificate, **change})


def case(largest, printed="0.000356", problem="12"):
    floor = targets.softmax_floor(Fraction(largest), 12, 64)
    return {
        "problem": problem,
        "states": 12,
        "largest": largest,
        "printed": printed,
        "excluded": floor > Fraction(printed) + Fraction(1, 2 * 10**6),
        "nonnegative": True,
    }


def test_a_softmax_is_excluded_where_states_shrink_and_not_where_they_do_not():
    shrinking = list(pautomac.softmax([case("1/2")]))
    assert outcomes(shrinking)["exp.train.task"] is Outcome.FAILS
    assert outcomes(shrinking)["exp.train.pautomac.softmax"] is Outcome.FAILS
    assert outcomes(shrinking, "charitable")["exp.train.pautomac.softmax"] is Outcome.HOLDS
    steady = list(pautomac.softmax([case("1")]))
    assert outcomes(steady)["exp.train.task"] is Outcome.UNKNOWN
    assert outcomes(steady)["exp.train.pautomac.softmax"] is Outcome.HOLDS


def test_the_certificate_on_the_softmax_is_computed_again():
    body = next(iter(pautomac.softmax([case("1/2")]))).certificate
    assert "1 automata" in recheck.softmax(body)
    for change in ({"largest": "1"}, {"states": 13}, {"printed": "0.1"}, {"excluded": False}):
        with pytest.raises(Refused):
            recheck.softmax({**body, "cases": [{**body["cases"][0], **change}]})


def test_no_output_that_sums_to_one_is_below_the_floor():
    ratio, n, length = Fraction(1, 2), 3, 4
    best = Fraction(0)
    for t in range(length):
        state = [ratio**t, Fraction(0), Fraction(0)]
        near = [x + (1 - sum(state)) / n for x in state]
        best += sum((a - b) ** 2 for a, b in zip(near, state, strict=True)) / n
    assert targets.softmax_floor(ratio, n, length) == best / length


def test_the_pattern_gives_every_prefix_and_a_shifted_one_does_not():
    looks = targets.pattern(8)
    assert targets.prefixes(looks, 8)
    left, right = looks[1]
    wrong = [looks[0], ([*left[1:], left[0]], right), *looks[2:]]
    assert not targets.prefixes(wrong, 8)
    assert not targets.exact_states_agree(counting(), "01001101", wrong)
    assert targets.exact_states_agree(counting(), "01001101", looks)


def test_a_construction_that_fails_is_reported_with_its_automaton():
    line = pautomac.Built("39", 6, False, 0.0, "1", "0")
    assert pautomac.built(True, [line], 6).outcome is Outcome.FAILS
    assert pautomac.built(False, [replace(line, exact=True)], 6).outcome is Outcome.FAILS
    good = pautomac.built(True, [replace(line, exact=True)], 6)
    assert good.outcome is Outcome.HOLDS and "6 layers" in recheck.scan(good.certificate)
    for change in ({"layers": 5}, {"length": 65}, {"problems": {"39": 7}}):
        with pytest.raises(Refused):
            recheck.scan({**good.certificate, **change})


def test_the_float_error_is_relative_to_the_state():
    half = WFA.of(["1"], {"a": [["1/2"]]}, ["1"])
    assert targets.float_error(half, "aaaa") == 0
    third = WFA.of(["1"], {"a": [["1/3"]]}, ["1"])
    assert 0 < targets.float_error(third, "aaaa") < 1e-14


@real
def test_the_ten_automata_agree_with_their_solution_files_and_with_table_1():
    job = Job(pautomac=DATA)
    (evidence,) = pautomac.test_probabilities_follow_from_the_models(job)
    assert evidence.outcome is Outcome.HOLDS
    found = outcomes(pautomac.descriptors_follow_from_the_files(job))
    assert found["tab1.states"] is found["tab1.alphabet"] is found["tab1.type"] is Outcome.HOLDS
    assert found["tab1.sparsity"] is found["tab1.row-30"] is Outcome.FAILS
    assert "tab1.row-38" not in found


@real
def test_the_largest_automaton_is_simulated_exactly_at_length_64():
    automaton = read_problem(DATA, 14)
    word = targets.support_word(automaton, 64, seed=1)
    assert automaton.n == 15
    assert targets.exact_states_agree(automaton, word, targets.pattern(64))
