"""Facts that any paper may name: printed cells, theorems of Lean, signatures and lines of files."""

from types import SimpleNamespace

import pytest

from verify.recheck.errors import Refused
from verify.recheck.shared import lean, source

NOTHING = {"values": {}, "witness": None}


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
    assert lean.statement_of(LOG, "other") == "True"
    with pytest.raises(Refused, match="0 things of 'absent'"):
        lean.statement_of(LOG, "absent")
    assert lean.axioms_of(LOG, "square_nonneg") == ["Quot.sound", "propext"]
    assert lean.axioms_of(LOG, "other") == []
    for log in (LOG, LOG.replace("depends on", "rests on")):
        with pytest.raises(Refused, match="the log says 0 things of"):
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
