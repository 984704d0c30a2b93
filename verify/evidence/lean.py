"""Theorems that Lean has checked: by a run of `lake env lean`, or as a build log of the folder says.

Where `lake` is installed and the binding names a `file` of the folder of proofs, Lean runs a copy of that
file with two lines of ours at its end, and what these print must say the same of the theorem as the log:

    #check @Squares.nicomachus
    #print axioms Squares.nicomachus

What the file prints itself, `#eval` included, is not read: a line that no file can foresee is printed before
ours. Where `lake` is not installed the log alone counts. A re-check takes it on trust in both cases, and says
so. The log is what Lean prints for the same two lines; one that says two things of a theorem is refused.

A theorem may use Lean's three axioms; `sorryAx`, those of `native_decide` and every other axiom are refused.
Code of the folder is trusted not to give these commands another meaning.
"""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TypeVar

from verify.evidence.folder import text_of
from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome

Said = TypeVar("Said", str, tuple[str, ...])
LONGEST_RUN = 3600  # seconds
AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})


BEGINNING = r"(?m)^(?:info: .*?:\d+:\d+: )?"  # Lake writes the place of a message, Lean does not


def statement(log: str, theorem: str) -> str:
    """Return what `#check @theorem` printed, on one line; "" if it printed nothing.

    Lean writes the `@` only before a theorem with implicit arguments.
    """
    name = re.escape(theorem)
    found = re.findall(rf"{BEGINNING}@?{name} :((?:.*\n?)(?:[ \t]+.*\n?)*)", log)
    return _only({" ".join(each.split()) for each in found}, theorem) or ""


def axioms(log: str, theorem: str) -> list[str] | None:
    """Return the axioms that `#print axioms theorem` printed; None if it printed nothing."""
    name = re.escape(f"'{theorem}'")
    none, some = "does not depend on any axioms", r"depends on axioms:\s*\[([^\]]*)\]"
    found = re.findall(rf"{BEGINNING}{name} (?:{none}|{some})", log)
    lists = {tuple(sorted(filter(None, re.split(r"[,\s]+", each)))) for each in found}
    used = _only(lists, theorem)
    return None if used is None else list(used)


def _only(found: set[Said], theorem: str) -> Said | None:
    if len(found) > 1:
        raise ValueError(f"Lean printed {len(found)} different results for {theorem}, expected one")
    return next(iter(found), None)


def run_lean(inputs: Inputs, file: str, theorem: str) -> str | None:
    """Return what Lean prints of a theorem after a file of the folder of proofs; None without `lake`.

    Raises ValueError for a file outside of that folder, which alone a run is trusted to execute.
    """
    proofs, lake = inputs.proofs, shutil.which("lake")
    if proofs is None or not (proofs / file).resolve().is_relative_to(proofs.resolve()):
        raise ValueError(f"{file} is not in the folder of proofs, expected proofs in [code]")
    if not (proofs / file).is_file():
        raise ValueError(f"{file}: no such file in the folder of proofs")
    if lake is None:
        return None
    mark = f"assay {secrets.token_hex(16)}"
    ours = f'\n\n#print "{mark}"\n#check @{theorem}\n#print axioms {theorem}\n'
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / Path(file).name
        copy.write_text((proofs / file).read_text("utf-8") + ours, "utf-8")
        done = subprocess.run(  # noqa: S603 (code of the folder that the user trusts)
            [lake, "env", "lean", str(copy)],
            cwd=proofs, capture_output=True, text=True, timeout=LONGEST_RUN, check=False,
        )  # fmt: skip
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().replace(f"{folder}/", "").split("\n")
        error = next((line for line in lines if ": error" in line), lines[0])
        raise ValueError(f"Lean refuses {file}: {error}")
    _, marked, after = done.stdout.partition(f"{mark}\n")
    if not marked:
        raise ValueError(f"Lean stopped before the end of {file}")
    return after


@fact("lean.theorem", "machine-checked-lean")
def theorem(inputs: Inputs, log: str, theorem: str, says: str, file: str = "") -> Outcome:
    """The log, and Lean where it can be run, have the theorem as stated, by Lean's three axioms."""
    text = text_of(inputs, log)
    used, printed = axioms(text, theorem), statement(text, theorem)
    values = {"statement": printed, "axioms": used or []}
    if used is None or not printed:
        return Outcome(crash=f"{log} says nothing of {theorem}, expected #check and #print axioms")
    own = run_lean(inputs, file, theorem) if file else None
    if own is not None:
        found = (axioms(own, theorem), statement(own, theorem))
        if found != (used, printed):
            return Outcome(crash=f"{log} is not what Lean prints for {file} on {theorem}")
    holds = printed == " ".join(says.split()) and set(used) <= AXIOMS
    return Outcome(holds, values, None if holds else values)
