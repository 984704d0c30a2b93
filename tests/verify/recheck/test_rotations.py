"""Points of the circle and addition theorems confirm what SymPy found of rotations."""

from itertools import product

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import rotations as facts

RHO = [["cos", "sin"], ["-sin", "cos"]]
CASES = [
    *(
        ("rotation.proper", facts.proper, {"rows": rows})
        for rows in (RHO, [["cos", "sin"], ["sin", "cos"]], [["cos", "sin"], ["sin", "-cos"]])
    ),
    *(
        (
            "rotation.score",
            facts.score,
            {"rows": RHO, "transposed": turned, "angle": angle, "shift": shift},
        )
        for turned, angle, shift in product((True, False), "+-", ("back", "ahead"))
    ),
]


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    found = fact(**parameters)
    assert confirmed(name, found, parameters)
    stated = certificate(found)
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": {"T": 1}})
    assert refused(name, parameters, **{**stated, "witness": {"attended": [9]}})


def test_what_is_no_such_matrix_or_direction_is_refused():
    whole = {"rows": RHO, "transposed": True, "angle": "-", "shift": "back"}
    refuses("rotation.proper", {"rows": []}, "rows")
    refuses("rotation.proper", {"rows": [["cos", "tan"], ["-sin", "cos"]]}, "expected cos")
    refuses("rotation.score", whole | {"transposed": 1}, "transposed")
    refuses("rotation.score", whole | {"angle": "*"}, "angle")
    refuses("rotation.score", whole | {"shift": "up"}, "shift")
    refuses("rotation.score", whole | {"rows": [["cos", "sin"], ["sin", "cos"]]}, "neither")
