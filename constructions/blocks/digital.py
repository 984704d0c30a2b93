"""Products of 0/1 matrices by saturated units: AND, which corrects the errors it reads.

Constructs    where every row of A and of B has at most one 1, (AB)_ij = Σ_k AND(A_ik, B_kj), and
              AND(a, b) = S(a + b - 3/2) with S(z) = (σ(κz + c) - σ(κz - c)) / 2c: 0 for z ≤ -1/4 and
              1 for z ≥ 1/4, up to τ. Two units an AND, so 2n³; two for each entry that is erased
Notation      σ activation with σ(u) - σ(-u) = u, κ slope, c = 2 half width, τ residue, in balls
Corrects      entries read within 1/8 of 0 or 1 are written within nτ of 0 or 1, so that errors do not
              add up over layers, and no small step is needed: float32 can hold such a model
"""

from __future__ import annotations

from fractions import Fraction

import flint

from constructions.core.activations import SMOOTH, smooth_activation
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling

HALF_WIDTH = 2
MARGIN = Fraction(1, 8)  # how far from 0 or 1 an entry may be read
FINEST = 1 << 12


def residue(activation: str, slope: int) -> Fraction:
    """τ: a bound on |S(z)| for z ≤ -1/4 and on |S(z) - 1| for z ≥ 1/4.

    With σ(u) - σ(-u) = u both are (σ(-y - 2c) - σ(-y)) / 2c for some y ≥ κ/4 - c, in absolute value at
    most the largest |σ| beyond -(κ/4 - c) over c; |σ| falls there, as κ/4 - c ≥ 2.
    """
    sigma = smooth_activation(activation)
    with flint.ctx.workprec(256 + slope):
        tail = abs(sigma.series(-ball(Fraction(slope, 4) - HALF_WIDTH)))
        return ceiling(tail / HALF_WIDTH)


def slope_for(activation: str, bound: Fraction) -> int:
    """The least power of two κ ≥ 16 whose residue τ is at most the bound."""
    names = [name for name, sigma in SMOOTH.items() if sigma.is_gate]
    if activation not in names:
        raise InputError("activation", activation, f"one of {', '.join(names)}, for digital blocks")
    slope = 16
    while residue(activation, slope) > bound:
        slope *= 2
        if slope > FINEST:
            raise InputError("bound", str(bound), f"at least the residue at slope {FINEST}")
    return slope
