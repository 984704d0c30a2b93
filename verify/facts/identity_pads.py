"""The number of identity tokens that Theorem 1 needs before the word, for pads.enough and pads.needed.

The tokens end at M, the least power of two that is not below T; `count` pads come before the word.
With fewer than M pads a query may find no key with its own code; hard attention then takes the
nearest code on the circle, or meets a tie. Scores are exact, so both are decided; letters of a free
monoid stand for the matrices of every automaton.
"""

from __future__ import annotations

from constructions import theorem1
from constructions.arithmetic import FreeMonoid
from constructions.core.transformer import Tie, realise
from verify.exactness.generic import letter_automaton, prefix, word


def pads_suffice(length: int, count: int) -> bool:
    """Return whether with `count` pads every row has one maximum and every output there is right."""
    simulation = theorem1.build(letter_automaton(length), length)
    rows = simulation.encode(word(length))[simulation.span - count :]
    arithmetic = FreeMonoid()
    try:
        model = realise(simulation.transformer, arithmetic)
        outputs = model(arithmetic, arithmetic.array(rows))
    except Tie:
        return False
    first = 0 if count else 1
    return all(outputs[t + count - 1][0] == prefix(t) for t in range(first, length + 1))


def sufficient_counts(length: int) -> list[int]:
    """The numbers of pads from 1 to T that are enough."""
    return [count for count in range(1, length + 1) if pads_suffice(length, count)]
