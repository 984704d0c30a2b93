"""Automata from any file that is understood: JSON, PAutomaC models, AT&T / OpenFst text.

    load("model.json")          {"kind": "wfa" | "wta" | "hmm" | "pfa" | "dfa" | "nfa" | "regex", …}
    load("24.pautomac_model.txt")
    load("acceptor.att")        source destination symbol [weight], one arc a line

A file that begins with `{` is JSON, one that begins with `I:` a PAutomaC model, and one that begins with a
whole number an acceptor; where the beginning says nothing, endings such as .json and .att do. Paths may be
`str` or `Path`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path

from constructions.automata.families import TOLERANCE
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from constructions.core.numbers import is_whole
from constructions.files import openfst
from constructions.files.pautomac import PautomacModel, read_model, read_tables
from constructions.files.reader import automaton_from_json, parse_json

PAUTOMAC, JSON, ACCEPTOR, FACTORS = "I:", ".json", "acceptor", "factors"
JSON_BEGINS, ACCEPTORS = ("{", "[", '"'), (".att", ".fst")
BEGINNINGS = "'{' (JSON), 'I: (state)' (a PAutomaC model) or a state's number (an OpenFst acceptor)"
ASSUMED = {
    FACTORS: "weights are read as factors; --openfst-weights costs reads them as -log of factors",
    "costs": "weights are read as costs: factors are e^(-cost), rounded to 17 significant digits",
}


def assumption(path: Path | str, weights: str | None = None) -> str:
    """The assumption on an acceptor's numbers, or the row of a PAutomaC model that is no distribution."""
    form = _file_format(path, read_text(path))
    if form == PAUTOMAC:
        return _far_from_one(read_tables(Path(path)))
    return ASSUMED[weights or FACTORS] if form == ACCEPTOR else ""


def _far_from_one(model: PautomacModel) -> str:
    """Description of the first row of a model that does not sum to 1, or ""."""
    totals: dict[str, Fraction] = {"I": sum(model.initial.values(), Fraction(0))}
    for q in range(model.states):
        if model.final.get((q,), 0) != 1:
            totals[f"S of state {q}"] = Fraction(0)
    for (q, _), weight in model.emission.items():
        totals[f"S of state {q}"] = totals.get(f"S of state {q}", Fraction(0)) + weight
    for (q, a, _), weight in model.moves.items():
        if model.emission.get((q, a)):
            name = f"T of state {q} and symbol {a}"
            totals[name] = totals.get(name, Fraction(0)) + weight
    for name, total in totals.items():
        if abs(total - 1) > TOLERANCE:
            return f"warning: {name} sums to {float(total):.6g}, not to 1; weights are taken as written"
    return ""


def _file_format(path: Path | str, text: str) -> str:
    """Return the format of a file, by its beginning, else by its suffix; refuse other files."""
    start = text.lstrip()
    if start[:1].isdigit():
        return ACCEPTOR
    if start.startswith(PAUTOMAC):
        return PAUTOMAC
    suffix = Path(path).suffix.lower()
    if start[:1] in JSON_BEGINS or suffix == JSON:
        return JSON
    if suffix in ACCEPTORS:
        return ACCEPTOR
    raise InputError("first line", start.split("\n")[0] or None, BEGINNINGS, str(path))


def load(
    path: Path | str, symbols: Path | str | None = None, weights: str | None = None
) -> WFA | WTA:
    """Load the automaton in a file; the first characters decide the format.

    Of an acceptor `symbols` names the symbols, and `weights` is the meaning of its numbers: "factors" (the
    default) or "costs", -log of a factor, which are rounded (`constructions.files.openfst`).

    Examples:
        >>> from importlib.resources import files
        >>> hmm = load(files("constructions") / "examples" / "hmm.json")
        >>> hmm.weight(["walk", "shop"])
        Fraction(519, 5000)

    """
    text = read_text(path)
    form = _file_format(path, text)
    if form == ACCEPTOR:
        return _acceptor(path, text, symbols, weights)
    _check_options(symbols, weights)
    if form == PAUTOMAC:
        return read_model(Path(path))
    try:
        return automaton_from_json(parse_json(text))
    except InputError as error:
        raise error.at(str(path)) from None


def _acceptor(path: Path | str, text: str, symbols: Path | str | None, weights: str | None) -> WFA:
    try:
        return openfst.read(path, symbols, weights or FACTORS)
    except InputError:
        if not _is_words(text):
            raise
    expected = "a model, such as N.pautomac_model.txt, which begins with 'I: (state)'"
    raise InputError("file", "words of PAutomaC (.train, .test)", expected, str(path))


def _is_words(text: str) -> bool:
    """True for a test file: a first line of two numbers, then words after their lengths."""
    head, *words = (line.split() for line in islice(text.splitlines(), 6))
    counted = all(words) and all(word[0] == str(len(word) - 1) for word in words)
    return len(head) == 2 and all(map(is_whole, head)) and bool(words) and counted


def _check_options(symbols: Path | str | None, weights: str | None) -> None:
    if symbols is not None:
        raise InputError("symbols", "a symbol table is for OpenFst acceptors only", "")
    if weights is not None:
        raise InputError("weights", "factors or costs are a choice for OpenFst acceptors only", "")
