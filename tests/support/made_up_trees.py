"""Sizes and errors of a tree decoder that are made up: all different, and none far below another.

On trees most sizes are alike and products of errors vanish, so that a term hides behind others; here every
term of a bound is seen. Numbers are short, so that floats have them exactly.
"""

from dataclasses import dataclass, fields
from random import Random
from typing import Any

import flint

from verify.bounds.decoder_tree_classes import ClassErrors, NodeErrors, Reads, StepLosses
from verify.bounds.reachable import ReachableBounds
from verify.bounds.states import StateBounds

LENGTH, LEAVES = 9, 8
EXACT_PARTS = ("known", "kept_mark", "unknown", "inactive", "engaged", "kept_engaged", "pointer",
               "empty", "vanished", "identity")  # fmt: skip


class Numbers:
    """A sequence of numbers between 0 and a power of two."""

    def __init__(self, seed: Any) -> None:
        self.random = Random(seed)

    def __call__(self, most: float = 1.0) -> flint.arb:
        return flint.arb(self.random.randint(1, 1 << 20) * most / 2**20)

    def errors(self, most: float) -> ClassErrors:
        return ClassErrors(*(self(most) for _ in ClassErrors._fields))


class MadeUpLosses(StepLosses):
    """A loss of its own for each part of a step and all leaves."""

    def __init__(self) -> None:
        for name in EXACT_PARTS:
            setattr(self, name, self.of(name))

    def of(self, name: str, *leaves: int) -> flint.arb:
        return Numbers(f"{name} {leaves}")(0.25)

    def begun(self, a: int) -> flint.arb:
        return self.of("begun", a)

    def kept_map(self, a: int) -> flint.arb:
        return self.of("kept_map", a)

    def joined(self, b: int, c: int) -> flint.arb:
        return self.of("joined", b, c)

    def dropped(self, i: int, j: int) -> flint.arb:
        return self.of("dropped", i, j)

    def remaining(self, m: int) -> flint.arb:
        return self.of("remaining", m)

    def kept_state(self, m: int) -> flint.arb:
        return self.of("kept_state", m)

    def split(self, i: int, j: int) -> flint.arb:
        return self.of("split", i, j)

    def jump(self, i: int, j: int) -> flint.arb:
        return self.of("jump", i, j)


def made_up_reach(of: Numbers, leaves: int = LEAVES) -> ReachableBounds:
    """Sizes of states, siblings and contexts by leaves, for two states."""
    zero, one = flint.arb(0), flint.arb(1)
    tensor = tuple(tuple([of(), of()] for _ in range(2)) for _ in range(2))
    return ReachableBounds(
        states=([of(), of()],),
        sizes=(zero, *(of(4) for _ in range(leaves))),
        siblings=(zero, *(of(4) for _ in range(leaves))),
        contexts=(one, *(of(4) for _ in range(leaves - 1))),
        rows=(one, *(of(4) for _ in range(leaves - 1))),
        tables=(),
        tensor_norm=of(2),
        entrywise=StateBounds(tensor, one, (), ()),
        listing=None,  # type: ignore[arg-type]
    )


@dataclass(frozen=True)
class MadeUp:
    """What trees reach, the errors of all classes, and what is read."""

    reach: ReachableBounds
    now: NodeErrors
    reads: Reads


def made_up(seed: int, most: float = 0.125) -> MadeUp:
    """Errors up to a power of two, of an inactive node, of contexts and of known nodes."""
    of = Numbers(seed)
    now = NodeErrors(
        of.errors(most),
        {a: of.errors(most) for a in (1, 2, 3)},
        {m: of.errors(most) for m in (0, 1, 2, 3, 5)},
        of(most),
    )
    return MadeUp(made_up_reach(of), now, Reads(*(of(most) for _ in fields(Reads))))


def in_floats(record: Any) -> Any:
    """The same record with floats in place of numbers with a radius."""
    if isinstance(record, tuple):
        return type(record)(*map(float, record))
    return type(record)(**{part.name: float(getattr(record, part.name)) for part in fields(record)})
