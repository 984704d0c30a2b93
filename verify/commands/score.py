"""`assay score DIR answer.json`: what was found in a model, against its known circuit.

`--reference METHOD --out answer.json` writes the answer of a simple method first: a linear probe, activation
patching, attribution patching, or the largest attention of every head.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from constructions.core.atomic_files import write_folder
from constructions.core.errors import InputError
from verify.display.screen import Screen

METHODS = ("probe", "patching", "attribution", "heads")
HELP = "score edges, heads and features that were found in a model with a known circuit"
DESCRIPTION = (
    "Edges and components (precision, recall, AUC), heads (distances), features (R², "
    "angle, interchange accuracy)."
)
EXAMPLES = """examples:
  assay score benchmark/28-mess3-llama-soft-basis answer.json
  assay score benchmark/28-mess3-llama-soft-basis answer.json --reference patching

exit status: 0 scored; 4 bad input, or a library is missing"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of the benchmark")
    parser.add_argument("answer", type=Path, metavar="ANSWER", help="what was found, as JSON")
    parser.add_argument(
        "--reference", choices=METHODS, help="write the answer of this method to ANSWER first"
    )


def command(args: argparse.Namespace) -> int:
    """Score the answer, and print a line for each part."""
    if args.reference is not None:
        if args.answer.exists():
            raise InputError("ANSWER", str(args.answer), "a file that is not there yet")
        from verify.circuits.references import reference

        body = json.dumps(reference(args.folder, args.reference), indent=1) + "\n"
        write_folder(args.answer.parent, {args.answer.name: body.encode()}, "ANSWER")
    from verify.circuits.score import score

    for part, numbers in score(args.folder, args.answer).items():
        listed = ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        Screen().text(f"{part}: {listed}", soft_wrap=True)
    return 0
