"""Data of the tree decoder's bounds: errors by class of token, errors of reads.

Classes      in the exact pass a token is known (f = 1, M = 0, b its state), inactive (g = 1, M = I, b = 0),
             active (M the map of a context, b = 0) or an opening bracket (f = g = 0, M = 0, b = 0). Errors
             are followed for the known nodes with m leaves, for the active ones whose context has a leaves,
             and for all inactive ones; an opening bracket counts as a known node of no leaves, with f = 0
When         by `pebbling` a node with fewer than ℓ_k = P_k - 1 leaves is known after k - 1 steps. In step t
  begins     an inactive node with one known child: neither child was known before, so that both have
             ℓ_{t-1} leaves or more, and the other one, not known yet, ℓ_t
  splits     with both children known: both have ℓ_{t-1} or more
  idles      who stays inactive has two children of ℓ_t leaves or more
  keeps      an active node whose pointer names an inactive one, of 2 ℓ_{t-1} leaves or more
  joins      an active node whose pointer names an active one, which points to an inner node; it is not known
             after the step, and has ℓ_{t+1} leaves or more
  jumps      an active node whose pointer names a known one: it has ℓ_t leaves or more itself
             All others stay what they are. At first leaves are known, and all inner nodes inactive: classes
             that no tree up to the length can fill need not arise
Notation     f, g, c, M, b of `constructions.decoder_tree`: known, inactive, pointer, matrix, state
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import flint

from constructions.automata.pebbling import least_leaves
from verify.bounds.norms import largest

ZERO = flint.arb(0)
BRACKET = 0  # the leaves of an opening bracket
Pair = tuple[int, int]


class ClassErrors(NamedTuple):
    """Error bounds of the tokens of one class.

    f, g and c; M and, where it is 0, the sum of its sources; b, and its error together with what the
    residue of M will still add, or, where b is 0, the sum of its sources.
    """

    mark: flint.arb = ZERO
    activity: flint.arb = ZERO
    pointer: flint.arb = ZERO
    map: flint.arb = ZERO
    sources: flint.arb = ZERO
    state: flint.arb = ZERO
    total: flint.arb = ZERO

    def worst(self, other: ClassErrors) -> ClassErrors:
        """The larger of each."""
        return ClassErrors(*map(flint.arb.max, self, other))

    def rounded_up(self) -> ClassErrors:
        """The upper ends."""
        return ClassErrors(*(flint.arb(error.upper()) for error in self))


Classes = Mapping[int, ClassErrors]


@dataclass(frozen=True)
class NodeErrors:
    """The errors of all tokens after a step: of inactive ones, of active and of known ones by leaves."""

    idle: ClassErrors | None
    active: Classes
    known: Classes
    left: flint.arb

    @classmethod
    def before_steps(cls, leaves: int, left: flint.arb, stored: flint.arb) -> NodeErrors:
        """Leaves that may be stored wrongly, and inner nodes if trees have any."""
        leaf = ClassErrors(state=stored, total=stored)
        idle = ClassErrors() if leaves > 1 else None
        return cls(idle, {}, {BRACKET: ClassErrors(), 1: leaf}, left)

    @cached_property
    def all(self) -> tuple[ClassErrors, ...]:
        """Of all classes."""
        return (*self.unknown, *self.known.values())

    @cached_property
    def unknown(self) -> tuple[ClassErrors, ...]:
        """Of inner nodes that are not known."""
        return (*([] if self.idle is None else [self.idle]), *self.active.values())

    @cached_property
    def mark(self) -> flint.arb:
        """The largest error of f."""
        return largest(errors.mark for errors in self.all)

    @cached_property
    def activity(self) -> flint.arb:
        """The largest error of g."""
        return largest(errors.activity for errors in self.all)

    @cached_property
    def pointer(self) -> flint.arb:
        """The largest error of c."""
        return largest(errors.pointer for errors in self.all)

    @cached_property
    def state(self) -> flint.arb:
        """The largest error of b."""
        return largest(errors.state for errors in self.all)

    @cached_property
    def map(self) -> flint.arb:
        """The largest error of M."""
        return largest(errors.map for errors in self.all)

    @cached_property
    def child_mark(self) -> flint.arb:
        """The largest error of f of an inner node that is not known."""
        return largest(errors.mark for errors in self.unknown)

    @cached_property
    def clear_mark(self) -> flint.arb:
        """The largest error of f where it is 0."""
        return self.child_mark.max(self.known[BRACKET].mark)

    @cached_property
    def child_state(self) -> flint.arb:
        """The largest error of b of an inner node that is not known."""
        return largest(errors.state for errors in self.unknown)

    @cached_property
    def child_total(self) -> flint.arb:
        """The largest sum of sources of b of an inner node that is not known."""
        return largest(errors.total for errors in self.unknown)

    @property
    def states(self) -> dict[int, flint.arb]:
        """The errors of known states, by leaves."""
        return {m: errors.state for m, errors in self.known.items() if m != BRACKET}


@dataclass(frozen=True)
class Moves:
    """Possible moves in a step of nodes of trees with at most `leaves` leaves, by their leaves."""

    leaves: int
    number: int
    now: NodeErrors

    @cached_property
    def before(self) -> int:
        """ℓ_{t-1}."""
        return least_leaves(self.number - 1)

    @cached_property
    def least(self) -> int:
        """ℓ_t."""
        return least_leaves(self.number)

    @property
    def idles(self) -> bool:
        """True if a node may stay inactive."""
        return self.now.idle is not None and 2 * self.least <= self.leaves

    def begins(self) -> Iterator[int]:
        """The leaves of a known child beside which a node becomes active."""
        if self.now.idle is not None:
            yield from (
                a for a in self.now.known if self.before <= a <= self.leaves - self.least and a
            )

    def keeps(self) -> Iterator[int]:
        """The leaves of contexts that stay."""
        if self.now.idle is not None:
            yield from (a for a in self.now.active if a + 2 * self.before <= self.leaves)

    def joins(self) -> Iterator[Pair]:
        """The leaves of two contexts that become one."""
        contexts = self.now.active if least_leaves(self.number + 1) <= self.leaves else ()
        yield from ((a, b) for a in contexts for b in contexts if a + b + 2 <= self.leaves)

    def splits(self) -> Iterator[Pair]:
        """The leaves of the known children of a node that becomes known, whichever is the left one."""
        if self.now.idle is not None:
            children = [m for m in self.now.known if m and m >= self.before]
            yield from ((i, j) for i in children for j in children if i <= j <= self.leaves - i)

    def jumps(self) -> Iterator[Pair]:
        """The leaves of a context and of the known node below it."""
        yield from (
            (i, j)
            for i in self.now.active
            for j in self.now.known
            if j > 1 and self.least <= i + j <= self.leaves
        )


@dataclass(frozen=True)
class Reads:
    """Errors of the reads of a layer, beyond the error of their target.

    Of children: a mark that is 1, one that is 0, a state, one that is 0, and what is read of BOS; of the
    pointer: a mark that is 1, one that is 0, a pointer, a state, one that is 0, what λ of the maps takes, and
    other errors of a map or I, or of the read of a known node. `near`, `far`: what is 0 of the right and of
    the left child where neither is known; `own`: of the node itself.
    """

    mark: flint.arb = ZERO
    clear: flint.arb = ZERO
    state: flint.arb = ZERO
    empty: flint.arb = ZERO
    no_mark: flint.arb = ZERO
    no_state: flint.arb = ZERO
    next_mark: flint.arb = ZERO
    next_clear: flint.arb = ZERO
    next_pointer: flint.arb = ZERO
    next_state: flint.arb = ZERO
    next_empty: flint.arb = ZERO
    leak: flint.arb = ZERO
    map: flint.arb = ZERO
    one: flint.arb = ZERO
    settled_map: flint.arb = ZERO
    near_clear: flint.arb = ZERO
    near_empty: flint.arb = ZERO
    far_clear: flint.arb = ZERO
    far_empty: flint.arb = ZERO
    own_empty: flint.arb = ZERO


def gather(candidates: Iterable[tuple[int, ClassErrors]]) -> dict[int, ClassErrors]:
    """The worst candidate for each number of leaves, rounded up."""
    worst = dict[int, ClassErrors]()
    for leaves, errors in candidates:
        worst[leaves] = worst[leaves].worst(errors) if leaves in worst else errors
    return {leaves: errors.rounded_up() for leaves, errors in worst.items()}
