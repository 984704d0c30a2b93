"""The generic proof of Theorem 1: the default engine against plain SymPy matrices, in one run.

Both prove the same: for a word whose letters are its positions and an automaton whose every
weight is a symbol, the transformer's outputs are the states. Plain SymPy is what a user would
write: dense matrices, products expanded only at the end. It runs in a separate process
and is stopped after LIMIT seconds; the time is then a lower bound. A third column is what a
user who knows SymPy well would write: sparse polynomials of `sympy.polys.rings`, sparse products of weight
matrices, and scores in floating point. Times are CPU seconds of one thread, so that a busy machine changes
them little.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from fractions import Fraction
from multiprocessing import get_context
from queue import Empty
from typing import Any

import numpy as np
import sympy
from sympy.polys.domains import QQ
from sympy.polys.rings import ring
from timing import Goal

from constructions import theorem1
from constructions.core.exact import Exact
from constructions.core.matrix import Matrix
from constructions.core.transformer import Layer
from verify.exactness.generic import (
    generic_automaton,
    prove_layer,
    prove_routing,
    prove_words,
    symbols,
    word,
)

SIZES = ((2, 4), (2, 8), (3, 8), (2, 16))
LIMIT = 150.0
REPEATS = 20
GOALS = {"(3, 8)": Goal(2000, at_least=True)}
Row = tuple[str, float, float, bool, float, bool]
Proof = Callable[[int, int], bool]


def dense_matrix(weight: Matrix) -> sympy.Matrix:
    """A weight matrix with all its zeros."""
    return sympy.Matrix([[sympy_value(value) for value in row] for row in weight.rows()])


def sympy_value(value: Any) -> Any:
    """An exact entry as SymPy has it: a number, or a symbol already."""
    if isinstance(value, Exact):
        return value.symbolic()
    return value if isinstance(value, sympy.Basic) else sympy.Rational(value)


def attend(layer: Layer[Matrix], x: sympy.Matrix) -> sympy.Matrix:
    """Hard attention with dense matrices; the largest score by its numerical value."""
    parts = []
    for head in layer.heads:
        scores = (x * dense_matrix(head.query)) * (x * dense_matrix(head.key)).T
        values = x * dense_matrix(head.value)
        rows = []
        for i in range(x.rows):
            numbers = [float(scores[i, j].evalf()) for j in range(x.rows)]
            rows.append(values.row(numbers.index(max(numbers))))
        parts.append(sympy.Matrix.vstack(*rows))
    return sympy.Matrix.hstack(*parts) * dense_matrix(layer.combine)


def feed_forward(block: Any, x: sympy.Matrix) -> sympy.Matrix:
    """The bilinear layer, entry by entry of its tensor."""
    left, right = x * dense_matrix(block.left), x * dense_matrix(block.right)
    product = sympy.zeros(x.rows, block.tensor.shape[2])
    for (a, b, c), weight in block.tensor.entries.items():
        for i in range(x.rows):
            product[i, c] += weight * left[i, a] * right[i, b]
    return product * dense_matrix(block.output)


def prove_with_sympy(n: int, length: int) -> bool:
    """The proof as a user would write it."""
    automaton = generic_automaton(n, length, sympy.Symbol)
    simulation = theorem1.build(automaton, length)
    start = sympy.Matrix([[sympy_value(v) for v in row] for row in simulation.encode(word(length))])
    x, places = start, list(simulation.transformer.positions)
    for layer in simulation.transformer.layers:
        x = feed_forward(layer.feedforward, attend(layer, x))
        x[:, places[0] :] = start[:, places[0] :]
    outputs = x * dense_matrix(simulation.transformer.readout)
    expected = automaton.states(word(length))
    return all(
        sympy.expand(outputs[simulation.row(t), j] - expected[t][j]) == 0
        for t in range(length + 1)
        for j in range(n)
    )


Values = list[Any]


def sparse_product(row: Values, weight: Matrix) -> Values:
    """A row times a weight matrix, without its zeros."""
    out: Values = [0] * weight.shape[1]
    for value, weights in zip(row, weight.rows(), strict=True):
        if value:
            for j, w in enumerate(weights):
                if w:
                    out[j] += value * ring_value(w)
    return out


def ring_value(weight: Any) -> Any:
    """A weight as the rings take it."""
    if isinstance(weight, int | Fraction):
        return QQ(weight.numerator, weight.denominator)
    return weight


def ring_attend(
    layer: Layer[Matrix], x: list[Values], places: list[int], where: Any
) -> list[Values]:
    """Hard attention: scores of the positions in floating point, values as polynomials."""
    found: list[Values] = [[] for _ in x]
    for head in layer.heads:
        query, key = (
            where @ np.array([[float(sympy_value(w)) for w in each.rows()[c]] for c in places])
            for each in (head.query, head.key)
        )
        for i, j in enumerate((query @ key.T).argmax(axis=1)):
            found[i] += sparse_product(x[j], head.value)
    return [sparse_product(row, layer.combine) for row in found]


def ring_feed_forward(block: Any, row: Values) -> Values:
    """The bilinear layer of one token."""
    left, right = sparse_product(row, block.left), sparse_product(row, block.right)
    out: Values = [0] * block.tensor.shape[2]
    for (a, b, c), weight in block.tensor.entries.items():
        if left[a] and right[b]:
            out[c] += ring_value(weight) * left[a] * right[b]
    return sparse_product(out, block.output)


def prove_with_rings(n: int, length: int) -> bool:
    """The proof with sparse polynomials."""
    _, *variables = ring(symbols(n, length), QQ)
    automaton = generic_automaton(
        n, length, dict(zip(symbols(n, length), variables, strict=True)).__getitem__
    )
    simulation = theorem1.build(automaton, length)
    start = simulation.encode(word(length))
    places = list(simulation.transformer.positions)
    where = np.array([[float(sympy_value(row[c])) for c in places] for row in start])
    x = [[0 if c in places else value for c, value in enumerate(row)] for row in start]
    for layer in simulation.transformer.layers:
        attended = ring_attend(layer, x, places, where)
        x = [ring_feed_forward(layer.feedforward, row) for row in attended]
        x = [[0 if c in places else value for c, value in enumerate(row)] for row in x]
    outputs = [sparse_product(row, simulation.transformer.readout) for row in x]
    expected = automaton.states(word(length))
    return all(
        outputs[simulation.row(t)][j] == expected[t][j] for t in range(length + 1) for j in range(n)
    )


def _child(prove_it: Proof, n: int, length: int, answers: Any) -> None:
    started = time.process_time()
    proved = prove_it(n, length)
    answers.put((proved, time.process_time() - started))


def time_with_limit(prove_it: Proof, n: int, length: int, limit: float) -> tuple[float, bool]:
    """Seconds of a proof in its own process, and whether it came to its end."""
    context = get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=_child, args=(prove_it, n, length, answers))
    child.start()
    try:
        proved, seconds = answers.get(timeout=limit)
    except Empty:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        child.terminate()
        child.join()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, False
    child.join()
    if not proved:
        raise ArithmeticError(f"{prove_it.__name__} does not prove ({n}, {length})")
    return seconds, True


def least_seconds(function: Callable[[], object]) -> float:
    """The least time of a few runs."""
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        function()
        times.append(time.process_time() - started)
    return min(times)


def proof(n: int, length: int) -> None:
    """The proof in parts: words of a free monoid, one layer on fresh symbols, and the routing."""
    mismatch = prove_words(length) or prove_layer(n) or prove_routing(length)
    if mismatch is not None:
        raise ArithmeticError(f"the default engine does not prove ({n}, {length}): {mismatch}")


def rows(limit: float = LIMIT) -> list[Row]:
    """(size, seconds of the default engine, then seconds and success of plain SymPy and of rings)."""
    table = []
    for n, length in SIZES:
        own = least_seconds(lambda n=n, length=length: proof(n, length))  # type: ignore[misc]
        plain = time_with_limit(prove_with_sympy, n, length, limit)
        rings = time_with_limit(prove_with_rings, n, length, limit)
        table.append((f"({n}, {length})", own, *plain, *rings))
    return table


def main() -> list[Row]:
    """Print the table."""
    table = rows()
    print(
        f"{'(n, T)':>8} {'default engine':>16} {'plain SymPy':>14} {'ratio':>10} {'rings':>14} {'ratio':>10}"
    )
    for size, own, other, ended, rings, rings_ended in table:
        sign, mark = (" " if each else ">" for each in (ended, rings_ended))
        goal = f" ({GOALS[size].beside(other / own)})" if size in GOALS else ""
        print(
            f"{size:>8} {own:>14.4f} s {sign}{other:>11.2f} s {sign}{other / own:>9.0f}"
            f" {mark}{rings:>11.3f} s {mark}{rings / own:>9.1f}{goal}"
        )
    return table


if __name__ == "__main__":
    main()
