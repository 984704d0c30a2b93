"""`verify run`: run the checks, write the record and the report, compare with what is recorded."""

from __future__ import annotations

import argparse
import json
import os
import time
from difflib import get_close_matches
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from constructions.errors import InputError
from verify import expectation, prerequisites, runner
from verify.check import Check, Job, Profile
from verify.claims.registry import CLAIMS
from verify.record import Data, Seen, assemble
from verify.verdict import ORDER
from verify.writing import write_report


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("run", help="run the checks; write record and report")
    parser.add_argument(
        "claims", nargs="*", metavar="CLAIM", help="claims (or prefixes); all if none"
    )
    parser.add_argument("--profile", choices=list(Profile), default="quick", type=Profile)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes to use")
    parser.add_argument("--out", type=Path, default=Path("assay-report"), help="where to write")
    parser.add_argument("--pautomac", type=Path, help="folder with PAutomaC files")
    parser.add_argument("--paper", type=Path, help="the paper's LaTeX source")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="send the work to a Dask scheduler")
    parser.add_argument("--record", action="store_true", help="record the verdicts found as known")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Run, write, compare; the exit status says how the verdicts compare with the recorded ones."""
    console = Console()
    job, names = _job(args), _known(args.claims)
    checks = runner.chosen(names, args.profile)
    if not checks:
        raise InputError(
            "CLAIM", " ".join(names), "a claim that some check of the profile speaks of"
        )
    lacking = prerequisites.missing(job)
    for need, reason in lacking.items():
        console.print(f"without {need}: {reason}", markup=False, style="yellow")
    claims = [c for c in CLAIMS if not names or runner.is_named(c.id, names)]
    wanted = {c.id for c in claims}
    seen = [item for item in _run(console, checks, job, args) if item.evidence.claim in wanted]
    known = expectation.expected(expectation.load(), args.profile, lacking)
    if args.record:
        known = _record(seen, checks, args)
    record, certificates = assemble(claims, seen, args.profile, lacking, known)
    write_report(args.out, record, certificates)
    return _tell(console, record, known, args.out)


def _job(args: argparse.Namespace) -> Job:
    if args.jobs < 1:
        raise InputError("--jobs", args.jobs, "a number ≥ 1")
    pautomac = args.pautomac or prerequisites.path_from_environment(prerequisites.PAUTOMAC)
    paper = args.paper or prerequisites.path_from_environment(prerequisites.PAPER)
    if pautomac and not pautomac.is_dir():
        raise InputError("--pautomac", str(pautomac), "a folder with PAutomaC files")
    if paper and not paper.is_file():
        raise InputError("--paper", str(paper), "the paper's LaTeX source")
    return Job(args.profile, pautomac, paper)


def _known(names: list[str]) -> list[str]:
    for name in names:
        if not any(runner.is_named(c.id, [name]) for c in CLAIMS):
            near = get_close_matches(name, [c.id for c in CLAIMS], n=3, cutoff=0.3)
            raise InputError("CLAIM", name, f"a claim's id or its beginning, such as {near}")
    return names


def _run(console: Console, checks: list[Check], job: Job, args: argparse.Namespace) -> list[Seen]:
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    started = time.monotonic()
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=len(checks))

        def advance(check: Check, seconds: float, kept: bool) -> None:
            bar.update(task, advance=1, description=f"{check.title}{' (kept)' if kept else ''}")
            if not console.is_terminal and not kept:
                console.print(f"{seconds:7.1f} s  {check.id}", markup=False)

        seen = runner.run(checks, job, args.out / "work", advance, _mapper(args))
    console.print(f"{len(checks)} checks in {time.monotonic() - started:.1f} s")
    return seen


def _mapper(args: argparse.Namespace) -> runner.Mapper:
    if args.scheduler is None:
        return runner.processes(args.jobs)
    from verify.cluster import Cluster

    return Cluster(args.scheduler).map


def _record(seen: list[Seen], checks: list[Check], args: argparse.Namespace) -> dict[str, str]:
    lacking = prerequisites.missing(_job(args))
    if lacking or args.claims:
        raise InputError(
            "--record", ", ".join(lacking) or "some claims", "everything, nothing missing"
        )
    by_name = {check.id: check for check in checks}
    table = expectation.to_record(CLAIMS, seen, by_name, prerequisites.NEEDS)
    recorded = expectation.load() | {args.profile.value: table}
    text = json.dumps(recorded, indent=1, sort_keys=True) + "\n"
    runner.write_atomically(expectation.FILE, text.encode())
    return table[""]


def _tell(console: Console, record: Data, known: dict[str, str], out: Path) -> int:
    found = {row["id"]: row["verdict"] for row in record["claims"]}
    table = Table("verdict", "claims", title="Verdicts")
    for verdict in ORDER:
        if count := list(found.values()).count(verdict.value):
            table.add_row(verdict.value, str(count))
    console.print(table)
    changed = expectation.changes(found, known)
    for change in changed:
        text = f"{change.claim}: recorded {change.recorded or 'nothing'}, found {change.found}"
        console.print(text, markup=False, style="bold")
    broken = [row for row in record["claims"] if row["verdict"] == "broken"]
    for row in broken:
        console.print(f"broken: {row['id']}: {row['reason']}", markup=False, style="red")
    console.print(f"report: {(out / 'index.html').resolve()}", markup=False, soft_wrap=True)
    return expectation.exit_status(found, changed)
