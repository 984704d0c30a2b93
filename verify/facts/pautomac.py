"""The PAutomaC automata of Table 1, from the files of the collection.

pautomac.descriptors    states, alphabet and type are those of Table 1
pautomac.sparsity       the share of pairs (state, symbol) that can be emitted rounds to Table 1
pautomac.no-type        none of the automata has this type
pautomac.probabilities  test probabilities recomputed from the models are those of the solutions
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from verify.experiments import targets
from verify.experiments.printed import interval, table
from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome, comparison

DATA = ("pautomac",)


def folder(inputs: Inputs) -> Path:
    """The folder with PAutomaC files that the user gave."""
    return inputs.data["pautomac"]


def table_cell(automaton: str, row: str) -> str:
    """One cell of Table 1."""
    return table(1).cell(row, automaton)


@fact("pautomac.descriptors", "exact", DATA)
def descriptors(inputs: Inputs, automata: list[str], rows: list[str]) -> Outcome:
    """The files give the descriptors that Table 1 prints."""
    differing = []
    for automaton in automata:
        read = targets.descriptors(folder(inputs), automaton)
        for row in rows:
            if str(getattr(read, row)) != table_cell(automaton, row):
                differing.append(f"{automaton}: {row} {getattr(read, row)}")
    return comparison(not differing, automata=len(automata), differing=differing)


@fact("pautomac.sparsity", "exact", DATA)
def sparsity(inputs: Inputs, automata: list[str]) -> Outcome:
    """The share of pairs of state and symbol that can be emitted rounds to the printed sparsity."""
    shares: dict[str, str] = {}
    for automaton in automata:
        read = targets.descriptors(folder(inputs), automaton)
        low, high = interval(table_cell(automaton, "sparsity"))
        shares[automaton] = f"{read.present}/{read.pairs}"
        if not low <= Fraction(read.present, read.pairs) <= high:
            witness = {"automaton": automaton, "share": shares[automaton]}
            return Outcome(False, {}, {**witness, "printed": table_cell(automaton, "sparsity")})
    return Outcome(True, {"shares": shares})


@fact("pautomac.no-type", "exact", DATA)
def no_type(inputs: Inputs, automata: list[str], type: str) -> Outcome:
    """None of the automata has this type."""
    having = [a for a in automata if targets.descriptors(folder(inputs), a).type == type]
    return comparison(not having, automata=len(automata), found=having)


@fact("pautomac.probabilities", "enclosure", DATA)
def probabilities(inputs: Inputs, automata: list[str], allowed: str) -> Outcome:
    """Test probabilities recomputed from the models agree with the solution files."""
    errors = {a: str(targets.largest_error(folder(inputs), a)) for a in automata}
    worst = max(errors.values(), key=Fraction)
    return comparison(Fraction(worst) <= Fraction(allowed), worst=worst)
