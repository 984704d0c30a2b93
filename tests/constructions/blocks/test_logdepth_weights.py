"""The weights of the log-depth construction, form by form, for integers and for the circle."""

import pytest

from constructions.blocks.logdepth_weights import (
    LogDepthPlan,
    Scheme,
)
from constructions.core.forms import at

TENSOR = (((1, 2), (3, 4)), ((5, 6), (7, 8)))
WHOLE, CIRCLE = LogDepthPlan(TENSOR, 4), LogDepthPlan(TENSOR, 4, Scheme.CIRCLE)
INDEX, DEPTH = ("index", 0), ("depth", 0)


@pytest.mark.parametrize(("plan", "penalty"), [(WHOLE, 5), (CIRCLE, 2)])
def test_a_wrong_depth_is_punished_by_the_square_of_the_difference(plan, penalty):
    for more in (-1, 0, 1):
        (minus, squared), (query, key) = plan.depth_scores(more)
        assert (minus, squared) == ({("one", 0): -penalty}, at("depth_squared"))
        assert query == {DEPTH: 2 * penalty, ("one", 0): 2 * more * penalty}
        assert key == at("depth")


ONE_, KEPT = {"one[0]": 1}, "one[0]"
