"""The blocks of the tree decoder do what the pebbling game says, for every tensor and every gate.

Every weight of the automaton and everything a token may hold is a symbol, and σ is not interpreted, as
in `decoder`. A block acts on one token at a time, so these cases are all that can occur on any tree,
once the heads have read what they should (their gaps: docs/decoder.md):

    inactive   M = I, b = 0; each child known (its state a symbol) or not (its state 0)
    active     b = 0; the node pointed to is known, active or inactive
    known      M = 0; whatever it points to
    [ and BOS  0, interpretation 0

    prove_step(n)          the repeated layer         prove_first(n)    layer 3, the first step
    prove_preparation(n)   layers 1 and 2: depth d = (i+1) · mean - 2 + f + g, and d²
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from constructions.core.matrix import Matrix
from constructions.core.transformer import Gated
from constructions.decoder_tree import TreeDecoderBuilder
from verify.exactness.decoder import GatedPolynomial
from verify.exactness.generic import Mismatch
from verify.facts.tree_decoder_invariant import SCRATCH

LENGTH = 10
Row = dict[str, list[Any]]


@dataclass(frozen=True)
class Case:
    """What a token holds before a block, and what it must hold after it; the rest is 0."""

    name: str
    before: Row
    after: Row


class Symbols:
    """A builder whose tensor is generic, and symbols for all that a token may hold."""

    def __init__(self, n: int, builder: type[TreeDecoderBuilder]) -> None:
        self.n = n
        empty = builder(tuple(((0,) * n,) * n for _ in range(n)), LENGTH)
        self.blocks = {name: len(empty.layout[name]) for name in empty.layout}
        names = [f"T{a}_{i}_{j}" for a, i, j in product(range(n), repeat=3)]
        names += [f"{name}{k}" for name, size in self.blocks.items() for k in range(size)]
        self.ring = GatedPolynomial(names)
        tensor = tuple(tuple(tuple(self.ring.generators[f"T{a}_{i}_{j}"] for j in range(n))
                             for i in range(n)) for a in range(n))  # fmt: skip
        self.tensor, self.builder = tensor, builder(tensor, LENGTH)

    def all(self, name: str) -> list[Any]:
        """The symbols of a block."""
        return [self.ring.generators[f"{name}{k}"] for k in range(self.blocks[name])]

    @property
    def identity(self) -> list[int]:
        """vec(I)."""
        return [int(a == b) for a in range(self.n) for b in range(self.n)]

    def times(self, left: list[Any], right: list[Any], columns: int) -> list[Any]:
        """A matrix times a matrix or a vector."""
        n = self.n
        return [sum((left[a * n + k] * right[k * columns + q] for k in range(n)), start=0)
                for a in range(n) for q in range(columns)]  # fmt: skip

    def combined(self, left: list[Any], right: list[Any]) -> list[Any]:
        """T(left, right)."""
        r = range(self.n)
        return [sum((self.tensor[a][i][j] * left[i] * right[j] for i in r for j in r), start=0)
                for a in r]  # fmt: skip

    def beside(self, state: list[Any], near: bool) -> list[Any]:
        """The map of the other child: T(·, state) where the near child is known, else T(state, ·)."""
        r = range(self.n)
        return [sum(((self.tensor[a][q][j] if near else self.tensor[a][j][q]) * state[j] for j in r),
                    start=0) for a in r for q in r]  # fmt: skip

    def own(self) -> Row:
        """What no step changes."""
        return {"one": [1], **{name: self.all(name) for name in ("index", "square", "left")}}


def inactive_cases(s: Symbols) -> Iterator[Case]:
    """The four cases of the children, for a node that was inactive."""
    for near, far in product((0, 1), repeat=2):
        right = s.all("near_state") if near else [0] * s.n
        left = s.all("far_state") if far else [0] * s.n
        place = s.all("index")
        before = {**s.own(), "inactive": [1], "matrix": s.identity, "pointer": place,
                  "near": [near], "far": [far], "near_state": right, "far_state": left}  # fmt: skip
        after: Row = {**s.own()}
        if near and far:
            after |= {"known": [1], "state": s.combined(left, right)}
            after["pointer"] = [s.all("left")[0] - 1]
        elif near or far:
            after["matrix"] = s.beside(right if near else left, bool(near))
            after["pointer"] = s.all("left") if near else [place[0] - 1]
        else:
            after |= {"inactive": [1], "matrix": s.identity, "pointer": place}
        yield Case(f"inactive, near {near}, far {far}", before, after)


def jumping_cases(s: Symbols) -> Iterator[Case]:
    """All other tokens, and inactive ones, which read themselves."""
    matrix, state, there = s.all("matrix"), s.all("read_state"), s.all("read_pointer")
    for case in inactive_cases(s):
        itself = {"read_matrix": s.identity, "read_pointer": case.before["pointer"]}
        yield Case(case.name, case.before | itself, case.after)
    base = {**s.own(), "pointer": s.all("pointer"), "read_pointer": there}
    done = {**s.own(), "pointer": there}
    active = base | {"matrix": matrix}
    read = s.all("read_matrix")
    yield Case("active, to a known node", active | {"read_state": state, "read_known": [1]},
               done | {"known": [1], "state": s.times(matrix, state, 1)})  # fmt: skip
    yield Case("active, to an active node", active | {"read_matrix": read},
               done | {"matrix": s.times(matrix, read, s.n)})  # fmt: skip
    yield Case("active, to an inactive node", active | {"read_matrix": s.identity},
               done | {"matrix": matrix})  # fmt: skip
    any_ = {"read_matrix": read, "read_state": state, "read_known": s.all("read_known")}
    known = {"known": [1], "state": s.all("state")}
    yield Case("known", base | known | any_, done | known)
    yield Case("[ or BOS", base, done)


def first_cases(s: Symbols) -> Iterator[Case]:
    """Layer 3: depth and its square, and what the token before was, are in the scratch."""
    left = {name: s.all(name) for name in SCRATCH if name.startswith("read_")}
    for case in inactive_cases(s):
        yield Case(case.name, case.before | left, case.after)
    for name, held in (("known", {"known": [1], "state": s.all("state")}), ("[ or BOS", {})):
        row = {**s.own(), "pointer": s.all("pointer"), **held}
        yield Case(name, row | left, row)


def prepared_cases(s: Symbols) -> Iterator[Case]:
    """Layer 1: d = (i+1) · mean - (2 - f - g); the mean stands in `near`."""
    marks = {name: s.all(name) for name in ("known", "inactive", "matrix", "state", "pointer")}
    kept = {name: s.all(name) for name in ("read_state", "read_known")}
    before = {**s.own(), **marks, **kept, "near": s.all("near")}
    mean, f, g = s.all("near")[0], s.all("known")[0], s.all("inactive")[0]
    depth = (s.all("index")[0] + 1) * mean + f + g - 2
    after = {name: value for name, value in before.items() if name != "near"}
    yield Case("depth", before, after | {"read_pointer": [depth]})


def squared_cases(s: Symbols) -> Iterator[Case]:
    """Layer 2: d² beside d."""
    depth = s.all("read_pointer")
    row = {**s.own(), "read_pointer": depth}
    square = [depth[0] * depth[0], *([0] * (s.n * s.n - 1))]
    yield Case("depth squared", row, row | {"read_matrix": square})


def _violation(s: Symbols, case: Case, block: Gated[Matrix]) -> Mismatch | None:
    """The first coordinate that is not as the case says."""
    names = [(name, k) for name, size in s.blocks.items() for k in range(size)]

    def row(held: Row) -> list[Any]:
        return [held.get(name, [0] * s.blocks[name])[k] for name, k in names]

    x = s.ring.array([row(case.before)])
    realised = block.map(s.ring.weight, s.ring.row)
    try:
        found = (x + realised(s.ring, x))[0]
    except ArithmeticError as error:
        return Mismatch(-1, -1, f"{case.name}: {error}")
    for c, (value, wanted) in enumerate(zip(found, row(case.after), strict=True)):
        if value != s.ring.element(wanted):
            return Mismatch(
                c, -1, f"{case.name}: {names[c][0]}[{names[c][1]}] is another polynomial"
            )
    return None


def _prove(n: int, layer: int, cases: Any, builder: type[TreeDecoderBuilder]) -> Mismatch | None:
    s = Symbols(n, builder)
    block = s.builder.layers()[layer - 1].feedforward
    if not isinstance(block, Gated):
        return Mismatch(-1, -1, f"layer {layer} has no gated block")
    return next((found for case in cases(s) if (found := _violation(s, case, block))), None)


def prove_step(n: int, builder: type[TreeDecoderBuilder] = TreeDecoderBuilder) -> Mismatch | None:
    """The repeated layer, in all cases."""
    return _prove(n, 4, jumping_cases, builder)


def prove_first(n: int, builder: type[TreeDecoderBuilder] = TreeDecoderBuilder) -> Mismatch | None:
    """Layer 3, in all cases."""
    return _prove(n, 3, first_cases, builder)


def prove_preparation(
    n: int, builder: type[TreeDecoderBuilder] = TreeDecoderBuilder
) -> Mismatch | None:
    """Layers 1 and 2."""
    return _prove(n, 1, prepared_cases, builder) or _prove(n, 2, squared_cases, builder)
