"""`assay run`: find the facts, judge, write record and report, compare with what may be expected."""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.core.errors import InputError
from reports.labels import count_of
from verify.display.arguments import about as add_about
from verify.record import source as record_source

if TYPE_CHECKING:
    from rich.console import Console

    from verify.judge.data import Paper
    from verify.judge.outcome import Outcome
    from verify.judge.verdict import Judgement
    from verify.record.chosen_paper import ChosenPaper
    from verify.record.plan import Plan
    from verify.record.runner import Mapper, Task

HELP = "find the facts, judge the statements, write record and report"
EXAMPLES = """examples:
  assay run                          everything, quick profile (about a minute)
  assay run thm1                     Theorem 1 and what lies below it; the rest as published
  assay run --profile full --out full-report
  assay run thm1 --update --out full-report   merge a new run of Theorem 1 into that report
  assay run --about DIR              the paper of a folder, such as `assay new DIR` writes

exit status: 0 every verdict is as expected for what is at hand; 1 one changed; 2 something is
undecided that was decided; 3 broken; 4 bad input"""
MOST_JOBS = 256
BROKEN = 3
BASES = {"published": "the published record", "earlier": "the earlier report"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "statements", nargs="*", metavar="STATEMENT", help="ids or their beginnings; all if none"
    )
    parser.add_argument(
        "--profile", choices=("quick", "full"), default="quick", help="quick if left out"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes to use (all cores)"
    )
    parser.add_argument(
        "--out", type=Path, help="where to write (assay-report, or `report` in the paper's folder)"
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="merge the statements into the existing report; statements not run again are marked",
    )
    add_about(parser)
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run the code of the folder given by --about: its facts and proofs are programs",
    )
    parser.add_argument("--paper", type=Path, metavar="FILE", help="the paper's LaTeX source")
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="NAME=DIR",
        help="a folder with data that the paper's facts need, such as pautomac=DIR",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of the facts' random choices (from the sources' digest)",
    )


def command(args: argparse.Namespace) -> int:
    """Run, judge, write; the exit status compares the verdicts with what may be expected."""
    from verify.display.screen import Screen
    from verify.judge.verdict import Disagreement, exit_status, expected_judgements, judge
    from verify.record import output, prerequisites
    from verify.record.chosen_paper import choose, require_trust

    console = Screen()
    _check_arguments(args)
    about = choose(args.about)
    require_trust(about, args.trust)
    wanted = _wanted(args.statements, about.paper)
    given = prerequisites.inputs(about, args.paper, args.data, args.seed)
    absent = prerequisites.missing_needs(about.paper, given, args.profile)
    planned = _plan(about, absent, wanted, args)
    for need, reason in absent.items():
        console.print(f"without {need}: {reason}", markup=False, style="yellow")
    with output.reserve(_out(args)):
        found = _find(console, planned, about.facts, given, args)
        try:
            got = judge(about.paper, found)
        except Disagreement as error:
            console.print(f"broken: {error}", markup=False, style="red")
            return BROKEN
        _write(about, found, got, (absent, planned), args)
    hoped = expected_judgements(about.paper, planned.lack)
    if planned.inherited:
        source = BASES[_base(args)]
        console.print(
            f"{count_of(len(planned.inherited), 'fact')} of other statements taken from {source}"
        )
    show(console, hoped, got, wanted)
    page = (_out(args) / "index.html").resolve()
    console.print(f"report: {page}", markup=False, soft_wrap=True)
    return exit_status(hoped, got)


def _write(
    about: ChosenPaper,
    found: Mapping[str, Outcome],
    got: Mapping[str, Judgement],
    planned: tuple[Mapping[str, str], Plan],
    args: argparse.Namespace,
) -> None:
    """Write the report; a template of the data that asks for another value is bad input."""
    from verify.judge.entries import InvalidPaper
    from verify.record import output
    from verify.record.chosen_paper import code_digest
    from verify.record.record import RunInfo, assemble
    from verify.rejudge import trust_of

    absent, plan = planned
    code, base = code_digest(about), _base(args)
    run = RunInfo(args.profile, absent, base, plan.inherited, code, trust_of(code))
    try:
        made = assemble(about.paper, found, got, run)
    except InvalidPaper as error:
        raise InputError("paper", str(error), "") from None
    output.write_report(_out(args), *made, about.carried() if about.folder else None)


def _out(args: argparse.Namespace) -> Path:
    """Return the folder of the report: `--out`, or one in the paper's folder, or here."""
    if args.out is not None:
        return Path(args.out)
    return default_folder(args.about)


def default_folder(about: Path | None) -> Path:
    """Return where a report goes that `--out` does not place; a link is not followed there."""
    out = about / record_source.REPORT if about else Path("assay-report")
    if out.is_symlink():
        raise InputError("--out", "a link", "a folder; name the linked folder by --out", str(out))
    return out


def _base(args: argparse.Namespace) -> str:
    """Return the record from which a run of some statements takes over the other facts."""
    if not args.statements:
        return ""
    return "earlier" if args.update or args.about else "published"


def _plan(
    about: ChosenPaper, absent: Mapping[str, str], wanted: set[str] | None, args: argparse.Namespace
) -> Plan:
    from verify.record import plan

    earlier: Mapping[str, Any] = {}
    if args.update:
        earlier = record_source.certificates_of(_out(args))
        if wanted is None or not earlier:
            expected = "statements to run again, and a report of this version to merge them into"
            raise InputError("--update", str(_out(args)), expected)
    elif about.folder is None:
        earlier = record_source.published_certificates()
    return plan.make(about.paper, about.registered(), absent, wanted, earlier, args.update)


def _check_arguments(args: argparse.Namespace) -> None:
    """Refuse bad arguments before any work is done."""
    if not 1 <= args.jobs <= MOST_JOBS:
        raise InputError("--jobs", args.jobs, f"a number from 1 to {MOST_JOBS}")
    if args.seed is not None and not 0 <= args.seed < 10**18:
        raise InputError("--seed", args.seed, "a whole number from 0 to 10^18 - 1")


def _wanted(names: list[str], paper: Paper) -> set[str] | None:
    """Return the named statements; None for all."""
    if not names:
        return None
    rows = [
        {"id": s.id, "title": s.title, "numbered": s.numbered, "aliases": s.aliases}
        for s in paper.statements.values()
    ]
    answers = [{"name": each.name, "statement": each.statement} for each in paper.answers]
    listed: dict[str, Any] = {"statements": rows, "answers": answers}
    return {row["id"] for row in record_source.find_rows(listed, names, all_below=True)}


def _find(
    console: Console, planned: Plan, code: str, given: Any, args: argparse.Namespace
) -> Mapping[str, Outcome]:
    from constructions.core.atomic_files import cache_folder
    from verify.record import runner

    todo, kept = runner.tasks(planned.wanted, given, code), cache_folder()
    if reason := runner.cannot_keep(kept):
        console.print(reason, markup=False, style="yellow")
    for line in announcement(todo, runner.uncached(todo, kept), args.profile):
        console.print(line, markup=False)
    started = time.monotonic()
    found = _with_progress(console, todo, runner.processes(args.jobs), kept)
    console.print(f"{count_of(len(found), 'fact')} in {time.monotonic() - started:.1f} s")
    return {**planned.missing, **planned.inherited, **found}


def announcement(todo: list[Task], left: list[Task], profile: str) -> Iterator[str]:
    """Announce what a run will do, and which part takes long."""
    facts = sum(len(task.parameters) for task in todo)
    kept = facts - sum(len(task.parameters) for task in left)
    yield f"{count_of(facts, 'fact')} to find" + (
        f", {kept} of them kept from an earlier run" if kept else ""
    )
    theorems = sum(len(task.parameters) for task in left if task.fact == "coq.theorem")
    if theorems:
        named = count_of(theorems, "theorem")
        yield f"Coq: {named}; the files are compiled first, which takes about a minute once"
    if profile == "full" and left:
        yield "the full profile has computations of several minutes each"


def _with_progress(
    console: Console, todo: list[Task], mapper: Mapper, folder: Path
) -> Mapping[str, Outcome]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    from verify.facts.registry import registered
    from verify.record import runner

    titles = {f: each.title for task in todo[:1] for f, each in registered(task.code).items()}
    columns = (BarColumn(), MofNCompleteColumn(), Elapsed(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        shown = bar.add_task("", total=len(todo))

        def advance(fact: str, seconds: float, kept: bool) -> None:
            bar.update(shown, advance=1, description=f"{titles[fact]}{' (kept)' * kept}")
            if not console.is_terminal and seconds >= 1:
                console.print(f"{seconds:7.1f} s  {fact}")

        return runner.run(todo, folder, advance, mapper)


def show(
    console: Console,
    hoped: Mapping[str, Judgement],
    got: Mapping[str, Judgement],
    wanted: Collection[str] | None,
) -> None:
    """Print the verdicts of the named statements, or their counts; then the unexpected ones."""
    from verify.judge.verdict import Verdict, changes

    if wanted is None:
        counts = Counter(judgement.verdict for judgement in got.values())
        listed = [f"{count:4} {verdict}" for verdict, count in counts.most_common()]
    else:
        listed = [f"{name}: {got[name].verdict}" for name in got if name in wanted]
    for line in listed:
        console.print(line, markup=False, highlight=False)
    different = changes(hoped, got)
    for change in different:
        text = f"{change.statement}: expected {change.expected}, found {change.found}"
        console.print(text, markup=False, style="bold")
    for name, judgement in got.items():
        if judgement.rank is Verdict.BROKEN:
            reason = f"broken: {name}: {judgement.interpretation.reason}"
            console.print(reason, markup=False, style="red")
    if not different:
        console.print("Every verdict is as expected for what is at hand.", markup=False)
