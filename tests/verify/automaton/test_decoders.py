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
from constructions.exports import limit
from constructions.exports.order import Order
from reports import automaton as render
from verify.automaton import decoders
from verify.automaton.export import make
from verify.automaton.report import report
from verify.automaton.report_data import AutomatonReport, Construction
from verify.bounds.budget import TooSoft
from verify.bounds.saturation import uniform_bounds

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


def test_a_decoder_too_large_to_export_has_sizes_and_a_sound_constant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    automaton = automaton_by_name("hmm:3:7")
    exact = decoders.for_words(automaton, 8, EPS, uniform_bounds(automaton, 8))
    monkeypatch.setattr(limit, "MOST_BYTES", 1)
    answer = report(automaton, 8, EPS)
    assert row(answer).note.endswith("too large for assay export")
    constant = Fraction(value(answer, "saturating constant C, decoder"))
    assert exact.saturation is not None
    assert exact.saturation <= constant <= 2 * exact.saturation
    assert "assay export FILE" not in render.markdown(asdict(answer))
    assert row(report(automaton, 1, EPS)).depth == 1


@pytest.mark.parametrize("automaton", [automaton_by_name("hmm:3:7"), ADDER], ids=["words", "trees"])
def test_where_no_constant_is_found_the_reason_stands_there(
    automaton: WFA | WTA, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise TooSoft("no C is enough")

    monkeypatch.setattr(decoders, "choose", none)
    monkeypatch.setattr(decoders.tree_bounds, "required_saturation", none)
    answer = report(automaton, 8)
    (found,) = [q for q in answer.quantities if q.name == "saturating constant C, decoder"]
    assert (found.value, found.evidence) == ("not found: no C is enough", "none")


def test_large_tree_automata_have_no_decoder_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoders, "MOST_WORK", 1)
    assert value(report(ADDER, 10), "saturating constant C, decoder").startswith("not computed")
    monkeypatch.setattr(decoders, "LARGEST_BUILT", 1)
    assert decoders.for_trees(ADDER, 10, EPS) is None


def test_the_decoder_needs_no_torch() -> None:
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from verify.automaton.decoders import for_trees, for_words"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize(("length", "layers"), [(1, 1), (2, 1), (3, 2)])
def test_a_decoder_as_it_is_has_at_least_one_layer_and_no_more_than_it_needs(
    length: int, layers: int
) -> None:
    automaton = automaton_by_name("hmm:2:7")
    found = decoders._as_it_is(automaton, length, EPS, uniform_bounds(automaton, length), ())
    assert found.sizes["layers"] == layers
    assert decoders._unbounded(automaton, length, (), "none").sizes["layers"] == layers
