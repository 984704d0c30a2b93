"""The recursive bound on the error of Theorem 2: as printed in each reading, and corrected.

Claimed       Equation (1): ε_l ≤ M ε_{l-1} + ε_{l-1}² + ε_mlp with M = 2 max ‖A^σ‖, from
              ε_1 ≤ M ε_attn + ε_attn² + ε_mlp on
Corrected     δ_l = ε_{l-1} + a_l,  ε_l ≤ 2 μ_l δ_l + δ_l² + ε_mlp,  ε_0 = 0
Notation      ‖·‖ any submultiplicative norm (we use the spectral one); layer l reads tokens
              X_t = A^u, u a factor of the word of at most 2^(l-1) letters, and multiplies the
              token 2^(l-1) to the left by the token itself; μ_l ≥ ‖X_t‖ for all t, a_l the largest
              ‖((P - I) X)_t‖, both of the exact model; E_t the error of the soft model, ‖E_t‖ ≤
              ε_{l-1} before layer l

Proof of the corrected recursion, step by step (the fact `free.bound` checks steps 4 and 5):

  1. Scores read positions only, and positions are exact in each layer. So both models have the
     same filter P, for both heads up to a shift: entries ≥ 0, rows of sum 1.
  2. Attention on X + E gives X + D with D = (P - I) X + P E.
  3. ‖(P E)_t‖ ≤ Σ_s P_ts ‖E_s‖ ≤ ε_{l-1}, since the row is a convex combination.
  4. So ‖D_t‖ ≤ a_l + ε_{l-1} = δ_l at every position, hence for both factors of every product.
  5. (X_L + D_L)(X_R + D_R) - X_L X_R = X_L D_R + D_L X_R + D_L D_R, of norm at most
     2 μ_l δ_l + δ_l²; an MLP adds its own error. This is ε_l.
  6. The right side grows with a_l and μ_l, so bounds on these may be used in their place:
     (P - I) X = (P - I)(X - 1⊗K) for every matrix K, and ((P - I) X)_t = Σ_s P_ts (X_s - X_t), so
     a_l ≤ leak · max ‖X_s - X_t‖.
  7. Windows. 2^(l-1) ≤ M/2 tokens in a row of the ring of 2M hold, besides pads, one factor of the
     word, since the M pads -M+1 … 0 are adjacent. So μ_l = max(1, max ‖A^u‖), |u| ≤ 2^(l-1).
     The 1 is the norm of the pads: they are factors like all others.
  8. Readout. State t has the error αᵀE_t, so the T + 1 states differ by at most
     ‖α‖ √(T+1) ε_L in the Frobenius norm of Definition 3.2.

Where print and proof part: M bounds the factors of layer 1 only (later factors are products of
2^(l-1) matrices), misses the pads when all ‖A^σ‖ < 1, and the a_l of layers l ≥ 2 are lost when
E_tot is redefined while its bound stays.

The functions take numbers of any kind: balls, rationals, mpmath.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint

from constructions.automata.wfa import WFA
from constructions.core.exact import Exact
from verify.bounds.norms import largest_norm, matrix

Real = Any


def printed_factor(automaton: WFA) -> flint.arb:
    """M = 2 max ‖A^σ‖₂."""
    return 2 * largest_norm([matrix(rows) for rows in automaton.transitions.values()])


def step(factor: Real, delta: Real, mlp: Real = 0) -> Real:
    """factor · δ + δ² + ε_mlp: one step of every recursion here."""
    return factor * delta + delta * delta + mlp


def printed_errors(factor: Real, attention: Real, layers: int, mlp: Real = 0) -> list[Real]:
    """Equation (1) iterated from ε_attn, the error of the first attention block."""
    bounds, bound = [], attention
    for _ in range(layers):
        bound = step(factor, bound, mlp)
        bounds.append(bound)
    return bounds


def stepwise_errors(
    factor: Real, attention: Real, errors: Sequence[Real], mlp: Real = 0
) -> list[Real]:
    """Equation (1) with the true error of the layer before on its right side."""
    return [step(factor, before, mlp) for before in [attention, *errors][: len(errors)]]


def redefined_errors(
    factor: Real, incoming: Sequence[Real], errors: Sequence[Real], mlp: Real = 0
) -> list[Real]:
    """Equation (1) with the redefined error: E_tot after attention."""
    before = [0, *errors][: len(errors)]
    return [step(factor, e + d, mlp) for e, d in zip(before, incoming, strict=True)]


def corrected_errors(norms: Sequence[Real], attention: Sequence[Real], mlp: Real = 0) -> list[Real]:
    """The corrected recursion from μ_l and a_l, l = 1 … L."""
    bounds: list[Real] = []
    bound: Real = 0
    for norm, share in zip(norms, attention, strict=True):
        bound = step(2 * norm, bound + share, mlp)
        bounds.append(bound)
    return bounds


def readout_factor(automaton: WFA, length: int) -> flint.arb:
    """‖α‖ √(T+1): from an error of each product to Definition 3.2's norm of all states."""
    square = sum((Exact.of(value) * value for value in automaton.alpha), Exact.of(0))
    return (square.ball() * (length + 1)).nonnegative_part().sqrt()
