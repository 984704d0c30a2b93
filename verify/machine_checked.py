"""Machine-checked proofs: compiles `verify/coq`, lists every theorem with what it assumes.

Claimed       a theorem of the development holds for all the n, T, words and trees of its statement
Shown         coqc accepts every file; `Print Assumptions` of every theorem names at most the three
              axioms of the standard reals; no file holds an `Admitted` or an axiom of its own
Tied to code  for small sizes the weights that the proofs speak of are evaluated by Coq and
              compared, entry by entry, with those that `constructions` builds: `proof_weights`
Notation      development: the files that `_CoqProject` lists, in that order

Nothing is written beside the sources. `python -m verify.machine_checked` prints the list: status 0
if all is well, 1 if something is refused, 2 if Coq is not installed.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from verify.proof_weights import MODELS

COQ = Path(__file__).parent / "coq"
PACKAGES = "Debian packages coq and libcoq-mathcomp-algebra"
REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
WITHOUT_AXIOMS = frozenset(
    {"Lemma1.v", "Scan.v", "Sizes.v", "Trees.v", "Pebbling.v", "Height.v", "FreeStates.v"}
)
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|bypass_check)\b")
STATEMENT = re.compile(r"\b(?:Theorem|Corollary)\s+([\w']+)(.*?)\.\s+Proof\b", re.DOTALL)
REQUIRE = re.compile(r"From Assay Require Import ([\w\s]+)\.")
OPTIONS = ("-q", "-w", "none", "-Q", ".", "Assay")
SECONDS = 600

Name = tuple[str, str]


class Refused(Exception):
    """Why the development is not accepted."""


@dataclass(frozen=True)
class Proved:
    """A theorem: where it stands, what it says, what it assumes, what it is built on."""

    file: str
    name: str
    statement: str
    assumptions: tuple[str, ...]
    sha256: str
    requires: Mapping[str, str]


@dataclass(frozen=True)
class Development:
    """What one compilation gave: the theorems, and where proof and program differ (nowhere)."""

    theorems: tuple[Proved, ...]
    differences: tuple[str, ...]

    def find(self, file: str, name: str) -> Proved:
        """A theorem by its place, or a clear error."""
        for theorem in self.theorems:
            if (theorem.file, theorem.name) == (file, name):
                return theorem
        raise Refused(f"{file}: no theorem is called {name}")


def available() -> bool:
    """Whether `coqc` is there; costs nothing."""
    return shutil.which("coqc") is not None


@cache
def missing() -> str:
    """What is not installed, in one line; empty if everything is there."""
    coqc = shutil.which("coqc")
    if coqc is None:
        return f"coqc is not installed ({PACKAGES})"
    where = _run([coqc, "-where"], Path.cwd())
    if not (Path(where.stdout.strip()) / "user-contrib" / "mathcomp" / "algebra").is_dir():
        return f"MathComp's algebra is not installed ({PACKAGES})"
    return ""


def files(folder: Path = COQ) -> tuple[str, ...]:
    """The files of the development, in the order of compilation."""
    words = (folder / "_CoqProject").read_text("utf-8").split()
    return tuple(word for word in words if word.endswith(".v"))


def bare(source: str) -> str:
    """A Coq source without its comments, which may be nested."""
    kept: list[str] = []
    depth = 0
    for piece in re.split(r"(\(\*|\*\))", source):
        depth += {"(*": 1, "*)": -1}.get(piece, 0)
        if depth == 0 and piece != "*)":
            kept.append(piece)
    return "".join(kept)


def statements(source: str) -> dict[str, str]:
    """The theorems and corollaries of a file with their statements, white space made even."""
    return {
        name: " ".join(text.split()).removeprefix(":").strip()
        for name, text in STATEMENT.findall(bare(source))
    }


def forbidden(folder: Path = COQ) -> list[str]:
    """Where a file leaves a gap or assumes something on its own."""
    return [
        f"{file}: holds the word {word}"
        for file in files(folder)
        for word in sorted(set(FORBIDDEN.findall(bare((folder / file).read_text("utf-8")))))
    ]


def digest(folder: Path, file: str) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256((folder / file).read_bytes()).hexdigest()


def requires(folder: Path, file: str) -> dict[str, str]:
    """The files of the development that a file is built on, each with its hash."""
    found: dict[str, str] = {}
    pending = [file]
    while pending:
        for name in _imports((folder / pending.pop()).read_text("utf-8")):
            if name not in found:
                found[name] = digest(folder, name)
                pending.append(name)
    return dict(sorted(found.items()))


@cache
def _imports(source: str) -> tuple[str, ...]:
    return tuple(f"{n}.v" for names in REQUIRE.findall(bare(source)) for n in names.split())


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def compile_file(folder: Path, file: str) -> None:
    """Compile one file in a folder; refuse with Coq's own words."""
    done = _run([shutil.which("coqc") or "coqc", *OPTIONS, file], folder)
    if done.returncode:
        words = " ".join((done.stderr or done.stdout).split())
        raise Refused(f"{file}: {words[:600]}")


@contextmanager
def compiled(folder: Path = COQ) -> Iterator[Path]:
    """A folder, deleted afterwards, that holds the compiled development."""
    with tempfile.TemporaryDirectory(prefix="assay-coq-") as place:
        build = Path(place)
        for file in files(folder):
            shutil.copy(folder / file, build / file)
            compile_file(build, file)
        yield build


def assumptions(build: Path, groups: Sequence[Sequence[Name]]) -> dict[Name, tuple[str, ...]]:
    """What the theorems of each group assume together, as Coq prints it."""
    modules = dict.fromkeys(Path(file).stem for group in groups for file, _ in group)
    lines = [f"From Assay Require {module}." for module in modules]
    for place, group in enumerate(groups):
        together = ", ".join(f"@{Path(file).stem}.{name}" for file, name in group)
        lines.append(f"Definition group{place} := ({together}, tt).")
        lines.append(f'Redirect "group{place}" Print Assumptions group{place}.')
    (build / "Assumed.v").write_text("\n".join(lines) + "\n", "utf-8")
    compile_file(build, "Assumed.v")
    printed = [(build / f"group{k}.out").read_text("utf-8") for k in range(len(groups))]
    parsed = [parse_assumptions(text) for text in printed]
    return {name: axioms for names, axioms in zip(groups, parsed, strict=True) for name in names}


def grouped(names: Sequence[Name], apart: bool) -> list[list[Name]]:
    """Each theorem apart, or those of axiom-free files in one group and the others in another."""
    if apart:
        return [[name] for name in names]
    free = [name for name in names if name[0] in WITHOUT_AXIOMS]
    return [group for group in (free, [name for name in names if name not in free]) if group]


def parse_assumptions(printed: str) -> tuple[str, ...]:
    """The names in the answer to `Print Assumptions`; refuses an answer of another form."""
    lines = printed.strip().splitlines()
    if lines == ["Closed under the global context"]:
        return ()
    if not lines or lines[0] != "Axioms:":
        raise Refused(f"Print Assumptions answered {printed[:200]!r}")
    named = [
        re.match(r"([\w.']+)(?:\s*:.*)?$", line) for line in lines[1:] if not line[:1].isspace()
    ]
    if not named or None in named:
        raise Refused(f"Print Assumptions answered {printed[:200]!r}")
    return tuple(sorted(match.group(1) for match in named if match))


def unexpected(theorem: Proved) -> list[str]:
    """The axioms that a theorem may not use, each in a line that names both."""
    allowed = frozenset[str]() if theorem.file in WITHOUT_AXIOMS else REALS
    strange = sorted(set(theorem.assumptions) - allowed)
    return [f"{theorem.file}: {theorem.name} assumes {axiom}" for axiom in strange]


def prove(folder: Path = COQ, apart: bool = False) -> Development:
    """Compile the development, list its theorems and compare its weights with the program's.

    Unless asked for apart, each theorem is listed with what its group assumes: it is faster.
    """
    if gaps := forbidden(folder):
        raise Refused("; ".join(gaps))
    said = {file: statements((folder / file).read_text("utf-8")) for file in files(folder)}
    names = [(file, name) for file, found in said.items() for name in found]
    with compiled(folder) as build:
        assumed = assumptions(build, grouped(names, apart))
        different = tuple(differences(build))
    theorems = tuple(
        Proved(f, t, said[f][t], assumed[f, t], digest(folder, f), requires(folder, f))
        for f, t in names
    )
    if wrong := [line for theorem in theorems for line in unexpected(theorem)]:
        raise Refused("; ".join(wrong))
    return Development(theorems, different)


@cache
def development() -> Development:
    """The shipped development, compiled once a process."""
    return prove()


def differences(build: Path) -> Iterator[str]:
    """Where the weights of the proofs and those that `constructions` builds are not the same."""
    for model in MODELS:
        script = f"Evaluate_{model.name}.v"
        (build / script).write_text(model.script(), "utf-8")
        compile_file(build, script)
        yield from model.differences(build)


def main() -> int:
    """Print the theorems with what they assume; the status says whether all is well."""
    if reason := missing():
        print(reason)
        return 2
    try:
        result = prove(apart=True)
    except Refused as error:
        print(f"refused: {error}")
        return 1
    for theorem in result.theorems:
        axioms = ", ".join(name.rpartition(".")[2] for name in theorem.assumptions)
        print(f"{theorem.file} {theorem.name}: {axioms or 'no axioms'}")
    for line in result.differences:
        print(f"differs: {line}")
    print(f"{len(result.theorems)} theorems")
    for model in MODELS:
        print(f"weights, {model.witness()}")
    return 1 if result.differences else 0


if __name__ == "__main__":
    sys.exit(main())
