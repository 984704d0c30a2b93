"""The re-checker applies the protocol's rules to the committed records by itself."""

import json
import struct
from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

from verify.facts import training
from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Refused
from verify.recheck.kinds import statistics
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
        {"cell": "layers-T16-L1", "epochs": 100, "most": "1/2"},
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


def test_a_p_value_or_an_end_that_cannot_be_rounded_is_refused(monkeypatch):
    with pytest.raises(Refused, match=r"between 0\.10 and 0\.11"):
        statistics.rounded((Fraction(10, 100), Fraction(11, 100)), 2)
    monkeypatch.setattr(confirm, "ROOT", 1)
    with pytest.raises(Refused, match="too near to a rounding"):
        confirm._interval((Fraction(1), Fraction(2)), 3)
    with pytest.raises(Refused, match="three seeds"):
        confirm._interval((Fraction(1), Fraction(2)), 4)


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
    ("errors", "holds"), [(["0", "0"], True), (["0", "0.1"], None), (["0.2", "0.1"], False)]
)
def test_rounding_removes_every_error_some_or_none(errors, holds, monkeypatch):
    monkeypatch.setattr(confirm, "firsts", lambda *_: errors)
    found = confirm.rounding({"cell": "layers-T16-L1", "epochs": 100}, {})
    assert found.holds is holds and (found.witness is not None) == (holds is False)
    assert found.values["least"] == min(errors)


def recorded(monkeypatch, **results):
    """Committed records of some cells, by their results; what is measured first is their first column."""
    settings = {"task": "layers", "layers": 2, "length": 16, "tries": 1, "epochs": 5}
    kept = {name: {"settings": settings, "result": result} for name, result in results.items()}
    monkeypatch.setattr(confirm, "record", lambda cell, epochs: kept[cell] if epochs == 5 else None)


def columns(values):
    return {"mse": [[value] for value in values]}


@pytest.mark.parametrize(
    ("printed", "factor", "holds"),
    [("1.0", "2", True), ("1.0", "1.99", False), ("4.0", "2", True), ("4.0", "1.99", False),
     ("2.0", "1", True)],
)  # fmt: skip
@pytest.mark.parametrize("differ", [True, False])
def test_a_mean_is_within_its_factor_or_differs_or_nothing_is_said(
    printed, factor, holds, differ, monkeypatch
):
    """Errors 1, 2, 3 have mean 2 and variance 1; the p-value is 0.04 or 0.05 against 0.05."""
    recorded(monkeypatch, cell=columns(["1", "2", "3"]))
    monkeypatch.setattr(confirm, "pair", lambda *at: {(3, "2", "16"): (printed, "0.5")}[at])
    p = Fraction(4 if differ else 5, 100)
    groups = ((2, 1), (Fraction(printed), Fraction(1, 4)), (3, 10))
    monkeypatch.setattr(confirm, "p_value", lambda *asked: {groups: (p, p)}[asked])
    ratio = confirm.significant(2 / Fraction(printed))
    asked = {"cell": "cell", "epochs": 5, "runs": 10, "factor": factor, "level": "0.05"}
    answer = confirm.cell({**asked, "ratio": ratio}, {})
    shown = {"mean": "2", "printed": f"{printed} ± 0.5", "interval": ["-0.4841", "4.484"],
             "ratio": ratio, "seeds": "3", "p": f"{float(p):.6f}"}  # fmt: skip
    assert answer.values == shown
    assert answer.holds is (True if holds else False if differ else None)
    assert answer.witness == (shown if answer.holds is False else None)
    answer = confirm.cell({**asked, "ratio": "7"}, {})
    assert (answer.holds, answer.witness) == (False, {"quoted": "7", "measured": ratio})


def test_the_first_try_of_every_seed_counts(monkeypatch):
    recorded(monkeypatch, cell={"mse": [["1", "9"], ["2", "8"]], "rounded": [["0", "3"]]})
    assert confirm.firsts("cell", 5) == ["1", "2"]
    assert confirm.firsts("cell", 5, "rounded") == ["0"]
    settings = {"task": "layers", "length": 16, "layers": 2}
    names = [confirm.name_of({**settings, "tries": tries}) for tries in (1, 2)]
    assert names == ["layers-T16-L2", "layers-T16-L2-tries2"]


@pytest.mark.parametrize("count", [2, 4])
def test_an_interval_is_that_of_three_seeds(count):
    assert confirm.ROOT == 10**40
    with pytest.raises(Refused, match="expected three seeds"):
        confirm._interval((Fraction(10), Fraction(3)), count)


def test_the_interval_has_the_quantile_of_two_degrees_of_freedom():
    """t = 4.30265 at 97.5 %: 10 ± t √(3/3) and 100 ± t √(27/3)."""
    assert confirm._interval((Fraction(10), Fraction(3)), 3) == ["5.697", "14.30"]
    assert confirm._interval((Fraction(100), Fraction(27)), 3) == ["87.09", "112.9"]


@pytest.mark.parametrize(
    ("groups", "holds"),
    [((("4", "8"), ("3", "3"), ("1", "2")), True), ((("4", "8"), ("3", "3"), ("1", "4")), None),
     ((("4", "8"), ("1", "1"), ("1", "2")), None), ((("4", "8"), ("6", "6"), ("1", "2")), None),
     ((("4", "8"), ("3", "3"), ("6", "6")), False), ((("4", "8"), ("3", "3"), ("5", "9")), False)],
)  # fmt: skip
def test_errors_fall_from_cell_to_cell_and_apart(groups, holds, monkeypatch):
    recorded(monkeypatch, **{str(k): columns(group) for k, group in enumerate(groups)})
    means = [sum(map(Fraction, group)) / 2 for group in groups]
    fall = confirm.significant(means[0] / means[-1])
    asked = {"cells": ["0", "1", "2"], "epochs": 5}
    answer = confirm.falls({**asked, "fall": fall}, {})
    shown = {"means": [confirm.significant(mean) for mean in means], "fall": fall}
    assert (answer.holds, answer.values) == (holds, shown)
    assert answer.witness == (shown if holds is False else None)
    other = confirm.falls({**asked, "fall": "7"}, {})
    quoted = {"quoted": "7", "measured": fall}
    assert (other.holds, other.witness) == (False, shown if holds is False else quoted)


def test_later_tries_are_compared_by_their_logarithms(monkeypatch):
    """Tries after the first: 1/10 and 1/1000, mean -2; 1/100 twice, mean -2; 1 and 1/100, mean -1."""
    chains = [["0.5", "0.1", "0.001"], ["7", "0.01", "0.01"], ["3", "1", "0.01"]]
    alone = ["0.1", "10", *["1"] * 10]
    recorded(monkeypatch, chains={"mse": chains}, alone=columns(alone))
    groups = ((Fraction(-5, 3), Fraction(1, 3)), (0, Fraction(2, 11)), (3, 12))
    asked = []
    for p, differ in ((Fraction(1, 20), False), (Fraction(1, 21), True)):
        asked.clear()
        monkeypatch.setattr(confirm, "p_value", lambda *given, p=p: asked.append(given) or (p, p))
        parameters = {"chains": "chains", "independent": "alone", "epochs": 5, "level": "0.05"}
        answer = confirm.carried(parameters, {})
        [(one, other, counts)] = asked
        for found, wanted in zip((*one, *other), (*groups[0], *groups[1]), strict=True):
            assert abs(found - wanted) < Fraction(1, 10**36)
        assert counts == groups[2]
        shown = {"p": confirm.rounded((p, p), 6), "factor": "0.0215",
                 "first": ["0.5", "7", "3"], "last": ["0.001", "0.01", "0.01"],
                 "means": ["0.2003", "2.34", "1.337"], "minima": ["0.001", "0.01", "0.01"],
                 "independent_means": ["1.81", "1"], "independent_minima": ["0.1", "1"]}  # fmt: skip
        assert (answer.holds, answer.values) == (not differ, shown)
        assert answer.witness == (shown if differ else None)


@pytest.mark.parametrize(("most", "holds"), [("3/5", True), ("59/100", False)])
def test_the_largest_weight_of_all_heads_is_held_against_the_most(most, holds, monkeypatch):
    heads = [[["0.1", "6/10"], ["0.5"]], [["0.2", "0.3", "0.09"]]]
    recorded(monkeypatch, cell={"attention": heads})
    answer = confirm.spread({"cell": "cell", "epochs": 5, "most": most}, {})
    assert (answer.holds, answer.values) == (holds, {"heads": 3, "largest": "6/10"})


def test_the_work_of_a_cell_is_a_product_of_its_sizes():
    settings = {"seeds": [1, 2, 3], "tries": 2, "epochs": 5, "examples": 7, "length": 11, "layers": 13,
                "width": 17}  # fmt: skip
    assert confirm._work(settings) == 3 * 2 * 5 * 7 * 11 * 13 * (17 + 48)


COMMON = {"seeds": range(10), "tries": 1, "epochs": 100, "examples": 10_000}


@pytest.mark.parametrize(
    ("task", "count", "first", "last"),
    [
        ("layers", 30, {"width": 16, "layers": 1, "length": 16}, {"width": 16, "layers": 10, "length": 64}),
        ("embedding", None, {"length": 32, "layers": 4, "width": 2, "counted": 2}, None),
        ("pautomac", None, {"length": 64, "width": 64}, None),
    ],
)  # fmt: skip
def test_the_printed_grids_have_a_cell_for_each_row_and_column(task, count, first, last):
    grid = confirm._printed_grid(task)
    number = {"layers": 3, "embedding": 4, "pautomac": 2}[task]
    heads = confirm.rows(1)["layers"] if task == "pautomac" else confirm.rows(number)
    assert len(grid) == len(heads) * len(next(iter(confirm.rows(number).values())))
    assert count is None or len(grid) == count
    assert {**COMMON, **first}.items() <= grid[0].items()
    assert last is None or {**COMMON, **last} == grid[-1]
    assert all({**COMMON}.items() <= cell.items() for cell in grid)


@pytest.mark.parametrize(("at_most", "holds"), [(8, True), (7, False)])
def test_hours_are_those_of_the_dearest_cell(at_most, holds, monkeypatch):
    """2 and 3 seconds for works of 10 and 6: half a second each; 3.5 hours and 4.5 hours."""
    clocked = [{"clock": {"cpu_seconds": s}, "settings": w} for s, w in ((2.0, 10), (3.0, 6))]
    monkeypatch.setattr(confirm, "records", lambda: clocked)
    monkeypatch.setattr(confirm, "_work", lambda settings: settings)
    grids = {"layers": [9000, 16200], "pautomac": [32400]}
    monkeypatch.setattr(confirm, "_printed_grid", lambda task: grids[task])
    answer = confirm.cost({"tasks": ["layers", "pautomac"], "at_most": at_most}, {})
    assert (answer.holds, answer.values) == (holds, {"core_hours": {"layers": 4, "pautomac": 4}})


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(Fraction(1, 3), 4, "0.3333"), (Fraction(2, 3), 4, "0.6667"), (Fraction(12345), 4, "1.234E+4"),
     (Fraction(1, 3), 3, "0.333")],
)  # fmt: skip
def test_numbers_have_four_significant_digits_unless_others_are_asked_for(value, digits, text):
    assert confirm.significant(value, digits) == text
    if digits == 4:
        assert confirm.significant(value) == text


@pytest.mark.parametrize(("exponent", "text"), [("1/2", "3.16"), ("-2", "0.01"), ("1/3", "2.15")])
def test_powers_of_ten_have_three_digits(exponent, text):
    assert confirm._power(Fraction(exponent)) == text


def test_the_error_of_a_layer_of_one_letter_is_that_of_its_halves():
    """1/2 is a float32, so one letter is counted exactly; of two letters 1/3 is rounded, and 2/3 too."""
    assert confirm._mean_square(1) == 0
    third = Fraction(struct.unpack("<f", struct.pack("<f", 1 / 3))[0])
    single = Fraction(struct.unpack("<f", struct.pack("<f", float(3 * third)))[0]) - 1
    twice = Fraction(struct.unpack("<f", struct.pack("<f", float(6 * third)))[0]) - 2
    assert confirm._mean_square(2) == (2 * single**2 + twice**2) / 4
    squares = [confirm._mean_square(letters) for letters in range(1, 40)]
    assert max(squares) > 0
    assert confirm._constructed(3)["x"] == ["1", "2", "3"]


def test_heads_with_different_numbers_of_weights_have_no_mean():
    assert confirm._columns([["1", "2"], ["3", "5"]]) == ["2", "3.5"]
    with pytest.raises(ValueError, match="shorter"):
        confirm._columns([["1", "2"], ["3"]])
