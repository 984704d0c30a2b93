"""Trees and steps of the kernel: what is not known is refused."""

import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel import tree


@pytest.mark.parametrize("kind", ["literal", "scaled", "repaired", "exact"])
def test_a_step_is_enclosed(kind):
    low, high = tree.step(1, 4, 7, 3, kind)
    assert 0 <= high - low < 1e-9


def test_a_step_that_is_not_known_is_refused():
    with pytest.raises(Refused, match="step 'none' is not known"):
        tree.step(1, 4, 7, 3, "none")
