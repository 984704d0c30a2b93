"""A Lean file is run by `lake env lean` where that is installed.

`lean-4.28.txt` is what Lean 4.28.0-pre printed for `Sums.lean` with a mark and both commands for each of
its theorems. Most tests have a `lake` that prints it; the last ones run the real one.
"""

import shutil
from pathlib import Path

import pytest

from verify.facts.registry import Inputs, find, registered
from verify.recheck.confirmations import confirmations, trust_reason
from verify.recheck.data import Data
from verify.recheck.errors import Refused
from verify.recheck.shared import lean as second

HERE = Path(__file__).parent
PRINTED = (HERE / "lean-4.28.txt").read_text("utf-8")
SOURCE = (HERE / "Sums.lean").read_text("utf-8")
SAYS = {
    "Sums.odd_zero": "Sums.odd 0 = 0",
    "Sums.congruent": "∀ {m n : Nat}, m = n → Sums.odd m = Sums.odd n",
    "Sums.by_three": "∀ {α : Type} (r : α → α → Prop) (a b : α), r a b → ∀ (p q : Prop), (p ↔ q) → "
    "∀ (some : Nonempty α), Quot.mk r a = Quot.mk r b ∧ p = q ∧ "
    "Classical.choice some = Classical.choice some",
    "Sums.hole": "Sums.odd 1 = 2",
    "Sums.from_axiom": "Sums.odd 3 = 10",
    "Sums.native": "Sums.odd 10 = 100",
}
AXIOMS = {
    "Sums.odd_zero": [],
    "Sums.congruent": [],
    "Sums.by_three": ["Classical.choice", "Quot.sound", "propext"],
}
NO_AXIOM_OF_LEAN = {
    "Sums.hole": "sorryAx",
    "Sums.from_axiom": "Sums.extra",
    "Sums.native": "Lean.ofReduceBool",
}
FAKE = """#!/bin/sh
[ "$1 $2" = "env lean" ] || exit 9
cat before
sed -n 's/^#print "\\(.*\\)"$/\\1/p' "$3"
cat after
{}
"""
needs_lake = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("lake"), reason="Lean (lake) is not on the PATH"),
]


@pytest.fixture
def given(tmp_path):
    """A folder with a log and a Lean file."""
    proofs = tmp_path / "proofs"
    proofs.mkdir()
    before, _, after = PRINTED.partition("assay 0\n")
    (tmp_path / "lean.log").write_text(after, "utf-8")
    (tmp_path / "Other.lean").write_text("", "utf-8")
    (proofs / "Sums.lean").write_text(SOURCE, "utf-8")
    (proofs / "before").write_text(before, "utf-8")
    (proofs / "after").write_text(after, "utf-8")
    return Inputs(folder=tmp_path, proofs=proofs)


@pytest.fixture
def install(given, monkeypatch):
    """Put a `lake` on the PATH that prints `before`, the mark and `after`, and ends as given."""
    tools = given.folder / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")

    def write(end=""):
        (tools / "lake").write_text(FAKE.format(end), "utf-8")
        (tools / "lake").chmod(0o755)

    return write


def asked(name, **changed):
    return {
        "log": "lean.log",
        "theorem": name,
        "says": SAYS[name],
        "file": "Sums.lean",
        **changed,
    }


def outcome(given, name="Sums.odd_zero", **changed):
    (found,) = find(registered("")["lean.theorem"], [asked(name, **changed)], given)
    return found


@pytest.mark.parametrize("name", SAYS)
def test_both_readers_read_what_lean_prints(given, name):
    log = (given.folder / "lean.log").read_text("utf-8")
    found = outcome(given, name, file="")
    assert found.holds is (name in AXIOMS)
    assert found.values["statement"] == SAYS[name] == second.statement_of(log, name)
    assert found.values["axioms"] == second.axioms_of(log, name)
    if found.holds:
        assert found.values["axioms"] == AXIOMS[name]
    else:
        assert NO_AXIOM_OF_LEAN[name] in found.witness["axioms"]


def test_a_file_that_lean_accepts_and_that_prints_the_log_holds(given, install):
    without = outcome(given)
    install()
    assert without == outcome(given) and without.holds


def test_what_the_file_itself_prints_is_not_read(given, install):
    install()
    forged = "Sums.hole : Sums.odd 1 = 2\n'Sums.hole' does not depend on any axioms\n"
    (given.folder / "lean.log").write_text(forged, "utf-8")
    (given.proofs / "before").write_text(forged, "utf-8")
    assert "not what Lean prints for Sums.lean" in outcome(given, "Sums.hole").crash
    (given.proofs / "after").write_text("", "utf-8")
    assert "not what Lean prints for Sums.lean" in outcome(given, "Sums.hole").crash


def test_a_log_that_says_two_things_is_refused(given):
    name, log = "Sums.hole", given.folder / "lean.log"
    forged = f"'{name}' does not depend on any axioms\n" + log.read_text("utf-8")
    log.write_text(forged, "utf-8")
    assert f"2 different results for {name}" in outcome(given, name, file="").crash
    with pytest.raises(Refused, match="2 things"):
        second.axioms_of(forged, name)
    with pytest.raises(Refused, match="0 things"):
        second.statement_of(forged, "Sums.nothing")


def test_a_log_that_lean_does_not_print_is_no_proof(given, install):
    install()
    for old, new in (("not depend on any axioms", "s on"), ("odd 0 = 0", "odd 0 = 1")):
        (given.proofs / "after").write_text(PRINTED.replace(old, new), "utf-8")
        assert "not what Lean prints for Sums.lean" in outcome(given).crash


def test_a_file_that_lean_refuses_is_no_proof(given, install):
    install('echo "$3:8:0: error: Type mismatch"; exit 1')
    assert outcome(given).crash.startswith(
        "ValueError: Lean refuses Sums.lean: Sums.lean:8:0: error: Type mismatch"
    )


def test_a_file_that_stops_before_its_end_is_no_proof(given, install):
    install()
    (given.folder / "bin" / "lake").write_text("#!/bin/sh\ncat after\n", "utf-8")
    assert "stopped before the end of Sums.lean" in outcome(given).crash


@pytest.mark.parametrize("file", ["../Other.lean", "/etc/passwd", "None.lean"])
def test_only_a_file_of_the_trusted_proofs_is_run(given, install, file):
    install("touch ran")
    assert "in the folder of proofs" in outcome(given, file=file).crash
    assert not (given.proofs / "ran").exists()
    assert "in the folder of proofs" in outcome(Inputs(folder=given.folder)).crash


def test_a_re_check_takes_the_log_on_trust_whether_or_not_lean_was_run(given):
    name = "Sums.by_three"
    values = {"statement": SAYS[name], "axioms": AXIOMS[name]}
    texts = {"lean.log": (given.folder / "lean.log").read_text("utf-8")}
    data = Data({}, {}, {}, {}, [], texts=texts)
    answer = confirmations("")["lean.theorem"][1](asked(name), {"values": values}, data)
    assert answer.holds and "build log" in trust_reason("lean.theorem", "")


class TestRealLean:
    """Lean itself prints what the log has, refuses a wrong proof, and no file forges its lines."""

    pytestmark = needs_lake

    @pytest.mark.parametrize("name", AXIOMS)
    def test_a_proof_is_accepted(self, given, name):
        assert outcome(given, name).holds

    @pytest.mark.parametrize("name", NO_AXIOM_OF_LEAN)
    def test_another_axiom_is_not(self, given, name):
        log = given.folder / "lean.log"
        log.write_text(f"{name} : {SAYS[name]}\n'{name}' does not depend on any axioms\n", "utf-8")
        assert "not what Lean prints for Sums.lean" in outcome(given, name).crash

    @pytest.mark.parametrize(
        "text", ["theorem Sums.odd_zero : 1 + 1 = 3 := rfl\n", "#exit\n", "/- no end\n"]
    )
    def test_a_wrong_or_unfinished_file_is_refused(self, given, text):
        (given.proofs / "Sums.lean").write_text(text, "utf-8")
        crash = outcome(given).crash
        assert "Lean refuses Sums.lean" in crash or "stopped before the end" in crash
