"""Automata with a short memory: the state after a word is given by the word's last m letters.

Claimed       for a deterministic automaton whose moves may be partial, with m and moves δ' as returned: for
              every word w that the automaton can read from its start, δ'(start, w') is the state after w,
              where w' is the last m' ≥ m letters of w, or w itself where it is shorter. So a model that
              multiplies the last 2^l ≥ m matrices, from the start state on, is exact at every length
Notation      δ(q, a) the move, undefined where a row has no 1; R(v) the states in which a word that ends
              with v can end; a context is a word v with one state in R(v), or a suffix of one
Why δ'        a letter of the middle of a word may be no first letter: δ(start, a) is undefined, although
              the last m letters are read from there. δ' keeps all moves of δ; an undefined δ(q, a) becomes a
              state of R(v), v the longest context that ends a shortest word to q and a
Proof         by `settles`, which does not depend on how δ' was found. It walks the pairs
              (δ(q, u), δ'(start, u)) for all reachable q and all u that q can read; if after m letters both
              are the same state, always, then also after more, for δ' has all moves of δ. With q the
              state before the last m' letters of w this is the claim; δ' reads a shorter w as δ does
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from constructions.automata.wfa import WFA
from constructions.core.embedding import BOS

LONGEST_CONTEXT, MOST_CONTEXTS = 5, 1 << 17  # letters of a context; contexts
Moves = Mapping[tuple[int, str], int]
Context = tuple[str, ...]


@dataclass(frozen=True)
class ShortMemory:
    """The number of last letters that give the state, and the automaton with moves filled in."""

    letters: int
    automaton: WFA


def moves_of(automaton: WFA) -> dict[tuple[int, str], int]:
    """δ of a 0/1 automaton with at most one 1 in a row of a letter's matrix."""
    return {
        (i, symbol): row.index(1)
        for symbol in automaton.alphabet
        for i, row in enumerate(automaton.matrix(symbol))
        if any(row)
    }


def histories(moves: Moves, start: int, alphabet: Iterable[str]) -> dict[int, Context]:
    """A shortest word to each reachable state, <bos> before it."""
    found: dict[int, Context] = {start: (BOS,)}
    pending = [start]
    for state in pending:
        for a in alphabet:
            after = moves.get((state, a), state)
            if after not in found:
                found[after] = (*found[state], a)
                pending.append(after)
    return found


def contexts(moves: Moves, start: int, alphabet: Iterable[str]) -> dict[Context, set[int]] | None:
    """R(v) of every context v, <bos> before those read from the start; None if they are too many."""
    reachable, of_letter = (
        histories(moves, start, alphabet),
        defaultdict[str, list[tuple[int, int]]](list),
    )
    for (q, a), after in moves.items():
        if q in reachable:
            of_letter[a].append((q, after))
    pending: dict[Context, dict[int, int]] = {(): {q: q for q in reachable}}
    found: dict[Context, set[int]] = {}
    while pending:
        context, read = pending.popitem()
        found[context] = set(read.values())
        if len(found[context]) == 1:
            continue
        if len(context) == LONGEST_CONTEXT or len(found) > MOST_CONTEXTS:
            return None
        for a in alphabet:
            before = {q: read[after] for q, after in of_letter[a] if after in read}
            pending |= {(a, *context): before} if before else {}
        if start in read:
            pending[BOS, *context] = {start: read[start]}
    return found


def short_memory(automaton: WFA) -> ShortMemory | None:
    """The number of last letters that decides the state of a deterministic 0/1 automaton, or None.

    Examples:
        >>> from constructions.automata.wfa import WFA
        >>> last = WFA.from_dfa(3, 0, [1], {"a": [1, None, 1], "b": [None, 2, None]})
        >>> found = short_memory(last)
        >>> found.letters, [[int(w) for w in row] for row in found.automaton.matrix("b")][0]
        (1, [0, 0, 1])
        >>> short_memory(WFA.from_dfa(2, 0, [0], {"a": [1, 0]})) is None  # it counts
        True

    """
    moves, start, alphabet = moves_of(automaton), automaton.alpha.index(1), automaton.alphabet
    known, reached = contexts(moves, start, alphabet), histories(moves, start, alphabet)
    if known is None:
        return None
    filled = dict(moves)
    for q, a in ((q, a) for q in reached for a in alphabet if (q, a) not in moves):
        word = (*reached[q], a)
        ends = (known[word[i:]] for i in range(len(word) + 1) if word[i:] in known)
        filled[q, a] = min(next(ends))
    count = max(len(context) - (context[:1] == (BOS,)) for context in known)
    if not settles(moves, filled, alphabet, reached, start, count):
        return None
    n = automaton.n
    rows: dict[str, list[Any]] = {a: [filled.get((q, a)) for q in range(n)] for a in alphabet}
    total = WFA.from_dfa(n, start, range(n), rows)
    return ShortMemory(count, WFA(automaton.alpha, total.transitions, automaton.beta))


def settles(
    moves: Moves,
    filled: Moves,
    alphabet: Iterable[str],
    states: Iterable[int],
    start: int,
    count: int,
) -> bool:
    """Check that `filled` keeps all moves, and its run from the start meets every run in `count` letters."""
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
