"""Facts on PAutomaC files: on small files written here, and on the real ones if given."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

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
