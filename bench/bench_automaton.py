"""Time of `assay automaton` compared with a plain loop of floats.

The plain loop is what one writes to see whether an automaton stays small: the states of 1,000 random
words of length T in NumPy, letter by letter, and their largest size. It shows those words; the answer
certifies all |Σ|^T of them, finds C, and runs the built models in four formats. Start-up apart: both in
one process, CPU seconds of one thread.
"""

from __future__ import annotations

from functools import partial
from random import Random

import numpy as np
import torch
from bench_torch import random_automaton
from timing import Goal, best_time

from constructions.automata.wfa import WFA
from verify.automaton.report import report

WORDS = 1000
SIZES = ((2, 64), (10, 64), (20, 64), (40, 64), (70, 64), (3, 1024), (8, 1024))
GOALS = {(20, 64): Goal(4, unit=" s"), (3, 1024): Goal(8, unit=" s")}
Row = tuple[int, int, float, float]


def largest_state(automaton: WFA, length: int) -> float:
    """The largest state of some random words."""
    maps = [np.array(automaton.matrix(s), dtype=float) for s in automaton.alphabet]
    alpha, random, top = np.array(automaton.alpha, dtype=float), Random(1), 0.0
    for _ in range(WORDS):
        state = alpha
        for _ in range(length):
            state = state @ maps[random.randrange(len(maps))]
            top = max(top, float(np.abs(state).max()))
    return top


def main() -> list[Row]:
    """Print the table."""
    torch.set_num_threads(1)
    rows = []
    print(f"four letters; a plain loop over {WORDS} words")
    print(f"{'states':>7} {'T':>5} {'answer':>10} {'plain loop':>12} {'ratio':>8}")
    for n, length in SIZES:
        automaton = random_automaton(n, 4)
        own = best_time(partial(report, automaton, length), 1)[0]
        other = best_time(partial(largest_state, automaton, length), 1)[0]
        goal = f" ({GOALS[n, length].beside(own)})" if (n, length) in GOALS else ""
        print(f"{n:>7} {length:>5} {own:>8.2f} s {other:>10.2f} s {own / other:>8.2f}{goal}")
        rows.append((n, length, own, other))
    return rows


if __name__ == "__main__":
    main()
