"""Parts of the bounds on an additive stream: sums of contributions, inputs of blocks, edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import flint

from constructions.circuits.arithmetic import Scaled
from constructions.circuits.interventions import (
    AblateFeature,
    Interchange,
    Intervention,
    RemoveEdge,
)
from constructions.circuits.machine import Run
from constructions.circuits.parts import SCRATCH, WINDOW
from verify.bounds.norms import largest
from verify.circuits.circuit_setting import entry_bound, frobenius_bound

ZERO = flint.arb(0)


@dataclass(frozen=True, eq=False)
class BoundedSum:
    """A value, a bound on the model's error, and the contributions that it is the sum of.

    Of a contribution `token` bounds the entries of the stream to which it is added; that of a block has
    the sum that the block saw, and the error of the two together.
    """

    exact: Scaled
    error: flint.arb = ZERO
    parts: tuple[BoundedSum, ...] = ()
    token: flint.arb = ZERO
    seen: tuple[BoundedSum, ...] | None = None
    together: flint.arb = ZERO

    @property
    def matrix(self) -> flint.fmpq_mat:
        """The exact matrix."""
        return self.exact.vector

    @cached_property
    def entry(self) -> flint.arb:
        """A bound on the model's entries."""
        return entry_bound(self.matrix) + self.error

    @cached_property
    def frobenius(self) -> flint.arb:
        """A bound on the Frobenius norm of the exact matrix."""
        return frobenius_bound(self.matrix)

    def bounds(self) -> Iterator[flint.arb]:
        """Yield a bound for each entry on the distance of the model from the machine."""
        return iter([self.error] * len(self.matrix.entries()))


@dataclass(frozen=True)
class Edits:
    """Interventions on the stream: `removed` edges and `replaced` values.

    `entry` bounds the entries of windows and scratches, if no error exceeds `off`.
    """

    removed: int
    replaced: int
    entry: flint.arb
    off: flint.arb

    @classmethod
    def of(
        cls, runs: Sequence[Run[Scaled]], interventions: Sequence[Intervention], off: flint.arb
    ) -> Edits:
        """Return the edits of a run, from its exact values and those that it replaces."""
        values = (run.stream(name, site, layer, t).vector for run in runs for t in run.positions
                  for name in (WINDOW, SCRATCH) for site in ("middle", "after")
                  for layer in range(-1, run.circuit.layers))  # fmt: skip
        kinds = [type(each) for each in set(interventions)]
        replaced = kinds.count(Interchange) + kinds.count(AblateFeature)
        return cls(kinds.count(RemoveEdge), replaced, largest(map(entry_bound, values)) + off, off)


@dataclass(frozen=True)
class BlockInput:
    """Input of a block: S + F + r and W + E + F, with bounds ρ on r, e on E, f on F."""

    read: BoundedSum
    window: BoundedSum
    e: flint.arb
    rho: flint.arb
    f: flint.arb

    @classmethod
    def of(cls, read: BoundedSum, window: BoundedSum) -> BlockInput:
        """Return the input; F is the error of the last contributions, as far as both have them."""
        f = ZERO
        for x, y in zip(reversed(read.parts), reversed(window.parts), strict=False):
            if x is not y:
                break
            f += x.error
        beside = [ZERO if value.parts else value.error for value in (window, read)]
        return cls(read, window, window.error - f + beside[1], read.error - f + beside[0], f)


@dataclass(frozen=True)
class BlockErrors:
    """Errors of W + SY, of SY, of the scratch that is left, and of the sums that units are added up in."""

    together: flint.arb
    alone: flint.arb
    left: flint.arb
    sums: flint.arb
