"""Theorems that Lean has checked: by a run of `lake env lean`, or as a build log of the folder says.

Where `lake` is installed and the binding names a `file` of the folder of proofs, Lean runs that file, and
what it prints must say the same of the theorem as the log. Otherwise the log alone counts. A re-check
takes it on trust in both cases, and says so.

The log is what Lean prints for these two lines of the file, which imports the proofs:

    #check @Squares.nicomachus
    #print axioms Squares.nicomachus

A theorem may use Lean's three axioms; `sorryAx` and every other axiom is refused.
"""

from __future__ import annotations

import re
import shutil
import subprocess

from verify.evidence.folder import text_of
from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome

LONGEST_RUN = 3600  # seconds
AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})


def statement(log: str, theorem: str) -> str:
    """Return what `#check @theorem` printed, on one line; "" if it printed nothing."""
    found = re.search(rf"(?m)@{re.escape(theorem)} :((?:.*\n?)(?:[ \t]+.*\n?)*)", log)
    return " ".join(found[1].split()) if found else ""


def axioms(log: str, theorem: str) -> list[str] | None:
    """Return the axioms that `#print axioms theorem` printed; None if it printed nothing."""
    name = re.escape(f"'{theorem}'")
    if re.search(rf"{name} does not depend on any axioms", log):
        return []
    found = re.search(rf"{name} depends on axioms:\s*\[([^\]]*)\]", log)
    return sorted(filter(None, re.split(r"[,\s]+", found[1]))) if found else None


def run_lean(inputs: Inputs, file: str) -> str:
    """Return what Lean prints for a file of the folder of proofs, or "" where `lake` is not installed.

    Raises ValueError for a file outside of that folder, which alone a run is trusted to execute.
    """
    proofs, lake = inputs.proofs, shutil.which("lake")
    if proofs is None or not (proofs / file).resolve().is_relative_to(proofs.resolve()):
        raise ValueError(f"{file} is not in the folder of proofs, expected proofs in [code]")
    if not (proofs / file).is_file():
        raise ValueError(f"{file}: no such file in the folder of proofs")
    if lake is None:
        return ""
    command = [lake, "env", "lean", str((proofs / file).resolve())]
    done = subprocess.run(  # noqa: S603 (code of the folder that the user trusts)
        command, cwd=proofs, capture_output=True, text=True, timeout=LONGEST_RUN, check=False
    )
    if done.returncode:
        line = (done.stdout + done.stderr).strip().split("\n")[0]
        raise ValueError(f"Lean refuses {file}: {line}")
    return done.stdout


@fact("lean.theorem", "machine-checked-lean")
def theorem(inputs: Inputs, log: str, theorem: str, says: str, file: str = "") -> Outcome:
    """The log, and Lean where it can be run, have the theorem as stated, by Lean's three axioms."""
    text = text_of(inputs, log)
    used, printed = axioms(text, theorem), statement(text, theorem)
    values = {"statement": printed, "axioms": used or []}
    if used is None or not printed:
        return Outcome(crash=f"{log} says nothing of {theorem}, expected #check and #print axioms")
    if file and (own := run_lean(inputs, file)):
        found = (axioms(own, theorem), statement(own, theorem))
        if found != (used, printed):
            return Outcome(crash=f"{log} is not what Lean prints for {file} on {theorem}")
    holds = printed == " ".join(says.split()) and set(used) <= AXIOMS
    return Outcome(holds, values, None if holds else values)
