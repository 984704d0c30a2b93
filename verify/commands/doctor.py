"""`assay doctor`: the installed parts, and the verdicts that each missing part costs."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

HELP = "the installed parts, and the verdicts that each missing part costs"
EXAMPLES = """examples:
  assay doctor
  assay doctor --json

exit status: 0 everything that is needed is here; 1 a needed package is not"""
NEEDED = "needed"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def command(args: argparse.Namespace) -> int:
    """Print a line for each part; return 0 if nothing that is needed is missing."""
    from verify.display.terminal import plain, say
    from verify.record.chosen_paper import choose
    from verify.record.doctor import parts
    from verify.record.prerequisites import inputs

    paper = choose(None)
    found = list(parts(paper, inputs(paper, None, ())))
    if args.json:
        say(json.dumps([asdict(part) for part in found], indent=1, ensure_ascii=False))
    else:
        width = max(len(part.name) for part in found)
        for part in found:
            say(plain(f"{'✓' if part.found else '·'} {part.name:{width}}  {part.line}"))
    return 1 if any(part.purpose == NEEDED and not part.found for part in found) else 0
