"""The re-checker applies the protocol's rules to the committed records by itself."""

import json
from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

from verify.facts import training
from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.kinds import training as confirm

RULE = {"runs": 10, "factor": "2", "level": "0.05", "ratio": "0.6069"}
CASES = [
    Case("training.cell", training.cell_agrees, {"cell": "layers-T16-L1", "epochs": 100, **RULE}),
    Case(
        "training.cell",
        training.cell_agrees,
        {"cell": "layers-T16-L2", "epochs": 100, **RULE, "ratio": "1.976"},
    ),
    Case(
        "training.cell",
        training.cell_agrees,
        {"cell": "layers-T16-L2", "epochs": 100, **RULE, "ratio": "1.977"},
    ),
    Case(
        "training.falls",
        training.errors_fall,
        {"cells": ["layers-T16-L1", "layers-T16-L2"], "epochs": 100, "fall": "3.077"},
    ),
    Case(
        "training.falls",
        training.errors_fall,
        {"cells": ["layers-T16-L2", "layers-T16-L1"], "epochs": 100, "fall": "0.3250"},
    ),
    Case(
        "training.spread",
        training.attention_is_spread,
        {"cells": ["layers-T16-L1", "layers-T16-L4"], "epochs": 100, "most": "1/2"},
    ),
    Case(
        "training.rounding",
        training.rounding_removes_error,
        {"cell": "layers-T16-L1", "epochs": 100},
    ),
    Case(
        "training.carried",
        training.carried_over_tries,
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
    low, high = case.stated["values"]["interval"]
    near = [low[:-1] + str((int(low[-1]) + 1) % 10), high]
    spelled = [[f"0{low}", high], [f" {low}", high], [f"{low}0", high], ["0.0715", high]]
    for ends in (["0.11", "0.13"], ["0.1"], "wide", near, *spelled, ["1e100000000", high]):
        values = {**case.stated["values"], "interval": ends}
        assert refused(case.name, case.parameters, **{**case.stated, "values": values})


@pytest.mark.parametrize("spell", [lambda p: f"0{p}", lambda p: p.replace("0", "٠"),
                                   lambda p: f"{p}0", lambda p: p[:-1] + "0"])  # fmt: skip
@pytest.mark.parametrize("case", [CASES[0], CASES[-1]], ids=str)
def test_a_p_value_in_another_spelling_is_refused(case, spell):
    values = {**case.stated["values"], "p": spell(case.stated["values"]["p"])}
    assert refused(case.name, case.parameters, **{**case.stated, "values": values})


DRAWN = {
    "tries": ["layers-T16-L1-tries10", "layers-T16-L1"],
    "positions": ["layers-T16-L2"],
    "distances": ["layers-T16-L2"],
}


@pytest.mark.parametrize("kind", DRAWN)
def test_curves_are_those_of_the_records(kind):
    asked = {"kind": kind, "cells": DRAWN[kind], "epochs": 10 if kind == "tries" else 100}
    stated = certificate(training.curves(**asked))
    assert not refused("training.curves", asked, **stated)
    for curve in (0, 1):
        for change in ({"label": "ours"}, {"y": ["0.5"]}, {"x": []}, {"more": 1}):
            forged = json.loads(json.dumps(stated))
            forged["values"]["curves"][curve].update(change)
            assert refused("training.curves", asked, **forged)
    fewer = {"curves": stated["values"]["curves"][:-1]}
    assert refused("training.curves", asked, **{**stated, "values": fewer})
    refuses("training.curves", {**asked, "kind": "all"}, "expected one of")


def test_the_curve_of_a_constructed_layer_is_computed_again():
    asked = {"kind": "positions", "cells": ["layers-T16-L2"], "epochs": 100}
    stated = certificate(training.curves(**asked))
    y = stated["values"]["curves"][2]["y"]
    for change in ({"label": "x"}, {"x": ["1"]}, {"y": ["huge"] * 32}, {"y": y[::-1]},
                   {"y": ["0"] * 32}, {"y": [*y[:-1], "2.815E-12"]}):  # fmt: skip
        forged = json.loads(json.dumps(stated))
        forged["values"]["curves"][2].update(change)
        assert refused("training.curves", asked, **forged)


def test_the_cost_is_that_of_the_printed_grids():
    asked = {"tasks": ["layers", "embedding", "pautomac"], "at_most": 10**6}
    stated = certificate(training.cost(**asked))
    assert not refused("training.cost", asked, **stated)
    for task in asked["tasks"]:
        hours = {**stated["values"]["core_hours"], task: 1}
        assert refused("training.cost", asked, **{**stated, "values": {"core_hours": hours}})
    least = {**asked, "at_most": 1}
    assert not refused("training.cost", least, **certificate(training.cost(**least)))
    refuses("training.cost", {**asked, "tasks": ["all"]}, "expected one of")


def test_that_the_runs_came_out_so_is_counted_as_trusted():
    names = {name for name in confirmations() if name.startswith("training.")}
    assert {trust_reasons()[name] for name in names} == {"training"}


def test_cells_that_were_not_trained_and_empty_lists_are_refused():
    refuses("training.cell", {"cell": "layers-T64-L1", "epochs": 100, **RULE}, "no committed")
    refuses("training.falls", {"cells": [], "epochs": 100, "fall": "2"}, "list")
    refuses("training.rounding", {"cell": "layers-T16-L1", "epochs": 0}, "integer")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(Fraction(1, 3), 4, "0.3333"), (Fraction(2, 3), 4, "0.6667"), (Fraction(12345), 4, "1.234E+4"),
     (Fraction(1, 3), 3, "0.333")],
)  # fmt: skip
def test_numbers_have_four_significant_digits_unless_others_are_asked_for(value, digits, text):
    assert confirm.significant(value, digits) == text
    if digits == 4:
        assert confirm.significant(value) == text
