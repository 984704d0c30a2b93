"""Attacks on the guard: proofs from False, definitions that say nothing, changed compiled files.

Each one was accepted by an earlier guard, which read comments before strings, pinned printed texts
and short names of axioms, and took compiled files from the cache as they were.
"""

import json
import re

import pytest

from verify.coq import build, chapters, checker, examine, pins, session
from verify.coq import compile as check
from verify.coq.sources import COQ, Refused
from verify.recheck.shared import coq as kinds

pytestmark = pytest.mark.coq
NAME = "Activation.units_multiply"
REALS = "ClassicalDedekindReals"
FALSE = "Axiom sig_not_dec : False."


def proved_by(folder, file, theorem, proof):
    """Replace the proof of a theorem."""
    source = (folder / file).read_text("utf-8")
    start = source.index(f"Theorem {theorem}")
    begin, end = source.index("Proof.", start), source.index("Qed.", start) + len("Qed.")
    (folder / file).write_text(f"{source[:begin]}Proof. {proof} Qed.{source[end:]}", "utf-8")


def with_file(folder, name, text):
    """Add a file before the first one of the development."""
    (folder / f"{name}.v").write_text(text, "utf-8")
    project = folder / "_CoqProject"
    project.write_text(project.read_text("utf-8").replace("\nSums.v", f"\n{name}.v\nSums.v"))


def from_false(folder, axiom_file, text):
    """Prove a pinned theorem from an axiom of a file of its own."""
    with_file(folder, axiom_file, text)
    source = (folder / "Activation.v").read_text("utf-8")
    scope = "Open Scope R_scope."
    required = f"From Assay Require Import {axiom_file}.\n{scope}"
    (folder / "Activation.v").write_text(source.replace(scope, required, 1), "utf-8")
    proved_by(folder, "Activation.v", "units_multiply", f"destruct {axiom_file}.sig_not_dec.")
    return folder


def hidden(text):
    """A text between the strings "(*" and "*)", which open and close no comment."""
    quotes = 'Definition opening := "(*". {} Definition closing := "*)".'
    return f"From Coq Require Import String. Open Scope string_scope. {quotes.format(text)}\n"


# An axiom that is not seen, with the name of an axiom of the library


def test_an_axiom_between_two_strings_is_seen(mutant):
    folder = from_false(mutant(), "Hidden", hidden(FALSE))
    with pytest.raises(Refused, match=r"Hidden\.v: holds the word Axiom"):
        check.established([NAME], folder)


def test_a_file_that_is_named_like_one_of_the_library_is_refused(mutant):
    folder = from_false(mutant(), REALS, "Section S. Variable sig_not_dec : False. End S.\n")
    with pytest.raises(Refused, match=rf"^{REALS}\.v: a module of Coq's library has this name"):
        check.established([NAME], folder)


def test_an_axiom_that_is_named_like_one_of_the_library_is_another_one(mutant, monkeypatch):
    """Even if neither the word nor the name of the file were noticed."""
    folder = from_false(mutant(), REALS, FALSE)
    monkeypatch.setattr(build, "faults", lambda *_: [])
    with pytest.raises(Refused, match=rf"{REALS}\.sig_not_dec"):
        check.established([NAME], folder)


# A chapter that is closed from inside a file


def closing(folder, text):
    source = (folder / "Gap.v").read_text("utf-8")
    (folder / "Gap.v").write_text(f"{source}\n{text}", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("End Gap. Definition R := unit. Module Other. (*", "a comment does not end"),
        ("End Gap. Definition R := unit. Module Gap.", "End Gap closes nothing that the file"),
        ("Section Other.", "Other is not closed"),
        ('Definition s := "', "a string does not end"),
    ],
)
def test_a_file_closes_what_it_opened_and_nothing_else(mutant, text, reason):
    folder = closing(mutant(), text)
    with pytest.raises(Refused, match=rf"^Gap\.v: {reason}"):
        check.established(["Attention.score_left"], folder)


def test_a_name_of_the_library_in_a_chapter_is_not_the_library_s(tmp_path):
    """Even if the file were not refused, R in a pinned statement is the R of the library."""
    theorem = "Theorem one (x y : R) : x = y. Proof. now destruct x, y. Qed."
    text = f"From Coq Require Import Reals. Definition R := unit. Module Own. {theorem} End Own.\n"
    (tmp_path / "ChapterOwn.v").write_text(text, "utf-8")
    build.compile_file(tmp_path, "ChapterOwn.v")
    printed = session.answers(tmp_path, "Asked", {"one": "Check @Own.one.", "R": "About R."})
    assert "Expands to: Constant Coq.Reals." in printed["R"]
    assert session.printed_type(printed["one"]) == "forall x y : ChapterOwn.R, x = y"


# Definitions that say nothing


def test_a_predicate_that_nothing_meets_is_noticed(mutant):
    """The theorem is proved, with the statement that is printed as before."""
    folder = mutant()
    source = (folder / "Activation.v").read_text("utf-8")
    units = re.search(r"Definition four_units.*?\.\n", source, re.DOTALL)[0]
    theorem = re.search(r"Theorem units_multiply.*?Qed\.\n", source, re.DOTALL)[0]
    empty = "Definition curved (sigma : R -> R) (b c : R) : Prop := False.\n"
    opening = "From Coq Require Import Reals.\nOpen Scope R_scope.\n"
    (folder / "Activation.v").write_text(opening + empty + units + theorem, "utf-8")
    proved_by(folder, "Activation.v", "units_multiply", "now intros [].")
    with pytest.raises(Refused, match=r"Activation\.curved does not mean what is pinned"):
        check.established([NAME], folder)


def test_a_type_with_a_constructor_more_is_noticed(mutant):
    folder = mutant()
    (folder / "Trees.v").write_text(
        "Section Trees. Context {Sigma : Type}.\n"
        "Inductive tree := Leaf (a : Sigma) | Third (a : Sigma) | Node (l r : tree).\n"
        "Theorem tau_exists (t : tree) : t = t. Proof. reflexivity. Qed.\nEnd Trees.\n"
        "Arguments tree : clear implicits.\n",
        "utf-8",
    )
    entry = pins.meanings()["Trees.tree"]
    with build.compiled(["Trees.v"], folder, complete=False) as place:
        (reason,) = examine.check_meanings(place, {"Trees.tree": entry})
    assert reason.startswith("Trees.tree does not mean what is pinned: ")
    with build.compiled(["Trees.v"]) as place:
        assert examine.check_meanings(place, {"Trees.tree": entry}) == []


def test_a_size_predicate_that_became_true_is_noticed(mutant):
    folder = mutant()
    source = (folder / "Fits.v").read_text("utf-8")
    head, _, rest = source.partition("Definition layer_fits")
    _, _, after = rest.partition("Definition fits")
    definitions = after.partition("(** ** Beyond its dimension")[0]
    true = "Definition layer_fits (s : sizes) (k : kind) (ly : layer) : Prop := True.\n\n"
    (folder / "Fits.v").write_text(f"{head}{true}Definition fits{definitions}", "utf-8")
    table = {name: pins.meanings()[name] for name in ("Fits.fits", "Fits.layer_fits")}
    with build.compiled(["Fits.v"], folder, complete=False) as place:
        (reason,) = examine.check_meanings(place, table)
    assert reason.startswith("Fits.layer_fits does not mean what is pinned: ")


def test_pins_of_statements_and_of_definitions_belong_together(mutant):
    folder = mutant(("definitions.json", '"Activation.curved"', '"Activation.other"'))
    with pytest.raises(Refused, match=r"Activation\.curved: no pinned meaning"):
        check.established([NAME], folder)
    table = json.loads((COQ / "definitions.json").read_text("utf-8"))
    table["Activation.curved"]["content"] = "fun _ _ _ => True"
    (folder / "definitions.json").write_text(json.dumps(table), "utf-8")
    with pytest.raises(Refused, match=r"statements\.json and definitions\.json do not agree"):
        check.established([NAME], folder)


# Compiled files that are not what was compiled


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "coq"


@pytest.fixture(scope="module")
def other_cache(tmp_path_factory):
    """Where the changed chapter is compiled, once for all tests."""
    return tmp_path_factory.mktemp("other")


def compiled_with(folder, change, own_cache, other_cache):
    """Put the compilation of a changed chapter into the place of the unchanged one."""
    key = key_of(folder, "ChapterNumbers")
    source = (folder / "Activation.v").read_text("utf-8")
    changed = change(source)
    assert changed != source
    (folder / "Activation.v").write_text(changed, "utf-8")
    with build.compiled(["Activation.v"], folder, cache=other_cache) as place:
        content = (place / "ChapterNumbers.vo").read_bytes()
    (folder / "Activation.v").write_text(source, "utf-8")
    target = own_cache / key[:2] / f"{key}.vo"
    target.parent.mkdir(parents=True)
    return target, key, content


def key_of(folder, chapter):
    parts = chapters.chapters(folder, ["Activation.v"])
    return chapters.chapter_keys(folder, parts, build.version())[chapter]


def without_a_condition(source):
    return source.replace("c <> 0 -> 0 < B ->", "c <> 0 -> 0 < B -> True ->").replace(
        "intros Hcurved Hc HR eta He.", "intros Hcurved Hc HR _ eta He."
    )


@pytest.mark.parametrize("damage", [
    pytest.param(lambda content: content, id="without a seal", marks=pytest.mark.slow),
    pytest.param(lambda content: build.seal("another key", content) + content, id="another seal",
                 marks=pytest.mark.slow),
    pytest.param(lambda content: b"", id="empty", marks=pytest.mark.slow),
    pytest.param(lambda content: content[:100], id="cut short", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_compiled_file_in_the_place_of_another_is_compiled_anew(
    mutant, own_cache, other_cache, damage
):
    target, _, content = compiled_with(mutant(), without_a_condition, own_cache, other_cache)
    target.write_bytes(damage(content))
    assert check.established([NAME], target.parents[3] / "mutant").keys() == {NAME}


@pytest.mark.slow
def test_a_compiled_file_with_a_forged_seal_is_another_theorem(mutant, own_cache, other_cache):
    folder = mutant()
    target, key, content = compiled_with(folder, without_a_condition, own_cache, other_cache)
    target.write_bytes(build.seal(key, content) + content)
    with pytest.raises(Refused, match="is not the pinned statement"):
        check.established([NAME], folder)


def test_the_re_checker_reads_no_compiled_file_of_the_user(mutant, own_cache, other_cache):
    folder = mutant()
    target, key, content = compiled_with(folder, without_a_condition, own_cache, other_cache)
    target.write_bytes(build.seal(key, content) + content)
    kinds._all_are_established.cache_clear()
    kinds._own_cache.cache_clear()
    pins = (folder / "statements.json").read_text("utf-8")
    (folder / "statements.json").write_text(json.dumps({NAME: json.loads(pins)[NAME]}), "utf-8")
    kinds.compile_again({"theorem": NAME}, folder)
    kinds._all_are_established.cache_clear()


# What coqchk finds


@pytest.mark.slow
def test_coqchk_accepts_a_chapter():
    with build.compiled(["Gap.v"]) as place:
        assert checker.check_compiled(place) == ["coqchk accepts 2 compiled chapters"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Axiom absurd : False.", "coqchk names the axiom Assay.ChapterOwn.absurd"),
        (
            "Unset Guard Checking. Fixpoint loop (n : nat) : False := loop n.",
            r"coqchk: Constants/Inductives relying on unsafe .*: Assay\.ChapterOwn\.loop",
        ),
    ],
)
def test_coqchk_names_what_a_compiled_file_takes_on_trust(tmp_path, text, reason):
    (tmp_path / "ChapterOwn.v").write_text(f"{text}\n", "utf-8")
    build.compile_file(tmp_path, "ChapterOwn.v")
    with pytest.raises(Refused, match=reason):
        checker.check_compiled(tmp_path)


def test_coqchk_refuses_a_damaged_file(tmp_path):
    (tmp_path / "ChapterOwn.v").write_text("Definition one := 1.\n", "utf-8")
    build.compile_file(tmp_path, "ChapterOwn.v")
    content = bytearray((tmp_path / "ChapterOwn.vo").read_bytes())
    content[len(content) // 2] ^= 255
    (tmp_path / "ChapterOwn.vo").write_bytes(content)
    with pytest.raises(Refused, match=r"^coqchk: "):
        checker.check_compiled(tmp_path)
