"""Establish the machine-checked theorems: their statements, what these mean, what they assume.

Claimed       a theorem of the development holds for all the n, T, words and trees of its statement
Confirmed     coqc accepts the files that it needs; the theorem has the pinned statement; every
              constant of the development behind the statement is what is pinned (`pins`);
              `Print Assumptions` names no axiom beyond those pinned for it, at most the three of
              Coq's real numbers, by full path and type (`axioms`)
Not vacuous   the examples in the files of the group `Instances` apply the theorems and use what they
              say; all of them, and all theorems of `Main.v`, must be pinned
Tied to code  for small sizes the weights that the proofs speak of are evaluated by Coq and compared,
              entry by entry, with the models that `constructions` builds: `weights`; beyond these
              sizes the built models are run against the automaton: `runs`

    python -m verify.coq.compile                 compile everything, list what is established
    python -m verify.coq.compile --check         the same without a cache, and run coqchk
    python -m verify.coq.compile --pin [NAME …]  write the files of pins, with further theorems
    python -m verify.coq.compile --folder DIR …  the same for the proofs of another paper

Status 0 if all is well, 1 if something is refused, 2 if Coq is not installed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from verify.coq.axioms import assumptions
from verify.coq.build import compiled, missing
from verify.coq.checker import check_compiled
from verify.coq.definitions import meanings_behind
from verify.coq.examine import beyond, disallowed, examine, examine_examples, groups
from verify.coq.parsing import sentences
from verify.coq.pins import (
    DEFINITIONS,
    EXAMPLES,
    STATEMENTS,
    Pin,
    examples,
    file_of,
    meaning_digest,
    meanings,
    pins,
    write_pins,
)
from verify.coq.session import answers, printed_type
from verify.coq.sources import COQ, INSTANCES, Refused, files, modules, text
from verify.coq.sources import groups as groups_of_files

CITED = "Main.v"


def selection(theorems: Iterable[str], folder: Path) -> dict[str, Pin]:
    """Return the pins of some theorems; refuse one that does not agree with the definitions."""
    recorded, table = pins(folder), meanings(folder)
    for name in theorems:
        if name not in recorded:
            raise Refused(f"{name}: no pinned statement in {STATEMENTS}")
        if recorded[name].definitions != meaning_digest(name, table, modules(folder)):
            raise Refused(f"{name}: {STATEMENTS} and {DEFINITIONS} do not agree")
    return {name: recorded[name] for name in theorems}


def established(
    theorems: Sequence[str], folder: Path = COQ, cache: Path | None = None
) -> dict[str, Pin]:
    """Return the pins of some theorems if Coq establishes each of them; refuse otherwise.

    Only the files that these theorems need are compiled.
    """
    pinned = selection(dict.fromkeys(theorems), folder)
    with compiled({file_of(name) for name in pinned}, folder, cache) as build:
        examine(build, pinned, meanings(folder), modules(folder))
    return pinned


def declared(kinds: str, names: Iterable[str], folder: Path) -> list[str]:
    """Return the names that some files declare by a command, like `Example`."""
    found = (
        (file.removesuffix(".v"), re.match(rf"(?:{kinds})\s+([\w']+)", sentence))
        for file in names
        for sentence in sentences(text(folder, file))
    )
    return [f"{module}.{match[1]}" for module, match in found if match]


def examples_of(folder: Path) -> list[str]:
    """Return the names of the examples in the group `Instances`."""
    return declared("Example", groups_of_files(folder).get(INSTANCES, ()), folder)


def pinned_examples(folder: Path) -> dict[str, str]:
    """Return the pinned examples; refuse an unpinned example or theorem of `Main.v`, or one missing."""
    found, pinned = set(examples_of(folder)), examples(folder)
    cited = declared("Theorem|Corollary", {CITED} & set(files(folder)), folder)
    if open_names := sorted((found - pinned.keys()) | (set(cited) - pins(folder).keys())):
        raise Refused(f"{open_names[0]} is not pinned")
    if gone := sorted(pinned.keys() - found):
        raise Refused(f"{gone[0]} is pinned in {EXAMPLES}, but no such example is there")
    return pinned


def check_examples(folder: Path = COQ, cache: Path | None = None) -> None:
    """Compile the files of the group `Instances`, and refuse an example that is not as pinned."""
    if pinned := pinned_examples(folder):
        with compiled(groups_of_files(folder)[INSTANCES], folder, cache) as build:
            examine_examples(build, pinned)


def pin(names: Iterable[str], folder: Path = COQ) -> dict[str, Pin]:
    """Write what the theorems pinned so far, further ones, and the examples say, mean and assume."""
    recorded = pins(folder)
    theorems, applied = sorted({*recorded, *names}), examples_of(folder)
    with compiled({file_of(name) for name in (*theorems, *applied)}, folder) as build:
        table = meanings_behind(build, theorems, modules(folder))
        checks = {name: f"Check @{name}." for name in (*theorems, *applied)}
        printed = answers(build, "Statements", checks)
        axioms = axioms_now(build, theorems, recorded)
    statements = {
        name: Pin(
            printed_type(printed[name]), axioms[name], meaning_digest(name, table, modules(folder))
        )
        for name in theorems
    }
    if lines := disallowed(statements):
        raise Refused("; ".join(lines))
    write_pins(statements, table, folder, {name: printed_type(printed[name]) for name in applied})
    return statements


def axioms_now(
    build: Path, theorems: Sequence[str], recorded: Mapping[str, Pin]
) -> dict[str, tuple[str, ...]]:
    """Return the axioms of theorems: those recorded where they are enough, which saves a second each."""
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
    """Return a theorem with what it assumes, in one line."""
    return f"{name}: {', '.join(axiom.rpartition('.')[2] for axiom in axioms) or 'no axioms'}"


def listing_of(folder: Path) -> list[str]:
    """Return a line for each theorem of another paper's proofs."""
    theorems = established(list(pins(folder)), folder)
    check_examples(folder)
    return [line_of(name, theorem.assumptions) for name, theorem in theorems.items()]


def listing(check: bool = False) -> list[str]:
    """Compile the whole development, list what is established, compare all weights.

    With `check` the cache is empty at first, so that no compiled file is taken on trust.
    """
    from verify.coq.samples import new_seed
    from verify.coq.weights import MODELS, compare_all

    theorems, applied, seed = pins(), pinned_examples(COQ), new_seed()
    fresh = tempfile.TemporaryDirectory(prefix="assay-coq-") if check else nullcontext(None)
    with (
        fresh as cache,
        compiled(files(), COQ, Path(cache) if cache else None) as build,
        ThreadPoolExecutor(1) as beside,
    ):
        comparison = beside.submit(compare_all, seed, list(MODELS))
        examine(build, selection(theorems, COQ), meanings(), modules())
        examine_examples(build, applied)
        differences = comparison.result()
        checked = check_compiled(build) if check else []
    if differences:
        raise Refused("; ".join(map(str, differences)))
    lines = [line_of(name, theorem.assumptions) for name, theorem in theorems.items()]
    lines.append(f"{len(theorems)} theorems in {len(files())} files, {len(applied)} examples")
    lines.append(f"{len(meanings()) - len(theorems)} definitions behind them are the pinned ones")
    lines += checked
    lines.append(f"sizes of runs are drawn by the seed {seed}")
    return [*lines, *(f"weights, {model.witness(seed)}" for model in MODELS.values())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the theorems with what they assume; return 0 if all of them are established."""
    parser = argparse.ArgumentParser(
        prog="python -m verify.coq.compile", description="Check proofs."
    )
    parser.add_argument("--pin", nargs="*", metavar="NAME", help="write the pins")
    parser.add_argument("--check", action="store_true", help="no cache, and run coqchk")
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
