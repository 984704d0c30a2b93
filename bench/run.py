"""Runs every benchmark of this folder and prints its table; `run.py NAME …` runs some.

A benchmark is a module `bench_NAME.py` with a function `main()` that measures in one run and
prints ratios to what a user would write instead. `run.py --record` runs all and writes their
numbers to `benchmarks.json beside it` and to the release's file in `history`.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # this folder's modules, and the packages of the clone

from constructions import __version__  # noqa: E402 - found by the line before

HISTORY = HERE / "history"
RECORD = HERE / "benchmarks.json"


def benchmark_names() -> list[str]:
    """The benchmarks by name."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def run(name: str) -> Any:
    """Run one benchmark; what its `main` returns are its rows."""
    if name not in benchmark_names():
        sys.exit(f"no benchmark {name!r}; there are {', '.join(benchmark_names())}")
    print(f"\n== {name}", flush=True)
    return importlib.import_module(f"bench_{name}").main()


def record_numbers() -> None:
    """Run all benchmarks and write their numbers, as text."""
    results = {name: run(name) for name in benchmark_names()}
    data = {
        "exact": [
            [size, f"{own:.4f}", f"{other:.2f}", f"{other / own:.0f}", ended]
            for size, own, other, ended in results["exact"]
        ],
        "sweep": {
            name: [f"{slow:.3f}", f"{fast:.5f}", f"{slow / fast:.0f}"]
            for name, (slow, fast) in results["sweep"].items()
        },
        "torch": [[name, f"{seconds:.4f}"] for name, seconds in results["torch"]["one"]],
        "gradients": [[name, f"{s:.4f}"] for name, s in results["torch"]["gradients"]],
        "batch": [
            [
                str(row.n),
                str(row.length),
                str(row.words),
                row.kind,
                f"{row.seconds:.5f}",
                row.best,
                f"{row.best_seconds:.5f}",
                f"{row.ratio:.2f}",
            ]
            for row in results["batch"]["grid"]
        ],
        "decoder": [*map(_seconds, results["batch"]["decoder"])],
        "trees": [[name, shape, *map(_seconds, times)] for name, shape, *times in results["trees"]],
        "automaton": [
            [str(n), str(length), *map(_seconds, times)]
            for n, length, *times in results["automaton"]
        ],
        "startup": [[name, _seconds(used)] for name, used in results["startup"]],
        "scaling": [
            {
                "name": curve.name,
                "expected": curve.expected,
                "fitted": f"{curve.exponent:.2f}",
                "sizes": [str(size) for size in curve.sizes],
                "seconds": [f"{seconds:.4f}" for seconds in curve.seconds],
                "peak": f"{max(curve.megabytes):.0f}",
            }
            for curve in results["scaling"]
        ],
    }
    text = json.dumps(data, indent=1) + "\n"
    HISTORY.mkdir(exist_ok=True)
    for path in (RECORD, HISTORY / f"{__version__}.json"):
        path.write_text(text, "utf-8")


def _seconds(value: float) -> str:
    return f"{value:.4f}"


def main(arguments: list[str]) -> None:
    """Run the named benchmarks, all of them if none is named."""
    if arguments == ["--record"]:
        record_numbers()
        return
    for name in arguments or benchmark_names():
        run(name)


if __name__ == "__main__":
    main(sys.argv[1:])
