"""The decoder in the answer on an automaton: the numbers of the export, or why there are none."""

import subprocess
import sys
from dataclasses import asdict
from fractions import Fraction

import pytest

from constructions.automata.families import hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.sizes import sizes
from constructions.exports.order import Order
from reports import automaton as render
from verify.automaton.export import make
from verify.automaton.report import report
from verify.automaton.report_data import AutomatonReport, Construction

EPS = Fraction(1, 10**6)
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
TWICE = hmm(
    [["1/2", "1/2"], ["1/2", "1/2"]], [["1/3", "1/3"], ["2/3", "2/3"]], ["1/2", "1/2"], "ab"
)
COMMAND = "assay export FILE --length 8 --eps 1e-6 --out DIR"


def row(answer: AutomatonReport) -> Construction:
    (found,) = [each for each in answer.constructions if each.name == "decoder"]
    return found


def value(answer: AutomatonReport, name: str) -> str:
    (found,) = [each.value for each in answer.quantities if each.name == name]
    return found


@pytest.mark.parametrize(
    "automaton", [automaton_by_name("hmm:3:7"), TWICE, ADDER], ids=["hmm", "reduced", "wta"]
)
def test_the_answer_has_the_decoder_that_is_exported(automaton: WFA | WTA) -> None:
    (model, guarantee), answer = make(automaton, Order(8, eps=EPS)), report(automaton, 8, EPS)
    found, built = row(answer), sizes(model.simulation.transformer)
    assert (found.depth, found.embedding) == (model.sizes["layers"], model.sizes["d_model"])
    assert found.parameters == built.parameters
    constant = model.constants.saturation
    assert value(answer, "saturating constant C, decoder") == f"{float(constant):g}"
    assert value(answer, "error of the decoder at this C") == guarantee.error
    assert COMMAND in render.markdown(asdict(answer)).replace("\\", "")


def test_a_reduced_automaton_is_named() -> None:
    assert row(report(TWICE, 8)).note.endswith("; 1 of 2 states are enough")


def test_the_decoder_needs_no_torch() -> None:
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from verify.automaton.decoders import for_trees, for_words"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
