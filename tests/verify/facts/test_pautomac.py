"""Facts on PAutomaC files: on small files written here, and on the real ones if given."""

import os
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from constructions.automata.families import counting
from constructions.files.pautomac import read_problem
from verify.experiments import targets
from verify.facts import pautomac
from verify.facts.registry import Inputs

DATA = os.environ.get("ASSAY_PAUTOMAC", "")
real = pytest.mark.skipif(not Path(DATA).is_dir() or not DATA, reason="data not given")

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
def inputs(tmp_path):
    """One problem, called 39, whose solution file is right."""
    (tmp_path / "39.pautomac_model.txt").write_text(MODEL)
    (tmp_path / "39.pautomac.test").write_text("2 2\n1 0\n1 1\n")
    (tmp_path / "39.pautomac_solution.txt").write_text("2\n0.4\n0.6\n")
    return Inputs(data={"pautomac": tmp_path})


def test_right_probabilities_are_confirmed_and_wrong_ones_noticed(inputs):
    assert pautomac.probabilities(inputs, ["39"], "1/1000000000").holds is True
    solution = pautomac.folder(inputs) / "39.pautomac_solution.txt"
    solution.write_text("2\n0.4000001\n0.5999999\n")
    assert pautomac.probabilities(inputs, ["39"], "1/1000000000").holds is False
    solution.write_text("2\n0.2\n0.8\n")
    assert targets.largest_error(pautomac.folder(inputs), "39") >= 1


def test_descriptors_other_than_the_printed_ones_are_named(inputs):
    found = pautomac.descriptors(inputs, ["39"], ["states", "type"])
    assert found.witness["differing"][0] == "39: states 2"
    assert pautomac.sparsity(inputs, ["39"]).witness == {
        "automaton": "39",
        "share": "3/4",
        "printed": "0.4167",
    }
    kind = targets.descriptors(pautomac.folder(inputs), "39").type
    assert pautomac.no_type(inputs, ["39"], kind).holds is False
    assert pautomac.no_type(inputs, ["39"], "none").holds is True


def test_descriptors_that_are_printed_agree(inputs, monkeypatch):
    monkeypatch.setattr(
        pautomac, "table_cell", lambda automaton, row: {"states": "2"}.get(row, "0.75")
    )
    assert pautomac.descriptors(inputs, ["39"], ["states"]).holds is True
    assert pautomac.sparsity(inputs, ["39"]).holds is True


def test_no_output_that_sums_to_one_is_below_the_floor():
    ratio, n, length = Fraction(1, 2), 3, 4
    best = Fraction(0)
    for t in range(length):
        state = [ratio**t, Fraction(0), Fraction(0)]
        near = [x + (1 - sum(state)) / n for x in state]
        best += sum((a - b) ** 2 for a, b in zip(near, state, strict=True)) / n
    assert targets.softmax_floor(ratio, n, length) == best / length


def test_the_pattern_gives_every_prefix_and_a_shifted_one_does_not():
    looks = targets.attention_pattern(8)
    assert targets.holds_prefixes(looks, 8)
    left, right = looks[1]
    wrong = [looks[0], ([*left[1:], left[0]], right), *looks[2:]]
    assert not targets.holds_prefixes(wrong, 8)
    assert not targets.exact_states_agree(counting(), "01001101", wrong)
    assert targets.exact_states_agree(counting(), "01001101", looks)


def test_theorem_1_gives_the_states_with_three_layers_at_length_8(inputs):
    assert pautomac.prefixes(inputs, ["39"], 8, 3, 2).holds is True
    assert pautomac.prefixes(inputs, ["39"], 8, 2, 1).holds is False


def test_an_automaton_whose_states_do_not_come_out_is_named(inputs, monkeypatch):
    """With every look one place further the layers do not give the states of words of the support."""
    looks = [([*left[1:], left[0]], right) for left, right in targets.attention_pattern(8)]
    monkeypatch.setattr(targets, "attention_pattern", lambda length: looks)
    found = pautomac.prefixes(inputs, ["39"], 8, 3, 4)
    assert found.holds is False and found.witness["wrong"] == ["39"]
    monkeypatch.setattr(targets, "holds_prefixes", lambda *_: True)
    assert pautomac.prefixes(inputs, ["39"], 8, 3, 4).holds is False


@real
def test_the_ten_automata_agree_with_table_1_except_for_one_digit():
    ten = ["4", "12", "14", "20", "30", "31", "33", "38", "39", "45"]
    given = Inputs(data={"pautomac": Path(DATA)})
    assert pautomac.descriptors(given, ten, ["states", "alphabet", "type"]).holds is True
    assert pautomac.sparsity(given, ten).witness["automaton"] == "30"
    assert read_problem(Path(DATA), 14).n == 15


@pytest.mark.parametrize("kind", ["DPFA", "HMM", "PFA"])
def test_an_automaton_of_the_type_itself_is_found_and_no_other(kind, monkeypatch):
    types = {"1": "DPFA", "2": "HMM", "3": "PFA"}
    described = lambda _, name: SimpleNamespace(type=types[name])  # noqa: E731
    monkeypatch.setattr(pautomac.targets, "descriptors", described)
    found = pautomac.no_type(Inputs(data={"pautomac": None}), ["1", "2", "3"], kind)
    assert found.values["found"] == [name for name in types if types[name] == kind]


def test_the_layers_are_as_many_as_stated_and_not_fewer():
    for layers, holds in ((1, False), (2, True), (3, False)):
        assert pautomac.prefixes(Inputs(data={"pautomac": None}), [], 4, layers, 1).holds is holds
