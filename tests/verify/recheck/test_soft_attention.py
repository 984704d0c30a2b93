"""The re-checker runs the soft model in fixed-point intervals and decides every comparison again."""

from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import soft_attention as facts
from verify.recheck.confirmations import confirmations
from verify.recheck.errors import Refused
from verify.recheck.kernel.soft import Layer
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
    ("softmax.leak", {"lengths": [], "factors": ["1"]}, "lengths"),
    ("softmax.leak", {"lengths": [4, 4], "factors": ["1"]}, "increasing"),
    ("softmax.leak", {"lengths": [0], "factors": ["1"]}, "lengths = 0"),
    ("softmax.leak", {"lengths": [10**9], "factors": ["1"]}, "length"),
    ("softmax.leak", {"lengths": [3], "factors": ["1"]}, "expected a power of two"),
    ("softmax.leak", {"lengths": [5], "factors": ["1"]}, "expected a power of two"),
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


def test_unknown_and_missing_fields_are_refused():
    refuses("soft.error", {**ERROR, "against": "printed", "more": 1}, "not known")
    refuses("soft.error", {"letters": {"a": "2"}, "word": "aa"}, "missing")


def norm(low, high):
    return Fraction(low), Fraction(high)


LAYERS = [
    Layer(norm("1/2", "2/3"), norm("1/5", "1/4"), norm("1/7", "1/6"), norm("5/2", 3)),
    Layer(norm("3/2", "5/3"), norm("6/5", "5/4"), norm("8/7", "7/6"), norm("7/2", 4)),
    Layer(norm("9/2", "14/3"), norm("11/5", "9/4"), norm("9/7", "11/6"), norm("9/2", 5)),
]


def grown(factors, deltas):
    """factor · δ + δ², end by end."""
    pairs = zip(factors, deltas, strict=True)
    return tuple(factor * delta + delta**2 for factor, delta in pairs)


def both(one, other):
    return one[0] + other[0], one[1] + other[1]


def test_the_right_sides_of_three_layers_are_those_of_their_readings():
    """The largest weight is 7/4: the factor of the printed equation is 7/2."""
    one, two, three = LAYERS
    half, zero = norm("7/2", "7/2"), norm(0, 0)
    printed = [grown(half, one.attention)]
    corrected = [grown(norm(5, 6), one.attention)]
    for factor, layer in ((norm(7, 8), two), (norm(9, 10), three)):
        printed.append(grown(half, printed[-1]))
        corrected.append(grown(factor, both(corrected[-1], layer.attention)))
    assert kinds.right_sides(Fraction(7, 4), LAYERS) == {
        "printed": printed,
        "stepwise": [grown(half, delta) for delta in (one.attention, one.error, two.error)],
        "redefined": [
            grown(half, both(before, layer.incoming))
            for before, layer in ((zero, one), (one.error, two), (two.error, three))
        ],
        "corrected": corrected,
    }
    assert kinds.right_sides(Fraction(7, 4), []) == {side: [] for side in kinds.SIDES}


def ratios(monkeypatch, errors, witness=None):
    """The answer on weights 2 and -1 and lengths 2 and 4, at C = 3 T², with a printed bound of 2 to 4."""

    def run(tokens, c):
        [weight] = {token for (token,) in tokens}
        assert c == {2: 12, 4: 48}[len(tokens)]
        return [LAYERS[0], Layer(errors[weight, len(tokens)], *[norm(7, 8)] * 3)]

    def sides(largest, layers):
        assert len(layers) == 2 and largest in (1, 2)
        return {"printed": [norm(90, 91), norm(2, 4)]}

    monkeypatch.setattr(kinds, "run", run)
    monkeypatch.setattr(kinds, "right_sides", sides)
    heights = {
        w: [kinds.rounded(errors[w, size][0] / 4, False) for size in (2, 4)] for w in (2, -1)
    }
    drawn = [{"label": f"weight {w}", "x": ["2", "4"], "y": y} for w, y in heights.items()]
    asked = {"weights": ["2", "-1"], "lengths": [2, 4], "factor": "3"}
    return kinds.ratios(asked, {"values": {"curves": drawn}, "witness": witness})
