"""The pebbling game is played anew; anything else than what it gives is refused."""

import pytest
from confirm_support import Case

from verify.facts import logdepth

CASES = [
    Case("pebbling.steps", logdepth.most_of_all_shapes, {"leaves": 8}),
    Case("pebbling.extremal", logdepth.extremal_trees, {"most": 7}, (("most", 0),)),
    Case("pebbling.combs", logdepth.combs, {"most": 12}),
    Case("pebbling.families", logdepth.families, {"leaves": [1, 4, 33]}),
]

each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each
def test_the_confirmation_comes_to_what_the_fact_found(case):
    assert case.agrees()


@each
def test_a_changed_outcome_value_or_witness_is_refused(case):
    assert case.accepted_changes() == []


@each
def test_parameters_more_or_less_and_lists_of_something_else_are_refused(case):
    assert case.accepted_parameters() == []


@each
def test_numbers_out_of_range_and_numbers_as_text_are_refused(case):
    case.refuses_numbers()
