"""The proof of the corrected recursion, checked step by step with non-commuting symbols.

Shown         each identity by expansion in the free algebra; each estimate by `majorant`, which
              applies the triangle inequality and submultiplicativity mechanically: a sum is
              bounded by the sum, a product by the product, of the bounds of its factors
Notation      as in `recursion`; P the filter, U the column of ones (P U = U), K any matrix
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy

X, Y, D, F, P, E, U, K, V, G = sympy.symbols("X Y D F P E U K V G", commutative=False)
mu, delta, eps, share, mlp, norm_a, norm_b = sympy.symbols(
    "mu delta epsilon a eps_mlp A B", nonnegative=True
)


@dataclass(frozen=True)
class Step:
    """One step: what it says, the rule it rests on, and its check."""

    says: str
    rule: str
    check: Callable[[], bool]


def equal(left: sympy.Expr, right: sympy.Expr) -> bool:
    """Whether two expressions agree after expansion."""
    return bool(sympy.expand(left - right) == 0)


def majorant(expression: sympy.Expr, bounds: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    """A bound on the norm of a non-commuting polynomial from bounds on its letters."""
    total = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(expression)):
        scalar, letters = term.args_cnc()
        size = abs(sympy.Mul(*scalar))
        for letter in letters:
            base, power = letter.as_base_exp()
            size *= bounds[base] ** power
        total += size
    return sympy.expand(total)


def product_error() -> sympy.Expr:
    """(X + D)(Y + F) - X Y."""
    return (X + D) * (Y + F) - X * Y


def _stochastic() -> bool:
    """(P - I)(X - U K) = (P - I) X once P U = U is used."""
    difference = sympy.expand((P - 1) * (X - U * K) - (P - 1) * X)
    return equal(difference.subs(P * U, U), sympy.Integer(0))


def _monotone() -> bool:
    """2μδ + δ² has non-negative derivatives in μ and δ, where both are non-negative."""
    bound = 2 * mu * delta + delta**2
    return all(sympy.diff(bound, x).is_nonnegative for x in (mu, delta))


STEPS: tuple[Step, ...] = (
    Step(
        "attention: P (X + E) = X + ((P - I) X + P E)",
        "identity",
        lambda: equal(P * (X + E), X + (P - 1) * X + P * E),
    ),
    Step("(P - I)(X - 1⊗K) = (P - I) X, as rows of P sum to 1", "identity", _stochastic),
    Step(
        "‖D‖ ≤ a + ε for D = (P - I) X + P E",
        "triangle inequality; rows of P are convex combinations",
        lambda: equal(majorant(G + E, {G: share, E: eps}), share + eps),
    ),
    Step(
        "(X + D)(Y + F) - X Y = X F + D Y + D F",
        "identity",
        lambda: equal(product_error(), X * F + D * Y + D * F),
    ),
    Step(
        "its norm is at most 2 μ δ + δ²",
        "triangle inequality, submultiplicativity",
        lambda: equal(
            majorant(product_error(), {X: mu, Y: mu, D: delta, F: delta}),
            2 * mu * delta + delta**2,
        ),
    ),
    Step("the bound grows with μ and δ", "derivatives", _monotone),
    Step(
        "2 μ δ + δ² ≤ 3 μ δ where δ ≤ μ",
        "identity",
        lambda: equal(3 * mu * delta - (2 * mu * delta + delta**2), delta * (mu - delta)),
    ),
)

PRINTED_STEPS: dict[str, Step] = {
    "thm2.error.attention": Step(
        "(A + E_attn) X W_V = A X W_V + E_attn X W_V",
        "identity",
        lambda: equal((P + E) * X * V, P * X * V + E * X * V),
    ),
    "thm2.error.first-layer": Step(
        "(A₁ + e₁)(A₂ + e₂) + e = A₁A₂ + A₁e₂ + e₁A₂ + e₁e₂ + e",
        "identity",
        lambda: equal((X + D) * (Y + F) + G, X * Y + X * F + D * Y + D * F + G),
    ),
    "thm2.error.attention-2": Step(
        "(A + E_attn)(X + E) W_V = A X W_V + A E W_V + E_attn X W_V + E_attn E W_V",
        "identity",
        lambda: equal((P + G) * (X + E) * V, P * X * V + P * E * V + G * X * V + G * E * V),
    ),
    "thm2.error.triangle": Step(
        "‖A₁e₂ + e₁A₂ + e₁e₂ + e‖ ≤ ε_attn (‖A₁‖ + ‖A₂‖) + ε_attn² + ε_mlp",
        "triangle inequality, submultiplicativity",
        lambda: equal(
            majorant(product_error() + G, {X: norm_a, Y: norm_b, D: eps, F: eps, G: mlp}),
            eps * (norm_a + norm_b) + eps**2 + mlp,
        ),
    ),
}


def failures(steps: tuple[Step, ...] = STEPS) -> list[str]:
    """The steps that do not check."""
    return [step.says for step in steps if not step.check()]
