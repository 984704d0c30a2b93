"""The re-checker applies the protocol's rules to the committed records by itself."""

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import training

RULE = {"runs": 10, "factor": "2", "level": "0.05"}
CASES = [
    ("training.cell", training.cell, {"cell": "layers-T16-L1", "epochs": 100, **RULE}),
    ("training.cell", training.cell, {"cell": "layers-T16-L2", "epochs": 100, **RULE}),
    (
        "training.falls",
        training.falls,
        {"cells": ["layers-T16-L1", "layers-T16-L2"], "epochs": 100},
    ),
    (
        "training.falls",
        training.falls,
        {"cells": ["layers-T16-L2", "layers-T16-L1"], "epochs": 100},
    ),
    (
        "training.spread",
        training.spread,
        {"cell": "layers-T16-L1", "epochs": 100, "most": "1/2"},
    ),
    ("training.rounding", training.rounding, {"cell": "layers-T16-L1", "epochs": 100}),
    (
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


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    assert confirmed(name, fact(**parameters), parameters)


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_a_flipped_outcome_a_changed_value_and_a_changed_witness_are_refused(
    name, fact, parameters
):
    stated = certificate(fact(**parameters))
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": {**stated["values"], "mean": "9"}})
    assert refused(name, parameters, **{**stated, "witness": {"p": "7"}})


def test_an_interval_that_is_too_narrow_is_refused():
    name, fact, parameters = CASES[0]
    stated = certificate(fact(**parameters))
    for ends in (["0.11", "0.13"], ["0.1"], "wide"):
        values = {**stated["values"], "interval": ends}
        assert refused(name, parameters, **{**stated, "values": values})


def test_cells_that_were_not_trained_and_empty_lists_are_refused():
    refuses("training.cell", {"cell": "layers-T64-L1", "epochs": 100, **RULE}, "no committed")
    refuses("training.falls", {"cells": [], "epochs": 100}, "list")
    refuses("training.rounding", {"cell": "layers-T16-L1", "epochs": 0}, "integer")
