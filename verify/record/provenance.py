"""Provenance of the cited check: its record, its commit, its address.

record   SHA-256 of the file record.json that sentences are taken from, which `sha256sum` shows too:
         it says which verdicts were meant, whoever has installed what
commit   of the program, for the record that comes with it: what git says of a checkout, or what
         pip wrote down of an installation from a repository (PEP 610); a wheel alone has none
url      `constructions.__url__`; empty, and left out, as long as there is no public address

A record of a folder may have been written by another version: it is cited without a commit.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shutil import which
from typing import Any

import constructions
from constructions.core.bounded_files import read_bytes
from verify.record.source import record_path

ROOT = Path(constructions.__file__).parents[1]
DISTRIBUTION = "assay-wfa"
DIGITS = 16
SECONDS = 10
NOTE = re.compile(r"^(\s*note\s*=\s*\{)(.*)(\},?)$", re.MULTILINE)
HASH = re.compile(r"[0-9a-f]{7,64}(-dirty)?")


@dataclass(frozen=True)
class Provenance:
    """Identifiers of the check: digest of its record, commit and address where they are known."""

    record: str
    commit: str = ""
    url: str = ""

    @property
    def note(self) -> str:
        """Commit and record in the words of a reference."""
        commit = f"commit {self.commit}; " if self.commit else ""
        return f"{commit}record.json with SHA-256 {self.record}"


def provenance(folder: Path | None) -> Provenance:
    """Of the record in a folder, or of the one that comes with the package."""
    digest = sha256(read_bytes(record_path(folder))).hexdigest()[:DIGITS]
    commit = "" if folder else commit_of(ROOT)
    return Provenance(digest, commit, constructions.__url__)


def commit_of(root: Path) -> str:
    """The commit of the program in a folder; "-dirty" behind it where files were changed."""
    named = _checkout(root) if (root / ".git").exists() else _installation(root)
    return named if HASH.fullmatch(named) else ""


def _checkout(root: Path) -> str:
    """Output of git; empty where git is missing or does not know the folder."""
    program = which("git")
    if program is None:
        return ""
    command = [program, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
            [*command, "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _installation(root: Path) -> str:
    """Origin that pip recorded, if this is the distribution that it installed."""
    try:
        installed = distribution(DISTRIBUTION)
        if Path(str(installed.locate_file("constructions"))).parent != root:
            return ""
        origin: Any = json.loads(installed.read_text("direct_url.json") or "{}")
        return str(origin.get("vcs_info", {}).get("commit_id", ""))[:12]
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""


def located(paper: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """The head of a folder's record whose BibTeX entry of the check says where it can be found."""
    check = paper["check"]
    entry = with_fields(check["bibtex"], provenance(folder))
    return {**paper, "check": {**check, "bibtex": entry}}


def addressed(paper: Mapping[str, Any], folder: Path | None = None) -> dict[str, Any]:
    """The head of a record whose reference to the check has its digest, and its address if any."""
    check = paper["check"]
    where = provenance(folder)
    text = f"{check['text']} Cited from {where.note}. {where.url}".rstrip()
    return {**paper, "check": {**check, "text": text}}


def with_fields(entry: str, where: Provenance) -> str:
    """A BibTeX entry with its address, and with commit and record in its note."""
    fields = [f"  url = {{{where.url}}},"] if where.url else []
    if NOTE.search(entry):
        entry = NOTE.sub(lambda m: f"{m[1]}{m[2]}; {where.note}{m[3]}", entry, count=1)
    else:
        fields.append(f"  note = {{{where.note}}},")
    body = entry.rstrip().removesuffix("}").rstrip().removesuffix(",")
    return "\n".join([f"{body},", *fields, "}"])
