"""What `assay automaton` costs beside a plain loop of floats.

The plain loop is what one writes to see whether an automaton stays small: the states of 1,000 random
words of length 64 in NumPy, letter by letter, and their largest size. It shows those words; the answer
certifies all |Σ|^64 of them, finds C, and runs the built models in four formats. Start-up apart: both in
one process, CPU seconds of one thread.
"""

from __future__ import annotations

from random import Random

import numpy as np
import torch
from bench_torch import random_automaton
from timing import best_time

from constructions.automata.wfa import WFA
from verify.automaton.answer import inspect

LENGTH, WORDS = 64, 1000
SIZES = (2, 10, 20, 40, 70)
Row = tuple[int, float, float]


def largest_state(automaton: WFA) -> float:
    """The largest state of some random words."""
    maps = [np.array(automaton.matrix(s), dtype=float) for s in automaton.alphabet]
    alpha, random, top = np.array(automaton.alpha, dtype=float), Random(1), 0.0
    for _ in range(WORDS):
        state = alpha
        for _ in range(LENGTH):
            state = state @ maps[random.randrange(len(maps))]
            top = max(top, float(np.abs(state).max()))
    return top


def main() -> list[Row]:
    """Print the table."""
    torch.set_num_threads(1)
    rows = []
    print(f"T = {LENGTH}, four letters; a plain loop over {WORDS} words")
    print(f"{'states':>7} {'answer':>10} {'plain loop':>12} {'ratio':>8}")
    for n in SIZES:
        automaton = random_automaton(n, 4)
        own = best_time(lambda a=automaton: inspect(a, LENGTH), 1)[0]  # type: ignore[misc]
        other = best_time(lambda a=automaton: largest_state(a), 1)[0]  # type: ignore[misc]
        print(f"{n:>7} {own:>8.2f} s {other:>10.2f} s {own / other:>8.2f}")
        rows.append((n, own, other))
    return rows


if __name__ == "__main__":
    main()
