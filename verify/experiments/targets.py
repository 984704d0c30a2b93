"""The paper's own targets: what the PAutomaC files say.

descriptors      states, alphabet, type and emitted pairs of one problem
largest_error    test probabilities recomputed in balls, against the solution file
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

import flint

from constructions.automata.wfa import WFA
from constructions.core.exact import ball, ceiling
from constructions.files.pautomac import read_problem, read_solution, read_tables, read_test

BITS = 192


@dataclass(frozen=True)
class Descriptors:
    """Sizes given in the files of one problem; `present` counts the emitted pairs (state, symbol)."""

    states: int
    alphabet: int
    type: str
    present: int

    @property
    def pairs(self) -> int:
        """All pairs of state and symbol."""
        return self.states * self.alphabet


def descriptors(folder: Path, problem: str) -> Descriptors:
    """Read the descriptors of one problem from its files."""
    model = read_tables(folder / f"{problem}.pautomac_model.txt")
    alphabet = read_test(folder / f"{problem}.pautomac.test").alphabet
    present = int(model.density(alphabet) * model.states * alphabet)
    return Descriptors(model.states, alphabet, model.kind, present)


def largest_error(folder: Path, problem: str) -> Fraction:
    """A rigorous bound on all relative errors, rounded up to a multiple of 10^-12."""
    automaton = read_problem(folder, int(problem))
    words = read_test(folder / f"{problem}.pautomac.test").words
    stated = read_solution(folder / f"{problem}.pautomac_solution.txt")
    with flint.ctx.workprec(BITS):
        weights = _weights(automaton, words)
        total = sum(weights, flint.arb(0))
        gaps = [abs(w / total / ball(s) - 1) for w, s in zip(weights, stated, strict=True)]
        return Fraction(ceil(max(ceiling(gap) for gap in gaps) * 10**12), 10**12)


def _weights(automaton: WFA, words: Sequence[Sequence[str]]) -> list[flint.arb]:
    matrices = {
        symbol: flint.arb_mat([[ball(x) for x in line] for line in rows])
        for symbol, rows in automaton.transitions.items()
    }
    start = flint.arb_mat([[ball(x) for x in automaton.alpha]])
    final = flint.arb_mat([[ball(x)] for x in automaton.beta])
    weights = []
    for word in words:
        state = start
        for symbol in word:
            state = state * matrices[symbol]
        weights.append((state * final)[0, 0])
    return weights
