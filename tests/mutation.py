"""A seeded sample of mutants, each against the tests of its module: are the tests able to see?

    python tests/mutation.py --count 120 --seed 1

Cosmic Ray makes the mutants: a place in a source is drawn first, so that a plus sign with a dozen
replacements counts once, then one of the operators that fit there. The tests of a module are those
in the file that mirrors it, else those that import it, else those of the modules that import it.
They run in a copy of the repository, at first without a mutant: a file of tests
that does not pass then is left out, with a message, for it would kill everything.

A mutant that survives is listed as `path:line  before -> after`. `mutation.toml` gives reasons for
those that cannot be killed because they mean the same. The exit status is 0 if at least
`LEAST` of the mutants without such a reason were killed.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
AREAS = ("constructions", "verify/judge", "verify/bounds", "verify/recheck/kernel")
PACKAGES = ("constructions", "verify", "reports")
LEAST = 0.92
SECONDS = 240
REASONS = Path(__file__).with_suffix(".toml")
# `X | None` in annotations is never evaluated; a decorator or an exception type is no arithmetic.
LEFT_OUT = ("BitOr", "RemoveDecorator", "VariableReplacer", "VariableInserter")


@dataclass(frozen=True)
class Mutant:
    """One place of one file, with the operator that changes it."""

    path: str
    operator: str
    occurrence: int
    line: int


def places(path: Path) -> dict[tuple[int, int], list[Mutant]]:
    """Every place of a file where something can be changed, with all the ways."""
    from cosmic_ray import plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    tree, name = get_ast(path.read_text("utf-8")), path.relative_to(ROOT).as_posix()
    found: dict[tuple[int, int], list[Mutant]] = defaultdict(list)
    for operator in sorted(plugins.operator_names()):
        if any(word in operator for word in LEFT_OUT) or plugins.get_operator(operator).arguments():
            continue
        made = plugins.get_operator(operator)()
        spots = (start for node in ast_nodes(tree) for start, _ in made.mutation_positions(node))
        for occurrence, start in enumerate(spots):
            found[start].append(Mutant(name, operator, occurrence, start[0]))
    return found


def sample(count: int, seed: int, areas: Sequence[str] = AREAS) -> list[Mutant]:
    """That many mutants, at different places."""
    random = Random(seed)
    files = [path for area in areas for path in sorted((ROOT / area).rglob("*.py"))]
    spots = [ways for path in files for _, ways in sorted(places(path).items())]
    return [random.choice(ways) for ways in random.sample(spots, min(count, len(spots)))]


def source(mutant: Mutant) -> str:
    """The file with the mutant in it."""
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    text = (ROOT / mutant.path).read_text("utf-8")
    changed = mutate_code(text, plugins.get_operator(mutant.operator)(), mutant.occurrence)
    if changed is None:
        raise LookupError(f"{mutant} is not there")
    return str(changed)


def described(mutant: Mutant, changed: str) -> str:
    """`path:line  before -> after`, without the number of the line in a reason's key."""
    before = (ROOT / mutant.path).read_text("utf-8").splitlines()
    after = changed.splitlines()
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if old != new:
            return f"{mutant.path}:{number}  {old.strip()} -> {new.strip()}"
    return f"{mutant.path}:{mutant.line}  the last lines are left out"


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file names in an import."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def importers(module: str, folders: Sequence[str], pattern: str) -> list[Path]:
    """The files of some folders that import a module."""
    files = (path for folder in folders for path in sorted((ROOT / folder).rglob(pattern)))
    return [path for path in files if module in imports(path)]


def tests_of(path: Path) -> list[Path]:
    """The files with the tests of a source file."""
    module = module_of(path)
    inside = path.relative_to(ROOT).parent
    mirrors = [f"tests/{inside}/test_{path.stem}.py", f"tests/{inside.parent}/test_{path.stem}.py"]
    found = [ROOT / name for name in mirrors if (ROOT / name).exists()]
    found = found or importers(module, ["tests"], "test_*.py")
    for user in importers(module, PACKAGES, "*.py") if not found else []:
        found += importers(module_of(user), ["tests"], "test_*.py")
        found += list(ROOT.joinpath("tests").rglob(f"test_{user.stem}.py"))
    return sorted(set(found))


class Copy:
    """A copy of the repository in which mutants live and die."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy"
        for name in (*PACKAGES, "tests", "docs", "pyproject.toml", "setup.cfg"):
            whole = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            self.root.mkdir(exist_ok=True)
            whole(ROOT / name, self.root / name)
        self._fails: dict[Path, bool] = {}

    def passes(self, tests: Sequence[Path]) -> bool:
        """Whether tests pass within their time."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        names = [str(test.relative_to(ROOT / "tests")) for test in tests]
        asked = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow and not coq and not chromium",
                 "-p", "no:cacheprovider", "-p", "no:randomly", *names]  # fmt: skip
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            ended = subprocess.run(
                asked, cwd=self.root / "tests", env=environment, timeout=SECONDS, **quiet
            )
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0

    def sound(self, tests: Sequence[Path]) -> list[Path]:
        """The files of tests that pass without a mutant."""
        for test in tests:
            if test not in self._fails:
                self._fails[test] = not self.passes([test])
                if self._fails[test]:
                    print(f"left out, does not pass: {test.relative_to(ROOT)}", flush=True)
        return [test for test in tests if not self._fails[test]]

    def kills(self, mutant: Mutant, changed: str, tests: Sequence[Path]) -> bool:
        """Whether the tests notice a mutant."""
        place = self.root / mutant.path
        original = place.read_text("utf-8")
        try:
            place.write_text(changed, "utf-8")
            return not self.passes(tests)
        finally:
            place.write_text(original, "utf-8")


def reasons() -> dict[str, str]:
    """Why some mutants mean the same, by their description without the line's number."""
    found: dict[str, str] = tomllib.loads(REASONS.read_text("utf-8"))["same"]
    return found


def plain(description: str) -> str:
    """A description without the number of the line, which moves."""
    place, _, change = description.partition("  ")
    return f"{place.rpartition(':')[0]}  {change}"


def judged(mutants: Sequence[Mutant], copy: Copy) -> Iterator[tuple[str, str]]:
    """What became of each mutant (killed, survived, same, untested), and its description."""
    known = reasons()
    for mutant in mutants:
        changed = source(mutant)
        text = described(mutant, changed)
        if plain(text) in known:
            yield "same", f"{text}  ({known[plain(text)]})"
            continue
        tests = copy.sound(tests_of(ROOT / mutant.path))
        if not tests:
            yield "untested", text
            continue
        yield ("killed" if copy.kills(mutant, changed, tests) else "survived"), text


def main() -> int:
    """Judge a sample and print the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=AREAS, metavar="PATH", help="of these folders")
    args = parser.parse_args()
    counts: dict[str, int] = defaultdict(int)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        started = time.monotonic()
        for outcome, text in judged(sample(args.count, args.seed, args.only), copy):
            counts[outcome] += 1
            print(f"{time.monotonic() - started:7.0f} s  {outcome:8}  {text}", flush=True)
    tried = counts["killed"] + counts["survived"] + counts["untested"]
    score = counts["killed"] / max(1, tried)
    print(f"{dict(counts)}; killed {score:.1%} of {tried} that differ in meaning")
    return int(score < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
