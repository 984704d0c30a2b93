"""Runs every benchmark of this folder and prints its table; `run.py NAME …` runs some.

A benchmark is a module `bench_NAME.py` with a function `main()` that measures in one run and
prints ratios to what a user would write instead. `run.py --record` runs all (with names, these) and
writes their numbers to `benchmarks.json` beside it and to the release's file in `history`.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # this folder's modules, and the packages of the clone

from constructions import __version__  # noqa: E402 - found by the line before

HISTORY = HERE / "history"
RECORD = HERE / "benchmarks.json"
Rows = dict[str, Any]


def benchmark_names() -> list[str]:
    """The benchmarks by name."""
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def run(name: str) -> Any:
    """Run one benchmark; what its `main` returns are its rows."""
    if name not in benchmark_names():
        sys.exit(f"no benchmark {name!r}; there are {', '.join(benchmark_names())}")
    print(f"\n== {name}", flush=True)
    return importlib.import_module(f"bench_{name}").main()


def record_numbers(names: list[str]) -> None:
    """Run benchmarks and write their numbers, as text, each as soon as it is there."""
    release = HISTORY / f"{__version__}.json"
    data = json.loads(release.read_text("utf-8")) if release.exists() else {}
    for name in names:
        data |= ROWS[name](run(name))
        text = json.dumps(data, indent=1, sort_keys=True) + "\n"
        for path in (RECORD, release):
            path.write_text(text, "utf-8")


def _exact(found: Any) -> Rows:
    rows = [
        [size, f"{own:.4f}", f"{other:.2f}", f"{other / own:.0f}", ended]
        for size, own, other, ended in found
    ]
    return {"exact": rows}


def _sweep(found: Any) -> Rows:
    return {
        "sweep": {
            name: [f"{slow:.3f}", f"{fast:.5f}", f"{slow / fast:.0f}"]
            for name, (slow, fast) in found.items()
        }
    }


def _torch(found: Any) -> Rows:
    return {
        "torch": [[name, _seconds(used)] for name, used in found["one"]],
        "gradients": [[name, _seconds(used)] for name, used in found["gradients"]],
    }


def _batch(found: Any) -> Rows:
    grid = [
        [*map(str, (row.n, row.length, row.words, row.kind)), f"{row.seconds:.5f}",
         row.best, f"{row.best_seconds:.5f}", f"{row.ratio:.2f}"]
        for row in found["grid"]
    ]  # fmt: skip
    return {"batch": grid, "decoder": [*map(_seconds, found["decoder"])]}


def _trees(found: Any) -> Rows:
    return {"trees": [[name, shape, *map(_seconds, times)] for name, shape, *times in found]}


def _automaton(found: Any) -> Rows:
    rows = [[str(n), str(length), *map(_seconds, times)] for n, length, *times in found]
    return {"automaton": rows}


def _startup(found: Any) -> Rows:
    return {"startup": [[name, _seconds(used)] for name, used in found]}


def _scaling(found: Any) -> Rows:
    rows = [
        {
            "name": curve.name,
            "expected": curve.expected,
            "fitted": f"{curve.exponent:.2f}",
            "sizes": [str(size) for size in curve.sizes],
            "seconds": [*map(_seconds, curve.seconds)],
            "peak": f"{max(curve.megabytes):.0f}",
        }
        for curve in found
    ]
    return {"scaling": rows}


def _tightness(found: Any) -> Rows:
    rows = {
        name: [f"{middle:.3g}", f"{top:.3g}", *map(str, counts)]
        for name, (middle, top, *counts) in found.items()
    }
    return {"tightness": rows}


def _seconds(value: float) -> str:
    return f"{value:.4f}"


ROWS: dict[str, Callable[[Any], Rows]] = {
    "automaton": _automaton,
    "batch": _batch,
    "exact": _exact,
    "scaling": _scaling,
    "startup": _startup,
    "sweep": _sweep,
    "tightness": _tightness,
    "torch": _torch,
    "trees": _trees,
}


def main(arguments: list[str]) -> None:
    """Run the named benchmarks, all of them if none is named."""
    names = [name for name in arguments if name != "--record"] or benchmark_names()
    if "--record" in arguments:
        record_numbers(names)
        return
    for name in names:
        run(name)


if __name__ == "__main__":
    main(sys.argv[1:])
