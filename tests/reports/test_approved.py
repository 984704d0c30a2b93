"""Approved outputs of the report and of the erratum."""

from pathlib import Path

from approved_support import agree_with_approved
from reports_support import made

from reports import render_all
from reports.erratum import erratum
from reports.theorems import TheoremEntry, page
from reports.view import view

APPROVED = Path(__file__).with_suffix(".json")


def test_the_report_is_as_approved():
    agree_with_approved(
        APPROVED, "report.md", render_all(*made())["report.md"].decode().splitlines()
    )


def test_an_erratum_with_findings_of_each_grade_is_as_approved():
    """Two of the findings are corrected by the folder's own text; one theorem was not compiled."""
    record, certificates = made()
    (first,) = record["findings"]
    touched = [
        ("slip", ["thm2"]),
        ("gap", ["thm1"]),
        ("slip", ["history"]),
        ("material", ["thm1", "eq1"]),
    ]
    record["findings"] += [
        {
            **first,
            "id": f"{grade}{k}",
            "grade": grade,
            "title": f"The {grade} {k}",
            "touches": touches,
        }
        for k, (grade, touches) in enumerate(touched)
    ]
    record["erratum"] = r"""\section{Ours}\corrects{norms} It is \machinechecked{Main.two},
    and \machinechecked{Main.one}.\corrects{ slip0 }"""
    proof = {**certificates["certificates"][0], "key": "k", "fact": "coq.theorem", "holds": True,
             "parameters": {"theorem": "Main.two"}}  # fmt: skip
    other = {**proof, "key": "l", "holds": None, "parameters": {"theorem": "Main.one"}}
    certificates["certificates"] += [proof, other]
    text = erratum(view(record, certificates)).decode()
    agree_with_approved(APPROVED, "erratum.tex", text.splitlines())


def test_a_page_of_theorems_is_as_approved():
    theorems = [
        TheoremEntry("Main.two", "Main.html#two", "a < b", (), ("Main.one", "Base.zero")),
        TheoremEntry("Main.one", "Main.html#one", "<b>", ("funext",), ("Base.zero",)),
        TheoremEntry("Base.zero", "Base.html#zero", "0 = 0", (), ()),
        TheoremEntry("Else.three", "Else.html", "c", (), ("Main.two",)),
    ]
    agree_with_approved(APPROVED, "theorems", page(theorems, "Main").splitlines())
