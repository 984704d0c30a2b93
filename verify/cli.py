"""The command line: `verify COMMAND …`, the same as `python -m verify`.

A command's module is imported only when it is called, or when all commands are asked for (`--help`).
Bad input ends with one line on standard error and exit status 4; an interrupted run with 130.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence

import verify.commands
from constructions import __version__
from constructions.errors import InputError

ORDER = ("run", "list", "show", "cite", "automaton", "export", "sweep", "draw", "experiment")


def parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser with the command that the arguments begin with, or with all commands."""
    whole = argparse.ArgumentParser(
        prog="verify",
        description="Which claims of 'Simulating Weighted Automata over Sequences and Trees with "
        "Transformers' hold, under which conditions, shown how, and what one may cite.",
    )
    whole.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _called(arguments):
        importlib.import_module(f"verify.commands.{name}").add_parser(commands)
    return whole


def _called(arguments: Sequence[str]) -> list[str]:
    """The module of the command that is called; all where none is, none for the version."""
    names = _modules()
    first = arguments[0] if arguments else ""
    if first == "--version":
        return []
    return [name for name in names if name.strip("_") == first] or names


def _modules() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(verify.commands.__path__)]
    order = {name: i for i, name in enumerate(ORDER)}
    return sorted(names, key=lambda name: (order.get(name.strip("_"), len(order)), name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        args = parser(given).parse_args(given)
        status: int = args.func(args)
        return status
    except InputError as error:
        print(f"verify: {error}", file=sys.stderr)
        return 4
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("verify: interrupted; what was finished is kept", file=sys.stderr)
        return 130
