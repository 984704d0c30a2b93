"""Machine-checked proofs: compiles `verify/coq`, lists every theorem with what it assumes.

Claimed       a theorem of the development holds for all the n, T, words and trees of its statement
Shown         coqc accepts every file; `Print Assumptions` of every theorem names at most the three
              axioms of the standard reals; no file holds an `Admitted` or an axiom of its own
Tied to code  for small n and T the weights that the proofs speak of are evaluated by Coq and
              compared, entry by entry, with the matrices that `constructions` builds
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count, islice
from pathlib import Path

from constructions import theorem1, theorem2
from constructions.exact import cos_pi, root, sin_pi
from constructions.matrix import Entry, Matrix, Tensor
from constructions.wfa import WFA

COQ = Path(__file__).parent / "coq"
PACKAGES = "Debian packages coq and libcoq-mathcomp-algebra"
REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
WITHOUT_AXIOMS = frozenset({"Lemma1.v", "Scan.v", "Sizes.v", "Trees.v", "Pebbling.v", "Height.v"})
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|bypass_check)\b")
STATEMENT = re.compile(r"\b(?:Theorem|Corollary)\s+([\w']+)(.*?)\.\s+Proof\b", re.DOTALL)
REQUIRE = re.compile(r"From Assay Require Import ([\w\s]+)\.")
PAIR = re.compile(r'\("([^"]*)", "([^"]*)"\)')
SIZES = ((1, 1), (1, 2), (2, 2), (3, 1))
SATURATION = Fraction(2)
OPTIONS = ("-q", "-w", "none", "-Q", ".", "Assay")
SECONDS = 600

Weights = dict[str, Matrix | Tensor]


Name = tuple[str, str]
Place = tuple[int, ...]
Printed = tuple[Place, dict[Place, Entry]]


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
    for names in REQUIRE.findall(bare((folder / file).read_text("utf-8"))):
        for name in names.split():
            found[f"{name}.v"] = digest(folder, f"{name}.v")
            found |= requires(folder, f"{name}.v")
    return dict(sorted(found.items()))


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


def evaluated(build: Path) -> dict[tuple[int, int, str], dict[str, str]]:
    """The weights of the proof for each size and scaling, as the text that Coq prints."""
    wanted = [(n, layers, scale) for n, layers in SIZES for scale in SCALES]
    lines = [
        "From Coq Require Import String List. From Assay Require Import Model Entries.",
        "Import ListNotations. Open Scope string_scope.",
        "Set Printing Width 10000000. Set Printing Depth 10000000.",
    ]
    for place, (n, layers, scale) in enumerate(wanted):
        term = f"weights_of {n} {layers} {scale}"
        lines.append(f'Redirect "weights{place}" Eval vm_compute in ({term}).')
    (build / "Evaluate.v").write_text("\n".join(lines) + "\n", "utf-8")
    compile_file(build, "Evaluate.v")
    printed = [(build / f"weights{k}.out").read_text("utf-8") for k in range(len(wanted))]
    return {key: dict(PAIR.findall(text)) for key, text in zip(wanted, printed, strict=True)}


def differences(build: Path) -> Iterator[str]:
    """Where the weights of the proof and those that `constructions` builds are not the same."""
    for (n, layers, scale), proof in evaluated(build).items():
        automaton, word = sample(n, 2**layers)
        built = SCALES[scale](automaton, word)
        where = f"n = {n}, T = {2**layers}"
        if sorted(proof) != sorted(built):
            yield f"{where}: weights {sorted(set(proof) ^ set(built))}"
        for name in sorted(set(proof) & set(built)):
            for line in unequal(read_weights(proof[name], automaton, word), built[name]):
                yield f"{where}, {name}: {line}"


def sample(n: int, length: int) -> tuple[WFA, tuple[str, ...]]:
    """An automaton whose weights are all different, and a word of different letters."""
    numbers = count(2)
    word = tuple(str(t) for t in range(1, length + 1))
    square = {letter: [list(islice(numbers, n)) for _ in range(n)] for letter in word}
    vector = list(islice(numbers, n))
    return WFA.of(vector, square, vector), word


def hard_weights(automaton: WFA, word: Sequence[str]) -> Weights:
    """Theorem 1's weights under the names that the proof gives them."""
    n, length = automaton.n, len(word)
    simulation = theorem1.build(automaton, length)
    layers, span = range(1, theorem1.depth(length) + 1), theorem1.span(length)
    return {
        "query": theorem1.query(n),
        "right key": theorem1.query(n),
        "left value": theorem1.value(n, "left"),
        "right value": theorem1.value(n, "right"),
        "combine": theorem1.combine(n),
        "left select": theorem1.select(n, "left"),
        "right select": theorem1.select(n, "right"),
        "tensor": theorem1.tensor(n),
        "output": theorem1.output(n),
        "readout": theorem1.readout(automaton.alpha),
        "embedding": Matrix.dense(simulation.encode(word)),
        **{f"left key {layer}": theorem1.left_key(n, layer, span) for layer in layers},
    }


def soft_weights(automaton: WFA, word: Sequence[str]) -> Weights:
    """Theorem 2's weights: queries and keys times √C, the rest as in Theorem 1."""
    weights = hard_weights(automaton, word)
    span = theorem1.span(len(word))
    for layer in range(1, theorem1.depth(len(word)) + 1):
        left, right = theorem2.heads(automaton.n, layer, span, SATURATION)
        weights |= {"query": left.query, "right key": right.key, f"left key {layer}": left.key}
    return weights


SCALES: dict[str, Callable[[WFA, Sequence[str]], Weights]] = {
    "(fun w => w)": hard_weights,
    "RootC": soft_weights,
}


def read_weights(text: str, automaton: WFA, word: Sequence[str]) -> Printed:
    """Shape and non-zero entries of a weight that Coq printed."""
    size, *lines = text.split("; ")
    shape = tuple(int(k) for k in size.split()[1:])
    entries = {}
    for line in lines:
        place, _, weight = line.partition(" : ")
        entries[tuple(map(int, place.split()))] = number(weight.split(), automaton, word)
    return shape, entries


def number(words: list[str], automaton: WFA, word: Sequence[str]) -> Entry:
    """One weight of the proof as an exact number."""
    match words:
        case ["0" | "1" as digit]:
            return int(digit)
        case ["cos" | "sin" as name, angle]:
            return (cos_pi if name == "cos" else sin_pi)(Fraction(angle))
        case ["minus", *rest]:
            return -number(rest, automaton, word)
        case ["rootC", *rest]:
            return root(SATURATION) * number(rest, automaton, word)
        case ["alpha", i]:
            return automaton.alpha[int(i)]
        case ["letter", t, i, j]:
            return automaton.matrix(word[int(t) - 1])[int(i)][int(j)]
    raise Refused(f"a weight reads {' '.join(words)!r}")


def unequal(proof: Printed, built: Matrix | Tensor) -> Iterator[str]:
    """Where one weight of the proof and one of the program differ, in shape or in an entry."""
    shape, entries = proof
    if shape != built.shape:
        yield f"shape {shape} in the proof, {built.shape} in the program"
    found: dict[Place, Entry] = dict(built.entries.items())
    for place in sorted(set(entries) | set(found)):
        left, right = entries.get(place, 0), found.get(place, 0)
        if left != right:
            yield f"entry {place} is {left} in the proof, {right} in the program"


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
    print(f"{len(result.theorems)} theorems; weights {compared()}")
    return 1 if result.differences else 0


def compared() -> str:
    """For which sizes the weights of the proofs are compared with the program's."""
    sizes = ", ".join(f"({n}, {2**layers})" for n, layers in SIZES)
    return f"compared entry by entry for (n, T) = {sizes}"


if __name__ == "__main__":
    sys.exit(main())
