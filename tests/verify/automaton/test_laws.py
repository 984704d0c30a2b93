"""Laws of the report on an automaton and of its precision, over words and trees alike."""

import json
from dataclasses import asdict
from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.families import scalar
from constructions.automata.strategies import automata, tree_automata
from constructions.core.exact import ball
from reports import automaton as render
from verify.automaton import rounding
from verify.automaton.precision import ExactModule, precision
from verify.automaton.report import report
from verify.automaton.report_data import Uncertified
from verify.bounds.circulant import state_error
from verify.judge.paper import load

FEW = settings(max_examples=12, deadline=None, derandomize=True)
BOTH = st.one_of(automata(states=2, symbols=2), tree_automata(states=2, symbols=2))
EPS = Fraction(1, 1000)


def is_ordered(errors):
    """Return whether a shorter format has no smaller certified error; none is the largest."""
    numbers = [float("inf") if error in (None, "none") else float(error) for error in errors]
    return numbers == sorted(numbers)


@FEW
@given(BOTH, st.sampled_from([1, 4, 7]), st.sampled_from(["gelu", "tanh", "relu"]))
def test_a_report_is_whole_and_agrees_with_itself(automaton, length, activation):
    """That no measured error exceeds a certified one is checked by the report itself."""
    answer = report(automaton, length, EPS, activation)
    known, data = load(), json.loads(render.data(asdict(answer)))
    assert (data["states"], data["length"]) == (automaton.n, length)
    rows = (*answer.hypotheses, *answer.classes, *answer.constructions)
    named = {name for row in rows for name in row.statements}
    assert named | {row.statement for row in answer.cite} <= known.statements.keys()
    assert answer.certified <= (activation != "relu")
    assert any(row.statement == "thm4" for row in answer.cite) is (activation != "relu")
    for model in {row.model for row in answer.formats}:
        own = {row.name: row.certified for row in answer.formats if row.model == model}
        assert is_ordered([own[name] for name in ("float64", "float32", "bfloat16")])
    for row in answer.quantities:
        assert row.value and row.evidence
        assert row.evidence != "certified" or row.value.startswith("2^-") or float(row.value) >= 0


@FEW
@given(automata(states=2, symbols=2), st.integers(2, 4))
def test_softmax_at_the_certified_c_keeps_the_states_of_every_word(automaton, length):
    answer = report(automaton, length, EPS, "relu")
    (constant,) = [q.value for q in answer.quantities if q.name == "saturating constant C"]
    words = list(automaton.words(length))
    assert state_error(automaton, words, length, Fraction(max(1, int(constant)))) <= ball(EPS)


@settings(FEW, max_examples=6)
@given(automata(states=2, symbols=2), st.integers(2, 8))
def test_certified_precision_exceeds_what_is_measured_and_that_of_finer_formats(automaton, length):
    found = precision(automaton, 1, length)
    rows = {(row.model, row.format, row.length): row for row in found.rows}
    for row in found.rows:
        for certified, seen in ((row.absolute, row.measured_absolute),
                                (row.relative, row.measured_relative)):  # fmt: skip
            assert None in (certified, seen) or float(seen) <= float(certified)
    for t in found.lengths:
        assert is_ordered(
            rows["exact", name, t].absolute for name in ("float64", "float32", "bfloat16")
        )
    for safe in found.safe:
        own = [row for row in found.rows if (row.model, row.format) == (safe.model, safe.format)]
        within = [row.length for row in own if row.absolute and float(row.absolute) <= 1e-6]
        assert safe.absolute == max(within, default=0)


@pytest.mark.parametrize("forget", ["report", "precision"])
def test_a_bound_below_a_measurement_is_refused(forget, monkeypatch):
    """Mutants that forget nearly all roundings."""
    if forget == "report":
        monkeypatch.setattr(rounding, "state_error", lambda *_: flint.arb("1e-30"))
        with pytest.raises(Uncertified, match="exact model in float"):
            report(scalar("1/3"), 4)
    else:
        monkeypatch.setattr(ExactModule, "share", lambda self, form, t: form.roundoff / 1000)
        with pytest.raises(Uncertified, match="exact in float64"):
            precision(scalar("1/3"), 4, 8)
