"""Smaller automata, exactly: the reachable space, the minimal automaton, and equality.

Claimed       (Schützenberger; Kiefer 2020) forward and backward spaces minimise a WFA over a field
Constructs    reachable    the same states αᵀA^w through fewer coordinates, with the matrix B that
                           maps them back: a model of size n² gains the most from this
              minimal      the least automaton with the same weights f(x)
              difference   the shortest word on which two automata differ, or none
Notation      B reduced row echelon basis of span{αᵀA^w}; with pivots p_1 … p_k a vector v of the
              space is Σ v_{p_i} B_i, so the coordinates of a state are some of its entries
Why shortest  basis words are found by increasing length; a word of k letters is in the span of basis
              words of at most k letters, so the first of these with weight ≠ 0 is a shortest word
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import flint

from constructions.automata.wfa import WFA, Square, Vector
from constructions.core.errors import InputError
from constructions.core.exact import fraction, rational, rational_matrix
from constructions.core.matrix import Matrix
from constructions.core.one_line import one_line

PRIME = (1 << 61) - 1
Row = list[flint.fmpq]
Word = tuple[str, ...]


@dataclass
class Basis:
    """Rows in reduced row echelon form, by their pivots."""

    rows: dict[int, Row] = field(default_factory=dict)

    def add(self, vector: Sequence[flint.fmpq]) -> bool:
        """Add a vector; return True if it was independent of the others."""
        rest = list(vector)
        for pivot, row in self.rows.items():
            if rest[pivot]:
                rest = [a - rest[pivot] * b for a, b in zip(rest, row, strict=True)]
        places = [i for i, value in enumerate(rest) if value]
        if not places:
            return False
        pivot = places[0]
        rest = [value / rest[pivot] for value in rest]
        for other, row in self.rows.items():
            if not row[pivot]:
                continue
            self.rows[other] = [a - row[pivot] * b for a, b in zip(row, rest, strict=True)]
        self.rows[pivot] = rest
        return True

    @property
    def pivots(self) -> list[int]:
        """Return the columns in which the rows begin, in order."""
        return sorted(self.rows)


def _times(rows: Sequence[Row], matrix: flint.fmpq_mat) -> list[Row]:
    product: list[Row] = (flint.fmpq_mat(rows) * matrix).tolist()
    return product


def _image(row: Row, matrix: flint.fmpq_mat) -> Row:
    (image,) = _times([row], matrix)
    return image


def _matrices(automaton: WFA) -> dict[str, flint.fmpq_mat]:
    return {symbol: rational_matrix(rows) for symbol, rows in automaton.transitions.items()}


def basis_words(automaton: WFA, basis: Basis) -> Iterator[tuple[Word, Row]]:
    """Words by increasing length whose states are a basis of the reachable space."""
    matrices = _matrices(automaton)
    waiting: list[tuple[Word, Row]] = [((), [rational(w) for w in automaton.alpha])]
    while waiting:
        following = []
        for word, state in waiting:
            if basis.add(state):
                yield word, state
                following += [((*word, s), _image(state, a)) for s, a in matrices.items()]
        waiting = following


@one_line(lambda self: f"{self.automaton!r} for {self.outputs.shape[1]} outputs")
@dataclass(frozen=True)
class Reduction:
    """A smaller automaton, and B: its states times B are the states of the old one."""

    automaton: WFA
    outputs: Matrix


def reachable_reduction(automaton: WFA) -> Reduction:
    """The automaton on the space of its reachable states; unchanged where that is everything.

    Examples:
        >>> idle = WFA.of([1, 0], {"a": [[1, 0], [1, 1]]}, [1, 1])
        >>> reachable_reduction(idle).automaton.n
        1

    """
    basis = Basis()
    for _ in basis_words(automaton, basis):
        pass
    if len(basis.rows) == automaton.n:
        return Reduction(automaton, Matrix.identity(automaton.n))
    if not basis.rows:
        return _zero_reduction(automaton)
    pivots = basis.pivots
    rows = [basis.rows[pivot] for pivot in pivots]
    transitions = {symbol: _projection(rows, matrix, pivots)
                   for symbol, matrix in _matrices(automaton).items()}  # fmt: skip
    final = [rational(w) for w in automaton.beta]
    beta = tuple(fraction(_dot(row, final)) for row in rows)
    alpha = tuple(automaton.alpha[pivot] for pivot in pivots)
    outputs = Matrix.dense([[fraction(value) for value in row] for row in rows])
    return Reduction(WFA(alpha, transitions, beta), outputs)


def least_states(automaton: WFA, minimise: bool) -> int:
    """Return a lower bound on the states of either reduction, nearly always exact: ranks modulo a prime.

    Ranks do not grow modulo a prime. Fast where exact entries become long.

    Examples:
        >>> twice = WFA.of([1, 1], {"a": [["1/2", 0], [0, "1/2"]]}, [1, 1])
        >>> least_states(twice, minimise=False), least_states(twice, minimise=True)
        (1, 1)

    """
    try:
        forward = _reachable_modulo(automaton)
        backward = _reachable_modulo(reversed_automaton(automaton)) if minimise else None
    except ZeroDivisionError:  # a denominator that is 0 modulo the prime
        return 1
    found = forward if backward is None else forward * backward.transpose()
    return max(1, int(found.rank()))


def _reachable_modulo(automaton: WFA) -> flint.nmod_mat:
    """A basis of the reachable space modulo a prime."""

    def residues(rows: Iterable[Vector]) -> flint.nmod_mat:
        exact = (rational(w) for row in rows for w in row)
        listed = [flint.nmod(int(w.p), PRIME) / flint.nmod(int(w.q), PRIME) for w in exact]
        return flint.nmod_mat(len(listed) // automaton.n, automaton.n, listed, PRIME)

    maps = [residues(rows) for rows in automaton.transitions.values()]
    basis, rank = residues([automaton.alpha]), -1
    while basis.nrows() != rank:
        rank = basis.nrows()
        rows = [row for each in (basis, *(basis * one for one in maps)) for row in each.tolist()]
        reduced, count = flint.nmod_mat(rows, PRIME).rref()
        basis = flint.nmod_mat(reduced.tolist()[:count] or [[0] * automaton.n], PRIME)
    return basis


def _zero_reduction(automaton: WFA) -> Reduction:
    """α = 0: one state of weight 0."""
    zero = WFA((0,), dict.fromkeys(automaton.alphabet, ((0,),)), (0,))
    return Reduction(zero, Matrix.zeros(1, automaton.n))


def _projection(rows: list[Row], matrix: flint.fmpq_mat, pivots: list[int]) -> Square:
    images = _times(rows, matrix)
    return tuple(tuple(fraction(image[pivot]) for pivot in pivots) for image in images)


def _dot(left: Row, right: Row) -> flint.fmpq:
    return sum((a * b for a, b in zip(left, right, strict=True)), flint.fmpq(0))


def reversed_automaton(automaton: WFA) -> WFA:
    """The automaton that reads words from the right."""
    turned = {s: tuple(zip(*automaton.matrix(s), strict=True)) for s in automaton.alphabet}
    return WFA(automaton.beta, turned, automaton.alpha)


def minimal_automaton(automaton: WFA) -> WFA:
    """An automaton with the same weights and the least number of states.

    Examples:
        >>> twice = WFA.of([1, 1], {"a": [["1/2", 0], [0, "1/2"]]}, [1, 1])
        >>> minimal_automaton(twice).n, minimal_automaton(twice).weight("a")
        (1, Fraction(1, 1))

    """
    forward = reachable_reduction(automaton).automaton
    return reversed_automaton(reachable_reduction(reversed_automaton(forward)).automaton)


def difference(one: WFA, two: WFA) -> Word | None:
    """The shortest word on which two automata have different weights, or None.

    Examples:
        >>> one, two = (WFA.of([1], {"a": [[1]], "b": [[b]]}, [1]) for b in (1, 2))
        >>> difference(one, two), difference(one, one)
        (('b',), None)

    """
    if set(one.alphabet) != set(two.alphabet):
        odd = min(set(one.alphabet) ^ set(two.alphabet))
        raise InputError("alphabet", odd, "a symbol of both automata")
    both = difference_automaton(one, two)
    final = [rational(w) for w in both.beta]
    for word, state in basis_words(both, Basis()):
        if _dot(state, final):
            return word
    return None


def equal(one: WFA, two: WFA) -> bool:
    """Decide exactly if two automata give every word the same weight.

    Examples:
        >>> equal(WFA.of([1], {"a": [[2]]}, [1]), WFA.of([2], {"a": [[2]]}, ["1/2"]))
        True

    """
    return difference(one, two) is None


def difference_automaton(one: WFA, two: WFA) -> WFA:
    """The automaton of f - g."""
    transitions = {
        symbol: _blocks(one.matrix(symbol), two.matrix(symbol)) for symbol in one.alphabet
    }
    beta: Vector = (*one.beta, *(-w for w in two.beta))
    return WFA((*one.alpha, *two.alpha), transitions, beta)


def _blocks(left: Square, right: Square) -> Square:
    above = [(*row, *([0] * len(right))) for row in left]
    return (*above, *((*([0] * len(left)), *row) for row in right))
