"""The small paper: its facts hold exactly where the definition does, and their confirmations agree."""

import sys
from fractions import Fraction
from itertools import accumulate, product
from math import isqrt

import pytest
from facts_support import certificate, same
from hypothesis import assume, given
from hypothesis import strategies as st

from verify.facts.registry import find
from verify.recheck.confirmations import TEMPLATE, confirmations
from verify.recheck.errors import MALFORMED, Refused
from verify.record import chosen_paper

ABOUT = chosen_paper.choose(chosen_paper.TEMPLATE)
FACTS = ABOUT.registered()
SQUARES = [k * k for k in range(20)]
numbers = st.integers(1, 120)
counts = st.integers(1, 4)
coefficients = st.lists(
    st.fractions(-3, 3, max_denominator=3) | st.integers(-3, 3).map(Fraction),
    min_size=1,
    max_size=4,
)


def outcome(name, **parameters):
    """What a fact finds, which its confirmation comes to as well, and no other outcome."""
    (found,) = find(FACTS[name], [parameters], ABOUT.inputs(None, {}))
    assert not found.crash, found.crash
    assert found.holds or found.witness
    stated = certificate(found)
    assert confirmed(name, parameters, stated)
    for change in ({"holds": not found.holds}, {"holds": None}, {"witness": {"n": 99}},
                   {"values": {"more": 1}}):  # fmt: skip
        assert not confirmed(name, parameters, {**stated, **change})
    return found


def confirmed(name, parameters, stated):
    try:
        return same(confirmations(TEMPLATE)[name][1](parameters, stated, None), stated)
    except (Refused, *MALFORMED):
        return False


def at(polynomial, place):
    return sum((c * place**k for k, c in enumerate(polynomial)), Fraction(0))


def texts(polynomial):
    return [str(c) for c in polynomial]


@given(coefficients, coefficients, st.booleans())
def test_a_closed_form_holds_where_both_sides_agree_at_more_places_than_their_degrees(
    term, closed, true
):
    if true:  # n^k for k = 1, 2 or 3, whose difference is the term
        power = len(term) % 3 + 1
        closed = [Fraction(0)] * power + [Fraction(1)]
        term = [[1], [-1, 2], [1, -3, 3]][power - 1]
    sums = accumulate((at(term, n) for n in range(1, 9)), initial=Fraction(0))
    apart = [(n, total) for n, total in enumerate(sums) if total != at(closed, n)]
    found = outcome("sums.closed-form", term=texts(term), closed=texts(closed))
    assert found.holds is (not apart)
    if apart:
        n, total = apart[0]
        assert found.witness == {"n": n, "sum": str(total), "closed": str(at(closed, n))}


@given(coefficients, st.integers(-9, 9))
def test_a_quotient_is_defined_where_its_denominator_has_no_zero(denominator, least):
    assume(denominator[-1])
    zeros = [n for n in range(least, 60) if at(denominator, n) == 0]
    found = outcome("quotient.defined", denominator=texts(denominator), least=least)
    assert found.witness == ({"n": zeros[0]} if zeros else None)


def sums(count, most):
    """The numbers up to `most` that are sums of `count` squares."""
    squares = SQUARES[: isqrt(most) + 1]
    return {total for total in map(sum, product(squares, repeat=count)) if total <= most}


@given(counts, numbers, st.integers(-1, 1))
def test_sums_of_squares_are_those_that_a_reader_would_write_down(count, most, off):
    reached = sums(count, most)
    missed = [number for number in range(most + 1) if number not in reached]
    witness = {"number": missed[0], "count": count} if missed else None
    assert outcome("squares.suffice", count=count, most=most).witness == witness
    printed = max(len(reached) - 1 + off, 0)
    found = outcome("squares.counted", count=count, most=most, printed=printed)
    assert found.holds is (printed == len(reached) - 1)
    assert found.values == {"number": len(reached) - 1}
    exceptions = outcome("squares.exceptions", most=most)
    assert exceptions.values == {"exceptions": most + 1 - len(sums(3, most))}


def test_the_symbolic_identity_and_the_shares_hold():
    assert outcome("squares.doubled", count=3).holds
    (two, *_) = outcome("squares.shares", limits=[10, 20]).values["shares"]
    assert two == {"label": "2 squares", "x": ["10", "20"], "y": ["70", "60"]}


@pytest.mark.parametrize("name", ["squares.suffice", "squares.counted", "squares.exceptions"])
def test_a_mutant_of_the_sums_is_seen(name, monkeypatch):
    """One number too few among the sums of squares."""
    parameters = {"squares.suffice": {"count": 4, "most": 50},
                  "squares.counted": {"count": 2, "most": 50, "printed": 24},
                  "squares.exceptions": {"most": 50}}[name]  # fmt: skip
    assert outcome(name, **parameters).holds
    module = sys.modules[FACTS[name].run.__module__]
    right = module.sums_of_squares
    monkeypatch.setattr(module, "sums_of_squares", lambda *asked: right(*asked) - {5})
    (found,) = find(FACTS[name], [parameters], ABOUT.inputs(None, {}))
    assert found.holds is False


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
    (found,) = find(FACTS["squares.exceptions"], [{"most": number}], ABOUT.inputs(None, {}))
    assert found.witness == {"number": number}
