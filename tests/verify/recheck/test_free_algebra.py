"""The re-checker counts words and comes to the same identities and bounds."""

import pytest
from confirm_support import Case, Questions
from facts_support import confirmed, refuses
from hypothesis import given
from hypothesis import strategies as st

from verify.facts import free_algebra as facts

SIZES = {"X": "μ", "Y": "μ", "D": "δ", "F": "δ", "P": "1"}
CASES = [
    Case("free.identity", facts.identity, {"left": "(A + E) X", "right": "A X + E X"}),
    Case("free.identity", facts.identity, {"left": "X Y", "right": "Y X"}),
    Case("free.bound", facts.bound, {"expression": "(X + P D) (Y + F) - X Y", "sizes": SIZES,
                                 "at_most": "μ δ + δ μ + δ δ"}),
    Case("free.bound", facts.bound, {"expression": "(X + D) (Y + F) - X Y", "sizes": SIZES,
                                 "at_most": "μ δ + δ δ"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize("text", ["", "A +", "(A", "A)", "A * B", "2 A", "A " * 300])
def test_what_is_no_expression_is_refused(text):
    refuses("free.identity", {"left": text, "right": "A"}, "letter|bracket|expected|was not")


def test_an_expression_that_explodes_is_refused():
    refuses("free.identity", {"left": "(A + B) " * 30, "right": "A"}, "words")


def test_a_letter_without_a_size_is_refused():
    refuses("free.bound", {"expression": "A B", "sizes": {"A": "a"}, "at_most": "a"}, "no bound")


def test_a_bound_that_subtracts_is_refused_by_both():
    """|x| ≤ a does not give |x| ≤ a - b."""
    parameters = {"expression": "x", "sizes": {"x": "a"}, "at_most": "a - b"}
    refuses("free.bound", parameters, "a bound may not subtract 'b'")
    with pytest.raises(ValueError, match="a bound may not subtract 'b'"):
        facts.bound(**parameters)


expressions = st.recursive(
    st.sampled_from("ABC"),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", ""]), inner).map(
        lambda p: f"({p[0]} {p[1]} {p[2]})"
    ),
    max_leaves=6,
)


@given(expressions, expressions)
def test_both_come_to_one_answer_on_random_expressions(left, right):
    parameters = {"left": left, "right": right}
    assert confirmed("free.identity", facts.identity(**parameters), parameters)
