"""Families of automata again: sets of states by bits, polynomials of the kernel, plain counts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from verify.recheck.declarations import Fields, confirms
from verify.recheck.errors import Recomputed, Refused, comparison, fraction
from verify.recheck.kernel.polynomial import Poly


@confirms("family.accepts", "exhaustive", states=(1, 2), longest=(1, 5))
def accepts(states: int, longest: int) -> Recomputed:
    """Paths counted one by one are positive in number exactly where a set of states is met."""
    checked = 0
    for relations in product(list(_relations(states)), repeat=2):
        for mask in range(2**states):
            checked += 1
            for word in (w for k in range(longest + 1) for w in product((0, 1), repeat=k)):
                if (_paths(relations, word, 0, mask) > 0) != bool(_reach(relations, word) & mask):
                    raise Refused("paths and sets of states disagree")
    return Recomputed(True, {"automata": checked})


def _relations(n: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """For each state the states that follow it."""
    following = [tuple(r for r in range(n) if bits >> r & 1) for bits in range(2**n)]
    return product(following, repeat=n)


def _paths(relations: Any, word: tuple[int, ...], state: int, mask: int) -> int:
    if not word:
        return mask >> state & 1
    return sum(_paths(relations, word[1:], r, mask) for r in relations[word[0]][state])


def _reach(relations: Any, word: tuple[int, ...]) -> int:
    met = 1
    for letter in word:
        met = sum({1 << r for q, rs in enumerate(relations[letter]) if met >> q & 1 for r in rs})
    return met


def _model(n: int) -> tuple[list[Poly], list[list[Poly]], list[list[Poly]]]:
    """Initial distribution, transitions, emissions [state][letter]; rows add up to 1."""

    def row(name: str, m: int) -> list[Poly]:
        free = [Poly.symbol(f"{name}.{j}") for j in range(m - 1)]
        return [*free, 1 - sum(free, Poly({}))]

    return row("p", n), [row(f"t{i}", n) for i in range(n)], [row(f"o{i}", 2) for i in range(n)]


SIZES: dict[str, Any] = {"states": [(1, 3), 1, 3], "lengths": [(1, 4), 1, 4]}


def _backward(n: int, word: tuple[int, ...], late: bool) -> Poly:
    """The word's weight from its end: emission before the step (late), or the step first."""
    start, move, emit = _model(n)
    values = [Poly.of(1)] * n
    for place in reversed(range(len(word))):
        if late or place < len(word) - 1:
            values = [_inner(row, values) for row in move]
        values = [emit[i][word[place]] * values[i] for i in range(n)]
    return _inner(start, values)


def _inner(one: list[Poly], other: list[Poly]) -> Poly:
    return sum((x * y for x, y in zip(one, other, strict=True)), Poly({}))


@confirms("family.hmm", "exact", **SIZES)
def hmm(states: list[int], lengths: list[int]) -> Recomputed:
    """One step more at the end, as the printed parameters have it, changes nothing."""
    for n, k in product(states, lengths):
        for word in product((0, 1), repeat=k):
            if _backward(n, word, True) != _backward(n, word, False):
                raise Refused("the two formulas differ")
    return Recomputed(True)


@confirms("family.hmm-total", "exact", **SIZES)
def total(states: list[int], lengths: list[int]) -> Recomputed:
    """The sum over all words of a length is the polynomial 1."""
    for n, k in product(states, lengths):
        words = product((0, 1), repeat=k)
        if sum(_backward(n, word, False) for word in words) != 1:
            raise Refused("the probabilities do not add up to 1")
    return Recomputed(True)


@confirms("family.row-sums", "exact", of=("letter", "total"), states=[(1, 3), 1, 3])
def row_sums(of: str, states: list[int]) -> Recomputed:
    """A row of a letter's matrix is its emission times a row of T, whose sum is 1."""
    n, letters = states[0], 2
    _, move, emit = _model(n)
    rows = [[emit[i][x] * sum(move[i]) for x in range(letters)] for i in range(n)]
    if of == "letter":
        shown = {"n": n, "letter": "a", "row": 1, "sum": "o00"}
        if rows[0][0] == 1 or rows[0][0] != Poly.symbol("o0.0"):
            raise Refused("the first row of the first letter's matrix is not as stated")
        return Recomputed(False, {}, shown)
    for m in states:
        _, move, emit = _model(m)
        if any(sum(emit[i]) * sum(move[i]) != 1 for i in range(m)):
            raise Refused("the rows of the sum do not add up to 1")
    return Recomputed(True)


EDGE = Fields({"from": (0, 1), "to": (0, 1), "weight": fraction})
PAIR = [fraction, 2, 2]


@confirms(
    "family.pfa", "exact", initial=PAIR, final=PAIR, edges=[EDGE, 1, 4],
    reading=("printed", "repaired"),
)  # fmt: skip
def pfa(
    initial: list[Fraction], final: list[Fraction], edges: list[Any], reading: str
) -> Recomputed:
    """Weights as a matrix, row by row, with holes where the definition has none."""
    table: list[list[Fraction | None]] = [[None, None], [None, None]]
    for edge in edges:
        table[edge["from"]][edge["to"]] = edge["weight"]
    if reading == "printed":
        holes = [(i, j) for i, j in product(range(2), repeat=2) if table[i][j] is None]
        zeros = [i for i, weight in enumerate(initial) if weight <= 0]
        if holes or zeros:
            i, j = holes[0] if holes else (None, None)
            return Recomputed(False, {}, {"from": i, "to": j, "zero": zeros[0] if zeros else None})
    there = [[x for x in row if x is not None] for row in table]
    sums = [sum(initial), *(end + sum(row) for end, row in zip(final, there, strict=True))]
    allowed = min(*initial, *final, *(x for row in there for x in row)) >= 0
    return comparison(allowed and set(sums) == {1}, sums=[str(x) for x in sums])


@confirms("family.counts", "exhaustive", initial=("first", "last"), most=(1, 4), longest=(1, 5))
def counts(initial: str, most: int, longest: int) -> Recomputed:
    """The state after every short word beside the numbers of its letters."""
    for k in range(1, most + 1):
        for word in (w for m in range(longest + 1) for w in product(range(k + 1), repeat=m)):
            state = _followed(k, word, 0 if initial == "first" else k)
            expected = [word.count(i) for i in range(k)] + [1]
            if state != expected:
                shown = {"k": k, "word": "".join(map(str, word)) or "ε"}
                values = {"state": [*map(str, state)], "expected": [*map(str, expected)]}
                return Recomputed(False, {}, {**shown, **values})
    return Recomputed(True)


def _followed(k: int, word: tuple[int, ...], start: int) -> list[int]:
    """The state is followed entry by entry: letter i < k adds the last entry to entry i."""
    state = [int(i == start) for i in range(k + 1)]
    for letter in word:
        if letter < k:
            state[letter] += state[k]
    return state


@confirms("family.count-step", "symbolic", matrix=[[(-9, 9), 2, 2], 2, 2], adds=(0, 9))
def count_step(matrix: list[list[int]], adds: int) -> Recomputed:
    """A (1 0; m 1) = (a + b m, b; c + d m, d) is (1 0; m + adds 1) for all m if A is (1 0; adds 1) only.

    What the product shows gives the state (m a + c, m b + d), too.
    """
    if matrix != [[1, 0], [adds, 1]]:
        raise Refused("a product is not as stated")
    return Recomputed(True)
