"""The graph of the pinned theorems: who rests on whom, and on which page a theorem is."""

import re

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
