"""Bounds on how far a model is from the exact machine in one run, with interventions and rounding.

Machine      the machine itself runs in an arithmetic that carries a bound beside each value: of sums in an
             additive stream (`additive_errors`), of vectors up to a scale in a normalised one
             (`normalised_errors`)
Assumption   where a basis is mixed or an edge removed, roundings depend on all that the stream holds: errors
             of at most `off` are assumed there, the least of a few numbers that turns out right
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import flint

from constructions.circuits.interventions import Interchange, Intervention
from constructions.circuits.machine import Run, run
from constructions.circuits.parts import WINDOW, Hook
from constructions.circuits.trace import Trace, exact_run
from constructions.circuits.wiring import BELIEF
from verify.bounds.decoder import BITS
from verify.circuits.additive_errors import AdditiveErrors
from verify.circuits.bounded_sum import BoundedSum, Edits
from verify.circuits.logarithm_bound import UNKNOWN
from verify.circuits.normalised_errors import BoundedValue, NormalisedErrors

Bounded = BoundedSum | BoundedValue
ASSUMED = (*(flint.arb(2) ** k for k in range(-4, 21, 3)), UNKNOWN)


def upper(value: flint.arb) -> float:
    """A float at or above a bound."""
    highest = float(value.upper()) if value.is_finite() else float("inf")
    return highest * (1 + 2**-50)


@dataclass(frozen=True)
class Allowance:
    """Bounds for every number of a run: of the features at every hook, and of the outputs."""

    trace: Trace
    arithmetic: AdditiveErrors | NormalisedErrors
    run: Run[Any]

    def values(self, hook: Hook) -> dict[str, list[Bounded]]:
        """Return every feature that a hook holds, at every position, with bounds."""
        listed = dict[str, list[Bounded]]()
        for name, rows in self.trace.values(hook).items():
            listed[name] = list(map(self.arithmetic.constant, rows))
            if name in self.trace.circuit.computed_features:
                listed[name] = [self.run.at_hook(name, hook, t) for t in self.run.positions]
            elif name == BELIEF:
                windows = (self.run.at_hook(WINDOW, hook, t) for t in self.run.positions)
                listed[name] = list(map(self.arithmetic.belief, windows))
        return listed

    def numbers(self, hook: Hook) -> dict[str, list[list[tuple[float, float]]]]:
        """Return every number at a hook with its bound, by feature and position."""
        with flint.ctx.workprec(BITS):
            return {name: [list(_pairs(value)) for value in values]
                    for name, values in self.values(hook).items()}  # fmt: skip

    @cached_property
    def outputs(self) -> list[list[float]]:
        """The bounds of all outputs, by position."""
        with flint.ctx.workprec(BITS):
            return [list(map(upper, self.arithmetic.outputs(self.trace, self.run, t)))
                    for t in self.run.positions]  # fmt: skip


def _pairs(value: Bounded) -> Iterator[tuple[float, float]]:
    root = value.exact.scale
    for entry, bound in zip(value.exact.vector.entries(), value.bounds(), strict=True):
        yield float((root * flint.arb(entry)).mid()), upper(bound)


def allowance(
    trace: Trace, word: Sequence[str], interventions: tuple[Intervention, ...] = ()
) -> Allowance:
    """Return the bounds of a run with interventions."""
    circuit = trace.circuit
    with flint.ctx.workprec(BITS):
        if circuit.normalised:
            vectors = NormalisedErrors(circuit)
            return Allowance(trace, vectors, run(circuit, word, interventions, vectors))
        words = [each.word for each in interventions if isinstance(each, Interchange)]
        others = [exact_run(circuit, each) for each in [*words, word]] if interventions else []
        for off in ASSUMED:
            sums = AdditiveErrors(circuit, Edits.of([trace.run, *others], interventions, off))
            found = Allowance(trace, sums, run(circuit, word, interventions, sums))
            if all(sums.within(value.bounds()) for hook in circuit.hooks
                   for values in found.values(hook).values() for value in values):  # fmt: skip
                break
        return found
