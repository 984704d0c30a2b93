"""Theorem 2's model run in mpmath: its error after each layer, for the fact soft.sweep.

The error of a layer is the difference to Theorem 1's model, whose tokens hold the exact products.

The digits follow C: an error near exp(-C g) is seen only if the pass carries more digits than that.
Where they ran out, the answer is None and never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from constructions import theorem1, theorem2
from constructions.arithmetic import Multiprecision
from constructions.arithmetic.objects import Objects
from constructions.automata.wfa import WFA
from constructions.core.transformer import realise
from constructions.theorem1 import WordSimulation, span
from verify.bounds import leak
from verify.bounds.circulant import LOG2_10


def layer_errors(
    automaton: WFA,
    word: Sequence[str],
    length: int,
    saturation: Fraction,
    digits: int | None = None,
) -> list[Any | None]:
    """Errors by layer (largest entry over all positions) in mpmath; None where digits ran out."""
    working = digits or int(leak.bits_for(saturation, span(length)) / LOG2_10)
    numbers = Multiprecision(working)
    soft = _tokens_by_layer(theorem2.build(automaton, length, saturation), word, numbers)
    exact = _tokens_by_layer(theorem1.build(automaton, length), word, numbers)
    unit = numbers.context.mpf(10) ** (5 - working)
    errors = ((abs(a - b).max(), abs(b).max()) for a, b in zip(soft, exact, strict=True))
    return [error if error > unit * size else None for error, size in errors]


def _tokens_by_layer(
    model: WordSimulation, word: Sequence[str], numbers: Multiprecision
) -> Iterator[Objects]:
    """All tokens after each layer."""
    rows = numbers.array(model.encode(word))
    states = realise(model.transformer, numbers).states(numbers, rows)
    next(states)
    return states
