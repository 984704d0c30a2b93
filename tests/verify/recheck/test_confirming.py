"""What is counted as confirmed and what as taken on trust, certificate by certificate."""

from pathlib import Path

import pytest

from verify.recheck import program
from verify.recheck.confirmations import FOLDER_CODE, OURS
from verify.recheck.data import Data
from verify.recheck.errors import Recomputed, Refused
from verify.recheck.program import JudgedPaper, Report

NO_DATA = Data({}, {}, {}, {}, [])


def certificate(fact, **more):
    given = {"fact": fact, "method": "exact", "parameters": {"theorem": fact}, "holds": True}
    return {**given, "values": {"n": (1, 2)}, "witness": None, **more}


@pytest.fixture
def compiled(monkeypatch):
    """Facts a.a, b.b and coq.theorem; the second and the last are trusted. What Coq is asked."""
    asked = []
    known = {fact: ("exact", lambda *_: Recomputed(True, {"n": [1, 2]})) for fact in
             ("a.a", "b.b", "coq.theorem")}  # fmt: skip
    monkeypatch.setattr(program, "confirmations", lambda code: known)
    monkeypatch.setattr(
        program, "trust_reasons", lambda code: {"b.b": "luck", "coq.theorem": "Coq"}
    )
    monkeypatch.setattr(program, "compile_again", lambda *given: asked.append(given))
    return asked


def confirmed(*facts, coq=False, code=OURS, **more):
    report, about = Report(), JudgedPaper(NO_DATA, code, Path("proofs"))
    for fact in facts:
        stated = {**certificate(fact, **more), "values": {"n": [1, 2]}, **more}
        report.lines.append(program._confirm(f"{fact}-0", stated, about, report, coq))
    return report


def test_every_certificate_counts_once(compiled):
    report = confirmed("a.a", "a.a", "b.b", "b.b", "b.b", "coq.theorem")
    assert (report.confirmed, report.trust) == (2, {"luck": 3, "Coq": 1})
    assert report.lines[1:3] == ["confirmed: a.a-0", "taken on trust (luck): b.b-0"]
    assert compiled == [] and report.statements == 0
    assert report.summary() == (
        "2 facts confirmed, 0 statements judged again; 1 fact taken on trust (Coq); "
        "3 facts taken on trust (luck)"
    )


def test_coq_is_asked_where_it_may_be(compiled):
    report = confirmed("a.a", "b.b", "coq.theorem", "coq.theorem", coq=True)
    assert (report.confirmed, report.trust) == (3, {"luck": 1})
    assert compiled == [({"theorem": "coq.theorem"}, Path("proofs"))] * 2
    assert report.lines[-1] == "confirmed by Coq: coq.theorem-0"


def test_code_of_somebodys_folder_is_trusted_by_name_and_ours_is_not(compiled):
    report = confirmed("c.c", "c.c", code="")
    assert report.trust == {f"{FOLDER_CODE}: c.c": 2} and report.confirmed == 0
    assert report.lines == [f"taken on trust ({FOLDER_CODE}): c.c-0"] * 2
    with pytest.raises(Refused, match=r"c.c-0: no confirmation is known for 'c.c'"):
        confirmed("c.c")


@pytest.mark.parametrize(
    ("changed", "because"),
    [
        ({"method": "sampled"}, "a.a-0: method: stated 'sampled', found 'exact'"),
        ({"holds": False}, "a.a-0: holds: stated False, found True"),
        ({"values": {"n": [1, 3]}}, "a.a-0: values: n[1]: stated 3, found 2"),
        ({"witness": {}}, "a.a-0: witness: stated {}, found None"),
    ],
)
def test_another_answer_is_refused(compiled, changed, because):
    with pytest.raises(Refused) as reason:
        confirmed("a.a", **changed)
    assert str(reason.value) == because


def test_the_first_of_several_strangers_on_trust_is_named():
    with pytest.raises(Refused, match=r"^trust: 'y' is no fact of the record$"):
        program.check_trust({"trust": {"z": "", "y": "", "x": ""}}, {"x"}, OURS)
