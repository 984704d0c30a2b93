"""`verify automaton FILE --length T`: what the theorems give this automaton, and what not.

Exit status: 0 every hypothesis of the theorems is met, 1 some are not, 4 bad input. Whether the
automaton is a PFA or an HMM is shown, but no theorem asks for it and the status does not count it.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path

from rich.console import Console

from constructions.errors import InputError
from constructions.wfa import written_number


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "automaton",
        help="conditions, sizes and errors for your own automaton",
        description="Which hypotheses a WFA, WTA (JSON) or PAutomaC model meets, sizes, C, errors.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="automaton: JSON or PAutomaC model")
    parser.add_argument("--length", required=True, metavar="T", help="length of words or of str(t)")
    parser.add_argument("--eps", default="1e-6", metavar="E", help="error to stay below (1e-6)")
    parser.add_argument("--activation", default="tanh", help="of the MLP: tanh, gelu, …, relu")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON")
    shape.add_argument("--markdown", action="store_true", help="print Markdown")
    shape.add_argument("--html", type=Path, metavar="PAGE", help="write a page")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Read, inspect, show."""
    length, eps = whole(args.length, "--length"), positive(args.eps, "--eps")
    import torch

    from verify.automaton import render
    from verify.automaton.inspect import inspect
    from verify.automaton.load import load
    from verify.automaton.progress import Progress

    torch.set_num_threads(1)  # small models: more threads only get in each other's way
    automaton = load(args.file)
    with Progress(Console(stderr=True)) as progress:
        answer = inspect(automaton, length, eps, args.activation, args.file.name, progress)
    if args.json:
        print(render.data(answer), end="")
    elif args.markdown:
        print(render.markdown(answer), end="")
    elif args.html is not None:
        write(args.html, render.html(answer))
    else:
        render.terminal(answer, Console())
    return 1 if answer.unmet else 0


def write(path: Path, text: str) -> None:
    """Write a page, whole or not at all, and say where it is."""
    from verify.runner import write_atomically

    try:
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("--html", reason, "a place to write", str(path)) from None
    Console().print(f"Written: {path}", markup=False, highlight=False, soft_wrap=True)


LONGEST_WHOLE = 9


def whole(text: str, option: str) -> int:
    """A whole number ≥ 1 from the command line."""
    digits = text.isascii() and text.isdigit()
    if digits and len(text) > LONGEST_WHOLE:
        raise InputError(option, text, f"a whole number of at most {LONGEST_WHOLE} digits")
    if not digits or int(text) < 1:
        raise InputError(option, text, "a whole number ≥ 1")
    return int(text)


def positive(text: str, option: str) -> Fraction:
    """A number > 0 from the command line: a decimal or p/q."""
    value = written_number(text.strip(), option)
    if value <= 0:
        raise InputError(option, text, "a number > 0")
    return value
