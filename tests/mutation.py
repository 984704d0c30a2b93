"""A seeded sample of mutants, each against the tests of its module: are the tests able to see?

    python tests/mutation.py --count 120 --seed 1 --jobs 2

Cosmic Ray makes the mutants: a place in a source is drawn first, so that a plus sign with a dozen
replacements counts once, then one of the operators that fit there. The tests of a module are those
in the file that mirrors it, then those in files that import it; if there are none, those of the
modules that import it. They run in a copy of the repository, in this order, until one fails or
`SECONDS` of processor time are over. The test that failed must pass without the mutant; if it does
not, it is left out, with a message, for it would kill everything.

A mutant that survives is listed as `path:line  before -> after`. `mutation.toml` gives reasons for
those that cannot be killed because they mean the same. The exit status is 0 if at least
`LEAST` of the mutants without such a reason were killed.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import queue
import re
import resource
import shutil
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
AREAS = ("constructions", "verify/judge", "verify/bounds", "verify/recheck/kernel")
PACKAGES = ("constructions", "verify", "reports")
LEAST = 0.92
SECONDS = 45
# Imported once; every run of tests is a fork that has them already.
HEAVY = ["flint", "hypothesis", "mpmath", "numpy", "pytest", "sympy", "torch"]
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
    """The files with the tests of a source file, the nearest first."""
    module = module_of(path)
    inside = path.relative_to(ROOT).parent
    mirrors = [f"tests/{inside}/test_{path.stem}.py", f"tests/{inside.parent}/test_{path.stem}.py"]
    found = [ROOT / name for name in mirrors if (ROOT / name).exists()]
    near = importers(module, ["tests"], "test_*.py")
    found += sorted(near, key=lambda test: test.stat().st_size)
    for user in importers(module, PACKAGES, "*.py") if not found else []:
        found += importers(module_of(user), ["tests"], "test_*.py")
        found += list(ROOT.joinpath("tests").rglob(f"test_{user.stem}.py"))
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Ended:
    """How a run of tests ended: the status of the process, and the test that was the last to run."""

    status: int
    last: str

    @property
    def passed(self) -> bool:
        """Whether all the tests passed; no test at all is no failure."""
        return self.status in (0, 5)

    @property
    def cut_short(self) -> bool:
        """Whether the time was over before the tests were."""
        return self.status < 0


class Copy:
    """A copy of the repository in which mutants live and die."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy"
        for name in (*PACKAGES, "tests", "docs", "pyproject.toml", "setup.cfg"):
            whole = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            self.root.mkdir(exist_ok=True, parents=True)
            whole(ROOT / name, self.root / name)
        self._clock = time.time()
        self._passes: dict[str, bool] = {}

    def run(self, tests: Sequence[str]) -> Ended:
        """Run tests until one fails, or until their processor time is over."""
        left_out = [f"--deselect={test}" for test, passes in self._passes.items() if not passes]
        output = self.root.with_suffix(".out")
        forks = multiprocessing.get_context("forkserver")
        child = forks.Process(target=_pytest, args=(self.root, output, [*left_out, *tests]))
        child.start()
        child.join()
        return Ended(child.exitcode or 0, _last(output.read_text("utf-8", "replace"), tests))

    def passes(self, test: str) -> bool:
        """Whether one test passes without a mutant."""
        if test not in self._passes:
            self._passes[test] = self.run([test]).passed
            if not self._passes[test]:
                print(f"left out, does not pass: {test}", flush=True)
        return self._passes[test]

    @contextmanager
    def changed(self, path: str, text: str) -> Iterator[None]:
        """A file with another text, and with a time of its own, by which Python compiles it anew."""
        place = self.root / path
        original = place.read_text("utf-8")
        try:
            self._written(place, text)
            yield
        finally:
            self._written(place, original)

    def _written(self, place: Path, text: str) -> None:
        place.write_text(text, "utf-8")
        self._clock += 2
        os.utime(place, (self._clock, self._clock))

    def kills(self, path: str, text: str, tests: Sequence[str]) -> str:
        """The test that fails with a mutant and passes without it; empty if there is none."""
        with self.changed(path, text):
            ended = self.run(tests)
        if ended.passed:
            return ""
        if ended.cut_short:  # by a test that does not end any more, or by all of them together
            with self.changed(path, text):
                if self.run([ended.last]).passed:
                    return ""
        return ended.last if self.passes(ended.last) else self.kills(path, text, tests)


def _pytest(root: Path, output: Path, arguments: list[str]) -> None:
    """In a process of its own: pytest in a copy, with a limit of its processor time."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.chdir(root / "tests")
    os.environ["PYTHONPATH"] = str(root)
    sys.path[:] = [str(root), *(path for path in sys.path if not Path(path).is_relative_to(ROOT))]
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    options = ["-v", "-x", "--tb=no", "-p", "no:cacheprovider", "--timeout=300",
               "--hypothesis-seed=0", "-m", "not slow and not coq and not chromium"]  # fmt: skip
    sys.exit(pytest.main([*options, *arguments]))


def _last(output: str, tests: Sequence[str]) -> str:
    """The test that pytest named last; a file, if it could not be read."""
    broken = re.findall(r"^(?:ERROR|_+ ERROR collecting) (\S+\.py)", output, re.MULTILINE)
    named = re.findall(r"^(\S+\.py::.+?)(?: (?:[A-Z]+)(?: .*)?)?$", output, re.MULTILINE)
    return str([*named, *broken][-1]) if named or broken else tests[0]


def reasons() -> dict[str, str]:
    """Why some mutants mean the same, by their description without the line's number."""
    found: dict[str, str] = tomllib.loads(REASONS.read_text("utf-8"))["same"]
    return found


def plain(description: str) -> str:
    """A description without the number of the line, which moves."""
    place, _, change = description.partition("  ")
    return f"{place.rpartition(':')[0]}  {change}"


def judged(mutant: Mutant, copies: queue.Queue[Copy]) -> tuple[str, str]:
    """What became of a mutant (killed, survived, same, untested), and its description."""
    changed = source(mutant)
    text = described(mutant, changed)
    if reason := reasons().get(plain(text)):
        return "same", f"{text}  ({reason})"
    tests = [str(test.relative_to(ROOT / "tests")) for test in tests_of(ROOT / mutant.path)]
    if not tests:
        return "untested", text
    copy = copies.get()
    try:
        killer = copy.kills(mutant.path, changed, tests)
    finally:
        copies.put(copy)
    return ("killed", f"{text}  by {killer}") if killer else ("survived", text)


def main() -> int:
    """Judge a sample and print the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="copies that work at the same time")
    parser.add_argument("--only", nargs="+", default=AREAS, metavar="PATH", help="of these folders")
    args = parser.parse_args()
    counts: dict[str, int] = defaultdict(int)
    started = time.monotonic()
    multiprocessing.get_context("forkserver").set_forkserver_preload(HEAVY)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        copies: queue.Queue[Copy] = queue.Queue()
        for number in range(args.jobs):
            copies.put(Copy(Path(folder) / str(number)))
        mutants = sample(args.count, args.seed, args.only)
        for outcome, text in pool.map(lambda mutant: judged(mutant, copies), mutants):
            counts[outcome] += 1
            print(f"{time.monotonic() - started:7.0f} s  {outcome:8}  {text}", flush=True)
    tried = counts["killed"] + counts["survived"] + counts["untested"]
    score = counts["killed"] / max(1, tried)
    print(f"{dict(counts)}; killed {score:.1%} of {tried} that differ in meaning")
    return int(score < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
