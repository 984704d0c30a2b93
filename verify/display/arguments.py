"""Arguments shared by several commands: automata by name or file, numbers, ranges."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from constructions.core.atomic_files import check_folder
from constructions.core.errors import InputError
from constructions.core.numbers import number_from_text, whole_number

if TYPE_CHECKING:
    from constructions.automata.ngram import Ngram
    from constructions.automata.wfa import WFA
    from constructions.automata.wta import WTA

FIGURES = ("svg", "png", "pdf")
Options = argparse.ArgumentParser | argparse._ArgumentGroup
OVERWRITE = "overwrite an existing folder"
PATIENCE = 60
POSITIONAL = ("file", "automaton", "func")
LONG = 4000  # digits; the commands themselves refuse long words, with their own message


def acceptor(parser: Options) -> None:
    """Declare the options for acceptors in OpenFst's text form."""
    parser.add_argument("--symbols", type=Path, metavar="TABLE", help="an acceptor's symbol table")
    parser.add_argument(
        "--openfst-weights",
        choices=("factors", "costs"),
        help="meaning of an acceptor's weights: factors (the default), or costs, -log of a factor, "
        "whose factors are rounded to 17 digits",
    )


def about(parser: argparse.ArgumentParser) -> None:
    """Declare `--about DIR`."""
    parser.add_argument(
        "--about",
        type=Path,
        metavar="DIR",
        help="the folder of another paper, such as `assay new` writes (this package's paper)",
    )


def add_plot(parser: argparse.ArgumentParser, what: str, kinds: Sequence[str] = FIGURES) -> None:
    """Declare `--plot FIGURE`, with what is drawn."""
    help_ = f"draw {what} ({', '.join(kinds)})"
    parser.add_argument("--plot", type=Path, metavar="FIGURE", help=help_)


def figure_kind(path: Path | None, option: str, kinds: Sequence[str] = FIGURES) -> str:
    """Return the kind that a figure's name ends in, "" without a figure; refuse it before any work."""
    if path is None:
        return ""
    found = path.suffix.removeprefix(".").lower()
    if found not in kinds:
        endings = " or ".join(f".{name}" for name in kinds)
        raise InputError(option, path.suffix or path.name, f"a name that ends in {endings}")
    check_folder(path, option)
    return found


def add_report_options(parser: Options) -> None:
    """Declare the length, the error and the activation of a report on an automaton."""
    parser.add_argument("--length", metavar="T", help="length of words or of str(t)")
    parser.add_argument("--eps", default="1e-6", metavar="E", help="error to stay below (1e-6)")
    parser.add_argument(
        "--activation", default="gelu", help="activation of the MLP: gelu, tanh, …, relu (gelu)"
    )
    acceptor(parser)
    add_large(parser)


def report_options(args: argparse.Namespace) -> tuple[int, Fraction]:
    """The length and the error that `--length` and `--eps` give."""
    length = whole_number(args.length, "--length", digits=LONG)
    return length, positive(args.eps, "--eps")


def ends(text: str, option: str, least: int, most: int) -> tuple[int, int]:
    """A:B as two whole numbers with least ≤ A ≤ B ≤ most; A alone is A:A."""
    low, _, high = text.partition(":")
    try:
        first, last = whole_number(low, option), whole_number(high or low, option)
    except InputError:
        first, last = 0, -1
    if not least <= first <= last <= most:
        raise InputError(option, text, f"A:B with {least} ≤ A ≤ B ≤ {most}")
    return first, last


def positive(text: str, option: str) -> Fraction:
    """A number > 0 from the command line: a decimal or p/q."""
    value = number_from_text(text.strip(), option)
    if value <= 0:
        raise InputError(option, text, "a number > 0")
    return value


def automaton_of(text: str) -> WFA:
    """A family by its name, or the automaton over words in a file."""
    from constructions.automata.wfa import WFA

    found = any_automaton_of(text)
    if not isinstance(found, WFA):
        raise InputError(
            "kind", "wta", "an automaton over words (a WFA, HMM, PFA, DFA or NFA)", text
        )
    return found


def any_automaton_of(
    text: str, symbols: Path | None = None, weights: str | None = None
) -> WFA | WTA:
    """A family by its name, or the automaton in a file, with what an OpenFst acceptor needs."""
    from constructions.automata.named import FAMILIES, automaton_by_name

    file = Path(text).suffix or Path(text).parent != Path()
    family = text.partition(":")[0] in FAMILIES or not file
    if family and not _exists(Path(text)):
        return automaton_by_name(text)
    from constructions.files.formats import load

    return load(Path(text), symbols, weights)


def source_of(text: str, weights: str | None = None) -> tuple[str, str]:
    """The name of a family or of a file, and what was assumed of its weights."""
    from constructions.files.formats import assumption

    path = Path(text)
    return (path.name, assumption(path, weights) or "") if _exists(path) else (text, "")


def _exists(path: Path) -> bool:
    """Return whether there is such a file; False for a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def add_large(parser: Options) -> None:
    """Declare that one may go on where an estimate is too long."""
    parser.add_argument(
        "--large", action="store_true", help="run even if it takes more than about a minute"
    )


def check_patience(seconds: float, size: str, force: bool, where: str) -> None:
    """Refuse what takes longer than about a minute, with an estimate, before any work."""
    if seconds > PATIENCE and not force:
        found = f"{size}, about {seconds:.0f} s"
        raise InputError("automaton", found, f"at most about {PATIENCE} s, or --large", where)


@contextmanager
def naming_file(automaton: WFA | WTA | Ngram, file: str) -> Iterator[None]:
    """Name the file and the field in a complaint about a weight that no float64 can hold."""
    from constructions.automata.entries import entries
    from constructions.automata.ngram import Ngram

    try:
        yield
    except InputError as error:
        if error.field != "weight" or isinstance(automaton, Ngram):
            raise
        most = sys.float_info.max
        beyond = (field for field, weight in entries(automaton) if abs(weight) > most)
        field = next(beyond, error.field)
        raise InputError(field, error.found, error.expected).at(file) from None


def naming_options(
    command: Callable[[argparse.Namespace], int],
) -> Callable[[argparse.Namespace], int]:
    """The command, whose errors name options (`--dtype float32`) where Python's name arguments."""

    def run(args: argparse.Namespace) -> int:
        try:
            return command(args)
        except InputError as error:
            raise with_options(error, set(vars(args)) - {*POSITIONAL}) from None

    return run


def as_options(text: str, names: Collection[str]) -> str:
    """A text with `--dtype float64` for `dtype=float64` and `--large` for `large=True`.

    Examples:
        >>> as_options("take dtype=float64, or large=True", ["dtype", "large"])
        'take --dtype float64, or --large'

    """
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    given = re.compile(rf"\b({listed})=(True\b)?")
    return given.sub(lambda m: f"--{m[1].replace('_', '-')}{'' if m[2] else ' '}", text)


def with_options(error: InputError, names: Collection[str]) -> InputError:
    """An error about arguments as one about options.

    Examples:
        >>> print(with_options(InputError("length", 9, "8, or large=True"), ["length", "large"]))
        --length: found 9, expected 8, or --large

    """
    field = f"--{error.field}" if error.field in names and not error.where else error.field
    found = as_options(error.found, names) if isinstance(error.found, str) else error.found
    return InputError(field, found, as_options(error.expected, names), error.where)
