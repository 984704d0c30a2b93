"""`assay cite STATEMENT …`: the sentence a careful author may write."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from verify.display.terminal import lines, plain, say
from verify.record import source as record_source
from verify.record.provenance import addressed, located
from verify.record.references import bibtex, bibtex_key, latex_sentence, references, with_key
from verify.rejudge import record_for

FAILS = {"refuted", "repaired"}
HELP = "the sentence a careful author may write"
EXAMPLES = """examples:
  assay cite thm2
  assay cite "Theorem 2" eq1 --format latex --key rizvi24
  assay cite "With ReLU" --full
  assay cite thm1 --format bibtex > assay.bib

exit status: 0 all hold as printed; 1 one is refuted or repaired; 2 otherwise,
as where one is shown in part; 4 no such statement"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "statements", nargs="+", metavar="STATEMENT", help="ids, or names such as 'Theorem 2'"
    )
    parser.add_argument("--format", choices=("text", "latex", "bibtex", "json"), default="text")
    parser.add_argument("--full", action="store_true", help="the note too; in LaTeX, as a footnote")
    parser.add_argument("--key", type=bibtex_key, help="your BibTeX key of the paper")
    record_source.add_option(parser)


def command(args: argparse.Namespace) -> int:
    """Print the sentences; the exit status says whether the statements hold as printed."""
    record = record_for(args)
    rows = record_source.find_rows(record, args.statements)
    paper = with_key(record["paper"], args.key or "")
    if args.format == "json":
        say(json.dumps([as_data(row) for row in rows]))
    elif args.format == "bibtex":
        say(lines(bibtex(located(paper, record_source.folder_of(args)))))
    elif args.format == "latex":
        say("\n".join(plain(latex_sentence(row, paper, args.full)) for row in rows))
    else:
        written = [line for row in rows for line in texts(row, args.full)]
        say(
            lines(
                "\n".join(
                    [*written, "", *references(addressed(paper, record_source.folder_of(args)))]
                )
            )
        )
    return status(rows)


def texts(row: record_source.Row, full: bool) -> list[str]:
    """The sentence, a remark if only a part is shown, and the note if it is wanted."""
    part = (
        [f"In part: {row['id']} is {row['verdict']} for {row['scope']}."]
        if record_source.in_part(row)
        else []
    )
    return [row["sentence"], *part, *([f"Note: {row['note']}"] if full and row["note"] else [])]


def as_data(row: record_source.Row) -> dict[str, object]:
    """The sentence with what it rests on, as data."""
    keys = ("id", "verdict", "method", "grade", "scope", "standing", "through", "sentence", "note")
    return {**{key: row[key] for key in keys}, "in_part": record_source.in_part(row)}


def status(rows: Sequence[record_source.Row]) -> int:
    """Return 0 if all hold as printed, 1 if one is refuted or repaired, else 2 (also if shown in part)."""
    if any(row["standing"] in FAILS for row in rows):
        return 1
    return 0 if all(record_source.holds_as_printed(row) for row in rows) else 2
