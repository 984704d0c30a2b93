"""Points of the circle and addition theorems confirm what SymPy found of rotations."""

from fractions import Fraction
from itertools import product

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import rotations as facts
from verify.recheck.kinds import rotations as kinds

RHO = [["cos", "sin"], ["-sin", "cos"]]
CASES = [
    *(
        Case("rotation.proper", facts.is_rotation, {"rows": rows})
        for rows in (RHO, [["cos", "sin"], ["sin", "cos"]], [["cos", "sin"], ["sin", "-cos"]])
    ),
    *(
        Case(
            "rotation.score",
            facts.score,
            {"rows": RHO, "transposed": turned, "angle": angle, "shift": shift},
        )
        for turned, angle, shift in product((True, False), "+-", ("back", "ahead"))
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_what_is_no_such_matrix_or_direction_is_refused():
    whole = {"rows": RHO, "transposed": True, "angle": "-", "shift": "back"}
    refuses("rotation.proper", {"rows": []}, "rows")
    refuses("rotation.proper", {"rows": [["cos", "tan"], ["-sin", "cos"]]}, "expected one of cos")
    refuses("rotation.score", whole | {"transposed": 1}, "transposed")
    refuses("rotation.score", whole | {"angle": "*"}, "angle")
    refuses("rotation.score", whole | {"shift": "up"}, "shift")
    refuses("rotation.score", whole | {"rows": [["cos", "sin"], ["sin", "cos"]]}, "neither")


def test_products_and_determinant_of_a_matrix_at_a_point():
    """Rows (a, b) and (c, d): R Rᵀ and ad - bc, here at numbers that are no point of the circle."""
    rows = [["cos", "sin"], ["-sin", "-cos"]]
    assert kinds.at(rows, Fraction(2), Fraction(3)) == [13, -12, -12, 13, 5]
    rows = [["cos", "cos"], ["sin", "-sin"]]
    assert kinds.at(rows, Fraction(2), Fraction(3)) == [8, 0, 0, 18, -12]
