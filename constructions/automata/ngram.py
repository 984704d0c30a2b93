"""n-gram models as sparse tables: counts after each context that occurs.

Defines       p(σ | w): the relative frequency of σ after the longest suffix of w that is a context. The
              history of w is <bos> on and on, then w; a symbol <eos> in it counts as <bos>, and a symbol
              that is not in the alphabet belongs to no context
Contexts      of at most k - 1 symbols, suffix-closed: with `ab` comes `b`, and () is always there. This
              is how tables with back-off treat histories that they have not seen
From words    each word is followed by <eos>; every suffix of every history is a context
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from constructions.automata.definite import LONGEST_CONTEXT, MOST_CONTEXTS, Context, contexts
from constructions.automata.prediction import EOS, Source
from constructions.automata.wfa import letters
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.core.numbers import number
from constructions.core.one_line import one_line

BLANK = "▁"  # stands for a blank in a text
LONGEST = 1 + LONGEST_CONTEXT  # order


@one_line(
    lambda self: f"order {self.order}, {len(self.counts)} contexts, {len(self.alphabet)} symbols"
)
@dataclass(frozen=True)
class Ngram(Source):
    """The n-gram model of order k of some counts: `counts[context][symbol]`."""

    order: int
    alphabet: tuple[str, ...]
    counts: Mapping[Context, Mapping[str, Fraction]]
    ends = True

    @classmethod
    def of(cls, order: int, alphabet: Sequence[str], counts: Any) -> Ngram:
        """A model from pairs of a context and its counts, checked one by one.

        Examples:
            >>> Ngram.of(2, "ab", {(): {"a": 2, "b": 2}, ("a",): {"b": 1}})
            Ngram(order 2, 2 contexts, 2 symbols)

        """
        if isinstance(order, bool) or not isinstance(order, int) or not 1 <= order <= LONGEST:
            raise InputError("order", order, f"a whole number from 1 to {LONGEST}")
        if not alphabet or len(set(alphabet)) < len(alphabet) or {BOS, EOS} & set(alphabet):
            raise InputError("alphabet", alphabet, f"different symbols, none of {BOS}, {EOS}")
        pairs = list(counts.items() if isinstance(counts, Mapping) else counts)
        if len(pairs) > MOST_CONTEXTS:
            raise InputError("counts", f"{len(pairs)} contexts", f"at most {MOST_CONTEXTS}")
        rows = {tuple(context): _row(tuple(context), row, alphabet) for context, row in pairs}
        for context in [(), *rows]:
            _check_context(context, rows, order, alphabet)
        return cls(order, tuple(alphabet), rows)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The letters, then EOS."""
        return (*self.alphabet, EOS)

    @cached_property
    def chances_after(self) -> dict[Context, dict[str, Fraction]]:
        """p(σ | context) for every context and symbol."""
        return {
            context: {s: row.get(s, Fraction(0)) / sum(row.values()) for s in self.symbols}
            for context, row in self.counts.items()
        }

    def context(self, word: Sequence[str]) -> Context:
        """The longest suffix of the history of a word that is a context."""
        history = [BOS] * (self.order - 1) + [BOS if s == EOS else s for s in word]
        suffix = tuple(history[len(history) - self.order + 1 :])
        while suffix not in self.counts:
            suffix = suffix[1:]
        return suffix

    def distribution(self, word: Any) -> dict[str, Fraction]:
        """p(σ | w) for every symbol.

        Examples:
            >>> model = from_words(["ab", "abb"], 2)
            >>> {symbol: str(p) for symbol, p in model.distribution("ab").items() if p}
            {'b': '1/3', '<eos>': '2/3'}

        """
        return self.chances_after[self.context(letters(word, self.alphabet))]

    def unlikely(self, length: int, random: Random) -> list[tuple[str, ...]]:
        """Two words of random symbols, so that histories are unseen."""
        return [tuple(random.choices(self.symbols, k=length)) for _ in range(2)]

    def begin(self) -> tuple[str, ...]:
        """The empty history."""
        return ()

    def chances(self, state: tuple[str, ...], word: Sequence[str]) -> dict[str, Fraction]:
        """The row of the history's context."""
        return self.chances_after[self.context(state)]

    def step(self, state: tuple[str, ...], symbol: str, chance: Fraction) -> tuple[str, ...]:
        """The last k - 1 symbols."""
        history = (*state, symbol)
        return history[max(0, len(history) - self.order + 1) :]


def _row(context: Context, row: Any, alphabet: Sequence[str]) -> dict[str, Fraction]:
    """The counts after a context: numbers > 0 of symbols."""
    field = f"counts[{' '.join(context)}]"
    if not isinstance(row, Mapping) or not row:
        raise InputError(field, row, "the count of at least one symbol")
    counts = {symbol: number(count, f"{field}[{symbol}]") for symbol, count in row.items()}
    for symbol, count in counts.items():
        if symbol not in {*alphabet, EOS}:
            raise InputError(field, symbol, f"symbols of the alphabet and {EOS}")
        if count <= 0:
            raise InputError(f"{field}[{symbol}]", count, "a number > 0")
    return counts


def _check_context(
    context: Context, rows: Mapping[Context, object], order: int, alphabet: Sequence[str]
) -> None:
    field = f"counts[{' '.join(context)}]"
    if len(context) > order - 1 or not set(context) <= {*alphabet, BOS}:
        raise InputError(
            field, "this context", f"at most {order - 1} symbols of the alphabet or {BOS}"
        )
    if context not in rows or (context and context[1:] not in rows):
        missing = " ".join(context[1:]) or "()"
        raise InputError(field, f"no context {missing}", "every suffix of a context, and ()")


def from_words(words: Iterable[Sequence[str]], order: int) -> Ngram:
    """The n-gram model of some words.

    Examples:
        >>> from_words(["ab", "abb"], 3)
        Ngram(order 3, 8 contexts, 2 symbols)

    """
    counts: dict[Context, Counter[str]] = defaultdict(Counter)
    alphabet = set[str]()
    for word in words:
        history, keep = (BOS,) * max(order - 1, 0), max(order, 1)
        alphabet.update(word)
        for symbol in (*word, EOS):
            for size in range(keep):
                counts[history[len(history) - size :]][symbol] += 1
            history = (*history, symbol)[1:] if order > 1 else ()
    if not alphabet:
        raise InputError("words", "no symbols", "at least one word")
    return Ngram.of(order, sorted(alphabet), counts)


def from_moves(
    moves: Mapping[tuple[int, str], int],
    start: int,
    chances: Sequence[Mapping[str, Fraction]],
    alphabet: Sequence[str],
) -> Ngram | None:
    """The table of a deterministic process whose last letters settle its state, or None.

    A suffix that leaves several states open is the longest known one of no history that can occur.

    Examples:
        >>> half = Fraction(1, 2)
        >>> golden = {(0, "1"): 0, (0, "0"): 1, (1, "1"): 0}
        >>> from_moves(golden, 0, [{"0": half, "1": half}, {"1": Fraction(1)}], "01")
        Ngram(order 2, 4 contexts, 2 symbols)

    """
    if any(state != start for (_, symbol), state in moves.items() if symbol == EOS):
        return None
    letters = [symbol for symbol in alphabet if symbol != EOS]
    known = contexts(moves, start, letters)
    if known is None:
        return None
    rows = {v: {s: p for s, p in chances[min(ends)].items() if p} for v, ends in known.items()}
    return Ngram.of(1 + max(map(len, rows)), letters, rows) if all(rows.values()) else None


def from_text(text: str, order: int) -> Ngram:
    r"""The n-gram model of the letters of a text: each line is a word, and ▁ is a blank.

    Examples:
        >>> from_text("to be\nor not to be", 2).alphabet
        ('b', 'e', 'n', 'o', 'r', 't', '▁')

    """
    lines = (BLANK.join(line.split()) for line in text.splitlines())
    return from_words([line for line in lines if line], order)
