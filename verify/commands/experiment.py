"""`assay experiment layers|embedding|pautomac|protocol`: train as Section 5 does, draw its figures.

Finished cells are kept in OUT/runs, one file each; the same command, started again after a kill,
goes on where it was and ends with the same results. At the end OUT holds NAME.json (all cells),
NAME.csv (mean, deviation, minimum of each cell beside the printed values) and NAME.png, NAME.svg.
`protocol` trains the cells of docs/protocol.md, in its order and within its budget.
"""

import argparse
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from constructions.core.errors import InputError
from constructions.core.numbers import is_whole
from verify.display.arguments import naming_options
from verify.display.screen import Screen
from verify.experiments import plan, settings, store
from verify.experiments.settings import Settings

DATA_VARIABLE = "ASSAY_PAUTOMAC"
PROTOCOL = "protocol"
INTERRUPTED = 130
MOST_JOBS, MOST_MINUTES = 256, 10**6
AXES = ("layers", "lengths", "widths", "counted", "problems", "seeds")
WHOLE = ("epochs", "batch", "examples", "hidden", "symbols", "data_seed", "tries")
DECIMAL = ("dropout", "rate", "decay")
CHOICES: dict[str, dict[str, Any]] = {
    **{name: {"type": int} for name in WHOLE},
    **{name: {"type": str} for name in DECIMAL},
    **{name: {"choices": kinds} for name, kinds in settings.ALLOWED.items() if name != "task"},
    "causal": {"action": "store_true", "default": None},
}

HELP = "train transformers as in Section 5"
DESCRIPTION = "Train as in Section 5; choices that the paper does not state are options."
EXAMPLES = """examples:
  assay experiment layers
  assay experiment embedding --widths 4,8 --seeds 0,1,2 --out results
  assay experiment pautomac --pautomac DIR

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", choices=(*settings.TASKS, PROTOCOL), help="which experiment")
    parser.add_argument("--profile", choices=plan.PROFILES, default="quick", help="which grid")
    protocols = tuple(plan.PROTOCOLS)
    note = "settings: the authors' (100 epochs, dropout 0.2) or ours (20 epochs, no dropout)"
    parser.add_argument("--protocol", choices=protocols, default="ours", help=note)
    note = "minutes after which no further cell of `protocol` is begun (default: 45)"
    parser.add_argument("--budget", type=int, default=45, metavar="MINUTES", help=note)
    parser.add_argument("--out", type=Path, help="folder of the results (default: experiment-NAME)")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="processes")
    parser.add_argument("--pautomac", type=Path, help=f"PAutomaC folder (or ${DATA_VARIABLE})")
    _add_grid(parser)
    _add_choices(parser)


def _add_grid(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the grid", "lists such as 1,2,4 in place of the profile's")
    for axis in AXES:
        group.add_argument(f"--{axis}", type=numbers, metavar="N,N,…")


def _add_choices(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("choices", "most are not in the paper; the default is said")
    for name, kind in CHOICES.items():
        note = settings.UNSAID.get(name, "as printed").replace("%", "%%")
        group.add_argument(f"--{name.replace('_', '-')}", help=note, **kind)


def numbers(text: str) -> tuple[int, ...]:
    """A list of whole numbers such as 1,2,4."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(is_whole(part, 6) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r}: expected whole numbers such as 1,2,4")
    return tuple(int(part) for part in parts)


def planned(args: argparse.Namespace) -> list[Settings]:
    """The cells that the arguments ask for."""
    given = {axis: getattr(args, axis) for axis in AXES}
    changes = {name: getattr(args, name) for name in CHOICES if getattr(args, name) is not None}
    if args.hidden == 0:  # the default, which means the width
        raise InputError("--hidden", 0, "a whole number ≥ 1")
    if args.name == PROTOCOL:
        if changes or any(given.values()):
            raise InputError(PROTOCOL.upper(), "changed settings", "the cells of docs/protocol.md")
        return list(plan.COMMITTED)
    axes = plan.narrow(plan.grid(args.name, args.profile), **given)
    return plan.cells(args.name, axes, **(plan.PROTOCOLS[args.protocol] | changes))


def data_folder(args: argparse.Namespace) -> Path | None:
    """Return the folder of the PAutomaC files, if the experiment needs them."""
    if args.name != "pautomac":
        return None
    given = args.pautomac or os.environ.get(DATA_VARIABLE)
    if not given:
        raise InputError("--pautomac", "nothing", f"a folder, or ${DATA_VARIABLE}")
    folder = Path(given)
    if not folder.is_dir():
        raise InputError("--pautomac", str(folder), "an existing folder")
    return folder


@naming_options
def command(args: argparse.Namespace) -> int:
    """Run the experiment, write the results, draw the figure."""
    console = Screen()
    runs, out = planned(args), args.out or Path(f"experiment-{args.name}")
    for name, most in (("jobs", MOST_JOBS), ("budget", MOST_MINUTES)):
        if not 1 <= getattr(args, name) <= most:
            raise InputError(f"--{name}", getattr(args, name), f"a whole number from 1 to {most}")
    data = data_folder(args)
    check_results_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    announce(console, args, runs, out)
    try:
        if args.name == PROTOCOL:
            train_within(console, runs, out, 60 * args.budget)
        else:
            train(console, runs, out, data, args.jobs)
    except KeyboardInterrupt:
        done = len(runs) - len(store.pending_cells(out, runs))
        console.print(f"Interrupted with {done} of {len(runs)} cells done; start again to go on.")
        return INTERRUPTED
    conclude(console, args.name, runs, out)
    return 0


def check_results_folder(out: Path) -> None:
    """Refuse a folder with anything that no experiment wrote, links among them."""
    entries = {entry.name: entry for entry in out.iterdir()} if out.is_dir() else {}
    suffixes = (".json", ".csv", ".png", ".svg")
    known = {f"{name}{suffix}" for name in (*settings.TASKS, PROTOCOL) for suffix in suffixes}
    for name, entry in sorted(entries.items()):
        ours = entry.is_dir() if name == "runs" else name in known and "runs" in entries
        if not ours or entry.is_symlink():
            expected = "a new folder, or one that `assay experiment` has written"
            raise InputError("--out", name, expected, str(out))


def announce(console: Console, args: argparse.Namespace, runs: list[Settings], out: Path) -> None:
    """Say what will be trained, and with which choices."""
    waiting = len(store.pending_cells(out, runs))
    which = "" if args.name == PROTOCOL else f", profile {args.profile}, protocol {args.protocol}"
    console.print(f"[b]{args.name}[/b]{which}: {len(runs)} cells, {waiting} to train")
    chosen = ", ".join(f"{name} {getattr(runs[0], name)}" for name in settings.UNSAID)
    console.print(f"Not in the paper, chosen here: {chosen}", style="dim", highlight=False)


def train(console: Console, runs: list[Settings], out: Path, data: Path | None, jobs: int) -> None:
    """Train what is pending; a bar shows the work that is done, cell by cell."""
    from verify.record.runner import processes

    waiting = store.pending_cells(out, runs)
    columns = (
        TextColumn("{task.description}", style="cyan"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, speed_estimate_period=600) as progress:
        bar = progress.add_task("training", total=sum(run.cost * run.epochs for run in waiting))
        trained = processes(jobs)(partial(store.train_and_store, out, data), waiting)
        for run, error in trained:
            if error is None:  # the system has ended its process
                raise MemoryError
            progress.update(bar, advance=run.cost * run.epochs)
            console.print(f"{run.cell}: test MSE {error:.2g}", highlight=False)


def train_within(console: Console, cells: list[Settings], out: Path, seconds: int) -> None:
    """Train cell after cell on one core; begin none after the time is over."""
    started = time.monotonic()
    for cell in store.pending_cells(out, cells):
        if time.monotonic() - started > seconds:
            console.print(f"The budget is over: {cell.cell} and what follows are not trained.")
            return
        train(console, [cell], out, None, jobs=1)


def conclude(console: Console, name: str, runs: list[Settings], out: Path) -> None:
    """Write the tables and the figure, and show the cells."""
    from reports.figures import image
    from verify.experiments import figure, summary

    records = store.finished_records(out, runs)
    rows = summary.cells(records)
    summary.write_json(out / f"{name}.json", records)
    summary.write_csv(out / f"{name}.csv", rows)
    drawn = [] if name == PROTOCOL else [out / f"{name}.{kind}" for kind in ("png", "svg")]
    for path in drawn:
        path.write_bytes(image(figure.figure(name, rows), path.suffix[1:]))
    table = Table("cell", "runs", "mean", "deviation", "minimum", "printed", title="Test MSE")
    for cell in rows:
        line = cell.row()
        shown = (line["runs"], line["mean"], line["deviation"], line["minimum"])
        table.add_row(cell.settings.cell, *shown, str(cell.printed or ""))
    console.print(table)
    console.print(f"Written: {', '.join([f'{out / name}.json', '.csv', *(p.name for p in drawn)])}")
