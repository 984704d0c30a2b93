"""Kinds of evidence for any paper: each seen to hold, to fail with a witness, and to be refused."""

import pytest
from facts_support import certificate, refused, refuses, same

from verify.evidence import cells, lean, person, source
from verify.facts.registry import Inputs, find, registered
from verify.recheck.confirmations import confirmations
from verify.recheck.data import Data
from verify.recheck.shared import lean as second

FOLLOWS = {
    "sum": (["1.5", "2.5", "3"], "7.0"),
    "mean": (["1.5", "2.5"], "2.0"),
    "difference": (["7.25", "3.25"], "4.0"),
    "product": (["3", "-2.0"], "-6.0"),
    "quotient": (["1", "3"], "0.333"),
    "percentage": (["43", "100"], "43.0"),
}


@pytest.mark.parametrize("operation", FOLLOWS)
def test_a_cell_follows_from_others_or_fails_with_the_numbers_that_are_possible(operation):
    parts, printed = FOLLOWS[operation]
    assert cells.follows(printed, operation, parts).holds
    wrong = cells.follows("999.9", operation, parts)
    assert wrong.holds is False and wrong.witness["printed"] == "999.9"


def test_rounding_is_part_of_what_is_printed():
    assert cells.follows("0.34", "sum", ["0.1", "0.2"]).holds  # 0.05 … 0.15 and 0.15 … 0.25
    assert cells.follows("0.4", "sum", ["0.10", "0.20"]).holds is False
    assert cells.follows("3", "sum", ["1", "2"]).holds
    assert cells.follows("4", "sum", ["1", "2"]).holds is False


@pytest.mark.parametrize(
    ("printed", "count", "percentage", "holds"),
    [("58.3", 12, True, True), ("58.5", 12, True, False), ("2.33", 3, False, True),
     ("2.34", 3, False, False), ("0.0", 7, True, True), ("100.0", 7, True, True)],
)  # fmt: skip
def test_a_share_of_whole_cases_is_possible_or_not(printed, count, percentage, holds):
    outcome = cells.possible(printed, count, percentage)
    assert outcome.holds is holds and bool(outcome.witness) is not holds


def test_the_possible_numbers_have_one_place_more_than_is_printed():
    """As 32081/640 percent was shown before."""
    witness = cells.follows("50.5", "percentage", ["320.81", "640"]).witness
    assert (witness["least"], witness["most"]) == ("50.13", "50.13")
    assert cells.follows("1.5", "difference", ["1", "3"]).witness["least"] == "-2.00"


def test_the_nearest_shares_are_named():
    witness = cells.possible("58.5", 12, True).witness
    assert (witness["below"], witness["above"]) == ("7 (58.33)", "8 (66.67)")


@pytest.mark.parametrize("operation", ["quotient", "percentage"])
@pytest.mark.parametrize("by", ["0", "0.0", "-0.0", "0.00"])
def test_a_quotient_by_what_may_be_zero_is_refused(operation, by):
    asked = {"printed": "1", "operation": operation, "parts": ["1", by]}
    refuses("cell.follows", asked, "may be 0")
    with pytest.raises(ValueError, match="may be 0"):
        cells.follows(**asked)


def answers(**asked):
    """Both answers to whether a cell follows, which must be the same."""
    found = cells.follows(**asked)
    assert same(confirmations("")["cell.follows"][1](asked, {}), certificate(found))
    return found


@pytest.mark.parametrize(
    ("printed", "operation", "parts", "holds"),
    [
        # 0.05 … 0.15 touches 0.15 … 0.25 and -0.05 … 0.05
        ("0.2", "sum", ["0.1"], True), ("0.0", "sum", ["0.1"], True),
        ("0.3", "sum", ["0.1"], False), ("-0.1", "sum", ["0.1"], False),
        # a quotient by 1, by -1 and by what is near to 0
        ("5", "quotient", ["5", "1"], True), ("-5", "quotient", ["5", "-1"], True),
        ("20", "quotient", ["1", "0.1"], True), ("-20", "quotient", ["1", "-0.1"], True),
        ("21", "quotient", ["1", "0.1"], False), ("6", "quotient", ["1", "0.1"], False),
    ],
)  # fmt: skip
def test_a_cell_follows_up_to_the_ends_of_what_is_possible(printed, operation, parts, holds):
    assert answers(printed=printed, operation=operation, parts=parts).holds is holds


@pytest.mark.parametrize(
    ("operation", "parts", "least", "most"),
    [
        ("sum", ["1.0", "-2.0", "3"], "1.900000", "2.100000"),
        ("mean", ["1.0", "-2.0", "4"], "0.966667", "1.033333"),
        ("difference", ["1.0", "2.00"], "-1.055000", "-0.945000"),
        ("product", ["-1.0", "2", "3.0"], "-6.405000", "-5.605000"),
        ("product", ["0.0", "3"], "-0.150000", "0.150000"),
        ("quotient", ["-1.0", "2.0"], "-0.538462", "-0.463415"),
        ("percentage", ["1.0", "2"], "47.500000", "52.500000"),
    ],
)
def test_what_is_possible_lies_between_the_ends_that_one_computes(operation, parts, least, most):
    values = answers(printed="99.00000", operation=operation, parts=parts).values
    assert (values["least"], values["most"]) == (least, most)


def test_shares_below_zero_and_of_no_case_are_written_with_their_sign():
    values = cells.possible("-0.5", 3, False).values
    assert (values["below"], values["above"]) == ("-2 (-0.67)", "-1 (-0.33)")
    values = cells.possible("-0.1", 5, False).values
    assert (values["below"], values["above"]) == ("-1 (-0.20)", "0 (0.00)")


@pytest.mark.parametrize(
    ("printed", "cases", "percentage", "below", "above", "holds"),
    [
        ("111111111111", 3, False, "333333333333 (111111111111.0)", "333333333334 (111111111111.3)", True),
        ("12.5", 8, True, "1 (12.50)", "2 (25.00)", True),
        ("0.0", 7, True, "0 (0.00)", "1 (14.29)", True),
        ("0.1", 4, False, "0 (0.00)", "1 (0.25)", False),
        # 0.15 … 0.25 and 0.25 … 0.35 touch a fourth
        ("0.2", 4, False, "0 (0.00)", "1 (0.25)", True),
        ("0.3", 4, False, "1 (0.25)", "2 (0.50)", True),
    ],
)  # fmt: skip
def test_the_two_nearest_shares_of_a_cell(printed, cases, percentage, below, above, holds):
    asked = {"printed": printed, "cases": cases, "percentage": percentage}
    found = cells.possible(**asked)
    assert (found.values["below"], found.values["above"], found.holds) == (below, above, holds)
    assert same(confirmations("")["cell.possible"][1](asked, {}), certificate(found))


def test_a_signature_needs_a_name_a_date_and_what_was_read():
    for wrong in ({"who": " "}, {"what": ""}, {"when": "yesterday"}):
        parameters = {"who": "A", "when": "2026-01-01", "what": "it", **wrong}
        with pytest.raises(ValueError, match=r".+"):
            person.reads(**parameters)
        assert refused("person.reads", parameters, values=parameters)


# Lean: what a log says

LOG = """info: Sums.lean:9:0: @Sums.cubes : ∀ (n : ℕ),
  Sums.sum (fun k ↦ k ^ 3) n = Sums.sum (fun k ↦ k) n ^ 2
info: Sums.lean:10:0: 'Sums.cubes' depends on axioms: [propext,
 Classical.choice,
 Quot.sound]
@Sums.odd : ∀ (n : ℕ), Sums.odd n = n ^ 2
'Sums.odd' does not depend on any axioms
@Sums.hole : ∀ (n : ℕ), n = n + 1
'Sums.hole' depends on axioms: [sorryAx]
"""
SAYS = {
    "Sums.cubes": "∀ (n : ℕ), Sums.sum (fun k ↦ k ^ 3) n = Sums.sum (fun k ↦ k) n ^ 2",
    "Sums.odd": "∀ (n : ℕ), Sums.odd n = n ^ 2",
    "Sums.hole": "∀ (n : ℕ), n = n + 1",
}
DATA = Data({}, {}, {}, {}, [], texts={"lean.log": LOG})


@pytest.fixture
def given(tmp_path):
    (tmp_path / "lean.log").write_text(LOG, "utf-8")
    (tmp_path / "script.py").write_text("x = 1\n  y = 2\n", "utf-8")
    return Inputs(folder=tmp_path)


def asked(name, **changed):
    return {"log": "lean.log", "theorem": name, "says": SAYS[name], **changed}


@pytest.mark.parametrize("name", ["Sums.cubes", "Sums.odd"])
def test_a_theorem_of_a_log_holds_with_its_statement_and_leans_axioms(given, name):
    outcome = lean.theorem(given, **asked(name))
    assert outcome.holds and outcome.values["statement"] == SAYS[name]
    confirm = confirmations("")["lean.theorem"][1]
    stated = certificate(outcome)
    assert same(confirm(asked(name), stated, DATA), stated)
    assert same(confirm(asked(name), stated, Data({}, {}, {}, {}, [])), stated)


def test_a_hole_another_statement_and_a_theorem_that_is_not_there_are_no_proofs(given):
    assert lean.theorem(given, **asked("Sums.hole")).witness["axioms"] == ["sorryAx"]
    assert lean.theorem(given, **asked("Sums.odd", says="P = NP")).holds is False
    assert (
        "says nothing of Sums.nothing" in lean.theorem(given, "lean.log", "Sums.nothing", "x").crash
    )


def test_both_readings_of_a_log_are_the_same():
    for name in SAYS:
        assert second.statement_of(LOG, name) == lean.statement(LOG, name)
        assert second.axioms_of(LOG, name) == lean.axioms(LOG, name)


def test_a_certificate_against_the_log_is_refused(given):
    confirm = confirmations("")["lean.theorem"][1]
    stated = certificate(lean.theorem(given, **asked("Sums.odd")))
    for forged in (
        {"statement": "P = NP", "axioms": []},
        {"statement": SAYS["Sums.odd"], "axioms": ["X"]},
    ):
        assert not same(confirm(asked("Sums.odd"), {**stated, "values": forged}, DATA),
                        {**stated, "values": forged})  # fmt: skip
    hole = {
        "holds": True,
        "values": {"statement": SAYS["Sums.hole"], "axioms": []},
        "witness": None,
    }
    assert not same(confirm(asked("Sums.hole"), hole, DATA), hole)


# Lines of files


def test_a_line_of_a_file_says_what_is_quoted_or_something_else(given):
    assert source.line(given, "script.py", 2, "y = 2").holds
    other = source.line(given, "script.py", 1, "y = 2")
    assert other.holds is False and other.witness["text"] == "x = 1"
    for outside in (0, 3, 9):
        assert source.line(given, "script.py", outside, "y = 2").witness["text"] == ""


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "nothing.py"])
def test_a_file_outside_of_the_folder_is_not_read(given, name):
    (given.folder.parent / "secret").write_text("y = 2")
    known = registered("")["source.line"]
    (outcome,) = find(known, [{"file": name, "line": 1, "says": "y = 2"}], given)
    assert "is no file of the paper's folder" in outcome.crash


def test_a_quoted_line_that_is_carried_along_is_compared():
    confirm = confirmations("")["source.line"][1]
    asked_ = {"file": "lean.log", "line": 6, "says": LOG.splitlines()[5]}
    true = {"holds": True, "values": {"file": "lean.log", "line": 6, "text": LOG.splitlines()[5]},
            "witness": None}  # fmt: skip
    assert same(confirm(asked_, true, DATA), true)
    forged = {**asked_, "says": "invented"}
    stated = {**true, "values": {**true["values"], "text": "invented"}}
    assert not same(confirm(forged, stated, DATA), stated)
