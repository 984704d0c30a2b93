"""A bound on soft models is confirmed by the recursion in rationals; a changed model is refused."""

import json
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import refused

from verify.facts import budget
from verify.recheck.errors import Refused
from verify.recheck.kinds.budget import Automaton, Layer, Recursion, Smooth, _entries, _through

MIXING = {
    "tensor": [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    "letters": {"a": ["1", "0"], "b": ["0", "1"], "c": ["1/2", "1/2"], "d": ["1/3", "2/3"]},
}
CASES = [
    Case(
        "budget.error",
        budget.error_is_within,
        {"construction": "maskless", "length": 4, "eps": "1/1000", "leaves": 1, **MIXING},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("budget.error", {"construction": "masked"}),
        ("budget.error", {"eps": "0"}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    case = next(case for case in CASES if case.name == name)
    assert refused(name, {**case.parameters, **change}, **case.stated)


CHANGES = {
    "saturation": lambda m: m.__setitem__("saturation", m["saturation"] - 4),
    "tokens": lambda m: m.__setitem__("tokens", m["tokens"] + 3),
    "order": lambda m: m["order"].extend([0] * 9),
    "sizes": lambda m: m["sizes"].__setitem__(0, "1/2"),
    "a negative size": lambda m: m["sizes"].__setitem__(-1, "-1"),
    "a negative embedding": lambda m: m["embedded"].__setitem__(-1, "-1"),
    "weights": lambda m: m["automaton"]["tensor"][0][0].__setitem__(0, "3"),
    "bits": lambda m: m["smooth"].__setitem__("bits", m["smooth"]["bits"] - 6),
    "scale": lambda m: m["smooth"].__setitem__("scale", "1"),
    "layers": lambda m: m["layers"].pop(),
    "renewed": lambda m: m.__setitem__("renewed", ["x"]),
    "a state renewed": lambda m: m["renewed"].append(m["states"][0]),
    "states": lambda m: m.__setitem__("states", []),
    "output": lambda m: m["layers"][0]["output"][0].__setitem__(2, "100000000"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_model_of_a_bound_is_refused(change):
    case = CASES[0]
    values = json.loads(json.dumps(case.found.values))
    assert not refused(case.name, case.parameters, values=values)
    change(values["model"])
    values["C"], values["k"] = values["model"]["saturation"], values["model"]["smooth"]["bits"]
    assert refused(case.name, case.parameters, values=values)


def test_an_automaton_without_leaves_or_with_too_many_is_refused():
    for leaves in ({}, [], {str(k): ["1"] for k in range(27)}):
        with pytest.raises(Refused, match="expected leaf vectors"):
            Automaton([[["1"]]], leaves)


def test_a_unit_that_leaves_the_interval_of_its_derivatives_is_refused():
    """The fourth derivative is bounded within 1/100 of the point: h (p + q) may be that, not more."""
    smooth = Smooth({"bits": 10, "scale": "1"})
    edge = Fraction(1024, 200)
    assert smooth.error(edge, edge) > 0
    with pytest.raises(Refused, match="a unit leaves its interval"):
        smooth.error(edge, edge + Fraction(1, 1000))


def test_errors_as_large_as_the_values_are_refused():
    """Sizes of 1, a read of 1 that is off by 3/4 on both sides: 2 · 3/4 + 9/16 is more than 1."""
    model = json.loads(json.dumps(CASES[0].found.values))["model"]
    recursion = Recursion({**model, "sizes": ["1"], "embedded": ["1"], "renewed": []})
    one = [(0, 0, Fraction(1))]
    layer = SimpleNamespace(heads=[([], [], one)], left=one, right=one, output=one)
    with pytest.raises(Refused, match="as large as the values"):
        recursion.after(layer, [Fraction(3, 4)])


def test_without_errors_every_other_token_leaks_with_the_gap_of_one():
    """λ = (R - 1) e^(-C): four letters and the end token are five tokens."""
    model = json.loads(json.dumps(CASES[0].found.values))["model"]
    recursion, exact = Recursion(model), [Fraction(0)] * len(model["sizes"])
    heads = [head for layer in model["layers"] for head in Layer(layer).heads if head[0]]
    assert heads
    with flint.ctx.workprec(400):
        wanted = 4 * flint.arb(-model["saturation"]).exp()
        for query, key, _ in heads:
            lost = recursion.leak(query, key, exact)
            share = flint.fmpq(lost.numerator, lost.denominator) / wanted
            assert 1 <= share < 1 + flint.arb(2) ** -40


@pytest.mark.parametrize("entry", ["abc", [0, 0], [0, 0, 1], [-1, 0, "1"], [0, "0", "1"], {"0": 1}])
def test_an_entry_of_a_form_is_a_row_a_column_and_a_rational(entry):
    assert _entries([[1, 2, "-1/2"]]) == [(1, 2, Fraction(1, 2))]
    with pytest.raises(Refused, match="expected"):
        _entries([entry])


def test_a_form_that_reads_what_is_not_there_is_refused():
    assert _through([(1, 0, Fraction(2))], [Fraction(3), Fraction(5)]) == [10]
    with pytest.raises(Refused, match="a form reads a coordinate that is not there"):
        _through([(2, 0, Fraction(2))], [Fraction(3), Fraction(5)])


@pytest.mark.parametrize(("off", "fits"), [(0, True), (1, True), (-1, False), (2**28, False)])
def test_a_size_is_the_one_found_or_rounded_up_in_its_last_bits(off, fits):
    """Up to a 2^100th more than what is found; not less, and not by 2^28 such parts."""
    case = CASES[0]
    values = json.loads(json.dumps(case.found.values))
    model, at = values["model"], values["model"]["states"][0]
    largest = Automaton(model["automaton"]["tensor"], model["automaton"]["leaves"])
    size = largest.states((model["tokens"] + 1) // 3)[0]
    for name in ("sizes", "embedded"):
        model[name][at] = str(size + off * size / 2**100)
    assert refused(case.name, case.parameters, values=values) != fits


def test_the_fourth_derivative_of_a_unit_is_bounded_and_not_by_much():
    """Its values come from the Taylor coefficients of tanh, which arb computes."""
    bound = flint.arb(flint.fmpq(*Smooth({"bits": 10, "scale": "1"}).fourth.as_integer_ratio()))
    largest = flint.arb(0)
    with flint.ctx.workprec(128):
        for step in range(-10, 11):
            x = flint.arb_series([flint.arb(500 + step) / 1000, 1], 6)
            tanh = (x.exp() - (-x).exp()) / (x.exp() + (-x).exp())
            largest = largest.max(abs(tanh[4]) * 24)
        assert largest <= bound <= largest * flint.arb("1.05")
