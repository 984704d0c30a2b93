"""The lemmas behind the Padovan bound, as questions to the course of a game.

Lemmas       each takes the record of one game and names the first node and time that contradict
             it, or nothing; docs/logdepth.md states and proves them under the same names
Arithmetic   the inequalities between Padovan numbers that the induction uses, for all k
Notation     c_t(v) pointer, size = leaves of a subtree, δ_t(v) = size(v) - size(c_t(v)), P_k
             Padovan numbers 2, 3, 4, 5, 7, …; `time` is the step in which a node is pebbled
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy

from constructions.pebbling import Children, Mark, State, least_leaves, padovan, play, times
from constructions.trees import Tree, children, positions, tokens


@dataclass(frozen=True)
class Record:
    """A tree and the whole course of its game."""

    tree: Tree

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """str(t)."""
        return tokens(self.tree)

    @cached_property
    def below(self) -> Children:
        """The children of each inner node."""
        return children(self.symbols)

    @cached_property
    def history(self) -> list[State]:
        """The game at times 0, 1, …"""
        return list(play(self.tree))

    @cached_property
    def times(self) -> dict[int, int]:
        """When each node is pebbled."""
        return times(self.tree)

    @cached_property
    def sizes(self) -> dict[int, int]:
        """The leaves below each node."""
        found: dict[int, int] = {}
        for node in reversed(positions(self.symbols)):
            pair = self.below.get(node)
            found[node] = found[pair[0]] + found[pair[1]] if pair else 1
        return found

    def mark(self, node: int, time: int) -> Mark:
        """The mark of a node; nothing changes after the last step."""
        return self.history[min(time, len(self.history) - 1)].marks[node]

    def pointer(self, node: int, time: int) -> int:
        """c_t(v)."""
        return self.history[min(time, len(self.history) - 1)].pointers[node]

    def gain(self, node: int, time: int) -> int:
        """δ_t(v)."""
        return self.sizes[node] - self.sizes[self.pointer(node, time)]

    def activated(self, node: int) -> int | None:
        """The step in which a node becomes active, if it ever does."""
        for time, state in enumerate(self.history):
            if state.marks[node] is Mark.ACTIVE:
                return time
        return None

    def onward(self, node: int, step: int) -> tuple[int, int]:
        """(child on the way, child off the way) of a node activated in a step."""
        on = self.history[step].pointers[node]
        left, right = self.below[node]
        return on, (left if on == right else right)

    def each_active(self) -> Iterator[tuple[int, int]]:
        """All (time, node) with the node active."""
        for time, state in enumerate(self.history):
            for node, mark in state.marks.items():
                if mark is Mark.ACTIVE:
                    yield time, node


Lemma = Callable[[Record], str]


def off_the_way(record: Record) -> str:
    """Activated in step s: the child off the way was pebbled exactly at s - 1."""
    for node in record.below:
        if (step := record.activated(node)) is not None:
            _, off = record.onward(node, step)
            if record.times[off] != step - 1:
                return f"node {node} activated in step {step}"
    return ""


def inactive_waits(record: Record) -> str:
    """Inactive at s ≥ 1: no child was pebbled at s - 1."""
    for time, state in enumerate(record.history[1:], 1):
        for node, pair in record.below.items():
            early = any(record.times[child] <= time - 1 for child in pair)
            if state.marks[node] is Mark.INACTIVE and early:
                return f"node {node} at time {time}"
    return ""


def pointers_compose(record: Record) -> str:
    """Active at t - 1, unpebbled at t: c_t = c_{t-1} c_{t-1}, and c_{t-1}(v) was unpebbled."""
    for time, node in record.each_active():
        if record.mark(node, time + 1) is Mark.PEBBLED:
            continue
        middle = record.pointer(node, time)
        composed = record.pointer(node, time + 1) == record.pointer(middle, time)
        if not composed or record.mark(middle, time) is Mark.PEBBLED:
            return f"node {node} at time {time}"
    return ""


def chain_gain(record: Record) -> str:
    """v and u = c_s(v) active at s ≥ 1: δ_s(v) + δ_s(u) ≥ P_{s-2}."""
    for time, node in record.each_active():
        middle = record.pointer(node, time)
        if record.mark(middle, time) is not Mark.ACTIVE:
            continue
        if record.gain(node, time) + record.gain(middle, time) < padovan(time - 2):
            return f"node {node} at time {time}"
    return ""


def induction_cases(record: Record) -> str:
    """v unpebbled at k - 1, k ≥ 3: what each case of the induction asserts of sizes and times."""
    for node in record.below:
        k = record.times[node]
        if k >= 3 and not _case(record, node, k):
            return f"node {node}, pebbled at {k}"
    return ""


def _case(record: Record, node: int, k: int) -> bool:
    if record.mark(node, k - 2) is Mark.INACTIVE:
        return all(record.times[child] >= k - 2 for child in record.below[node])
    w = record.pointer(node, k - 2)
    if record.times[w] < k - 1:
        return False
    if record.mark(w, k - 3) is Mark.INACTIVE:
        low, high = sorted(record.times[child] for child in record.below[w])
        return low >= k - 3 and high >= k - 2
    return record.gain(node, k - 2) >= padovan(k - 5)


def enough_leaves(record: Record) -> str:
    """A node pebbled at k has at least P_k - 1 leaves below it."""
    for node, k in record.times.items():
        if record.sizes[node] < least_leaves(k):
            return f"node {node} has {record.sizes[node]} leaves and is pebbled at {k}"
    return ""


def chain_order(record: Record) -> str:
    """On a chain v, x = next(v): if x is pebbled so is c_t(v), if v is so is x, else in order."""
    for node in record.below:
        step = record.activated(node)
        if step is None:
            continue
        on, _ = record.onward(node, step)
        for time in range(step, len(record.history)):
            if not _ordered(record, node, on, time):
                return f"node {node} at time {time}"
    return ""


def _ordered(record: Record, node: int, on: int, time: int) -> bool:
    if record.mark(on, time) is Mark.PEBBLED:
        return record.mark(record.pointer(node, time), time) is Mark.PEBBLED
    if record.mark(node, time) is Mark.PEBBLED:
        return False
    return record.sizes[record.pointer(node, time)] >= record.sizes[record.pointer(on, time)]


def one_after_children(record: Record) -> str:
    """A node is pebbled at most one step after the later of its children."""
    for node, pair in record.below.items():
        if record.times[node] > 1 + max(record.times[child] for child in pair):
            return f"node {node}"
    return ""


def padovan_from(base: Sequence[sympy.Expr], count: int) -> list[sympy.Expr]:
    """P_m, P_{m+1}, … as linear forms in the first three."""
    terms = list(base)
    while len(terms) < count:
        terms.append(sympy.expand(terms[-2] + terms[-3]))
    return terms


SHIFT = 4
INEQUALITIES: Mapping[str, tuple[int, dict[int, int], int]] = {
    "an activated link: P_{s-1} ≥ P_{s-2}": (3, {6: 1, 5: -1}, 0),
    "a link activated before: P_{s-2} - 1 + 2 ≥ P_{s-2}": (3, {5: 0}, 1),
    "two chains: 2 P_{s-4} ≥ P_{s-2}": (3, {3: 2, 5: -1}, 0),
    "case 1: 2 P_{k-2} - 2 ≥ P_k - 1": (3, {5: 2, 7: -1}, -1),
    "case 2a: 1 + P_{k-2} - 1 + P_{k-3} - 1 ≥ P_k - 1": (3, {5: 1, 4: 1, 7: -1}, 0),
    "case 2b, sum: P_{k-1} - 1 + P_{k-5} ≥ P_k - 1": (4, {6: 1, 2: 1, 7: -1}, 0),
    "case 2b, activated: P_{k-3} - 1 ≥ P_{k-5}": (4, {4: 1, 2: -1}, -1),
}
"""First index used, coefficients of P_{k-7}, …, P_k (or s for k), and a constant: sum ≥ 0."""


def closes_for_all(coefficients: dict[int, int], constant: int) -> bool:
    """Whether Σ q_i P_{m+4+i} + constant ≥ 0 for every m ≥ 0.

    P increases from P_0 = 2 on, so P_m = 1 + a, P_{m+1} = P_m + 1 + x, P_{m+2} = P_{m+1} + 1 + y
    with a, x, y ≥ 0. The sum is a linear form in them: it is enough that no coefficient is
    negative.
    """
    a, x, y = sympy.symbols("a x y")
    terms = padovan_from([1 + a, 2 + a + x, 3 + a + x + y], SHIFT + 8)
    total = sum(q * terms[SHIFT + i] for i, q in coefficients.items()) + constant
    polynomial = sympy.Poly(sympy.expand(total), a, x, y)
    return all(coefficient >= 0 for coefficient in polynomial.coeffs())


def closes_at(coefficients: dict[int, int], constant: int, index: int) -> bool:
    """The same inequality at one index, in numbers."""
    return sum(q * padovan(index - 7 + i) for i, q in coefficients.items()) + constant >= 0


def induction_closes(
    inequalities: Mapping[str, tuple[int, dict[int, int], int]] = INEQUALITIES,
) -> list[str]:
    """The inequalities that fail somewhere, from the first index at which the proof uses them."""
    return [
        name
        for name, (first, coefficients, constant) in inequalities.items()
        if not closes_for_all(coefficients, constant)
        or not all(closes_at(coefficients, constant, k) for k in range(first, SHIFT + 7))
    ]


def growth_base() -> bool:
    """P_k ≥ 2ρ^k for k = 0, 1, 2, with ρ < 1.325: (1.325)³ > 1.325 + 1."""
    upper = sympy.Rational(1325, 1000)
    above = upper**3 - upper - 1 > 0
    return bool(above) and all(padovan(k) >= 2 * upper**k for k in range(3))
