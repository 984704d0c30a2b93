"""The exact torch model at T = 4096, n = 8, in float64: against dense attention and recurrence.

    routed        Theorem 1's module as `to_torch` gives it: the largest score of each row is found
                  in blocks of rows, and values are copied, not averaged
    all scores    the same module with `dense=True`, the reference: all scores of a head at once
    dense         the same weights in a softmax pass, as in `nn.MultiheadAttention`: all scores,
                  all weights, all averages
    recurrence    v ← v A^σ, letter by letter

All in one run, in CPU seconds of one thread; a pass of the transformers is one layer's time, as every
layer does the same work, beside the whole model's. Errors are against the recurrence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

import torch

from constructions.arithmetic.blocks import Blocks
from constructions.arithmetic.torch import Torch
from constructions.module import SequenceModule, to_torch
from constructions.theorem1 import build
from constructions.transformer import Attention, Mask
from constructions.wfa import WFA

STATES, LENGTH, SYMBOLS = 8, 4096, 4
Row = tuple[str, float, float]


class Dense(Torch):
    """Every head as a dense softmax pass with a large constant on its scores."""

    saturation = 1e9

    def mix(
        self, scores: torch.Tensor, values: torch.Tensor, attention: Attention, mask: Mask
    ) -> torch.Tensor:
        """softmax(C · scores) V."""
        return torch.softmax(self.saturation * scores, dim=-1) @ values


def random_automaton(n: int, symbols: int) -> WFA:
    """Row-stochastic maps with small rational weights: products stay bounded."""
    random = Random(7)
    matrices = {}
    for symbol in range(symbols):
        rows = [[random.randint(0, 9) + int(i == j) for j in range(n)] for i in range(n)]
        matrices[str(symbol)] = [[f"{w}/{sum(row)}" for w in row] for row in rows]
    return WFA.of([1] + [0] * (n - 1), matrices, [1] * n)


def recurrence(automaton: WFA, word: list[int]) -> torch.Tensor:
    """All states, letter by letter."""
    matrices = [
        torch.tensor(
            [[float(w) for w in row] for row in automaton.matrix(symbol)], dtype=torch.float64
        )
        for symbol in automaton.alphabet
    ]
    state = torch.tensor([float(w) for w in automaton.alpha], dtype=torch.float64)
    states = [state]
    for letter in word:
        state = state @ matrices[letter]
        states.append(state)
    return torch.stack(states)


def timed(function: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """The least time of a few runs, and the result."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        result = function()
        best = min(best, time.process_time() - started)
    return best, result


def one_layer(module: SequenceModule, arithmetic: Torch, words: torch.Tensor) -> float:
    """Seconds of the first layer alone in the given arithmetic."""
    layer, x = module.transformer.model().layers[0], module.embed(words)
    return timed(lambda: layer(arithmetic, x))[0]


def rows(n: int = STATES, length: int = LENGTH) -> tuple[list[Row], float]:
    """(what, seconds a layer, seconds a word), and the largest error of the routed model."""
    torch.set_num_threads(1)
    automaton = random_automaton(n, SYMBOLS)
    word = [Random(11).randrange(SYMBOLS) for _ in range(length)]
    words = torch.tensor([word])
    module, reference = (to_torch(build(automaton, length), dense=dense) for dense in (False, True))
    layers = len(module.transformer.model().layers)
    with torch.no_grad():
        sequential, truth = timed(lambda: recurrence(automaton, word), repeats=3)
        whole, found = timed(lambda: module(words)[0], repeats=2)
        every, same = timed(lambda: reference(words)[0])
        blocks = one_layer(module, Blocks(torch.float64), words)
        scores = one_layer(module, Torch(torch.float64), words)
        dense = one_layer(module, Dense(torch.float64), words)
    if not torch.equal(found, same):
        raise ArithmeticError("the routed pass does not give the states of the reference")
    table = [
        ("routed, Theorem 1", blocks, whole),
        ("all scores at once", scores, every),
        ("dense softmax", dense, dense * layers),
        ("recurrence", 0.0, sequential),
    ]
    return table, float((found - truth).abs().max())


def main() -> list[Row]:
    """Print the table."""
    table, error = rows()
    routed = table[0][2]
    print(f"T = {LENGTH}, n = {STATES}, float64, one thread; largest error {error:.1e}")
    print(f"{'model':<20} {'a layer':>10} {'a word':>10} {'to routed':>10}")
    for name, layer, whole in table:
        shown = f"{layer:.3f} s" if layer else "-"
        print(f"{name:<20} {shown:>10} {whole:>8.3f} s {whole / routed:>10.3f}")
    return table


if __name__ == "__main__":
    main()
