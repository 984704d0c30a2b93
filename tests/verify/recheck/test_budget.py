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
from verify.recheck.kernel.interval import down, exp, up
from verify.recheck.kinds import budget as recursions
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
    assert len(Automaton([[["1"]]], {str(k): ["1"] for k in range(26)}).leaves) == 26
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


@pytest.mark.parametrize(
    "entry", ["abc", [0, 0], [0, 0, 1], [-1, 0, "1"], [0, "0", "1"], {"0": 1}, [0, 0, "1", "2"]]
)
def test_an_entry_of_a_form_is_a_row_a_column_and_a_rational(entry):
    assert _entries([[1, 2, "-1/2"]]) == [(1, 2, Fraction(1, 2))]
    with pytest.raises(Refused, match="expected"):
        _entries([entry])


def test_a_form_that_reads_what_is_not_there_is_refused():
    assert _through([(1, 0, Fraction(2))], [Fraction(3), Fraction(5)]) == [10]
    for row in (2, 3):
        with pytest.raises(Refused, match="a form reads a coordinate that is not there"):
            _through([(row, 0, Fraction(2))], [Fraction(3), Fraction(5)])


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


def test_the_error_of_a_product_has_its_remainder_and_its_slope():
    """p, q = 2, 3: 2 · 16 + 12 · 4 · 9 + 2 · 81 = 626."""
    smooth = Smooth({"bits": 1, "scale": "1"})
    smooth.step, smooth.scale = Fraction(1, 1000), Fraction(-3)
    smooth.fourth, smooth.slope = Fraction(5), Fraction(7)
    wanted = Fraction(3 * 5 * 626, 12 * 10**12) + 7 * 2 * 3
    assert smooth.error(Fraction(2), Fraction(3)) == up(wanted, 512) > wanted


def plain_recursion(**changes):
    body = {"tokens": 7, "saturation": 3, "sizes": ["11", "13"], "embedded": ["2", "3"],
            "renewed": [], "smooth": {"bits": 1, "scale": "1"}}  # fmt: skip
    return Recursion({**body, **changes})


def test_what_a_row_gives_away_counts_every_move_of_a_score():
    """q = (2 · 2, 3), k = (3 · 3, 5 · 2); errors of 1/1000 and 1/500 before the weights."""
    query, key = _entries([[0, 0, "2"], [1, 1, "1"]]), _entries([[1, 0, "3"], [0, 1, "5"]])
    errors = [Fraction(1, 1000), Fraction(1, 500)]
    moved = Fraction(4 * 6 + 2 * 9 + 3 * 5 + 2 * 10, 1000) + Fraction(2 * 6 + 2 * 5, 10**6)
    wanted = 6 * exp(-3 * down(1 - 2 * moved, 256), 128)[1]
    recursion = plain_recursion()
    assert recursion.leak(query, key, errors) == wanted
    alone = Fraction(4 * 6 + 2 * 9, 1000) + Fraction(2 * 6, 10**6)
    wanted = 6 * exp(-3 * down(1 - 2 * alone, 256), 128)[1]
    assert recursion.leak(query, key[:1], errors) == wanted
    assert recursion.leak([], key, errors) == 0


def test_a_key_with_more_coordinates_than_its_query_is_none():
    one, wide = _entries([[0, 0, "1"]]), _entries([[0, 1, "1"]])
    with pytest.raises(ValueError, match="longer"):
        plain_recursion().leak(one, wide, [Fraction(0)] * 2)


def test_forms_have_up_to_4096_entries_and_one_without_entries_brings_nothing():
    assert _through(_entries([[0, 0, "1"]] * 4096), [Fraction(3)]) == [3 * 4096]
    with pytest.raises(Refused, match="0 to 4096 entries"):
        _entries([[0, 0, "1"]] * 4097)
    assert _through(_entries([]), [Fraction(3)]) == []
    assert _through(_entries([]), [Fraction(3)], 2) == [0, 0]


def test_scores_may_move_by_less_than_half_their_gap():
    """A query of 2 without an error, a key that is off by 1/4 or by a little less."""
    query, key, recursion = _entries([[0, 0, "1"]]), _entries([[1, 0, "1"]]), plain_recursion()
    near = [Fraction(0), Fraction(1, 4) - Fraction(1, 2**80)]
    assert recursion.leak(query, key, near) > 5
    with pytest.raises(Refused, match="half their gap"):
        recursion.leak(query, key, [Fraction(0), Fraction(1, 4)])


def test_products_of_forms_with_different_numbers_of_units_are_none():
    one = Fraction(1)
    layer = SimpleNamespace(heads=[([], [], [(0, 0, one)])], left=[(0, 0, one), (0, 1, one)],
                            right=[(0, 0, one)], output=[(0, 0, one)])  # fmt: skip
    recursion = plain_recursion(smooth={"bits": 9, "scale": "1"})
    with pytest.raises(ValueError, match="shorter"):
        recursion.after(layer, [Fraction(0)] * 2)


def within(monkeypatch, found=(5,), layers=2, **changes):
    """The leaves that trees are asked for, and the layers in the order in which they are used."""
    leaves, used = [], []
    layer = {
        "heads": [{"query": [], "key": [], "value": []}],
        "left": [],
        "right": [],
        "output": [],
    }
    model = {"tokens": 8, "saturation": 3, "sizes": ["7", "5"], "embedded": ["7", "5"],
             "renewed": [], "smooth": {"bits": 1, "scale": "1"}, "states": [1], "order": list(range(layers)),
             "layers": [{**layer, "left": [[k, 0, "1"]]} for k in range(layers)], **changes}  # fmt: skip

    def after(self, layer, errors):
        used.append(layer.left[0][0])
        assert errors == [Fraction(len(used) - 1)] * len(self.sizes)
        return [Fraction(len(used))] * len(self.sizes)

    def states(most):
        leaves.append(most)
        return list(map(Fraction, found))

    monkeypatch.setattr(Recursion, "after", after)
    recursions._within(model, SimpleNamespace(states=states), Fraction(200))
    return leaves, used


@pytest.mark.parametrize("eps", ["0", "-1"])
def test_an_error_is_a_positive_number(eps):
    case = CASES[0]
    values = json.loads(json.dumps(case.found.values))
    values["model"]["bound"] = eps
    with pytest.raises(Refused, match=f"eps = {eps}: expected a positive number"):
        recursions.error({**case.parameters, "eps": eps}, {"values": values})


def test_the_largest_states_grow_with_the_leaves_up_to_what_their_sums_allow():
    """T_1jk = 2, T_2jk = 3 if j = k; leaves (1, 2) and (3, 1), of which (3, 2) is the largest."""
    tensor = [[["2", "-2"], ["2", "2"]], [["3", "0"], ["0", "-3"]]]
    machine = Automaton(tensor, {"a": ["1", "-2"], "b": ["3", "1"]})
    assert machine.states(1) == [3, 2]
    # entries 2 (3 + 2)² = 50 and 3 (9 + 4) = 39; sums of a state at most 5 · 4 · 4 = 80
    assert machine.states(2) == [50, 39]
    # entries 2 · 5 · 89 = 890 and 3 (3 · 50 + 2 · 39) = 684; sums at most 5 · 4 · 80 = 1600
    assert machine.states(3) == [890, 684]
    wide = Automaton(
        [[["2", "2"], ["2", "2"]], [["0"] * 2] * 2], {"a": ["1", "0"], "b": ["0", "1"]}
    )
    # entries 2 · 2 · 2 = 8 and 2 · 2 · 2 = 8; sums at most 2 · 1 · 1 = 2 and 2 · 1 · 2 = 4
    assert (wide.states(2), wide.states(3)) == ([2, 1], [4, 1])


def test_no_more_coordinates_are_renewed_than_there_are():
    assert plain_recursion(renewed=[0, 1]).renewed == {0, 1}
    with pytest.raises(Refused, match="renewed: expected a list of 0 to 2 entries"):
        plain_recursion(renewed=[0, 1, 1])
    with pytest.raises(Refused, match="renewed = 3, expected an integer from 0 to 2"):
        plain_recursion(renewed=[3])
