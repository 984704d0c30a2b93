"""The re-checker decides counts and shapes by values at points, and comes to the same answers."""

import pytest
from confirm_support import Case, Questions
from facts_support import confirmed, refuses
from hypothesis import given
from hypothesis import strategies as st

from verify.facts import algebra
from verify.recheck.errors import Refused
from verify.recheck.kernel import formula
from verify.recheck.kinds import algebra as kinds

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


def test_neighbouring_factors_and_the_result_must_fit():
    asked = {"factors": ["(A_{n×2})", "(B_{2×m})"], "result": ["n", "m"]}
    assert kinds.shapes(asked, {}).holds is True
    for change, unequal in (
        ({"factors": ["(A_{n×2})", "(B_{3×m})"]}, ["2", "3"]),
        ({"result": ["5", "m"]}, ["n", "5"]),
        ({"result": ["n", "7"]}, ["m", "7"]),
    ):
        witness = kinds.shapes({**asked, **change}, {}).witness
        found = [str(witness.get(name, name)) for name in unequal]
        assert witness["unequal"] == found and found[0] != found[1]


@pytest.mark.parametrize("order", ["n²+n", "2n", "m", "1", "n·m"])
def test_an_order_is_a_power_of_the_one_name(order):
    refuses("order.at-most", {"size": "n", "order": order}, "expected a power of n|expected one")


@pytest.mark.parametrize(
    ("size", "order", "values"),
    [("3n²-2n+5", "n²", {"degree": 2, "constant": "8"}), ("n", "n³", {"degree": 1, "constant": "1"}),
     ("C(n, 2)", "n²", {"degree": 2, "constant": "1/2"}), ("n-n", "n", {"degree": 0, "constant": "0"})],
)  # fmt: skip
def test_a_count_of_an_order_has_the_sum_of_its_positive_coefficients(size, order, values):
    answer = kinds.order({"size": size, "order": order}, {})
    assert (answer.holds, answer.values) == (True, values)


def test_a_count_of_a_higher_degree_is_not_of_the_order():
    answer = kinds.order({"size": "n³", "order": "n²"}, {})
    assert (answer.holds, answer.values) == (False, {"degree": 3})
    assert answer.witness == {"degree": 3, "order": 2}


@pytest.mark.parametrize(("bound", "witness"), [("3n", {"n": 4, "size": "16", "bound": "12"}), ("n²", None),
                                                ("n²-1", {"n": 1, "size": "1", "bound": "0"})])  # fmt: skip
def test_the_first_number_at_which_a_size_exceeds_its_bound_is_named(bound, witness):
    answer = kinds.at_most({"size": "n²", "bound": bound}, {})
    assert (answer.holds, answer.witness) == (witness is None, witness)
