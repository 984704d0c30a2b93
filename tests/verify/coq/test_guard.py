"""Attacks on the guard, on a small development: each is refused by the command that `recheck --coq` runs.

The attacks of the first two lists were accepted by an earlier guard, which compiled several files in one
library, pinned no examples, and believed the kind that a pin gives.
"""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from verify.coq import build, pins, sources
from verify.coq import compile as check
from verify.coq.sources import Refused
from verify.recheck.errors import Refused as NotConfirmed
from verify.recheck.shared import coq as recheck

pytestmark = pytest.mark.coq
SOURCES = {
    "_CoqProject": "-Q . Assay\n\n# Model: all\nModel.v\n\n# Main: cited\nMain.v\n\n"
    "# Instances: applied\nInstances.v\n",
    "Model.v": """From Coq Require Import Arith Lia.
Definition large (n m : nat) : Prop := n < m.
Inductive colour := Red | Blue.
Definition other (c : colour) : colour := match c with Red => Blue | Blue => Red end.
Lemma hidden : 1 < 2. Proof. lia. Qed.
""",
    "Main.v": """From Coq Require Import Arith Lia.
From Assay Require Import Model.
Theorem cited (n : nat) : exists m, large n m. Proof. exists (S n). unfold large. lia. Qed.
Theorem twice (c : colour) : large 0 1 <-> other (other c) = c.
Proof. unfold large. destruct c; simpl; split; auto. Qed.
""",
    "Instances.v": """From Coq Require Import Arith Lia.
From Assay Require Import Model Main.
Example used : exists m, 100 < m. Proof. exact (cited 100). Qed.
Example back : other (other Red) = Red. Proof. apply (twice Red). unfold large. lia. Qed.
""",
}
THEOREMS = ["Main.cited", "Main.twice"]


def slow(*names):
    """Cases of a kind that a quicker case shows too."""
    return [pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.fixture(scope="module")
def pinned(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("development")
    for name, text in SOURCES.items():
        (folder / name).write_text(text, "utf-8")
    check.pin(THEOREMS, folder)
    return folder


@pytest.fixture
def folder(pinned, tmp_path) -> Path:
    """A copy of the development with its pins."""
    return Path(shutil.copytree(pinned, tmp_path / "copy"))


def edit(folder, file, old, new):
    source = (folder / file).read_text("utf-8")
    assert source.count(old) == 1
    (folder / file).write_text(source.replace(old, new), "utf-8")


def pin_with(folder, name, table=None, **changes):
    """Change a pin and recompute the digests of all theorems, as an attacker would."""
    table = table or pins.meanings(folder)
    recorded = pins.pins(folder)
    if changes:
        recorded[name] = replace(recorded[name], **changes)
    own = [file.removesuffix(".v") for file in sources.files(folder)]
    for theorem, entry in recorded.items():
        digest = pins.meaning_digest(theorem, table, own)
        recorded[theorem] = replace(entry, definitions=digest)
    pins.write_pins(recorded, table, folder)


def confirm(folder, theorem="Main.cited"):
    """Check a theorem as `recheck --coq` does."""
    recheck._all_are_established.cache_clear()
    recheck._fault_of_examples.cache_clear()
    recheck.compile_again({"theorem": theorem}, folder)


def refused(folder, reason, theorem="Main.cited"):
    with pytest.raises(NotConfirmed, match=reason):
        confirm(folder, theorem)


def test_the_development_is_confirmed_as_it_is(folder):
    confirm(folder)
    assert set(pins.examples(folder)) == {"Instances.used", "Instances.back"}


@pytest.mark.slow
def test_the_whole_development_is_established(capsys):
    assert check.main([]) == 0
    printed = capsys.readouterr().out
    assert all(f"{name}: " in printed for name in pins.pins())


# A file changes what a pinned statement means


def hollow(folder):
    edit(folder, "Model.v", ": Prop := n < m.", ": Prop := True.")
    edit(folder, "Main.v", "exists (S n). unfold large. lia.", "exists 0. exact I.")
    edit(folder, "Main.v", "simpl; split; auto.", "simpl; split; intros; try exact I; reflexivity.")
    edit(folder, "Instances.v", "exact (cited 100).", "exists 101. lia.")
    edit(folder, "Instances.v", "apply (twice Red). unfold large. lia.", "reflexivity.")


def test_a_definition_that_became_true_is_refused(folder):
    hollow(folder)
    refused(folder, r"Model\.large does not mean what is pinned")


@pytest.mark.parametrize("kind", ["opaque", *slow("constructor", "theorem", "remark")])
def test_a_definition_cannot_be_pinned_without_its_body(folder, kind):
    hollow(folder)
    table = pins.meanings(folder)
    table["Model.large"] = pins.Meaning(kind, table["Model.large"].type)
    pin_with(folder, None, table)
    refused(folder, r"Model\.large does not mean what is pinned")


def test_a_definition_that_became_opaque_cannot_be_pinned(folder):
    edit(folder, "Model.v", ": Prop := n < m.", ": Prop. Proof. exact (n < m). Qed.")
    for file, theorem in (("Main.v", "exists (S n)."), ("Main.v", "unfold large. destruct c;")):
        edit(folder, file, theorem, f"{theorem} ")
    (folder / "Main.v").write_text(
        "From Assay Require Import Model.\n"
        "Theorem cited (n m : nat) : large n m -> large n m. Proof. auto. Qed.\n"
        "Theorem twice (c : colour) : large 0 1 -> large 0 1. Proof. auto. Qed.\n"
    )
    (folder / "Instances.v").write_text("Example used : True. Proof. exact I. Qed.\n")
    check.pin([], folder)
    refused(folder, r"Model\.large does not mean what is pinned")


SHADOWED = """Definition iff (A B : Prop) : Prop := True.
Notation "A <-> B" := (iff A B) : type_scope."""


def test_a_shadowed_constant_of_the_prelude_is_another_one(folder):
    """The file closed the module around it and defined `iff` for all that came later."""
    text = (folder / "Model.v").read_text("utf-8")
    escape = f"Succeed Section Model. End Model. {SHADOWED} Section Model. Succeed End Model.\n"
    (folder / "Model.v").write_text(f"{text}{escape}", "utf-8")
    edit(folder, "Main.v", "unfold large. destruct c; simpl; split; auto.", "exact I.")
    edit(folder, "Instances.v", "apply (twice Red). unfold large. lia.", "reflexivity.")
    refused(folder, "the command 'Succeed Section Model' is not allowed", "Main.twice")
    (folder / "Model.v").write_text(f"{text}{SHADOWED}\n", "utf-8")
    refused(folder, r"Main\.twice does not mean what is pinned", "Main.twice")


def test_names_that_are_not_ascii_are_refused(folder):
    edit(folder, "Model.v", "Inductive colour", "Definition λ := large. Inductive colour")
    refused(folder, r"Model\.v: the character 'λ' is not ASCII")


def test_a_file_that_is_not_listed_is_refused(folder):
    (folder / "Hidden.v").write_text("Definition large (n m : nat) : Prop := True.\n", "utf-8")
    edit(folder, "Main.v", "Import Model.", "Import Model Hidden.")
    refused(folder, r"Hidden\.v: not listed in")


# A theorem that says less, or nothing


@pytest.mark.parametrize("least", [True, *slow(False)])
def test_a_hypothesis_that_was_pinned_again_is_refused_by_an_example(folder, least):
    """A false hypothesis, and one that only small numbers meet."""
    hypothesis = "n <= 64" if least else "n < n"
    edit(folder, "Main.v", "(n : nat) : exists", f"(n : nat) : {hypothesis} -> exists")
    edit(folder, "Main.v", "exists (S n).", "intros _. exists (S n).")
    examples = (folder / "examples.json").read_bytes() if least else b"{}"
    text = (folder / "Instances.v").read_text("utf-8")
    (folder / "Instances.v").write_text("Definition nothing := 0.\n", "utf-8")
    check.pin([], folder)
    (folder / "Instances.v").write_text(text, "utf-8")
    (folder / "examples.json").write_bytes(examples)
    refused(folder, r"Instances\.v: File" if least else r"Instances\.\w+ is not pinned")


@pytest.mark.parametrize("change", ["weaker", *slow("gone")])
def test_an_example_is_pinned(folder, change):
    old = "exists m, 100 < m. Proof. exact (cited 100). Qed."
    if change == "gone":
        edit(folder, "Instances.v", f"Example used : {old}", "")
        refused(
            folder, r"Instances\.used is pinned in examples\.json, but no such example is there"
        )
    else:
        edit(folder, "Instances.v", old, "True. Proof. exact I. Qed.")
        refused(folder, r"Instances\.used is not the pinned statement: it now reads 'True'")


def test_a_theorem_of_main_cannot_be_left_out_of_the_pins(folder):
    """Its entries are deleted from both files."""
    for file in (pins.STATEMENTS, pins.DEFINITIONS):
        data = json.loads((folder / file).read_text("utf-8"))
        del data["Main.twice"]
        (folder / file).write_text(json.dumps(data), "utf-8")
    refused(folder, r"Main\.twice is not pinned")


def test_another_statement_or_another_axiom_is_refused(folder):
    edit(folder, "Main.v", "exists m, large n m.", "True -> exists m, large n m.")
    edit(folder, "Main.v", "exists (S n).", "intros _. exists (S n).")
    refused(
        folder, r"Main\.cited is not the pinned statement: it now reads 'forall n : nat, True -> "
    )


def test_an_axiom_beyond_the_pin_is_named_with_its_theorem(folder):
    edit(folder, "Main.v", "Arith Lia.", "Arith Lia Classical.")
    edit(folder, "Main.v", "exists (S n).", "destruct (classic True). all: exists (S n).")
    edit(folder, "Main.v", "all: exists (S n). unfold large. lia.",
         "all: exists (S n); unfold large; lia.")  # fmt: skip
    refused(
        folder, r"^Coq does not confirm Main\.cited: Main\.cited assumes Classical_Prop\.classic$"
    )
    pin_with(folder, "Main.cited", assumptions=("Coq.Logic.Classical_Prop.classic",))
    refused(folder, "which is no axiom of the real numbers")


# A pin that is a command


@pytest.mark.parametrize("text", [
    "True. Admitted. Definition x : True", "True) := I. Check (I : True", "True (* ) *)", "True) := (I",
    'True. Redirect "planted" Print nat. Definition x : True',
])  # fmt: skip
def test_a_pinned_text_is_one_term(folder, text):
    pin_with(folder, "Main.cited", statement=text)
    refused(folder, r"statements\.json: Main\.cited: statement: .* is not a term")


# Commands that write files, load something, or leave a gap


@pytest.mark.parametrize(("command", "named"), [
    ('Print Universes "PLACE".', "Print Universes"),
    ('Proof. - { 1: { Print Universes "PLACE". } }', "Print Universes"),
    ('Redirect "PLACE" Print nat.', "Redirect"),
    ("Axiom gap : False.", "Axiom gap"), ("Lemma gap : False. Admitted.", "Admitted"),
    ("Unset Guard Checking.", "Unset Guard Checking"), ("#[bypass_check(guard)] Fixpoint f := f.", "#"),
    ("Require Import Classical.", "Require Import Classical"), ("Time End Model.", "Time End Model"),
    ("From Coq Require Export Reals.", "From Coq Require"), ("Declare ML Module \"x\".", "Declare ML"),
    ('Definition a := "(*". Axiom gap : False. Definition b := "*)".', "a string holds"),
    ('Notation "[(* x" := (S x) (at level 0). Definition one := [(* Axiom gap : False. *) ', "a string h"),
    ("(* open", "a comment does not end"), ('Definition a := "', "a string does not end"),
])  # fmt: skip
def test_a_command_that_is_not_allowed_is_refused_before_coq_reads_it(
    folder, tmp_path, command, named
):
    place = tmp_path / "written"
    text = (folder / "Model.v").read_text("utf-8")
    (folder / "Model.v").write_text(f"{text}{command.replace('PLACE', str(place))}\n", "utf-8")
    refused(folder, f"Model.v: .*{named}")
    assert not list(tmp_path.glob("written*"))


@pytest.mark.parametrize("name", ["Nat", "Classical", "Coq"])
def test_a_file_with_the_name_of_a_module_of_the_library_is_refused(folder, name):
    (folder / f"{name}.v").write_text("Definition one := 1.\n", "utf-8")
    edit(folder, "_CoqProject", "Model.v", f"Model.v\n{name}.v")
    edit(folder, "Main.v", "Import Model.", f"Import Model {name}.")
    refused(folder, f"{name}.v: a module of Coq's library has this name")


@pytest.mark.parametrize("word", ["../Model.v", "sub/Model.v", "_Types.v", "a-b.v"])
def test_files_are_in_the_folder(folder, word):
    edit(folder, "_CoqProject", "Model.v", word)
    with pytest.raises(Refused, match="must be the name of a file in the same folder"):
        sources.files(folder)


def test_an_axiom_that_only_has_the_name_of_one_of_the_library_is_refused(folder):
    """A section's variable is no axiom; outside of a section Coq makes one of it."""
    axiom = "Variable sig_not_dec : False.\n"
    (folder / "Own.v").write_text(axiom, "utf-8")
    edit(folder, "_CoqProject", "Model.v", "Own.v\nModel.v")
    edit(folder, "Main.v", "Import Model.", "Import Model Own.")
    edit(folder, "Main.v", "exists (S n). unfold large. lia.", "destruct Own.sig_not_dec.")
    refused(folder, r"Main\.cited assumes Own\.sig_not_dec")


# Compiled files that are not what was compiled


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "coq"


def plant(folder, cache):
    """Put the compilation of a changed Main.v into the place of the unchanged one; return the place."""
    with build.compiled(["Main.v"], folder):
        pass
    graph = sources.closure(folder, ["Main.v"])
    key = sources.keys(folder, graph, build.version())["Main.v"]
    source = (folder / "Main.v").read_text("utf-8")
    edit(folder, "Main.v", ": exists m, large n m.", ": True -> exists m, large n m.")
    edit(folder, "Main.v", "exists (S n).", "intros _. exists (S n).")
    with build.compiled(["Main.v"], folder) as place:
        content = (place / "Main.vo").read_bytes()
    (folder / "Main.v").write_text(source, "utf-8")
    return cache / key[:2] / f"{key}.vo", key, content


def test_a_planted_file_is_another_theorem_and_the_re_checker_does_not_read_it(folder, cache):
    place, key, content = plant(folder, cache)
    place.write_bytes(build.seal(key, content) + content)
    with pytest.raises(Refused, match="is not the pinned statement"):
        check.established(["Main.cited"], folder)
    recheck._own_cache.cache_clear()
    confirm(folder)


@pytest.mark.parametrize(
    "damage", ["another seal", "writable", *slow("no seal", "cut", "empty", "folder")]
)
def test_a_compiled_file_that_cannot_be_trusted_is_compiled_again(folder, cache, damage):
    place, key, content = plant(folder, cache)
    sealed = build.seal(key, content) + content
    place.write_bytes({"no seal": content, "another seal": build.seal("key", content) + content,
                       "cut": sealed[:-1], "empty": b""}.get(damage, sealed))  # fmt: skip
    if damage in ("writable", "folder"):
        os.chmod(place if damage == "writable" else place.parent, 0o777)
    assert check.established(["Main.cited"], folder).keys() == {"Main.cited"}


# The environment


def test_variables_that_name_other_libraries_are_cleared(folder, tmp_path, monkeypatch):
    (tmp_path / "Assay").mkdir()
    for name in (
        "COQPATH",
        "COQLIB",
        "COQCORELIB",
        "ROCQPATH",
        "ROCQLIB",
        "OCAMLPATH",
        "XDG_DATA_DIRS",
    ):
        monkeypatch.setenv(name, str(tmp_path))
    confirm(folder)
