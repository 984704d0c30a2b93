"""How fast the engines are, against what a user would write instead.

Claims        beyond.speed
Road          numbers measured by `bench/run.py --record`, all of a table in one run; kept with the
              package, so that a report shows them without measuring again
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verify.check import Job, check
from verify.evidence import Evidence, Figure, Outcome, Series, Strength, Table

FILE = Path(__file__).parents[1] / "benchmarks.json"
PROOF, SWEEP = 300, 40


def load(path: Path = FILE) -> dict[str, Any]:
    """The recorded numbers."""
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


def tables(data: dict[str, Any]) -> tuple[Table, ...]:
    """Ratios, and scaling with the fitted exponent beside the expected one."""
    rows = [
        (f"generic proof at (n, T) = {size}", "plain SymPy matrices", f"{own} s",
         f"{'' if ended else '> '}{other} s", f"{'' if ended else '> '}{ratio}")
        for size, own, other, ratio, ended in data["exact"]
    ]  # fmt: skip
    slow, fast, times = data["sweep"]
    what = "certified error at n = 3, T = 16, 200 digits"
    rows.append((what, "dense mpmath pass", f"{fast} s", f"{slow} s", times))
    (_, routed), *others = data["torch"]
    for name, seconds in others:
        ratio = f"{float(seconds) / float(routed):.3g}"
        rows.append(("torch model at n = 8, T = 4096", name, f"{routed} s", f"{seconds} s", ratio))
    header = ("what", "instead", "ours", "the other", "times faster")
    curves = tuple(
        (c["name"], " ".join(c["sizes"]), " ".join(c["seconds"]), c["fitted"], c["expected"],
         f"{c['peak']} MB")
        for c in data["scaling"]
    )  # fmt: skip
    scaling = ("what", "sizes", "seconds", "fitted exponent", "expected", "peak memory")
    return (
        Table("speed", "Speed, each ratio measured in one run", header, tuple(rows)),
        Table("scaling", "Scaling", scaling, curves),
    )


def figure(data: dict[str, Any]) -> Figure:
    """Seconds against size."""
    series = tuple(
        Series(c["name"], tuple(c["sizes"]), tuple(c["seconds"])) for c in data["scaling"]
    )
    alt = "Seconds against size on logarithmic axes: four curves, each close to a straight line."
    return Figure("scaling", "Scaling in T and n", alt, "size", "seconds", series, "log", "log")


@check("beyond.speed")
def engines_against_what_a_user_would_write(job: Job) -> Iterator[Evidence]:
    """Compare the recorded ratios with the targets."""
    data = load()
    proof = next(row for row in data["exact"] if row[0] == "(3, 8)")
    fine = int(proof[3]) >= PROOF and int(data["sweep"][2]) >= SWEEP
    yield Evidence(
        "beyond.speed",
        Outcome.HOLDS if fine else Outcome.FAILS,
        Strength.OBSERVED,
        "one run on two cores",
        f"The generic proof at (3, 8) is {proof[3]} times faster than plain SymPy matrices, the "
        f"certified sweep {data['sweep'][2]} times faster than a dense mpmath pass.",
        engine="bench/run.py",
        limits="Ratios vary with machine and load. A plain recurrence evaluates an automaton far "
        "faster than any transformer that simulates it.",
        tables=tables(data),
        figures=(figure(data),),
    )
