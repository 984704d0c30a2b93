"""The paper that a command is about: a folder given by `--about DIR`, or the one of this package.

Data       are read; an entry that cannot be used is bad input: one line on standard error
Code       facts, confirmations and proofs of a folder are programs of other people. They are run where
           they are those of this package, or a copy of its template as `assay new` writes it, or where
           the user says `--trust`
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from constructions.core.bounded_files import check_file, read_bytes, read_text
from constructions.core.errors import InputError
from verify.evidence.folder import text_of
from verify.facts.registry import Fact, Inputs, registered
from verify.judge.data import Paper, digest
from verify.judge.entries import InvalidPaper
from verify.judge.paper import load, parse, texts_of

PACKAGE = Path(str(files("verify"))).parent
PINS = "statements.json"  # of the proofs: the statement of each theorem and its axioms
QUOTING = {"source.line": "file", "lean.theorem": "log"}  # evidence that refers to a file
LARGEST_DATA = 8 << 20  # bytes of a data file of a paper; ours have less than 1 MB
TEMPLATE = PACKAGE / "verify" / "template"


@dataclass(frozen=True)
class ChosenPaper:
    """A paper with the folder that it was read from; None for the paper of this package."""

    paper: Paper
    folder: Path | None = None
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def facts(self) -> str:
        """The code of its facts, as the registry takes it."""
        name = self.paper.about.code.facts
        return str(self.home / name) if self.folder and name else name

    @property
    def proofs(self) -> Path | None:
        """The folder of its Coq proofs."""
        name = self.paper.about.code.proofs
        return self.home / name if name else None

    @property
    def home(self) -> Path:
        """Folder from which its code is run: a copy of the template is run as the template itself."""
        if self.folder is None:
            return PACKAGE
        return TEMPLATE if is_template(self) else self.folder

    @property
    def source(self) -> Path | None:
        """Its LaTeX source, where it is in the folder."""
        name = self.paper.about.source.file
        path = self.folder / name if self.folder and name else None
        if not path or not path.is_file():
            return None
        check_file(path)
        return path

    def registered(self) -> dict[str, Fact]:
        """Its facts by name; code that cannot be imported is bad input."""
        if self.folder is None:
            return registered(self.facts)
        try:
            return registered(self.facts)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise InputError("facts", what, "Python that can be imported", self.facts) from None

    def carried(self) -> dict[str, str]:
        """The data that a report carries along, by file name; no code."""
        pins = self.proofs / PINS if self.proofs else None
        kept = {PINS: read_text(pins)} if pins and pins.is_file() else {}
        return {**self._quoted(), **self.texts, **kept}

    def _quoted(self) -> dict[str, str]:
        """The files of the folder that evidence refers to, as far as they can be read."""
        bindings = (b for s in self.paper.statements.values() for b in s.binding)
        names = {str(b.parameters.get(QUOTING[b.fact])) for b in bindings if b.fact in QUOTING}
        found = {}
        for name in sorted(names):
            with suppress(OSError, ValueError):
                found[name] = text_of(Inputs(folder=self.folder), name)
        return found

    def inputs(self, paper: Path | None, data: dict[str, Path]) -> Inputs:
        """Inputs of its facts."""
        return Inputs(paper or self.source, data, self.folder, self.proofs)


def bounded_text(path: Path) -> str:
    """Return the text of a data file; an encoding error is left to the caller."""
    return read_bytes(path, LARGEST_DATA).decode("utf-8")


def choose(folder: Path | None) -> ChosenPaper:
    """The paper of a folder, or of this package."""
    try:
        if folder is None:
            return ChosenPaper(load())
        if not folder.is_dir():
            raise InputError("--about", str(folder), "the folder of a paper")
        texts = texts_of(folder, bounded_text)
        return ChosenPaper(parse(texts), folder.resolve(), texts)
    except InvalidPaper as error:
        raise InputError("paper", str(error), "", "" if folder is None else str(folder)) from None
    except OSError as error:
        raise InputError("--about", error.strerror, "the folder of a paper", str(folder)) from None


def code_files(about: ChosenPaper) -> list[Path]:
    """The files of a paper's folder that are code; a name that leads out of it is refused."""
    if about.folder is None:
        return []
    code = about.paper.about.code
    found: list[Path] = []
    for name in filter(None, (code.facts, code.confirmations, code.proofs)):
        path = about.folder / name
        if not path.resolve().is_relative_to(about.folder) or not path.exists():
            raise InputError(
                "code", name, "a file or a folder inside the paper's folder", "paper.toml"
            )
        found += sorted(path.rglob("*")) if path.is_dir() else [path]
    for path in found:
        if not path.is_dir():
            check_file(path)
    return [path for path in found if path.is_file() and path.suffix != ".pyc"]


def require_trust(about: ChosenPaper, trust: bool) -> None:
    """Refuse to run code that is neither ours nor trusted by the user."""
    if trust and about.folder is None:
        raise InputError("--trust", "no folder", "--about DIR, the folder whose code may run")
    if trust or is_template(about):
        return
    strange = next(path for path in code_files(about) if not _is_ours(path, about))
    raise InputError(
        "--about",
        f"code of this folder ({strange.name})",
        "--trust, which lets a run execute the facts, confirmations and proofs of the folder",
    )


def is_template(about: ChosenPaper) -> bool:
    """Return True if every code file of a folder is that of this package's template."""
    return all(_is_ours(path, about) for path in code_files(about))


def _is_ours(path: Path, about: ChosenPaper) -> bool:
    name = str(path.relative_to(about.folder or PACKAGE))
    return path.is_file() and template_digests().get(name) == _digest(path)


@cache
def template_digests() -> dict[str, str]:
    """The digest of each file of the template."""
    paths = (path for path in TEMPLATE.rglob("*") if path.is_file())
    return {str(path.relative_to(TEMPLATE)): _digest(path) for path in paths}


def _digest(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


def code_digest(about: ChosenPaper) -> str:
    """One digest of all code of a paper's folder; empty for the paper of this package."""
    files_ = code_files(about)
    listing = {str(path.relative_to(about.folder or PACKAGE)): _digest(path) for path in files_}
    return digest(listing) if about.folder else ""


def is_code_of_template(code: str) -> bool:
    """Return True if the digest of a paper's code is the template's."""
    return code == code_digest(choose(TEMPLATE))
