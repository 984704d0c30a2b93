"""`assay export FILE --length T [--construction NAME] [--format NAME] --out DIR`: the model, to take away.

`decoder` is an ordinary GPT-style decoder in the format of a library, with constants that certainly
keep every state within ε. The others follow the paper: `--attention soft` is the model of Theorem 2
(words) or of Theorem 3 (trees), softmax and MLPs, with the C and the step h that certainly keep every
state of every input within ε in exact arithmetic, those that `assay automaton FILE --length T --eps E`
shows. `--feedforward exact` asks for exact products instead, with a C for these, or with the C that is
given. `model.json` says what was built.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from constructions.core.numbers import whole_number
from constructions.exports.formats import NAMES
from constructions.exports.order import (
    AUTO,
    CONSTRUCTIONS,
    DTYPES,
    FEEDFORWARD,
    HARD,
    HEADS,
    SOFT,
    Order,
)
from verify.display.arguments import (
    LONG,
    OVERWRITE,
    acceptor,
    any_automaton_of,
    as_options,
    naming_file,
    naming_options,
    source_of,
)
from verify.display.progress import Progress
from verify.display.screen import Screen
from verify.display.terminal import plain, say

if TYPE_CHECKING:
    from constructions.automata.ngram import Ngram
    from constructions.automata.wfa import WFA
    from constructions.automata.wta import WTA

HELP = "write a construction for your automaton as a model of a library"
DESCRIPTION = "Write weights, a description (JSON), a card and a loading script."
EXAMPLES = """examples:
  assay export hmm.json --length 64 --out model
  assay export hmm.json --length 64 --format gpt2 --out gpt2
  assay export hmm.json --length 32 --head next --format llama --out language-model
  assay export hmm.json --length 512 --head next --format olmo2 --dtype float32 --out relative
  assay export book.txt --ngram 3 --length 128 --format gpt2 --dtype float32 --out trigrams
  assay export hmm.json --length 64 --construction exact --out exact
  assay export wta.json --length 40 --construction logdepth --attention soft --out trees

exit status: 0 written; 1 written, but not within --eps where it was run; 4 bad input, or a model that
cannot be certified or says nothing"""

MISSED = 1
NGRAM = re.compile(r'"kind"\s*:\s*"ngram"')


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "file",
        metavar="FILE|FAMILY",
        help="automaton: JSON, PAutomaC or OpenFst text, or a family such as mess3 or hmm:2:7",
    )
    parser.add_argument(
        "--ngram",
        metavar="K",
        help="FILE is a text: the K-grams of its letters, for --format gpt2 or llama; a line is a word",
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
    parser.add_argument("--large", action="store_true", help="build a model above the size limit")
    acceptor(parser)
    _soft(parser.add_argument_group("soft attention"))
    parser.add_argument(
        "--dtype", choices=DTYPES, default=DTYPES[0], help="type of the weights (float64)"
    )
    _decoder(parser.add_argument_group("decoder"))


def _decoder(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format",
        choices=NAMES,
        default=NAMES[0],
        help="the library that loads it; olmo2, for --head next alone, is accurate however small p(w) is",
    )
    group.add_argument(
        "--head",
        choices=HEADS,
        default=HEADS[0],
        help="the outputs: the automaton's states (the default), or next, logits whose softmax "
        "is the distribution of the next symbol; then --eps is a total variation (1e-4)",
    )
    group.add_argument(
        "--window",
        metavar="W",
        help="with --format olmo2: log₂ W layers, which read the last W letters, where what was before "
        "is certainly forgotten",
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
        choices=(HARD, SOFT),
        help="for tree and logdepth: hard (the default) or soft; exact is hard, soft is soft",
    )
    group.add_argument(
        "--eps",
        metavar="E",
        help="take a C that certainly keeps all states within E, in exact arithmetic (1e-6); "
        "it is the C that `assay automaton` shows for the same T and E",
    )
    group.add_argument(
        "--relative",
        metavar="W",
        help="let --eps be relative to the outputs' own size, on inputs where that is at least W",
    )
    group.add_argument("--saturation", metavar="C", help="take this C, with --feedforward exact")
    group.add_argument(
        "--feedforward",
        choices=FEEDFORWARD,
        help="mlp (the default where attention is soft) or exact products",
    )
    group.add_argument(
        "--activation",
        help="activation of the blocks: gelu, gelu_new, silu, tanh, …; decoders have the library's own "
        "(gpt2: gelu_new, gated blocks: silu), MLPs of the other constructions have gelu",
    )


@naming_options
def command(args: argparse.Namespace) -> int:
    """Read the automaton, export it, and summarise what was written."""
    order = order_of(args)
    from constructions.automata.ngram import Ngram
    from verify.automaton.export import export

    automaton = _source(args)
    table = isinstance(automaton, Ngram)
    name, note = ("", "") if table else source_of(args.file, args.openfst_weights)
    if note:
        say(plain(f"{name}: {note}"))
    stage = "choosing constants, building, running"
    with naming_file(automaton, args.file), Progress(Screen(stderr=True), stage):
        written = export(automaton, order, args.out, args.force)
    summary = as_options(written.summary(), vars(args))
    Screen().text(summary, soft_wrap=True)
    return 0 if written.within else MISSED


def _source(args: argparse.Namespace) -> WFA | WTA | Ngram:
    """The automaton or the n-gram table of a file, or the n-grams of a text."""
    from constructions.automata.ngram import from_text
    from constructions.core.bounded_files import read_text
    from constructions.files.reader import read_source

    if args.ngram is not None:
        return from_text(read_text(args.file), whole_number(args.ngram, "--ngram"))
    if Path(args.file).suffix == ".json" and NGRAM.search(read_text(args.file)[:200]):
        return read_source(args.file)
    return any_automaton_of(args.file, args.symbols, args.openfst_weights)


def order_of(args: argparse.Namespace) -> Order:
    """Return the order that the arguments describe."""
    return Order(
        whole_number(args.length, "--length", digits=LONG),
        args.construction or AUTO,
        format=args.format,
        eps=args.eps,
        dtype=args.dtype,
        attention=args.attention or AUTO,
        feedforward=args.feedforward or AUTO,
        saturation=args.saturation,
        activation=args.activation or AUTO,
        levels=args.levels,
        plain=args.plain,
        minimise=args.minimise,
        large=args.large,
        head=args.head,
        relative=args.relative,
        window=None if args.window is None else whole_number(args.window, "--window", digits=LONG),
    )
