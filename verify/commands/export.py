"""`assay export FILE --length T [--construction NAME] --out DIR`: the model, to take away.

`decoder` writes an ordinary GPT-style decoder in the format of a library (`--format`), with constants
that certainly keep every state within ε. For the others, which follow the paper:

`--attention soft` is the model of Theorem 2 (words) or of Theorem 3 (trees), softmax and MLPs: with the C
and the step h that certainly keep every state of every input within ε, in exact arithmetic. They are
those that `assay automaton FILE --length T --eps E` shows. `--feedforward exact` asks for exact products
instead, with a C for these, or with the C that is given. `model.json` says which products there are.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.numbers import whole_number
from verify.display.arguments import FORMATS, LONG, OVERWRITE, acceptor, positive, vacant
from verify.display.screen import Screen

if TYPE_CHECKING:
    from constructions.exports.constructions import Order
    from verify.automaton.soft import Soft

CONSTRUCTIONS = ("decoder", "exact", "soft", "tree", "logdepth")
BOTH = ("hard", "soft")
BEYOND = "to certify a C; beyond, give --saturation C --feedforward exact"
FEEDFORWARD = ("mlp", "exact")
ATTENTION = {"exact": ("hard",), "soft": ("soft",), "tree": BOTH, "logdepth": BOTH}
EPS = "1e-6"
DTYPES = ("float64", "float32", "bfloat16")

EXAMPLES = """examples:
  assay export hmm.json --length 64 --out model
  assay export hmm.json --length 64 --format gpt2 --out gpt2
  assay export hmm.json --length 64 --construction exact --out exact
  assay export wta.json --length 40 --construction logdepth --attention soft --out trees

exit status: 0 written; 4 bad input, or more than can be certified"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "export",
        help="write a construction for your automaton as a torch model",
        description="Write weights (safetensors), a description (JSON) and a loading script.",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="automaton: JSON, PAutomaC or OpenFst text"
    )
    parser.add_argument("--length", required=True, metavar="T", help="length of words or of str(t)")
    parser.add_argument(
        "--construction",
        choices=CONSTRUCTIONS,
        help="words: exact (Theorem 1) or soft (Theorem 2); trees: tree (Theorem 3, repaired) or "
        "logdepth; decoder: an ordinary GPT-style decoder for either, the default unless --attention, "
        "--feedforward or --saturation ask for the paper's",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument("--force", action="store_true", help=OVERWRITE)
    acceptor(parser)
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
        "--plain", action="store_true", help="a plain block of 4n³ units instead of a gated one"
    )
    group.add_argument(
        "--levels",
        type=int,
        choices=(1, 2, 3),
        help="steps h, 2h, 4h of a plain block (1; 3 for tree and logdepth)",
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
        metavar="E",
        help="take a C that certainly keeps all states within E, in exact arithmetic (1e-6); "
        "it is the C that `assay automaton` shows for the same T and E",
    )
    group.add_argument("--saturation", metavar="C", help="take this C, with --feedforward exact")
    group.add_argument(
        "--feedforward",
        choices=FEEDFORWARD,
        help="mlp (the default where attention is soft) or exact products",
    )
    group.add_argument(
        "--activation",
        help="of the blocks: gelu, gelu_new, silu, tanh, …; decoders have the library's own (gpt2: "
        "gelu_new, gated blocks: silu), MLPs of the other constructions have gelu",
    )


def command(args: argparse.Namespace) -> int:
    """Read, build, write."""
    length = whole_number(args.length, "--length", digits=LONG)
    eps = positive(EPS if args.eps is None else args.eps, "--eps")
    given = positive(args.saturation, "--saturation") if args.saturation else None
    from constructions.files.formats import assumption, load

    automaton = load(args.file, args.symbols, args.openfst_weights)
    if note := assumption(args.file, args.openfst_weights):
        print(f"{args.file.name}: {note}")
    construction = args.construction or chosen(automaton, args)
    if construction == "decoder":
        return decoder(args, automaton, length, eps)
    _fits(automaton, construction)
    _only_for_decoders(args, construction)
    soft = attention(construction, args.attention) == "soft"
    if given is not None and not soft:
        raise InputError("--saturation", args.saturation, "nothing, where attention is hard")
    products = feedforward(args.feedforward, soft, given)
    if args.levels is not None and (products == "exact" or construction == "soft"):
        raise InputError("--levels", args.levels, "nothing, but for decoders and MLPs of trees")
    _only_where_used(args, construction, soft, products)
    from constructions.exports.constructions import Order, checked, export

    order = Order(construction, length, given, args.dtype)
    checked(automaton, order)
    vacant(args.out, args.force)
    if products == "mlp":
        order = with_units(automaton, order, eps, args.activation or "gelu", args.levels)
    elif soft and given is None:
        order = replace(order, saturation=saturation(automaton, length, eps, construction))
    folder = export(automaton, order, args.out)
    lines = [f"Written: {folder}", built(order)]
    lines += [seen(automaton, order, eps)] if products == "mlp" else []
    for line in lines:
        Screen().print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def chosen(automaton: WFA | WTA, args: argparse.Namespace) -> str:
    """The construction where none is named: a decoder, or the paper's for its own options."""
    if not (args.attention or args.feedforward or args.saturation):
        return "decoder"
    if isinstance(automaton, WTA):
        return "tree"
    return "exact" if args.attention == "hard" else "soft"


def built(order: Order) -> str:
    """What was built: attention and products, with their constants."""
    if order.saturation is None:
        return f"Construction: {order.construction}, hard attention, exact products"
    what = f"Construction: {order.construction}, softmax with C = {order.saturation}"
    if order.fineness is None:
        return f"{what}, exact products (--feedforward exact)"
    from verify.automaton.numbers import named

    steps = ["step", "steps h, 2h,", "steps h, 2h, 4h,"][order.levels - 1]
    units = (
        f"{4 * order.levels} {named(order.activation)} units with {steps} h = 2^-{order.fineness}"
    )
    return f"{what}, each product by {units}"


def seen(automaton: WFA | WTA, order: Order, eps: Fraction) -> str:
    """What the format makes of MLPs, on one sample: certificates hold in exact arithmetic."""
    from constructions.exports.constructions import sampled_error
    from verify.automaton.numbers import shown

    error = sampled_error(automaton, order)
    line = f"Measured in {order.dtype} on one sample: off by {error:.2g}"
    if error <= eps:
        return line
    return (
        f"{line}, above {shown(eps)}: {order.dtype} is too short for {order.activation} units with "
        f"h = 2^-{order.fineness}; ask for --activation gelu, a larger --eps, or --feedforward exact"
    )


def feedforward(asked: str | None, soft: bool, given: Fraction | None) -> str:
    """MLPs where attention is soft, exact products elsewhere, unless asked otherwise."""
    if not soft:
        if asked == "mlp":
            raise InputError("--feedforward", asked, "exact, where attention is hard")
        return "exact"
    if given is not None and asked != "exact":
        expected = "--feedforward exact beside it: with MLPs, C and h are certified together"
        raise InputError("--saturation", str(given), expected)
    return asked or "mlp"


def with_units(
    automaton: WFA | WTA, order: Order, eps: Fraction, activation: str, levels: int | None
) -> Order:
    """The order with a C and a step of MLPs that certainly keep every state within ε."""
    from constructions.core.activations import SMOOTH
    from verify.automaton.numbers import shown

    if activation not in SMOOTH:
        raise InputError("--activation", activation, f"one of {', '.join(SMOOTH)}")
    note = f"C and h keep every state within {shown(eps)} on all inputs, in exact arithmetic"
    order = replace(order, activation=activation, note=note)
    if isinstance(automaton, WFA):
        constant, bits = units_for_words(automaton, order.length, eps, activation)
        return replace(order, saturation=constant, fineness=bits)
    found = units_for_trees(automaton, order, eps, levels)
    constant = Fraction(found.saturation)
    return replace(order, saturation=constant, fineness=found.fineness, levels=found.levels)


def units_for_words(
    automaton: WFA, length: int, eps: Fraction, activation: str
) -> tuple[Fraction, int]:
    """C, rounded up, and k of the step 2^-k, for all words."""
    from verify.automaton.answer import LONGEST
    from verify.bounds.saturation import required_fineness

    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}, {BEYOND}")
    needed = required_fineness(automaton, length, eps, activation)
    return Fraction(max(1, ceil(needed.constant))), needed.bits


def units_for_trees(automaton: WTA, order: Order, eps: Fraction, levels: int | None) -> Soft:
    """C and k of the step 2^-k, for all trees."""
    from verify.automaton import soft
    from verify.bounds.budget import TooSoft

    reason = soft.too_large(automaton, order.length)
    if reason:
        raise InputError("--feedforward", f"mlp, and C was {reason}", "exact, with --saturation C")
    try:
        known = soft.subjects(automaton, order.length)[order.construction]
        found = soft.required(known, eps, order.activation, levels or soft.LEVELS)
    except TooSoft as error:
        raise InputError("--eps", str(eps), f"an error that a C can keep: {error}") from None
    if found.fineness is None:
        raise InputError("--eps", str(eps), "an error that some step of the MLPs can keep")
    return found


def _fits(automaton: WFA | WTA, construction: str) -> None:
    """Refuse a construction for trees where there are words, and the other way round."""
    words = isinstance(automaton, WFA)
    possible = CONSTRUCTIONS[:3] if words else (CONSTRUCTIONS[0], *CONSTRUCTIONS[3:])
    if construction not in possible:
        expected = (
            f"{', '.join(possible[:2])} or {possible[2]}, for {'words' if words else 'trees'}"
        )
        raise InputError("--construction", construction, expected)


def _only_where_used(
    args: argparse.Namespace, construction: str, soft: bool, products: str
) -> None:
    """Refuse what would be ignored: an ε where no C is chosen, units where products are exact."""
    model = f"--construction {construction}"
    if args.eps is not None and not soft:
        found = f"applies only to softmax, not to {model} with hard attention, which is exact"
        raise InputError("--eps", found, "")
    if args.eps is not None and args.saturation is not None:
        raise InputError("--eps", "applies only where C is chosen, not beside --saturation", "")
    if args.activation is not None and products == "exact":
        expected = f"applies only to MLPs and decoders, not to {model} with exact products"
        raise InputError("--activation", expected, "")


def _only_for_decoders(args: argparse.Namespace, construction: str) -> None:
    """What only a decoder understands is refused elsewhere."""
    if args.format != "safetensors":
        raise InputError("--format", args.format, f"safetensors, for {construction}")
    for name in ("plain", "minimise"):
        if getattr(args, name):
            found = f"applies only to decoders, not to --construction {construction}"
            raise InputError(f"--{name}", found, "")


def decoder(args: argparse.Namespace, automaton: WFA | WTA, length: int, eps: Fraction) -> int:
    """Write a decoder, and say what it is and what it keeps."""
    for name in ("attention", "saturation", "feedforward"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name}", getattr(args, name), "nothing, for decoder: see --eps")
    from verify.automaton.exporting import Order, export, summary

    vacant(args.out, args.force)
    order = Order(
        args.format,
        length,
        eps,
        args.plain,
        args.minimise,
        args.dtype,
        args.levels or 1,
        args.activation,
    )
    lines = summary(export(automaton, order, args.out))
    console = Screen()
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
    from verify.automaton.answer import LONGEST
    from verify.bounds.saturation import required_saturation

    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}, {BEYOND}")
    return Fraction(max(1, ceil(required_saturation(automaton, length, eps).constant)))


def for_trees(automaton: WTA, length: int, eps: Fraction, construction: str) -> Fraction:
    """A C that keeps every state of every tree with |str(t)| ≤ T within ε."""
    from verify.automaton import soft
    from verify.bounds.budget import TooSoft, sufficient_saturation

    reason = soft.too_large(automaton, length)
    if reason:
        raise InputError("--saturation", f"nothing, and C was {reason}", "a constant C > 0")
    try:
        known = soft.subjects(automaton, length)[construction]
        return Fraction(sufficient_saturation(known, eps / 2))
    except TooSoft as error:
        raise InputError("--eps", str(eps), f"an error that a C can keep: {error}") from None
