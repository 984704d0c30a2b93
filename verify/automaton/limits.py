"""How long a report on an automaton takes, for the question whether to go on."""

from __future__ import annotations

# Seconds, measured: a multiplication in the norms of a letter, and a letter of any size.
PRODUCT, LETTER = 2.0**-22, 4e-4


def seconds_of_report(states: int, symbols: int) -> tuple[float, str]:
    """Return about how many seconds a report takes, and the sizes that it follows from."""
    seconds = symbols * (states**3 * PRODUCT + LETTER)
    return seconds, f"{states} states and {symbols} symbols"
