"""The sources of the development: complete, without gaps, keyed by all that they depend on."""

import re

import pytest

from verify.coq import sources
from verify.coq.parsing import bare
from verify.coq.sources import COQ, Refused


def test_no_file_leaves_a_gap_or_adds_an_axiom():
    assert sources.faults(COQ, sources.files()) == []


def test_every_file_of_the_folder_is_listed():
    assert set(sources.files()) == {path.name for path in COQ.glob("*.v")}


def described() -> list[str]:
    """The files that the table of the README describes."""
    table = (COQ / "README.md").read_text("utf-8").partition("## The files")[2].partition("## ")[0]
    cells = re.findall(r"^\| (`[^|]*`) \| \S", table, re.MULTILINE)
    return [file for cell in cells for file in re.findall(r"`(\w+\.v)`", cell)]


def test_the_readme_describes_every_file_once():
    assert sorted(described()) == sorted(sources.files())


def test_every_theorem_that_the_readme_names_is_in_its_file():
    text = (COQ / "README.md").read_text("utf-8")
    named = {(f, t) for f, t in re.findall(r"`([A-Z]\w+)\.([a-z]\w*)\b", text) if t != "v"}
    assert len(named) > 25
    for file, theorem in named:
        source = bare(sources.text(COQ, f"{file}.v"))
        kinds = "Theorem|Corollary|Lemma|Definition|Inductive|Record"
        assert re.search(rf"\b(?:{kinds}) {theorem}\b", source), f"{file}.{theorem}"


def test_every_file_opens_with_a_title_and_its_main_definitions_or_theorems():
    for file in sources.files():
        opening = sources.text(COQ, file).split("*)")[0]
        assert opening.startswith("(** * ")
        assert "Main definition" in opening or "Main theorem" in opening, file


@pytest.mark.parametrize(
    ("gap", "word"),
    [
        ("Lemma gap : False. Admitted.", "Admitted"),
        ("Axiom gap : False.", "Axiom"),
        ("Unset Guard Checking.", "Unset Guard Checking"),
    ],
)
def test_a_gap_is_named_with_its_file(mutant, gap, word):
    folder = mutant(("Gap.v", "Open Scope R_scope.", f"Open Scope R_scope. {gap}"))
    assert sources.faults(folder, sources.files(folder)) == [f"Gap.v: holds the word {word}"]


@pytest.mark.parametrize("form", ["Require Import Classical.", "From Coq Require Export Reals."])
def test_a_requirement_in_another_form_is_named(mutant, form):
    folder = mutant(("Gap.v", "Open Scope R_scope.", f"{form} Open Scope R_scope."))
    (reason,) = sources.faults(folder, ["Gap.v"])
    assert reason.startswith("Gap.v: requires something in another form")


@pytest.mark.parametrize("name", ["Nat.v", "Classical.v"])
def test_a_name_that_the_library_has_is_refused(tmp_path, name):
    (tmp_path / name).write_text("Definition one := 1.\n", "utf-8")
    reason = f"{name}: a module of Coq's library has this name"
    assert sources.faults(tmp_path, [name], {"Classical"}) == [reason]


def test_a_file_is_built_on_what_it_requires_directly_or_not():
    graph = sources.closure(COQ, ["Theorem1.v"])
    own = {"Sums.v", "Gap.v", "Model.v", "Sizes.v", "Attention.v", "Theorem1.v"}
    assert set(graph) == own | {"Compat.v"}
    assert graph["Compat.v"] == ()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Refused, match=r"Absent\.v: no such file"):
        sources.closure(tmp_path, ["Absent.v"])


def test_a_changed_file_changes_the_keys_of_all_that_is_built_on_it_and_no_others(mutant):
    before = sources.keys(COQ, ["Theorem1.v", "Scan.v"], "8.16")
    folder = mutant(("Gap.v", "Open Scope R_scope.", "Open Scope R_scope. (* changed *)"))
    after = sources.keys(folder, ["Theorem1.v", "Scan.v"], "8.16")
    changed = {file for file in before if before[file] != after[file]}
    assert changed == {"Gap.v", "Attention.v", "Theorem1.v"}


def test_another_version_or_option_changes_every_key(mutant):
    before = sources.keys(COQ, ["Scan.v"], "8.16")
    assert sources.keys(COQ, ["Scan.v"], "8.17") != before
    folder = mutant(("_CoqProject", "-Q . Assay", "-Q . Assay -noinit"))
    assert sources.keys(folder, ["Scan.v"], "8.16") != before


# What Coq 8.17 and 8.20 deprecate, and later versions may lack.
DEPRECATED = "app_length|map_length|rev_length|seq_length|repeat_length|firstn_length|skipn_length"
DEPRECATED += "|prod_length|combine_length|concat_length|split_length_[lr]"


def test_lemmas_that_later_versions_of_coq_lack_come_from_one_file():
    for file in sources.files():
        says = bare(sources.text(COQ, file))
        assert not re.search(r"\bNat\.(mod_add|div_add_l|div_add|mod_mod|mod_same)\b", says), file
        named = re.search(rf"\b(?:{DEPRECATED}|mod_add|div_add_l)\b", says)
        if named and file != "Compat.v":
            assert "Compat.v" in sources.imports(COQ, file), f"{file}: {named[0]}"


def test_what_a_file_imports_by_name_it_requires_itself():
    """So that it compiles in a chapter of which only some files are needed."""
    own = {file.removesuffix(".v") for file in sources.files()}
    for file in sources.files():
        named = set(re.findall(r"(?<!Require )\bImport (\w+)\s*\(", bare(sources.text(COQ, file))))
        required = {other.removesuffix(".v") for other in sources.imports(COQ, file)}
        assert named & own <= required, file
