"""Exact rational states of whole batches of trees, layer by layer: with masks, and without any.

Computes      where the heads look, from integer scores as `constructions.theorem3` and
              `constructions.theorem3_variants` build them on the line, in NumPy, each maximum
              decided and unique; then the states as rationals, position by position
Notation      `Masked`: the repaired construction, heads fixed by depths; `Free`: no mask, the right
              head follows the target that the layer before has written; rows of states are lists of
              vectors, the end token last; residues are taken modulo 2^61 - 1

The dense forward pass is the reference: checks compare the two on all small trees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import flint
import numpy as np

from constructions.theorem3 import END, KINDS
from constructions.theorem3_variants import free_ranks
from constructions.trees import CLOSE, OPEN
from constructions.wta import WTA
from verify.engines.trees import Batch, Integers, heights

PRIME = (1 << 61) - 1
Vector = tuple[Any, ...]
States = list[list[Vector]]


@dataclass(frozen=True)
class Rational:
    """A WTA over the library's rationals, as the states of a batch need it."""

    tensor: tuple[tuple[Vector, ...], ...]
    leaves: dict[str, Vector]
    known: dict[tuple[int, int], tuple[Vector, Vector, Vector]] = field(default_factory=dict)

    @classmethod
    def of(cls, automaton: WTA) -> Rational:
        """The same automaton with other numbers."""
        tensor = tuple(tuple(_vector(row) for row in rows) for rows in automaton.tensor)
        return cls(tensor, {symbol: _vector(v) for symbol, v in automaton.leaves.items()})

    @cached_property
    def zero(self) -> Vector:
        """The state of a bracket at the start."""
        return (flint.fmpq(0),) * len(self.tensor)

    def start(self, string: Sequence[str]) -> list[Vector]:
        """The states of the embedded tokens, the end token last."""
        return [self.leaves.get(symbol, self.zero) for symbol in (*string, END)]

    def product(self, left: Vector, right: Vector) -> Vector:
        """T ×₂ left ×₃ right; each pair of vectors is multiplied once and kept."""
        key = id(left), id(right)
        if key not in self.known:
            self.known[key] = left, right, self._product(left, right)
        return self.known[key][2]

    def _product(self, left: Vector, right: Vector) -> Vector:
        if not any(left) or not any(right):
            return self.zero
        pairs = [(b, c, x * y) for b, x in enumerate(left) for c, y in enumerate(right)]
        return tuple(
            sum((rows[b][c] * xy for b, c, xy in pairs), flint.fmpq(0)) for rows in self.tensor
        )


def _vector(row: Iterable[Any]) -> Vector:
    return tuple(flint.fmpq(x.numerator, x.denominator) for x in row)


@dataclass(frozen=True)
class Masked(Batch):
    """The repaired construction: both heads are fixed, from the depths."""

    def due(self, symbols: Sequence[str]) -> dict[int, int]:
        """After how many parse layers each position of I_t is right: the subtree's height."""
        return heights(symbols)

    def rational(self, automaton: WTA, layers: int) -> Iterator[States]:
        """The states of all tokens before and after each parse layer."""
        machine = Rational.of(automaton)
        states = [machine.start(string) for string in self.strings]
        looks = self.attended("left"), self.attended("right")
        kinds = self.table(KINDS)
        yield states
        for _ in range(layers):
            states = _layer(machine, states, looks, kinds)
            yield states


@dataclass(frozen=True)
class Free(Batch):
    """The construction without masks: the right head looks where the target says."""

    def due(self, symbols: Sequence[str]) -> dict[int, int]:
        """After how many layers each position of I_t is right: max(left + 2, right + 1)."""
        return free_ranks(symbols)

    def targets(self, layers: int) -> Iterator[tuple[Integers, Integers, Integers]]:
        """done, size and where the right head looks, before and after each layer.

        As the layer has them: done ← done_l done_r, size ← size_l done_r + done_l size_r +
        2 done_l done_r at opening brackets, else kept; target ← N + 1 + done_l (i - N) + size_l.
        """
        letters = {s: 1 for string in self.strings for s in string if s not in (OPEN, CLOSE)}
        done = self.table(letters)
        size, place = done, np.arange(1, self.tokens + 1)
        target = np.full_like(done, self.tokens + 1)
        left, keep = self.attended("left"), 1 - self.table(KINDS)
        yield done, size, self.follow(target)
        for _ in range(layers):
            right = self.follow(target)
            done_l, size_l = _taken(done, left), _taken(size, left)
            done_r, size_r = _taken(done, right), _taken(size, right)
            target = self.tokens + 1 + done_l * (place - self.tokens) + size_l
            size = keep * size + size_l * done_r + done_l * size_r + 2 * done_l * done_r
            done = keep * done + done_l * done_r
            yield done, size, self.follow(target)

    def follow(self, target: Integers) -> Integers:
        """The unique maximum of 2·target_i·j - j² over all tokens j, from 0."""
        place = np.arange(1, self.tokens + 1)
        scores = 2 * target[:, :, None] * place - place**2
        best: Integers = scores.argmax(axis=2)
        top = np.take_along_axis(scores, best[:, :, None], axis=2)
        if ((scores == top).sum(axis=2) != 1).any():
            raise ArithmeticError("the right head has a tie")
        return best

    def rational(self, automaton: WTA, layers: int) -> Iterator[States]:
        """The states of all tokens before and after each layer."""
        machine = Rational.of(automaton)
        states = [machine.start(string) for string in self.strings]
        left, kinds = self.attended("left"), self.table(KINDS)
        yield states
        for _, (_, _, right) in zip(range(layers), self.targets(layers), strict=False):
            states = _layer(machine, states, (left, right), kinds)
            yield states


def _taken(values: Integers, index: Integers) -> Integers:
    return np.take_along_axis(values, index, axis=1)


def _layer(
    machine: Rational, states: States, looks: tuple[Integers, Integers], kinds: Integers
) -> States:
    """state ← T(left, right) + (1 - kind) · state, tree by tree."""
    left, right = (index.tolist() for index in looks)
    return [
        [
            _token(machine, row, row[left[b][i]], row[right[b][i]], i, kind)
            for i, kind in enumerate(kinds[b].tolist())
        ]
        for b, row in enumerate(states)
    ]


def _token(
    machine: Rational, row: list[Vector], left: Vector, right: Vector, i: int, kind: int
) -> Vector:
    found = machine.product(left, right)
    if kind == 1:
        return found
    if found is machine.zero and kind == 0:
        return row[i]
    return tuple(x + (1 - kind) * y for x, y in zip(found, row[i], strict=True))


def residue(number: Any) -> int:
    """A rational modulo the prime."""
    return int(number.p) * pow(int(number.q), -1, PRIME) % PRIME


def as_rational(number: Any) -> Any:
    """A number as a rational of the library."""
    if isinstance(number, flint.fmpq):
        return number
    return flint.fmpq(number.numerator, number.denominator)


Kind = TypeVar("Kind", "Masked", "Free")


def by_length(kind: type[Kind], strings: Iterable[Sequence[str]]) -> list[Kind]:
    """Strings of trees as batches, one for each length, in order."""
    groups: dict[int, list[tuple[str, ...]]] = {}
    for string in strings:
        groups.setdefault(len(string), []).append(tuple(string))
    return [kind(tuple(group)) for _, group in sorted(groups.items())]


class Digest:
    """A hash of states modulo the prime, in the order in which they come.

    `number` turns an entry of a state into a rational of the library.
    """

    def __init__(self, number: Callable[[Any], Any] = as_rational) -> None:
        self.hash, self.number = hashlib.sha256(), number

    def add(self, state: Iterable[Any]) -> None:
        """One more state."""
        values = (residue(self.number(x)) for x in state)
        self.hash.update((",".join(map(str, values)) + ";").encode())

    def text(self) -> str:
        """The hash so far."""
        return self.hash.hexdigest()


def at_a_point(value: Any) -> Any:
    """A polynomial where symbol number k is 7^(k+1) modulo the prime."""
    count = value.context().nvars()
    return flint.fmpq(value(*[pow(7, k + 1, PRIME) for k in range(count)]))


@dataclass(frozen=True)
class Tally:
    """What a run over a batch saw: positions, wrong states at the end, breaks of the invariant."""

    positions: int = 0
    wrong: int = 0
    broken: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.positions + other.positions, self.wrong + other.wrong, self.broken + other.broken
        )


def tally(batch: Masked | Free, automaton: WTA, layers: int, digest: Digest) -> Tally:
    """Compare every state after every layer with μ(τ_i), by the definition, or with 0.

    A position holds its state from the layer on in which it is due, and 0 before.
    """
    oracle, runs = over_rationals(automaton), list(batch.rational(automaton, layers))
    zero, found = Rational.of(automaton).zero, Tally()
    for row, symbols in enumerate(batch.strings):
        due = batch.due(symbols)
        for i, wanted in sorted(oracle.states(symbols).items()):
            seen = [states[row][i - 1] for states in runs]
            good = _all(zero, seen[: due[i]]) and _all(wanted, seen[due[i] :])
            found += Tally(1, int(seen[-1] != wanted), int(not good))
            digest.add(seen[-1])
    return found


def _all(wanted: Vector, seen: Sequence[Vector]) -> bool:
    """Whether all vectors are the wanted one; the same object is compared once."""
    return all(state == wanted for state in {id(state): state for state in seen}.values())


def over_rationals(automaton: WTA) -> WTA:
    """The same automaton over the library's rationals, evaluated by the definition's own code."""
    machine = Rational.of(automaton)
    return WTA(_vector(automaton.alpha), machine.tensor, machine.leaves)
