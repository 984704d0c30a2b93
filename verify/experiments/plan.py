"""Plans: the grids of Section 5, and smaller ones, as lists of cells.

Profiles    paper      what is printed: T in {16, 32, 64} with L = 1 … 10 and d = 16; k in
                       {2, 4, 6, 8} with d in {2, …, 64}, L = 4 and T = 32; ten PAutomaC automata
                       with L in {2, …, 10}, d = 64 and T = 64; ten seeds each
            quick      a small part of it: a minute or two under protocol ours
Protocols   authors    the settings of the authors' public code: 100 epochs, dropout 0.2
            ours       brief: 20 epochs, no dropout
Committed   the cells of docs/protocol.md, in the order in which that page fixes them
"""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from constructions.core.errors import InputError
from verify.experiments.settings import TASKS, Settings

PROFILES = ("quick", "paper")
PROTOCOLS: dict[str, dict[str, Any]] = {
    "authors": {"epochs": 100, "dropout": "0.2"},
    "ours": {"epochs": 20, "dropout": "0"},
}
PROBLEMS = (4, 12, 14, 20, 30, 31, 33, 38, 39, 45)
TEN = tuple(range(10))
THREE = (0, 1, 2)


@dataclass(frozen=True)
class Grid:
    """The axes of one experiment in one profile, and the settings that differ from the defaults."""

    lengths: tuple[int, ...]
    layers: tuple[int, ...]
    widths: tuple[int, ...]
    counted: tuple[int, ...] = (1,)
    problems: tuple[int, ...] = (0,)
    seeds: tuple[int, ...] = TEN
    changes: tuple[tuple[str, Any], ...] = ()


GRIDS: dict[tuple[str, str], Grid] = {
    ("layers", "paper"): Grid((16, 32, 64), tuple(range(1, 11)), (16,)),
    ("layers", "quick"): Grid((16,), (1, 2, 4), (16,), seeds=(0, 1)),
    ("embedding", "paper"): Grid((32,), (4,), (2, 4, 8, 16, 32, 64), counted=(2, 4, 6, 8)),
    ("embedding", "quick"): Grid((32,), (4,), (4, 16), (2,), seeds=(0,)),
    ("pautomac", "paper"): Grid((64,), (2, 4, 6, 8, 10), (64,), problems=PROBLEMS),
    ("pautomac", "quick"): Grid(
        (64,), (2,), (64,), problems=(39,), seeds=(0,), changes=(("examples", 4_000),)
    ),
}
FIXED: dict[str, dict[str, Any]] = {
    "layers": {"symbols": 2, "counted": 1},
    "embedding": {"symbols": 10},
    "pautomac": {"targets": "simplex", "readout": "softmax"},
}


def grid(task: str, profile: str) -> Grid:
    """The grid of an experiment in a profile."""
    if task not in TASKS or profile not in PROFILES:
        raise InputError(
            "experiment and profile", f"{task} {profile}", "a known experiment and profile"
        )
    return GRIDS[task, profile]


def cells(task: str, axes: Grid, **changes: Any) -> list[Settings]:
    """All cells of a grid, in the order of the axes."""
    common = FIXED[task] | dict(axes.changes) | changes
    grid_of = product(axes.problems, axes.counted, axes.lengths, axes.widths, axes.layers)
    return [_cell(task, place, axes.seeds, common) for place in grid_of]


def _cell(
    task: str, place: tuple[int, ...], seeds: tuple[int, ...], common: dict[str, Any]
) -> Settings:
    problem, counted, length, width, layers = place
    named = {"problem": problem, "length": length, "width": width, "layers": layers}
    if task == "embedding":
        named["counted"] = counted
    return Settings(task=task, seeds=seeds, **(named | common))


def narrow(axes: Grid, **axis: tuple[int, ...] | None) -> Grid:
    """A grid with some axes replaced by the user's values."""
    return replace(axes, **{name: value for name, value in axis.items() if value})  # type: ignore[arg-type]


def _authors(task: str, **places: int) -> Settings:
    """A cell with three independent seeds under the authors' settings."""
    return Settings(task=task, seeds=THREE, **(FIXED[task] | PROTOCOLS["authors"] | places))


def _tries(epochs: int, seeds: tuple[int, ...], tries: int) -> Settings:
    """One layer, T = 16, the authors' settings except for the number of epochs of a try."""
    settings = _authors("layers", length=16, width=16, layers=1)
    return replace(settings, epochs=epochs, seeds=seeds, tries=tries)


CARRIED = _tries(10, THREE, tries=10)
INDEPENDENT = _tries(10, tuple(range(100, 130)), tries=1)
COMMITTED: tuple[Settings, ...] = (
    _authors("layers", length=16, width=16, layers=1),
    _authors("layers", length=16, width=16, layers=2),
    CARRIED,
    INDEPENDENT,
    _authors("layers", length=16, width=16, layers=4),
    _authors("layers", length=32, width=16, layers=1),
    _authors("embedding", length=32, layers=4, width=8, counted=2),
    _authors("embedding", length=32, layers=4, width=4, counted=2),
    _authors("layers", length=32, width=16, layers=2),
)
