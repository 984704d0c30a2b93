"""Machine-checked theorems: what is established, what it means, what it assumes.

Claimed       a theorem of the development holds for all the n, T, words and trees of its statement
Confirmed     coqc accepts the files that it needs; the theorem has the pinned statement; every
              constant of the development behind the statement is what is pinned (`pins`);
              `Print Assumptions` names no axiom beyond those pinned for it, at most the three of
              Coq's real numbers, by full path and type (`axioms`)
Tied to code  for small sizes the weights that the proofs speak of are evaluated by Coq and compared,
              entry by entry, with the models that `constructions` builds: `weights`; beyond these
              sizes the built models are run against the automaton: `runs`

    python -m verify.coq.compile                 compile everything, list what is established
    python -m verify.coq.compile --check         the same, and let coqchk check the compiled files
    python -m verify.coq.compile --pin [NAME …]  write both files of pins anew, with further theorems
    python -m verify.coq.compile --folder DIR …  the same for the proofs of another paper

Status 0 if all is well, 1 if something is refused, 2 if Coq is not installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from verify.coq.axioms import assumptions
from verify.coq.build import compiled, missing
from verify.coq.checker import check_compiled
from verify.coq.definitions import meanings_behind
from verify.coq.examine import beyond, disallowed, examine, groups
from verify.coq.pins import (
    DEFINITIONS,
    STATEMENTS,
    Pin,
    file_of,
    meaning_digest,
    meanings,
    pins,
    write_pins,
)
from verify.coq.session import answers, printed_type
from verify.coq.sources import COQ, Refused, files


def modules(folder: Path) -> list[str]:
    """The names of the development's files as modules."""
    return [file.removesuffix(".v") for file in files(folder)]


def selection(theorems: Iterable[str], folder: Path) -> dict[str, Pin]:
    """The pins of the theorems asked for, which agree with the pinned definitions."""
    recorded, table = pins(folder), meanings(folder)
    for name in theorems:
        if name not in recorded:
            raise Refused(f"{name}: no pinned statement in {STATEMENTS}")
        if recorded[name].definitions != meaning_digest(name, table, modules(folder)):
            raise Refused(f"{name}: {STATEMENTS} and {DEFINITIONS} do not agree")
    return {name: recorded[name] for name in theorems}


def established(
    theorems: Sequence[str], folder: Path = COQ, complete: bool = True, cache: Path | None = None
) -> dict[str, Pin]:
    """The theorems asked for, each established as it is pinned; refuses with the reason otherwise.

    Only the chapters that these theorems need are compiled; unless `complete`, only the files.
    """
    pinned = selection(dict.fromkeys(theorems), folder)
    with compiled({file_of(name) for name in pinned}, folder, complete, cache) as build:
        examine(build, pinned, meanings(folder), modules(folder))
    return pinned


def pin(names: Iterable[str], folder: Path = COQ) -> dict[str, Pin]:
    """Write what the theorems pinned so far, and further ones, say, mean and assume now."""
    recorded = pins(folder) if (folder / STATEMENTS).exists() else {}
    theorems = sorted({*recorded, *names})
    with compiled({file_of(name) for name in theorems}, folder) as build:
        table = meanings_behind(build, theorems, modules(folder))
        printed = answers(build, "Statements", {name: f"Check @{name}." for name in theorems})
        axioms = axioms_now(build, theorems, recorded)
    statements = {
        name: Pin(
            printed_type(printed[name]), axioms[name], meaning_digest(name, table, modules(folder))
        )
        for name in theorems
    }
    if lines := disallowed(statements):
        raise Refused("; ".join(lines))
    write_pins(statements, table, folder)
    return statements


def axioms_now(
    build: Path, theorems: Sequence[str], recorded: Mapping[str, Pin]
) -> dict[str, tuple[str, ...]]:
    """The axioms of theorems: those recorded where they are enough, for it takes a second to ask."""
    names = {name: recorded[name] for name in theorems if name in recorded}
    excess = {
        line.partition(" assumes ")[0]
        for k, (allowed, part) in enumerate(groups(names).items())
        for line in beyond(build, f"Recorded{k}x", allowed, list(part))
    }
    new = {name: f"@{name}" for name in theorems if name not in recorded or name in excess}
    same = {name: names[name].assumptions for name in theorems if name not in new}
    return same | (assumptions(build, "New", new) if new else {})


def line_of(name: str, axioms: Sequence[str]) -> str:
    """A theorem with what it assumes, in one line."""
    return f"{name}: {', '.join(axiom.rpartition('.')[2] for axiom in axioms) or 'no axioms'}"


def listing_of(folder: Path) -> list[str]:
    """List what is established of the proofs of another paper."""
    theorems = established(list(pins(folder)), folder)
    return [line_of(name, theorem.assumptions) for name, theorem in theorems.items()]


def listing(check: bool = False) -> list[str]:
    """Compile the whole development, list what is established, compare all weights."""
    from verify.coq.samples import new_seed
    from verify.coq.weights import MODELS, compare_all

    theorems, seed = pins(), new_seed()
    with compiled(files()) as build, ThreadPoolExecutor(1) as beside:
        comparison = beside.submit(compare_all, seed, list(MODELS))
        examine(build, selection(theorems, COQ), meanings(), modules(COQ))
        differences = comparison.result()
        checked = check_compiled(build) if check else []
    if differences:
        raise Refused("; ".join(map(str, differences)))
    lines = [line_of(name, theorem.assumptions) for name, theorem in theorems.items()]
    lines.append(f"{len(theorems)} theorems in {len(files())} files")
    lines.append(f"{len(meanings()) - len(theorems)} definitions behind them are the pinned ones")
    lines += checked
    lines.append(f"sizes of runs are drawn by the seed {seed}")
    return [*lines, *(f"weights, {model.witness(seed)}" for model in MODELS.values())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the theorems with what they assume; the status says whether all is well."""
    parser = argparse.ArgumentParser(
        prog="python -m verify.coq.compile", description="Check proofs."
    )
    parser.add_argument("--pin", nargs="*", metavar="NAME", help="write the pins anew")
    parser.add_argument("--check", action="store_true", help="let coqchk check compiled files too")
    parser.add_argument("--folder", type=Path, default=COQ, help="the proofs of another paper")
    options = parser.parse_args(arguments)
    if reason := missing():
        print(reason)
        return 2
    try:
        if options.pin is None:
            own = options.folder == COQ
            lines = listing(options.check) if own else listing_of(options.folder)
        else:
            theorems = pin(options.pin, options.folder)
            lines = [line_of(name, one.assumptions) for name, one in theorems.items()]
    except Refused as error:
        print(f"refused: {error}")
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
