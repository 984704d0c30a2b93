"""`assay circuit check DIR [--seed S] [--interventions N]`: a folder's circuit against its model.

Interventions drawn by a seed are made in the library that loads the folder, and what it then computes is
compared with the exact prediction, within the distance that is derived for the run: softmax, units,
norms and rounding. A circuit file that is wrong is refused with the first disagreement.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from constructions.core.numbers import whole_number
from verify.display.progress import Progress
from verify.display.screen import Screen

MOST = 100_000
HELP = "compare the circuit of an exported model with the model, by interventions"
DESCRIPTION = "Interventions with exact predictions, made in the library that loads the folder."
EXAMPLES = """examples:
  assay circuit check model
  assay circuit check model --seed 7 --interventions 500

exit status: 0 the circuit agrees with the model; 1 refused, a prediction fails; 2 undecided, some number
has no finite bound and no prediction fails; 4 bad input, or a library is missing"""
STATUS = {"agrees": 0, "refused": 1, "undecided": 2}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("action", choices=("check",), help="check: predictions against the model")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that assay export wrote")
    parser.add_argument("--seed", default="0", metavar="S", help="seed of the interventions (0)")
    parser.add_argument("--interventions", default="64", metavar="N", help="number of trials (64)")


def command(args: argparse.Namespace) -> int:
    """Make the interventions and print the verdict."""
    seed = whole_number(args.seed, "--seed", least=0)
    count = whole_number(args.interventions, "--interventions", most=MOST)
    from verify.circuits.check import check

    with Progress(Screen(stderr=True), f"{count} interventions"):
        answer = check(args.folder, seed, count)
    Screen().text("\n".join(answer.lines()), soft_wrap=True)
    return STATUS[answer.verdict]
