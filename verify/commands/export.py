"""`verify export FILE --length T --construction NAME --out DIR`: the model, to take away.

Soft attention needs a saturating constant: the one given, or the one that keeps every word's
states within ε.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from math import ceil
from pathlib import Path

from rich.console import Console

from constructions.errors import InputError
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.commands.automaton import positive, whole

CONSTRUCTIONS = ("exact", "soft", "tree", "logdepth")
DTYPES = ("float64", "float32", "bfloat16")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "export",
        help="write a construction for your automaton as a torch model",
        description="Write weights (safetensors), a description (JSON) and a loading script.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="automaton: JSON or PAutomaC model")
    parser.add_argument("--length", required=True, metavar="T", help="length of words or of str(t)")
    parser.add_argument("--construction", required=True, choices=CONSTRUCTIONS)
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument(
        "--eps", default="1e-6", metavar="E", help="for soft: choose C for this error"
    )
    parser.add_argument("--saturation", metavar="C", help="for soft: this C")
    parser.add_argument("--dtype", choices=DTYPES, default="float64")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Read, build, write."""
    length, eps = whole(args.length, "--length"), positive(args.eps, "--eps")
    given = positive(args.saturation, "--saturation") if args.saturation else None
    from constructions.export import Order, export
    from verify.automaton.load import load

    automaton = load(args.file)
    constant = saturation(automaton, length, eps, given) if args.construction == "soft" else None
    order = Order(args.construction, length, constant, args.dtype)
    folder = export(automaton, order, args.out)
    Console().print(f"Written: {folder}", markup=False, highlight=False, soft_wrap=True)
    return 0


def saturation(
    automaton: WFA | WTA, length: int, eps: Fraction, given: Fraction | None
) -> Fraction:
    """The C given, or one that certainly keeps all words within ε."""
    if given is not None:
        return given
    if not isinstance(automaton, WFA):
        raise InputError("construction", "soft", "tree or logdepth, for tree automata")
    from verify.bounds.saturation import required_saturation

    return Fraction(max(1, ceil(required_saturation(automaton, length, eps).constant)))
