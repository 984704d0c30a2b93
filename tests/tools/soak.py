"""Random commands on random files for some minutes: no traceback, no hang, no flood of memory.

    python tests/tools/soak.py --minutes 20 --seed 1

Each command runs in a process of its own. It fails if it leaves a traceback, ends with a status
that the command line does not have, says more than one line when it refuses, takes more than
`SECONDS` of processor time or `MEMORY` bytes, or waits for ten times as long. What failed is
printed with the seed that repeats it: `--only SEED` runs that one command with its output.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))  # as pytest has it

import grammar_support as grammar
import reports_support
from record_support import SMALL

from verify import cli
from verify.record import chosen_paper, output

SECONDS = 60.0
MEMORY = 2 << 30
STATUSES = {0, 1, 2, 3, 4}
REFUSED = 4


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    seconds: float
    memory: int
    error: str

    def fault(self) -> str:
        """What is wrong with it; empty if nothing."""
        if self.seconds > SECONDS:
            return f"ran longer than {SECONDS:.0f} s"
        if self.memory > MEMORY:
            return f"took {self.memory >> 20} MB"
        if "Traceback" in self.error or self.status not in STATUSES:
            last = "".join(self.error.strip().splitlines()[-1:])
            return f"status {self.status}, {last[:200]}"
        if self.status == REFUSED and self.error.count("\n") != 1:
            return f"refused in {self.error.count(chr(10))} lines"
        return ""


def run(arguments: list[str], folder: Path) -> Outcome:
    """Run one command in a fork, so that what is imported once is there."""
    child = os.fork()
    if child == 0:
        _child(arguments, folder)
    status, usage = _awaited(child, time.monotonic() + 10 * SECONDS)
    error = (folder / "stderr").read_text("utf-8", "replace")
    seconds = usage.ru_utime + usage.ru_stime
    return Outcome(status, seconds, usage.ru_maxrss * 1024, error)


def _child(arguments: list[str], folder: Path) -> None:
    os.setpgid(0, 0)
    limit = int(SECONDS) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    os.chdir(folder)
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    status = 70
    try:
        status = cli.main(arguments)
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 70
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _awaited(child: int, until: float) -> tuple[int, resource.struct_rusage]:
    """The status of a process and what it took; beyond its time it is killed."""
    while True:
        found, status, usage = os.wait4(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), usage
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            until = float("inf")
        time.sleep(0.01)


def _file(r: Random, folder: Path, name: str = "automaton.json") -> str:
    made = grammar.automaton(r) if r.random() < 0.85 else grammar.pautomac(r)
    (folder / name).write_text(grammar.edited(r, made) if r.random() < 0.1 else made, "utf-8")
    return str(folder / name)


def _some(r: Random, *options: tuple[str, str]) -> list[str]:
    """Each option with its value, or not."""
    return [word for option in options if r.random() < 0.5 for word in option]


def _place(r: Random, good: str, *bad: str) -> str:
    """Where to write: mostly a place that is there."""
    return good if r.random() < 0.8 else r.choice(("/dev/full", "n" * 300, *bad))


def _automaton(r: Random, folder: Path) -> list[str]:
    some = _some(r, ("--eps", grammar.epsilon(r)), ("--activation", r.choice(("gelu", "relu"))))
    return ["automaton", _file(r, folder), "--length", grammar.length(r), *some]


def _export(r: Random, folder: Path) -> list[str]:
    kind = r.choice(("decoder", "decoder", "exact", "soft", "tree", "logdepth"))
    form = r.choice(("safetensors", "transformerlens", "gpt2", "llama", "npz"))
    some = _some(r, ("--eps", grammar.epsilon(r)), ("--saturation", grammar.number(r)),
                 ("--dtype", r.choice(("float64", "float32", "bfloat16"))))  # fmt: skip
    some += ["--format", form] if kind == "decoder" else []
    place = _place(r, "model", "stderr", "/proc/none")
    return ["export", _file(r, folder), "--length", grammar.length(r), "--construction", kind,
            *some, "--out", place]  # fmt: skip


def _sweep(r: Random, folder: Path) -> list[str]:
    what = grammar.family(r) if r.random() < 0.6 else _file(r, folder)
    odd = r.choice((grammar.number(r), f"1:2:{grammar.number(r)}"))
    span = r.choice(("400:800:2", "1:2:3", "1", "20:30:2", odd))
    some = _some(r, ("--plot", _place(r, "out.svg")))
    return ["sweep", what, "--length", grammar.length(r), "--saturation", span, *some]


def _explain(r: Random, folder: Path) -> list[str]:
    word = r.choice(("abab", "a", "", "red blue", grammar.tree(r), "é\u202e"))
    return ["explain", _file(r, folder), f"--word={word}", *_some(r, ("--plot", "reads.svg"))]


def _equal(r: Random, folder: Path) -> list[str]:
    return ["equal", _file(r, folder), _file(r, folder, "other.json")]


def _report(r: Random, folder: Path) -> str:
    """A report on the small paper of the template, or on one that nobody has the data of, changed."""
    place = folder / "report"
    if r.random() < 0.5:
        output.write_report(
            place, *SMALL.copies(), chosen_paper.choose(chosen_paper.TEMPLATE).carried()
        )
        bodies = dict(zip(("record.json", "certificates.json"), SMALL.copies(), strict=True))
    else:
        place.mkdir()
        bodies = dict(
            zip(("record.json", "certificates.json"), reports_support.made(), strict=True)
        )
    for name, body in bodies.items():
        for _ in range(r.choice((0, 0, 1, 2))):
            body = grammar.changed(r, body, 0.1)
        (place / name).write_text(json.dumps(body), "utf-8")
    return str(place)


def _reading(r: Random, folder: Path) -> list[str]:
    name = r.choice(("thm1", "eq1", "prop1", "Theorem 2", "old.thm1", "x\x1b", ""))
    command = r.choice((["list"], ["show", name], ["cite", name], ["findings"]))
    (folder / "paper.tex").write_text(f"\\assayholds{{{name}}}\n% assay: eq1 = refuted\n", "utf-8")
    command = r.choice((command, command, ["tex", str(folder / "paper.tex")]))
    json_too = ["--json"] * (command[0] in ("list", "show", "findings") and r.random() < 0.5)
    return [*command, *json_too, "--from", _report(r, folder)]


def _recheck(r: Random, folder: Path) -> list[str]:
    return ["recheck", _report(r, folder)]


def _run(r: Random, folder: Path) -> list[str]:
    """Only what is refused: a true run has its own tests."""
    bad = r.choice((("--jobs", str(10**20)), ("--jobs", "-1"), ("--out", "/dev/null"),
                    ("--out", "n" * 300), ("--data", "pautomac=/none"), ("--paper", "\x1b[2J")))  # fmt: skip
    return ["run", "thm1.readout", *bad]


def _usage(r: Random, folder: Path) -> list[str]:
    words = ("list", "--json", "--from", "-x", "\x1b[2J", "zoo", "--states", "9:1", "-h",
             "experiment", "layers", "--epochs", "lint", "")  # fmt: skip
    return r.choices(words, k=r.randint(0, 4))


Command = Callable[[Random, Path], list[str]]
COMMANDS: tuple[Command, ...] = (
    _automaton, _automaton, _export, _export, _sweep, _explain, _equal, _reading,
    _reading, _recheck, _run, _usage,
)  # fmt: skip


def once(seed: int, chosen: Sequence[Command] = COMMANDS) -> tuple[list[str], Outcome]:
    """The command of a seed, and how it ended."""
    r = Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="assay-soak-"))
    try:
        arguments = r.choice(chosen)(r, folder)
        return arguments, run(arguments, folder)
    finally:
        shutil.rmtree(folder)


def main() -> int:
    """Soak, and print what failed and the extremes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run the command of one seed")
    parser.add_argument(
        "--commands", nargs="+", metavar="NAME", help="only these, with their seeds"
    )
    args = parser.parse_args()
    chosen = [c for c in COMMANDS if args.commands is None or c.__name__[1:] in args.commands]
    if args.only is not None:
        arguments, outcome = once(args.only, chosen)
        print(arguments, outcome.fault() or "no fault", outcome, sep="\n")
        print(outcome.error)
        return int(bool(outcome.fault()))
    until, seed, faults = time.monotonic() + 60 * args.minutes, args.seed * 10**6, 0
    counts: Counter[tuple[str, int]] = Counter()
    slowest, largest = 0.0, 0
    while time.monotonic() < until:
        arguments, outcome = once(seed, chosen)
        counts[arguments[0] if arguments else "", outcome.status] += 1
        slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.memory)
        if fault := outcome.fault():
            faults += 1
            print(f"seed {seed}: {fault}\n  {ascii(arguments)[:300]}", flush=True)
        seed += 1
    for (name, status), count in sorted(counts.items()):
        print(f"{count:6}  {name!a} status {status}")
    print(f"{sum(counts.values())} commands, {faults} faults; "
          f"slowest {slowest:.1f} s, most memory {largest >> 20} MB")  # fmt: skip
    return int(bool(faults))


if __name__ == "__main__":
    # Heavy libraries once, before the forks.
    import verify.commands.automaton
    import verify.commands.export
    import verify.commands.sweep  # noqa: F401

    os.environ["PATH"] = ""  # without Coq
    raise SystemExit(main())
