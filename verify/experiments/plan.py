"""Plans: the grids of Section 5, and smaller ones, as lists of runs.

paper      what is printed: T in {16, 32, 64} with L = 1 … 10 and d = 16; k in {2, 4, 6, 8} with
           d in {2, …, 64}, L = 4 and T = 32; ten PAutomaC automata with L in {2, …, 10}, d = 64
           and T = 64; ten seeds each. Epochs and dropout are not printed: 100 and 0.2.
committed  what this repository holds results of: parts of the same grids, three seeds, two
           or one, fewer epochs, no dropout. Less than an hour of one core.
quick      a taste of the first two: a minute or two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from constructions.errors import InputError
from verify.experiments.settings import TASKS, Settings

PROFILES = ("quick", "committed", "paper")
PROBLEMS = (4, 12, 14, 20, 30, 31, 33, 38, 39, 45)


@dataclass(frozen=True)
class Grid:
    """The axes of one experiment in one profile, and what differs from the defaults."""

    lengths: tuple[int, ...]
    layers: tuple[int, ...]
    widths: tuple[int, ...]
    counted: tuple[int, ...] = (1,)
    problems: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = tuple(range(10))
    changes: tuple[tuple[str, Any], ...] = ()


BRIEF = (("dropout", "0"),)
GRIDS: dict[tuple[str, str], Grid] = {
    ("layers", "paper"): Grid((16, 32, 64), tuple(range(1, 11)), (16,)),
    ("layers", "committed"): Grid(
        (16, 32), (1, 2, 4, 6), (16,), seeds=(0, 1, 2), changes=(*BRIEF, ("epochs", 20))
    ),
    ("layers", "quick"): Grid(
        (16,), (1, 2, 4), (16,), seeds=(0, 1), changes=(*BRIEF, ("epochs", 5))
    ),
    ("embedding", "paper"): Grid((32,), (4,), (2, 4, 8, 16, 32, 64), counted=(2, 4, 6, 8)),
    ("embedding", "committed"): Grid(
        (32,), (4,), (4, 8, 16, 32), (2, 4), seeds=(0, 1), changes=(*BRIEF, ("epochs", 12))
    ),
    ("embedding", "quick"): Grid(
        (32,), (4,), (4, 16), (2,), seeds=(0,), changes=(*BRIEF, ("epochs", 5))
    ),
    ("pautomac", "paper"): Grid((64,), (2, 4, 6, 8, 10), (64,), problems=PROBLEMS),
    ("pautomac", "committed"): Grid(
        (64,), (2, 4), (64,), problems=(14, 38, 39), seeds=(0,), changes=(*BRIEF, ("epochs", 12))
    ),
    ("pautomac", "quick"): Grid(
        (64,),
        (2,),
        (64,),
        problems=(39,),
        seeds=(0,),
        changes=(*BRIEF, ("epochs", 2), ("examples", 4_000)),
    ),
}
ASIDES: dict[str, tuple[Grid, ...]] = {
    "layers": (
        Grid(
            (16, 32),
            (1,),
            (16,),
            seeds=(0, 1, 2),
            changes=(*BRIEF, ("epochs", 20), ("positions", "sinusoidal")),
        ),
    ),
    "embedding": (
        Grid((32,), (4,), (2,), (2,), seeds=(0,), changes=(*BRIEF, ("epochs", 60))),
        Grid((32,), (4,), (2,), (2,), seeds=(0,), changes=(*BRIEF, ("epochs", 60), ("symbols", 2))),
    ),
    "pautomac": (),
}
FIXED: dict[str, dict[str, Any]] = {
    "layers": {"symbols": 2, "counted": 1},
    "embedding": {"symbols": 10},
    "pautomac": {"targets": "simplex", "readout": "softmax"},
}


def grid(task: str, profile: str) -> Grid:
    """The grid of an experiment in a profile."""
    if task not in TASKS or profile not in PROFILES:
        raise InputError("experiment and profile", f"{task} {profile}", "a known grid")
    return GRIDS[task, profile]


def runs(task: str, axes: Grid, **changes: Any) -> list[Settings]:
    """All runs of a grid; cells in the order of the axes, the cheapest seed first."""
    common = FIXED[task] | dict(axes.changes) | changes
    cells = product(axes.seeds, axes.problems, axes.counted, axes.lengths, axes.widths, axes.layers)
    return [_run(task, cell, common) for cell in cells]


def committed(task: str) -> list[Settings]:
    """The runs whose results are in the repository: the committed grid and what was run beside it.

    Beside the layers: sinusoidal positions with one layer. Beside the embedding sizes: d = k = 2
    for longer, over ten symbols and over the alphabet {0, …, k - 1} that Appendix D names.
    """
    grids = (grid(task, "committed"), *ASIDES[task])
    return [settings for axes in grids for settings in runs(task, axes)]


def _run(task: str, cell: Sequence[int], common: dict[str, Any]) -> Settings:
    seed, problem, counted, length, width, layers = cell
    named = {"seed": seed, "problem": problem, "length": length, "width": width, "layers": layers}
    if task == "embedding":
        named["counted"] = counted
    return Settings(task=task, **(named | common))


def narrowed(axes: Grid, **axis: tuple[int, ...] | None) -> Grid:
    """A grid with some axes replaced by what the user asked for."""
    return replace(axes, **{name: value for name, value in axis.items() if value})  # type: ignore[arg-type]
