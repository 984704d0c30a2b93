"""An automaton from any file that is understood: JSON (WFA, WTA) or a PAutomaC model."""

from __future__ import annotations

from pathlib import Path

from constructions.errors import InputError
from constructions.pautomac import read_model
from constructions.reader import automaton_from, parse_json, read_text
from constructions.wfa import WFA
from constructions.wta import WTA

PAUTOMAC = "I:"


def load(path: Path) -> WFA | WTA:
    """The automaton in a file; what begins with `I:` is a PAutomaC model, the rest is JSON."""
    text = read_text(path)
    if text.lstrip().startswith(PAUTOMAC):
        return read_model(path)
    try:
        return automaton_from(parse_json(text))
    except InputError as error:
        raise error.at(str(path)) from None
