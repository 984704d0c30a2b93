"""A Lean file is run by `lake env lean` where that is installed; a `lake` of the test stands for it."""

import pytest

from verify.facts.registry import Inputs, find, registered
from verify.recheck.confirmations import confirmations, trust_reason
from verify.recheck.data import Data

LOG = "@Sums.odd : ∀ n, Sums.odd n = n ^ 2\n'Sums.odd' depends on axioms: [propext]\n"
ASKED = {
    "log": "lean.log",
    "theorem": "Sums.odd",
    "says": "∀ n, Sums.odd n = n ^ 2",
    "file": "Main.lean",
}
DATA = Data({}, {}, {}, {}, [], texts={"lean.log": LOG})
FAKE = '#!/bin/sh\n[ "$1 $2" = "env lean" ] || exit 9\ncat "$3.out"\n{}\n'


@pytest.fixture
def given(tmp_path, monkeypatch):
    """A folder with a log and a file that the fake `lake` prints as it prints the log."""
    proofs = tmp_path / "proofs"
    (tmp_path / "bin").mkdir()
    proofs.mkdir()
    (tmp_path / "lean.log").write_text(LOG, "utf-8")
    (tmp_path / "Other.lean").write_text("", "utf-8")
    (proofs / "Main.lean").write_text("import Sums", "utf-8")
    (proofs / "Main.lean.out").write_text(LOG, "utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return Inputs(folder=tmp_path, proofs=proofs)


def install(given, end=""):
    lake = given.folder / "bin" / "lake"
    lake.write_text(FAKE.format(end), "utf-8")
    lake.chmod(0o755)


def outcome(given, **changed):
    (found,) = find(registered("")["lean.theorem"], [{**ASKED, **changed}], given)
    return found


def test_a_file_that_lean_accepts_and_that_prints_the_log_holds(given):
    without = outcome(given)
    install(given)
    assert without == outcome(given) and without.holds


def test_a_log_that_lean_does_not_print_is_no_proof(given):
    install(given)
    for printed in (LOG.replace("propext", "sorryAx"), LOG.replace("n ^ 2", "n ^ 3"), ""):
        (given.proofs / "Main.lean.out").write_text(f"{printed}\n", "utf-8")
        found = outcome(given)
        assert found.holds is None and "not what Lean prints for Main.lean" in found.crash


def test_a_file_that_lean_refuses_is_no_proof(given):
    install(given, "echo 'Main.lean:1:0: error: no such module' >&2; exit 1")
    (given.proofs / "Main.lean.out").write_text("", "utf-8")
    assert "Lean refuses Main.lean: Main.lean:1:0: error: no such" in outcome(given).crash


@pytest.mark.parametrize("file", ["../Other.lean", "/etc/passwd", "None.lean"])
def test_only_a_file_of_the_trusted_proofs_is_run(given, file):
    install(given, "touch ran")
    assert "in the folder of proofs" in outcome(given, file=file).crash
    assert not (given.proofs / "ran").exists()
    assert "in the folder of proofs" in outcome(Inputs(folder=given.folder)).crash


def test_a_re_check_takes_the_log_on_trust_whether_or_not_lean_was_run(given):
    values = {"statement": ASKED["says"], "axioms": ["propext"]}
    answer = confirmations("")["lean.theorem"][1](ASKED, {"values": values}, DATA)
    assert answer.holds and "build log" in trust_reason("lean.theorem", "")
