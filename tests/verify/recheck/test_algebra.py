"""The re-checker decides counts and shapes by values at points, and comes to the same answers."""

import pytest
from confirm_support import Case, Questions
from facts_support import confirmed, refuses
from hypothesis import given
from hypothesis import strategies as st

from verify.facts import algebra
from verify.recheck.errors import Refused
from verify.recheck.kernel import formula

CASES = [
    Case("identity.polynomial", algebra.identity, {"left": "C(2n²+2, 2)", "right": "2n⁴+3n²+1"}),
    Case("identity.polynomial", algebra.identity, {"left": "C(n²+2, 2)", "right": "2n⁴+3n²+1"}),
    Case("identity.polynomial", algebra.identity, {"left": "T", "right": "T+1"}),
    Case("identity.polynomial", algebra.identity, {"left": "n·T", "right": "T+n"}),
    Case(
        "shape.product",
        algebra.shapes,
        {"factors": ["(0_{n²×2} 0_{n²×2} I_2)ᵀ"], "result": ["2n²+2", "2"]},
    ),
    Case(
        "shape.product",
        algebra.shapes,
        {"factors": ["√C (0_{2×n²} 0_{2×n²} ρ)ᵀ"], "result": ["2n²+2", "2"]},
    ),
    Case(
        "shape.product",
        algebra.shapes,
        {"factors": ["(X_{T×d})", "(W_{k×d})"], "result": ["T", "k"]},
    ),
    Case("size.at-most", algebra.at_most, {"size": "2n²+2", "bound": "4n²"}),
    Case("size.at-most", algebra.at_most, {"size": "2n²+2", "bound": "3n²"}),
    Case("order.at-most", algebra.order_at_most, {"size": "C(2n²+2, 2)", "order": "n⁴"}),
    Case("order.at-most", algebra.order_at_most, {"size": "2n²+2", "order": "n"}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(1, 3))
def test_both_come_to_one_answer_on_random_polynomials(coefficients, change):
    left = "+".join(f"{c}n{power}" for c, power in zip(coefficients, " ²³⁴", strict=False))
    left = left.replace(" ", "")
    for parameters in ({"left": left, "right": left}, {"left": left, "right": f"{change}+{left}"}):
        assert confirmed("identity.polynomial", algebra.identity(**parameters), parameters)


def test_empty_and_oversized_parameters_are_refused():
    refuses("shape.product", {"factors": [], "result": ["1", "1"]}, "factors")
    refuses("shape.product", {"factors": ["()"], "result": ["1", "1"]}, "matrix of blocks")
    refuses("identity.polynomial", {"left": "", "right": "n"}, "expected a count")
    refuses("identity.polynomial", {"left": "n" * 201, "right": "n"}, "expected a count")
    refuses("identity.polynomial", {"left": "((n⁹)⁹)⁹", "right": "n"}, "degree")
    refuses("identity.polynomial", {"left": "n", "right": "n", "more": 1}, "not known")
    refuses("size.at-most", {"size": "n·T", "bound": "n"}, "expected one")
    refuses("order.at-most", {"size": "n", "order": "2n"}, "power")


@pytest.mark.parametrize("text", ["__import__", "n..2", "n)", "(n", "C(n, m)", "n²²", "+", "C(n,)"])
def test_text_that_is_no_count_is_refused(text):
    with pytest.raises(Refused):
        formula.value(formula.read(text), {"n": 1, "m": 1})
