"""Measured errors: the built models, run in torch on sampled words, against the exact states.

Samples are drawn uniformly with a fixed seed; the word whose product is largest, as far as a
search found, is among them. A measurement is no bound: it says what was seen on these words.
Words are run one at a time: `memory` says what that takes, at most 0.7 GB by the two limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import flint
import torch

from constructions import theorem1
from constructions.arithmetic import Balls
from constructions.arithmetic.selecting import Selecting
from constructions.exact import ball
from constructions.smoothing import FourUnits
from constructions.theorem1 import Simulation, depth, product_block, span
from constructions.transformer import Transformer, realise
from constructions.wfa import WFA
from verify.bounds import leak

Word = tuple[str, ...]
SAMPLES = 4
LARGEST_EMBEDDING = 1024
LARGEST_SPAN = 1024
MOST_UNITS = 1 << 14
SEED = 2024


def samples(automaton: WFA, length: int, chosen: Sequence[Word]) -> list[Word]:
    """Words to measure on: random ones, and those given."""
    random = Random(SEED)
    drawn = [
        tuple(random.choice(automaton.alphabet) for _ in range(length)) for _ in range(SAMPLES)
    ]
    return [*drawn, *(word for word in chosen if len(word) == length)]


def too_large(automaton: WFA, length: int) -> str:
    """Why a model is not run, or nothing."""
    width = 2 * automaton.n**2 + 2
    if width > LARGEST_EMBEDDING or span(length) > LARGEST_SPAN:
        return f"not measured: embedding {width}, {2 * span(length)} tokens"
    return ""


def memory(automaton: WFA, length: int) -> int:
    """Bytes that the largest arrays of one run take at once; nothing where it is not run.

    In float64: factors and products of the n³ terms of 2M tokens, scores and weights, the tokens.
    """
    if too_large(automaton, length):
        return 0
    tokens, n = 2 * span(length), automaton.n
    return 8 * tokens * (3 * n**3 + 3 * tokens + 6 * (2 * n * n + 2))


def too_many_units(automaton: WFA, length: int) -> str:
    """Why a model with MLPs is not run in balls, or nothing."""
    work = 4 * automaton.n**3 * 2 * span(length) * depth(length)
    if work > MOST_UNITS:
        return f"not measured: {work} activations"
    return ""


def smooth_error(automaton: WFA, word: Word, saturation: int, units: FourUnits) -> flint.arb:
    """The Frobenius distance of softmax and MLPs from the states of one word, in balls.

    Precision follows the step of the units and the leak of the softmax, not C itself; every row of
    softmax weights is the same row of `leak.weights`, turned.
    """
    bits = 512 + 16 * units.step.denominator.bit_length()
    constant = Fraction(saturation)
    with Balls(bits + leak.bits_for(constant, span(len(word)))) as balls:
        found = _smooth_states(automaton, word, constant, units, balls)
        total = flint.arb(0)
        for row, state in zip(found, automaton.states(word), strict=True):
            for value, wanted in zip(row, state, strict=True):
                total += (value - balls.element(wanted)) ** 2
        return total.sqrt()


def _smooth_states(
    automaton: WFA, word: Word, saturation: Fraction, units: FourUnits, balls: Balls
) -> list[list[flint.arb]]:
    """The states of Theorem 2's model with MLPs: circulant attention, then the units."""
    n, simulation = automaton.n, theorem1.build(automaton, len(word))
    exact = units.block(product_block(n), frozenset())
    mlp = exact.map(balls.weight, balls.row)
    x = balls.array(simulation.encode(word))
    row = leak.weights(saturation, simulation.span)
    for layer in range(depth(len(word))):
        held = flint.arb_mat(x[:, : n * n].tolist())
        left, right = (_circulant(row, back) * held for back in (1 << layer, 0))
        x[:, : n * n], x[:, n * n : 2 * n * n] = left.tolist(), right.tolist()
        x = balls.renew(mlp(balls, x), x, theorem1.layout(n)["position"])
    states = balls.apply(x, balls.weight(simulation.transformer.readout))
    first, last = simulation.row(0), simulation.row(len(word))
    rows: list[list[flint.arb]] = states[first : last + 1].tolist()
    return rows


def _circulant(row: Sequence[flint.arb], back: int) -> flint.arb_mat:
    """The matrix of softmax weights whose row t gives p_m to t - back - m."""
    size = len(row)
    entries = [row[(t - s - back) % size] for t in range(size) for s in range(size)]
    return flint.arb_mat(size, size, entries)


def exact_states(automaton: WFA, word: Word) -> torch.Tensor:
    """The true states, from balls so narrow that float64 is the only rounding."""
    widened = WFA(
        tuple(ball(w) for w in automaton.alpha),
        {s: tuple(tuple(ball(w) for w in row) for row in automaton.matrix(s)) for s in set(word)},
        automaton.beta,
    )
    rows = [[float(value.mid()) for value in state] for state in widened.states(word)]
    return torch.tensor(rows, dtype=torch.float64)


def embedded(simulation: Simulation, words: Sequence[Word]) -> list[torch.Tensor]:
    """The tokens of each word, in float64."""
    return [Selecting().array(simulation.encode(word)) for word in words]


def largest_error(
    simulation: Simulation,
    dtype: torch.dtype,
    tokens: Sequence[torch.Tensor],
    truth: Sequence[torch.Tensor],
) -> float:
    """The largest Frobenius distance of the model's states from the true ones."""
    arithmetic = Selecting(dtype)
    with torch.no_grad():
        model = realise(simulation.transformer, arithmetic)
        return max(
            _distance(_states(model, simulation, arithmetic, x.to(dtype), len(true) - 1), true)
            for x, true in zip(tokens, truth, strict=True)
        )


def _states(
    model: Transformer[Any],
    simulation: Simulation,
    arithmetic: Selecting,
    x: torch.Tensor,
    letters: int,
) -> torch.Tensor:
    """The states of one word; scores are rounded too, as in the definition of the model."""
    states: torch.Tensor = model(arithmetic, x)
    return states[simulation.row(0) : simulation.row(letters) + 1]


def _distance(found: torch.Tensor, truth: torch.Tensor) -> float:
    error = float(torch.linalg.vector_norm(found.to(torch.float64) - truth))
    return error if error == error else float("inf")
