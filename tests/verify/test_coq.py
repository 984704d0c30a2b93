"""Machine-checked proofs: compiled, tied to the program, and seen to fail when a definition is wrong."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verify import machine_checked as coq
from verify.check import REGISTERED, Job
from verify.checks import coq as check
from verify.claims.registry import BY_ID
from verify.evidence import Outcome, Strength
from verify.recheck import coq as recheck
from verify.recheck.errors import Refused

needs_coq = pytest.mark.skipif(not coq.available(), reason="coqc is not installed")
CLASSIC = "Classical_Prop.classic"
PRINTED = """Axioms:
ClassicalDedekindReals.sig_not_dec : forall P : Prop, {~ ~ P} + {~ P}
ClassicalDedekindReals.sig_forall_dec
  : forall P : nat -> Prop,
    (forall n : nat, {P n} + {~ P n}) -> {n : nat | ~ P n} + {forall n : nat, P n}
"""
FIRST = ("Sums.v", "Gap.v")
THETA = ("Definition theta (l : nat) : Z := - 2 ^", "Definition theta (l : nat) : Z := 2 ^")
VALUES = ("W_V_right : matrix := keep n2", "W_V_right : matrix := keep 0")
ORDER = (
    "(a / n =? c / n) && (a mod n =? b / n) && (b mod n =? c mod n)",
    "(b / n =? c / n) && (b mod n =? a / n) && (a mod n =? c mod n)",
)
MODEL = ("Model.v", "Attention.v")
SMALL = {
    "the marker of a closing bracket": (
        ("Close => -1 end%Z", "Close => 0 end%Z"),
        ("Trees.v",),
    ),
    "the order of the scan": (
        ("op (pscan i' (j - 2 ^ i')) (pscan i' j)", "op (pscan i' j) (pscan i' (j - 2 ^ i'))"),
        ("Scan.v",),
    ),
    "the width": (
        ("binomial (2 * n ^ 2 + 2) 2 = 2 * n ^ 4 + 3", "binomial (n ^ 2 + 2) 2 = 2 * n ^ 4 + 3"),
        ("Sums.v", "Model.v", "Sizes.v"),
    ),
    "the pebbling": (
        (
            "| Active c' => Active c'\n          end\n      end",
            "| Active c' => Pebbled\n          end\n      end",
        ),
        ("Trees.v", "Pebbling.v"),
    ),
}


def listed(assumptions=()):
    """The development as it would be listed, without running Coq."""
    found = [
        coq.Proved(f, name, said, assumptions, coq.digest(coq.COQ, f), coq.requires(coq.COQ, f))
        for f in coq.files()
        for name, said in coq.statements((coq.COQ / f).read_text("utf-8")).items()
    ]
    return coq.Development(tuple(found), ())


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A folder in which the files that no mutant touches are compiled."""
    folder = tmp_path_factory.mktemp("ready")
    for file in FIRST:
        shutil.copy(coq.COQ / file, folder)
        coq.compile_file(folder, file)
    return folder


def compile_mutant(folder: Path, change: tuple[str, str], files: tuple[str, ...]) -> None:
    old, new = change
    hit = 0
    for file in files:
        source = (coq.COQ / file).read_text("utf-8")
        hit += source.count(old)
        (folder / file).write_text(source.replace(old, new), "utf-8")
    assert hit == 1, f"the mutation applies {hit} times"
    for file in files:
        coq.compile_file(folder, file)


def body_of(theorem: str) -> dict:
    file, _, name = theorem.partition(".")
    return json.loads(json.dumps(check.certificate(listed().find(f"{file}.v", name))))


# The development


def test_no_file_leaves_a_gap_or_adds_an_axiom():
    assert coq.forbidden() == []


def test_every_file_of_the_folder_is_compiled():
    assert set(coq.files()) == {path.name for path in coq.COQ.glob("*.v")}


def test_every_file_opens_with_title_place_and_main_theorems():
    for file in coq.files():
        opening = (coq.COQ / file).read_text("utf-8").split("*)")[0]
        assert opening.startswith("(** * ")
        assert "Main definition" in opening


def test_a_gap_is_named_with_its_file(tmp_path):
    for path in coq.COQ.iterdir():
        shutil.copy(path, tmp_path)
    source = (tmp_path / "Gap.v").read_text("utf-8")
    (tmp_path / "Gap.v").write_text(source + "\nLemma gap : False. Admitted.\n", "utf-8")
    with pytest.raises(coq.Refused, match=r"Gap\.v: holds the word Admitted"):
        coq.prove(tmp_path)


def test_a_word_in_a_comment_is_no_gap():
    assert coq.bare("a (* Admitted (* Axiom *) still *) b") == "a  b"


def test_statements_are_read_without_proofs_and_comments():
    source = "(* Theorem no : x. Proof. *) Theorem yes a :\n  a = a.\nProof. reflexivity. Qed."
    assert coq.statements(source) == {"yes": "a : a = a"}


# Assumptions


def test_a_closed_theorem_assumes_nothing():
    assert coq.parse_assumptions("Closed under the global context\n") == ()


def test_axioms_are_read_by_name():
    assert coq.parse_assumptions(PRINTED) == (
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
    )


@pytest.mark.parametrize("printed", ["", "Error: no such thing", "Axioms:", "Axioms:\n?!"])
def test_another_answer_is_refused(printed):
    with pytest.raises(coq.Refused, match="Print Assumptions answered"):
        coq.parse_assumptions(printed)


def test_an_axiom_beside_those_of_the_reals_is_unexpected():
    theorem = coq.Proved("Gap.v", "g", "", (CLASSIC, *sorted(coq.REALS)), "", {})
    assert coq.unexpected(theorem) == [f"Gap.v: g assumes {CLASSIC}"]


def test_files_without_reals_may_not_use_their_axioms():
    axiom = min(coq.REALS)
    assert coq.unexpected(coq.Proved("Scan.v", "s", "", (axiom,), "", {}))
    assert not coq.unexpected(coq.Proved("Gap.v", "g", "", (axiom,), "", {}))


@needs_coq
@pytest.mark.coq
def test_an_unexpected_axiom_is_seen_by_coq(tmp_path):
    source = "Require Import Classical.\nTheorem em (P : Prop) : P \\/ ~ P.\nProof. exact (classic P). Qed.\n"
    (tmp_path / "Em.v").write_text(source, "utf-8")
    coq.compile_file(tmp_path, "Em.v")
    assert coq.assumptions(tmp_path, [[("Em.v", "em")]]) == {("Em.v", "em"): (CLASSIC,)}


# Mutants: the proofs are about these definitions and no others


@needs_coq
@pytest.mark.coq
@pytest.mark.parametrize("change", [THETA, VALUES, ORDER], ids=["sign", "block", "order"])
def test_a_changed_weight_is_not_proved(ready, tmp_path, change):
    folder = tmp_path / "mutant"
    shutil.copytree(ready, folder)
    with pytest.raises(coq.Refused, match=r"Attention\.v"):
        compile_mutant(folder, change, MODEL)


@needs_coq
@pytest.mark.coq
@pytest.mark.parametrize("what", SMALL)
def test_a_changed_definition_is_not_proved(tmp_path, what):
    change, files = SMALL[what]
    with pytest.raises(coq.Refused, match=files[-1]):
        compile_mutant(tmp_path, change, files)


# Evidence and certificates


def test_every_link_names_a_theorem_a_claim_and_its_readings():
    development = listed()
    for link in check.LINKS:
        assert development.find(*link.place)
        for reading in link.readings:
            assert BY_ID[link.claim].reading(reading)
        assert bool(link.counterexample) == bool(link.repair)


def test_an_unknown_theorem_is_named():
    with pytest.raises(coq.Refused, match=r"Gap\.v: no theorem is called nothing"):
        listed().find("Gap.v", "nothing")


def test_the_readme_lists_every_linked_theorem_with_its_claim():
    readme = (coq.COQ / "README.md").read_text("utf-8")
    for link in check.LINKS:
        assert f"`{link.theorem}`" in readme
        assert f"`{link.claim}`" in readme


def test_evidence_is_symbolic_and_its_certificates_are_confirmed(monkeypatch):
    monkeypatch.setattr(coq, "missing", lambda: "")
    monkeypatch.setattr(coq, "development", lambda: listed(tuple(sorted(coq.REALS))))
    found = list(check.theorems_of_the_development(Job()))
    assert {item.claim for item in found} == set(check.CLAIMS)
    for item in found:
        assert item.strength is Strength.SYMBOLIC
        assert recheck.theorem(json.loads(json.dumps(item.certificate)))
        assert (item.outcome is Outcome.FAILS) == bool(item.counterexample)


def test_a_difference_between_proof_and_program_breaks_the_check(monkeypatch):
    different = coq.Development(listed().theorems, ("n = 1, T = 2, query: entry (0, 0)",))
    monkeypatch.setattr(coq, "missing", lambda: "")
    monkeypatch.setattr(coq, "development", lambda: different)
    with pytest.raises(coq.Refused, match="query"):
        list(check.theorems_of_the_development(Job()))


def test_without_coq_every_claim_is_unavailable_with_the_packages_named(monkeypatch):
    monkeypatch.setattr(coq, "missing", lambda: f"coqc is not installed ({coq.PACKAGES})")
    found = list(check.theorems_of_the_development(Job()))
    assert [item.claim for item in found] == list(check.CLAIMS)
    for item in found:
        assert item.outcome is Outcome.UNAVAILABLE
        assert "libcoq-mathcomp-algebra" in item.summary


def test_the_check_says_that_it_needs_coq():
    assert REGISTERED["coq.theorems_of_the_development"].needs == ("coq",)


def test_without_coqc_the_program_names_the_packages_in_one_line(repository):
    run = subprocess.run(
        [sys.executable, "-m", "verify.machine_checked"],
        env={"PATH": "", "PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stdout == "coqc is not installed (Debian packages coq and libcoq-mathcomp-algebra)\n"


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("sha256", "0" * 64, "hash of Sizes.v"),
        ("statement", "n : 1 = 2", "statement of width_refuted"),
        ("theorem", "width_found", "no theorem is called width_found"),
        ("file", "../checks/coq.py", "plain name"),
        ("file", "Absent.v", "Absent.v"),
        ("assumptions", [CLASSIC], f"assumes '{CLASSIC}'"),
        ("assumptions", "none", "expected a list"),
        ("requires", {}, "files that Sizes.v is built on"),
        ("requires", [], "expected files with their hashes"),
        ("surplus", 1, "not known"),
    ],
)
def test_a_tampered_certificate_is_refused(field, value, why):
    body = body_of("Sizes.width_refuted")
    assert "width_refuted" in recheck.theorem(body)
    with pytest.raises(Refused, match=why):
        recheck.theorem(body | {field: value})


@pytest.mark.parametrize("gap", ["Axiom a : 1 = 2.", "Lemma a : 1 = 2. Admitted."])
def test_a_certificate_for_files_with_a_gap_is_refused(tmp_path, monkeypatch, gap):
    body = body_of("Scan.scan_correct")
    path = tmp_path / "Scan.v"
    path.write_text((coq.COQ / "Scan.v").read_text("utf-8") + gap + "\n", "utf-8")
    monkeypatch.setattr(recheck, "SOURCES", tmp_path)
    with pytest.raises(Refused, match=r"holds the word (Axiom|Admitted)"):
        recheck.theorem(body | {"sha256": coq.digest(tmp_path, "Scan.v")})


def test_a_theorem_without_qed_is_refused(tmp_path, monkeypatch):
    (tmp_path / "Bad.v").write_text("Theorem t : 1 = 1.\nProof. reflexivity. Defined.\n", "utf-8")
    monkeypatch.setattr(recheck, "SOURCES", tmp_path)
    with pytest.raises(Refused, match="no proof that ends with Qed"):
        recheck.proved("Bad.v", "t")


@needs_coq
@pytest.mark.coq
@pytest.mark.slow
def test_the_whole_development_compiles_and_agrees_with_the_program():
    development = coq.development()
    assert development.differences == ()
    assert {theorem.file for theorem in development.theorems} >= {"Theorem1.v", "Lemma1.v"}
    for theorem in development.theorems:
        assert coq.unexpected(theorem) == []
