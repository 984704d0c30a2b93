"""Start-up: commands that only read, beside a bare Python, in CPU seconds of a process each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "bare Python": ("-c", "pass"),
    "verify --version": ("-m", "verify", "--version"),
    "assay cite": ("-m", "verify", "cite", "thm1"),
    "assay show": ("-m", "verify", "show", "thm1"),
    "assay list": ("-m", "verify", "list"),
    "assay automaton --help": ("-m", "verify", "automaton", "--help"),
}
REPEATS = 5
Row = tuple[str, float]


def seconds(arguments: tuple[str, ...]) -> float:
    """CPU seconds of one process, its children included."""
    process = subprocess.Popen(  # noqa: S603 - the commands above
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, cwd=ROOT
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise ArithmeticError(f"{' '.join(arguments)}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime


def main() -> list[Row]:
    """Print the table."""
    rows = [
        (name, min(seconds(arguments) for _ in range(REPEATS)))
        for name, arguments in COMMANDS.items()
    ]
    bare = rows[0][1]
    print(f"{'command':<26} {'CPU':>9} {'to bare':>9}")
    for name, used in rows:
        print(f"{name:<26} {used:>7.3f} s {used / bare:>9.1f}")
    return rows


if __name__ == "__main__":
    main()
