"""`assay findings`: the defects of the paper, worst first, each with witness and repair."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from constructions.core.errors import InputError
from reports.labels import as_sentence, count_of, grade_counts, grading
from verify.display.terminal import paragraph, plain, say
from verify.judge.data import GRADES
from verify.record import source as record_source
from verify.rejudge import record_for

Finding = dict[str, Any]
KEYS = ("id", "grade", "title", "printed", "why", "witness", "repair", "touches")

HELP = "the defects of the paper, worst first"
EXAMPLES = """examples:
  assay findings --grade material
  assay findings F1 scan-order       by number or id
  assay findings --json

exit status: 0; 4 no such finding"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("names", nargs="*", metavar="FINDING", help="numbers or ids; all if none")
    parser.add_argument("--json", action="store_true", help="print a JSON array")
    parser.add_argument("--grade", choices=GRADES, help="only findings of this grade")
    record_source.add_option(parser)


def command(args: argparse.Namespace) -> int:
    """Print the findings."""
    every = record_source.numbered_findings(record_for(args))
    found = find_named(every, args.names) if args.names else every
    if args.grade:
        found = {name: finding for name, finding in found.items() if finding["grade"] == args.grade}
    if args.json:
        rows = [{"number": n, **{key: f[key] for key in KEYS}} for n, f in found.items()]
        say(json.dumps(rows))
        return 0
    if not args.names:
        say(summary(found.values()))
    say("\n\n".join(_paragraphs(name, finding) for name, finding in found.items()))
    return 0


def find_named(every: dict[str, Finding], names: list[str]) -> dict[str, Finding]:
    """Return the findings named by number or id."""
    ids = {finding["id"]: number for number, finding in every.items()}
    found = {}
    for name in names:
        number = ids.get(name, name.upper())
        if number not in every:
            near = get_close_matches(name, ids, 3, 0.4)
            like = f", such as {', '.join(near)}" if near else ""
            raise InputError("FINDING", name, f"F1 … F{len(every)} or an id{like}")
        found[number] = every[number]
    return found


def summary(findings: Iterable[Finding]) -> str:
    """Count the findings of each grade."""
    grades = [finding["grade"] for finding in findings]
    return f"{count_of(len(grades), 'finding')}: {grade_counts(grades)}.\n"


def _paragraphs(number: str, finding: Finding) -> str:
    grade = finding["grade"].upper()
    parts = [plain(f"{number}  {grade}  {finding['title']}  ({finding['id']})")]
    for label in ("printed", "why", "witness", "repair"):
        parts.append(paragraph(label, as_sentence(finding[label])))
    parts.append(paragraph("touches", ", ".join(finding["touches"])))
    parts += [paragraph("grade", as_sentence(grading(finding)))] if finding["grades"] else []
    return "\n".join(parts)
