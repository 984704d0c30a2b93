"""The small paper: its facts hold, fail on a mutant, and are confirmed by other computations."""

import itertools
import sys
from fractions import Fraction

import pytest
from facts_support import certificate, same

from verify.facts.registry import find
from verify.recheck.confirmations import TEMPLATE, confirmations
from verify.recheck.errors import MALFORMED, Refused
from verify.record import chosen_paper

ABOUT = chosen_paper.choose(chosen_paper.TEMPLATE)
FACTS = ABOUT.registered()
ODD = {"term": ["-1", "2"], "closed": ["0", "0", "1"]}
CASES = [
    ("sums.closed-form", ODD, True),
    ("sums.closed-form", {**ODD, "closed": ["1", "0", "1"]}, False),
    ("sums.closed-form", {**ODD, "closed": ["0", "0", "1", "1/7"]}, False),
    ("sums.closed-form", {"term": ["0", "1"], "closed": ["0", "1/2", "1/2"]}, True),
    # equal at n = 0 … 3 and nowhere else
    ("sums.closed-form", {"term": ["0", "1"], "closed": ["0", "-11/2", "23/2", "-6", "1"]}, False),
    # equal at n = 0 and 1, for the sum grows faster
    ("sums.closed-form", {"term": ["0", "1"], "closed": ["0", "1"]}, False),
    ("sums.closed-form", {**ODD, "closed": ["-1", "0", "1"]}, False),
    ("quotient.defined", {"denominator": ["-1", "1"], "least": 1}, False),
    ("quotient.defined", {"denominator": ["-1", "1"], "least": 2}, True),
    ("quotient.defined", {"denominator": ["-1", "2"], "least": 0}, True),
    ("quotient.defined", {"denominator": ["6", "-5", "1"], "least": 3}, False),
    ("quotient.defined", {"denominator": ["6", "-5", "1"], "least": 1}, False),
    # (n - 3)(n + 1/10)/2: its zero is larger than every ratio of its coefficients
    ("quotient.defined", {"denominator": ["-3/20", "-29/20", "1/2"], "least": 1}, False),
    ("squares.suffice", {"count": 4, "most": 100}, True),
    ("squares.suffice", {"count": 3, "most": 6}, True),
    ("squares.suffice", {"count": 3, "most": 7}, False),
    ("squares.suffice", {"count": 3, "most": 15}, False),
    ("squares.counted", {"count": 2, "most": 12, "printed": 7}, True),
    ("squares.counted", {"count": 2, "most": 12, "printed": 8}, False),
    ("squares.doubled", {"count": 3}, True),
    ("squares.exceptions", {"most": 130}, True),
    ("squares.exceptions", {"most": 448}, True),
    ("squares.shares", {"limits": [10, 20]}, True),
]  # fmt: skip
cases = pytest.mark.parametrize(("name", "parameters", "holds"), CASES)


def outcome(name, parameters):
    (found,) = find(FACTS[name], [parameters], ABOUT.inputs(None, {}))
    assert not found.crash, found.crash
    return found


def confirmed(name, parameters, stated):
    try:
        return same(confirmations(TEMPLATE)[name][1](parameters, stated, None), stated)
    except (Refused, *MALFORMED):
        return False


@cases
def test_a_fact_holds_or_fails_and_its_confirmation_comes_to_the_same(name, parameters, holds):
    found = outcome(name, parameters)
    assert found.holds is holds and (holds or found.witness)
    assert confirmed(name, parameters, certificate(found))


@cases
def test_a_changed_outcome_and_a_changed_witness_are_not_confirmed(name, parameters, holds):
    stated = certificate(outcome(name, parameters))
    for change in ({"holds": not holds}, {"holds": None}, {"witness": {"n": 99}},
                   {"values": {"more": 1}}):  # fmt: skip
        assert not confirmed(name, parameters, {**stated, **change})


def test_a_wrong_sum_is_seen_at_its_first_place():
    found = outcome(*CASES[4][:2])
    assert found.witness == {"n": 4, "sum": "10", "closed": "34"}


@pytest.mark.parametrize("name", ["squares.suffice", "squares.counted", "squares.exceptions"])
def test_a_mutant_of_the_sums_is_seen(name, monkeypatch):
    """One number too few among the sums of squares."""
    parameters = {"squares.suffice": {"count": 4, "most": 50},
                  "squares.counted": {"count": 2, "most": 50, "printed": 24},
                  "squares.exceptions": {"most": 50}}[name]  # fmt: skip
    assert outcome(name, parameters).holds
    module = sys.modules[FACTS[name].run.__module__]
    right = module.sums_of_squares
    monkeypatch.setattr(module, "sums_of_squares", lambda *asked: right(*asked) - {5})
    assert outcome(name, parameters).holds is False


def test_sums_of_squares_are_those_that_a_reader_would_write_down():
    module = sys.modules[FACTS["squares.suffice"].run.__module__]
    squares = [0, 1, 4, 9, 16, 25]
    for count in (1, 2, 3):
        written = {sum(chosen) for chosen in itertools.product(squares, repeat=count)}
        assert module.sums_of_squares(count, 30) == {number for number in written if number <= 30}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("squares.suffice", {"count": 9, "most": 9}), ("squares.suffice", {"count": 1, "most": 10**9}),
     ("squares.doubled", {"count": 60}), ("sums.closed-form", {"term": ["1e99"], "closed": ["0"]}),
     ("quotient.defined", {"denominator": ["1", "0"], "least": 1}),
     ("squares.shares", {"limits": []}), ("squares.shares", {"limits": [10], "more": 1})],
)  # fmt: skip
def test_parameters_out_of_range_are_refused_before_anything_is_computed(name, parameters):
    with pytest.raises(Refused):
        confirmations(TEMPLATE)[name][1](parameters, {"holds": True}, None)


@pytest.mark.parametrize(("denominator", "fits"), [(["0", "1"], True), (["1", "0"], False)])
def test_the_leading_coefficient_is_the_last_and_not_0(denominator, fits):
    confirm = confirmations(TEMPLATE)["quotient.defined"][1]
    if fits:
        assert confirm({"denominator": denominator, "least": 1}, {}, None).holds
    else:
        with pytest.raises(Refused, match="the leading coefficient is 0"):
            confirm({"denominator": denominator, "least": 1}, {}, None)


@pytest.mark.parametrize("last", [2000, 2001])
def test_a_denominator_whose_zeros_may_be_too_large_to_be_tried_is_refused(last):
    """The only zero of n - a lies at a, and is known to be below a + 1."""
    confirm = confirmations(TEMPLATE)["quotient.defined"][1]
    asked = {"denominator": [str(1 - last), "1"], "least": 1}
    if last == 2000:
        assert confirm(asked, {}, None).witness == {"n": 1999}
    else:
        with pytest.raises(Refused, match="a zero may be larger than 2000"):
            confirm(asked, {}, None)


def test_the_first_failure_is_the_witness():
    found = [outcome(name, parameters).witness for name, parameters, holds in CASES if not holds]
    assert found == [
        {"n": 0, "sum": "0", "closed": "1"}, {"n": 1, "sum": "1", "closed": "8/7"},
        {"n": 4, "sum": "10", "closed": "34"}, {"n": 2, "sum": "3", "closed": "2"},
        {"n": 0, "sum": "0", "closed": "-1"}, {"n": 1}, {"n": 3}, {"n": 2}, {"n": 3},
        {"number": 7, "count": 3}, {"number": 7, "count": 3}, {"number": 7},
    ]  # fmt: skip


def test_the_least_numbers_of_squares_are_those_that_one_counts():
    module = sys.modules[TEMPLATE]
    wanted = [0, 1, 2, 3, 1, 2, 3, 4, 2, 1, 2, 3, 3, 2, 3, 4, 1, 2]
    for most in (0, 1, 17):
        assert module.least_counts(most) == wanted[: most + 1]


@pytest.mark.parametrize(("number", "squares"), [(5, 4), (7, 3), (28, 3)])
def test_an_exception_too_many_or_too_few_is_seen_by_both(number, squares, monkeypatch):
    """5 = 4 + 1 is none, 7 and 28 are."""
    module = sys.modules[TEMPLATE]
    right = module.least_counts
    changed = lambda most: [*right(most)[:number], squares, *right(most)[number + 1 :]]  # noqa: E731
    monkeypatch.setattr(module, "least_counts", changed)
    answer = confirmations(TEMPLATE)["squares.exceptions"][1]({"most": number}, {}, None)
    assert (answer.holds, answer.witness) == (False, {"number": number})
    facts = sys.modules[FACTS["squares.exceptions"].run.__module__]
    reached = facts.sums_of_squares
    monkeypatch.setattr(facts, "sums_of_squares", lambda *asked: reached(*asked) ^ {number})
    assert outcome("squares.exceptions", {"most": number}).witness == {"number": number}


def test_both_sides_of_a_quadratic_identity_are_compared_at_three_values_of_each_letter(
    monkeypatch,
):
    module, tried = sys.modules[TEMPLATE], []
    confirm = confirmations(TEMPLATE)["squares.doubled"][1]

    def product(values, repeat):
        tried.append((list(values), repeat))
        return [(0, 0, 0), (1, 0, 2), (Fraction(-1, 2), 1, 2)]

    monkeypatch.setattr(module, "product", product)
    assert confirm({"count": 3}, {}, None).holds and tried == [([0, 1, 2], 3)]


# Each parameter from both ends of its range: what is still read, and what is refused.
LIMITS = {
    "sums.closed-form": ({"term": ["1"], "closed": ["0", "1"]}, {
        "term": ([["0"], ["0"] * 8, ["0" * 20]], [[], ["0"] * 9, ["0" * 21], ["1E0"], "0", [0]]),
        "closed": ([["0"], ["0"] * 8], [[], ["0"] * 9]),
    }),
    "quotient.defined": ({"denominator": ["1", "1"], "least": 1}, {
        "denominator": ([["1"], ["0"] * 7 + ["1"]], [[], ["0"] * 8 + ["1"]]),
        "least": ([-100, 100], [-101, 101, True]),
    }),
    "squares.suffice": ({"count": 4, "most": 9}, {
        "count": ([1, 8], [0, 9]), "most": ([1, 2000], [0, 2001]),
    }),
    "squares.counted": ({"count": 4, "most": 9, "printed": 9}, {
        "count": ([1, 8], [0, 9]), "most": ([1, 2000], [0, 2001]), "printed": ([0, 2000], [-1, 2001]),
    }),
    "squares.doubled": ({"count": 1}, {"count": ([1, 6], [0, 7])}),
    "squares.exceptions": ({"most": 9}, {"most": ([1, 2000], [0, 2001])}),
    "squares.shares": ({"limits": [9]}, {
        "limits": ([[1], [2000], [3] * 20], [[], [0], [2001], [3] * 21]),
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_parameters_are_read_up_to_the_ends_of_their_ranges(name):
    confirm, (plain, ranges) = confirmations(TEMPLATE)[name][1], LIMITS[name]
    assert set(ranges) == set(plain)
    for parameter, (read, beyond) in ranges.items():
        for value in read:
            assert confirm({**plain, parameter: value}, {}, None).holds is not None
        for value in beyond:
            with pytest.raises(Refused):
                confirm({**plain, parameter: value}, {}, None)
