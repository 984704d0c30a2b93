"""ρ_θ is a rotation, and the sign and the transpose decide in which direction it shifts."""

import pytest

from verify.facts import rotations

RHO = [["cos", "sin"], ["-sin", "cos"]]


def test_the_printed_matrix_is_a_rotation():
    assert rotations.is_rotation(RHO).holds


def test_a_flipped_sign_is_no_rotation():
    assert rotations.is_rotation([["cos", "sin"], ["sin", "cos"]]).witness == {
        "product": ["1", "24/25", "24/25", "1"],
        "determinant": "7/25",
    }


def test_a_reflection_is_orthogonal_and_still_no_rotation():
    assert rotations.is_rotation([["cos", "sin"], ["sin", "-cos"]]).witness["determinant"] == "-1"


def test_the_printed_angle_and_the_transpose_shift_back():
    assert rotations.score(RHO, True, "-", "back").holds


@pytest.mark.parametrize(("transposed", "angle"), [(False, "-"), (True, "+")])
def test_without_the_transpose_or_with_the_other_sign_the_shift_is_turned_round(transposed, angle):
    found = rotations.score(RHO, transposed, angle, "back")
    assert found.witness == {"T": 4, "w": 1, "t": 0, "attended": [1]}
    assert rotations.score(RHO, transposed, angle, "ahead").holds
