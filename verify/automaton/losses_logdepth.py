"""Rounding errors of each operation of the log-depth model, by the number of leaves below a node.

Shown         δ bounds the Euclidean norm of what a computed state misses beyond the errors of what it is made
              of, ρ the spectral norm of what a computed map does
Sums          in any order, by `verify.bounds.summation`. A leaf: u B + η. T(x, y): a weight is rounded, x y,
              w x y, and n² terms are added; or w x, the sums of n, their products with y, and n terms, whose
              partial sums are partial sums of the same terms. C x and C C': n products are added. T(x, ·): a
              weight, w x, and n terms, to which on the diagonal 1 and -1 are added. A product may lose η, a
              weight η times what it multiplies
Sizes         of terms: for the very states that trees reach, with their signs, where all pairs of those that
              are listed are few; else by B and P entry by entry, or by norms: ‖|T|(|x|, |y|)‖ ≤ ‖|T|‖ s s',
              ‖|C||x|‖ ≤ F s and ‖|C||C'|‖_F ≤ F F', F = √n R ≥ ‖C‖_F. A computed number is larger by its
              error at most
Signs         partial sums of computed terms exceed the sum P of the positive or Q of the negative true terms
              by no more than all computed terms are away from the true ones
Range         no product or sum exceeds (size² + 2)(1 + n² max |T|), size the largest B or P
Notation      u, η, γ of `floating`; T the tensor, e and d as in `rounding_logdepth`; B, P, R, s, τ of
              `verify.bounds.reachable`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, wraps
from operator import mul

import flint

from verify.bounds.floating import Precision
from verify.bounds.norms import largest, simple_bound
from verify.bounds.reachable import ReachableBounds
from verify.bounds.states import Vector
from verify.bounds.summation import TermSizes

MOST_TERMS = 1 << 11  # of all pairs of listed states together

Row = list[TermSizes]


def cache_by_leaves(loss: Callable[..., flint.arb]) -> Callable[..., flint.arb]:
    """A loss of some numbers of leaves, computed once and rounded up."""

    @wraps(loss)
    def cached_loss(self: LocalLosses, *leaves: int) -> flint.arb:
        key: tuple[str | int, ...] = loss.__name__, *leaves
        if key not in self.losses:
            self.losses[key] = loss(self, *leaves).upper()
        return self.losses[key]

    return cached_loss


class LocalLosses:
    """δ and ρ, with the products of the errors e_m and d_a of what an operation takes."""

    def __init__(self, precision: Precision, found: ReachableBounds) -> None:
        self.precision, self.found, self.n = precision, found, len(found.states[0])
        self.errors, self.maps = [flint.arb(0)], [flint.arb(0)]
        self.losses: dict[tuple[str | int, ...], flint.arb] = {}

    def add_state(self, error: flint.arb) -> None:
        """Takes e_m of one leaf more."""
        self.errors.append(error)

    def add_map(self, a: int) -> None:
        """Computes d_a of one leaf more."""
        norm, maps = self.found.contexts, self.maps
        sizes = [self.found.tensor_norm * self.errors[a] + self.base(a)]
        sizes += [maps[b] * norm[a - b] + norm[b] * maps[a - b] + self.product(b, a - b)
                  for b in range(1, a)]  # fmt: skip
        self.maps.append(largest(sizes).upper())

    def fits(self) -> bool:
        """Return whether no number can overflow."""
        weights = [w for rows in self.found.entrywise.tensor for row in rows for w in row]
        states = [w for m in range(1, self.found.leaves + 1) for w in self.state(m)]
        tables = [w for a in range(self.found.leaves) for w in self.table(a).entries()]
        size = largest([*states, *tables])
        reach = (size * size + 2) * (1 + self.n**2 * largest(weights))
        return bool(reach.is_finite() and 2 * reach < self.precision.largest)

    def state(self, m: int) -> Vector:
        """A bound on each entry of a computed state of m leaves."""
        return [b + self.errors[m] for b in self.found.states[m - 1]]

    def size(self, m: int) -> flint.arb:
        """A bound on the norm of a computed state of m leaves."""
        return self.found.sizes[m] + self.errors[m]

    def table(self, a: int) -> flint.arb_mat:
        """A bound on each entry of a computed map of a leaves."""
        off, n = self.maps[a], self.n
        return flint.arb_mat(n, n, [p + off for p in self.found.tables[a].entries()])

    def frobenius(self, a: int) -> flint.arb:
        """A bound on the Frobenius norm of a computed map of a leaves."""
        return flint.arb(self.n).sqrt() * (self.found.rows[a] + self.maps[a])

    @cached_property
    def stored(self) -> flint.arb:
        """δ of a leaf."""
        step = self.precision
        return norm_of([step.roundoff * b + step.smallest for b in self.found.states[0]])

    @cache_by_leaves
    def split(self, i: int, j: int) -> flint.arb:
        """δ of T(x, y), and τ e_i e_j."""
        second = self.found.tensor_norm * self.errors[i] * self.errors[j]
        return self._split_rounding(i, j) + self._split_underflow(i, j) + second

    def _split_rounding(self, i: int, j: int) -> flint.arb:
        step, pairs = self.precision, self._listed_pairs(i, j)
        if pairs:
            off = self.errors[i], self.errors[j]
            rows = ([sizes.loss(step, 3) for sizes in self._terms(x, y, *off)] for x, y in pairs)
            return largest(map(norm_of, rows))
        tensor, left, right = self.found.entrywise.tensor, self.state(i), self.state(j)
        sums = [TermSizes.of(w * x * y for w, x, y in _monomials(rows, left, right)).loss(step, 3)
                for rows in tensor]  # fmt: skip
        norm = self._unfolded_norm * self.size(i) * self.size(j)
        return norm_of(sums).min(step.gamma(self.n**2 + 2) * norm)

    def _split_underflow(self, i: int, j: int) -> flint.arb:
        product = largest(self.state(i)) * largest(self.state(j))
        lost = [sum((w + 1 + product for row in rows for w in row if w != 0), flint.arb(0))
                for rows in self.found.entrywise.tensor]  # fmt: skip
        return self.precision.smallest * norm_of(lost)

    @cached_property
    def _unfolded_norm(self) -> flint.arb:
        """‖|T|‖, of |T| as an n × n² matrix."""
        rows = [[w for row in rows for w in row] for rows in self.found.entrywise.tensor]
        return simple_bound(flint.arb_mat(rows))

    def _listed_pairs(self, i: int, j: int) -> list[tuple[Vector, Vector]]:
        """All pairs of states of i and of j leaves, if they are listed and few."""
        states = self.found.listing.states
        if max(i, j) >= len(states):
            return []
        if len(states[i]) * len(states[j]) * self.n**3 > MOST_TERMS:
            return []
        left, right = (self._listed_states(m) for m in (i, j))
        return [(x, y) for x in left for y in right]

    def _listed_states(self, m: int) -> list[Vector]:
        return [flint.arb_mat(x).entries() for x in self.found.listing.states[m]]

    def _terms(self, x: Vector, y: Vector, dx: flint.arb, dy: flint.arb) -> Row:
        """The terms of each entry of T(x, y), x and y being off by dx and dy."""
        return [_signed((w * a * b, abs(w) * (abs(a) + dx) * (abs(b) + dy))
                        for w, a, b in _monomials(rows, x, y))
                for rows in self.found.listing.tensor]  # fmt: skip

    @cache_by_leaves
    def jump(self, a: int, j: int) -> flint.arb:
        """δ of C x, and d_a e_j."""
        step, n, state = self.precision, self.n, self.state(j)
        sums = [TermSizes.of(map(mul, row, state)).loss(step, 1) for row in self.table(a).tolist()]
        norm = step.gamma(n) * self.frobenius(a) * self.size(j)
        rounded = norm_of(sums).min(norm) + n * flint.arb(n).sqrt() * step.smallest
        return rounded + self.maps[a] * self.errors[j]

    @cache_by_leaves
    def product(self, b: int, c: int) -> flint.arb:
        """ρ of C C', and d_b d_c."""
        one, two, step, n = self.table(b), self.table(c).transpose(), self.precision, self.n
        sums = [TermSizes.of(map(mul, row, column)).loss(step, 1)
                for row in one.tolist() for column in two.tolist()]  # fmt: skip
        norm = step.gamma(n) * self.frobenius(b) * self.frobenius(c)
        rounded = norm_of(sums).min(norm) + n * n * step.smallest
        return rounded + self.maps[b] * self.maps[c]

    @cache_by_leaves
    def base(self, a: int) -> flint.arb:
        """ρ of I + T(x, ·) - I."""
        tiny = self.n**2 * self.precision.smallest * (1 + largest(self.state(a)))
        return largest(map(self._base_rounding, self._sibling_terms(a))) + tiny

    def _base_rounding(self, table: list[Row]) -> flint.arb:
        step, ones, sums = self.precision, flint.arb(0), list[flint.arb]()
        for i, row in enumerate(table):
            for j, sizes in enumerate(row):
                own, one = sizes.loss_beside_one(step, 2)
                sums.append(own if i == j else sizes.loss(step, 2))
                ones = ones.max(one) if i == j else ones
        return norm_of(sums) + ones

    def _sibling_terms(self, a: int) -> Iterator[list[Row]]:
        """The terms of each entry of T(x, ·) and T(·, x), for the states of a leaves."""
        listed, off, n = self.found.listing, self.errors[a], range(self.n)
        if a < len(listed.states) and len(listed.states[a]) * self.n**3 <= MOST_TERMS:
            for x in self._listed_states(a):
                pairs = [(w, abs(w) + off) for w in x]
                for tensor in (listed.tensor, [transpose(rows) for rows in listed.tensor]):
                    yield [[_signed((rows[j][q] * x, abs(rows[j][q]) * y)
                                    for j, (x, y) in enumerate(pairs)) for q in n]
                           for rows in tensor]  # fmt: skip
            return
        state, known = self.state(a), self.found.entrywise.tensor
        for rows_by_state in (known, [transpose(rows) for rows in known]):
            yield [[TermSizes.of(rows[j][q] * state[j] for j in n) for q in n]
                   for rows in rows_by_state]  # fmt: skip


def transpose(rows: Sequence[Sequence[flint.arb]]) -> list[list[flint.arb]]:
    """The same with rows and columns exchanged."""
    return [list(column) for column in zip(*rows, strict=True)]


def _monomials(
    rows: Sequence[Sequence[flint.arb]], x: Vector, y: Vector
) -> Iterator[tuple[flint.arb, flint.arb, flint.arb]]:
    """The weights of a bilinear form with the numbers they multiply."""
    for row, a in zip(rows, x, strict=True):
        for w, b in zip(row, y, strict=True):
            yield w, a, b


def _signed(pairs: Iterable[tuple[flint.arb, flint.arb]]) -> TermSizes:
    """Return the sizes of terms from pairs of a true term and a bound on the computed one."""
    terms = list(pairs)
    sums = [sum((part(t) for t, _ in terms), flint.arb(0)) for part in (_positive, _negative)]
    moved = sum((size - abs(t) for t, size in terms), flint.arb(0))
    return TermSizes.of((size for _, size in terms), largest(sums) + moved)


def _positive(value: flint.arb) -> flint.arb:
    return value.max(flint.arb(0))


def _negative(value: flint.arb) -> flint.arb:
    return (-value).max(flint.arb(0))


def norm_of(entries: Sequence[flint.arb]) -> flint.arb:
    """The Euclidean norm."""
    return sum((x * x for x in entries), flint.arb(0)).nonnegative_part().sqrt().upper()
