"""Appendix A.2, the automata that count.

Claims        fam.counting.*, fam.k-counting.*
Roads         one induction step with symbols: the state (c, 1) before a letter gives the state
              after it, for all words at once
Notation      c = (c_0 … c_{k-1}) the counts of the first k letters; |w|_i the count of letter i
Unlike print  α = e_{k+1} for (1 0 … 0), and e_{i+1} for the letter i = 0 … k - 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy

from constructions import families
from constructions.wfa import WFA
from verify.check import Job, check
from verify.checks.statements import (
    CHARITABLE,
    EXACT,
    LITERAL,
    REPAIRED,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.evidence import Evidence, Plain

Counter = Callable[[int, int], WFA]
LARGEST = 6


def after(state: Sequence[Any], automaton: WFA, letter: str) -> list[Any]:
    """stateᵀ A^letter, with symbols in the state."""
    matrix = automaton.matrix(letter)
    return [
        sympy.expand(sum(state[i] * matrix[i][j] for i in range(automaton.n)))
        for j in range(automaton.n)
    ]


@check(
    "fam.counting.parameters",
    "fam.counting.powers",
    "fam.counting.identity",
    "fam.counting.state",
)
def zeros_are_counted(job: Job) -> Iterator[Evidence]:
    """Prove by induction, with symbols, the powers of A^0 and the state after every word."""
    yield from counting(families.counting())


def counting(automaton: WFA) -> Iterator[Evidence]:
    """The four statements on an automaton that is to count zeros."""
    states: list[Plain] = [[str(x) for x in automaton.alpha], [str(x) for x in automaton.beta]]
    body: dict[str, Plain] = {
        "kind": "families.counting",
        "vectors": states,
        "matrices": [[list(map(str, row)) for row in automaton.matrix(a)] for a in ("0", "1")],
    }
    step = step_problem(automaton)
    for claim, problem, scope, text in (
        (
            "fam.counting.powers",
            powers_problem(automaton),
            "all n ≥ 0",
            "(A^0)^0 = I and A^0 (1 0; n 1) = (1 0; n+1 1) for a symbol n.",
        ),
        (
            "fam.counting.identity",
            identity_problem(automaton),
            "all states",
            "A^1 leaves every row vector of two symbols as it is.",
        ),
        (
            "fam.counting.state",
            step,
            "all words",
            "α = (0, 1), and (c, 1) A^0 = (c + 1, 1), (c, 1) A^1 = (c, 1) for a symbol c.",
        ),
        (
            "fam.counting.parameters",
            step,
            "all words",
            "The state after w is (|w|_0, 1) by induction, and (c, 1) β = c: the weight is |w|_0.",
        ),
    ):
        yield holds(claim, problem, SYMBOLIC, scope, text, body, engine="SymPy")


def powers_problem(automaton: WFA) -> str | None:
    """Why A^0 (1 0; n 1) is not (1 0; n+1 1)."""
    n = sympy.Symbol("n")
    matrix = sympy.Matrix(automaton.matrix("0"))
    step = matrix * sympy.Matrix([[1, 0], [n, 1]]) - sympy.Matrix([[1, 0], [n + 1, 1]])
    return None if step.expand() == sympy.zeros(2, 2) else "the induction step fails"


def identity_problem(automaton: WFA) -> str | None:
    """Why A^1 is not the identity."""
    state = sympy.symbols("c d")
    return None if after(state, automaton, "1") == list(state) else "A^1 changes a state"


def step_problem(automaton: WFA) -> str | None:
    """Why the state after a word is not (|w|_0, 1), or its weight not |w|_0."""
    c = sympy.Symbol("c")
    if list(automaton.alpha) != [0, 1]:
        return f"the empty word has state {tuple(map(str, automaton.alpha))}, expected (0, 1)"
    if after((c, 1), automaton, "0") != [c + 1, 1] or after((c, 1), automaton, "1") != [c, 1]:
        return "a letter changes the state otherwise"
    weight = c * automaton.beta[0] + automaton.beta[1]
    return None if sympy.expand(weight - c) == 0 else f"(c, 1) has weight {weight}"


def k_step_problem(build: Counter, k: int, letters: int) -> str | None:
    """Why the state after every word over so many letters is not (c_0 … c_{k-1}, 1)."""
    automaton = build(k, letters)
    if list(automaton.alpha) != [0] * k + [1]:
        found = ", ".join(map(str, automaton.alpha))
        return f"k = {k}: the empty word has state ({found}), expected all counts 0 and a 1"
    counts = [*sympy.symbols(f"c:{k}"), 1]
    for letter in range(letters):
        wanted = [c + 1 if i == letter and i < k else c for i, c in enumerate(counts)]
        if after(counts, automaton, str(letter)) != wanted:
            return f"k = {k}: letter {letter} changes the state otherwise"
    return None


def first_wrong(build: Counter, k: int = 1, letters: int = 2) -> tuple[str, list[str], list[str]]:
    """The shortest word whose state is not its counts: word, state and counts."""
    automaton = build(k, letters)
    for length in range(3):
        for word in automaton.words(length):
            counts = [word.count(str(i)) for i in range(k)] + [1]
            state = list(automaton.states(word)[-1])
            if state != counts:
                return "".join(word), list(map(str, state)), list(map(str, counts))
    return "", [], []


@check(
    "fam.k-counting", "fam.k-counting.alpha", "fam.k-counting.index", "fam.k-counting.generalises"
)
def the_first_k_letters_are_counted(job: Job) -> Iterator[Evidence]:
    """Run the printed automaton on the shortest words, and prove the repaired one by induction."""
    yield from printed(families.k_counting_as_printed)
    sizes = [(k, k + 2) for k in range(LARGEST + 1)]
    problem = first(k_step_problem(families.k_counting, k, letters) for k, letters in sizes)
    body: dict[str, Plain] = {"kind": "families.k-counting", "largest": LARGEST, "spare": 2}
    for claim, reading in (
        ("fam.k-counting", REPAIRED),
        ("fam.k-counting.alpha", REPAIRED),
        ("fam.k-counting.index", REPAIRED),
        ("fam.k-counting.index", CHARITABLE),
    ):
        yield holds(
            claim,
            problem,
            SYMBOLIC,
            f"all words, k ≤ {LARGEST}, k + 2 letters",
            "α = e_{k+1} has all counts 0, and letter i < k takes (c, 1) to (c + e_{i+1}, 1), any "
            "other letter leaves it, for symbols c.",
            body,
            reading=reading,
            engine="SymPy",
        )
    same = families.k_counting(1, 2) == families.counting()
    yield holds(
        "fam.k-counting.generalises",
        None if same else "k = 1 gives another automaton",
        EXACT,
        "k = 1, N = 2",
        "α, A^0, A^1 and β = (1 0) are those of the automaton that counts zeros.",
        body,
        reading=REPAIRED,
    )


def printed(build: Counter) -> Iterator[Evidence]:
    """The printed α never counts, and e_0 does not exist."""
    word, state, counts = first_wrong(build)
    long = build(1, 2).states("00")[-1]
    text = (
        f"k = 1: the empty word has state ({', '.join(state)}) for ({', '.join(counts)}), and the "
        f"word 00 has ({', '.join(map(str, long))}): the state never changes."
    )
    body: dict[str, Plain] = {"kind": "families.never-counts", "k": 1, "word": word, "state": state}
    for claim in ("fam.k-counting", "fam.k-counting.alpha", "fam.k-counting.generalises"):
        more = {"repair": "α = e_{k+1}."}
        yield refuted(claim, bool(state), "k = 1, N = 2", text, body, **more)
    yield basis_vectors(1, 0)


def basis_vectors(k: int, offset: int) -> Evidence:
    """Whether letter i < k finds e_{i + offset} among e_1 … e_{k+1}."""
    basis = list(range(1, k + 2))
    missing = [i + offset for i in range(k) if i + offset not in basis]
    return refuted(
        "fam.k-counting.index",
        bool(missing),
        f"k = {k}, i = 0",
        f"k = {k}: the letter 0 asks for e_{offset} among e_1, …, e_{k + 1}.",
        {"kind": "families.basis", "k": k, "asked": missing, "basis": list(basis)},
        repair="e_{i+1} for e_i.",
    )


@check("fam.k-counting.needs")
def how_many_states_counting_needs(job: Job) -> Iterator[Evidence]:
    """Find fewer states for a sum of counts; find the rank of the count vectors."""
    small = WFA.of([0, 1], {a: [[1, 0], [1, 1]] for a in "01"}, [1, 0])
    large = families.k_counting(2, 2)
    same = all(small.weight(w) == large.weight(w) for t in range(7) for w in large.words(t))
    yield refuted(
        "fam.k-counting.needs",
        same and small.n < large.n,
        "k = 2, words of up to six letters; all words by the induction step",
        "k = 2: two states (|w|_0 + |w|_1, 1), a linear image of the three, give the same weights.",
        {"kind": "families.fewer", "k": 2, "states": 2, "longest": 6},
        repair="To have the k counts and 1 as state, k + 1 states are needed.",
    )
    yield holds(
        "fam.k-counting.needs",
        first(rank_problem(k) for k in range(LARGEST + 1)),
        EXACT,
        f"k ≤ {LARGEST}",
        "The states on the empty word and on each of the k letters are linearly independent, so "
        "no linear image of fewer than k + 1 coordinates has them all.",
        {"kind": "families.rank", "largest": LARGEST, "ranks": [k + 1 for k in range(LARGEST + 1)]},
        reading=CHARITABLE,
    )


def rank_problem(k: int) -> str | None:
    """Why the states on ε and the letters do not span k + 1 dimensions."""
    automaton = families.k_counting(k, k + 1)
    rows = [automaton.alpha] + [automaton.states(str(i))[-1] for i in range(k)]
    rank = sympy.Matrix(rows).rank()
    return None if rank == k + 1 else f"k = {k}: rank {rank}"


@check("fam.k-counting.beta.sum", "fam.k-counting.beta.equal")
def what_a_final_vector_reads(job: Job) -> Iterator[Evidence]:
    """Read sums and differences of counts, with the printed and with the repaired automaton."""
    yield from readings(families.k_counting_as_printed, families.k_counting)


def readings(as_printed: Counter, mended: Counter) -> Iterator[Evidence]:
    """Ones add counts; one and minus one compare two."""
    for claim, beta, meant in (
        ("fam.k-counting.beta.sum", (1, 1, 0), "|w|_0 + |w|_1"),
        ("fam.k-counting.beta.equal", (1, -1, 0), "|w|_0 - |w|_1"),
    ):
        automaton = as_printed(2, 2)
        found = sum(a * b for a, b in zip(automaton.alpha, beta, strict=True))
        body: dict[str, Plain] = {
            "kind": "families.read",
            "beta": list(beta),
            "empty": str(found),
            "k": 2,
        }
        text = f"k = 2: the empty word has weight {found}, while {meant} = 0."
        yield refuted(claim, found != 0, "k = 2, the empty word", text, body, reading=LITERAL)
        counts = [*sympy.symbols("c:2"), 1]
        read = sum(c * b for c, b in zip(counts, beta, strict=True))
        wanted = counts[0] + beta[1] * counts[1]
        problem = k_step_problem(mended, 2, 3) or (None if read == wanted else f"β reads {read}")
        yield holds(
            claim,
            problem,
            SYMBOLIC,
            "all words, k = 2; other positions alike",
            f"The state after w is (|w|_0, |w|_1, 1), so the weight is {meant}, zero exactly when "
            "that is zero.",
            {"kind": "families.k-counting", "largest": 2, "spare": 1},
            reading=REPAIRED,
            engine="SymPy",
        )
