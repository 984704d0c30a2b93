"""Lengths that floating point reaches: measured elsewhere, held here against the rule."""

import copy

import pytest
from record_support import LIST, alone

from verify.recheck.errors import Refused
from verify.recheck.kinds import float_limits

ITEM = next(item for item in LIST if item["fact"] == "float.lengths")


def stated(reached):
    item = copy.deepcopy(ITEM)
    item["values"]["curves"][0]["y"] = reached
    return item


def test_measured_lengths_within_the_rule_are_accepted():
    alone(ITEM)
    alone(stated(["16", "32", "2048", "67108864"]))


@pytest.mark.parametrize(
    "reached",
    [
        ["1", "64", "4096", "67108864"],  # below √(5/e)/6
        ["64", "64", "4096", "67108864"],  # above 2√(5/e)
        ["17", "64", "4096", "67108864"],
        ["016", "64", "4096", "67108864"],
        [16, 64, 4096, 67108864],
        ["16"],
    ],
)
def test_lengths_against_the_rule_or_in_another_spelling_are_refused(reached):
    with pytest.raises(Refused):
        alone(stated(reached))


def test_a_length_out_of_range_is_a_failure_that_names_its_format():
    item = stated(["64", "64", "4096", "67108864"])
    answer = float_limits.lengths(item["parameters"], item)
    assert answer.holds is False and answer.witness == {"formats": ["bfloat16"]}


def test_another_root_label_or_format_is_refused():
    for curve, change in ((1, {"y": ["1"] * 4}), (0, {"label": "x"}), (1, {"x": ["1"] * 4})):
        item = copy.deepcopy(ITEM)
        item["values"]["curves"][curve].update(change)
        with pytest.raises(Refused):
            alone(item)
    with pytest.raises(Refused, match="expected one of"):
        float_limits.lengths({"formats": ["float8"], "rows": 192}, ITEM)


@pytest.mark.parametrize("count", [1, 3])
def test_there_are_two_curves_of_one_point_for_each_format(count):
    asked = {"formats": ["float16", "float32"], "rows": 1}
    curves = [{"y": ["64", "4096"]}] * count
    with pytest.raises(Refused, match="curves: expected a list of 2 to 2"):
        float_limits.lengths(asked, {"values": {"curves": curves}})
    with pytest.raises(Refused, match="y: expected a list of 2 to 2"):
        float_limits.lengths(asked, {"values": {"curves": [{"y": ["64"] * count}, {}]}})
