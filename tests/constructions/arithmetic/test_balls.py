"""Balls: exact numbers are enclosed, maxima decided or refused, the precision set and put back."""

from fractions import Fraction

import arithmetic_support as steps
import flint
import pytest

from constructions.arithmetic.balls import Balls
from constructions.core.activations import GateInverse
from constructions.core.exact import Undecided, cos_pi


def float_rows(x) -> list[list[float]]:
    """The midpoints, where the radius is too small to matter; halves and whole numbers are exact."""
    balls = [[flint.arb(value) for value in row] for row in x.tolist()]
    assert all(ball.rad() < flint.arb(2) ** -100 for row in balls for ball in row)
    return [[round(float(ball) * 2**40) / 2**40 for ball in row] for row in balls]


@pytest.mark.parametrize(
    "step",
    [
        steps.linear_steps,
        steps.renewed_columns,
        steps.hard_heads,
        steps.soft_heads,
        steps.norms,
    ],
)
def test_the_steps_of_a_pass_are_those_worked_out_by_hand(step):
    with Balls(200) as balls:
        step(balls, float_rows)


def test_the_precision_holds_inside_of_the_block_alone():
    before = flint.ctx.prec
    with Balls(200) as balls:
        assert flint.ctx.prec == balls.bits == 200
    assert flint.ctx.prec == before
    with pytest.raises(ZeroDivisionError), Balls(99):
        raise ZeroDivisionError
    assert flint.ctx.prec == before


def test_numbers_become_balls_and_balls_stay():
    with Balls(100) as balls:
        assert balls.element(3) == 3
        assert balls.element(Fraction(1, 3)).contains(flint.fmpq(1, 3))
        assert balls.element(cos_pi(Fraction(1, 5))).overlaps((flint.arb(5).sqrt() + 1) / 4)
        assert balls.element(GateInverse("relu", Fraction(1, 2))) == flint.arb("0.5")
        third = balls.element(Fraction(1, 3))
        assert balls.element(third) is third


@pytest.mark.parametrize("row", [[1], [3, 1, 2], [1, 3, 2], [1, 2, 3], [-3, -1, -2]])
def test_the_largest_score_is_found(row):
    assert Balls(53).maximisers([flint.arb(score) for score in row]) == [row.index(max(row))]


@pytest.mark.parametrize("row", [["2", "2"], ["1 +/- 0.6", "2 +/- 0.6"], ["3", "1", "3"]])
def test_scores_that_may_be_equal_are_not_decided(row):
    with pytest.raises(Undecided, match=rf"largest of {len(row)} scores not determined at 53 bits"):
        Balls(53).maximisers([flint.arb(score) for score in row])


def test_the_root_of_a_ball_around_zero_is_that_of_its_part_from_zero_on():
    found = Balls(53).root(flint.arb(0, 4))
    assert found.contains(0)
    assert found.contains(2)
    assert Balls(53).root(9) == 3
