"""Weights computed by hand for the example files, and what a decoder says of them."""

import json
import runpy
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import torch

from constructions.automata.trees import string
from constructions.automata.wfa import letters
from constructions.files.formats import load
from verify.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "constructions" / "examples"
# counting: "0100" has three zeros; HMM: see docs/hmm.md; DFA: an even number of a; PAutomaC: 0.4 · 0.4 · 0.5
WORDS = [
    ("wfa.json", "0100", Fraction(3)),
    ("hmm.json", ["walk", "shop"], Fraction(1038, 10000)),
    ("dfa.json", "abab", Fraction(1)),
    ("dfa.json", "ab", Fraction(0)),
    ("pautomac.txt", "01", Fraction(8, 100)),
]
TREES = [("wta.json", "[a [b a]]", Fraction(7)), ("wta.json", "b", Fraction(5))]
EPS = Fraction(1, 1000)


def exported(name: str, folder: Path, *arguments: str) -> Path:
    """A model for an example, written by the command line."""
    hard = "exact" in arguments or "hard" in arguments
    eps = () if hard else ("--eps", "1/1000")
    order = ("--length", "7", *eps, "--out", str(folder), *arguments)
    assert main(["export", str(EXAMPLES / name), *order]) == 0
    return folder


def near(
    found: float, wanted: Fraction, weights: tuple[Fraction, ...], eps: Fraction = EPS
) -> bool:
    """Within ε of the state, hence within ‖β‖ ε of the weight; float64 adds far less."""
    bound = float(sum(w * w for w in weights)) ** 0.5
    return abs(found - float(wanted)) <= bound * float(eps) + 1e-12


@cache
def loaded(folder: Path) -> Any:
    """What the folder's own script loads."""
    return runpy.run_path(str(folder / "load.py"))["model"]


def decoded(name: str, given: object, folder: Path) -> tuple[float, tuple[Fraction, ...]]:
    """What the folder's own script loads says of a word or a tree, and the weights of the readout."""
    automaton, note = load(EXAMPLES / name), json.loads((folder / "model.json").read_text())
    words = "beta" in vars(automaton)
    symbols = letters(given, automaton.alphabet) if words else string(given)
    tokens = torch.tensor([[note["tokens"].index(s) for s in ("<bos>", *symbols)]])
    model = loaded(folder)
    with torch.no_grad():
        found = model(tokens)
    state = getattr(found, "logits", found).reshape(tokens.shape[1], -1)[-1, : automaton.n].double()
    weights = automaton.beta if words else automaton.alpha
    return float(state @ torch.tensor([float(w) for w in weights], dtype=torch.float64)), weights
