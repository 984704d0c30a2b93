"""The proof of the decoder's error recursion, checked step by step with non-commuting symbols.

Shown         each identity by expansion in the free algebra, each estimate by a
              majorant (triangle inequality, submultiplicativity) or as an identity whose right
              side is a sum of products of numbers that are not negative
Notation      as in `decoder`: A = I + X, B = I + Y; E, F, r errors; e, f, rho their bounds; kappa
              the factor of a norm, 1 - θ ≤ kappa ≤ 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy

X, Y, A, B, E, F, R = sympy.symbols("X Y A B E F R", commutative=False)
e, f, rho, N, M, t, lam, theta, q = sympy.symbols("e f rho N M t lambda theta q", nonnegative=True)
c, j, m, s = sympy.symbols("c j m s", real=True)
FACTORED = A * E + F * B + F * E - (X + F + R) * R + R * (Y + E)


@dataclass(frozen=True)
class Step:
    """One step: what it says, the rule it rests on, and its check."""

    says: str
    rule: str
    check: Callable[[], bool]


def are_equal(left: sympy.Expr, right: sympy.Expr) -> bool:
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
    """Window after the layer minus AB - I, with an exact product of what the block reads."""
    window, x, y = Y + E + X + F, X + F + R, Y + E - R
    return window + x * y - (X + Y + X * Y)


def _factored() -> bool:
    """E' = AE + FB + FE - (X + F + r) r + r (Y + E)."""
    written = FACTORED.subs({A: 1 + X, B: 1 + Y})
    return are_equal(product_error(), written)


def _bounded() -> bool:
    bounds = {A: N, B: N, E: e, F: f, R: rho, X: M, Y: M}
    right = N * e + N * f + e * f + rho * (2 * M + e + f + rho)
    return are_equal(majorant(FACTORED, bounds), right)


def _closed() -> bool:
    """(2N+1) e + 2λNM minus the right side of the recursion, at λ = t/(16(N+M)), e = q/4."""
    f_ = e + 2 * lam * (M + e)
    rest = (2 * N + 1) * e + 2 * lam * N * M - (N * e + N * f_ + e * f_)
    split = e * (1 - 2 * lam * N - e - 2 * lam * (M + e))
    return are_equal(rest, split)


def _room() -> bool:
    """1 - 2λN - e - 2λ(M + e) ≥ 1/2 where λ ≤ 1/(16(N+M)), N ≥ 1 and e ≤ 1/4."""
    bound = sympy.Rational(1, 16) / (N + M)
    used = 2 * lam * (N + M) + e + 2 * lam * e
    at_most = used.subs({lam: bound, e: sympy.Rational(1, 4)})
    grown = all(sympy.diff(used, v).is_nonnegative for v in (lam, e))
    limit = sympy.Rational(1, 8) + sympy.Rational(1, 4) + sympy.Rational(1, 32)
    spare = sympy.simplify((limit - at_most).subs(N, 1 + t) - (t + M) / (32 * (1 + t + M)))
    return grown and limit <= sympy.Rational(1, 2) and bool(spare == 0)


STEPS: tuple[Step, ...] = (
    Step(
        "2j(t-s) - j² = c² - (j-c)² with c = t - s",
        "identity",
        lambda: are_equal(2 * j * c - j**2, c**2 - (j - c) ** 2),
    ),
    Step(
        "at c = -q ≤ 0: the score at 0 minus that at j is j² + 2jq ≥ j²",
        "identity",
        lambda: are_equal(0 - (2 * j * (-q) - j**2), j**2 + 2 * j * q),
    ),
    Step(
        "m² - (1 + 3(m-1)) = (m-1)(m-2) ≥ 0 for whole m ≥ 1",
        "identity",
        lambda: are_equal(m**2 - (1 + 3 * (m - 1)), (m - 1) * (m - 2)),
    ),
    Step(
        "window - scratch = Y + E - r: the head's error cancels",
        "identity",
        lambda: are_equal((Y + E + X + F) - (X + F + R), Y + E - R),
    ),
    Step("E' = AE + FB + FE - (X+F+r) r + r (Y+E)", "identity", _factored),
    Step("its norm is at most Ne + Nf + ef + ρ(2M + e + f + ρ)", "majorant", _bounded),
    Step("(2N+1)e + 2λNM minus the recursion is e (1 - 2λN - e - 2λ(M+e))", "identity", _closed),
    Step("the last factor is at least 1/2 there", "monotone, at the corner", _room),
    Step(
        "1 - (1 - q/2)² (1 + q) = q² (3 - q)/4 ≥ 0, so (1+q)^(-1/2) ≥ 1 - q/2 for q ≤ 2",
        "identity",
        lambda: are_equal(1 - (1 - q / 2) ** 2 * (1 + q), q**2 * (3 - q) / 4),
    ),
    Step(
        "trees: BOS, of depth -1, is nearest to a target -1-q ≤ -1: (d+1+q)² - q² = (d+1)(d+1+2q) ≥ 1",
        "identity, whole d, q ≥ 0",
        lambda: are_equal((j + 1 + q) ** 2 - q**2, (j + 1) * (j + 1 + 2 * q)),
    ),
    Step(
        "1 - (1-θ)² = θ (2 - θ) ≤ 2θ",
        "identity",
        lambda: are_equal(1 - (1 - theta) ** 2, theta * (2 - theta)),
    ),
)
