"""`verify export FILE --length T --construction NAME --out DIR`: the model, to take away.

`decoder` writes an ordinary GPT-style decoder in the format of a library (`--format`), with constants
that certainly keep every state within ε. For the others, which follow the paper:

Soft attention needs a saturating constant C: the one given, or the one that certainly keeps every
state of every word, or of every tree, within ε. It is the C that `verify automaton FILE --length T
--eps E` shows; for trees that one leaves half of ε to MLPs, which the exported model has not.
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

CONSTRUCTIONS = ("decoder", "exact", "soft", "tree", "logdepth")
FORMATS = ("safetensors", "transformerlens", "gpt2", "llama", "pt2")
BOTH = ("hard", "soft")
ATTENTION = {"exact": ("hard",), "soft": ("soft",), "tree": BOTH, "logdepth": BOTH}
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
    parser.add_argument(
        "--construction",
        required=True,
        choices=CONSTRUCTIONS,
        help="words: exact (Theorem 1) or soft (Theorem 2); trees: tree (Theorem 3, repaired) or "
        "logdepth; decoder: an ordinary GPT-style decoder for either",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    _soft(parser.add_argument_group("soft attention"))
    parser.add_argument(
        "--dtype", choices=DTYPES, default="float64", help="of the weights (float64)"
    )
    _decoder(parser.add_argument_group("decoder"))
    parser.set_defaults(func=command)


def _decoder(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format", choices=FORMATS, default="safetensors", help="whose library loads it"
    )
    group.add_argument(
        "--plain", action="store_true", help="a GELU block of 4n³ units instead of a gated one"
    )
    group.add_argument(
        "--minimise", action="store_true", help="only the weights f(x), with the fewest states"
    )


def _soft(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--attention",
        choices=BOTH,
        help="for tree and logdepth: hard (the default) or soft; exact is hard, soft is soft",
    )
    group.add_argument(
        "--eps",
        default="1e-6",
        metavar="E",
        help="take a C that certainly keeps all states within E, in exact arithmetic (1e-6); "
        "it is the C that `verify automaton` shows for the same T and E",
    )
    group.add_argument("--saturation", metavar="C", help="take this C instead")


def command(args: argparse.Namespace) -> int:
    """Read, build, write."""
    length, eps = whole(args.length, "--length"), positive(args.eps, "--eps")
    given = positive(args.saturation, "--saturation") if args.saturation else None
    if args.construction == "decoder":
        return decoder(args, length, eps)
    _only_for_decoders(args)
    soft = attention(args.construction, args.attention) == "soft"
    if given is not None and not soft:
        raise InputError("--saturation", args.saturation, "nothing, where attention is hard")
    from constructions.export import Order, checked, export
    from constructions.formats import load

    automaton = checked(load(args.file), Order(args.construction, length, given, args.dtype))
    constant = given or saturation(automaton, length, eps, args.construction) if soft else None
    order = Order(args.construction, length, constant, args.dtype)
    folder = export(automaton, order, args.out)
    note = f" (C = {constant})" if soft else ""
    Console().print(f"Written: {folder}{note}", markup=False, highlight=False, soft_wrap=True)
    return 0


def _only_for_decoders(args: argparse.Namespace) -> None:
    """What only a decoder understands is refused elsewhere."""
    if args.format != "safetensors":
        raise InputError("--format", args.format, f"safetensors, for {args.construction}")
    for name in ("plain", "minimise"):
        if getattr(args, name):
            raise InputError(f"--{name}", "the flag", f"nothing, for {args.construction}")


def decoder(args: argparse.Namespace, length: int, eps: Fraction) -> int:
    """Write a decoder, and say what it is and what it keeps."""
    for name in ("attention", "saturation"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name}", getattr(args, name), "nothing, for decoder: see --eps")
    from constructions.formats import load
    from verify.exporting import Order, export, summary

    automaton = load(args.file)
    order = Order(args.format, length, eps, args.plain, args.minimise, args.dtype)
    lines = summary(export(automaton, order, args.out))
    console = Console()
    for line in (f"Written: {args.out}", *lines):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def attention(construction: str, asked: str | None) -> str:
    """The attention asked for, or the construction's own."""
    possible = ATTENTION[construction]
    if asked is None:
        return possible[0]
    if asked not in possible:
        raise InputError("--attention", asked, f"{possible[0]}, for {construction}")
    return asked


def saturation(automaton: WFA | WTA, length: int, eps: Fraction, construction: str) -> Fraction:
    """A C that certainly keeps all words, or all trees, within ε."""
    if not isinstance(automaton, WFA):
        return for_trees(automaton, length, eps, construction)
    from verify.inspect.answer import LONGEST
    from verify.bounds.saturation import required_saturation

    if length > LONGEST:
        found = f"nothing, at length {length}"
        raise InputError("--saturation", found, f"a constant C > 0, beyond length {LONGEST}")
    return Fraction(max(1, ceil(required_saturation(automaton, length, eps).constant)))


def for_trees(automaton: WTA, length: int, eps: Fraction, construction: str) -> Fraction:
    """A C that keeps every state of every tree with |str(t)| ≤ T within ε."""
    from verify.inspect import soft
    from verify.bounds.budget import TooSoft, enough_saturation

    reason = soft.too_large(automaton, length)
    if reason:
        raise InputError("--saturation", f"nothing, and C was {reason}", "a constant C > 0")
    try:
        known = soft.subjects(automaton, length)[construction]
        return Fraction(enough_saturation(known, eps / 2))
    except TooSoft as error:
        raise InputError("--eps", str(eps), f"an error that a C can keep: {error}") from None
