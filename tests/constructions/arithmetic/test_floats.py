"""NumPy's floats: rounding of exact numbers, masks, and every step of a pass."""

import math
import sys
from fractions import Fraction

import arithmetic_support as steps
import pytest

from constructions.arithmetic.floats import Floats, mask_matrix, nearest_float
from constructions.core.activations import GateInverse
from constructions.core.errors import InputError
from constructions.core.exact import cos_pi, root
from constructions.core.transformer import Mask


def test_exact_numbers_are_rounded_to_the_nearest_float():
    assert nearest_float(Fraction(1, 3)) == 1 / 3
    assert nearest_float(-7) == -7.0
    assert nearest_float(root(2)) == math.sqrt(2)
    assert nearest_float(cos_pi(Fraction(1, 3))) == 0.5
    assert nearest_float(GateInverse("relu", Fraction(1, 10))) == 0.1
    assert nearest_float(root(2) * Fraction(10**300)) == float("1.4142135623730950488e300")


def test_the_largest_float_is_accepted_and_larger_numbers_refused():
    most = int(sys.float_info.max)
    assert nearest_float(most) == sys.float_info.max
    for value in (2 * most, Fraction(2 * most), root(2) * 10**400, -(10**400)):
        with pytest.raises(
            InputError, match=r"weight: found a number beyond float64, .*1\.8e\+308"
        ):
            nearest_float(value)


@pytest.mark.parametrize(
    ("mask", "rows"),
    [
        (Mask.NONE, [[1, 1, 1], [1, 1, 1]]),
        (Mask.CAUSAL, [[1, 0, 0], [1, 1, 0]]),
        (Mask.ANTICAUSAL, [[1, 1, 1], [0, 1, 1]]),
    ],
)
def test_masks_allow_what_their_names_say(mask, rows):
    assert mask_matrix(2, 3, mask).tolist() == [[bool(x) for x in row] for row in rows]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("step", steps.ALL)
def test_the_steps_of_a_pass_are_those_worked_out_by_hand(step, dtype):
    def plain(x):
        assert x.dtype == dtype
        return x.tolist()

    step(Floats(dtype), plain)


def test_of_equal_scores_a_hard_head_takes_the_first():
    scores, values = Floats().array([[1, 4, 4]] * 3), Floats().array(steps.VALUES)
    assert Floats().mix(scores, values, steps.Attention.HARD, Mask.NONE).tolist() == [[0, 1]] * 3


def test_large_arguments_do_not_overflow():
    x = Floats().array([[-1000, 1000]])
    assert Floats().activate("sigmoid", x).tolist() == [[0, 1]]
    assert Floats().activate("softplus", x).tolist() == [[0, 1000]]
    assert Floats().activate("silu", x).tolist() == [[0, 1000]]
