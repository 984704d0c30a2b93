"""Limits on the size of automata: larger ones are refused before their matrices take memory.

Weights       of all matrices together; reading as many exact rationals takes about twelve seconds
Symbols       more than the vocabularies of today's language models have
"""

from __future__ import annotations

from constructions.core.errors import InputError

MOST_STATES = 512
MOST_SYMBOLS = 1 << 18
MOST_WEIGHTS = 2_000_000


def check_size(states: int, symbols: int, field: str, order: int = 2) -> None:
    """Refuse an automaton that is too large; tensors of trees have order 3."""
    if states > MOST_STATES:
        found = f"{states} states ({states**order} numbers a matrix or tensor)"
        raise InputError(field, found, f"at most {MOST_STATES} states")
    if symbols > MOST_SYMBOLS:
        raise InputError("alphabet", f"{symbols} symbols", f"at most {MOST_SYMBOLS}")
    weights = states**3 + symbols * states if order == 3 else symbols * states**2
    if weights > MOST_WEIGHTS:
        found = f"{states} states and {symbols} symbols, {weights} weights"
        raise InputError(field, found, f"at most {MOST_WEIGHTS} weights")
