"""Regular expressions as automata, by automata-lib (the extra assay-wfa[regex]).

Constructs    the minimal DFA of a pattern over an alphabet, as a WFA with weights 0 and 1
Limits        a short pattern can be a large automaton: `a{100000}` is long when its repetitions are written
              out, and `(a|b)*a(a|b){18}` has 2^19 sets of states. Both are counted: the letters before
              anything is built, the sets while they are found
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from constructions.automata.families import dfa
from constructions.automata.limits import MOST_STATES, check_size
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.installing import how_to_install

MOST_CHARACTERS = 1000
MOST_LETTERS = 2 * MOST_STATES  # of a pattern whose repetitions are written out
MOST_SETS = 8 * MOST_STATES  # of states, before the automaton is minimised
TOKEN = re.compile(r"\\.|\[[^\]]*\]|\{(-?\d*)(,?)(-?\d*)\}|.", re.DOTALL)


def from_regex(pattern: str, alphabet: Sequence[str]) -> WFA:
    """The minimal DFA of a pattern; symbols are single characters."""
    try:
        from automata.base.exceptions import AutomatonException, RegexException
        from automata.fa.nfa import NFA
    except ImportError:
        raise InputError("regex", "no automata-lib", how_to_install("regex")) from None
    if any(len(symbol) != 1 for symbol in alphabet) or not alphabet:
        raise InputError("alphabet", list(alphabet), "symbols of one character each")
    if len(pattern) > MOST_CHARACTERS:
        raise InputError("regex", f"{len(pattern)} characters", f"at most {MOST_CHARACTERS}")
    if letters_of(pattern) > MOST_LETTERS:
        expected = f"a pattern of at most {MOST_LETTERS} letters when repetitions are written out"
        raise InputError("regex", pattern, expected)
    try:
        minimal_dfa = _deterministic(NFA.from_regex(pattern, input_symbols=set(alphabet)), pattern)
    except (AutomatonException, RegexException) as error:
        raise InputError("regex", pattern, f"a pattern that automata-lib reads: {error}") from None
    check_size(len(minimal_dfa.states), len(alphabet), f"regex {pattern}")
    return _automaton(minimal_dfa, alphabet)


def from_fields(data: dict[str, Any]) -> WFA:
    """The automaton of a file's fields `pattern` and `alphabet`."""
    pattern, alphabet = data["pattern"], data["alphabet"]
    if not isinstance(pattern, str):
        raise InputError("pattern", pattern, "a regular expression, as text")
    if not (isinstance(alphabet, list) and all(isinstance(symbol, str) for symbol in alphabet)):
        raise InputError("alphabet", alphabet, "a list of symbols of one character each")
    return from_regex(pattern, alphabet)


def letters_of(pattern: str) -> int:
    """Return a bound on the letters of a pattern whose repetitions are written out.

    Of an intersection or a shuffle the letters of both sides are multiplied, as their states are.

    Examples:
        >>> letters_of("a{3}(b|[cd]{2,4})*"), letters_of("(a{9}){9}"), letters_of("aa&bb")
        (8, 81, 9)

    """
    groups: list[list[int]] = [[0]]
    last = 0
    for token in TOKEN.finditer(pattern):
        text = token[0]
        if text == "(":
            groups.append([0])
        elif text in ("&", "^"):
            groups[-1].append(0)
        elif token.lastindex:
            groups[-1][-1] += last * (_times(token) - 1)
            last *= _times(token)
        elif text not in ("|", "*", "+", "?"):
            last = _group_size(groups) if text == ")" and len(groups) > 1 else 1
            groups[-1][-1] += last
    while len(groups) > 1:
        last = _group_size(groups)
        groups[-1][-1] += last
    return _group_size(groups)


def _group_size(groups: list[list[int]]) -> int:
    parts = groups.pop()
    return parts[0] if len(parts) == 1 else prod(part + 1 for part in parts)


def _times(token: re.Match[str]) -> int:
    """Return the number of copies of a repetition, at least one."""
    least, comma, most = token.groups()
    bounds = [int(bound or 0) for bound in (least, most)]
    return max(1, *bounds, bounds[0] + bool(comma and not most))


def _deterministic(nfa: Any, pattern: str) -> Any:
    """The minimal DFA; of too many sets of states the first of all are enough for a refusal."""
    from automata.fa.dfa import DFA

    start = _closure(nfa.transitions, [nfa.initial_state])
    moves: dict[frozenset[Any], dict[str, frozenset[Any]]] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here in moves:
            continue
        if len(moves) == MOST_SETS:
            expected = f"a pattern of at most {MOST_SETS} sets of states"
            raise InputError("regex", pattern, expected)
        moves[here] = _steps(nfa.transitions, here)
        waiting += moves[here].values()
    index = {states: i for i, states in enumerate(moves)}
    return DFA(
        states=set(index.values()),
        input_symbols=nfa.input_symbols,
        transitions={index[s]: {a: index[t] for a, t in m.items()} for s, m in moves.items()},
        initial_state=index[start],
        final_states={i for states, i in index.items() if states & nfa.final_states},
        allow_partial=True,
    ).minify()


def _steps(transitions: Any, states: frozenset[Any]) -> dict[str, frozenset[Any]]:
    """Return the states that a set of states reaches on each symbol that leads somewhere."""
    targets: dict[str, set[Any]] = {}
    for state in states:
        for symbol, reached in transitions.get(state, {}).items():
            if symbol:
                targets.setdefault(symbol, set()).update(reached)
    closed = {symbol: _closure(transitions, reached) for symbol, reached in targets.items()}
    return {symbol: states for symbol, states in closed.items() if states}


def _closure(transitions: Any, states: Iterable[Any]) -> frozenset[Any]:
    """Return the states reached without a symbol, the given ones included."""
    seen, waiting = set(states), list(states)
    while waiting:
        further = set(transitions.get(waiting.pop(), {}).get("", ())) - seen
        seen |= further
        waiting += further
    return frozenset(seen)


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
