"""The re-checker counts words and comes to the same identities and bounds."""

import pytest
from facts_support import certificate, confirmed, refused, refuses
from hypothesis import given
from hypothesis import strategies as st

from verify.facts import free_algebra as facts

SIZES = {"X": "μ", "Y": "μ", "D": "δ", "F": "δ", "P": "1"}
CASES = [
    ("free.identity", facts.identity, {"left": "(A + E) X", "right": "A X + E X"}),
    ("free.identity", facts.identity, {"left": "X Y", "right": "Y X"}),
    ("free.bound", facts.bound, {"expression": "(X + P D) (Y + F) - X Y", "sizes": SIZES,
                                 "at_most": "μ δ + δ μ + δ δ"}),
    ("free.bound", facts.bound, {"expression": "(X + D) (Y + F) - X Y", "sizes": SIZES,
                                 "at_most": "μ δ + δ δ"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    assert confirmed(name, fact(**parameters), parameters)


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_a_flipped_outcome_a_changed_value_and_a_changed_witness_are_refused(
    name, fact, parameters
):
    stated = certificate(fact(**parameters))
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": {"majorant": {"μ": 1}}})
    assert refused(name, parameters, **{**stated, "witness": {"left over": {"X": 1}}})


@pytest.mark.parametrize("text", ["", "A +", "(A", "A)", "A * B", "2 A", "A " * 300])
def test_what_is_no_expression_is_refused(text):
    refuses("free.identity", {"left": text, "right": "A"}, "letter|bracket|expected|was not")


def test_an_expression_that_explodes_is_refused():
    refuses("free.identity", {"left": "(A + B) " * 30, "right": "A"}, "words")


def test_a_letter_without_a_size_is_refused():
    refuses("free.bound", {"expression": "A B", "sizes": {"A": "a"}, "at_most": "a"}, "no bound")


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
