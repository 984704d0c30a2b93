"""The smaller renderings on inputs with every branch, as they were approved."""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import pytest
from approved_support import agree_with_approved
from reports_support import made

from reports import labels
from reports.badge import badge
from reports.citing import by_key, latex_text
from reports.erratum import erratum
from reports.graph import depths, draw
from reports.junit import junit
from reports.maps import _node, _reduced, maps
from reports.page_one import answers, permission_for
from reports.record_figures import draw_figures
from reports.theorems import TheoremEntry, page
from reports.view import view
from verify.judge.outcome import Outcome

APPROVED = Path(__file__).with_suffix(".json")
THEOREMS = [
    TheoremEntry("Main.two", "Main.html#two", "a < b", (), ("Main.one", "Base.zero")),
    TheoremEntry("Main.one", "Main.html#one", "<b>", ("funext",), ("Base.zero",)),
    TheoremEntry("Base.zero", "Base.html#zero", "0 = 0", (), ()),
    TheoremEntry("Else.three", "Else.html", "c", (), ("Main.two",)),
]


def test_a_page_of_theorems_is_as_approved():
    agree_with_approved(APPROVED, "theorems", page(THEOREMS, "Main").splitlines())


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("By [1].", r"By~\cite{p}."),
        ("[2, Thm. 2] and [1, 50 %]", r"\cite[Thm.~2]{c} and~\cite[50 \%]{p}"),
        ("Seen [3], [1]", r"Seen [3],~\cite{p}"),
        ("  x [2]y & z", r" x~\cite{c}y \& z"),
        ("", ""),
    ],
)
def test_labels_become_citations_and_all_else_is_escaped(text, cited):
    assert latex_text(text, by_key({"1": "p", "2": "c"})).replace("$", "") == cited


def graded():
    """The small record with a finding of each grade, two of them corrected by the folder's own text."""
    record, certificates = made()
    (first,) = record["findings"]
    more = [{**first, "id": f"{grade}{k}", "grade": grade, "title": f"The {grade} {k}", "touches": touches}
            for k, (grade, touches) in enumerate(
                [("slip", ["thm2"]), ("gap", ["thm1"]), ("slip", ["thm1"]), ("slip", ["history"]),
                 ("gap", ["eq1"]), ("material", ["thm1", "eq1"])])]  # fmt: skip
    record["findings"] += more
    record["erratum"] = r"""\section{Ours}\corrects{gap4, norms} It is \machinechecked{Main.two},
    and \machinechecked{Main.one}.\corrects{ slip0 }"""
    proof = {**certificates["certificates"][0], "key": "k", "fact": "coq.theorem", "holds": True,
             "parameters": {"theorem": "Main.two"}}  # fmt: skip
    other = {**proof, "key": "l", "holds": None, "parameters": {"theorem": "Main.one"}}
    certificates["certificates"] += [proof, other]
    return view(record, certificates)


def test_an_erratum_with_findings_of_each_grade_is_as_approved():
    agree_with_approved(APPROVED, "erratum", erratum(graded()).decode().splitlines())


def test_the_order_and_the_numbers_of_findings_are_as_approved():
    found = graded()
    summary = {
        "numbers": found.numbers,
        "grades": found.grades,
        "graded": {grade: [each["id"] for each in some] for grade, some in found.graded.items()},
        "counts": found.counts,
        "sections": {name: [each.id for each in some] for name, some in found.sections.items()},
        "answers": [[each.name, each.permission, each.shown, each.wrong, each.verdict]
                    for each in answers(found)],
        "values": [found.values(name) for name in ("section", "verdict")],
    }  # fmt: skip
    agree_with_approved(APPROVED, "view", summary)


def test_sections_come_in_the_order_of_a_paper():
    """The text, then the appendices, then what has no number; in a section by the lines of the source."""
    record, certificates = made()
    names = ["B.2", "abstract", "3.2", "C", "2", "3.2", "Conclusion", "B.1"]
    rows = [row for row in record["statements"] if not row["ours"]]
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        row["section"], row["places"] = name, [[20 - number, 30]]
    found = view(record, certificates).sections
    assert list(found) == ["2", "3.2", "B.1", "B.2", "C", "Conclusion", "abstract"]
    assert [each.id for each in found["3.2"]] == [rows[5]["id"], rows[2]["id"]]


def test_a_suite_with_a_broken_check_and_its_badge_are_as_approved():
    broken = view(*made(**{"f.coq": Outcome(False)}))
    agree_with_approved(APPROVED, "junit", junit(broken).decode().splitlines())
    agree_with_approved(
        APPROVED, "badge", badge(broken).decode().replace("><", ">\n<").splitlines()
    )


@pytest.mark.parametrize("standing", [*labels.VERDICTS, "else"])
def test_the_permission_to_cite_is_as_approved(standing):
    rows = [{"standing": standing, "ours": ours, "under": under, "conditions": more}
            for ours in (True, False) for under in ((), ("pads",)) for more in ((), ("n",))]  # fmt: skip
    agree_with_approved(
        APPROVED, f"permission: {standing}", [permission_for(row, "C") for row in rows]
    )


def test_words_for_places_counts_and_sentences():
    sections = ["3.2", "B.2", "B", "Abstract", "abstract", "", "Bx"]
    assert [labels.place(section) for section in sections] == [
        *("Section 3.2", "Appendix B.2", "Appendix B", "Abstract", "Abstract", "", "Bx")
    ]
    assert (labels.lines(4, 4), labels.lines(4, 6)) == ("line 4", "lines 4–6")
    assert [labels.count_of(k, "gap") for k in (0, 1, 2)] == ["0 gaps", "1 gap", "2 gaps"]
    assert labels.count_of(2, "leaf", "leaves") == "2 leaves"
    grades = ["slip", "material", "gap", "slip", "material"]
    assert labels.grade_counts(grades) == "2 material, 1 gap, 2 slips"
    phrases = ["a tree", "T is", "it holds", "x: y", "no way!", "why so?", "an. b", "2n is", "a"]
    assert [labels.as_sentence(text) for text in phrases] == [
        *("A tree.", "T is.", "It holds.", "x: y.", "No way!", "Why so?", "An. b.", "2n is.", "A.")
    ]
    value = {"a": [1, {"b": None}], "c": "d"}
    assert labels.value_text(value) == "a = 1, b = None, c = d"


def test_frames_and_bodies_of_drawings_are_as_approved():
    drawings = draw_figures(view(*made()))
    found = {name: [each.frame, each.body] for name, each in drawings.items()}
    agree_with_approved(APPROVED, "frames", found)
    for each in drawings.values():
        assert f'viewBox="{each.frame}"' in each.svg and f'id="{each.body}"' in each.svg


def random_graph(random):
    nodes = [chr(97 + k) for k in range(random.randint(1, 12))]
    pairs = [(a, b) for k, a in enumerate(nodes) for b in nodes[k + 1 :]]
    return nodes, [pair for pair in pairs if random.random() < 0.25]


def test_drawings_of_many_graphs_are_as_approved():
    found, random = [], Random(3)
    for _ in range(60):
        nodes, edges = random_graph(random)
        parts = [depths(nodes, edges), asdict(draw(nodes, edges)), _reduced(edges)]
        found.append(hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12])
    agree_with_approved(APPROVED, "graphs", found)


def test_a_long_name_is_cut_on_the_map_and_a_map_is_said_in_a_sentence():
    found = view(*made())
    (overview,) = maps(found)
    assert overview.alt == (
        "Numbered statements: 4 boxes and 2 arrows, each arrow to what rests on it."
    )
    each = found.statements[0]
    labels = [
        _node(replace(each, data={**each.data, "numbered": "x" * k})).label for k in range(10, 40)
    ]
    cut = [label for label in labels if label.endswith("…")]
    assert len(cut) > 5 and {len(label) for label in cut} == {max(map(len, labels))}
    agree_with_approved(APPROVED, "longest label", max(map(len, labels)))
