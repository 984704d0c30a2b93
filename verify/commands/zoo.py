"""`assay zoo --benchmark v1 --out DIR`: the models of a benchmark whose circuits are known exactly.

54 decoders in plain Hugging Face folders, some of them disguised, with words, exact answers and checksums.
The same version gives the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.display.arguments import OVERWRITE
from verify.display.progress import Progress
from verify.display.screen import Screen
from verify.display.terminal import say

SECONDS = 60  # measured, on one core

HELP = "the models of a benchmark of known circuits"
EXAMPLES = """examples:
  assay zoo --benchmark v1 --out benchmark

exit status: 0 written; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--benchmark", default="v1", metavar="VERSION", help="version of the benchmark (v1)"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument("--force", action="store_true", help=OVERWRITE)


def command(args: argparse.Namespace) -> int:
    """Write the models."""
    from verify.circuits.benchmark import write_benchmark

    with Progress(Screen(stderr=True), "models of the benchmark", SECONDS):
        rows = write_benchmark(args.benchmark, args.out, args.force)
    say(f"Written: {args.out}, {len(rows)} models")
    return 0
