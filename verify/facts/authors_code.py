"""Facts about the authors' public code, by file and line.

`verify/experiments/authors_code.toml` lists lines of michaelrizvi/wfa2tf with what each sets or
does. The fact compares the values listed there with values that a statement of the paper implies.
With the variable ASSAY_CODE set to a clone (a git directory, or a folder of files as of the
listed commit) it also compares the hash of each line it uses, and a difference is a fault of ours.

    code.line   the listed lines have these values
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from constructions.core.errors import InputError
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

VARIABLE = "ASSAY_CODE"


@dataclass(frozen=True)
class Line:
    """One line of the authors' code."""

    commit: str
    file: str
    line: int
    does: str
    value: str
    sha256: str

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


@cache
def lines() -> dict[str, Line]:
    """All listed lines by name."""
    text = (files("verify.experiments") / "authors_code.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return {
        name: Line(**{"commit": data["commit"], **entry}) for name, entry in data["line"].items()
    }


def text_in_clone(line: Line, clone: Path) -> str:
    """The text of a line in a clone: a git directory, a work tree, or plain files."""
    git = clone / ".git" if (clone / ".git").exists() else clone
    program = shutil.which("git")
    if program is None or not (git / "HEAD").exists():
        text = (clone / line.file).read_text("utf-8")
    else:
        command = [program, "--git-dir", str(git), "show", f"{line.commit}:{line.file}"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603
    return text.split("\n")[line.line - 1]


def compare_hash(line: Line, clone: Path) -> None:
    """Refuse a line whose text in the clone is not the one that was listed."""
    digest = sha256(text_in_clone(line, clone).encode()).hexdigest()
    if digest != line.sha256:
        raise InputError(line.place, digest, f"the listed hash {line.sha256}", str(clone))


@fact("code.line", "source")
def code_line(values: Mapping[str, str]) -> Outcome:
    """The listed lines of the authors' code have these values."""
    listed = {name: lines()[name] for name in values}
    if os.environ.get(VARIABLE):
        for line in listed.values():
            compare_hash(line, Path(os.environ[VARIABLE]))
    places = [f"{line.place}: {line.value}" for line in listed.values()]
    for name, line in listed.items():
        if line.value != values[name]:
            witness = {"place": line.place, "does": line.does, "value": line.value}
            return Outcome(False, {"places": places}, {**witness, "commit": line.commit[:7]})
    return Outcome(True, {"places": places})
