"""Appendix A.2, hidden Markov models as WFAs.

Claims        fam.hmm.*, fam.pfa.stochastic, pre.wfa.hmm
Roads         polynomials with a symbol for every probability; the sum over hidden paths, written
              from the definition, is the oracle
Notation      T, O, π of an HMM with n states and p symbols
Unlike print  π_i in the first factor of the nested sum is π_{i_1}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from constructions.wfa import WFA
from verify.check import Job, check
from verify.checks.statements import (
    CHARITABLE,
    REPAIRED,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.evidence import Evidence, Plain

LONGEST = 3


@dataclass(frozen=True)
class Markov:
    """An HMM with symbols: rows of T, columns of O and π sum to one by construction."""

    transition: tuple[tuple[Any, ...], ...]
    observation: tuple[tuple[Any, ...], ...]
    initial: tuple[Any, ...]

    @property
    def automaton(self) -> WFA:
        """α = π, A^x = diag(O_x) T, β = 1, as printed."""
        matrices = {
            str(x): tuple(tuple(o * t for t in self.transition[i]) for i, o in enumerate(row))
            for x, row in enumerate(self.observation)
        }
        return WFA(self.initial, matrices, (1,) * len(self.initial))


def distribution(name: str, size: int) -> tuple[Any, ...]:
    """Symbols that sum to one."""
    free = sympy.symbols(f"{name}:{size - 1}") if size > 1 else ()
    return (*free, 1 - sum(free))


def markov(n: int, symbols: int) -> Markov:
    """The generic HMM with n states and so many symbols."""
    rows = tuple(distribution(f"t{i}_", n) for i in range(n))
    columns = [distribution(f"o{i}_", symbols) for i in range(n)]
    return Markov(rows, tuple(zip(*columns, strict=True)), distribution("p", n))


def by_hidden_paths(model: Markov, word: Sequence[int]) -> Any:
    """Σ over hidden paths of π_{i_1} O_{x_1,i_1} Π T_{i,j} O_{x,j}: the definition."""
    total: Any = 0
    for path in product(range(len(model.initial)), repeat=len(word)):
        weight = model.initial[path[0]] * model.observation[word[0]][path[0]]
        for x, i, j in zip(word[1:], path, path[1:], strict=False):
            weight *= model.transition[i][j] * model.observation[x][j]
        total += weight
    return total


def nested(model: Markov, word: Sequence[int], index: int | None = None) -> Any:
    """The printed nested sum; `index` is the free i of π_i, None takes π_{i_1}."""
    states = range(len(model.initial))

    def rest(position: int, before: int) -> Any:
        if position == len(word):
            return 1
        row, seen = model.transition[before], model.observation[word[position]]
        return sum(row[j] * seen[j] * rest(position + 1, j) for j in states)

    seen = model.observation[word[0]]
    start = [model.initial[i if index is None else index] for i in states]
    return sum(start[i] * seen[i] * rest(1, i) for i in states)


def words(symbols: int, longest: int = LONGEST) -> Iterator[tuple[int, ...]]:
    """All non-empty words up to a length."""
    for length in range(1, longest + 1):
        yield from product(range(symbols), repeat=length)


SIZES = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2))


def zero(value: Any) -> bool:
    """Whether an expression vanishes identically."""
    return bool(sympy.expand(value) == 0)


def markov_problem(side: Callable[[Markov, Sequence[int]], Any]) -> str | None:
    """Why a formula is not the probability, for a generic HMM and a short word."""
    for n, symbols in SIZES:
        model = markov(n, symbols)
        for word in words(symbols, LONGEST if n < 3 else 2):
            if not zero(side(model, word) - by_hidden_paths(model, word)):
                return f"n = {n}, p = {symbols}, word {word}: another polynomial"
    return None


def weight(model: Markov, word: Sequence[int]) -> Any:
    """αᵀ A^x1 ⋯ A^xk β."""
    return model.automaton.weight(tuple(map(str, word)))


SCOPE = "(n, p) ∈ {" + ", ".join(map(str, SIZES)) + "}, words of up to three letters"
FOR_ALL = "; all lengths, since T 1 = 1"


def markov_certificate() -> dict[str, Plain]:
    """Sizes and lengths, with the number of hidden paths that were summed."""
    paths = sum(n ** len(word) for n, p in SIZES for word in words(p, LONGEST if n < 3 else 2))
    return {"kind": "families.hmm", "sizes": [list(pair) for pair in SIZES], "paths": paths}


@check(
    "fam.hmm.parameters",
    "fam.hmm.equal",
    "fam.hmm.similar",
    "fam.hmm.special",
    "pre.wfa.hmm",
    "fam.hmm.formula",
)
def hidden_markov_models_are_automata(job: Job) -> Iterator[Evidence]:
    """Compare the WFA of a generic HMM, and the nested sum, with the sum over hidden paths."""
    problem = markov_problem(weight)
    for claim in (
        "fam.hmm.parameters",
        "fam.hmm.equal",
        "fam.hmm.similar",
        "fam.hmm.special",
        "pre.wfa.hmm",
    ):
        yield holds(
            claim,
            problem,
            SYMBOLIC,
            f"every HMM with {SCOPE}{FOR_ALL}",
            "αᵀ A^x1 ⋯ A^xk β equals the sum over hidden paths as a polynomial in T, O and π.",
            markov_certificate(),
            engine="SymPy",
        )
    yield holds(
        "fam.hmm.formula",
        markov_problem(nested),
        SYMBOLIC,
        f"every HMM with {SCOPE}",
        "With π_{i_1} in the first factor the nested sum is the sum over hidden paths.",
        markov_certificate(),
        reading=REPAIRED,
        engine="SymPy",
    )
    yield free_index()


def free_index() -> Evidence:
    """Two states that both emit the one symbol, started in the first: neither choice of i is 1."""
    one = Fraction(1)
    model = Markov(((one, 0), (0, one)), ((one, one),), (one, 0))
    values = [nested(model, (0,), i) for i in range(2)]
    right = by_hidden_paths(model, (0,))
    return refuted(
        "fam.hmm.formula",
        right not in values,
        "n = 2, p = 1, one letter",
        f"π = (1, 0), O = (1 1): with π_1 the sum is {values[0]}, with π_2 it is {values[1]}, and "
        f"the probability is {right}; the printed index i is bound nowhere.",
        {"kind": "families.free-index", "initial": ["1", "0"], "values": list(map(str, values))},
        repair="π_{i_1} for π_i.",
    )


def mass_problem(model: Markov, longest: int = LONGEST) -> str | None:
    """Why the probabilities of the words of some length do not sum to one."""
    automaton = model.automaton
    for length in range(1, longest + 1):
        total = sum(automaton.weight(word) for word in automaton.words(length))
        if not zero(total - 1):
            return f"length {length}: the probabilities sum to {sympy.expand(total)}"
    return None


@check("fam.hmm.definition", "fam.hmm.distribution", "fam.pfa.stochastic")
def probabilities_sum_to_one_at_each_length(job: Job) -> Iterator[Evidence]:
    """Sum the generic HMM over all words of a length, and over two lengths."""
    problem = first(mass_problem(markov(n, p), LONGEST if n < 3 else 2) for n, p in SIZES)
    body = markov_certificate()
    scope = f"every HMM with {SCOPE}; all lengths, since Σ_x A^x = T"
    text = "The probabilities of all words of one length sum to 1 as a polynomial identity."
    yield holds("fam.hmm.definition", problem, SYMBOLIC, scope, text, body, engine="SymPy")
    more: dict[str, Any] = {"reading": CHARITABLE, "engine": "SymPy"}
    yield holds("fam.hmm.distribution", problem, SYMBOLIC, scope, text, body, **more)
    single = markov(1, 1).automaton
    masses = [single.weight(("0",) * k) for k in (1, 2)]
    yield refuted(
        "fam.hmm.distribution",
        sum(masses) > 1,
        "n = 1, p = 1",
        "One state, one symbol: the words a and aa have probability 1 each, 2 together.",
        {"kind": "families.lengths", "values": [str(mass) for mass in masses]},
        repair="Say: for each length a distribution.",
    )
    half = Fraction(1, 2)
    sums = [
        sum(row)
        for m in Markov(((1,),), ((half,), (half,)), (1,)).automaton.transitions.values()
        for row in m
    ]
    yield refuted(
        "fam.pfa.stochastic",
        any(total != 1 for total in sums),
        "n = 1, p = 2",
        "One state that emits a or b with 1/2 each: A^a = A^b = (1/2), whose rows sum to 1/2.",
        {"kind": "families.rows", "sums": list(map(str, sums))},
        repair="The sum of all A^x is row-stochastic.",
    )
    yield holds(
        "fam.pfa.stochastic",
        first(stochastic_problem(n, p) for n, p in SIZES),
        SYMBOLIC,
        f"every HMM with (n, p) in {SIZES}",
        "Σ_x A^x = T, whose rows sum to 1; a PFA's rows sum to 1 with the final weight by definition.",
        body,
        **more,
    )


def stochastic_problem(n: int, symbols: int) -> str | None:
    """Why the matrices of a generic HMM do not add up to T with rows of sum one."""
    model = markov(n, symbols)
    matrices = list(model.automaton.transitions.values())
    for i, j in product(range(n), repeat=2):
        if not zero(sum(m[i][j] for m in matrices) - model.transition[i][j]):
            return f"entry ({i}, {j}) of Σ A^x is not T's"
    return None if all(zero(sum(row) - 1) for row in model.transition) else "a row of T"
