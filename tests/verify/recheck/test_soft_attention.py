"""The re-checker runs the soft model in fixed-point intervals and decides every comparison again."""

from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import soft_attention as facts
from verify.recheck.confirmations import confirmations
from verify.recheck.errors import Refused
from verify.recheck.kinds import soft_attention as kinds

COUNTING = {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]}
ERROR = {"letters": {"a": "2"}, "word": "aaaa", "saturation": "64", "layer": 2}
STATES = {"alpha": "1", "weight": "2", "word": "aaaa", "saturation": "16"}
CASES = [
    Case("softmax.leak", facts.softmax_leak, {"lengths": [1, 2, 4], "factors": ["1/4", "4"]}),
    Case("soft.error", facts.soft_error, {**ERROR, "against": "redefined"}),
    Case("soft.error", facts.soft_error, {**ERROR, "against": "corrected"}),
    Case("soft.states", facts.soft_states, {**STATES, "factor": "1"}),
    Case("soft.states", facts.soft_states, {**STATES, "factor": "readout"}),
    Case("soft.sweep", facts.soft_sweep, {"letters": {"a": "2"}, "word": "aaaa", "constants": ["20"]}),
    Case("soft.all-words", facts.soft_all_words,
     {"transitions": COUNTING, "length": 2, "constants": ["8", "16"]}),
    Case("soft.ratios", facts.soft_ratios, {"weights": ["2", "-1"], "lengths": [2, 4], "factor": "4"}),
    Case("soft.ratios", facts.soft_ratios, {"weights": ["-1"], "lengths": [2, 4], "factor": "1"}),
    Case("soft.grows", facts.soft_grows, {"weight": "2", "saturation": "1", "lengths": [2, 4, 8]}),
    Case("soft.grows", facts.soft_grows, {"weight": "-1", "saturation": "1", "lengths": [4, 8]}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def changed(value):
    """The same value with its first number changed by one part in a thousand, or by one."""
    if isinstance(value, dict):
        first, *_ = [name for name in value if name not in ("label", "x")]
        return {**value, first: changed(value[first])}
    if isinstance(value, list):
        return [changed(value[0]), *value[1:]]
    if isinstance(value, int):
        return value + 1
    return str(float(value) * 1.001)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_value_that_is_off_by_one_part_in_a_thousand_is_refused(case):
    wrong = {**case.stated, "values": changed(case.stated["values"])}
    assert refused(case.name, case.parameters, **wrong)


SWEEP = {"letters": {"a": "2"}, "word": "aaaa", "constants": ["20"]}
WRONG = [
    ("soft.error", {**ERROR, "against": "redefined", "layer": 3}, "layer 3"),
    ("soft.error", {**ERROR, "against": "other"}, "against"),
    ("soft.error", {**ERROR, "against": "printed", "word": ""}, "1 to 16 letters with weights"),
    ("soft.error", {**ERROR, "against": "printed", "word": "a" * 17}, "1 to 16 letters with weights"),
    ("soft.error", {**ERROR, "against": "printed", "word": "ab"}, "1 to 16 letters with weights"),
    ("soft.error", {**ERROR, "against": "printed", "saturation": "1000000000"}, "C = "),
    ("soft.error", {**ERROR, "against": "printed", "saturation": "-1"}, "C = "),
    ("soft.error", {**ERROR, "against": "printed", "letters": {}}, "letters"),
    ("soft.error", {**ERROR, "against": "printed", "letters": {"a": "1e9"}}, "rational"),
    ("soft.sweep", {**SWEEP, "constants": []}, "constants"),
    ("soft.sweep", {**SWEEP, "constants": ["20", "20"]}, "increasing"),
    ("softmax.leak", {"lengths": [], "factors": ["1"]}, "lengths"),
    ("softmax.leak", {"lengths": [4, 4], "factors": ["1"]}, "increasing"),
    ("softmax.leak", {"lengths": [0], "factors": ["1"]}, "lengths = 0"),
    ("softmax.leak", {"lengths": [10**9], "factors": ["1"]}, "length"),
    ("softmax.leak", {"lengths": [3], "factors": ["1"]}, "expected a power of two"),
    ("softmax.leak", {"lengths": [5], "factors": ["1"]}, "expected a power of two"),
    ("soft.all-words", {"transitions": COUNTING, "length": 8, "constants": ["8"]}, "64 words"),
    ("soft.all-words", {"transitions": {}, "length": 2, "constants": ["8"]}, "transitions"),
    ("soft.all-words", {"transitions": {"a": [["1", "2"]]}, "length": 2, "constants": ["8"]},
     "matrix"),
    ("soft.all-words", {"transitions": [], "length": 2, "constants": ["8"]}, "one to four letters"),
    ("soft.all-words", {"transitions": {letter: [["1"]] for letter in "abcde"}, "length": 2,
                        "constants": ["8"]}, "one to four letters"),
    ("soft.all-words", {"transitions": {"a": [["1"]], **COUNTING}, "length": 2, "constants": ["8"]},
     "different sizes"),
    ("soft.grows", {"weight": "1001", "saturation": "1", "lengths": [2, 4]}, "of size at most"),
    ("soft.grows", {"weight": "1/1001", "saturation": "1", "lengths": [2, 4]}, "of size at most"),
    ("soft.ratios", {"weights": [], "lengths": [2], "factor": "4"}, "weights"),
    ("soft.grows", {"weight": "2", "saturation": "1", "lengths": [2]}, "list of 2 to 12"),
    ("soft.states", {**STATES, "factor": "2"}, "factor"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "because"), WRONG)
def test_parameters_that_say_nothing_or_too_much_are_refused(name, parameters, because):
    values = {"leaks": ["1"], "curves": [], "errors": ["1"]}
    with pytest.raises(Refused, match=because):
        confirmations()[name][1](parameters, {"holds": True, "values": values, "witness": None})


@pytest.mark.parametrize("leak", [(Fraction(0), Fraction(1, 10**9)), (Fraction(1), Fraction(8))])
def test_a_leak_that_is_none_or_above_its_ceiling_is_refused(leak, monkeypatch):
    monkeypatch.setattr(kinds.Model, "leak", leak)
    case = CASES[0]
    with pytest.raises(Refused, match="not within its ceiling"):
        kinds.leak(case.parameters, case.stated)


def test_unknown_and_missing_fields_are_refused():
    refuses("soft.error", {**ERROR, "against": "printed", "more": 1}, "not known")
    refuses("soft.sweep", {"letters": {"a": "2"}, "word": "aa"}, "missing")
