"""What some checks need and a machine may lack; a lack is said aloud, never passed over."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from verify.check import Job

PAUTOMAC = "ASSAY_PAUTOMAC"
PAPER = "ASSAY_PAPER"


def _coq(_: Job) -> str:
    if shutil.which("coqc"):
        return ""
    return "coqc is not installed (Debian package coq)"


def _pautomac(job: Job) -> str:
    if job.pautomac is not None:
        return ""
    return f"data not given (--pautomac DIR, or the environment variable {PAUTOMAC})"


def _paper(job: Job) -> str:
    if job.paper is not None:
        return ""
    return f"the paper's source not given (--paper FILE, or the environment variable {PAPER})"


NEEDS: dict[str, Callable[[Job], str]] = {"coq": _coq, "pautomac": _pautomac, "paper": _paper}


def missing(job: Job) -> dict[str, str]:
    """The prerequisites that are not there, each with what would help."""
    found = {name: reason(job) for name, reason in NEEDS.items()}
    return {name: reason for name, reason in found.items() if reason}


def path_from_environment(variable: str) -> Path | None:
    """The path a user gave by an environment variable."""
    value = os.environ.get(variable)
    return Path(value) if value else None
