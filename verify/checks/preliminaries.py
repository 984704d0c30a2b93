"""Sections 2.1 and 2.2: vectors, words, weighted automata.

Claims        pre.columns, pre.wfa.*
Roads         shapes with names for sizes, so that a chain of factors fits for all sizes or for
              none; polynomials; all cases of a single step, with induction on the word
Notation      a shape is a pair of names such as ("T", "d"); different names are different sizes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import sympy

from constructions import families
from constructions.wfa import WFA
from verify.check import Job, check
from verify.checks.statements import (
    CHARITABLE,
    EXACT,
    EXHAUSTIVE,
    LITERAL,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.evidence import Evidence, Plain

Shape = tuple[str, str]

CHAINS: dict[str, tuple[tuple[Shape, ...], Shape | None]] = {
    "weight": ((("1", "n"), ("n", "n"), ("n", "n"), ("n", "1")), ("1", "1")),
    "row-alpha": ((("n", "1"), ("n", "n")), None),
    "tokens": ((("1", "d"), ("d", "k")), ("1", "k")),
    "scores": ((("T", "d"), ("d", "k"), ("k", "d"), ("d", "T")), ("T", "T")),
    "values": ((("T", "T"), ("T", "d"), ("d", "k")), ("T", "k")),
    "two-widths": ((("T", "T"), ("T", "d"), ("d", "v")), ("T", "v")),
    "heads": ((("T", "hv"), ("hv", "d")), ("T", "d")),
}


def chain(factors: Sequence[Shape]) -> Shape | None:
    """The shape of a product of matrices, or None where two neighbours do not fit."""
    for left, right in pairwise(factors):
        if left[1] != right[0]:
            return None
    return factors[0][0], factors[-1][1]


def fits(*names: str) -> str | None:
    """Why a named chain has not the shape it should have."""
    for name in names:
        factors, expected = CHAINS[name]
        if chain(factors) != expected:
            return f"{name}: {factors} has shape {chain(factors)}, expected {expected}"
    return None


def shapes(*names: str) -> dict[str, Plain]:
    """The certificate of named chains."""
    rows: list[Plain] = [
        [name, [list(shape) for shape in CHAINS[name][0]], list(CHAINS[name][1] or ())]
        for name in names
    ]
    return {"kind": "definitions.shapes", "chains": rows, "number": len(names)}


@check("pre.columns")
def which_vectors_are_columns(job: Job) -> Iterator[Evidence]:
    """Multiply the k-counting automaton's printed row α as the definition of a state asks."""
    clash = chain(CHAINS["row-alpha"][0]) is None
    yield refuted(
        "pre.columns",
        clash,
        "α of the k-counting automaton, printed as a row; embeddings alike",
        "k = 1: α = (1 0) is printed as 1 × 2, so αᵀ is 2 × 1 and αᵀ A^0 does not fit the 2 × 2 "
        "matrix A^0; embeddings x_t are rows too, as X W_Q needs them.",
        shapes("row-alpha"),
    )
    yield holds(
        "pre.columns",
        fits("weight", "tokens"),
        EXACT,
        "all sizes",
        "With α, β and v as columns and tokens as rows of X, αᵀ A ⋯ A β is 1 × 1 and x_t W_Q is "
        "1 × k.",
        shapes("weight", "tokens"),
        reading=CHARITABLE,
        limits="Appendix C stacks tokens as columns.",
    )


@check("pre.wfa.definition", "pre.wfa.product")
def weights_are_sums_over_paths(job: Job) -> Iterator[Evidence]:
    """Compare products of generic matrices with sums over paths, and at every cut of a word."""
    sizes = [(1, 3), (2, 3), (3, 2)]
    yield holds(
        "pre.wfa.definition",
        first((fits("weight"), *(paths_problem(n, t) for n, t in sizes))),
        SYMBOLIC,
        "shapes for all sizes; every WFA and word with (n, t) ∈ {(1, 3), (2, 3), (3, 2)}",
        "(1 × n)(n × n) ⋯ (n × 1) is a number, equal to the sum over all paths as a polynomial.",
        {"kind": "definitions.paths", "n": 2, "length": 3, "terms": 16},
        engine="SymPy",
    )
    yield holds(
        "pre.wfa.product",
        first(cut_problem(n, t) for n, t in sizes),
        SYMBOLIC,
        "every WFA, all cuts uv of a word with (n, |uv|) ∈ {(1, 3), (2, 3), (3, 2)}",
        "A^{uv} = A^u A^v as polynomials at every cut; an empty u or v gives the identity.",
        {"kind": "definitions.cuts", "n": 2, "length": 3},
        engine="SymPy",
    )


def symbolic(n: int, length: int) -> WFA:
    """A WFA with a letter for every position and a symbol for every weight."""
    matrices = {
        str(t): tuple(tuple(sympy.Symbol(f"a{t}_{i}_{j}") for j in range(n)) for i in range(n))
        for t in range(length)
    }
    return WFA(sympy.symbols(f"x:{n}"), matrices, sympy.symbols(f"y:{n}"))


def paths_problem(n: int, length: int) -> str | None:
    """Why a generic weight is not the sum over paths."""
    automaton = symbolic(n, length)
    word = automaton.alphabet
    gap = sympy.expand(automaton.weight(word) - automaton.weight_by_paths(word))
    return None if gap == 0 else f"n = {n}, t = {length}: another polynomial"


def cut_problem(n: int, length: int) -> str | None:
    """Why A^{uv} is not A^u A^v at some cut, from the states that unit vectors reach."""
    automaton = symbolic(n, length)
    word = automaton.alphabet
    whole = word_matrix(automaton, word)
    for cut in range(length + 1):
        parts = word_matrix(automaton, word[:cut]) * word_matrix(automaton, word[cut:])
        if (whole - parts).expand() != sympy.zeros(n, n):
            return f"n = {n}: the cut at {cut} gives another matrix"
    return None if word_matrix(automaton, ()) == sympy.eye(n) else "A^ε is not the identity"


def word_matrix(automaton: WFA, word: Sequence[str]) -> Any:
    """A^w, row by row: the state that e_i reaches by w."""
    units = [tuple(int(i == j) for j in range(automaton.n)) for i in range(automaton.n)]
    rows = [WFA(unit, automaton.transitions, unit).states(word)[-1] for unit in units]
    return sympy.Matrix(rows)


@check("pre.wfa.state", "pre.wfa.subsumes")
def finite_automata_are_weighted(job: Job) -> Iterator[Evidence]:
    """Check every step of a small automaton: unit vectors for DFAs, supports for NFAs."""
    yield from finite(families.dfa, families.nfa)


def finite(dfa: Callable[..., WFA], nfa: Callable[..., WFA], most: int = 4) -> Iterator[Evidence]:
    """DFAs and NFAs with few states, one step for every state or set of states."""
    functions = sum(n**n for n in range(1, most + 1))
    steps: dict[str, Plain] = {"kind": "definitions.dfa", "states": most, "functions": functions}
    yield holds(
        "pre.wfa.state",
        first(dfa_problem(dfa, n) for n in range(1, most + 1)),
        EXHAUSTIVE,
        f"every DFA with at most {most} states, every word by induction",
        f"e_qᵀ A^σ = e_δ(q,σ) for each of {functions} functions δ(·, σ) and every state q.",
        steps,
    )
    problem = first(nfa_problem(nfa, n) for n in range(1, 4))
    for reading in (LITERAL, CHARITABLE):
        yield holds(
            "pre.wfa.subsumes",
            problem,
            EXHAUSTIVE,
            "every NFA with at most three states, every word by induction",
            "With positive numbers on a set of states, one step gives positive numbers on exactly "
            "the set of next states: a weight is non-zero where a run accepts. A DFA has weight 1.",
            {"kind": "definitions.nfa", "states": 3, "steps": sum(4**n for n in range(1, 4))},
            reading=reading,
            limits="A real WFA counts accepting runs: an NFA with two has weight 2.",
        )


def dfa_problem(build: Callable[..., WFA], n: int) -> str | None:
    """Why some function of n states does not move unit vectors as it should."""
    for row in product(range(n), repeat=n):
        for q in range(n):
            state = build(n, q, [0], {"a": row}).states("a")[-1]
            if list(state) != [int(r == row[q]) for r in range(n)]:
                return f"n = {n}, δ = {row}: from {q} the state is {tuple(map(str, state))}"
    return None


def nfa_problem(build: Callable[..., WFA], n: int) -> str | None:
    """Why a column of some step has the wrong support, from positive symbols on any set."""
    weights = sympy.symbols(f"w:{n}", positive=True)
    for sources in product((0, 1), repeat=n):
        matrix = build(n, [0], [0], {"a": [(q, 0) for q in range(n) if sources[q]]}).matrix("a")
        for support in product((0, 1), repeat=n):
            reached = sum(
                w * s * row[0] for w, s, row in zip(weights, support, matrix, strict=True)
            )
            meant = any(s and e for s, e in zip(support, sources, strict=True))
            if bool(reached != 0) != meant:
                return f"n = {n}, sources {sources}, support {support}"
    return None


@check("pre.wfa.states")
def how_states_are_stacked(job: Job) -> Iterator[Evidence]:
    """Take the shape of a row of rows, transposed, and of rows one below the other."""
    n, length = 2, 1
    automaton = symbolic(n, length)
    rows = [sympy.Matrix([row]) for row in automaton.states(automaton.alphabet)]
    printed = sympy.Matrix.hstack(*rows).T.shape
    meant = sympy.Matrix.vstack(*rows).shape
    body: dict[str, Plain] = {
        "kind": "definitions.stacked",
        "n": n,
        "length": length,
        "printed": list(printed),
        "meant": list(meant),
    }
    text = f"n = 2, T = 1: (αᵀ, αᵀA)ᵀ is {printed[0]} × {printed[1]}, not {meant[0]} × {meant[1]}."
    yield refuted("pre.wfa.states", printed != meant, "n = 2, T = 1", text, body)
    fine = meant == (length + 1, n)
    yield holds(
        "pre.wfa.states",
        None if fine else f"the states have shape {meant}",
        EXACT,
        "n = 2, T = 1; all sizes, since each letter adds one row of n",
        "One state below the other they are (T + 1) × n.",
        body,
        reading=CHARITABLE,
    )
