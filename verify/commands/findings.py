"""`verify findings`: the defects of the paper, worst first, each with witness and repair."""

from __future__ import annotations

import argparse
import json
from typing import Any

from reports.words import ended
from verify import record_source
from verify.judge.model import GRADES
from verify.terminal import paragraph, plain

KEYS = ("id", "grade", "title", "printed", "why", "witness", "repair", "touches")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("findings", help="the defects of the paper, worst first")
    parser.add_argument("--json", action="store_true", help="an array of objects")
    parser.add_argument("--grade", choices=GRADES, help="only findings of this grade")
    record_source.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print the findings."""
    found = ordered(record_source.load(args.folder)["findings"])
    if args.grade:
        found = [finding for finding in found if finding["grade"] == args.grade]
    if args.json:
        rows = [{key: finding[key] for key in KEYS} for finding in found]
        print(json.dumps(rows))
        return 0
    print("\n\n".join(_written(finding) for finding in found))
    return 0


def ordered(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Worst grade first; within a grade those that touch more statements."""
    return sorted(findings, key=lambda f: (GRADES.index(f["grade"]), -len(f["touches"])))


def _written(finding: dict[str, Any]) -> str:
    parts = [plain(f"{finding['grade'].upper()}  {finding['title']}  ({finding['id']})")]
    for label in ("printed", "why", "witness", "repair"):
        parts.append(paragraph(label, ended(finding[label])))
    parts.append(paragraph("touches", ", ".join(finding["touches"])))
    return "\n".join(parts)
