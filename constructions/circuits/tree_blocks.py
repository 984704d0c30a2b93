"""What the blocks of a tree decoder compute at one position, in rationals or in polynomials.

Blocks       one is the constant, T the automaton's tensor; F = near, N = far (1 where that child is known)
  depth      read_pointer += (index + one) near + known + inactive - 2 one, which is the depth; near is
             erased
  square     the first entry of read_matrix += read_pointer²
  begin      M += (one - N) T(·, near_state) + (one - F) T(far_state, ·) + (F N - F - N) I,
             b += T(far_state, near_state),  known += F N,  inactive += F N - F - N,
             pointer += F (left - index) - N;  near, far, their states and all that was read are erased
  step       the same, and with M_c, b_c, f_c, c_c in read_matrix, read_state, read_known, read_pointer
             M += M (M_c - one I),  b += M b_c,  known += (one - known - inactive) f_c,
             pointer += c_c - pointer. Linear parts pass a gate that reads one: without it they are 0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import flint

from constructions.circuits.tree_circuit import STATE, Vector


def exact(value: Fraction | int) -> flint.fmpq:
    """A number in the machine's type."""
    return flint.fmpq(value.numerator, value.denominator)


@dataclass(frozen=True)
class Node:
    """One position as a block sees it, and where its additions go: in rationals, or in polynomials."""

    n: int
    tensor: tuple[tuple[Vector, ...], ...]
    seen: Mapping[str, list[Any]]
    added: Mapping[str, Any]
    t: int

    def one(self, name: str) -> Any:
        """A feature that is one number."""
        return self.seen[name][0]

    def add(self, name: str, entry: int, value: Any) -> None:
        """Add to an entry of a feature."""
        self.added[name][self.t, entry] += value

    def erase(self, *names: str) -> None:
        """Set features to 0, where one is 1."""
        for name in names:
            for i, value in enumerate(self.seen[name]):
                self.add(name, i, -value * self.one("one"))

    def add_identity(self, value: Any) -> None:
        """Add a multiple of I to M."""
        for a in range(self.n):
            self.add("matrix", a * self.n + a, value)


def depth(node: Node) -> None:
    """The depth from the mean of brackets."""
    one, near = node.one("one"), node.one("near")
    offset = node.one("known") + node.one("inactive") - 2 * one
    node.add("read_pointer", 0, (node.one("index") + one) * near + one * offset)
    node.erase("near")


def square(node: Node) -> None:
    """The square of the depth."""
    node.add("read_matrix", 0, node.one("read_pointer") ** 2)


def begin(node: Node) -> None:
    """The step of an inactive node, from its children."""
    maps(node)
    near, far, one = node.one("near"), node.one("far"), node.one("one")
    both, each = near * far, one * (near + far)
    node.add_identity(both - each)
    node.add("known", 0, both)
    node.add("inactive", 0, both - each)
    node.add("pointer", 0, near * (node.one("left") - node.one("index")) - one * far)
    node.erase("near", "far", "near_state", "far_state", "read_matrix", "read_state", "read_known",
               "read_pointer")  # fmt: skip


def maps(node: Node) -> None:
    """M and b from the states of the children that are known."""
    n, one = node.n, node.one("one")
    left, right = node.seen["far_state"], node.seen["near_state"]
    open_left, open_right = one - node.one("far"), one - node.one("near")
    for a, i, j, weight in rules(node.tensor):
        node.add("matrix", a * n + i, weight * open_left * right[j])
        node.add("matrix", a * n + j, weight * open_right * left[i])
        node.add(STATE, a, weight * left[i] * right[j])


@cache
def rules(tensor: tuple[tuple[Vector, ...], ...]) -> list[tuple[int, int, int, flint.fmpq]]:
    """The entries of a tensor other than 0."""
    return [(a, i, j, exact(value)) for a, rows in enumerate(tensor)
            for i, row in enumerate(rows) for j, value in enumerate(row) if value]  # fmt: skip


def step(node: Node) -> None:
    """The first step, and what follows the pointer of an active node."""
    begin(node)
    n, one, matrix, read = node.n, node.one("one"), node.seen["matrix"], node.seen
    for a in range(n):
        for k in range(n):
            node.add(STATE, a, matrix[a * n + k] * read["read_state"][k])
            for q in range(n):
                other = read["read_matrix"][k * n + q] - (one if k == q else 0)
                node.add("matrix", a * n + q, matrix[a * n + k] * other)
    active = one - node.one("known") - node.one("inactive")
    node.add("known", 0, active * node.one("read_known"))
    node.add("pointer", 0, one * (node.one("read_pointer") - node.one("pointer")))


BLOCKS = {"depth": depth, "square": square, "begin": begin, "step": step}
