"""Appendix A.2, probabilistic finite automata as WFAs.

Claims        fam.pfa.*
Roads         polynomials with a symbol for every weight; telescoping for the total mass; all graphs
              of moves and stops with few states; the PAutomaC files where they are given
Notation      I, P, F of a PFA; M = Σ_σ A^σ, so that F = 1 - M 1
Unlike print  P is 0 outside of δ, and R⁺ includes 0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from constructions import families
from constructions.pautomac import Model, read_tables
from constructions.wfa import WFA
from verify.check import Job, check
from verify.checks.families import distribution, zero
from verify.checks.statements import (
    CHARITABLE,
    EXACT,
    EXHAUSTIVE,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.claims.printed import TABLE1
from verify.evidence import Evidence, Outcome, Plain, Strength

LAST_PLACE = Fraction(1, 10**12)


def generic_pfa(n: int, symbols: int) -> WFA:
    """A PFA with a symbol for every weight; F(q) is what the moves leave."""
    initial = distribution("i", n)
    matrices = {
        str(a): tuple(tuple(sympy.Symbol(f"P{q}_{a}_{r}") for r in range(n)) for q in range(n))
        for a in range(symbols)
    }
    final = tuple(1 - sum(sum(m[q]) for m in matrices.values()) for q in range(n))
    return WFA(initial, matrices, final)


def path_problem(automaton: WFA, longest: int = 2) -> str | None:
    """Why a weight is not the sum over paths."""
    for length in range(longest + 1):
        for word in automaton.words(length):
            if not zero(automaton.weight(word) - automaton.weight_by_paths(word)):
                return f"word {''.join(word)!r}: not the sum over paths"
    return None


def telescope_problem(n: int, symbols: int, longest: int = 2) -> str | None:
    """Why Σ over words up to K of f is not 1 - αᵀ M^{K+1} 1, for a generic PFA."""
    automaton = generic_pfa(n, symbols)
    total: Any = 0
    moves = sum((sympy.Matrix(m) for m in automaton.transitions.values()), sympy.zeros(n, n))
    start = sympy.Matrix([automaton.alpha])
    for length in range(longest + 1):
        total += sum(automaton.weight(word) for word in automaton.words(length))
        left = (start * moves ** (length + 1) * sympy.ones(n, 1))[0, 0]
        if not zero(total - (1 - left)):
            return f"length {length}: the mass is not 1 less what is under way"
    return None


def reach_problem(n: int) -> str | None:
    """Why in some graph a state that can reach a stop needs n steps or more."""
    pairs = list(product(range(n), repeat=2))
    for edges in product((0, 1), repeat=len(pairs)):
        moves = {pair for pair, edge in zip(pairs, edges, strict=True) if edge}
        for stops in product((0, 1), repeat=n):
            known = {q for q in range(n) if stops[q]}
            steps = 0
            while grown := {q for q, r in moves if r in known} - known:
                known, steps = known | grown, steps + 1
            if steps > n - 1:
                return f"moves {sorted(moves)}, stops {stops}: {steps} steps"
    return None


@check("fam.pfa.parameters", "fam.pfa.special", "fam.pfa.definition")
def probabilistic_automata_are_automata(job: Job) -> Iterator[Evidence]:
    """Compare a generic PFA with its sum over paths, and telescope its total mass."""
    pairs = ((1, 1), (1, 2), (2, 1), (2, 2))
    count = sum(1 + p + p * p for _, p in pairs)
    body: dict[str, Plain] = {
        "kind": "families.pfa",
        "pairs": [list(p) for p in pairs],
        "words": count,
    }
    yield holds(
        "fam.pfa.parameters",
        first(path_problem(generic_pfa(n, p)) for n, p in pairs),
        SYMBOLIC,
        f"every PFA with (|Q|, |Σ|) ∈ {{{', '.join(map(str, pairs))}}}, words of up to two letters",
        "αᵀ A^w β is the sum over paths of I, P and F as a polynomial.",
        body,
        engine="SymPy",
    )
    mass = first(telescope_problem(n, p) for n, p in pairs)
    text = (
        "Weights are sums of products of probabilities, and those of all words up to length K sum "
    )
    text += "to 1 - αᵀ M^(K+1) 1 ≤ 1."
    scope = f"every PFA with (|Q|, |Σ|) in {pairs}, K ≤ 2; all K by telescoping"
    yield holds("fam.pfa.special", mass, SYMBOLIC, scope, text, body, engine="SymPy")
    yield holds(
        "fam.pfa.special",
        first((mass, reach_problem(1), reach_problem(2), reach_problem(3))),
        EXHAUSTIVE,
        "every graph of moves and stops with up to three states",
        f"{text} A state that can reach a stop does so in fewer than |Q| steps, so M^|Q| has rows "
        "of sum below 1 where all states can, and the mass tends to 1.",
        {"kind": "families.reach", "states": 3, "graphs": sum(2 ** (n * n + n) for n in (1, 2, 3))},
        reading=CHARITABLE,
    )
    yield from partial_function(set())


def partial_function(moves: set[tuple[int, str, int]]) -> Iterator[Evidence]:
    """One state and one letter: the sum asks for P at triples where a partial P has no value."""
    asked = [(0, "a", 0)]
    yield refuted(
        "fam.pfa.definition",
        any(triple not in moves for triple in asked),
        "|Q| = 1, Σ = {a}, δ empty",
        "One state, F = 1, no move: the printed sum asks for P(0, a, 0), where P is not defined; "
        "with δ full, P and F in R⁺ forbid F = 0 and a move of weight 0.",
        {"kind": "families.partial", "asked": [[0, "a", 0]], "defined": []},
        repair="Let P be 0 outside δ and R⁺ include 0.",
    )
    yield holds(
        "fam.pfa.definition",
        first(extended_problem(n, 1) for n in (1, 2)),
        EXHAUSTIVE,
        "every δ with |Q| ≤ 2 and one symbol, uniform weights",
        "With P = 0 outside δ every δ gives matrices that meet both sums.",
        {"kind": "families.extended", "states": 2, "relations": 2 + 16},
        reading=CHARITABLE,
    )


def extended_problem(n: int, symbols: int) -> str | None:
    """Why uniform weights on some δ, extended by zero, are no PFA."""
    triples = list(product(range(n), range(symbols), range(n)))
    for chosen in product((0, 1), repeat=len(triples)):
        moves = [t for t, bit in zip(triples, chosen, strict=True) if bit]
        out = [sum(1 for q, _, _ in moves if q == state) for state in range(n)]
        matrices = {
            str(a): [[Fraction((q, a, r) in moves, 1 + out[q]) for r in range(n)] for q in range(n)]
            for a in range(symbols)
        }
        final = [Fraction(1, 1 + count) for count in out]
        automaton = families.pfa([Fraction(1, n)] * n, matrices, final)
        if not families.is_pfa(automaton):
            return f"δ = {moves}: no PFA"
    return None


@check("fam.pfa.initial", "fam.pfa.final", needs=("pautomac",))
def the_data_are_probabilities(job: Job) -> Iterator[Evidence]:
    """Add the initial, final and outgoing weights of the PAutomaC files, exactly."""
    kept = [p for p, row in TABLE1.items() if row.type == "PFA"]
    paths = [job.pautomac / f"{p}.pautomac_model.txt" for p in kept] if job.pautomac else []
    if not paths or not all(path.exists() for path in paths):
        for claim in ("fam.pfa.initial", "fam.pfa.final"):
            yield Evidence(claim, Outcome.UNAVAILABLE, Strength.EXACT, "", "data not given")
        return
    yield from sums(dict(zip(kept, map(read_tables, paths), strict=True)))


def allowed(model: Model) -> Fraction:
    """How far a sum may be off: one unit of the twelfth place for each decimal that enters it."""
    return (model.states + model.symbols) * LAST_PLACE


def sums(models: Mapping[str, Model]) -> Iterator[Evidence]:
    """Both conditions of a PFA, exactly and up to the rounding of printed decimals."""
    automata = {name: model.automaton(model.symbols) for name, model in models.items()}
    starts = {name: abs(sum(a.alpha, Fraction(0)) - 1) for name, a in automata.items()}
    leaves = {name: max(leaving(a)) for name, a in automata.items()}
    names = list(models)
    yield from exactly("fam.pfa.initial", starts)
    yield from exactly("fam.pfa.final", leaves)
    worst = max(leaves.values())
    far = [name for name, model in models.items() if leaves[name] > allowed(model)]
    off = f"automaton {far[0]}: a sum is further from 1 than rounding takes it" if far else None
    yield holds(
        "fam.pfa.final",
        off,
        EXACT,
        f"the PAutomaC automata {', '.join(names)}",
        f"Final and outgoing weights sum to 1 within {float(worst):.1e}; the files print twelve digits "
        "and up to |Q| + |Σ| decimals enter a sum.",
        _gaps(leaves),
        reading=CHARITABLE,
    )


def leaving(automaton: WFA) -> list[Fraction]:
    """|F(q) + Σ P(q, σ, q') - 1| for every state."""
    return [
        abs(automaton.beta[q] + sum(sum(m[q]) for m in automaton.transitions.values()) - 1)
        for q in range(automaton.n)
    ]


def _gaps(values: dict[str, Fraction]) -> dict[str, Plain]:
    worst = max(values.values())
    table: list[Plain] = [[name, str(gap)] for name, gap in values.items()]
    return {"kind": "families.gaps", "gaps": table, "largest": str(worst)}


def exactly(claim: str, gaps: dict[str, Fraction]) -> Iterator[Evidence]:
    """Whether sums of the data are 1 to the last digit."""
    off = {name: gap for name, gap in gaps.items() if gap}
    scope = f"the PAutomaC automata {', '.join(gaps)}"
    if not off:
        yield holds(claim, None, EXACT, scope, "Every sum is exactly 1.", _gaps(gaps))
        return
    name = max(off, key=lambda key: off[key])
    text = (
        f"Automaton {name}: a sum is {float(off[name]):.1e} away from 1, as files round decimals."
    )
    yield refuted(claim, True, scope, text, _gaps(gaps), repair="Up to rounding.")
