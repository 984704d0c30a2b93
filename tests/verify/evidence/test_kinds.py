"""Kinds of evidence for any paper: each seen to hold, to fail with a witness, and to be refused."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from facts_support import certificate, refused, refuses, same
from hypothesis import assume, given
from hypothesis import strategies as st

from verify.evidence import cells, lean, person, source
from verify.facts.registry import Inputs, find, registered
from verify.recheck.confirmations import confirmations
from verify.recheck.data import Data
from verify.recheck.shared import lean as second

MEANINGS = {
    "sum": sum,
    "mean": lambda parts: sum(parts) / len(parts),
    "difference": lambda parts: parts[0] - parts[1],
    "product": prod,
    "quotient": lambda parts: parts[0] / parts[1],
    "percentage": lambda parts: 100 * parts[0] / parts[1],
}
decimals = st.tuples(st.integers(-300, 300), st.integers(0, 2)).map(
    lambda drawn: decimal(Fraction(drawn[0], 10 ** drawn[1]), drawn[1])
)


def decimal(number, places):
    """A number as a table prints it."""
    return f"{Decimal(round(number * 10**places)).scaleb(-places):.{places}f}"


def half(text):
    """Half a unit of the last place; a number without a point is meant exactly."""
    places = len(text.partition(".")[2])
    return Fraction(1, 2 * 10**places) if places else Fraction(0)


def answers(name, **asked):
    """The fact's answer, which its confirmation comes to as well."""
    found = {"cell.follows": cells.follows, "cell.possible": cells.possible}[name](**asked)
    assert same(confirmations("")[name][1](asked, {}), certificate(found))
    assert bool(found.witness) is not found.holds
    return found


@given(st.sampled_from(sorted(MEANINGS)), st.lists(decimals, min_size=1, max_size=3), decimals,
       st.data())  # fmt: skip
def test_a_cell_follows_exactly_if_some_numbers_that_print_as_its_parts_give_it(
    operation, parts, printed, data
):
    """The extremes are at corners; a number between them prints as a cell that follows."""
    if operation in ("difference", "quotient", "percentage"):
        parts = [parts[0], parts[-1]]
        assume(operation == "difference" or abs(Fraction(parts[1])) > half(parts[1]))
    sides = st.lists(st.fractions(-1, 1), min_size=len(parts), max_size=len(parts))
    meant = [
        Fraction(part) + side * half(part)
        for part, side in zip(parts, data.draw(sides), strict=True)
    ]
    value = MEANINGS[operation](meant)
    assert answers(
        "cell.follows", printed=decimal(value, 2), operation=operation, parts=parts
    ).holds
    corners = [
        MEANINGS[operation](list(corner))
        for corner in product(*((Fraction(p) - half(p), Fraction(p) + half(p)) for p in parts))
    ]
    touches = (min(corners) <= Fraction(printed) + half(printed)
               and Fraction(printed) - half(printed) <= max(corners))  # fmt: skip
    found = answers("cell.follows", printed=printed, operation=operation, parts=parts)
    assert found.holds is touches
    unit = Fraction(1, 10 ** (len(printed.partition(".")[2]) + 1))
    for name, end in (("least", min(corners)), ("most", max(corners))):
        assert abs(Fraction(found.values[name]) - end) <= unit / 2


@given(decimals, st.integers(1, 12), st.booleans())
def test_a_share_is_possible_exactly_if_some_whole_number_of_cases_gives_it(
    printed, cases, percentage
):
    printed = printed.lstrip("-")
    scale, number = 100 if percentage else 1, Fraction(printed)
    found = answers("cell.possible", printed=printed, cases=cases, percentage=percentage)
    near = [count for count in range(301 * cases // scale + 1)
            if abs(Fraction(scale * count, cases) - number) <= half(printed)]  # fmt: skip
    assert found.holds is bool(near)
    below, above = (int(found.values[name].split()[0]) for name in ("below", "above"))
    assert above == below + 1 and below * scale <= number * cases < above * scale


@pytest.mark.parametrize("operation", ["quotient", "percentage"])
@pytest.mark.parametrize("by", ["0", "0.0", "-0.0", "0.00"])
def test_a_quotient_by_what_may_be_zero_is_refused(operation, by):
    asked = {"printed": "1", "operation": operation, "parts": ["1", by]}
    refuses("cell.follows", asked, "may be 0")
    with pytest.raises(ValueError, match="may be 0"):
        cells.follows(**asked)


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
