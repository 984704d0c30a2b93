"""The exact torch model at T = 4096, n = 8, in float64, one word: what its passes cost, and what others do.

    module        Theorem 1's module as `to_torch` gives it, without gradients, by the pass that it says it
                  takes for this word
    fused         the same by its fused pass: no scores, T products of n × n matrices in log2 T batches
    routed        every weight in use, as hooks and gradients of all weights ask for it
    dense         `dense=True`, the definition: all scores of a head at once
    softmax       the same weights in a dense softmax pass, as in `nn.MultiheadAttention`
    recurrence    v ← v A^σ, letter by letter
    scan          torch's own `associative_scan` on the CPU without compilation, in its mode `generic`,
                  and the same by hand: pairs, half the length, pairs again
    gradients     of the letters alone (`train_letters`, fused), and of all weights (routed, once),
                  beside those of the maps and of α in the recurrence

CPU seconds of one thread, by turns. Products of n × n matrices, T a power of two: fused T - 8, scan
2T - 2 - log2 T; the recurrence multiplies T vectors by matrices, which takes n times fewer operations than
T products, in T calls. Errors are against the recurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import torch
from timing import Goal, best_time, best_times_by_turns
from torch._higher_order_ops.associative_scan import associative_scan

from constructions.arithmetic.torch import Torch
from constructions.automata.wfa import WFA
from constructions.core.transformer import Attention, Mask
from constructions.modules.passes import PassKind
from constructions.modules.word_module import SequenceModule, to_torch
from constructions.theorem1 import build

STATES, LENGTH, SYMBOLS = 8, 4096, 4
SCAN_GOAL, GRADIENT_GOAL = Goal(1.0), Goal(3.0)
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
    """(pass, seconds for one word on one thread), and the largest error of the module."""
    torch.set_num_threads(1)
    automaton = random_automaton(n, SYMBOLS)
    words = torch.tensor([[Random(11).randrange(SYMBOLS) for _ in range(length)]])
    module, reference = (to_torch(build(automaton, length), dense=dense) for dense in (False, True))
    given = *tensors(automaton), words
    with torch.no_grad():
        kind = module.current_pass()
        if kind not in (PassKind.FUSED, PassKind.RECURRENCE):
            raise ArithmeticError(f"the module takes the pass {kind}")
        (fast, found), (fused, last), (sequential, truth), (own, same), (theirs, again) = (
            best_times_by_turns(
                lambda: module(words),
                lambda: module._fused(words),
                lambda: recurrence(*given),
                lambda: scan(running_products, *given),
                lambda: scan(library_scan, *given),
            )
        )
        every = best_time(lambda: reference(words), 1)[0]
        softmax = one_layer(reference, Softmax(torch.float64), words)
    routed = best_time(lambda: module.by_layers(words, PassKind.ROUTED), 1)[0]
    if not all(torch.allclose(states, truth) for states in (same, again, last)):
        raise ArithmeticError("a scan does not give the states of the recurrence")
    table = [
        (f"module, takes {kind}", fast),
        ("fused, Theorem 1", fused),
        ("recurrence", sequential),
        ("scan by hand", own),
        ("torch associative_scan", theirs),
        ("routed, with gradients", routed),
        ("all scores at once", every),
        ("dense softmax", softmax * len(module.transformer.model().layers)),
    ]
    return table, float((found - truth).abs().max())


def gradient_rows(n: int = STATES, length: int = LENGTH) -> list[Row]:
    """(whose gradient, seconds of a forward and a backward pass for one word)."""
    automaton, given = random_automaton(n, SYMBOLS), torch.arange(length).unsqueeze(0) % SYMBOLS
    letters, every = (to_torch(build(automaton, length)) for _ in range(2))
    letters.train_letters()
    if letters.current_pass() is not PassKind.FUSED:
        raise ArithmeticError(f"the module takes the pass {letters.current_pass()}")
    (sequential, truth), (own, found) = best_times_by_turns(
        lambda: recurrence_gradient(automaton, given),
        lambda: letters_gradient(letters, letters, given),
        repeats=5,
    )
    routed, last = best_time(lambda: letters_gradient(every, every, given), 1)
    for gradient in (found, last):
        if not torch.allclose(gradient[:-1].reshape(truth.shape), truth):
            raise ArithmeticError("a gradient of the module is not that of the recurrence")
    return [
        ("recurrence: maps and α", sequential),
        ("fused: letters", own),
        ("routed: all weights", routed),
    ]


def letters_gradient(
    module: SequenceModule, states: Callable[[torch.Tensor], torch.Tensor], words: torch.Tensor
) -> torch.Tensor:
    """Compute the gradient of all parameters that need one and return that of the letters."""
    module.zero_grad()
    states(words).square().sum().backward()
    gradient = module.letters.grad
    if gradient is None:
        raise ArithmeticError("the letters have no gradient")
    return gradient


def recurrence_gradient(automaton: WFA, words: torch.Tensor) -> torch.Tensor:
    """The gradient of the maps in the recurrence."""
    maps, alpha = (value.requires_grad_() for value in tensors(automaton))
    recurrence(maps, alpha, words).square().sum().backward()
    if maps.grad is None:
        raise ArithmeticError("the maps have no gradient")
    return maps.grad


def main() -> dict[str, list[Row]]:
    """Print the tables."""
    table, error = single_word_rows()
    module, scan_by_hand = table[0][1], table[3][1]
    print(f"T = {LENGTH}, n = {STATES}, float64, one word, one thread; largest error {error:.1e}")
    print(f"{'pass':<32} {'a word':>10} {'to module':>10}")
    for name, seconds in table:
        print(f"{name:<32} {seconds:>8.4f} s {seconds / module:>10.2f}")
    ratio = module / scan_by_hand
    print(f"module to a scan by hand: {ratio:.2f} ({SCAN_GOAL.beside(ratio)})")
    gradients = gradient_rows()
    print(f"{'gradient':<32} {'a word':>10} {'to recurrence':>14}")
    for name, seconds in gradients:
        ratio = seconds / gradients[0][1]
        goal = (
            f"({GRADIENT_GOAL.beside(ratio)})"
            if not name.startswith(("recurrence", "routed"))
            else ""
        )
        print(f"{name:<32} {seconds:>8.4f} s {ratio:>14.2f} {goal}")
    return {"one": table, "gradients": gradients}


if __name__ == "__main__":
    main()
