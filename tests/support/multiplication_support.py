"""Other MLPs that multiply: the printed width, and ReLU units that reach the floor of ReLU networks.

printed   the units b + h w·x for all w in {0, e_i, 2e_i, e_i + e_j}, C(2n²+2, 2) in all:
          xy ≈ s (σ(b+h(x+y)) - σ(b+hx) - σ(b+hy) + σ(b)), s ≈ 1/(h² σ''(b)). It misses xy by at most
          |s| K₃ h³ ((p+q)³ + p³ + q³)/6 + |h² σ''(b) s - 1| pq with K₃ ≥ |σ'''|
"""

from fractions import Fraction
from itertools import combinations

from constructions.blocks.multiplication import Multiplier, fitted_step, schoolbook_products
from constructions.blocks.smoothing import HiddenLayer, Rule, products
from constructions.core.activations import smooth_activation
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import MLP
from constructions.theorem1 import product_block

PRINTED = Rule(1, 3, lambda h, p, q: h**3 * ((p + q) ** 3 + p**3 + q**3) / 6)


def lattice(variables: int) -> list[tuple[int, ...]]:
    """The points 0, e_i, 2e_i, e_i + e_j as multisets of coordinates."""
    single = [(i,) for i in range(variables)]
    double = [(i, i) for i in range(variables)]
    return [(), *single, *double, *combinations(range(variables), 2)]


def printed_route(n: int, activation: str, radius: Fraction, eps: Fraction) -> Multiplier:
    """C(2n²+2, 2) units, one for each point of the lattice; many are given the weight 0."""
    sigma = smooth_activation(activation)
    h, s, bound = fitted_step(PRINTED, schoolbook_products(n), sigma, radius, eps)
    hidden = HiddenLayer()
    unit = {point: hidden.new_unit(lattice_form(point, h)) for point in lattice(2 * n * n)}
    for product in products(product_block(n)):
        (x,), (y,) = product.left, product.right
        for point, sign in (((x, y), 1), ((x,), -1), ((y,), -1), ((), 1)):
            hidden.add(unit[point], product.output, sign * s)
    block = hidden.mlp(product_block(n), sigma.point, sigma.name)
    return Multiplier(n, "printed", activation, radius, sigma.point, h, s, bound, block)


def lattice_form(point: tuple[int, ...], h: Fraction) -> dict[int, Entry]:
    """h w·x for a lattice point; left and right blocks are the first coordinates in the layout."""
    return {c: h * point.count(c) for c in point}


def relu_square(pieces: int) -> MLP[Matrix]:
    """x² on [0, 1] by `pieces` ReLU units, error 1/(8 pieces²): the chords, lowered by half."""
    ends = [Fraction(k, pieces) for k in range(pieces)]
    slopes = [2 * end + Fraction(1, pieces) for end in ends]
    changes = [new - old for old, new in zip([Fraction(0), *slopes], slopes, strict=False)]
    return MLP(
        Matrix((1, pieces), {(0, k): 1 for k in range(pieces)}),
        tuple(-end for end in ends),
        "relu",
        Matrix((pieces, 1), {(k, 0): change for k, change in enumerate(changes)}),
        (-Fraction(1, 8 * pieces * pieces),),
    )
