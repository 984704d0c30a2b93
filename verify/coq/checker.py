"""Compiled files, checked by Coq's independent checker.

`coqchk` reads the compiled files without the machinery that made them and checks every term again,
those of Coq's library that they need too. It lists the axioms of all that was loaded. Coq's library
states one more than theorems here use, excluded middle in `Prop`: its files load it; that no theorem
uses it is what `Print Assumptions` says of each one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from verify.coq.axioms import REALS, ROOT
from verify.coq.build import SECONDS
from verify.coq.chapters import PREFIX
from verify.coq.sources import Refused

LOADED = frozenset({*REALS, "Coq.Logic.Classical_Prop.classic"})
NOTHING = "<none>"


def check_compiled(build: Path) -> list[str]:
    """Refuse compiled files that coqchk does not accept, or that assume more; one line if it does."""
    program = shutil.which("coqchk")
    if program is None:
        raise Refused("coqchk is not installed (Debian package coq)")
    names = sorted(path.stem for path in build.glob(f"{PREFIX}*.vo"))
    libraries = [f"Assay.{name}" for name in names]
    try:
        process = subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
            [program, "-silent", "-o", "-Q", ".", "Assay", *libraries],
            cwd=build,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"coqchk was stopped after {SECONDS} s") from None
    if process.returncode:
        words = " ".join((process.stderr or process.stdout).split())
        raise Refused(f"coqchk: {words[:600]}")
    check_summary(process.stdout + process.stderr)
    return [f"coqchk accepts {len(names)} compiled chapters"]


def check_summary(printed: str) -> None:
    """Refuse a context that holds another axiom, or relies on a check that was switched off."""
    parts = dict(re.findall(r"^\* ([^:\n]+):(.*?)(?=^\* |\Z)", printed, re.MULTILINE | re.DOTALL))
    axioms = {ROOT.sub("Coq.", path) for path in parts.pop("Axioms", "").split()} - {NOTHING}
    if strangers := sorted(axioms - LOADED):
        raise Refused(f"coqchk names the axiom {strangers[0]}")
    if "Set is predicative" not in parts.pop("Theory", ""):
        raise Refused(f"coqchk answered {printed[:200]!r}")
    for title, names in parts.items():
        if names.strip() != NOTHING:
            raise Refused(f"coqchk: {title}: {' '.join(names.split())[:200]}")
