"""`assay zoo --states 2:5 --count 20 --seed S --out DIR`: decoders of random automata, by seed.

A set of models whose circuits are known exactly, for benchmarks of interpretability: every folder has
the model, its card and its automaton; `zoo.json` lists them. The same arguments give the same set.
`--benchmark v1` is a fixed set, 54 models in plain Hugging Face folders, some of them
disguised, with words, exact answers and checksums.
"""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from constructions.core.atomic_files import vacant, write_folder
from constructions.core.errors import InputError
from constructions.core.numbers import whole_number
from constructions.exports.formats import NAMES
from verify.display.arguments import OVERWRITE, ends, positive
from verify.display.progress import Progress
from verify.display.screen import Screen
from verify.display.terminal import say

KINDS = ("hmm", "pfa", "random")
BENCHMARK_SECONDS = 60  # measured, on one core
MOST, LARGEST = 1000, 8

HELP = "decoders of random automata, a benchmark of known circuits"
DESCRIPTION = f"Random automata ({', '.join(KINDS)}) and their decoders, from a seed."
EXAMPLES = """examples:
  assay zoo --states 2:5 --count 20 --seed 1 --out zoo
  assay zoo --benchmark v1 --out benchmark

exit status: 0 written; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--states", default="2:5", metavar="A:B", help="numbers of states (2:5)")
    parser.add_argument("--count", default="20", metavar="K", help="how many (20)")
    parser.add_argument("--seed", default="1", metavar="S", help="of the draws (1)")
    parser.add_argument("--length", default="16", metavar="T", help="length of words (16)")
    parser.add_argument("--eps", default="1e-6", metavar="E", help="certified error (1e-6)")
    parser.add_argument("--format", choices=NAMES, default="transformerlens")
    parser.add_argument(
        "--benchmark",
        metavar="VERSION",
        help="the models of a benchmark, v1, and no random ones; the other numbers do not apply",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    parser.add_argument("--force", action="store_true", help=OVERWRITE)


def command(args: argparse.Namespace) -> int:
    """Draw, export, list."""
    if args.benchmark is not None:
        from verify.circuits.benchmark import write_benchmark

        with Progress(Screen(stderr=True), "models of the benchmark", BENCHMARK_SECONDS):
            rows = write_benchmark(args.benchmark, args.out, args.force)
        say(f"Written: {args.out}, {len(rows)} models")
        return 0
    length, eps = whole_number(args.length, "--length"), positive(args.eps, "--eps")
    names = random_names(
        ends(args.states, "--states", 1, LARGEST),
        whole_number(args.count, "--count"),
        whole_number(args.seed, "--seed"),
    )
    vacant(args.out, args.force)
    listed = []
    with Progress(Screen(stderr=True)) as progress:
        for i, name in enumerate(names):
            progress(f"model {i + 1} of {len(names)}")
            listed.append(export_one(name, args.out / f"{i:03d}", args.format, length, eps))
    body = {"seed": args.seed, "length": length, "format": args.format, "models": listed}
    write_folder(args.out, {"zoo.json": (json.dumps(body, indent=1) + "\n").encode()}, "--out")
    say(f"Written: {args.out}, {len(listed)} models")
    return 0


def random_names(states: tuple[int, int], count: int, seed: int) -> list[str]:
    """Names of automata, such as hmm:3:77."""
    if count > MOST:
        raise InputError("--count", count, f"at most {MOST}")
    random = Random(seed)
    return [
        f"{KINDS[i % len(KINDS)]}:{random.randint(*states)}:{random.randrange(10**9)}"
        for i in range(count)
    ]


def export_one(name: str, folder: Path, form: str, length: int, eps: Fraction) -> dict[str, Any]:
    """Export one automaton, and say what it is."""
    from constructions.automata.named import automaton_by_name
    from constructions.exports.order import Order
    from verify.automaton.export import export

    automaton = automaton_by_name(name)
    order = Order(length, "decoder", format=form, eps=eps)
    written = export(automaton, order, folder, force=True)
    return {
        "folder": folder.name,
        "automaton": name,
        "states": automaton.n,
        "sizes": written.model.sizes,
        "constants": written.model.constants.rows(),
        "certified_error": written.guarantee.error,
    }
