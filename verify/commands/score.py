"""`assay score DIR answer.json`: what was found in a model, against its known circuit."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.display.screen import Screen

HELP = "score edges, heads and features that were found in a model with a known circuit"
DESCRIPTION = (
    "Edges and components (precision, recall, AUC), heads (distances), features (R², "
    "angle, interchange accuracy)."
)
EXAMPLES = """examples:
  assay score benchmark/28-mess3-llama-soft-basis answer.json

exit status: 0 scored; 4 bad input, or a library is missing"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of the benchmark")
    parser.add_argument(
        "answer", type=Path, metavar="ANSWER", help="the answer to score, a JSON file"
    )


def command(args: argparse.Namespace) -> int:
    """Score the answer, and print a line for each part."""
    from verify.circuits.score import score

    for part, numbers in score(args.folder, args.answer).items():
        listed = ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        Screen().text(f"{part}: {listed}", soft_wrap=True)
    return 0
