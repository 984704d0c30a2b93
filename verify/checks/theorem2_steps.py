"""The printed steps of Theorem 2's error analysis: identities, shapes, which rows, which inequality.

Claims        thm2.error.attention, .attention-2, .first-layer, .norm, .triangle, .cauchy-schwarz,
              .rows-of, .filter and .rows
Roads         expansion in the free algebra, shapes, inspection of the built heads, enclosures
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import flint
import sympy

from constructions import theorem2
from constructions.families import scalar
from constructions.theorem1 import layout, theta
from verify.bounds import certificates, derivation
from verify.check import Job, check
from verify.checks import theorem2_certificates as bodies
from verify.checks.theorem2_errors import (
    ENCLOSURE,
    EXACT,
    FAILS,
    HOLDS,
    ONE_STATE,
    broken_steps,
    proved,
)
from verify.claims.model import Name
from verify.engines.circulant import Sweep
from verify.evidence import Evidence, Plain, settled

LAGRANGE = (1, 2, 3)


@check(*derivation.PRINTED_STEPS)
def printed_identities_hold(job: Job) -> Iterator[Evidence]:
    """Expand each printed identity in the free algebra, and majorise the first bound."""
    expansions: dict[str, dict[str, Plain]] = {
        "thm2.error.attention": certificates.derivation(
            [("A",), ("E",)], [("X", "V")], {"A": "A", "E": "e", "X": "X", "V": "V"}
        ),
        "thm2.error.attention-2": certificates.derivation(
            [("A",), ("G",)],
            [("X", "V"), ("E", "V")],
            {"A": "A", "G": "g", "X": "X", "E": "e", "V": "V"},
        ),
        "thm2.error.triangle": certificates.derivation(
            [("X",), ("D",)], [("Y",), ("F",)],
            {"X": "norm_1", "Y": "norm_2", "D": "eps", "F": "eps", "G": "eps_mlp"},
            plus=[("G",)], minus=[("X", "Y")],
        ),
        "thm2.error.first-layer": certificates.derivation(
            [("X",), ("D",)], [("Y",), ("F",)],
            {"X": "A", "Y": "A", "D": "e", "F": "e", "G": "e"}, plus=[("G",)],
        ),
    }  # fmt: skip
    for claim, step in derivation.PRINTED_STEPS.items():
        reading = Name.REPAIRED if claim == "thm2.error.first-layer" else Name.LITERAL
        item = proved(claim, f"{step.says}: {step.rule}.", expansions[claim], reading)
        yield settled(broken_steps(step), item)


@check("thm2.error.first-layer", "thm2.error.norm")
def a_vector_is_added_to_matrices(job: Job) -> Iterator[Evidence]:
    """Compare the shapes of the summands of the printed error of the first layer."""
    n = 2
    matrix: tuple[int, ...] = (n, n)
    vector: tuple[int, ...] = (len(layout(n)["right"]),)
    for claim in ("thm2.error.first-layer", "thm2.error.norm"):
        item = Evidence(
            claim, HOLDS, EXACT, "n = 2", "All summands have one shape.", engine="shapes",
        )  # fmt: skip
        if matrix != vector:
            item = replace(
                item, outcome=FAILS,
                summary="The last summand is printed as the vector e_mlp of n² coordinates beside "
                "n × n matrices; the sum is not defined for n ≥ 2.",
                counterexample=f"n = 2: shapes {matrix} and {vector}.",
                repair="mat(e_mlp) for e_mlp.",
                certificate={"kind": "theorem2.shapes", "n": n, "matrix": list(matrix),
                             "vector": list(vector)},
            )  # fmt: skip
        yield item
    step = derivation.PRINTED_STEPS["thm2.error.triangle"]
    yield settled(broken_steps(step), proved(
        "thm2.error.norm", "With mat(e_mlp) the four terms are n × n matrices; their sum is the "
        "error of the product, and it has a spectral norm.", bodies.norm(), Name.REPAIRED,
    ))  # fmt: skip


@check("thm2.error.cauchy-schwarz", "thm2.error.rows-of")
def the_inequalities_that_are_used(job: Job) -> Iterator[Evidence]:
    """Majorise the four terms with the triangle inequality and submultiplicativity alone."""
    step = derivation.PRINTED_STEPS["thm2.error.triangle"]
    item = proved(
        "thm2.error.cauchy-schwarz", "The triangle inequality and submultiplicativity of the norm "
        "give the bound, for every submultiplicative norm; Cauchy–Schwarz is not needed.",
        bodies.inequalities(), Name.CHARITABLE,
    )  # fmt: skip
    yield settled(broken_steps(step), item)
    yield settled(_lagrange_problem(), replace(
        item, reading=Name.LITERAL, strength=EXACT, scope="the entrywise 2-norm, n ≤ 3",
        certificate=bodies.lagrange(LAGRANGE),
        summary="For the entrywise 2-norm ‖XY‖² ≤ ‖X‖²‖Y‖² is Cauchy–Schwarz for rows and columns: the "
        "difference is a sum of squares (Lagrange); for the spectral norm it is submultiplicativity.",
    ))  # fmt: skip
    step = derivation.STEPS[4]
    yield settled(broken_steps(step), proved(
        "thm2.error.rows-of", "At each position one error comes from the left head and one from "
        "the right head, rows t - 1 and t of the averaged tokens; the estimate is the same for "
        "all positions.", bodies.sources(), Name.CHARITABLE,
    ))  # fmt: skip
    position = 3
    source = position - int(-theta(1, 8) * 8)
    yield Evidence(
        "thm2.error.rows-of", HOLDS if [source, position] == [1, 2] else FAILS, EXACT,
        "layer 1, position 3", f"Position {position} multiplies the averages of positions {source} and "
        f"{position}; rows 1 and 2 belong to position 2.", engine="exact weights",
        certificate={"kind": "theorem2.factors", "position": position, "rows": [source, position]},
        counterexample=f"Position {position}.",
    )  # fmt: skip


def _lagrange_problem() -> str | None:
    """‖X‖²‖Y‖² - ‖XY‖² = Σ_ij Σ_{k<l} (x_ik y_lj - x_il y_kj)²."""
    for n in LAGRANGE:
        x, y = (sympy.Matrix(n, n, sympy.symbols(f"{name}:{n * n}")) for name in "xy")
        columns = [y[:, j] for j in range(n)]
        rows = [x[i, :] for i in range(n)]
        rest = sum(
            (
                (row[k] * column[m] - row[m] * column[k]) ** 2
                for row, column in product(rows, columns)
                for k, m in combinations(range(n), 2)
            ),
            sympy.Integer(0),
        )
        norms = sum(a**2 for a in x) * sum(b**2 for b in y)
        if sympy.expand(norms - sum(c**2 for c in x * y) - rest) != 0:
            return f"n = {n}: the difference is not that sum of squares."
    return None


@check("thm2.error.filter")
def the_filter_reads_positions_only(job: Job) -> Iterator[Evidence]:
    """List the coordinates that W_Q and W_K of the built heads read."""
    for n in (1, 2, 3):
        for layer in theorem2.layers(n, 8, Fraction(3)):
            for head in layer.heads:
                entries = [*head.query.entries, *head.key.entries]
                wrong = [at for at in entries if at[0] < 2 * n * n]
                if wrong:
                    yield Evidence(
                        "thm2.error.filter", FAILS, EXACT, f"n = {n}",
                        f"Head {head.name} reads coordinate {wrong[0]}, which carries errors.",
                        engine="exact weights",
                    )  # fmt: skip
                    return
    yield Evidence(
        "thm2.error.filter", HOLDS, EXACT, "n ≤ 3, T = 8, all layers and heads",
        "W_Q and W_K of every head are zero outside the two coordinates of the position, which are "
        "written anew in each layer, so the filter is the same for X and X + E.",
        engine="exact weights",
        certificate=bodies.filters(),
    )  # fmt: skip


@check("thm2.error.rows")
def rows_have_different_errors(job: Job) -> Iterator[Evidence]:
    """Enclose the errors of two positions after the first layer."""
    weight, length, constant = Fraction(2), 4, Fraction(4)
    with flint.ctx.workprec(192):
        stages = list(Sweep(scalar(weight), length, constant).stages("a" * length))
        errors = [abs(token[0, 0]) for token in stages[1].errors]
    places = range(1 - length, length + 1)
    ranked = sorted(zip(errors, places, strict=True), key=lambda pair: float(pair[0].mid()))
    low, high = ranked[0], ranked[-1]
    item = Evidence(
        "thm2.error.rows", HOLDS, ENCLOSURE, ONE_STATE, "All rows have one norm.", engine="balls"
    )
    if low[0] < high[0]:
        item = replace(
            item, outcome=FAILS, strength=EXACT,
            summary=f"Weight {weight}, T = {length}, C = {constant}: positions {low[1]} and "
            f"{high[1]} err by {low[0].str(4, radius=False)} and {high[0].str(4, radius=False)}.",
            certificate={
                "kind": "theorem2.rows", "weight": str(weight), "length": length,
                "saturation": str(constant), "positions": [low[1], high[1]],
                "small": str(certificates.above(low[0])), "large": str(certificates.below(high[0])),
            },
            counterexample=f"A^a = ({weight}), T = {length}, C = {constant}.",
        )  # fmt: skip
    yield item
    yield settled(broken_steps(*derivation.STEPS[:5]), proved(
        "thm2.error.rows", "Each half of each row has norm at most ε_tot; a row holds both copies of "
        "a product, so its norm is at most √2 ε_tot.", bodies.halves(), Name.CHARITABLE,
    ))  # fmt: skip
