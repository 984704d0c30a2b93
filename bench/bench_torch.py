"""The exact torch model at T = 4096, n = 8, in float64: what its passes cost, and what others do.

    fused         Theorem 1's module as `to_torch` gives it, without gradients: no scores, one batched
                  product of n × n matrices a layer
    routed        the same with every weight in use, as gradients ask for it
    dense         `dense=True`, the definition: all scores of a head at once
    softmax       the same weights in a dense softmax pass, as in `nn.MultiheadAttention`
    recurrence    v ← v A^σ, letter by letter
    scan          torch's own `associative_scan` on the CPU without compilation, in its mode `generic`,
                  and the same by hand: pairs, half the length, pairs again

One word on one thread in CPU seconds; 64 words on two threads by the clock. Count of products of n × n
matrices, T a power of two: fused T (log2 T - 2) + log2 T + 2, scan 2T - 2 - log2 T, and the recurrence
multiplies T vectors by matrices, n times fewer operations than T products. What the fused pass does more
than the recurrence is about n (log2 T - 2) times; for one word the recurrence loses that by T small
calls, for many words it does not. Errors are against the recurrence.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import log2
from random import Random
from typing import Any

import torch
from timing import best_time, best_times_by_turns
from torch._higher_order_ops.associative_scan import associative_scan
from torch.utils.flop_counter import FlopCounterMode

from constructions.arithmetic.torch import Torch
from constructions.automata.wfa import WFA
from constructions.core.transformer import Attention, Mask
from constructions.modules.passes import PassKind
from constructions.modules.words import SequenceModule, to_torch
from constructions.theorem1 import build

STATES, LENGTH, SYMBOLS, WORDS = 8, 4096, 4, 64
Row = tuple[str, float]


class Softmax(Torch):
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


def tensors(automaton: WFA) -> tuple[torch.Tensor, torch.Tensor]:
    """The maps of all letters, and α."""
    maps = [[[float(w) for w in row] for row in automaton.matrix(s)] for s in automaton.alphabet]
    alpha = torch.tensor([float(w) for w in automaton.alpha], dtype=torch.float64)
    return torch.tensor(maps, dtype=torch.float64), alpha


def recurrence(maps: torch.Tensor, alpha: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """All states, letter by letter, for one word or for many at once."""
    if len(words) == 1:
        state, states = alpha, [alpha]
        for letter in words[0].tolist():
            state = state @ maps[letter]
            states.append(state)
        return torch.stack(states).unsqueeze(0)
    state = alpha.expand(len(words), 1, len(alpha))
    states = [state]
    for letters in words.T:
        state = state @ maps[letters]
        states.append(state)
    return torch.cat(states, dim=1)


def running_products(maps: torch.Tensor) -> torch.Tensor:
    """All running products of (T, n, n), by pairs: 2T products."""
    if len(maps) == 1:
        return maps
    odd = running_products(maps[:-1:2] @ maps[1::2])
    even = torch.cat([maps[:1], odd[: (len(maps) - 1) // 2] @ maps[2::2]])
    products = torch.empty_like(maps)
    products[::2], products[1::2] = even, odd
    return products


def library_scan(maps: torch.Tensor) -> torch.Tensor:
    """All running products of (T, n, n), by torch's own scan."""
    products: torch.Tensor = associative_scan(torch.matmul, maps, 0, combine_mode="generic")
    return products


def scan(
    products_of: Callable[[torch.Tensor], torch.Tensor],
    maps: torch.Tensor,
    alpha: torch.Tensor,
    words: torch.Tensor,
) -> torch.Tensor:
    """All states from the running products."""
    products = products_of(maps[words[0]])
    return torch.cat([alpha.unsqueeze(0), alpha @ products]).unsqueeze(0)


def one_layer(module: SequenceModule, arithmetic: Torch, words: torch.Tensor) -> float:
    """Seconds of one layer of the model in an arithmetic."""
    x, layer = module.embed(words), module.transformer.model().layers[0]
    return best_time(lambda: layer(arithmetic, x), 1)[0]


def single_word_rows(n: int = STATES, length: int = LENGTH) -> tuple[list[Row], float]:
    """(pass, seconds for one word on one thread), and the largest error of the fused pass."""
    torch.set_num_threads(1)
    automaton = random_automaton(n, SYMBOLS)
    words = torch.tensor([[Random(11).randrange(SYMBOLS) for _ in range(length)]])
    module, reference = (to_torch(build(automaton, length), dense=dense) for dense in (False, True))
    given = *tensors(automaton), words
    with torch.no_grad():
        if module.current_pass() is not PassKind.FUSED:
            raise ArithmeticError(f"the module takes the pass {module.current_pass()}")
        (fused, found), (sequential, truth), (own, same), (theirs, again) = best_times_by_turns(
            lambda: module(words),
            lambda: recurrence(*given),
            lambda: scan(running_products, *given),
            lambda: scan(library_scan, *given),
        )
        every = best_time(lambda: reference(words), 1)[0]
        softmax = one_layer(reference, Softmax(torch.float64), words)
    routed = best_time(lambda: module(words), 1)[0]
    if not (torch.allclose(same, truth) and torch.allclose(again, truth)):
        raise ArithmeticError("a scan does not give the states of the recurrence")
    table = [
        ("fused, Theorem 1", fused),
        ("recurrence", sequential),
        ("scan by hand", own),
        ("torch associative_scan", theirs),
        ("routed, with gradients", routed),
        ("all scores at once", every),
        ("dense softmax", softmax * len(module.transformer.model().layers)),
    ]
    return table, float((found - truth).abs().max())


def batch_rows(n: int = STATES, length: int = LENGTH, count: int = WORDS) -> list[Row]:
    """(pass, seconds for many words on two threads, by the clock)."""
    torch.set_num_threads(2)
    automaton, random = random_automaton(n, SYMBOLS), Random(13)
    words = torch.tensor([[random.randrange(SYMBOLS) for _ in range(length)] for _ in range(count)])
    module, given = to_torch(build(automaton, length)), tensors(automaton)
    with torch.no_grad():
        (fused, found), (sequential, truth) = best_times_by_turns(
            lambda: module(words),
            lambda: recurrence(*given, words),
            repeats=3,
            clock=time.perf_counter,
        )
        counts = [operations(lambda: module(words)), operations(lambda: recurrence(*given, words))]
    if not torch.allclose(found, truth):
        raise ArithmeticError("the fused pass does not give the states of the recurrence")
    if counts[0] != more_operations(n, length) * counts[1]:
        raise ArithmeticError(f"torch counts {counts} operations, another ratio than ours")
    torch.set_num_threads(1)
    return [(f"fused, {count} words", fused), (f"batched recurrence, {count} words", sequential)]


def operations(function: Callable[[], object]) -> int:
    """How many operations torch counts in the products of matrices of a call."""
    with FlopCounterMode(display=False) as counter:
        function()
    return counter.get_total_flops()


def more_operations(n: int, length: int) -> float:
    """How many times the operations of the recurrence the fused pass does (T a power of two)."""
    matrices = length * (log2(length) - 2) + log2(length) + 2
    return float((n * matrices + length) / length)


def main() -> dict[str, Any]:
    """Print the tables."""
    table, error = single_word_rows()
    fused = table[0][1]
    print(f"T = {LENGTH}, n = {STATES}, float64, one word, one thread; largest error {error:.1e}")
    print(f"{'pass':<32} {'a word':>10} {'to fused':>10}")
    for name, seconds in table:
        print(f"{name:<32} {seconds:>8.4f} s {seconds / fused:>10.2f}")
    batch = batch_rows()
    ratio, more = batch[0][1] / batch[1][1], more_operations(STATES, LENGTH)
    for name, seconds in batch:
        print(f"{name:<32} {seconds:>8.4f} s")
    print(
        f"{WORDS} words, two threads: fused takes {ratio:.1f} times the batched recurrence; it does "
        f"{more:.0f} times the operations"
    )
    return {"one": table, "many": batch, "operations": more}


if __name__ == "__main__":
    main()
