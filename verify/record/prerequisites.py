"""What some facts need and a machine may lack; what is missing is reported, never ignored."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from constructions.core.errors import InputError
from verify.facts.registry import Inputs

PAUTOMAC = "ASSAY_PAUTOMAC"
PAPER = "ASSAY_PAPER"
FULL = "full profile"


def inputs(pautomac: Path | None, paper: Path | None) -> Inputs:
    """The material a user gave by options or by environment variables."""
    pautomac = pautomac or _from_environment(PAUTOMAC)
    paper = paper or _from_environment(PAPER)
    if pautomac and not pautomac.is_dir():
        raise InputError("--pautomac", str(pautomac), "a folder with PAutomaC files")
    if paper and not paper.is_file():
        raise InputError("--paper", str(paper), "the paper's LaTeX source")
    return Inputs(pautomac, paper)


def missing(given: Inputs, profile: str) -> dict[str, str]:
    """The prerequisites that are not there, each with what would help."""
    found = {
        "coq": "" if shutil.which("coqc") else "coqc is not installed (Debian package coq)",
        "pautomac": "" if given.pautomac else f"data not given (--pautomac DIR, or {PAUTOMAC})",
        "paper": "" if given.paper else f"the paper's source not given (--paper FILE, or {PAPER})",
        "torch": ""
        if find_spec("torch")
        else "torch is not installed (the extra assay-wfa[torch])",
        FULL: "" if profile == "full" else "long computations are left to --profile full",
    }
    return {name: reason for name, reason in found.items() if reason}


def _from_environment(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value) if value else None
