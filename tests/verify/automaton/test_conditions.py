"""Conditions of the theorems for an automaton: decided by balls, named as in the matrix."""

import json
from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.families import counting, hmm, scalar
from constructions.automata.strategies import automata, tree_automata
from constructions.automata.wfa import WFA
from verify.automaton.conditions import conditions_met
from verify.automaton.report_data import FULFILLED, Status
from verify.bounds.norms import matrix, spectral_norm
from verify.cli import main
from verify.commands.automaton import example
from verify.judge.paper import load

EQUATION = "Equation (1)"
COIN = hmm(
    [["9/10", "1/10"], ["1/5", "4/5"]], [["1/2", "1/4"], ["1/2", "3/4"]], ["1/2", "1/2"], "ab"
)


def named(automaton, length, name):
    (found,) = [row for row in conditions_met(automaton, length) if row.name == name]
    return found


@settings(max_examples=10, deadline=None)
@given(automata(), st.integers(1, 5))
def test_the_pads_are_larger_exactly_where_every_map_is_a_strict_contraction(automaton, length):
    row = named(automaton, length, "identity pads no larger than the maps")
    with flint.ctx.workprec(128):
        norms = [spectral_norm(matrix(rows)) for rows in automaton.transitions.values()]
        if all(norm < 1 for norm in norms):
            assert row.status is Status.NOT_MET
        elif any(norm > 1 for norm in norms):
            assert row.status is Status.MET


@settings(max_examples=10, deadline=None)
@given(automata(), st.integers(1, 5))
def test_an_error_above_equation_one_comes_with_a_condition_of_it_that_is_not_met(
    automaton, length
):
    rows = [row for row in conditions_met(automaton, length) if row.theorem == EQUATION]
    (over,) = [row for row in rows if row.name == "errors within Equation (1)"]
    if over.status is Status.NOT_MET:
        assert any(row.status not in FULFILLED for row in rows if row.condition)


@settings(max_examples=6, deadline=None)
@given(st.one_of(automata(), tree_automata()), st.sampled_from([1, 4, 7]))
def test_each_condition_is_a_row_of_the_matrix(automaton, length):
    for row in conditions_met(automaton, length):
        assert row.witness
        assert not row.condition or row.condition in load().conditions


@pytest.mark.parametrize(
    ("automaton", "length", "status"),
    [
        (scalar("1/8"), 4, Status.NOT_MET),
        (scalar(2), 16, Status.NOT_MET),
        (COIN, 16, Status.NOT_MET),
        (counting(), 16, Status.UNDECIDED),  # below the bound on the words looked at
        (scalar(1), 1, Status.MET),
    ],
)
def test_equation_one_is_exceeded_by_ordinary_automata(automaton, length, status):
    assert named(automaton, length, "errors within Equation (1)").status is status


def test_the_readout_of_a_small_start_vector_adds_nothing():
    small = WFA.of([Fraction(1, 2)], {"a": [[1]]}, [1])
    assert named(small, 2, "a readout that adds no error").status is Status.MET
    assert named(counting(), 4, "a readout that adds no error").status is Status.NOT_MET


def test_the_length_and_the_floats_are_decided_by_the_length_alone():
    assert named(counting(), 12, "length a power of two").status is Status.NOT_NEEDED
    float32 = "hard attention that float32 does not change"
    assert named(scalar(1), 16, float32).status is Status.MET
    assert named(scalar(1), 2048, float32).status is Status.NOT_MET


def test_the_command_prints_them(tmp_path, capsys):
    path = tmp_path / "counting.json"
    path.write_text(example("wfa"))
    assert main(["conditions", str(path), "--length", "4", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["condition"] for row in rows} >= {"norm-one", "products", "readout-factor"}
    assert main(["conditions", str(path), "--length", "4"]) == 0
    assert "✗ not met" in capsys.readouterr().out
