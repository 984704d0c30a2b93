"""Automata from any file that is understood: JSON, PAutomaC models, AT&T / OpenFst text.

    load("model.json")          {"kind": "wfa" | "wta" | "hmm" | "pfa" | "dfa" | "nfa", …}
    load("24.pautomac_model.txt")
    load("acceptor.att")        source destination symbol [weight], one arc a line

A file that begins with `{` is JSON, one that begins with `I:` a PAutomaC model, and one that begins with a
whole number an acceptor. Paths may be `str` or `Path`.
"""

from __future__ import annotations

from pathlib import Path

from constructions import openfst
from constructions.errors import InputError
from constructions.pautomac import read_model
from constructions.reader import automaton_from, parse_json, read_text
from constructions.wfa import WFA
from constructions.wta import WTA

PAUTOMAC = "I:"


def load(path: Path | str, symbols: Path | str | None = None) -> WFA | WTA:
    """The automaton in a file, by what the file begins with; `symbols` names those of an acceptor.

    Examples:
        >>> from importlib.resources import files
        >>> hmm = load(files("constructions") / "examples" / "hmm.json")
        >>> hmm.weight(["walk", "shop"])
        Fraction(519, 5000)

    """
    text = read_text(path)
    start = text.lstrip()
    if symbols is not None and not start[:1].isdigit():
        raise InputError("symbols", str(symbols), "nothing: only acceptors have a symbol table")
    if start.startswith(PAUTOMAC):
        return read_model(Path(path))
    try:
        if start[:1].isdigit():
            return openfst.read(path, symbols)
        return automaton_from(parse_json(text))
    except InputError as error:
        raise error.at(str(path)) from None
