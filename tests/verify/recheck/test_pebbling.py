"""The pebbling game is played anew; anything else than what it gives is refused."""

import pytest
from confirm_support import Case, Questions

from verify.facts import logdepth

CASES = [
    Case("pebbling.steps", logdepth.most_of_all_shapes, {"leaves": 8}),
    Case("pebbling.extremal", logdepth.extremal_trees, {"most": 7}, (("most", 0),)),
    Case("pebbling.combs", logdepth.combs, {"most": 12}),
    Case("pebbling.families", logdepth.families, {"leaves": [1, 4, 33]}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""
