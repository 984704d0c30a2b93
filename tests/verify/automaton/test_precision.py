"""Errors of every model against the length: certified above measured, absolute and relative."""

import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import flint
import pytest

from constructions.automata.families import counting, hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.files.formats import load
from verify.automaton import precision as room
from verify.automaton import precision_runs
from verify.automaton.precision import EXACT, ExactModule, lengths_between, precision
from verify.automaton.significance import sizes_of
from verify.bounds.floating import FORMATS

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
SIGNED = WFA.of(
    [1, 1], {"a": [["1/2", "-1/2"], ["1/2", "1/2"]], "b": [[1, 0], [0, "-1/2"]]}, [1, 0]
)
PROBLEM_30 = "30.pautomac_model.txt"


@pytest.fixture(scope="module")
def report():
    return precision(HMM, 3, 40)


def row(report, model, form, length):
    (found,) = [r for r in report.rows if (r.model, r.format, r.length) == (model, form, length)]
    return found


def test_lengths_are_both_ends_and_the_powers_of_two_between():
    assert lengths_between(3, 40) == (3, 4, 8, 16, 32, 40)
    assert lengths_between(8, 8) == (8,)
    for first, last in ((0, 4), (5, 4), (1, 4097)):
        with pytest.raises(InputError, match="lengths"):
            lengths_between(first, last)


def test_the_exact_module_keeps_its_digits_where_the_decoder_loses_them(report):
    exact, decoder = (row(report, model, "float64", 40) for model in (EXACT, "decoder"))
    assert float(exact.relative) < 1e-13 and float(exact.measured_relative) < 1e-13
    assert decoder.relative is None and float(decoder.measured_relative) > 1e-3
    assert float(decoder.absolute) <= 1e-6


def test_underflow_takes_the_relative_certificate_away(report):
    """States of 40 letters are below the least float16: they come out as 0, off by all they are."""
    narrow = row(report, EXACT, "float16", 40)
    assert narrow.relative is None and float(narrow.measured_relative) == pytest.approx(1)


def test_the_sentence_comes_with_lengths_and_where_0_would_do(report):
    assert report.sentence.startswith("Of the lengths up to 40, in float64, certified")
    assert "the answer 0 would be within 1e-6 of every state too" in report.sentence
    assert "answer 0" not in precision(counting(), 2, 4).sentence


def test_llama_is_bounded_in_the_format_that_its_library_computes_in(report):
    assert {r.format for r in report.rows if r.model == "llama"} == {"float32"}


def test_without_torch_the_certified_errors_are_the_same(monkeypatch, report):
    monkeypatch.setattr(room, "has_torch", lambda: False)
    other = precision(HMM, 3, 8)
    assert [
        replace(r, measured_absolute=None, measured_relative=None)
        for r in report.rows
        if r.length <= 8
    ] == list(other.rows)
    assert "torch" in other.measured


def test_cancelling_weights_have_no_relative_certificate_unless_states_are_bounded_below():
    signed = ExactModule(SIGNED, 8, sizes_of(SIGNED, 8)).bound(FORMATS[0], 8)
    assert signed.absolute.is_finite() and not signed.relative.is_finite()
    assert all(r.relative is None for r in precision(SIGNED, 4, 8).rows)


def test_states_that_are_missed_by_all_they_are_have_a_relative_error_of_1():
    truth = [[flint.arb("1e-400"), flint.arb(0)], [flint.arb(0), flint.arb(0)]]
    absolute, relative = precision_runs.state_errors([[0.0, 0.0], [0.0, 0.0]], truth)
    assert relative[0].contains(1) or abs(relative[0] - 1) < 1e-15
    assert relative[1] == 0 and absolute[0] > 0
    _, missed = precision_runs.state_errors([[1.0, 0.0]], truth[1:])
    assert not missed[0].is_finite()


def test_many_states_have_the_exact_module_alone():
    n = room.MOST_STATES + 1
    shift = [[int(j == (i + 1) % n) for j in range(n)] for i in range(n)]
    cycle = WFA.of([1] + [0] * (n - 1), {"a": shift}, [1] * n)
    report = precision(cycle, 2, 4)
    assert {r.model for r in report.rows} == {EXACT} and "more than 20 states" in report.measured


@pytest.mark.slow
@pytest.mark.skipif("ASSAY_PAUTOMAC" not in os.environ, reason="needs PAutomaC's files")
def test_problem_30_loses_its_states_in_float64_before_1024_letters():
    automaton = load(Path(os.environ["ASSAY_PAUTOMAC"]) / PROBLEM_30)
    report = precision(automaton, 16, 1024, Fraction(1, 10**6))
    assert "from t = 17 on the answer 0" in report.sentence
    assert float(row(report, EXACT, "float64", 64).relative) < 1e-12
    assert row(report, EXACT, "float64", 1024).relative is None


def test_the_normalised_stream_keeps_a_relative_error_where_decoders_have_none(report):
    """Of an entry of a direction; float32's unit roundoff times T, whatever the states' sizes."""
    own = [r for r in report.rows if r.model == "olmo2"]
    assert {r.format for r in own} == {"float32"} and {r.absolute for r in own} == {None}
    assert [float(r.relative) for r in own] == sorted(float(r.relative) for r in own)
    assert 2**-24 < float(own[-1].relative) < 1e-3
    assert "holds directions of states" in report.measured


def test_automata_without_a_stream_have_no_row_for_it():
    for automaton in (counting(), automaton_by_name("golden"), automaton_by_name("ghmm")):
        report = precision(automaton, 2, 4)
        assert "olmo2" not in {r.model for r in report.rows}
        assert "directions" not in report.measured
