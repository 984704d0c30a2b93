"""Regular expressions as automata, by automata-lib (the extra assay-wfa[regex]).

Constructs    the minimal DFA of a pattern over an alphabet, as a WFA with weights 0 and 1
"""

from __future__ import annotations

from collections.abc import Sequence

from constructions.automata.families import dfa
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError

MOST_CHARACTERS = 1000


def from_regex(pattern: str, alphabet: Sequence[str]) -> WFA:
    """The minimal DFA of a pattern; symbols are single characters."""
    try:
        from automata.base.exceptions import AutomatonException, RegexException
        from automata.fa.dfa import DFA
        from automata.fa.nfa import NFA
    except ImportError:
        raise InputError("regex", "no automata-lib", "the extra assay-wfa[regex]") from None
    if any(len(symbol) != 1 for symbol in alphabet) or not alphabet:
        raise InputError("alphabet", list(alphabet), "symbols of one character each")
    if len(pattern) > MOST_CHARACTERS:
        raise InputError("regex", f"{len(pattern)} characters", f"at most {MOST_CHARACTERS}")
    try:
        minimal_dfa = DFA.from_nfa(
            NFA.from_regex(pattern, input_symbols=set(alphabet)), minify=True
        )
    except (AutomatonException, RegexException) as error:
        raise InputError("regex", pattern, f"a pattern that automata-lib reads: {error}") from None
    return _automaton(minimal_dfa, alphabet)


def _automaton(found: object, alphabet: Sequence[str]) -> WFA:
    """States by number, in the order in which they are reached."""
    moves, start = found.transitions, found.initial_state  # type: ignore[attr-defined]
    order = [start]
    for state in order:
        reached = dict.fromkeys(moves[state].get(symbol) for symbol in alphabet)
        order += [state for state in reached if state is not None and state not in order]
    index = {state: i for i, state in enumerate(order)}
    rows = {s: [index.get(moves[state].get(s)) for state in order] for s in alphabet}
    accepting = [index[q] for q in found.final_states if q in index]  # type: ignore[attr-defined]
    return dfa(len(order), 0, accepting, rows)
