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


def printed(monkeypatch, *cells):
    """A column "c" of a table, its rows 1, 2, 3, …."""
    monkeypatch.setattr(
        kinds, "rows", lambda number: {str(k): {} for k in range(1, len(cells) + 1)}
    )
    table = {(3, str(k), "c"): cell for k, cell in enumerate(cells, 1)}
    monkeypatch.setattr(kinds, "pair", lambda *at: table[at])


def test_pairs_of_rows_are_compared_by_their_means_and_squared_deviations(monkeypatch):
    printed(monkeypatch, ("6.0", "0.5"), ("1.5", "0.2"))
    groups = ((6, Fraction(1, 4)), (Fraction(3, 2), Fraction(1, 25)), (10, 10))
    for p, differ in ((Fraction(4, 100), True), (Fraction(5, 100), False)):
        answers = {groups: (p, p)}
        monkeypatch.setattr(kinds.statistics, "p_value", lambda *asked, a=answers: a[asked])
        asked = {"number": 3, "rows": {"c": ["1", "2"]}, "runs": 10, "level": "0.05"}
        answer = kinds.welch(asked, {})
        shown = {"p": {"c": f"{float(p):.6f}"}, "factor": {"c": "4.00"}}
        assert (answer.holds, answer.values) == (not differ, shown)
        assert answer.witness == ({**shown, "columns": ["c"]} if differ else None)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_column_bends_where_its_points_do(scale, monkeypatch):
    printed(monkeypatch, ("6.0", "0.5"), ("1.5", "0.2"))
    points = [(Fraction(value), Fraction(value)) for value in ("6", "3/2")]
    if scale == "log":
        points = [kernel.logarithm(value) for value, _ in points]
    monkeypatch.setattr(
        kinds.statistics, "elbow", lambda x, y: 2 if (x, y) == ([1, 2], points) else None
    )
    assert kinds.bend(3, "c", scale) == 2
    curves = kinds.curves({"number": 3, "columns": ["c"], "scale": scale, "name": "n"}, {}).values
    drawn = {"label": "n = c", "x": ["1", "2"], "y": ["6.0", "1.5"]}
    assert curves == {"curves": [drawn], "bends": {"c": 2}}


@pytest.mark.parametrize(("within", "far"), [(2, []), (1, ["b"]), (0, ["a", "b"])])
def test_a_bend_may_be_as_far_from_its_place_as_is_allowed(within, far, monkeypatch):
    monkeypatch.setattr(kinds, "bend", lambda *at: {(3, "a", "log"): 4, (3, "b", "log"): 7}[at])
    asked = {"number": 3, "expected": {"a": 5, "b": 5}, "scale": "log"}
    answer = kinds.elbow({**asked, "within": within}, {})
    assert (answer.holds, answer.values) == (not far, {"bends": {"a": 4, "b": 7}})
    if far:
        found = {"a": 4, "b": 7}[far[0]]
        assert answer.witness == {"column": far[0], "bend": found, "expected": 5, "bends": [4, 7]}


@pytest.mark.parametrize(("third", "holds"), [(14, True), (13, False), (12, False)])
def test_distances_of_bends_are_relative_and_averaged(third, holds, monkeypatch):
    """|4 - 5|/5 and |7 - 5|/5 are 3/10 on average; 13 is 3/10 from 10."""
    bends = {(3, "a", "log"): 4, (3, "b", "log"): 7, (4, "c", "log"): third}
    monkeypatch.setattr(kinds, "bend", lambda *at: bends[at])
    near = {"number": 3, "expected": {"a": 5, "b": 5}}
    asked = {"near": near, "far": {"number": 4, "expected": {"c": 10}}, "scale": "log"}
    answer = kinds.farther(asked, {})
    values = {"near": "0.300", "far": f"0.{third % 10}00"}
    assert (answer.holds, answer.values) == (holds, values)
    assert answer.witness == (None if holds else values)


@pytest.mark.parametrize("number", [2, 5])
def test_bends_are_those_of_tables_three_and_four(number):
    for good in (3, 4):
        assert kinds.bends_of({"number": good, "expected": {"a": 1}}) == (good, {"a": 1})
    with pytest.raises(Refused, match=f"number = {number}, expected an integer from 3 to 4"):
        kinds.bends_of({"number": number, "expected": {"a": 1}})


@pytest.mark.parametrize(("most", "holds"), [("2/7", True), ("27/100", False)])
def test_what_is_left_to_fall_after_a_row_is_a_share_of_the_whole_fall(most, holds, monkeypatch):
    """9, 6, 4, 2, 3: after row 3 there are 4 - 2 of 9 - 2 left, and 4 is twice the least later one."""
    printed(monkeypatch, *((f"{mean}.0", "0.1") for mean in (9, 6, 4, 2, 3)))
    answer = kinds.share_after({"number": 3, "after": {"c": 3}, "most": most}, {})
    values = {"shares": {"c": "0.2857"}, "factors": {"c": "2.00"}}
    assert (answer.holds, answer.values) == (holds, values)
    assert answer.witness == (None if holds else values)


@pytest.mark.parametrize(
    ("means", "falls"),
    [((3, 2, 1), True), ((3, 3, 1), False), ((3, 1, 2), False), ((3, 2, 2), False)],
)
def test_means_fall_from_row_to_row_or_their_column_is_named(means, falls, monkeypatch):
    printed(monkeypatch, *((f"{mean}.0", "0.1") for mean in means))
    answer = kinds.falls({"number": 3, "columns": ["c"], "rows": ["1", "2", "3"]}, {})
    rising = [] if falls else ["c"]
    assert (answer.holds, answer.values) == (falls, {"rising": rising})
    assert answer.witness == (None if falls else {"column": "c"})


def test_of_two_drops_as_large_the_first_is_named(monkeypatch):
    printed(monkeypatch, *((f"{mean}.0", "0.1") for mean in (9, 6, 3, 2)))
    assert kinds.largest_drop({"number": 3, "columns": ["c"]}, {}).values == {"ends": {"c": 2}}
    assert kinds.curve(3, "c") == ([1, 2, 3, 4], [9, 6, 3, 2])


def test_of_several_columns_the_first_is_named(monkeypatch):
    monkeypatch.setattr(kinds, "curve", lambda number, column: ([1, 2, 3], [9, 5, 1]))
    monkeypatch.setattr(kinds, "pair", lambda *at: ("1.0", "0.1"))
    columns = ["a", "b"]
    assert kinds.largest_drop({"number": 3, "columns": columns}, {}).witness == {"column": "a"}
    asked = {"number": 3, "columns": columns, "rows": ["1", "2"]}
    assert kinds.falls(asked, {}).witness == {"column": "a"}
