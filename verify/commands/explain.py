"""`verify explain FILE --word abba`: what each head of the decoder reads and what each block holds.

The decoder is the one that `verify export FILE --construction decoder` writes, with hard attention, in
exact arithmetic. For a tree automaton the word is the string of a tree, such as [a[bb]].
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from constructions.errors import InputError
from constructions.wfa import WFA
from constructions.wta import WTA

FIGURES = (".svg", ".png", ".pdf")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "explain",
        help="what the decoder does with a word: reads and products, layer by layer",
        description="Where every head reads and what every position holds, exactly.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="automaton: JSON or PAutomaC model")
    parser.add_argument(
        "--word", required=True, metavar="W", help="abba, or symbols apart: 'red blue'; or [a[bb]]"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--plot", type=Path, metavar="FIGURE", help="draw who reads whom (svg, png)"
    )
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Read, run, show."""
    from constructions.formats import load
    from verify.explaining import explain

    automaton = load(args.file)
    rows = explain(automaton, symbols(automaton, args.word))
    if args.plot is not None:
        write(args.plot, drawn(rows, args.plot.suffix))
    if args.json:
        print(json.dumps([vars(row) for row in rows], indent=1, ensure_ascii=False))
    else:
        show(rows, Console())
    return 0


def symbols(automaton: WFA | WTA, text: str) -> list[str]:
    """The symbols of a word or of str(t): written together if all have one character, else apart."""
    if isinstance(automaton, WTA):
        for bracket in "[]":
            text = text.replace(bracket, f" {bracket} ")
    parts = text.split()
    if all(len(symbol) == 1 for symbol in automaton.alphabet):
        parts = [character for part in parts for character in part]
    known = {*automaton.alphabet, *("[]" if isinstance(automaton, WTA) else ())}
    for part in parts:
        if part not in known:
            raise InputError("--word", part, f"a symbol of {', '.join(sorted(known))}")
    return parts


def show(rows: Sequence[Any], console: Console) -> None:
    """One table; BOS, which reads itself, is left out."""
    names = ("layer", "position", "token", "reads", "holds", "values")
    table = Table(*(Column(name, overflow="fold") for name in names), box=None, pad_edge=False)
    for row in rows:
        if row.position:
            reads = "  ".join(f"{name} {_places(at)}" for name, at in row.reads.items())
            table.add_row(str(row.layer), str(row.position), row.token, reads, row.holds,
                          " ".join(row.values))  # fmt: skip
    console.print(table, markup=False)


def _places(places: Sequence[int]) -> str:
    return str(places[0]) if len(places) == 1 else f"{places[0]}–{places[-1]}"


def drawn(rows: Sequence[Any], suffix: str) -> bytes:
    """Positions to the right, layers upwards, a line from each position to where a head reads."""
    if suffix not in FIGURES:
        raise InputError("--plot", suffix, f"a file that ends with {', '.join(FIGURES)}")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    last, wide = max(row.layer for row in rows), max(row.position for row in rows)
    figure, axes = pyplot.subplots(figsize=(2 + 0.7 * wide, 1.5 + 1.1 * last))
    colours = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(
        name for row in rows for name, at in row.reads.items() if len(at) == 1))}  # fmt: skip
    for row in rows:
        for name, at in row.reads.items():
            if len(at) == 1:
                axes.plot([at[0], row.position], [row.layer - 1, row.layer], color=colours[name],
                          linewidth=0.8, label=name)  # fmt: skip
        axes.plot(row.position, row.layer, "o", color="black", markersize=3)
        if row.layer == last:
            axes.annotate(row.holds, (row.position, row.layer + 0.12), rotation=60, fontsize=6)
    axes.set_xticks(range(wide + 1), [row.token for row in rows if row.layer == 0])
    axes.set_yticks(range(last + 1))
    axes.set_ylabel("layer")
    lines = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(lines.values(), lines.keys(), loc="upper left", fontsize=7)
    axes.margins(y=0.25)
    out = io.BytesIO()
    figure.savefig(out, format=suffix[1:], bbox_inches="tight", metadata={"Date": None} if (
        suffix == ".svg") else None)  # fmt: skip
    pyplot.close(figure)
    return out.getvalue()


def write(path: Path, content: bytes) -> None:
    """Write a figure, whole or not at all."""
    from constructions.export import write_whole

    write_whole(path, content)
