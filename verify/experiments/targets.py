"""The paper's own targets: what the PAutomaC files say, and the shortcut that Theorem 1 builds.

facts            states, alphabet, type and share of emitted pairs of one problem
largest_error    test probabilities recomputed in balls, against the solution file
softmax_floor    if states after t symbols sum to at most ρ^t, an output that sums to 1 misses them
                 by at least (1 - ρ^t)² / n² on average: a floor under every test error
pattern          where each head of Theorem 1's layers looks, decided in balls, for every automaton
scan             the layers run with that pattern and any product: exact matrices, or words of a
                 free monoid, which is every automaton at once
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

import flint
import numpy as np
import torch

from constructions import theorem1, theorem2
from constructions.arithmetic import Balls, Floats
from constructions.pautomac import read_problem, read_solution, read_tables, read_test
from constructions.transformer import realise_layer
from constructions.wfa import WFA

from verify.experiments.data import Machine, support_words


BITS = 192
PATTERN_BITS = 128
V = TypeVar("V")
Pattern = list[tuple[list[int], ...]]


@dataclass(frozen=True)
class Facts:
    """What the files of one problem say."""

    problem: str
    states: int
    alphabet: int
    type: str
    present: int
    digest: str

    @property
    def filled(self) -> Fraction:
        """The share of pairs (state, symbol) that can be emitted."""
        return Fraction(self.present, self.states * self.alphabet)

    def differences(self, printed: Descriptor) -> list[str]:
        """Which descriptors differ from Table 1."""
        low, high = interval(printed.sparsity)
        same = {
            "states": str(self.states) == printed.states,
            "alphabet": str(self.alphabet) == printed.alphabet,
            "type": self.type == printed.type,
            "sparsity": low <= self.filled <= high,
        }
        return [name for name, agrees in same.items() if not agrees]

    def plain(self) -> dict[str, Any]:
        """The facts as plain data."""
        return {
            "problem": self.problem,
            "states": self.states,
            "alphabet": self.alphabet,
            "type": self.type,
            "present": self.present,
            "sha256": self.digest,
        }


def facts(folder: Path, problem: str) -> Facts:
    """Read the facts of one problem from its files."""
    path = folder / f"{problem}.pautomac_model.txt"
    model = read_tables(path)
    alphabet = read_test(folder / f"{problem}.pautomac.test").alphabet
    present = int(model.filled(alphabet) * model.states * alphabet)
    digest = sha256(path.read_bytes()).hexdigest()
    return Facts(problem, model.states, alphabet, model.kind, present, digest)


def largest_error(folder: Path, problem: str) -> Fraction:
    """A rigorous bound on all relative errors, rounded up to a multiple of 10^-12."""
    automaton = read_problem(folder, int(problem))
    words = read_test(folder / f"{problem}.pautomac.test").words
    stated = read_solution(folder / f"{problem}.pautomac_solution.txt")
    with flint.ctx.workprec(BITS):
        weights = _weights(automaton, words)
        total = sum(weights, flint.arb(0))
        gaps = [abs(w / total / _arb(s) - 1) for w, s in zip(weights, stated, strict=True)]
        return Fraction(ceil(max(_above(gap) for gap in gaps) * 10**12), 10**12)


def _above(ball: flint.arb) -> Fraction:
    """A rational that is not below any number of a ball."""
    mantissa, exponent = ball.upper().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _arb(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _weights(automaton: WFA, words: Sequence[Sequence[str]]) -> list[flint.arb]:
    matrices = {
        symbol: flint.arb_mat([[_arb(x) for x in line] for line in rows])
        for symbol, rows in automaton.transitions.items()
    }
    start = flint.arb_mat([[_arb(x) for x in automaton.alpha]])
    final = flint.arb_mat([[_arb(x)] for x in automaton.beta])
    weights = []
    for word in words:
        state = start
        for symbol in word:
            state = state * matrices[symbol]
        weights.append((state * final)[0, 0])
    return weights


def largest_row(automaton: WFA) -> Fraction:
    """ρ, the largest sum of a row of some A^a, rounded up to four decimals."""
    sums = [sum(line) for rows in automaton.transitions.values() for line in rows]
    return Fraction(ceil(max(sums) * 10**4), 10**4)


def nonnegative(automaton: WFA) -> bool:
    """Whether no weight is below zero, so that no state has a negative entry."""
    rows = [line for rows in automaton.transitions.values() for line in rows]
    return all(x >= 0 for line in (*rows, automaton.alpha) for x in line)


def softmax_floor(largest: Fraction, states: int, length: int) -> Fraction:
    """The mean over t = 0 … T - 1 of (1 - ρ^t)² / n²: no softmax output has a smaller MSE.

    Over t = 1 … T the floor is higher, so this one serves both alignments of the target.
    """
    total = sum(((1 - largest**t) ** 2 for t in range(length)), Fraction(0))
    return total / (length * states**2)


def pattern(length: int) -> Pattern:
    """For each layer and head the token that each token attends to; positions alone decide."""
    half = theorem1.span(length)
    rows = [[0, 0, *theorem1.position(t, half)] for t in range(-half + 1, half + 1)]
    looks: Pattern = []
    with Balls(PATTERN_BITS) as balls:
        x = balls.array(rows)
        for layer in theorem1.layers(1, length):
            heads = realise_layer(layer, balls).heads
            looks.append(
                tuple(
                    [balls.maximisers(list(line))[0] for line in head.scores(balls, x)]
                    for head in heads
                )
            )
    return looks


def scan(looks: Pattern, tokens: Sequence[V], product: Callable[[V, V], V]) -> list[V]:
    """The tokens after all layers: each is the product of the two that its heads attend to."""
    current = list(tokens)
    for left, right in looks:
        current = [product(current[i], current[j]) for i, j in zip(left, right, strict=True)]
    return current


def prefixes(looks: Pattern, length: int) -> bool:
    """Whether position t holds x_1 … x_t for t = 0 … T: true of every automaton at once."""
    half = theorem1.span(length)
    tokens: list[tuple[int, ...]]
    tokens = [(t,) if 1 <= t <= length else () for t in range(-half + 1, half + 1)]
    after = scan(looks, tokens, lambda left, right: left + right)
    wanted = [tuple(range(1, t + 1)) for t in range(length + 1)]
    return after[half - 1 : half + length] == wanted


def exact_states(automaton: WFA, word: Sequence[str]) -> list[flint.fmpq_mat]:
    """The T + 1 states of a word, one product after the other."""
    matrices = {symbol: _rational(rows) for symbol, rows in automaton.transitions.items()}
    states = [_rational([automaton.alpha])]
    for symbol in word:
        states.append(states[-1] * matrices[symbol])
    return states


def exact_states_agree(automaton: WFA, word: Sequence[str], looks: Pattern) -> bool:
    """Whether the scan over exact matrices gives the automaton's states on one word."""
    half = theorem1.span(len(word))
    matrices = {symbol: _rational(rows) for symbol, rows in automaton.transitions.items()}
    unit, start = _rational(theorem1.identity(automaton.n)), _rational([automaton.alpha])
    tokens = [
        matrices[word[t - 1]] if 1 <= t <= len(word) else unit for t in range(-half + 1, half + 1)
    ]
    after = scan(looks, tokens, lambda left, right: left * right)
    found = [start * product for product in after[half - 1 : half + len(word)]]
    return found == exact_states(automaton, word)


def _rational(rows: Sequence[Sequence[Any]]) -> flint.fmpq_mat:
    return flint.fmpq_mat([[flint.fmpq(x.numerator, x.denominator) for x in row] for row in rows])


def support_word(automaton: WFA, length: int, seed: int) -> tuple[str, ...]:
    """A word of positive weight, drawn as the training words are."""
    rows = [[[float(x) for x in line] for line in m] for m in automaton.transitions.values()]
    start = [float(x) for x in automaton.alpha]
    machine = Machine(torch.tensor(start).double(), torch.tensor(rows).double())
    drawn = support_words(machine, 1, length, torch.Generator().manual_seed(seed))
    return tuple(automaton.alphabet[int(symbol)] for symbol in drawn[0])


def float_error(automaton: WFA, word: Sequence[str]) -> float:
    """The largest error of the float64 transformer, relative to the sum of the exact state."""
    found = theorem1.build(automaton, len(word)).states(word, Floats(np.float64))
    gaps = state_gaps(automaton, word, found)
    return max(float(gap / total) for gap, total in gaps)


def soft_error(automaton: WFA, word: Sequence[str], saturation: Fraction) -> float:
    """The largest error of Theorem 2's transformer in float64, with exact products."""
    found = theorem2.build(automaton, len(word), saturation).states(word, Floats(np.float64))
    return max(float(gap) for gap, _ in state_gaps(automaton, word, found))


def state_gaps(
    automaton: WFA, word: Sequence[str], found: Sequence[Sequence[float]]
) -> list[tuple[Fraction, Fraction]]:
    """For each state, the largest error of an entry, and the sum of the exact state."""
    gaps = []
    for got, exact in zip(found, exact_states(automaton, word), strict=True):
        state = [Fraction(int(x.p), int(x.q)) for x in exact.entries()]
        gap = max(abs(Fraction(float(x)) - y) for x, y in zip(got, state, strict=True))
        gaps.append((gap, sum(state, Fraction(0))))
    return gaps
