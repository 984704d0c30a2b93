"""Coq's programs: found by either name, run in a clean environment, with a digest of their library.

Names         `coqc` or `rocq compile`, `coqchk`, `rocqchk` or `rocq check`, `coqdoc` or `rocq doc`
Environment   only the variables of `KEPT`: COQPATH, COQLIB, ROCQPATH, OCAMLPATH and the user's folders
              could put other files in the place of Coq's library
Library       the digest of its compiled files is part of `version`, and so of every key of the cache
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from verify.coq.sources import Refused

NAMES = {
    "compile": (("coqc",), ("rocq", "compile")),
    "check": (("coqchk",), ("rocqchk",), ("rocq", "check")),
    "doc": (("coqdoc",), ("rocq", "doc")),
}
PACKAGES = "Debian package coq"
KEPT = ("PATH", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
# Coq itself reserves 256 MB of young memory and touches all of it; 32 MB save 0.3 s a file.
MEMORY, YOUNG = "OCAMLRUNPARAM", "s=4M,o=1000"
SECONDS = 600
# Long printed texts are deeply nested: the stack is made as large as it may be.
DEEP = 'ulimit -s "$(ulimit -H -s)" 2>/dev/null; exec "$@"'


def command(program: str) -> tuple[str, ...] | None:
    """Return the words that start a program of Coq, or None if it is not installed."""
    for name, *rest in NAMES[program]:
        if place := shutil.which(name):
            return (place, *rest)
    return None


def missing(program: str = "compile") -> str:
    """Return one line that names the missing package, or "" if the program is installed."""
    return "" if command(program) else f"{NAMES[program][0][0]} is not installed ({PACKAGES})"


def run(
    program: str, arguments: Sequence[str], folder: Path, seconds: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a program of Coq in a folder; refuse if it is missing or takes too long."""
    words = command(program)
    if words is None:
        raise Refused(missing(program))
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    try:
        return subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
            ["/bin/sh", "-c", DEEP, "sh", *words, *arguments],
            cwd=folder,
            env={MEMORY: os.environ.get(MEMORY, YOUNG), "HOME": str(folder), **kept},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"{NAMES[program][0][0]} was stopped after {seconds:g} s") from None


def words_of(process: subprocess.CompletedProcess[str]) -> str:
    """Return what a program reported, on one line of at most 600 characters."""
    return " ".join((process.stderr or process.stdout).split())[:600]


def _answer(option: str) -> str:
    process = run("compile", [option], Path.cwd(), 60)
    if process.returncode or not process.stdout.strip():
        raise Refused(f"coqc {option} failed: {words_of(process) or 'no answer'}")
    return process.stdout


@cache
def compiled_library() -> tuple[Path, ...]:
    """Return the compiled files of Coq's library; refuse an empty library."""
    root = Path(_answer("-where").strip())
    found = sorted(root.rglob("*.vo")) if root.is_absolute() and root.is_dir() else []
    if not found:
        raise Refused(f"coqc -where names {root}, which has no compiled library")
    return tuple(found)


def library_modules() -> frozenset[str]:
    """Return the names of the modules of Coq's library."""
    return frozenset(path.stem for path in compiled_library())


@cache
def version() -> str:
    """Return what `coqc --version` prints, and a digest of the compiled library."""
    whole = hashlib.sha256()
    for path in compiled_library():
        whole.update(f"{path}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return f"{_answer('--version')}library {whole.hexdigest()}\n"
