"""Statistics on printed values, against values of textbooks and on altered curves."""

from fractions import Fraction

import flint
import pytest

from verify.experiments import statistics as engine
from verify.experiments.statistics import Group
from verify.facts import statistics

LAYERS = {"16": 4, "32": 5, "64": 6}


def test_the_p_value_of_equal_means_is_one_and_of_far_means_is_small():
    same = Group(Fraction(1), Fraction(1), 10)
    assert engine.welch(same, same).contains(1)
    far = Group(Fraction(5), Fraction(1), 10)
    assert engine.welch(same, far) < 1e-6


def test_equal_variances_give_the_t_distribution_of_students_table():
    # t = 2.101 at 18 degrees of freedom is the two-sided 5 % point.
    shift = Fraction(2101, 1000)
    one = Group(Fraction(0), Fraction(10), 10)
    other = Group(
        shift * Fraction(flint.arb(2).sqrt().mid().str(30, radius=False)), Fraction(10), 10
    )
    assert abs(float(engine.welch(one, other)) - 0.05) < 1e-4


def test_after_the_threshold_two_of_three_columns_still_differ():
    rows = {"16": ["4", "10"], "32": ["5", "10"], "64": ["6", "10"]}
    found = statistics.no_difference(3, rows, 10, "0.05")
    assert found.holds is False and found.witness["columns"] == ["16", "32"]
    assert found.values["p"] == {"16": "0.009400", "32": "0.003451", "64": "0.346710"}
    assert statistics.no_difference(3, {"64": ["6", "10"]}, 10, "0.05").holds is True
    assert statistics.no_difference(3, rows, 10, "0.001").holds is True


@pytest.mark.parametrize("bend", [2, 3, 5])
def test_a_curve_of_two_segments_bends_where_it_was_bent(bend):
    x = list(range(1, 8))
    y = [Fraction(10 - 2 * min(at, bend)) + Fraction(at % 2, 1000) for at in x]
    assert engine.elbow(x, y, "linear") == bend


def test_a_straight_line_has_no_elbow():
    assert engine.elbow([1, 2, 3, 4], [Fraction(4 - at) for at in range(4)], "linear") is None


def test_the_printed_curves_bend_elsewhere_than_at_the_logarithm():
    linear = statistics.bends_near_expectation(3, LAYERS, 1, "linear")
    assert linear.holds is False and linear.values["bends"] == {"16": 2, "32": 2, "64": 5}
    assert statistics.bends_near_expectation(3, LAYERS, 1, "log").values["bends"] == {
        "16": 3,
        "32": 3,
        "64": 6,
    }
    assert statistics.bends_near_expectation(3, LAYERS, 3, "linear").holds is True
    assert statistics.curves(3, ["16"], "log", "T").values["bends"] == {"16": 3}


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_embedding_sizes_bend_farther_from_the_theory_than_layers(scale):
    layers = {"number": 3, "expected": LAYERS}
    sizes = {"number": 4, "expected": {"2": 9, "4": 25, "6": 49, "8": 81}}
    assert statistics.bends_farther_away(layers, sizes, scale).holds is True
    assert statistics.bends_farther_away(sizes, layers, scale).holds is False


def test_falls_and_drops_fail_where_they_must():
    assert statistics.means_fall(3, ["16"], ["1", "2", "4"]).holds is True
    assert statistics.means_fall(3, ["16"], ["4", "2"]).witness == {"column": "16"}
    assert statistics.largest_drop(3, ["16", "32", "64"]).values["ends"]["64"] == 4


def test_decimals_are_rounded():
    assert statistics.decimal_text(Fraction(1, 3), 2) == "0.33"
    assert statistics.decimal_text(Fraction(2, 3), 2) == "0.67"
    assert statistics.decimal_text(Fraction(12), 1) == "12.0"
