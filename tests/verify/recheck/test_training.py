"""The re-checker applies the protocol's rules to the committed records by itself."""

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import training

RULE = {"runs": 10, "factor": "2", "level": "0.05"}
CASES = [
    Case("training.cell", training.cell, {"cell": "layers-T16-L1", "epochs": 100, **RULE}),
    Case("training.cell", training.cell, {"cell": "layers-T16-L2", "epochs": 100, **RULE}),
    Case(
        "training.falls",
        training.falls,
        {"cells": ["layers-T16-L1", "layers-T16-L2"], "epochs": 100},
    ),
    Case(
        "training.falls",
        training.falls,
        {"cells": ["layers-T16-L2", "layers-T16-L1"], "epochs": 100},
    ),
    Case(
        "training.spread",
        training.spread,
        {"cell": "layers-T16-L1", "epochs": 100, "most": "1/2"},
    ),
    Case("training.rounding", training.rounding, {"cell": "layers-T16-L1", "epochs": 100}),
    Case(
        "training.carried",
        training.carried,
        {
            "chains": "layers-T16-L1-tries10",
            "independent": "layers-T16-L1",
            "epochs": 10,
            "level": "0.05",
        },
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_an_interval_that_is_too_narrow_is_refused():
    case = CASES[0]
    for ends in (["0.11", "0.13"], ["0.1"], "wide"):
        values = {**case.stated["values"], "interval": ends}
        assert refused(case.name, case.parameters, **{**case.stated, "values": values})


def test_cells_that_were_not_trained_and_empty_lists_are_refused():
    refuses("training.cell", {"cell": "layers-T64-L1", "epochs": 100, **RULE}, "no committed")
    refuses("training.falls", {"cells": [], "epochs": 100}, "list")
    refuses("training.rounding", {"cell": "layers-T16-L1", "epochs": 0}, "integer")
