"""Machine-checked proofs as evidence: links, certificates, and what is said without Coq."""

import json

import pytest
from verify.check import REGISTERED, Job
from verify.checks import coq as check
from verify.claims.registry import BY_ID
from verify.evidence import Outcome, Strength

from verify.coq.build import PACKAGES
from verify.coq.compile import REALS, Theorem, file_of
from verify.coq.sources import COQ, hashes
from verify.coq.sources import Refused as CoqRefused
from verify.coq.weights import Difference
from verify.recheck import coq as recheck
from verify.recheck.errors import Refused

CLASSIC = "Classical_Prop.classic"


def listed(names, assumptions=()):
    """Theorems as they would be established, without running Coq."""
    return {name: Theorem(name, "", assumptions, hashes(COQ, file_of(name))) for name in names}


@pytest.fixture
def without_running_coq(monkeypatch):
    monkeypatch.setattr(check, "missing", lambda: "")
    monkeypatch.setattr(check, "compare", lambda _: [])
    monkeypatch.setattr(check, "established", lambda names: listed(names, tuple(sorted(REALS))))


def body_of(theorem: str) -> dict:
    return json.loads(json.dumps(check.certificate(listed([theorem])[theorem])))


# Evidence and certificates


def test_every_link_names_a_theorem_a_claim_and_its_readings():
    for link in check.LINKS:
        assert recheck.proved(file_of(link.theorem), link.theorem.partition(".")[2])
        for reading in link.readings:
            assert BY_ID[link.claim].reading(reading)
        assert bool(link.counterexample) == bool(link.repair)


def test_the_readme_lists_every_linked_theorem_with_its_claim():
    readme = (COQ / "README.md").read_text("utf-8")
    for link in check.LINKS:
        assert f"`{link.theorem}`" in readme
        assert f"`{link.claim}`" in readme


def test_evidence_is_symbolic_and_its_certificates_are_confirmed(without_running_coq):
    found = list(check.theorems_of_the_development(Job()))
    assert {item.claim for item in found} == set(check.CLAIMS)
    for item in found:
        assert item.strength is Strength.SYMBOLIC
        assert recheck.theorem(json.loads(json.dumps(item.certificate)))
        assert (item.outcome is Outcome.FAILS) == bool(item.counterexample)


def test_a_difference_between_proof_and_program_breaks_the_check(without_running_coq, monkeypatch):
    different = Difference("sequences", "n = 1, T = 2", "query", "entry (0, 0)")
    monkeypatch.setattr(check, "compare", lambda _: [different])
    with pytest.raises(CoqRefused, match="query"):
        list(check.theorems_of_the_development(Job()))


def test_without_coq_every_claim_is_unavailable_with_the_packages_named(monkeypatch):
    monkeypatch.setattr(check, "missing", lambda: f"coqc is not installed ({PACKAGES})")
    found = list(check.theorems_of_the_development(Job()))
    assert [item.claim for item in found] == list(check.CLAIMS)
    for item in found:
        assert item.outcome is Outcome.UNAVAILABLE
        assert "Debian package coq" in item.summary


def test_the_check_says_that_it_needs_coq():
    assert REGISTERED["coq.theorems_of_the_development"].needs == ("coq",)


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
    path.write_text((COQ / "Scan.v").read_text("utf-8") + gap + "\n", "utf-8")
    monkeypatch.setattr(recheck, "SOURCES", tmp_path)
    with pytest.raises(Refused, match=r"holds the word (Axiom|Admitted)"):
        recheck.theorem(body | {"sha256": hashes(tmp_path, "Scan.v")["Scan.v"]})


def test_a_theorem_without_qed_is_refused(tmp_path, monkeypatch):
    (tmp_path / "Bad.v").write_text("Theorem t : 1 = 1.\nProof. reflexivity. Defined.\n", "utf-8")
    monkeypatch.setattr(recheck, "SOURCES", tmp_path)
    with pytest.raises(Refused, match="no proof that ends with Qed"):
        recheck.proved("Bad.v", "t")
