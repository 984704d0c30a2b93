"""What the printed formulas give in each of their readings, as it was approved."""

from pathlib import Path

import flint
from approved_support import agree_with_approved, plain_data

from constructions.variants.theorem3_printed import PrintedHead, StepReading, step_value

APPROVED = Path(__file__).with_suffix(".json")
PLACES = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 4), (4, 1), (3, 7)]


def test_steps_and_scores_are_as_approved():
    with flint.ctx.workprec(96):
        for step in StepReading:
            head = PrintedHead(step=step, terms=2)
            found = [[step_value(i, j, 7, 2, step), head.nearness(i, j, 7)] for i, j in PLACES]
            agree_with_approved(APPROVED, step.name, plain_data(found))
