"""Theorems 1 and 3 and Lemma 1 as identities of SymPy polynomials.

Every weight is a symbol and every position of a word, or leaf of a tree, has a letter of its own.
Outputs that equal the states as polynomials are equal for every automaton with n states, every
alphabet and every word of that length, or tree of that shape. The forward pass is that of
`constructions`; its numbers, and the decision which score is largest, are SymPy's.

    word_mismatch(build, D, n, T)      all T + 1 outputs of a word transformer, angles in multiples of π/D
    tree_mismatch(n, leaves, places)   all states of Theorem 3's transformer on all small trees
    product_mismatch(tensor, n)        a tensor, contracted with vec(A) and vec(B), gives vec(AB)
    token_contents(n, T)               the product that each token of Theorem 1 holds after each layer
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from constructions import theorem1, theorem3
from constructions.arithmetic.sympy_ring import CosineField, SymPyRing
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.matrix import Tensor
from constructions.core.transformer import Tie, realise
from verify.exactness.generic import Build, generic_automaton, symbols, word
from verify.exactness.theorem3 import generic_tree_automaton
from verify.exactness.tree_positions import strings

BuildTree = Callable[[WTA, int], theorem3.TreeSimulation]


@dataclass(frozen=True)
class Comparison:
    """The amounts compared: monomials of all states, and pairs of scores."""

    terms: int
    scores: int

    def __add__(self, other: Comparison) -> Comparison:
        return Comparison(self.terms + other.terms, self.scores + other.scores)


@dataclass(frozen=True)
class Difference:
    """The first output that differs from its state as a polynomial, or the reason for no output."""

    position: int
    coordinate: int
    why: str


@cache
def cosine_field(denominator: int) -> CosineField:
    """The field of cosines of multiples of π/D, made once."""
    return CosineField(max(2, denominator))


def word_mismatch(build: Build, denominator: int, n: int, length: int) -> Comparison | Difference:
    """Compare all outputs on the generic word with the states; return the first difference, if any."""
    ring = SymPyRing(symbols(n, length), cosine_field(denominator))
    automaton = generic_automaton(n, length, ring.generators.__getitem__)
    try:
        outputs = build(automaton, length).states(word(length), ring)
    except ArithmeticError as error:
        return Difference(-1, -1, str(error))
    terms = 0
    for t, state in enumerate(automaton.states(word(length))):
        for j, wanted in enumerate(state):
            if outputs[t][j] - wanted != 0:
                return Difference(t, j, "another polynomial")
            terms += len(wanted)
    return Comparison(terms, ring.comparisons)


def product_mismatch(tensor: Tensor, n: int) -> tuple[int, int] | None:
    """The first entry of AB that the tensor, contracted with vec(A) and vec(B), does not give."""
    names = [f"{matrix}{i}_{j}" for matrix in "ab" for i in range(n) for j in range(n)]
    ring = SymPyRing(names, cosine_field(2))
    entries = list(ring.generators.values())
    left, right = entries[: n * n], entries[n * n :]
    [found] = ring.contract(tensor, ring.array([left]), ring.array([right]))
    for i in range(n):
        for j in range(n):
            wanted = sum((left[i * n + k] * right[k * n + j] for k in range(n)), ring.ring.zero)
            if found[i * n + j] - wanted != 0:
                return i + 1, j + 1
    return None


def tree_mismatch(
    n: int, leaves: int, places: theorem3.Places, build: BuildTree | None = None
) -> int | tuple[Sequence[str], int]:
    """The number of trees whose states are all right, or the first string and position that differ."""
    length = 3 * leaves - 2
    denominator = 1 if places == theorem3.Places.LINE else 2 * (length + 1)
    field = cosine_field(denominator)
    ring, automaton = generic_tree_automaton(n, leaves, lambda names: SymPyRing(names, field))
    model = build(automaton, length) if build else theorem3.build(automaton, length, places=places)
    trees = 0
    for symbols_of_tree in strings(leaves):
        position = _wrong_position(model, symbols_of_tree, automaton, ring)
        if position is not None:
            return symbols_of_tree, position
        trees += 1
    return trees


def _wrong_position(model: Any, tree: Sequence[str], automaton: WTA, ring: SymPyRing) -> int | None:
    """The first position of I_t, from 1, whose output is no state; 0 for a tie."""
    try:
        outputs = model.states(tree, ring)
    except Tie:
        return 0
    for i, state in sorted(automaton.states(tree).items()):
        if any(one - other != 0 for one, other in zip(outputs[i - 1], state, strict=True)):
            return i
    return None


Token = tuple[tuple[int, ...], list[list[Any]]]


def token_contents(n: int, length: int) -> list[list[Token]]:
    """Return the product that each token of Theorem 1 holds, in the embedding and after each layer.

    A token is (letters, matrix): the letters whose matrices it has multiplied, read off its
    polynomials, and the n × n matrix of polynomials. The product of these letters, multiplied out in the
    order of the word, is compared with both copies of the token.
    """
    ring = SymPyRing(symbols(n, length), cosine_field(theorem1.span(length)))
    automaton = generic_automaton(n, length, ring.generators.__getitem__)
    model = theorem1.build(automaton, length)
    start = ring.array(model.encode(word(length)))
    states = realise(model.transformer, ring).states(ring, start)
    return [[_token(ring, automaton, row) for row in rows] for rows in states]


def _token(ring: SymPyRing, automaton: WFA, row: Any) -> Token:
    """The product of letters that a token holds in both of its copies."""
    n = automaton.n
    copies = [[ring.element(row[side + c]) for c in range(n * n)] for side in (0, n * n)]
    letters = letters_of(copies[0])
    matrix = [[ring.ring.one if i == j else ring.ring.zero for j in range(n)] for i in range(n)]
    for t in letters:
        rows = automaton.matrix(str(t))
        matrix = [
            [sum((line[k] * rows[k][j] for k in range(n)), ring.ring.zero) for j in range(n)]
            for line in matrix
        ]
    flat = [entry for line in matrix for entry in line]
    if any(one - other != 0 for copy in copies for one, other in zip(copy, flat, strict=True)):
        raise ArithmeticError(f"a token is not the product of the letters {letters}")
    return letters, matrix


def letters_of(entries: Sequence[Any]) -> tuple[int, ...]:
    """The letters whose symbols occur in polynomials, in the order of the word."""
    found = {name for entry in entries for name in map(str, entry.as_expr().free_symbols)}
    return tuple(sorted({int(name[1:].split("_")[0]) for name in found}))


def monomials(entry: Any) -> list[str]:
    """The monomials of a token's polynomial as text such as A1[1,2]·A2[2,1], sorted."""
    terms = entry.as_expr().as_ordered_terms() if entry else []
    return sorted("·".join(sorted(map(_factor, map(str, t.free_symbols)))) or str(t) for t in terms)


def _factor(name: str) -> str:
    """x1_0_1 is the entry (1, 2) of the matrix of letter 1."""
    letter, i, j = name[1:].split("_")
    return f"A{letter}[{int(i) + 1},{int(j) + 1}]"
