"""`assay lint`: missing or inconsistent entries of a paper's folder, and sentences without a statement."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from verify.display.arguments import about

HELP = "list what is missing or inconsistent in a paper's folder"
EXAMPLES = """examples:
  assay lint                         the paper of this package
  assay lint --about DIR             the paper of a folder
  assay lint --about DIR --all       with every sentence of its source that no statement covers

exit status: 0 nothing is missing; 1 otherwise; 4 an entry breaks a rule, in one line"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    about(parser)
    parser.add_argument("--trust", action="store_true", help="import the code of the folder")
    parser.add_argument("--paper", type=Path, metavar="FILE", help="the paper's LaTeX source")
    parser.add_argument("--all", action="store_true", help="every sentence without a statement")


def command(args: argparse.Namespace) -> int:
    """Print what is missing; 0 if nothing is."""
    from constructions.core.bounded_files import check_file
    from verify.display.terminal import plain, say
    from verify.recheck.confirmations import confirmations
    from verify.record.chosen_paper import choose, require_trust
    from verify.record.lint import problems
    from verify.record.prerequisites import PAPER
    from verify.rejudge import confirmations_of

    paper = choose(args.about)
    require_trust(paper, args.trust)
    given = args.paper or (os.environ.get(PAPER) if args.about is None else None)
    source = Path(given) if given else paper.source
    if source is not None:
        check_file(source)
    own = paper.folder is None or paper.paper.about.code.confirmations
    code = confirmations_of(paper, trust=True) if own else ""
    confirmed = {
        name: method
        for name, (method, _) in confirmations(code).items()
        if name not in confirmations("")
    }
    found = list(problems(paper, confirmed, source, args.all))
    for line in found:
        say(plain(line))
    if not found:
        say("Nothing is missing.")
    return 1 if found else 0
