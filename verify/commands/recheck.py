"""`assay recheck DIR`: confirm a run's facts by an independent program, and judge again.

The pages of the folder are rendered again from the confirmed record. A page with another text, that
of its drawings included, is refused. What else differs is named as not confirmed and has a status of
its own (`verify.recheck.folder`): another version of matplotlib can draw other lines, and a folder
can hold files that no run has written.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from constructions.core.errors import InputError
from verify.display.arguments import about

if TYPE_CHECKING:
    from verify.recheck.data import Table
    from verify.recheck.folder import Comparison
    from verify.recheck.program import JudgedPaper, Pages

HELP = "confirm the facts and judge again, independently"
EXAMPLES = """examples:
  assay recheck reports/published
  assay recheck out --coq --quiet
  assay recheck DIR/report --about DIR    judged by the data of a paper's folder; no code of it is run

exit status: 0 everything is confirmed or named as taken on trust; 1 the record, or a page
beside it, is refused; 2 something is not confirmed: the record was judged by data that it carries
itself (give --about DIR), a row has no evidence and no need explains it, or in the folder a page is
missing or a link, a drawing has other lines, or there is a file that the record does not give, such
as a compiled erratum.pdf; 4 there is no record to read

`python -P -m verify.recheck DIR` looks at the record alone"""
DATA = frozenset({"record.json", "certificates.json"})
CARRIED = "paper.json"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder written by `assay run`")
    parser.add_argument("--quiet", action="store_true", help="the summary on one line")
    parser.add_argument(
        "--verbose", action="store_true", help="list every certificate with its statements"
    )
    parser.add_argument("--coq", action="store_true", help="run Coq on the proofs as well")
    about(parser)
    parser.add_argument(
        "--trust", action="store_true", help="run the confirmations of the folder given by --about"
    )


def command(args: argparse.Namespace) -> int:
    """Return 0 if confirmed, 1 if refused, 2 if the folder has unconfirmed files, 4 without a record."""
    from shutil import which

    from verify.display.progress import Progress
    from verify.display.screen import Screen
    from verify.recheck.program import main
    from verify.rejudge import of_folder, of_report

    if args.coq and which("coqc") is None:
        raise InputError("--coq", "no coqc", "an installed Coq (Debian package coq)")
    if args.trust and not args.about:
        raise InputError("--trust", "no folder", "--about DIR, the folder whose code may run")
    about = of_folder(args.about, args.trust) if args.about else of_report(args.folder)
    if args.coq and about is not None and about.proofs is None:
        raise InputError("--coq", "proofs outside of this package", "proofs of this package")
    stage = "compiling the proofs, confirming facts" if args.coq else "confirming facts"
    watch = Progress(Screen(stderr=True), stage)
    return main(args.folder, args.quiet, args.coq, _pages(about), about, watch, args.verbose)


def _pages(about: JudgedPaper | None) -> Pages:
    """Compares a folder with its record, and the data that it carries with those it is judged by."""

    def compare(folder: Path, record: Table, certificates: Table) -> Comparison:
        from verify.recheck.files import carried_data

        same = about is not None and carried_data(folder) in (None, about.data.texts)
        data = {*DATA, CARRIED} if same else DATA
        return compare_pages(folder, record, certificates, data)

    return compare


def compare_pages(
    folder: Path, record: Table, certificates: Table, data: Collection[str] = DATA
) -> Comparison:
    """Compare the files of a folder with its record; a page with another text is refused."""
    from reports import render_all
    from verify.recheck.folder import compare_folder

    return compare_folder(folder, render_all(record, certificates), data)
