"""A seeded sample of mutants, each against the tests of its module: are the tests able to see?

    python tests/tools/mutation.py --count 120 --seed 1 --jobs 2
    python tests/tools/mutation.py --count 30 --seed 1 --only verify/bounds verify/record/output.py

Cosmic Ray makes the mutants: a place in a source is drawn first, so that a plus sign with a dozen
replacements counts once, then one of the operators that fit there. The tests of a module are those
in the files of its room that have its name, then those in files that import it, name a fact of it or,
of a command, call it by its name. They run in a copy of the repository, in this order, until one
fails or `SECONDS` of processor time are over; files that name the changed function go first. Then
`FAR` files with tests of its users do (`nearest_tests.py`), and then the rules for every module
(`test_house.py`), each with a time of their own. A test that failed must pass without a mutant, alone
and within the same time; one that does not is left out, with a message, for it would kill everything,
and its mutants are judged again.

A mutant that survives is listed as `path:line  before -> after`. `mutation.toml` gives reasons for
those that cannot be killed because they mean the same. `--refusals` makes mutants of another kind
instead: in each, one `raise` of the re-checker is left out. The exit status is 0 if at least
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
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from nearest_tests import PACKAGES, function_at, sources, tests_of, tests_of_users

ROOT = Path(__file__).resolve().parents[2]
REFUSING = ("verify/recheck",)
ENDINGS = r"(?<= )(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b"
REFUSAL = "a refusal left out"
LEAST = 0.92
SECONDS = 20
FAR, TOGETHER = 12, 8
RULES = ["test_house.py"]
# Imported once; every run of tests is a fork that has them already.
HEAVY = [
    "flint",
    "hypothesis",
    "jinja2",
    "matplotlib",
    "mpmath",
    "numpy",
    "pytest",
    "sympy",
    "torch",
]
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

    nodes = list(ast_nodes(get_ast(path.read_text("utf-8"))))  # once, not for every operator
    name = path.relative_to(ROOT).as_posix()
    found: dict[tuple[int, int], list[Mutant]] = defaultdict(list)
    for operator in sorted(plugins.operator_names()):
        if any(word in operator for word in LEFT_OUT) or plugins.get_operator(operator).arguments():
            continue
        made = plugins.get_operator(operator)()
        spots = (start for node in nodes for start, _ in made.mutation_positions(node))
        for occurrence, start in enumerate(spots):
            found[start].append(Mutant(name, operator, occurrence, start[0]))
    return found


def sample(count: int, seed: int, areas: Sequence[str] = PACKAGES) -> list[Mutant]:
    """That many mutants, at different places."""
    random = Random(seed)
    spots = [ways for path in sources(areas) for _, ways in sorted(places(path).items())]
    return [random.choice(ways) for ways in random.sample(spots, min(count, len(spots)))]


def refusals(count: int, seed: int, areas: Sequence[str] = REFUSING) -> list[Mutant]:
    """That many mutants, each without one of its `raise` statements."""
    found = []
    for path in sources(areas):
        name = path.relative_to(ROOT).as_posix()
        lines = [raised.lineno for raised in _raises(path.read_text("utf-8"))]
        found += [Mutant(name, REFUSAL, number, line) for number, line in enumerate(lines)]
    return Random(seed).sample(found, min(count, len(found)))


def _raises(text: str) -> list[ast.Raise]:
    """The `raise` statements of a source, from top to bottom."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
    return sorted(found, key=lambda node: node.lineno)


def _unrefused(text: str, occurrence: int) -> str:
    """A source in which one `raise` does nothing."""
    raised = _raises(text)[occurrence]
    lines = text.splitlines(keepends=True)
    first, last = raised.lineno - 1, raised.end_lineno or raised.lineno
    rest = ["\n"] * (last - first - 1)
    return "".join([*lines[:first], f"{' ' * raised.col_offset}pass\n", *rest, *lines[last:]])


def source(mutant: Mutant) -> str:
    """The file with the mutant in it."""
    text = (ROOT / mutant.path).read_text("utf-8")
    if mutant.operator == REFUSAL:
        return _unrefused(text, mutant.occurrence)
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

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


@dataclass(frozen=True)
class Ended:
    """How a run of tests ended: the status of the process, what it printed, when the last test began."""

    status: int
    output: str
    began: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether all the tests passed; no test at all is no failure."""
        return self.status in (0, 5)

    @property
    def cut_short(self) -> bool:
        """Whether the time was over before the tests were."""
        return self.status < 0

    @property
    def last(self) -> str:
        """The test that was named last; a file, if it could not be read; empty if neither."""
        broken = re.findall(r"^(?:ERROR|_+ ERROR collecting) (\S+\.py)", self.output, re.MULTILINE)
        named = re.findall(rf"^(\S+\.py::.+?) *(?:{ENDINGS}.*)?$", self.output, re.MULTILINE)
        return str([*named, *broken][-1]) if named or broken else ""


class Copy:
    """A copy of the repository in which mutants live and die."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "copy"
        left_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build")
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=left_out)
        self.left_out: set[str] = set()
        self._clock = time.time()

    def run(self, tests: Sequence[str], *options: str, seconds: int = SECONDS) -> Ended:
        """Run tests, or those that are not left out, in a process with a limit of its time."""
        output = self.root.with_suffix(".out")
        # pytest prints the names of tests from their folder on, and compares them from its root on
        names = (name for test in sorted(self.left_out) for name in (test, f"tests/{test}"))
        asked = [*options, *(f"--deselect={name}" for name in names), *tests]
        forks = multiprocessing.get_context("forkserver")
        child = forks.Process(target=_pytest, args=(self.root, output, asked, seconds))
        child.start()
        child.join()
        began = output.with_suffix(".began")
        seconds_before = float(began.read_text("utf-8")) if began.exists() else 0.0
        return Ended(child.exitcode or 0, output.read_text("utf-8", "replace"), seconds_before)

    def failing(self, tests: Sequence[str]) -> set[str]:
        """Those of some tests that do not pass without a mutant, alone and within the same time."""
        failed = {test for test in self._doubtful(tests) if not self._passes(test)}
        for test in sorted(failed):
            print(f"left out, does not pass: {test}", flush=True)
        return failed

    def _doubtful(self, tests: Sequence[str]) -> list[str]:
        """Those that do not pass in a run of some of them: most do, and need none of their own."""
        found = []
        for start in range(0, len(tests), TOGETHER):
            some = [test for test in tests[start : start + TOGETHER] if "::" in test]
            output = self.run(some).output if some else ""
            found += [test for test in tests[start : start + TOGETHER]
                      if not re.search(rf"^{re.escape(test)} +PASSED", output, re.MULTILINE)]  # fmt: skip
        return found

    def _passes(self, test: str) -> bool:
        """Whether a test is run and passes; of a file that could not be read, whether it can be."""
        ended = self.run([test], *([] if "::" in test else ["--collect-only"]))
        return ended.status == 0 and ("::" not in test or " PASSED" in ended.output)

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

    def kills(self, path: str, text: str, tests: Sequence[Sequence[str]]) -> str:
        """The first test that fails with a mutant; empty if there is none."""
        with self.changed(path, text):
            return next(filter(None, map(self._failing_first, (*tests, RULES))), "")

    def _failing_first(self, tests: Sequence[str]) -> str:
        if not tests:
            return ""
        ended = self.run(tests, "-x")
        if ended.passed:
            return ""
        last = ended.last or tests[0]
        # Cut short by a test that does not end any more, or by all of them together?
        together = ended.cut_short and (ended.began > SECONDS / 2 or self.run([last]).passed)
        return "" if together else last


@dataclass(frozen=True)
class Clock:
    """A plugin of pytest that writes down after how much processor time the last test began."""

    place: Path

    def pytest_runtest_logstart(self) -> None:
        """Called before each test."""
        self.place.write_text(str(time.process_time()), "utf-8")


def _pytest(root: Path, output: Path, arguments: list[str], seconds: int) -> None:
    """In a process of its own: pytest in a copy, with a limit of its processor time."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    os.chdir(root / "tests")
    sys.dont_write_bytecode = False  # compiled once for all mutants
    os.environ["PYTHONPATH"] = str(root)
    # An environment of tox lies in the repository, too, and stays.
    ours = {ROOT, ROOT / "tests", ROOT / "tests" / "support", ROOT / "tests" / "tools"}
    sys.path[:] = [str(root), *(path for path in sys.path if Path(path) not in ours)]
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    options = ["-v", "--tb=no", "--disable-warnings", "-p", "no:cacheprovider", "--timeout=300",
               "--hypothesis-seed=0", "-m", "not slow and not coq and not chromium"]  # fmt: skip
    began = Clock(output.with_suffix(".began"))
    began.place.unlink(missing_ok=True)
    sys.exit(pytest.main([*options, *arguments], plugins=[began]))


def reasons() -> dict[str, str]:
    """Why some mutants mean the same, by their description without the line's number."""
    found: dict[str, str] = tomllib.loads(REASONS.read_text("utf-8"))["same"]
    return found


def plain(description: str) -> str:
    """A description without the number of the line, which moves."""
    place, _, change = description.partition("  ")
    return f"{place.rpartition(':')[0]}  {change}"


@dataclass(frozen=True)
class Judged:
    """What became of a mutant: killed, survived, same, untested, or no program at all."""

    mutant: Mutant
    outcome: str
    text: str
    killer: str = ""


def _is_program(text: str) -> bool:
    """Whether Python reads it: the star of keyword arguments, exchanged, is not even a mistake."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def stages(mutant: Mutant) -> list[list[str]]:
    """The tests of a mutant's module and `FAR` of its users', first those that name its function."""
    path = ROOT / mutant.path
    name = re.escape(function_at(path, mutant.line)) or "(?!)"  # which is found nowhere
    word = re.compile(rf"\b{name}\b")
    found = []
    for chosen, most in ((tests_of(path), None), (tests_of_users(path), FAR)):
        ordered = sorted(chosen, key=lambda test: not word.search(test.read_text("utf-8")))
        found.append([str(test.relative_to(ROOT / "tests")) for test in ordered[:most]])
    return found


def judged(mutant: Mutant, copies: queue.Queue[Copy]) -> Judged:
    """Run the tests of a mutant's module, unless it is known to mean the same."""
    changed = source(mutant)
    text = described(mutant, changed)
    if not _is_program(changed):
        return Judged(mutant, "no program", text)
    if reason := reasons().get(plain(text)):
        return Judged(mutant, "same", f"{text}  ({reason})")
    tests = stages(mutant)
    if not any(tests):
        return Judged(mutant, "untested", text)
    copy = copies.get()
    try:
        killer = copy.kills(mutant.path, changed, tests)
    finally:
        copies.put(copy)
    outcome = "killed" if killer else "survived"
    print(f"{outcome:8}  {text}" + (f"  by {killer}" if killer else ""), flush=True)
    return Judged(mutant, outcome, text, killer)


def all_judged(mutants: Sequence[Mutant], copies: Sequence[Copy]) -> list[Judged]:
    """Judge mutants; those whose killer fails without them, too, once more without that test."""
    free: queue.Queue[Copy] = queue.Queue()
    for copy in copies:
        free.put(copy)
    with ThreadPoolExecutor(len(copies)) as pool:
        found = list(pool.map(lambda mutant: judged(mutant, free), mutants))
    killers = {each.killer for each in found} - {""}
    if again := killers & copies[0].left_out:
        raise RuntimeError(f"left out, and run all the same: {', '.join(sorted(again))}")
    unsound = copies[0].failing(sorted(killers))
    if not unsound:
        return found
    for copy in copies:
        copy.left_out |= unsound
    again = [each.mutant for each in found if each.killer in unsound]
    return [each for each in found if each.killer not in unsound] + all_judged(again, copies)


def main() -> int:
    """Judge a sample and print the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="copies that work at the same time")
    parser.add_argument("--only", nargs="+", metavar="PATH", help="of these files and folders")
    parser.add_argument("--refusals", action="store_true", help="leave out one `raise` in each")
    args = parser.parse_args()
    drawn, areas = (refusals, REFUSING) if args.refusals else (sample, PACKAGES)
    mutants = drawn(args.count, args.seed, args.only or areas)
    multiprocessing.get_context("forkserver").set_forkserver_preload(HEAVY)
    with tempfile.TemporaryDirectory() as folder:
        copies = [Copy(Path(folder) / str(number)) for number in range(args.jobs)]
        found = all_judged(mutants, copies)
    return reported(found)


def reported(found: Sequence[Judged]) -> int:
    """Print what was not killed and the score; the exit status."""
    for each in found:
        if each.outcome != "killed":
            print(f"{each.outcome:8}  {each.text}")
    counts = Counter(each.outcome for each in found)
    tried = counts["killed"] + counts["survived"] + counts["untested"]
    score = counts["killed"] / max(1, tried)
    print(f"{dict(counts)}; killed {score:.1%} of {tried} that differ in meaning")
    return int(score < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
