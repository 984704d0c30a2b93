"""Batches: the exact module against the best of four loops, and a decoder, in float64 on one thread.

    recurrence    states of all words at once, letter by letter, in torch
    jit           the same, compiled by `torch.jit.script`
    scan          running products of all maps by pairs (not where they take more than 100 MB)
    NumPy         the same as the recurrence in NumPy

Without gradients the module takes the recurrence in NumPy (`current_pass()`). CPU seconds,
by turns, the least of several. The decoder has hard attention and gated blocks; by its units it took 44 s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from bench_torch import SYMBOLS, random_automaton, recurrence, running_products, tensors
from timing import Goal, best_time, best_times_by_turns

from constructions.decoder import build as build_decoder
from constructions.modules.decoder import DecoderModule
from constructions.modules.word_module import to_torch
from constructions.theorem1 import build

GRID = [(n, t, b) for n in (3, 8) for t in (64, 1024) for b in (1, 64, 1024)]
GOAL = Goal(1.3)
MOST_BYTES = 10**8
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class BatchRow:
    """One point of the grid: which pass was taken, its seconds, the best loop and its seconds."""

    n: int
    length: int
    words: int
    kind: str
    seconds: float
    best: str
    best_seconds: float

    @property
    def ratio(self) -> float:
        """The module's time to the best loop's."""
        return self.seconds / self.best_seconds


@torch.jit.script
def compiled_recurrence(
    maps: torch.Tensor, alpha: torch.Tensor, words: torch.Tensor
) -> torch.Tensor:
    """The recurrence as torch compiles it."""
    state = alpha.expand(words.shape[0], 1, alpha.shape[0])
    states = [state]
    for t in range(words.shape[1]):
        state = torch.bmm(state, maps[words[:, t]])
        states.append(state)
    return torch.cat(states, 1)


def numpy_forward(maps: Array, alpha: Array, words: Array) -> Array:
    """The recurrence in NumPy."""
    if len(words) == 1:
        state, states = alpha, [alpha]
        for letter in words[0].tolist():
            state = state @ maps[letter]
            states.append(state)
        return np.stack(states)[None]
    state = np.broadcast_to(alpha, (len(words), 1, len(alpha)))
    states = [state]
    for letters in words.T:
        state = state @ maps[letters]
        states.append(state)
    return np.concatenate(states, axis=1)


def scan(maps: torch.Tensor, alpha: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """All states of many words from their running products."""
    products = running_products(maps[words.T])
    start = alpha.expand(1, len(words), 1, len(alpha))
    return torch.cat([start, start @ products]).squeeze(-2).movedim(0, 1)


def row(n: int, length: int, count: int) -> BatchRow:
    """Measure one point of the grid."""
    automaton = random_automaton(n, SYMBOLS)
    module, (maps, alpha) = to_torch(build(automaton, length)), tensors(automaton)
    words = torch.randint(0, SYMBOLS, (count, length), generator=torch.Generator().manual_seed(5))
    arrays = maps.numpy(), alpha.numpy(), words.numpy()
    loops = {
        "recurrence": lambda: recurrence(maps, alpha, words),
        "jit": lambda: compiled_recurrence(maps, alpha, words),
        "NumPy": lambda: torch.from_numpy(numpy_forward(*arrays)),
    }
    if words.numel() * n * n * 8 < MOST_BYTES:
        loops["scan"] = lambda: scan(maps, alpha, words)
    repeats = 50 if count == 1 else 9 if count == 64 else 3
    with torch.no_grad():
        kind = str(module.current_pass())
        (own, states), *others = best_times_by_turns(
            lambda: module(words), *loops.values(), repeats=repeats
        )
    for name, (_, found) in zip(loops, others, strict=True):
        if not torch.allclose(found, states):
            raise ArithmeticError(f"{name} and the module have different states")
    best, seconds = min(zip(loops, (s for s, _ in others), strict=True), key=lambda pair: pair[1])
    return BatchRow(n, length, count, kind, own, best, seconds)


def decoder_seconds(n: int = 8, length: int = 1024, count: int = 64) -> tuple[float, float]:
    """Seconds of the decoder module and of the recurrence."""
    automaton = random_automaton(n, SYMBOLS)
    module = DecoderModule(build_decoder(automaton, length))
    words = torch.randint(0, SYMBOLS, (count, length), generator=torch.Generator().manual_seed(5))
    tokens = torch.cat([torch.full((count, 1), SYMBOLS), words], dim=-1)
    with torch.no_grad():
        own, states = best_time(lambda: module(tokens), 2)
        other, truth = best_time(lambda: recurrence(*tensors(automaton), words), 2)
    if not torch.allclose(states, truth):
        raise ArithmeticError("the decoder does not give the states of the recurrence")
    return own, other


def main() -> dict[str, Any]:
    """Print the tables."""
    torch.set_num_threads(1)
    print(
        f"{'n':>2} {'T':>5} {'words':>6} {'pass':<11} {'module':>11} {'best loop':>22} {'ratio':>7}"
    )
    rows = []
    for point in GRID:
        found = row(*point)
        best = f"{found.best} {found.best_seconds:.5f} s"
        print(
            f"{found.n:>2} {found.length:>5} {found.words:>6} {found.kind:<11} "
            f"{found.seconds:>9.5f} s {best:>22} {found.ratio:>7.2f} ({GOAL.beside(found.ratio)})",
            flush=True,
        )
        rows.append(found)
    own, other = decoder_seconds()
    print(f"decoder, n = 8, T = 1024, 64 words: {own:.2f} s, {own / other:.1f} recurrences")
    return {"grid": rows, "decoder": (own, other)}


if __name__ == "__main__":
    main()
