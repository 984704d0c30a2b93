"""The graph of the pinned theorems: who rests on whom, and on which page a theorem is."""

import json
import re
import subprocess

import pytest

from verify.coq import graph
from verify.coq.pins import Pin
from verify.coq.sources import COQ, Refused

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


def test_a_theorem_rests_on_theorems_directly_or_by_lemmas_and_not_through_theorems():
    uses = {"A.a": {"B.lemma"}, "B.lemma": {"C.c", "B.lemma"}, "C.c": {"D.d"}, "D.d": set()}
    found = graph.theorem_graph(uses, ["A.a", "C.c", "D.d"])
    assert found == {"A.a": {"C.c"}, "C.c": {"D.d"}, "D.d": set()}


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


def test_without_coqc_the_package_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(graph, "missing", lambda: "coqc is not installed")
    assert graph.main([str(tmp_path)]) == 2
    assert capsys.readouterr().out == "coqc is not installed\n"


@pytest.fixture
def coqc(monkeypatch):
    """A stand-in for coqc and coqdoc, which notes what it is asked and writes the notes of a file."""
    made = {"status": 0, "asked": []}

    def answer(command, cwd, **more):
        made["asked"].append((command, more))
        file = command[-1]
        (cwd / file.replace(".v", ".glob")).write_text(
            f"prf 5:9 <> {file[0]}\nR7:9 Assay.Sums <> s thm\n"
        )
        return subprocess.CompletedProcess(command, made["status"], "", "no\n " + "w" * 700)

    monkeypatch.setattr(graph, "files", lambda: ("Scan.v", "Gap.v"))
    monkeypatch.setattr(graph, "missing", lambda: "")
    monkeypatch.setattr(
        graph, "run", lambda arguments, folder, seconds: answer(arguments, folder, seconds=seconds)
    )
    monkeypatch.setattr(graph.subprocess, "run", answer)
    monkeypatch.setattr(graph.shutil, "which", lambda name: f"/bin/{name}")
    return made


def test_every_file_is_compiled_alone_with_its_notes(coqc, tmp_path):
    assert graph.compile_alone(tmp_path) == {"Scan.S": {"Sums.s"}, "Gap.G": {"Sums.s"}}
    options = ["-q", "-w", "none", "-Q", ".", "Assay"]
    assert coqc["asked"] == [
        ([*options, "Scan.v"], {"seconds": 600}),
        ([*options, "Gap.v"], {"seconds": 600}),
    ]
    assert (tmp_path / "Gap.v").read_bytes() == (COQ / "Gap.v").read_bytes()
    coqc["status"] = 1
    with pytest.raises(Refused) as refused:
        graph.compile_alone(tmp_path)
    assert str(refused.value) == "Scan.v: no " + "w" * 597


def test_pages_are_written_by_coqdoc_in_its_own_words(coqc, tmp_path, monkeypatch):
    graph.write_pages(tmp_path, tmp_path / "pages")
    ((command, options),) = coqc["asked"]
    assert command == [
        "/bin/coqdoc",
        "--html",
        "--utf8",
        "--no-lib-name",
        "-Q",
        ".",
        "Assay",
        "-d",
        str((tmp_path / "pages").resolve()),
        "Scan.v",
        "Gap.v",
    ]
    assert options == {"capture_output": True, "text": True, "check": False}
    coqc["status"] = 1
    with pytest.raises(Refused) as refused:
        graph.write_pages(tmp_path, tmp_path)
    assert str(refused.value) == "coqdoc: no " + "w" * 597
    monkeypatch.setattr(graph.shutil, "which", lambda name: None)
    with pytest.raises(Refused, match="coqdoc is not installed"):
        graph.write_pages(tmp_path, tmp_path)


def test_the_command_writes_pages_and_the_graph_in_three_forms(coqc, tmp_path, monkeypatch, capsys):
    stated = {"Main.b": Pin("a < b", (), ""), "Main.a": Pin("a < b", (), "")}
    monkeypatch.setattr(graph, "pins", lambda: stated)
    monkeypatch.setattr(graph, "compile_alone", lambda build: {"Main.b": {"Main.a", "Main.c"}})
    folder = tmp_path / "new" / "pages"
    for _ in range(2):
        assert graph.main([str(folder)]) == 0
        assert capsys.readouterr().out == f"2 pages, 2 theorems, 1 uses in {folder}\n"
    data = {
        "Main.a": {"page": "Assay.Main.html#a", "uses": []},
        "Main.b": {"page": "Assay.Main.html#b", "uses": ["Main.a"]},
    }
    written = (folder / "theorems.json").read_text("utf-8")
    assert written == json.dumps(data, indent=1) + "\n" and list(json.loads(written)) == list(data)
    assert (folder / "theorems.dot").read_text("utf-8") == (
        "digraph theorems {\n  rankdir=LR;\n"
        '  "Main.b" [URL="Assay.Main.html#b"];\n  "Main.a" [URL="Assay.Main.html#a"];\n'
        '  "Main.b" -> "Main.a";\n}\n'
    )
    assert "Main.a" in (folder / "theorems.html").read_text("utf-8")
    coqc["status"] = 1
    assert graph.main([str(folder)]) == 1
    assert capsys.readouterr().out.startswith("refused: coqdoc: no w")


def test_a_declaration_begins_what_it_uses_and_a_question_ends_before_what_follows():
    """Places count bytes: a question has its first byte and not the one behind its point."""
    source = b"Check A.a. B.b"
    notes = "prf 0:1 <> t\nR{}:1 Assay.A <> a thm\n"
    for place, used in ((1, set()), (9, set()), (10, {"A.a"}), (11, {"A.a"})):
        assert graph.uses_in("One", notes.format(place), source) == {"One.t": used}
    assert graph.uses_in("One", "prf 5:6 <> t\nR4:5 Assay.A <> a thm\n") == {"One.t": set()}
