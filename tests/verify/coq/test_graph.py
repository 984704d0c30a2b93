"""The graph of the pinned theorems: who rests on whom, and on which page a theorem is."""

from verify.coq import graph

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


def test_a_theorem_rests_on_theorems_directly_or_by_lemmas_and_not_through_theorems():
    uses = {"A.a": {"B.lemma"}, "B.lemma": {"C.c", "B.lemma"}, "C.c": {"D.d"}, "D.d": set()}
    found = graph.theorem_graph(uses, ["A.a", "C.c", "D.d"])
    assert found == {"A.a": {"C.c"}, "C.c": {"D.d"}, "D.d": set()}


def test_the_drawing_links_a_theorem_to_its_page():
    drawn = graph.dot({"Main.theorem1": {"NoPads.no_pads"}, "NoPads.no_pads": set()})
    assert '"Main.theorem1" -> "NoPads.no_pads";' in drawn
    assert 'URL="Assay.Main.html#theorem1"' in drawn


def test_without_coqc_the_package_is_named(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(graph, "missing", lambda: "coqc is not installed")
    assert graph.main([str(tmp_path)]) == 2
    assert capsys.readouterr().out == "coqc is not installed\n"
