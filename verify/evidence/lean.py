"""Theorems that Lean has checked, as a build log of the paper's folder says; Lean is not run here.

The log is what Lean prints for these two lines of a file that imports the proofs:

    #check @Squares.nicomachus
    #print axioms Squares.nicomachus

A theorem may use Lean's three axioms; `sorryAx` and every other axiom is refused.
"""

from __future__ import annotations

import re

from verify.evidence.folder import text_of
from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome

AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})


def statement(log: str, theorem: str) -> str:
    """What `#check @theorem` printed, on one line; empty if it did not."""
    found = re.search(rf"(?m)@{re.escape(theorem)} :((?:.*\n?)(?:[ \t]+.*\n?)*)", log)
    return " ".join(found[1].split()) if found else ""


def axioms(log: str, theorem: str) -> list[str] | None:
    """What `#print axioms theorem` printed; None if it did not."""
    name = re.escape(f"'{theorem}'")
    if re.search(rf"{name} does not depend on any axioms", log):
        return []
    found = re.search(rf"{name} depends on axioms:\s*\[([^\]]*)\]", log)
    return sorted(filter(None, re.split(r"[,\s]+", found[1]))) if found else None


@fact("lean.theorem", "machine-checked-lean")
def theorem(inputs: Inputs, log: str, theorem: str, says: str) -> Outcome:
    """The log has the theorem with this statement, by Lean's three axioms at most."""
    text = text_of(inputs, log)
    used, printed = axioms(text, theorem), statement(text, theorem)
    values = {"statement": printed, "axioms": used or []}
    if used is None or not printed:
        return Outcome(crash=f"{log} says nothing of {theorem}, expected #check and #print axioms")
    holds = printed == " ".join(says.split()) and set(used) <= AXIOMS
    return Outcome(holds, values, None if holds else values)
