"""Weights at the limits of the reader: an answer or a refusal in good time, whatever their size."""

import json
from fractions import Fraction

import flint
import pytest

from constructions import theorem3
from constructions.automata import balancing
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from constructions.core.sizes import sizes
from verify.automaton import explanation, runs, sampling, soft
from verify.automaton.measure import MeasuredTrees, Truth
from verify.automaton.report_data import Uncertified
from verify.bounds import decoder
from verify.bounds.budget import sufficient_saturation
from verify.bounds.tree_budget import subject
from verify.cli import main

HUGE = WTA.of([1], [[["1e3999"]]], {"a": ["1e3999"], "b": ["1e-3999"]})
ADDER = WTA.of([1, 0], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], {"a": ["1/2", "1/2"], "b": [1, 0]})
EPS = Fraction(1, 10**6)


def searches(monkeypatch, found):
    """The C's with which a step is looked for; `found` says what is found for each."""
    tried = []
    monkeypatch.setattr(
        soft, "_fineness", lambda known, c, *rest: tried.append(c) or found(len(tried))
    )
    return tried


def test_a_step_that_no_c_brings_within_reach_is_looked_for_once(monkeypatch):
    known = subject(theorem3.build(HUGE, 7))
    tried = searches(monkeypatch, lambda count: None)
    found = soft.required(known, EPS, "gelu")
    assert tried == [found.saturation] == [sufficient_saturation(known, EPS / 2)]
    assert found.fineness is None


def test_a_step_within_reach_is_looked_for_with_larger_c(monkeypatch):
    known = subject(theorem3.build(ADDER, 7))
    least = sufficient_saturation(known, EPS / 2)
    tried = searches(monkeypatch, lambda count: 60 if count == 3 else None)
    found = soft.required(known, EPS, "gelu")
    assert tried == [least, 2 * least, 4 * least]
    assert (found.saturation, found.fineness) == (4 * least, 60)


def test_the_least_c_is_given_where_no_step_was_found(monkeypatch):
    known = subject(theorem3.build(ADDER, 7))
    tried = searches(monkeypatch, lambda count: None)
    assert soft.required(known, EPS, "gelu").saturation == tried[0]
    assert len(tried) == soft.DOUBLINGS


def test_an_activation_in_pieces_is_not_within_reach():
    assert not soft._within_reach(subject(theorem3.build(ADDER, 7)), EPS, "relu", 3)


def test_only_the_slope_is_computed_with_all_digits(monkeypatch):
    """A product's remainder over a wide interval has no use for the 131,000 bits of the finest step."""
    units, seen = FourUnits.of("gelu", 1 << 12), []
    derivative = type(units.activation).derivative

    def watched(self, where, order):
        seen.append((order, flint.ctx.prec))
        return derivative(self, where, order)

    monkeypatch.setattr(type(units.activation), "derivative", watched)
    decoder.slope_error.cache_clear()
    bounds = [decoder.levels_error(units, 3, flint.arb(x), flint.arb(x)) for x in (1, 10, 100)]
    assert bounds[0] < bounds[1] < bounds[2]
    assert [prec for order, prec in seen if order == 8] == [decoder.BITS] * 3
    assert [prec > 8 << 12 for order, prec in seen if order == 2] == [True]


def test_a_slope_that_is_not_zero_is_seen():
    right = FourUnits.of("tanh", 8)
    wrong = FourUnits(right.activation, right.step, right.scale * Fraction(101, 100))
    assert decoder.slope_error(right) < flint.arb(2) ** -300
    assert abs(decoder.slope_error(wrong) - flint.arb("0.01")) < flint.arb("1e-9")


def test_true_states_beyond_float64_are_infinite_and_nothing_is_compared():
    truth = Truth.of_tree(WTA.of([1], [[["1e300"]]], {"a": ["1e300"]}), ("[", "a", "a", "]"))
    assert truth.slack == float("inf")
    assert sorted(truth.states.flatten().tolist())[-1] == float("inf")
    runs.consistent("a model", flint.arb(1), float("inf"), truth.slack)
    with pytest.raises(Uncertified):
        runs.consistent("a model", flint.arb(1), float("inf"), 0.0)


def test_true_states_are_those_of_the_automaton():
    run = MeasuredTrees(ADDER, 13)
    for string, truth in run.truth.items():
        exact = ADDER.states(string)
        assert truth.rows == [i - 1 for i in exact]
        assert truth.states.tolist() == [[float(w) for w in v] for v in exact.values()]
    assert 0 < run.slack() < 1e-14


def test_the_largest_weight_is_found_wherever_it_is():
    with flint.ctx.workprec(1 << 14):
        assert sizes(theorem3.build(HUGE, 4).transformer).largest == flint.arb(10) ** 3999


def norm(column, row, k):
    return column * Fraction(4) ** k + row * Fraction(4) ** -k


@pytest.mark.parametrize(
    ("column", "row"),
    [("1", "1"), ("1", "4"), ("1", "5"), ("4", "1"), ("5", "1"), ("1", "64"), ("1", "65"),
     ("65", "1"), ("1/3", "1e7"), ("1e7998", "1e-7998"), ("1e-7998", "7")],
)  # fmt: skip
def test_scaled_coordinates_have_the_least_norm_at_once(column, row):
    """Weights of 1e3999 and 1e-3999 are 13,000 factors of two apart: none is tried one by one."""
    c, r = Fraction(column), Fraction(row)
    k = balancing._best([[Fraction(0), r], [c, Fraction(0)]], 0)
    assert norm(c, r, k) <= min(norm(c, r, k - 1), norm(c, r, k + 1))
    nearer = k - (k > 0) + (k < 0)
    assert k == 0 or norm(c, r, nearer) > norm(c, r, k)


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


def test_large_explains_all_the_same(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.json").write_text(json.dumps(FILES["words"]))
    order = ["explain", str(tmp_path / "a.json"), "--word", "aa"]
    monkeypatch.setattr(explanation, "MOST_SECONDS", 0)
    assert main(order) == 4
    assert main([*order, "--large"]) == 0
    capsys.readouterr()


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


def test_what_the_most_bits_do_not_tell_is_no_number(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_BITS", 8)
    third = WFA.of([1], {"a": [["1/3"]]}, [1])
    assert sampling.enclosed_truth(third, ("a",), False, bits=8) is None
    monkeypatch.setattr(sampling, "MOST_BITS", 256)
    assert float(sampling.enclosed_truth(third, ("a",), False, bits=8)[1][0]) == 1 / 3
