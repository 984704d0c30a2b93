r"""`assay tex FILE…`: do the marks of a manuscript agree with the record?

`verify.record.manuscript` says what a mark is. `\input` and `\include` are followed. With
`GITHUB_ACTIONS` in the environment every fault is an annotation too; `--format sarif` prints them for
code scanning.
`--sty DIR` writes `assay.sty` and `assay.tex` there, for \usepackage{assay}.
"""

from __future__ import annotations

import argparse
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import constructions
from constructions.core.atomic_files import write_folder
from constructions.core.errors import InputError
from reports.labels import count_of
from verify.display.terminal import plain, say
from verify.record import manuscript
from verify.record import source as record_source
from verify.record.manuscript import Fault
from verify.record.references import bibtex_key
from verify.rejudge import record_for

HELP = "check the marks of a manuscript against the record"
EXAMPLES = """examples:
  assay tex paper.tex                reads what it includes too
  assay tex paper.tex --format sarif > assay.sarif
  assay tex --sty . --key rizvi24    write assay.sty and assay.tex for \\usepackage{assay}

exit status: 0 every mark agrees with the record; 2 an author relies on a
statement that is shown in part only; 1 other marks disagree;
4 a file cannot be read"""
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument(
        "--sty", type=Path, metavar="DIR", help="write assay.sty and assay.tex into this folder"
    )
    parser.add_argument("--key", type=bibtex_key, help="with --sty: your BibTeX key of the paper")
    parser.add_argument("--format", choices=("text", "sarif"), default="text")
    record_source.add_option(parser)


def command(args: argparse.Namespace) -> int:
    """Print every mark that disagrees, with the sentence to use instead."""
    if not args.files and not args.sty:
        raise InputError("FILE", "none", "a LaTeX source, or --sty DIR")
    record = record_for(args)
    if args.sty:
        manuscript.read(args.files)  # a file that cannot be read is refused before any is written
        write_style(args.sty, record, args.key or "")
    return _check(args, record) if args.files else 0


def _check(args: argparse.Namespace, record: dict[str, Any]) -> int:
    found, rows = manuscript.read(args.files), record_source.rows(record)
    answers = record.get("answers", ())
    wrong = {mark: manuscript.fault(mark, rows, answers) for mark in found.marks}
    faults = [each for each in wrong.values() if each] + manuscript.style_faults(found, record)
    if args.format == "sarif":
        say(json.dumps(sarif(faults), indent=1))
        return status(faults)
    given = [line for mark in found.marks if (line := manuscript.conditions(mark, rows, answers))]
    for line in [*map(str, faults), *given, *(f"{each} (warning)" for each in found.left_out)]:
        say(plain(line))
    if os.environ.get("GITHUB_ACTIONS"):
        for each in faults:
            say(annotation(each))
    if not found.files:
        say("No manuscript among the files: only what `assay tex --sty` writes.")
        return status(faults)
    agreeing = sum(1 for each in wrong.values() if each is None)
    say(f"{agreeing} of {len(found.marks)} marks agree with the record.")
    if not found.marks:
        say(f"Warning: no marks in {count_of(found.files, 'file')}; see `assay tex --help`.")
    return status(faults)


def status(faults: list[Fault]) -> int:
    """Return 0 for no fault; 2 if all rely on what is shown in part; else 1."""
    if not faults:
        return 0
    return 2 if all(each.partly for each in faults) else 1


def annotation(fault: Fault) -> str:
    """Return a fault as GitHub's workflow command."""
    text = plain(fault.text).replace("%", "%25")
    name = plain(str(fault.file)).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::error file={name},line={fault.line}::{text}"


def sarif(faults: list[Fault]) -> dict[str, Any]:
    """Return the faults as a SARIF log."""
    results = [
        {
            "ruleId": "assay-mark",
            "level": "error",
            "message": {"text": each.text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": each.file.as_posix()},
                        "region": {"startLine": each.line},
                    }
                }
            ],
        }
        for each in faults
    ]
    driver = {
        "name": "Assay",
        "version": constructions.__version__,
        "rules": [{"id": "assay-mark"}],
    }
    runs = [{"tool": {"driver": driver}, "results": results}]
    return {"$schema": SARIF, "version": "2.1.0", "runs": runs}


def write_style(folder: Path, record: dict[str, Any], key: str) -> None:
    """Write the LaTeX package and the macros of a record."""
    package = files("reports").joinpath("assay.sty").read_bytes()
    macros = manuscript.style(record, key)
    write_folder(folder, {"assay.sty": package, manuscript.STYLE: macros}, "--sty")
    say(plain(f"{folder / 'assay.sty'} and {folder / 'assay.tex'} written"))
