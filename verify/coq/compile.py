"""Machine-checked theorems: what is established, as Coq prints it, and what it assumes.

Claimed       a theorem of the development holds for all the n, T, words and trees of its statement
Shown         coqc accepts the files that it needs; the closed statement, which Coq prints after all
              sections are closed, is the pinned one of `statements.json`; `Print Assumptions` names
              no axiom beyond those pinned for it, at most the three of Coq's real numbers
Tied to code  for small sizes the weights that the proofs speak of are evaluated by Coq and compared,
              entry by entry, with the models that `constructions` builds: `weights`

    python -m verify.coq.compile                 compile everything, list what is established
    python -m verify.coq.compile --pin [NAME …]  write `statements.json` anew, with further theorems
    python -m verify.coq.compile --folder DIR …  the same for the proofs of another paper

Status 0 if all is well, 1 if something is refused, 2 if Coq is not installed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from verify.coq.build import JOBS, compile_file, compiled, importing, missing
from verify.coq.sources import COQ, Refused, files

PINS = "statements.json"
REALS = frozenset(
    {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
PRELUDE = (
    "From Coq Require Import Reals ZArith List String.",
    "Import ListNotations.",
    "Open Scope R_scope.",
    "Set Printing Width 10000000.",
    "Set Printing Depth 10000000.",
)


@dataclass(frozen=True)
class Pin:
    """What is recorded of a theorem: its closed statement and the axioms that it may use."""

    statement: str
    assumptions: tuple[str, ...]


def file_of(name: str) -> str:
    """The file of a theorem that is named `File.name`."""
    module, dot, theorem = name.partition(".")
    if not (dot and re.fullmatch(r"\w+", module) and re.fullmatch(r"[\w']+", theorem)):
        raise Refused(f"theorem {name!r}: expected a name like Theorem1.theorem1")
    return f"{module}.v"


def pins(folder: Path = COQ) -> dict[str, Pin]:
    """The pinned statements, by the theorem's name."""
    data = json.loads((folder / PINS).read_text("utf-8"))
    return {
        name: Pin(entry["statement"], tuple(entry["assumptions"])) for name, entry in data.items()
    }


# What Coq answers


@dataclass(frozen=True)
class Answer:
    """What Coq prints of some theorems: each closed statement, and the axioms of all of them."""

    statements: Mapping[str, str]
    axioms: tuple[str, ...]


def ask(build: Path, session: str, names: Sequence[str]) -> Answer:
    """Coq's answer about some theorems; one session, for starting Coq takes longest."""
    lines = [
        *PRELUDE,
        importing(build),
        *(f'Redirect "{session}_{k}" Check @{name}.' for k, name in enumerate(names)),
        f"Definition together := ({', '.join(f'@{name}' for name in names)}, tt).",
        f'Redirect "{session}" Print Assumptions together.',
    ]
    (build / f"{session}.v").write_text("\n".join(lines) + "\n", "utf-8")
    try:
        compile_file(build, f"{session}.v")
    except Refused as error:
        raise Refused(_unknown(str(error)) or str(error)) from None
    printed = [(build / f"{session}_{k}.out").read_text("utf-8") for k in range(len(names))]
    closed = (" ".join(text.partition(" : ")[2].split()) for text in printed)
    axioms = parse_assumptions((build / f"{session}.out").read_text("utf-8"))
    return Answer(dict(zip(names, closed, strict=True)), axioms)


def _unknown(words: str) -> str:
    found = re.search(r"The reference (\S+) was not found", words)
    return (
        f"{file_of(found[1])}: no theorem is called {found[1].partition('.')[2]}" if found else ""
    )


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


# What is established


def groups(pinned: Mapping[str, Pin]) -> dict[tuple[str, ...], list[str]]:
    """The theorems by the axioms that they may use: one question for each group."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, pin in pinned.items():
        found.setdefault(tuple(sorted(pin.assumptions)), []).append(name)
    return found


def beyond(build: Path, allowed: Sequence[str], answer: Answer, session: str) -> list[str]:
    """Which theorems of an answer use an axiom that they may not use, in a line each."""
    strange, names = sorted(set(answer.axioms) - set(allowed)), list(answer.statements)
    if not strange:
        return []
    if len(names) == 1:
        return [f"{names[0]} assumes {', '.join(strange)}"]
    half = len(names) // 2
    return [
        line
        for k, part in enumerate((names[:half], names[half:]))
        for line in beyond(build, allowed, ask(build, f"{session}{k}", part), f"{session}{k}")
    ]


def changed(found: Mapping[str, str], pinned: Mapping[str, Pin]) -> list[str]:
    """Which statements are not the pinned ones, in a line each."""
    return [
        f"{name} is not the pinned statement: it now reads {said!r}"
        for name, said in found.items()
        if said != pinned[name].statement
    ]


def disallowed(pinned: Mapping[str, Pin]) -> list[str]:
    """Which pins allow more than the axioms of Coq's real numbers, in a line each."""
    return [
        f"{name} is pinned with {axiom}, which is no axiom of the real numbers"
        for name, pin in pinned.items()
        for axiom in sorted(set(pin.assumptions) - REALS)
    ]


def wrong(build: Path, pinned: Mapping[str, Pin]) -> list[str]:
    """Why some of the pinned theorems are not established in a folder of compiled files."""

    def examined(place: int, allowed: Sequence[str], names: Sequence[str]) -> list[str]:
        session = f"Asked{place}x"
        answer = ask(build, session, names)
        return changed(answer.statements, pinned) + beyond(build, allowed, answer, session)

    with ThreadPoolExecutor(JOBS) as pool:
        asked = [
            pool.submit(examined, place, allowed, names)
            for place, (allowed, names) in enumerate(groups(pinned).items())
        ]
        return [line for answer in asked for line in answer.result()]


def chosen(theorems: Iterable[str], folder: Path) -> dict[str, Pin]:
    """The pins of the theorems asked for."""
    recorded = pins(folder)
    if unknown := [name for name in theorems if name not in recorded]:
        raise Refused(f"{unknown[0]}: no pinned statement in {PINS}")
    return {name: recorded[name] for name in theorems}


def examine(build: Path, pinned: Mapping[str, Pin]) -> None:
    """Refuse pinned theorems that the compiled files of a folder do not establish."""
    if reasons := disallowed(pinned) or (wrong(build, pinned) if pinned else []):
        raise Refused("; ".join(reasons))


def established(theorems: Sequence[str], folder: Path = COQ, whole: bool = True) -> dict[str, Pin]:
    """The theorems asked for, each established as it is pinned; refuses with the reason otherwise.

    Only the chapters that these theorems need are compiled; unless `whole`, only the files.
    """
    pinned = chosen(dict.fromkeys(theorems), folder)
    with compiled({file_of(name) for name in pinned}, folder, whole) as build:
        examine(build, pinned)
    return pinned


# The pins


def found_now(names: Sequence[str], recorded: Mapping[str, Pin], folder: Path) -> dict[str, Pin]:
    """The statement and the axioms of each theorem, as they are now.

    A recorded theorem of which nothing has changed keeps what it was recorded with.
    """
    with compiled({file_of(name) for name in names}, folder) as build:
        known = {name: recorded[name] for name in names if name in recorded}
        different = {re.split(" (?:assumes|is not) ", line)[0] for line in wrong(build, known)}
        new = [name for name in names if name not in known or name in different]
        with ThreadPoolExecutor(JOBS) as pool:
            asked = pool.map(lambda k: ask(build, f"Alone{k}x", [new[k]]), range(len(new)))
            now = {
                name: Pin(answer.statements[name], answer.axioms)
                for name, answer in zip(new, asked, strict=True)
            }
    return {name: now.get(name) or known[name] for name in names}


def pin(names: Iterable[str], folder: Path = COQ) -> dict[str, Pin]:
    """Write the statements of the theorems pinned so far, and of further ones, as they are now."""
    path = folder / PINS
    recorded = pins(folder) if path.exists() else {}
    now = found_now(sorted({*recorded, *names}), recorded, folder)
    if reasons := disallowed(now):
        raise Refused("; ".join(reasons))
    plain = {
        name: {"assumptions": list(one.assumptions), "statement": one.statement}
        for name, one in now.items()
    }
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return now


def shown(name: str, axioms: Sequence[str]) -> str:
    """A theorem with what it assumes, in one line."""
    return f"{name}: {', '.join(axiom.rpartition('.')[2] for axiom in axioms) or 'no axioms'}"


def listing_of(folder: Path) -> list[str]:
    """List what is established of the proofs of another paper."""
    found = established(list(pins(folder)), folder)
    return [shown(name, theorem.assumptions) for name, theorem in found.items()]


def listing() -> list[str]:
    """Compile the whole development, list what is established, compare all weights."""
    from verify.coq.weights import MODELS, compare_all

    with compiled(files()) as build, ThreadPoolExecutor(1) as beside:
        compared = beside.submit(compare_all)
        examine(build, found := pins())
        differences = compared.result()
    if differences:
        raise Refused("; ".join(map(str, differences)))
    lines = [shown(name, theorem.assumptions) for name, theorem in found.items()]
    lines.append(f"{len(found)} theorems in {len(files())} files")
    return [*lines, *(f"weights, {model.witness()}" for model in MODELS.values())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the theorems with what they assume; the status says whether all is well."""
    parser = argparse.ArgumentParser(
        prog="python -m verify.coq.compile", description="Check proofs."
    )
    parser.add_argument("--pin", nargs="*", metavar="NAME", help="write statements.json anew")
    parser.add_argument("--folder", type=Path, default=COQ, help="the proofs of another paper")
    options = parser.parse_args(arguments)
    if reason := missing():
        print(reason)
        return 2
    try:
        if options.pin is None:
            lines = listing() if options.folder == COQ else listing_of(options.folder)
        else:
            found = pin(options.pin, options.folder)
            lines = [shown(name, one.assumptions) for name, one in found.items()]
    except Refused as error:
        print(f"refused: {error}")
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
