"""The graph of the pinned theorems: who rests on whom, and on which page a theorem is."""

import json
import re

import pytest

from verify.coq import graph
from verify.coq.pins import Pin

GLOBS = """DIGEST 0
FAssay.One
R10:12 Coq.Init.Logic <> eq ind
prf 20:25 <> lemma
R30:33 Assay.Zero <> first thm
prf 40:45 <> theorem
R50:53 Assay.One <> lemma thm
R60:63 Assay.Zero Section.x second thm
"""


def test_a_name_uses_what_stands_between_it_and_the_next_one():
    assert graph.uses_in("One", GLOBS) == {
        "One.lemma": {"Zero.first"},
        "One.theorem": {"One.lemma", "Zero.second"},
    }


def test_what_a_file_only_asks_about_is_used_by_no_theorem_of_it():
    source = b"Theorem t : P. Proof. exact A.a. Qed.\nCheck\n  B.b.\nPrint C.c. Theorem u : Q.\n"
    places = {name: source.index(name.encode()) for name in ("t :", "A.a", "B.b", "C.c", "u :")}
    globs = "".join(
        f"prf {place}:{place} <> {name[0]}\n"
        if name.endswith(":")
        else f"R{place}:{place} Assay.{name[0]} <> {name[2]} thm\n"
        for name, place in places.items()
    )
    assert graph.uses_in("One", globs, source) == {"One.t": {"A.a"}, "One.u": set()}
    assert graph.uses_in("One", globs)["One.t"] == {"A.a", "B.b", "C.c"}


def test_the_drawing_links_a_theorem_to_its_page():
    drawn = graph.dot({"Main.theorem1": {"NoPads.no_pads"}, "NoPads.no_pads": set()})
    assert '"Main.theorem1" -> "NoPads.no_pads";' in drawn
    assert 'URL="Assay.Main.html#theorem1"' in drawn


USES = {
    "Main.theorem1": {"NoPads.no_pads"},
    "NoPads.no_pads": {"Sums.sum_ext"},
    "Sums.sum_ext": set(),
}


def page_of(uses):
    """The page of theorems that all say a < b."""
    axioms = ("Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",)
    return graph.listing(uses, {name: Pin("a < b", axioms, "") for name in uses})


def entry(page, name):
    """What the page says below a theorem's name."""
    return page.partition(f'<dt id="{name}">')[2].partition("</dd>")[0]


def test_the_page_links_a_theorem_to_what_it_rests_on_and_to_what_rests_on_it():
    page = page_of(USES)
    assert 'href="Assay.NoPads.html#no_pads"' in entry(page, "NoPads.no_pads")
    assert 'rests on <a href="#Sums.sum_ext">' in entry(page, "NoPads.no_pads")
    assert 'used by <a href="#Main.theorem1">' in entry(page, "NoPads.no_pads")
    assert "rests on no other pinned theorem" in entry(page, "Sums.sum_ext")
    assert "used by" not in entry(page, "Main.theorem1")


def test_every_link_of_the_page_to_itself_has_a_place_and_statements_are_escaped():
    page = page_of(USES)
    assert set(re.findall(r'href="#([^"]+)"', page)) == set(re.findall(r'<dt id="([^"]+)"', page))
    assert page.count("<pre>a &lt; b</pre>") == len(USES)


def test_the_theorems_that_one_would_cite_are_drawn_with_what_they_rest_on_directly():
    drawn = page_of(USES).partition("<svg")[2].partition("</svg>")[0]
    assert re.findall(r"<title>([^<]+)</title>", drawn) == ["NoPads.no_pads", "Main.theorem1"]
    assert drawn.count("<path") == 1


@pytest.mark.coq
def test_pages_and_the_graph_are_written_for_a_small_development(tmp_path, monkeypatch, capsys):
    for name, text in {
        "_CoqProject": "One.v\nMain.v\n",
        "One.v": "Lemma small : 1 = 1. Proof. reflexivity. Qed.\n",
        "Main.v": "From Assay Require Import One.\nTheorem cited : 1 = 1. Proof. exact small. Qed.\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    stated = {"Main.cited": Pin("1 = 1", (), ""), "One.small": Pin("1 = 1", (), "")}
    monkeypatch.setattr(graph, "COQ", tmp_path)
    monkeypatch.setattr(graph, "files", lambda: ("One.v", "Main.v"))
    monkeypatch.setattr(graph, "pins", lambda: stated)
    folder = tmp_path / "new" / "pages"
    assert graph.main([str(folder)]) == 0
    assert capsys.readouterr().out == f"2 pages, 2 theorems, 1 uses in {folder}\n"
    assert json.loads((folder / "theorems.json").read_text("utf-8")) == {
        "Main.cited": {"page": "Assay.Main.html#cited", "uses": ["One.small"]},
        "One.small": {"page": "Assay.One.html#small", "uses": []},
    }
    assert '"Main.cited" -> "One.small";' in (folder / "theorems.dot").read_text("utf-8")
    assert "Main.cited" in (folder / "theorems.html").read_text("utf-8")
    assert 'id="cited"' in (folder / "Assay.Main.html").read_text("utf-8").replace("name=", "id=")
    (tmp_path / "One.v").write_text("Lemma small : 1 = 2. Proof. reflexivity. Qed.\n")
    assert graph.main([str(folder)]) == 1
    assert capsys.readouterr().out.startswith("refused: One.v: File")


def test_a_declaration_begins_what_it_uses_and_a_question_ends_before_what_follows():
    """Places count bytes: a question has its first byte and not the one behind its point."""
    source = b"Check A.a. B.b"
    notes = "prf 0:1 <> t\nR{}:1 Assay.A <> a thm\n"
    for place, used in ((1, set()), (9, set()), (10, {"A.a"}), (11, {"A.a"})):
        assert graph.uses_in("One", notes.format(place), source) == {"One.t": used}
    assert graph.uses_in("One", "prf 5:6 <> t\nR4:5 Assay.A <> a thm\n") == {"One.t": set()}
