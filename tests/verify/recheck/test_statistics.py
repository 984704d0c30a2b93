"""The re-checker computes p-values by rational series and bends by orthogonal residuals."""

from fractions import Fraction

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

from verify.experiments import statistics as engine
from verify.facts import statistics
from verify.recheck.errors import Refused
from verify.recheck.kernel import statistics as kernel
from verify.recheck.kinds import statistics as kinds

LAYERS = {"16": 4, "32": 5, "64": 6}
SIZES = {"2": 9, "4": 25, "6": 49, "8": 81}
ROWS = {"16": ["4", "10"], "32": ["5", "10"], "64": ["6", "10"]}
BOTH = {
    "near": {"number": 3, "expected": LAYERS},
    "far": {"number": 4, "expected": SIZES},
    "scale": "linear",
}
CASES = [
    Case(
        "statistics.welch",
        statistics.no_difference,
        {"number": 3, "rows": ROWS, "runs": 10, "level": "0.05"},
    ),
    Case(
        "statistics.welch",
        statistics.no_difference,
        {"number": 3, "rows": {"64": ["6", "10"]}, "runs": 10, "level": "0.05"},
    ),
    Case(
        "statistics.elbow",
        statistics.bends_near_expectation,
        {"number": 3, "expected": LAYERS, "within": 1, "scale": "linear"},
        (("within", 0),),
    ),
    Case(
        "statistics.elbow",
        statistics.bends_near_expectation,
        {"number": 3, "expected": {"64": 6}, "within": 1, "scale": "log"},
        (("within", 0),),
    ),
    Case("statistics.farther", statistics.bends_farther_away, BOTH),
    Case(
        "statistics.share-after",
        statistics.little_falls_after,
        {"number": 3, "after": LAYERS, "most": "1/20"},
    ),
    Case(
        "statistics.share-after",
        statistics.little_falls_after,
        {"number": 3, "after": LAYERS, "most": "1/50"},
    ),
    Case(
        "statistics.falls",
        statistics.means_fall,
        {"number": 4, "columns": list(SIZES), "rows": ["2", "4", "8"]},
    ),
    Case(
        "statistics.falls",
        statistics.means_fall,
        {"number": 3, "columns": ["16"], "rows": ["9", "10"]},
    ),
    Case(
        "statistics.largest-drop",
        statistics.largest_drop,
        {"number": 3, "columns": ["16", "32", "64"]},
    ),
    Case(
        "statistics.curves",
        statistics.curves,
        {"number": 3, "columns": ["16"], "scale": "log", "name": "T"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_a_p_value_that_is_off_in_its_fourth_digit_is_refused():
    parameters = CASES[0].parameters
    stated = certificate(statistics.no_difference(**parameters))
    wrong = {**stated["values"], "p": {**stated["values"]["p"], "16": "0.009500"}}
    assert refused("statistics.welch", parameters, **{**stated, "values": wrong})


def test_numbers_out_of_range_and_unknown_scales_are_refused():
    refuses("statistics.elbow", {**CASES[2].parameters, "scale": "square"}, "scale")
    refuses("statistics.elbow", {**CASES[2].parameters, "expected": {}}, "by name")
    refuses("statistics.elbow", {**CASES[2].parameters, "expected": {"16": 0}}, "integer")
    refuses("statistics.falls", {"number": 4, "columns": [], "rows": ["2", "4"]}, "list")
    refuses("statistics.largest-drop", {"number": 5, "columns": ["16"]}, "integer")


@pytest.mark.parametrize(
    ("shift", "one", "other", "runs"),
    [(60, 1, 2, 2), (150, 9, 1, 3), (90, 4, 4, 10), (500, 1, 7, 30)],
)
def test_both_p_values_agree(shift, one, other, runs):
    first = engine.Group(Fraction(0), Fraction(one, 7), runs)
    second = engine.Group(Fraction(shift, 100), Fraction(other, 5), 10)
    groups = [(each.mean, each.variance) for each in (first, second)]
    low, high = kernel.p_value(*groups, (runs, 10))
    ball = engine.welch(first, second)
    assert low <= high and high - low < Fraction(1, 10**9)
    assert flint.arb(flint.fmpq(low.numerator, low.denominator)) <= ball + 1e-12
    assert flint.arb(flint.fmpq(high.numerator, high.denominator)) >= ball - 1e-12


def test_means_that_nearly_agree_are_refused_rather_than_computed_for_ever():
    near = (Fraction(1, 10**6), Fraction(1))
    with pytest.raises(Refused, match="too many terms"):
        kernel.p_value((Fraction(0), Fraction(1)), near, (10, 10))


def test_groups_without_spread_are_refused():
    with pytest.raises(Refused):
        kernel.p_value((Fraction(1), Fraction(0)), (Fraction(2), Fraction(0)), (3, 3))


@pytest.mark.parametrize("value", ["1/100", "1/2", "1", "3/2", "3"])
def test_logarithms_are_enclosed(value):
    low, high = kernel.logarithm(Fraction(value))
    ball = flint.arb(flint.fmpq(*map(int, (value + "/1").split("/")[:2]))).log()
    assert high - low < Fraction(1, 10**30)
    assert float(low) <= float(ball) + 1e-15 and float(high) >= float(ball) - 1e-15


def test_moments_are_mean_and_sample_variance():
    assert kernel.moments([Fraction(n) for n in (1, 2, 3)]) == (2, 1)


@pytest.mark.parametrize(
    ("a", "b", "x"), [("5", "1/2", "1/3"), ("1/2", "5", "2/3"), ("9/4", "1/2", "9/10")]
)
def test_the_series_behind_a_p_value_is_enclosed(a, b, x):
    """S(a, b, x) = 2F1(a + b, 1; a + 1; x), here by flint."""
    low, high = kernel.series(Fraction(a), Fraction(b), Fraction(x))
    top, bottom = Fraction(a) + Fraction(b), Fraction(a) + 1
    value = flint.arb(_flint(x)).hypgeom_2f1(_flint(top), 1, _flint(bottom))
    assert not value < flint.arb(_flint(low)) and not value > flint.arb(_flint(high))
    assert 0 <= high - low < Fraction(1, 1 << 40)


def _flint(value):
    return flint.fmpq(*Fraction(value).as_integer_ratio())


@pytest.mark.parametrize("apart", ["1/4", "2", "9"])
@pytest.mark.parametrize("runs", [(3, 4), (10, 10), (2, 50)])
def test_a_p_value_lies_within_its_bounds(apart, runs):
    """Welch's test by the incomplete beta function, here by flint with many digits."""
    one, other = (Fraction(apart), Fraction(1, 3)), (Fraction(0), Fraction(2))
    low, high = kernel.p_value(one, other, runs)
    v, w = one[1] / runs[0], other[1] / runs[1]
    freedom = (v + w) ** 2 / (v * v / (runs[0] - 1) + w * w / (runs[1] - 1))
    x = freedom / (freedom + one[0] ** 2 / (v + w))
    with flint.ctx.workprec(400):
        value = flint.arb(_flint(x)).beta_lower(_flint(freedom / 2), flint.arb(1) / 2, True)
        assert not value < flint.arb(_flint(low)) and not value > flint.arb(_flint(high))
    assert high - low < Fraction(1, 1 << 40)


def test_means_that_are_too_near_for_the_series_are_refused_in_so_many_words():
    with pytest.raises(Refused, match="too many terms"):
        kernel.p_value((Fraction(1, 100), Fraction(1, 3)), (Fraction(0), Fraction(2)), (3, 4))


@pytest.mark.parametrize("number", [2, 5])
def test_bends_are_those_of_tables_three_and_four(number):
    for good in (3, 4):
        assert kinds.bends_of({"number": good, "expected": {"a": 1}}) == (good, {"a": 1})
    with pytest.raises(Refused, match=f"number = {number}, expected an integer from 3 to 4"):
        kinds.bends_of({"number": number, "expected": {"a": 1}})
