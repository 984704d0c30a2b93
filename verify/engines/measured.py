"""Theorem 2's model in mpmath: the plain forward pass, and the difference to the exact products.

The digits follow C: an error near exp(-C g) is seen only if the pass carries more digits than that.
Where they ran out, the answer is None and never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import flint
import mpmath

from constructions.theorem1 import depth, span
from constructions.wfa import WFA
from verify.bounds import leak
from verify.bounds.norms import enclosed
from verify.engines.circulant import LOG2_10, turned


def measured(
    automaton: WFA,
    word: Sequence[str],
    length: int,
    saturation: Fraction,
    digits: int | None = None,
) -> list[Any | None]:
    """Errors by layer (largest entry over all positions) in mpmath; None where digits ran out."""
    working = digits or int(leak.bits_for(saturation, span(length)) / LOG2_10)
    context = mpmath.MPContext()
    context.dps = working
    return [
        error if error > context.mpf(10) ** (5 - working) * size else None
        for error, size in _forward(context, automaton, word, length, saturation)
    ]


def _forward(
    context: Any, automaton: WFA, word: Sequence[str], length: int, saturation: Fraction
) -> Iterator[tuple[Any, Any]]:
    """(largest error, largest entry) after each layer of the plain forward pass."""
    size = span(length)
    row = _softmax(context, saturation, size)
    exact = soft = _entries(context, automaton, word, size)
    for layer in range(depth(length)):
        mixed = _mix(context, row, soft)
        soft = _products(context, turned(mixed, 1 << layer), mixed)
        exact = _products(context, turned(exact, 1 << layer), exact)
        pairs = [pair for a, b in zip(soft, exact, strict=True) for pair in zip(a, b, strict=True)]
        yield max(abs(x - y) for x, y in pairs), max(abs(y) for _, y in pairs)


def _softmax(context: Any, saturation: Fraction, size: int) -> list[Any]:
    constant = context.mpf(saturation.numerator) / saturation.denominator
    powers = [
        context.exp(constant * (context.cospi(context.mpf(m) / size) - 1)) for m in range(2 * size)
    ]
    total = context.fsum(powers)
    return [power / total for power in powers]


def _entries(context: Any, automaton: WFA, word: Sequence[str], size: int) -> list[Any]:
    one = [context.mpf(int(i == j)) for i in range(automaton.n) for j in range(automaton.n)]
    inside = [
        [_mpf(context, value) for rows in automaton.matrix(symbol) for value in rows]
        for symbol in word
    ]
    return [one] * size + inside + [one] * (size - len(word))


def _mpf(context: Any, value: Any) -> Any:
    """A rational, or the middle of a ball, at the context's precision."""
    if isinstance(value, (int, Fraction)):
        return context.mpf(value.numerator) / value.denominator
    with flint.ctx.workprec(context.prec + 16):
        mantissa, exponent = enclosed(value).mid().man_exp()
    return context.ldexp(context.mpf(int(mantissa)), int(exponent))


def _mix(context: Any, row: list[Any], tokens: list[Any]) -> list[Any]:
    size = len(row)
    return [
        [
            context.fdot((row[m], tokens[(i - m) % size][c]) for m in range(size))
            for c in range(len(tokens[0]))
        ]
        for i in range(size)
    ]


def _products(context: Any, left: list[Any], right: list[Any]) -> list[Any]:
    n = 1
    while n * n < len(left[0]):
        n += 1
    return [
        [
            context.fdot((a[i * n + k], b[k * n + j]) for k in range(n))
            for i in range(n)
            for j in range(n)
        ]
        for a, b in zip(left, right, strict=True)
    ]
