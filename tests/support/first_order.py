"""The order of words by error over printed bound as C grows, to first order: which word a figure shows.

The error is K(word) exp(-C g): every token leaks alike to its two neighbours, and K follows from that.
"""

from typing import Any

import numpy as np

from constructions import theorem1
from constructions.automata.wfa import WFA


def worst_words(
    automaton: WFA, length: int, most: int = 1 << 16
) -> list[tuple[tuple[str, ...], float]]:
    """Words in the order of error over printed bound, to first order as C grows, the worst first.

    All words are compared if there are at most `most`; the numbers are floats. Frobenius norms.
    """
    letters = {a: np.array(rows, dtype=float) for a, rows in automaton.transitions.items()}
    names, n = automaton.alphabet, automaton.n
    if len(names) ** length > most:
        raise OverflowError(f"{len(names)}^{length} words, expected at most {most}")
    table = np.stack([letters[a] for a in names])
    factor = 2 * max(float(np.linalg.norm(a, 2)) for a in letters.values())
    found: list[tuple[tuple[str, ...], float]] = []
    total = len(names) ** length
    for first in range(0, total, 2048):
        numbers = np.arange(first, min(first + 2048, total))
        index = (numbers[:, None] // len(names) ** np.arange(length - 1, -1, -1)) % len(names)
        ratios = _first_order(table[index], n, length, factor)
        found += [
            (tuple(names[i] for i in row), float(r)) for row, r in zip(index, ratios, strict=True)
        ]
    return sorted(found, key=lambda item: -item[1])


def _first_order(words: Any, n: int, length: int, factor: float) -> Any:
    """For each word the limit of error over printed bound as C grows."""
    span, depth = theorem1.span(length), theorem1.depth(length)
    x = np.broadcast_to(np.eye(n), (len(words), 2 * span, n, n)).copy()
    x[:, span : span + length] = words
    k, first = np.zeros_like(x), np.ones(len(words))
    for layer in range(depth):
        leaked = np.roll(x, 1, 1) + np.roll(x, -1, 1) - 2 * x
        if layer == 0:
            first = np.sqrt((leaked**2).sum((2, 3))).max(1)
        leaked = leaked + k
        back = 1 << layer
        k = np.roll(x, back, 1) @ leaked + np.roll(leaked, back, 1) @ x
        x = np.roll(x, back, 1) @ x
    size = np.sqrt((k**2).sum((2, 3))).max(1)
    return np.divide(size, first * factor**depth, out=np.zeros_like(size), where=first > 0)
