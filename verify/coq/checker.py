"""Check compiled files with Coq's independent checker, `coqchk` or `rocqchk`.

It reads the compiled files without the program that made them and checks every term again, those of
Coq's library that they need too. It lists the axioms of all that was loaded. Coq's library states one
more than theorems here use, excluded middle in `Prop`, because some of its files load it; that no theorem
uses it is known from `Print Assumptions`.

Versions      Coq 8.16 prints one line `* Theory: …`; 8.20 and Rocq 9 print a second, on rewrite rules
"""

from __future__ import annotations

import re
from pathlib import Path

from verify.coq.axioms import REALS, ROOT
from verify.coq.build import compiled_names
from verify.coq.programs import run, words_of
from verify.coq.sources import Refused

LOADED = frozenset({*REALS, "Coq.Logic.Classical_Prop.classic"})
SECONDS = 3600  # for all files in one process, and what they need of the library
NOTHING = "<none>"
PREDICATIVE = "Set is predicative"
THEORY = {PREDICATIVE, "Rewrite rules are not allowed"}
PART = re.compile(r"^\* ([^:\n]+):(.*?)(?=^\* |\Z)", re.MULTILINE | re.DOTALL)


def check_compiled(build: Path) -> list[str]:
    """Return a line if the checker accepts the compiled files of a folder; refuse otherwise."""
    names = compiled_names(build)
    libraries = [f"Assay.{name}" for name in names]
    process = run("check", ["-silent", "-o", "-Q", ".", "Assay", *libraries], build, SECONDS)
    if process.returncode:
        raise Refused(f"coqchk: {words_of(process)}")
    check_summary(process.stdout + process.stderr)
    return [f"coqchk accepts {len(names)} compiled files"]


def check_summary(printed: str) -> None:
    """Refuse a summary with another axiom, another theory, or a check that was switched off."""
    theories: set[str] = set()
    for title, body in PART.findall(printed):
        content = " ".join(body.split())
        if title == "Theory":
            theories.add(content)
        elif title == "Axioms":
            axioms = {ROOT.sub("Coq.", path) for path in body.split()} - {NOTHING}
            if strangers := sorted(axioms - LOADED):
                raise Refused(f"coqchk names the axiom {strangers[0]}")
        elif content != NOTHING:
            raise Refused(f"coqchk: {title}: {content[:200]}")
    if PREDICATIVE not in theories or "Axioms" not in dict(PART.findall(printed)):
        raise Refused(f"coqchk answered {printed[:200]!r}")
    if strangers := sorted(theories - THEORY):
        raise Refused(f"coqchk: Theory: {strangers[0]}")
