"""Automata with a short memory: the state after a word is settled by the word's last m letters.

Claimed       for a deterministic automaton whose moves may be partial, with m and moves δ' as returned: for
              every word w that the automaton can read from its start, δ'(start, w') is the state after w,
              where w' is the last m' ≥ m letters of w, or w itself where it is shorter. So a model that
              multiplies the last 2^l ≥ m matrices, from the start state on, is exact at every length
Notation      δ(q, a) the move, undefined where no 1 stands in a row; R(v) = {δ(q, v) : q reachable}, the
              states in which a word that ends with v can end
Why δ'        a letter of the middle of a word may be no first letter: δ(start, a) is undefined, although
              the last m letters are read from there. Moves of δ that are there are kept; one that is not is
              never made on a word that can be read, so it may be filled in
Filling in    along all v of at most m letters with R(v) ≠ ∅ the run x_v of δ' from the start stays in R(v):
              where δ(x_v, a) is undefined, δ'(x_v, a) is a state that lies in R(va) for all such v. Where
              none does, no claim is made (another automaton for the same words might have a short memory)
Proof         is by `settles`, which does not ask how δ' was found. It walks the pairs (δ(q, u), δ'(start, u))
              for all reachable q and all u that q can read; if after m letters both are the same state,
              always, then so they are after more, for δ' has all moves of δ. With q the state before the
              last m' letters of w this is the claim; a shorter w is read by δ' as by δ
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from constructions.automata.wfa import WFA

MOST_PAIRS = 1 << 14
Moves = dict[tuple[int, str], int]
Run = tuple[frozenset[int], int]


@dataclass(frozen=True)
class ShortMemory:
    """How many last letters settle the state, and the automaton with moves filled in."""

    letters: int
    automaton: WFA


def short_memory(automaton: WFA, most: int) -> ShortMemory | None:
    """The least number of letters, at most `most`, that settles the state of a 0/1 automaton.

    Examples:
        >>> from constructions.automata.wfa import WFA
        >>> last = WFA.from_dfa(3, 0, [1], {"a": [1, None, 1], "b": [None, 2, None]})
        >>> found = short_memory(last, 4)
        >>> found.letters, [[int(w) for w in row] for row in found.automaton.matrix("b")][0]
        (1, [0, 0, 1])
        >>> short_memory(WFA.from_dfa(2, 0, [0], {"a": [1, 0]}), 4) is None  # it counts
        True

    """
    moves, start = _moves(automaton), [bool(a) for a in automaton.alpha].index(True)
    states = _reachable(moves, automaton.alphabet, start)
    for count in range(most + 1):
        if not _is_definite(moves, automaton.alphabet, states, count):
            continue
        filled = _fill_in(moves, automaton.alphabet, states, start, count)
        if filled is None or not settles(moves, filled, automaton.alphabet, states, start, count):
            return None
        return ShortMemory(count, _with_moves(automaton, filled))
    return None


def settles(
    moves: Moves,
    filled: Moves,
    alphabet: Iterable[str],
    states: Iterable[int],
    start: int,
    count: int,
) -> bool:
    """Whether `filled` keeps all moves, and its run from the start meets every run after `count` letters."""
    if any(filled.get(move) != state for move, state in moves.items()):
        return False
    pairs: set[tuple[int, int | None]] = {(q, start) for q in states}
    for _ in range(count):
        pairs = {
            (moves[q, a], None if p is None else filled.get((p, a)))
            for q, p in pairs
            for a in alphabet
            if (q, a) in moves
        }
    return all(q == p for q, p in pairs)


def _moves(automaton: WFA) -> Moves:
    """δ; a row of a letter's matrix has at most one 1."""
    return {
        (i, symbol): j
        for symbol in automaton.alphabet
        for i, row in enumerate(automaton.matrix(symbol))
        for j, weight in enumerate(row)
        if weight
    }


def _reachable(moves: Moves, alphabet: Iterable[str], start: int) -> frozenset[int]:
    states, pending = {start}, [start]
    while pending:
        state = pending.pop()
        further = {moves[state, a] for a in alphabet if (state, a) in moves} - states
        states |= further
        pending += further
    return frozenset(states)


def _is_definite(moves: Moves, alphabet: Iterable[str], states: frozenset[int], count: int) -> bool:
    """Whether two reachable states that can both read a word of so many letters read it to one state."""
    pairs = {(p, q) for p in states for q in states if p < q}
    for _ in range(count):
        both = (
            (moves[p, a], moves[q, a])
            for p, q in pairs
            for a in alphabet
            if (p, a) in moves and (q, a) in moves
        )
        pairs = {(min(pair), max(pair)) for pair in both if pair[0] != pair[1]}
    return not pairs


def _fill_in(
    moves: Moves, alphabet: Iterable[str], states: frozenset[int], start: int, count: int
) -> Moves | None:
    """δ', or None where a move would have to lead to two states."""
    allowed: dict[tuple[int, str], frozenset[int]] = {}
    while True:
        filled = {move: min(ends) for move, ends in allowed.items()} | moves
        narrower = _first_conflict(moves, filled, allowed, alphabet, (states, start), count)
        if narrower is None:
            return filled
        move, ends = narrower
        if not ends:
            return None
        allowed[move] = ends


def _first_conflict(
    moves: Moves,
    filled: Moves,
    allowed: dict[tuple[int, str], frozenset[int]],
    alphabet: Iterable[str],
    begin: Run,
    count: int,
) -> tuple[tuple[int, str], frozenset[int]] | None:
    """A move that leaves R(va) or is not there yet, with the states that it may lead to.

    Of too many runs it is the last one looked at, with no states.
    """
    runs: set[Run] = {begin}
    for _ in range(count):
        further: set[Run] = set()
        for here, states in sorted((here, sorted(states)) for states, here in runs):
            for a in alphabet:
                ends = frozenset(moves[q, a] for q in states if (q, a) in moves)
                if not ends:
                    continue
                if filled.get((here, a)) not in ends:
                    return (here, a), allowed.get((here, a), ends) & ends
                further.add((ends, filled[here, a]))
        if len(further) > MOST_PAIRS:
            return (here, a), frozenset()
        runs = further
    return None


def _with_moves(automaton: WFA, filled: Moves) -> WFA:
    """The automaton with these moves."""
    n = automaton.n
    letters = {
        symbol: tuple(
            tuple(Fraction(filled.get((i, symbol)) == j) for j in range(n)) for i in range(n)
        )
        for symbol in automaton.alphabet
    }
    return WFA(automaton.alpha, letters, automaton.beta)
