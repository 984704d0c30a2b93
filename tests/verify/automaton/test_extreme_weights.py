"""Weights at the limits of the reader: an answer or a refusal in good time, whatever their size."""

import json
from fractions import Fraction

import flint
import pytest

from constructions import theorem3
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from constructions.core.sizes import sizes
from verify.automaton import explanation, float_runs, sampling
from verify.automaton.measure import MeasuredTrees
from verify.automaton.report_data import Uncertified
from verify.bounds import decoder
from verify.cli import main

HUGE = WTA.of([1], [[["1e3999"]]], {"a": ["1e3999"], "b": ["1e-3999"]})
ADDER = WTA.of([1, 0], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], {"a": ["1/2", "1/2"], "b": [1, 0]})


def test_a_slope_that_is_not_zero_is_seen():
    right = FourUnits.of("tanh", 8)
    wrong = FourUnits(right.activation, right.step, right.scale * Fraction(101, 100))
    assert decoder.slope_error(right) < flint.arb(2) ** -300
    assert abs(decoder.slope_error(wrong) - flint.arb("0.01")) < flint.arb("1e-9")


def test_a_measured_error_above_a_certified_one_is_a_fault():
    float_runs.consistent("a model", flint.arb(1), 1.0)
    float_runs.consistent("a model", flint.arb("inf"), float("inf"))
    for seen in (1.001, float("inf")):
        with pytest.raises(Uncertified):
            float_runs.consistent("a model", flint.arb(1), seen)


def test_states_beyond_float64_are_missed_by_infinity():
    run = MeasuredTrees(WTA.of([1], [[["1e300"]]], {"a": ["1e300"]}), 4)
    assert run.error("tree", "float64") == float("inf")


def test_true_states_are_those_of_the_automaton():
    for string, truth in MeasuredTrees(ADDER, 13).truth.items():
        exact = ADDER.states(string)
        assert {i: [float(w) for w in v] for i, v in truth.items()} == {
            i: [float(w) for w in v] for i, v in exact.items()
        }


def test_the_largest_weight_is_found_wherever_it_is():
    with flint.ctx.workprec(1 << 14):
        assert sizes(theorem3.build(HUGE, 4).transformer).largest == flint.arb(10) ** 3999


def test_a_drawing_shows_the_first_digits_of_a_long_number():
    long = "1" + "0" * 58 + "…"
    assert theorem3.build(HUGE, 4).contents("a") == [["a"], *[[f"({long})"]] * 3]
    _, *texts = theorem3.build(HUGE, 4).contents("[aa]")
    assert texts[-1][0] == "(a very long Fraction)"


FILES = {
    "words": {"kind": "wfa", "alpha": ["1"], "transitions": {"a": [["1e30"]]}, "beta": ["1"]},
    "trees": {"kind": "wta", "alpha": ["1"], "tensor": [[["1e300"]]], "leaves": {"a": ["1e300"]}},
}


@pytest.mark.parametrize("kind", FILES)
def test_states_beyond_float64_are_answered_with_what_is_certain(kind, tmp_path, capsys):
    (tmp_path / "a.json").write_text(json.dumps(FILES[kind]))
    assert main(["automaton", str(tmp_path / "a.json"), "--length", "16", "--json"]) in (0, 1)
    formats = json.loads(capsys.readouterr().out)["formats"]
    assert {row["suffices"] for row in formats} == {"no"}


LONG = WFA.of([1], {"a": [[Fraction(10**3999, 7)]]}, [1])


def test_a_word_that_takes_long_to_explain_is_refused_with_an_estimate(tmp_path, capsys):
    rows = [[f"{10**3990 + 7 * i + j}/{10**3980 + i + 3 * j + 1}" for i in range(3)]
            for j in range(3)]  # fmt: skip
    body = {"kind": "wfa", "alpha": [1, 0, 0], "transitions": {"a": rows}, "beta": [1, 0, 0]}
    (tmp_path / "a.json").write_text(json.dumps(body))
    assert main(["explain", str(tmp_path / "a.json"), "--word", "a" * 200]) == 4
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "about 60 s, or --large" in error


def test_an_estimate_grows_with_the_digits_and_the_places():
    one = explanation.estimate(LONG, "a" * 16)
    assert one < explanation.estimate(LONG, "a" * 32) / 3
    assert explanation.estimate(counting(), "0" * 16) < one
    tree = explanation.estimate(HUGE, list("[a[ab]]"))
    assert tree < explanation.estimate(HUGE, list("[a[a[ab]]]"))
    plain = WTA.of([1], [[[1]]], {"a": [1], "b": [1]})
    assert explanation.estimate(plain, list("[a[ab]]")) < tree


def test_the_table_shows_the_first_digits_of_a_long_number(tmp_path, capsys):
    body = FILES["words"] | {"transitions": {"a": [["1" + "3" * 3000]]}}
    (tmp_path / "a.json").write_text(json.dumps(body))
    for options in ([], ["--json"]):
        assert main(["explain", str(tmp_path / "a.json"), "--word", "a", *options]) == 0
    table, _, whole = capsys.readouterr().out.partition("[\n")
    assert "3001 characters" in " ".join(table.split())
    assert "3" * 401 not in table.replace(" ", "")
    assert "1" + "3" * 3000 in whole


def test_true_outputs_enclose_the_rational_ones_narrowly():
    thirds = WFA.of([1, 0], {"a": [["1/3", "1/7"], [-1, "2/9"]], "b": [[1, 0], [5, 1]]}, [1, "1/9"])
    word = tuple("abbab" * 6)
    for weights in (False, True):
        exact, found = (make(thirds, word, weights)
                        for make in (sampling.truth, sampling.enclosed_truth))  # fmt: skip
        with flint.ctx.workprec(sampling.BITS):
            for t, row in exact.items():
                assert all(abs(x - flint.arb(flint.fmpq(*Fraction(y).as_integer_ratio())))
                           <= abs(x) * flint.arb(2) ** -200 for x, y in zip(found[t], row, strict=True)
                           if y)  # fmt: skip


def test_true_outputs_keep_what_cancels():
    """With few bits to begin with, further ones are taken until no difference sees the rest."""
    shift = WFA.of(
        [1, 1], {"a": [["1e90", 0], [0, "1e-90"]], "b": [["1e-90", 0], [0, "1e90"]]}, [1, -1]
    )
    assert abs(float(sampling.enclosed_truth(shift, ("a", "b"), True)[2][0])) < 1e20
    found = sampling.enclosed_truth(shift, tuple("ab" * 3), False, bits=8)
    assert [float(x) for x in found[6]] == [1.0, 1.0]
