"""The re-checker runs the soft model in fixed-point intervals and decides every comparison again."""

from fractions import Fraction
from types import SimpleNamespace

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


@pytest.mark.parametrize("leak", [(Fraction(0), Fraction(1, 10**9)), (Fraction(1), Fraction(8))])
def test_a_leak_that_is_none_or_above_its_ceiling_is_refused(leak, monkeypatch):
    monkeypatch.setattr(kinds.Model, "leak", leak)
    case = CASES[0]
    with pytest.raises(Refused, match="not within its ceiling"):
        kinds.leak(case.parameters, case.stated)


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


@pytest.mark.parametrize(
    ("leak", "fits"),
    [(("1/9", "7/10"), True), (("1/9", "701/1000"), False), ((0, "7/10"), False)],
)
def test_a_leak_is_above_nothing_and_at_most_its_ceiling(leak, fits, monkeypatch):
    """T = 4 and C = 8: (2T - 1) e^(-8 · 1/2), where the exponential is at least 1/10."""
    model = {(1, 4, Fraction(8)): SimpleNamespace(leak=norm(*leak))}
    monkeypatch.setattr(kinds, "Model", lambda *asked: model[asked])
    cosine = {(Fraction(1, 4), 128): norm("1/4", "1/2")}
    power = {(Fraction(-4), 128): norm("1/10", 9)}
    monkeypatch.setattr(kinds.interval, "cos_pi", lambda *asked: cosine[asked])
    monkeypatch.setattr(kinds.interval, "exp", lambda *asked: power[asked])
    asked = {"lengths": [4], "factors": ["1/2"]}, {"values": {"leaks": ["0.111112"]}}
    if fits:
        assert kinds.leak(*asked).values == {"leaks": ["0.111112"]}
        with pytest.raises(Refused, match=r"leak: stated '0\.111111', found 0\.111112"):
            kinds.leak(asked[0], {"values": {"leaks": ["0.111111"]}})
        with pytest.raises(Refused, match="number of leaks: stated 2, found 1"):
            kinds.leak(asked[0], {"values": {"leaks": ["0.111112"] * 2}})
    else:
        with pytest.raises(Refused, match="T = 4, C = 8: the leak is not within its ceiling"):
            kinds.leak(*asked)


@pytest.mark.parametrize(
    ("layer", "bound", "holds", "values"),
    [
        (2, norm("5/3", 2), True, {"error": "1.66667", "bound": "1.66666"}),
        (2, norm("5/4", "4/3"), False, {"error": "1.5", "bound": "1.33334", "ratio": "1.125"}),
        (3, norm("14/3", 5), True, {"error": "4.5", "bound": "4.66666"}),
        (1, norm("1/4", "1/3"), False, {"error": "0.5", "bound": "0.25", "ratio": "2.66666"}),
    ],
)
def test_the_error_of_a_layer_is_held_against_its_own_right_side(
    layer, bound, holds, values, monkeypatch
):
    asked = {
        "letters": {"a": "-2", "b": "1"},
        "word": "ab",
        "saturation": "9",
        "against": "stepwise",
    }
    sides = {"stepwise": [norm(90, 91)] * (layer - 1) + [bound] + [norm(90, 91)] * (3 - layer)}
    tokens = [(Fraction(-2),), (Fraction(1),)]
    monkeypatch.setattr(
        kinds, "run", lambda *given: {9: LAYERS}[given[1]] if given[0] == tokens else []
    )
    monkeypatch.setattr(kinds, "right_sides", lambda largest, _: {2: sides}[largest])
    answer = kinds.error({**asked, "layer": layer}, {"values": values})
    assert (answer.holds, answer.values) == (holds, values)
    shown = {"word": "ab", "C": "9", "layer": layer, **values}
    assert answer.witness == (None if holds else shown)
    for name in values:
        with pytest.raises(Refused, match=f"{name}: stated '7'"):
            kinds.error({**asked, "layer": layer}, {"values": {**values, name: "7"}})
    with pytest.raises(Refused, match="layer 4, expected one of 3"):
        kinds.error({**asked, "layer": 4}, {"values": values})


@pytest.mark.parametrize(
    ("factor", "found", "holds", "values"),
    [
        ("readout", norm("1/3", "3/2"), True, {"states": "0.333334", "products": "1.5"}),
        ("readout", norm("1/3", "3/2"), True, {"states": "1.5", "products": "3"}),
        ("readout", norm("10/3", 4), False, {"states": "3.33333", "products": "3.00001"}),
        ("1", norm("1/9", "1/4"), True, {"states": "0.111112", "products": "0.25"}),
        ("1", norm("2/3", 4), False, {"states": "0.666666", "products": "0.5"}),
        ("1", norm("2/5", "3/5"), None, {}),
        ("readout", norm(1, 2), None, {}),
    ],
)
def test_the_error_of_states_is_held_against_that_of_products(
    factor, found, holds, values, monkeypatch
):
    """Three letters, so that √(T + 1) = 2; |α| = 3; the last layer errs by 1/4 to 1/2."""
    tokens = [(Fraction(2),)] * 3
    last = Layer(norm("1/4", "1/2"), norm(7, 8), norm(7, 8), norm(7, 8))
    model = SimpleNamespace(
        layers=lambda given: iter([(LAYERS[0], []), (last, [])] if given == tokens else []),
        state_error=lambda alpha, given: found if (alpha, given) == ([-3], tokens) else None,
    )
    monkeypatch.setattr(kinds, "Model", lambda *asked: {(1, 3, Fraction(9)): model}[asked])
    asked = {"alpha": "-3", "weight": "2", "word": "aaa", "saturation": "9", "factor": factor}
    if holds is None:
        with pytest.raises(Refused, match="intervals overlap"):
            kinds.states(asked, {"values": values})
        return
    answer = kinds.states(asked, {"values": values})
    assert (answer.holds, answer.values) == (holds, values)
    assert answer.witness == (None if holds else {"word": "aaa", "C": "9", **values})
    for name in values:
        with pytest.raises(Refused, match=f"{name}: stated '7'"):
            kinds.states(asked, {"values": {**values, name: "7"}})


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


def test_ratios_are_of_the_error_to_the_printed_bound_and_the_worst_is_named(monkeypatch):
    small = {(2, 2): norm("1/3", "2/3"), (2, 4): norm(1, 2), (-1, 2): norm("1/5", "1/4")}
    assert ratios(monkeypatch, {**small, (-1, 4): norm("1/2", 2)}).holds is True
    with pytest.raises(Refused, match="intervals overlap"):
        ratios(monkeypatch, {**small, (-1, 4): norm("1/2", "201/100")})
    with pytest.raises(Refused, match="intervals overlap"):
        ratios(monkeypatch, {**small, (-1, 4): norm(4, 5)})
    large = {**small, (-1, 4): norm(5, 6)}
    for ratio in ("1.25", "3"):
        answer = ratios(monkeypatch, large, {"ratio": ratio})
        assert answer.holds is False
        assert answer.witness == {"weight": "-1", "T": 4, "ratio": ratio}
    with pytest.raises(Refused, match=r"ratio: stated '1\.26', found 1\.25"):
        ratios(monkeypatch, large, {"ratio": "1.26"})


@pytest.mark.parametrize(
    ("second", "holds"),
    [(norm(2, 2), False), (norm("5/3", "5/3"), False), (norm("9/2", 5), True), (norm(3, 3), None),
     (norm("17/8", "17/8"), None)],
)  # fmt: skip
def test_errors_more_than_double_or_do_not(second, holds, monkeypatch):
    """From 1 to 2 at two letters, so that twice the error is between 2 and 4."""
    errors = {2: norm(1, 2), 4: second}
    monkeypatch.setattr(
        kinds, "run",
        lambda tokens, c: [LAYERS[0], Layer(errors[len(tokens)], *[norm(7, 8)] * 3)]
        if {*tokens} == {(Fraction(-2),)} and c == 3 else [],
    )  # fmt: skip
    asked = {"weight": "-2", "saturation": "3", "lengths": [2, 4]}
    values = {"errors": ["1", kinds.rounded(second[0], False)]}
    if holds is None:
        with pytest.raises(Refused, match="intervals overlap"):
            kinds.grows(asked, {"values": values})
        return
    answer = kinds.grows(asked, {"values": values})
    assert (answer.holds, answer.values) == (holds, values)
    assert answer.witness == (None if holds else values)
    for count in (1, 3):
        with pytest.raises(Refused, match="errors: expected a list of 2 to 2"):
            kinds.grows(asked, {"values": {"errors": ["1"] * count}})
