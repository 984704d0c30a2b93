"""Least and largest sizes of states after each number of letters, to compare errors with.

Claimed      by us: for all words w of t letters, least(t) ≤ ‖αᵀA^w‖₂ ≤ greatest(t)
Greatest     the least of three bounds: ‖u_t‖₂ with u_0 = |α|, u_t = max_σ u_{t-1} |A^σ|, which bounds every
             entry; |α| y_t with y_0 = 1, y_t = max_σ |A^σ| y_{t-1}, which bounds the 1-norm; ‖α‖ N_t with
             N_t ≥ ‖A^w‖ of `growth`, where weights are negative and entries may cancel; N_{s+t} ≤ N_s N_t
Least        the same with minima, where no weight is negative: ‖l_t‖₂, and α z_t / √n, for
             ‖x‖₂ ≥ ‖x‖₁ / √n. With negative weights states may cancel, and nothing is claimed
Weights      of |αᵀA^wβ| in place of the state: y_0 = |β|, z_0 = β, and u_t |β|, l_t β
Trees        B_m of `states` bounds a state of m leaves entry by entry; the same recursion with minima
             bounds it from below where no weight is negative
Work         beyond MOST_WORK products y_t ≤ max(y_{t-1}) max_σ ‖A^σ‖_∞ goes on with the sums of rows alone
Notation     t letters or m leaves; maxima and minima are entrywise, rounded outwards at each step
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import flint

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from verify.bounds.growth import products
from verify.bounds.norms import map_entries, matrix
from verify.bounds.states import entrywise_leaves, state_bounds

BITS = 128
MOST_WORK, PYTHON = 1 << 23, 8  # a second or two; what an entry costs besides its products
LONGEST_PRODUCTS = 1024
Pick = Callable[[flint.arb, flint.arb], flint.arb]
Row = list[flint.arb]


@dataclass(frozen=True)
class SizeBounds:
    """Bounds on the size of a state after t = 0, 1, … letters; `least` is 0 where nothing is known."""

    least: tuple[flint.arb, ...]
    greatest: tuple[flint.arb, ...]


@dataclass(frozen=True)
class Extreme:
    """Entrywise maxima, rounded up, or minima, rounded down."""

    pick: Pick
    end: Callable[[flint.arb], flint.arb]

    def of(self, rows: Sequence[Row]) -> Row:
        """The extreme of each column."""
        return [self.end(reduce(self.pick, column)) for column in zip(*rows, strict=True)]


MOST = Extreme(flint.arb.max, flint.arb.upper)
FEWEST = Extreme(flint.arb.min, flint.arb.lower)


def is_nonnegative(automaton: WFA) -> bool:
    """True if no initial weight and no weight of a map is negative."""
    maps = (weight for rows in automaton.transitions.values() for row in rows for weight in row)
    return bool(min(*automaton.alpha, *maps) >= 0)


def word_sizes(automaton: WFA, length: int, weights: bool = False) -> SizeBounds:
    """Bounds on states, or on weights of words, for every number of letters up to a length."""
    with flint.ctx.workprec(BITS):
        greatest = list(_bounds(automaton, length, weights, MOST))
        if not is_nonnegative(automaton):
            known = _by_norms(automaton, length, weights)
            greatest = [a.min(b).upper() for a, b in zip(greatest, known, strict=True)]
            return SizeBounds((flint.arb(0),) * (length + 1), tuple(greatest))
        if weights and min(automaton.beta) < 0:
            return SizeBounds((flint.arb(0),) * (length + 1), tuple(greatest))
        return SizeBounds(tuple(_bounds(automaton, length, weights, FEWEST)), tuple(greatest))


def _bounds(automaton: WFA, length: int, weights: bool, extreme: Extreme) -> Iterator[flint.arb]:
    """The better of the entrywise bounds, from the left and from the right."""
    n, upwards = automaton.n, extreme is MOST
    ends = [abs(ball(w)) for w in automaton.beta] if weights else [flint.arb(1)] * n
    maps = [map_entries(matrix(rows), abs) for rows in automaton.transitions.values()]
    left = [abs(ball(w)) for w in automaton.alpha]
    start, right = left, ends
    onward, back = (_beside(rows) for rows in (maps, [rows.transpose() for rows in maps]))
    share = flint.arb(1) if upwards or weights else 1 / flint.arb(n).sqrt()
    row_sum = _row_sum(maps, extreme)
    few = affordable_steps(len(maps), n)
    for t in range(length + 1):
        if t > few:
            right = [extreme.end(row_sum * reduce(extreme.pick, right))] * n
            yield extreme.end(_dot(start, right) * share)
            continue
        if t:
            left, right = _step(left, onward, extreme), _step(right, back, extreme)
        entries, total = _dot(left, ends) if weights else _norm(left), _dot(start, right) * share
        yield entries.min(total).upper() if upwards else entries.max(total).lower()


def affordable_steps(maps: int, n: int) -> int:
    """The number of letters for which both states and sums are computed with all maps."""
    return MOST_WORK // (2 * maps * n * (n + PYTHON))


def _row_sum(maps: Sequence[flint.arb_mat], extreme: Extreme) -> flint.arb:
    """The extreme sum of a row of a map."""
    sums = (sum(row, flint.arb(0)) for rows in maps for row in rows.tolist())
    return reduce(extreme.pick, sums)


def _beside(maps: Sequence[flint.arb_mat]) -> flint.arb_mat:
    """The maps side by side: one product gives the states after every letter."""
    tables = [rows.tolist() for rows in maps]
    return flint.arb_mat(
        [[x for rows in parts for x in rows] for parts in zip(*tables, strict=True)]
    )


def _step(row: Row, maps: flint.arb_mat, extreme: Extreme) -> Row:
    n, after = len(row), (flint.arb_mat([row]) * maps).entries()
    return extreme.of([after[i : i + n] for i in range(0, len(after), n)])


def _dot(left: Row, right: Row) -> flint.arb:
    return sum((a * b for a, b in zip(left, right, strict=True)), flint.arb(0))


def _norm(row: Row) -> flint.arb:
    return _dot(row, row).nonnegative_part().sqrt()


def _by_norms(automaton: WFA, length: int, weights: bool) -> list[flint.arb]:
    """‖α‖ N_t, times ‖β‖ for weights."""
    scale = _norm([ball(w) for w in automaton.alpha])
    if weights:
        scale = scale * _norm([ball(w) for w in automaton.beta])
    longest = min(length, LONGEST_PRODUCTS)
    norms = list(products(automaton, longest).bounds)
    for t in range(longest + 1, length + 1):
        norms.append((norms[longest] * norms[t - longest]).upper())
    return [scale * norm for norm in norms]


def tree_sizes(automaton: WTA, leaves: int, largest_entry: bool) -> SizeBounds:
    """Bounds on the states of trees by their leaves, in the largest entry or the Euclidean norm.

    The entry for 0 leaves is that for 1: there is no such tree.
    """
    with flint.ctx.workprec(BITS):
        upper = state_bounds(automaton, leaves).states
        lower = _least_states(automaton, leaves)
        size = _largest if largest_entry else _norm
        greatest = [size(state).upper() for state in upper]
        least = [size(state).lower() for state in lower]
    return SizeBounds((least[0], *least), (greatest[0], *greatest))


def _largest(row: Row) -> flint.arb:
    return reduce(flint.arb.max, row)


def _least_states(automaton: WTA, leaves: int) -> list[Row]:
    """Entrywise lower bounds on states; 0 where weights are negative, or beyond the work limit."""
    n, tensor = automaton.n, automaton.tensor
    rows = [*automaton.leaves.values(), *(row for table in tensor for row in table)]
    nothing = [flint.arb(0)] * n
    if min(min(row) for row in rows) < 0:
        return [nothing] * leaves
    weights = [[[ball(w) for w in row] for row in table] for table in tensor]
    states = [FEWEST.of([[ball(w) for w in leaf] for leaf in automaton.leaves.values()])]
    few = entrywise_leaves(n)
    for m in range(2, leaves + 1):
        pairs = [(states[i - 1], states[m - i - 1]) for i in range(1, m)] if m <= few else []
        states.append(FEWEST.of([_apply(weights, *pair) for pair in pairs]) if pairs else nothing)
    return states


def _apply(tensor: Sequence[Sequence[Row]], left: Row, right: Row) -> Row:
    """T(left, right)."""
    return [_dot(left, [_dot(row, right) for row in table]) for table in tensor]
