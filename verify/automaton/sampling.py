"""The error of a model on chosen inputs, measured in its own floating-point type.

The worst of the words or trees of `inputs`, and which one that is. Differences from the true outputs
are taken in balls, so that no rounding of the truth counts as an error of the model. A measurement
bounds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from heapq import nlargest
from typing import Any

import flint

from constructions.arithmetic.torch import measurement_mode
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.exports.built_model import ExportModel
from constructions.exports.loader import FolderModel
from verify.automaton.inputs import (
    Word,
    climb,
    greedy_word,
    in_turn,
    neighbours,
    tree_neighbours,
    trees,
    words,
)
from verify.automaton.numbers import count
from verify.bounds.outward import rounded_up

LONGEST = 256  # of most inputs: the dense pass of a decoder takes T² scores
FULL = 4096  # of the two inputs that reach as far as possible
BITS, MOST_BITS = 256, 1 << 16
NEGLIGIBLE = 120  # bits after which no difference from a float64 sees the width of a ball
Balls = dict[int, list[flint.arb]]
Rows = Sequence[Sequence[flint.arb]]


def truth(automaton: WFA | WTA, word: Word, weights: bool) -> dict[int, list[Any]]:
    """The true outputs: states or weights of prefixes by their length, states of subtrees by place."""
    if isinstance(automaton, WTA):
        return {begin: list(state) for begin, state in automaton.states(word).items()}
    states = enumerate(automaton.states(word))
    if not weights:
        return {t: list(state) for t, state in states}
    return {t: [sum(a * b for a, b in zip(state, automaton.beta, strict=True))]
            for t, state in states}  # fmt: skip


def enclosed_truth(
    automaton: WFA | WTA, word: Word, weights: bool, bits: int = BITS
) -> Balls | None:
    """The true outputs as narrow balls; none where `MOST_BITS` do not make them narrow."""
    with flint.ctx.workprec(bits):
        outputs = truth(automaton.mapped(ball), word, weights)
        balls = [x for row in outputs.values() for x in row]
        wide, large = (max(part(x) for x in balls) for part in (flint.arb.rad, abs))
        narrow = bool(wide <= large * flint.arb(2) ** -NEGLIGIBLE)
    if narrow:
        return outputs
    return enclosed_truth(automaton, word, weights, 2 * bits) if bits < MOST_BITS else None


@dataclass(frozen=True)
class Sample:
    """An error, and the input on which it was seen."""

    error: flint.arb
    name: str
    word: Word
    size: flint.arb | None = None

    @property
    def useless(self) -> bool:
        """Return whether the outputs are not finite, or off by half of the largest true output."""
        if self.size is None or not self.size > 0:
            return not self.error.is_finite()
        return not self.error < self.size / 2

    @property
    def text(self) -> str:
        """The error with two digits."""
        if self.error.is_zero():
            return "0"
        return f"{rounded_up(self.error, 2):.1e}" if self.error.is_finite() else "inf"

    def description(self, model: ExportModel) -> str:
        """The input in words."""
        kind, unit = ("words", "letter") if model.words else ("trees", "token")
        return f"{kind} of {count(len(self.word), unit)}, the worst is {self.name}"


@dataclass(frozen=True)
class Measurement:
    """A model whose outputs are compared with the true ones: `loaded`, or its module built here.

    `dense`: the module computes all scores of a head at once.
    """

    model: ExportModel
    dense: bool
    loaded: FolderModel | None = None

    @cached_property
    def folder(self) -> FolderModel:
        """The module, with the description that its folder would have."""
        if self.loaded is not None:
            return self.loaded
        model, order = self.model, self.model.order
        note = {"tokens": list(model.tokens), "begin": model.begin, "length": order.length}
        return FolderModel(model.module(self.dense), note, model.automaton)

    def errors(self, chosen: Sequence[Word]) -> list[flint.arb]:
        """A lower bound on the error on each input, in the norm of the certificate, or infinity."""
        with measurement_mode():
            outputs = self.folder.states(chosen)
        return [self.error(word, rows) for word, rows in zip(chosen, outputs, strict=True)]

    def error(self, word: Word, outputs: Any) -> flint.arb:
        """The distance of some outputs from the true ones."""
        order = self.model.order
        exact = enclosed_truth(self.model.weighted, word, order.minimise)
        if exact is None:
            return flint.arb("inf")
        norm = together if self.model.words else largest_entry
        return least_distance(outputs, exact, largest_row if order.decoder else norm)

    def size(self, word: Word) -> flint.arb:
        """The largest true output on an input, in the same norm."""
        exact = enclosed_truth(self.model.weighted, word, self.model.order.minimise)
        rows = list(exact.values()) if exact else []
        return max((_lower(_norm(row)) for row in rows), key=_size, default=flint.arb("inf"))


def least_distance(outputs: Any, exact: Balls, norm: Callable[[Rows], flint.arb]) -> flint.arb:
    """A lower bound on the distance of outputs from the true ones; infinite if an output is NaN."""
    with flint.ctx.workprec(BITS):
        apart = [
            [flint.arb(x) - y for x, y in zip(outputs[t].tolist(), row, strict=True)]
            for t, row in exact.items()
        ]
        return _lower(norm(apart))


def together(rows: Rows) -> flint.arb:
    """The norm of Definition 3.2: the Euclidean norm of all entries."""
    return _norm([x for row in rows for x in row])


def largest_entry(rows: Rows) -> flint.arb:
    """The largest absolute entry."""
    return max((abs(x) for row in rows for x in row), key=_size)


def largest_row(rows: Rows) -> flint.arb:
    """The largest Euclidean norm of a row."""
    return max(map(_norm, rows), key=_size)


def _norm(values: Sequence[flint.arb]) -> flint.arb:
    return sum((x * x for x in values), flint.arb(0)).nonnegative_part().sqrt()


def _size(value: flint.arb) -> flint.arb:
    """Return a value to compare by: infinity for NaN."""
    return flint.arb(value.mid()) if value.is_finite() else flint.arb("inf")


def _lower(value: flint.arb) -> flint.arb:
    return flint.arb(value.abs_lower()) if value.is_finite() else flint.arb("inf")


def inputs(model: ExportModel) -> dict[str, Word]:
    """The inputs on which a model is measured, by description; two of them have up to `FULL` letters."""
    automaton, length = model.weighted, model.order.length
    size = min(length, LONGEST)
    if isinstance(automaton, WTA):
        return trees(automaton, size)
    chosen, longest = words(automaton, size), min(length, FULL)
    if longest > size:
        long = {"all letters in turn": in_turn(automaton.alphabet, longest)}
        long["a greedy word"] = greedy_word(automaton, longest)
        chosen |= {f"{name}, {longest} letters": word for name, word in long.items()}
    return chosen


def measure(
    model: ExportModel, dense: bool | None = None, loaded: FolderModel | None = None
) -> Sample:
    """The worst error on the chosen inputs, each run by itself; infinite where floats overflow."""
    measurement = Measurement(model, model.order.decoder if dense is None else dense, loaded)
    worst = max(_samples(measurement), key=lambda sample: sample.error)
    return replace(worst, size=measurement.size(worst.word))


def _samples(measurement: Measurement) -> list[Sample]:
    """The errors on the chosen inputs."""
    return [Sample(measurement.errors([word])[0], name, word)
            for name, word in inputs(measurement.model).items()]  # fmt: skip


def attack(model: ExportModel, rounds: int, dense: bool | None = None, width: int = 1) -> Sample:
    """The worst error found on the chosen inputs, and on small changes of the `width` worst of them.

    In the module's own pass, or with all scores of a head at once if `dense` (the default for decoders).
    """
    dense = model.order.decoder if dense is None else dense
    measurement, letters = Measurement(model, dense), model.automaton.alphabet
    starts = nlargest(width, _samples(measurement), lambda sample: sample.error)
    changes = partial(neighbours if model.words else tree_neighbours, letters=letters)
    words = list({sample.word: None for sample in starts})
    word = climb(measurement.errors, words, changes, rounds, width)
    return Sample(measurement.errors([word])[0], starts[0].name, word)
