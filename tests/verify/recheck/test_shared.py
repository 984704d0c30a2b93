"""Facts that any paper may name: printed cells, theorems of Lean, signatures and lines of files."""

from fractions import Fraction
from types import SimpleNamespace

import pytest
from facts_support import refuses

from verify.recheck.errors import Refused
from verify.recheck.shared import cells, lean, person, source

NOTHING = {"values": {}, "witness": None}


@pytest.mark.parametrize("text", ["", ".", "1.", ".5", "1e3", "٣", "1" * 31, "--1", "1.2.3"])
def test_what_is_no_printed_decimal_is_refused(text):
    with pytest.raises(Refused, match="expected a printed decimal"):
        cells.decimal(text)


def test_a_printed_decimal_stands_for_half_a_unit_on_each_side():
    assert cells.decimal("-12.50") == (-1250, 2) and cells.decimal("1" * 30)[1] == 0
    assert cells.ends("0.5") == (Fraction(9, 20), Fraction(11, 20)) and cells.ends("7") == (7, 7)


@pytest.mark.parametrize(
    ("operation", "result"),
    [("sum", 7), ("mean", Fraction(7, 2)), ("difference", 3), ("product", 10),
     ("quotient", Fraction(5, 2)), ("percentage", 250)],
)  # fmt: skip
def test_cells_follow_by_their_operation(operation, result):
    assert cells.value(operation, (Fraction(5), Fraction(2))) == result
    asked = {"operation": operation, "parts": ["5", "2"]}
    assert cells.follows({**asked, "printed": f"{float(result)}"}, NOTHING).holds
    answer = cells.follows({**asked, "printed": f"{float(result) + 0.2:.1f}"}, NOTHING)
    assert answer.holds is False and answer.witness["least"] == f"{float(result):.2f}"


@pytest.mark.parametrize("operation", cells.TWO)
def test_an_operation_on_two_cells_has_two_and_no_quotient_by_zero(operation):
    asked = {"printed": "1", "operation": operation}
    for parts in (["1"], ["1", "2", "3"]):
        refuses("cell.follows", {**asked, "parts": parts}, "expected two")
    if operation != "difference":
        for zero in ("0", "0.0", "-0.0"):
            refuses("cell.follows", {**asked, "parts": ["1", zero]}, "may be 0")
        assert cells.follows({**asked, "parts": ["1", "0.1"]}, NOTHING).holds is not None


@pytest.mark.parametrize("printed", ["-0.5", "1" * 13])
def test_a_share_that_is_negative_or_too_long_is_refused(printed):
    asked = {"printed": printed, "cases": 3, "percentage": False}
    refuses("cell.possible", asked, "expected a mean or a percentage")


def test_a_share_lies_between_two_numbers_of_cases():
    answer = cells.possible({"printed": "0.4", "cases": 3, "percentage": False}, NOTHING)
    assert (answer.holds, answer.values["below"], answer.values["above"]) == (
        False, "1 (0.33)", "2 (0.67)")  # fmt: skip
    assert cells.possible({"printed": "66.7", "cases": 3, "percentage": True}, NOTHING).holds
    assert cells.decimal_text(Fraction(1, 8), 2) == "0.13"


LOG = """info: Small.lean:1
@square_nonneg : ∀ (a : ℤ),
  0 ≤ a
    * a

@other : True
'square_nonneg' depends on axioms: [propext,
 Quot.sound]
'other' does not depend on any axioms
"""


def test_a_log_of_lean_is_read_theorem_by_theorem():
    assert lean.statement_of(LOG, "square_nonneg") == "∀ (a : ℤ), 0 ≤ a * a"
    assert lean.statement_of(LOG, "other") == "True" and lean.statement_of(LOG, "absent") == ""
    assert lean.axioms_of(LOG, "square_nonneg") == ["Quot.sound", "propext"]
    assert lean.axioms_of(LOG, "other") == []
    for log in (LOG, LOG.replace("depends on", "rests on")):
        with pytest.raises(Refused, match="does not print the axioms"):
            lean.axioms_of(log, "square_nonneg" if log != LOG else "absent")


@pytest.mark.parametrize(
    ("theorem", "says", "holds"),
    [("other", "True", True), ("square_nonneg", "∀ (a : ℤ),  0 ≤ a * a", True),
     ("other", "False", False)],
)  # fmt: skip
def test_a_theorem_of_lean_says_what_the_log_prints(theorem, says, holds):
    data = SimpleNamespace(texts={"build.log": LOG})
    answer = lean.theorem({"log": "build.log", "theorem": theorem, "says": says}, NOTHING, data)
    assert answer.holds is holds and (answer.witness is None) is holds


def test_an_axiom_that_is_not_one_of_leans_three_is_a_failure():
    asked = {"log": "absent.log", "theorem": "other", "says": "True"}
    three = ["Classical.choice", "Quot.sound", "propext"]
    for axioms, holds in (
        ([], True),
        (three, True),
        (["sorryAx"], False),
        (["x", *three[:2]], False),
    ):
        stated = {"values": {"statement": "True", "axioms": axioms}}
        answer = lean.theorem(asked, stated, SimpleNamespace(texts={}))
        assert (answer.holds, answer.values["axioms"]) == (holds, axioms)


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"when": "yesterday"}, "expected a date"),
        ({"who": " "}, "a name"),
        ({"what": ""}, "a name"),
    ],
)
def test_a_signature_without_a_date_a_name_or_words_is_refused(change, because):
    asked = {"who": "A. Reader", "when": "2024-05-01", "what": "the proof"}
    assert person.reads(asked, NOTHING).values == asked
    refuses("person.reads", {**asked, **change}, because)


@pytest.mark.parametrize(
    ("line", "says", "holds"), [(1, "first", True), (2, " second ", True), (3, "", True),
                                (1, "second", False), (3, "third", False)],
)  # fmt: skip
def test_a_line_of_a_file_is_the_one_that_is_asked_for(line, says, holds):
    data = SimpleNamespace(texts={"paper.tex": "first\n  second\n"})
    answer = source.source_line({"file": "paper.tex", "line": line, "says": says}, NOTHING, data)
    assert answer.holds is holds and (answer.witness is None) is holds
    text = {"values": {"text": "first"}}
    elsewhere = {"file": "other.tex", "line": line, "says": "first"}
    assert source.source_line(elsewhere, text, data).holds


def test_more_axioms_than_three_are_refused():
    asked = {"log": "absent.log", "theorem": "other", "says": "True"}
    stated = {"values": {"statement": "True", "axioms": ["propext"] * 4}}
    with pytest.raises(Refused, match="axioms: expected a list of 0 to 3 entries"):
        lean.theorem(asked, stated, SimpleNamespace(texts={}))
