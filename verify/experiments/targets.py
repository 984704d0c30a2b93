"""The paper's own targets: what the PAutomaC files say, and the shortcut that Theorem 1 builds.

descriptors      states, alphabet, type and emitted pairs of one problem
largest_error    test probabilities recomputed in balls, against the solution file
softmax_floor    if states after t symbols sum to at most ρ^t, an output that sums to 1 misses them
                 by at least (1 - ρ^t)² / n² on average: a floor under every test error
branching        how many symbols a prefix of the support can be continued with, along a word
pattern          where each head of Theorem 1's layers looks, decided in balls, for every automaton
scan             the layers run with that pattern and any product: exact matrices, or words of a
                 free monoid, which is every automaton at once
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import flint

from constructions import theorem1
from constructions.arithmetic import Balls
from constructions.automata.wfa import WFA
from constructions.core.exact import ball, ceiling, rational_matrix
from constructions.core.transformer import realise_layer
from constructions.files.pautomac import read_problem, read_solution, read_tables, read_test

BITS = 192
PATTERN_BITS = 128
V = TypeVar("V")
Pattern = list[tuple[list[int], ...]]


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


def is_nonnegative(automaton: WFA) -> bool:
    """True if no weight is below zero, so that no state has a negative entry."""
    rows = [line for rows in automaton.transitions.values() for line in rows]
    return all(x >= 0 for line in (*rows, automaton.alpha) for x in line)


def softmax_floor(largest: Fraction, states: int, length: int) -> Fraction:
    """The mean over t = 0 … T - 1 of (1 - ρ^t)² / n²: no softmax output has a smaller MSE.

    Over t = 1 … T the floor is higher, so this one serves both alignments of the target.
    """
    total = sum(((1 - largest**t) ** 2 for t in range(length)), Fraction(0))
    return total / (length * states**2)


def branching_word(
    automaton: WFA, length: int, choose: Callable[[list[str]], str]
) -> tuple[tuple[str, ...], int]:
    """A word of the support, and the product of the numbers of symbols that were open to it.

    Choosing each symbol uniformly among the open ones draws this word with one over that product.
    """
    alive = {q for q, weight in enumerate(automaton.alpha) if weight}
    word: list[str] = []
    total = 1
    for _ in range(length):
        steps = {
            symbol: _reachable_states(automaton, symbol, alive) for symbol in automaton.alphabet
        }
        open_ = [symbol for symbol, reached in steps.items() if reached]
        total *= len(open_)
        word.append(choose(open_))
        alive = steps[word[-1]]
    return tuple(word), total


def _reachable_states(automaton: WFA, symbol: str, alive: set[int]) -> set[int]:
    rows = automaton.transitions[symbol]
    return {q for p in alive for q, weight in enumerate(rows[p]) if weight}


def attention_pattern(length: int) -> Pattern:
    """For each layer and head the token that each token attends to; positions alone decide."""
    half = theorem1.span(length)
    # What tokens carry beside their position plays no part in scores.
    rows = [[t, t, *theorem1.position(t, half)] for t in _positions(length)]
    looks: Pattern = []
    with Balls(PATTERN_BITS) as balls:
        x = balls.array(rows)
        for layer in theorem1.layers(1, length):
            heads = realise_layer(layer, balls).heads
            looks.append(
                tuple([_attended(balls, line) for line in head.scores(balls, x)] for head in heads)
            )
    return looks


def _attended(balls: Balls, scores: Iterable[Any]) -> int:
    [best] = balls.maximisers(list(scores))
    return best


def _positions(length: int) -> range:
    """The positions of all tokens, pads before and after the word."""
    half = theorem1.span(length)
    return range(-half + 1, half + 1)


def scan(looks: Pattern, tokens: Sequence[V], product: Callable[[V, V], V]) -> list[V]:
    """The tokens after all layers: each is the product of the two that its heads attend to."""
    current = list(tokens)
    for left, right in looks:
        current = [product(current[i], current[j]) for i, j in zip(left, right, strict=True)]
    return current


def holds_prefixes(looks: Pattern, length: int) -> bool:
    """True if position t holds x_1 … x_t for t = 0 … T: true of every automaton at once."""
    half = theorem1.span(length)
    tokens: list[tuple[int, ...]]
    tokens = [(t,) if 1 <= t <= length else () for t in _positions(length)]
    after = scan(looks, tokens, lambda left, right: left + right)
    wanted = [tuple(range(1, t + 1)) for t in range(length + 1)]
    return after[half - 1 : half + length] == wanted


def exact_states_agree(automaton: WFA, word: Sequence[str], looks: Pattern) -> bool:
    """True if the scan over exact matrices gives the automaton's states on one word."""
    half = theorem1.span(len(word))
    matrices = {symbol: rational_matrix(rows) for symbol, rows in automaton.transitions.items()}
    unit, start = (
        rational_matrix(theorem1.identity(automaton.n)),
        rational_matrix([automaton.alpha]),
    )
    tokens = [matrices[word[t - 1]] if 1 <= t <= len(word) else unit for t in _positions(len(word))]
    after = scan(looks, tokens, lambda left, right: left * right)
    scanned = [start * product for product in after[half - 1 : half + len(word)]]
    states = [start]
    for symbol in word:
        states.append(states[-1] * matrices[symbol])
    return scanned == states


def support_word(automaton: WFA, length: int, seed: int) -> tuple[str, ...]:
    """A word of the support, each symbol uniform among the open ones."""
    return branching_word(automaton, length, Random(seed).choice)[0]
