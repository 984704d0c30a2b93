"""The MLP theorem as abridged in Appendix B.2: what it admits, and networks that show it must not.

Claims        mlp.theorem, mlp.class, mlp.polynomials, mlp.domain, mlp.biases, mlp.activation,
              mlp.relu, mlp.width, mlp.size-constant as printed; beyond.mlp.relu-lower
Roads         the printed width C(m_1+d, d) read and evaluated; all choices of that many units
              listed by what they do to a grid (`verify.engines.units`); a built MLP of that width
              followed to a point far out; symmetry for a symbol
Notation      f(x, y) = xy, d = 2 and m_1 = 2, or f(x) = x, d = 2 and m_1 = 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isqrt

import flint
import sympy

from constructions.arithmetic import Balls
from constructions.matrix import Matrix
from constructions.multiplication import (
    Multiplier,
    lattice,
    printed_route,
    relu_floor,
    relu_square,
    relu_width,
)
from constructions.transformer import MLP
from verify.check import Job, check
from verify.checks.mlp import BOX
from verify.claims.model import Name
from verify.engines import units
from verify.engines.printed import count
from verify.evidence import Evidence, Outcome, Plain, Strength, settled

HOLDS, FAILS, UNKNOWN = Outcome.HOLDS, Outcome.FAILS, Outcome.UNKNOWN
SYMBOLIC, EXACT = Strength.SYMBOLIC, Strength.EXACT
WIDTH = "C(m+d, d)"
DEGREE = 2
PRODUCT: units.Polynomial = {(1, 1): 1}
IDENTITY: units.Polynomial = {(1,): 1}
U = sympy.Symbol("u", real=True)


def inputs(polynomial: units.Polynomial) -> int:
    """m_1, read off the polynomial."""
    return len(next(iter(polynomial)))


def width(polynomial: units.Polynomial) -> int:
    """The number of units that the theorem names for it, from the printed formula."""
    return int(count(WIDTH, m=inputs(polynomial), d=DEGREE))


def written(polynomial: units.Polynomial) -> list[Plain]:
    """Exponents and coefficients as plain data."""
    return [[list(powers), c] for powers, c in sorted(polynomial.items())]


def gap(claim: str, seen: bool, summary: str, body: Mapping[str, Plain], repair: str) -> Evidence:
    """A counterexample, or, where it is none, nothing decided."""
    item = Evidence(
        claim, FAILS, EXACT, "as printed", summary, engine="exact", certificate=body,
        counterexample=summary, repair=repair,
    )  # fmt: skip
    if seen:
        return item
    none = f"This would refute it, and does not: {summary}"
    return replace(item, outcome=UNKNOWN, summary=none, counterexample="", certificate=None)


def largest_error(network: MLP[Matrix], polynomial: units.Polynomial, pieces: int) -> Fraction:
    """The error of a built ReLU network with one input, largest over ends and middles of pieces."""
    errors = []
    for x in units.grid(2 * pieces):
        value = Fraction(network.offset[0])
        for (_, unit), weight in network.hidden.entries.items():
            active = units.relu(weight * x + network.bias[unit])
            value += active * network.output.entries[unit, 0]
        errors.append(abs(value - units.on_the_diagonal(polynomial, x)))
    return max(errors)


def relu_problem(number: int, floor: Fraction) -> str | None:
    """Why the bound is not the known one, or why built networks do not bear it out."""
    if relu_floor(number) != floor:
        return f"{number} units miss by at least {floor}, where {relu_floor(number)} is stated."
    square: units.Polynomial = {(2,): 1}
    built = [largest_error(relu_square(pieces), square, pieces) for pieces in (number, number + 1)]
    if built[0] < floor:
        return f"A built network of {number} units misses by {built[0]}, below {floor}."
    return None if built[1] == floor else f"{number + 1} units miss by {built[1]}, not {floor}."


@check("mlp.relu", "mlp.activation", "mlp.theorem", "mlp.width", "mlp.size-constant",
       "beyond.mlp.relu-lower")  # fmt: skip
def relu_needs_more_units(job: Job) -> Iterator[Evidence]:
    """List what the printed number of ReLU units can bend, and build the best networks beside it."""
    yield from relu_evidence(PRODUCT)


def relu_evidence(
    polynomial: units.Polynomial, sigma: units.Scalar = units.relu
) -> Iterator[Evidence]:
    """What so many units of σ force, for a polynomial on the diagonal of the unit box."""
    number = width(polynomial)
    floor = units.linear_floor(number, polynomial, sigma)
    problem = relu_problem(number, floor)
    widths = ", ".join(f"1e-{k}: {relu_width(Fraction(1, 10**k))}" for k in (2, 4, 6, 8, 12))
    base = Evidence(
        "beyond.mlp.relu-lower", HOLDS, SYMBOLIC, "every N, one hidden layer, x² on [0, 1]",
        "N units give at most N + 1 linear pieces, one of length ℓ ≥ 1/(N+1), where the second "
        "difference ℓ²/2 forces an error of ℓ²/8; N + 1 units reach 1/(8(N+1)²), so the bound is "
        f"sharp up to one unit. For N = {number} all choices of what a unit bends were listed. Least "
        f"width for ε: {widths}.",
        engine="exact lists, built networks", certificate=pieces_certificate(polynomial, floor),
    )  # fmt: skip
    second = second_difference_problem()
    yield settled(problem or second, base)
    yield settled(problem or second, replace(base, claim="mlp.relu", reading=Name.REPAIRED))
    admitted = units.exceeds_degree(sigma, DEGREE - 1)
    told = (
        f"ReLU is no polynomial of degree below {DEGREE}, yet {number} units, {WIDTH} for m = "
        f"{inputs(polynomial)} and d = {DEGREE}, miss xy on the diagonal of [0, 1]² by at least {floor}."
    )
    for claim, reading in (
        ("mlp.relu", Name.LITERAL), ("mlp.activation", Name.LITERAL), ("mlp.theorem", Name.LITERAL),
        ("mlp.theorem", Name.CHARITABLE), ("mlp.size-constant", Name.LITERAL),
        ("mlp.width", Name.LITERAL),
    ):  # fmt: skip
        item = gap(
            claim, admitted and floor > 0 and problem is None, told,
            pieces_certificate(polynomial, floor),
            "An activation with a point around which it is smooth and σ'' is not 0.",
        )  # fmt: skip
        yield replace(item, reading=reading, scope="ReLU, xy on [0, 1]² or x² on [0, 1]")


def pieces_certificate(polynomial: units.Polynomial, floor: Fraction) -> dict[str, Plain]:
    """The printed width at m_1 and d, and the error that it forces."""
    return {
        "kind": "mlp.pieces", "width": WIDTH, "inputs": inputs(polynomial), "degree": DEGREE,
        "units": width(polynomial), "polynomial": written(polynomial), "floor": str(floor),
    }  # fmt: skip


def second_difference_problem() -> str | None:
    """x_0² - 2x_1² + x_2² = ℓ²/2 at the ends and the middle of a piece of length ℓ."""
    x, length = sympy.symbols("x l", positive=True)
    second = x**2 - 2 * (x + length / 2) ** 2 + (x + length) ** 2
    same = sympy.expand(second - length**2 / 2) == 0
    return None if same else "The second difference of x² is not ℓ²/2."


CONTINUOUS: dict[str, sympy.Expr] = {
    "tanh": sympy.tanh(U),
    "sigmoid": 1 / (1 + sympy.exp(-U)),
    "softplus": sympy.log(1 + sympy.exp(U)),
    "gelu": U * (1 + sympy.erf(U / sympy.sqrt(2))) / 2,
    "silu": U / (1 + sympy.exp(-U)),
    "relu": sympy.Max(U, 0),
}
STEP = sympy.Heaviside(U)


def jumps(activations: Mapping[str, sympy.Expr]) -> list[str]:
    """Those whose limits at 0 from both sides differ."""
    sides = {
        name: {sympy.limit(sigma, U, 0, side) for side in "+-"}
        for name, sigma in activations.items()
    }
    return [name for name, ends in sides.items() if len(ends) > 1]


@check("mlp.class")
def a_step_is_a_real_valued_function(job: Job) -> Iterator[Evidence]:
    """List what the printed number of steps can tell apart, and look for jumps."""
    yield from class_evidence(IDENTITY, units.step, {**CONTINUOUS, "step": STEP})


def class_evidence(
    polynomial: units.Polynomial, sigma: units.Scalar, activations: Mapping[str, sympy.Expr]
) -> Iterator[Evidence]:
    """What so many units of a real valued σ force, and which activations continuity leaves out."""
    number = width(polynomial)
    floor = units.constant_floor(number, polynomial, sigma)
    admitted = units.exceeds_degree(sigma, DEGREE - 1)
    yield gap(
        "mlp.class", admitted and floor > 0,
        f"A step function is real valued and no polynomial; {number} steps, {WIDTH} for m = "
        f"{inputs(polynomial)} and d = {DEGREE}, miss x on [0, 1] by at least {floor}, for all choices "
        "of what a step tells apart.",
        {"kind": "mlp.step", "width": WIDTH, "inputs": inputs(polynomial), "degree": DEGREE,
         "units": number, "polynomial": written(polynomial), "floor": str(floor)},
        "σ continuous.",
    )  # fmt: skip
    found = jumps(activations)
    kept = [name for name in activations if name not in found]
    yield settled(
        None if found == ["step"] else f"The activations that jump at 0: {found or 'none'}.",
        Evidence(
            "mlp.class", HOLDS, EXACT, "the activations used here",
            f"Continuous activations leave the step function out, which jumps at 0, and keep "
            f"{', '.join(kept)}.", Name.CHARITABLE, "SymPy",
            {"kind": "mlp.jumps", "activations": list(activations), "jumps": found},
        ),
    )  # fmt: skip


@check("mlp.polynomials")
def the_degree_bound_is_not_used(job: Job) -> Iterator[Evidence]:
    """Count the coefficients of degree at most d, and name a map of higher degree."""
    yield Evidence(
        "mlp.polynomials", HOLDS if len(lattice(4)) == count(WIDTH, m=4, d=DEGREE) else FAILS, EXACT,
        "d = 2, m_1 = 4",
        "With the degree bound kept, each component has C(m_1+d, d) coefficients, which is the width "
        "that the theorem names.", Name.CHARITABLE, "exact counts",
        {"kind": "mlp.lattice", "variables": 4},
    )  # fmt: skip
    cube = sympy.Poly(sympy.Symbol("x") ** 3).total_degree()
    yield gap(
        "mlp.polynomials", cube > DEGREE, "x³ is a multivariate polynomial map, of degree above d = 2.",
        {"kind": "mlp.degree", "d": DEGREE, "exponent": cube}, "Components of degree at most d.",
    )  # fmt: skip


def output_weights(network: MLP[Matrix], coordinate: int) -> Fraction:
    """Σ |weights| of one output, its offset included: a bound on it where |σ| ≤ 1."""
    column = (abs(w) for (_, c), w in network.output.entries.items() if c == coordinate)
    return sum(column, abs(Fraction(network.offset[coordinate])))


def least_far(polynomial: units.Polynomial, total: Fraction) -> int | None:
    """The least whole x with f(x, …, x) > Σ|weights| + 1, if any is below a square bound."""
    most = isqrt(int(total) + 2) + 2
    low, high = 0, most
    if units.on_the_diagonal(polynomial, Fraction(most)) <= total + 1:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        far = units.on_the_diagonal(polynomial, Fraction(middle)) > total + 1
        low, high = (low, middle) if far else (middle, high)
    return high


def miss(made: Multiplier, polynomial: units.Polynomial, x: int) -> flint.arb:
    """|f(x, x) - g(x, x)| of the built network, enclosed."""
    bits = 128 + 4 * made.scale.numerator.bit_length()
    with Balls(bits) as arithmetic:
        row = [[Fraction(x), Fraction(x), Fraction(0), Fraction(0)]]
        network = made.block.map(arithmetic.weight, arithmetic.row)
        found = network(arithmetic, arithmetic.array(row))[0][0]
        value = units.on_the_diagonal(polynomial, Fraction(x))
        return abs(found - flint.arb(flint.fmpq(value.numerator, value.denominator)))


@check("mlp.domain")
def no_domain_is_given(job: Job) -> Iterator[Evidence]:
    """Follow a built network of the printed width to a point beyond the sum of its output weights."""
    yield domain_evidence(printed_route(1, "tanh", BOX, Fraction(1, 1000)), PRODUCT)


def bounded_by_one(name: str) -> bool:
    """Whether 1 - σ² is certainly positive."""
    room = sympy.factor(sympy.together((1 - CONTINUOUS[name] ** 2).rewrite(sympy.exp)))
    return room.is_positive is True


def domain_evidence(made: Multiplier, polynomial: units.Polynomial) -> Evidence:
    """Where a bounded network of the printed width must miss a polynomial."""
    total = output_weights(made.block, 0)
    point = least_far(polynomial, total)
    bounded, wide = bounded_by_one(made.activation), made.units == width(polynomial)
    far = point is not None and bool(miss(made, polynomial, point) > 1)
    every = sympy.Symbol("s", nonnegative=True)
    beyond = sympy.expand((every + 2) ** 2 - every - 1).is_positive
    return gap(
        "mlp.domain", bounded and wide and far and bool(beyond),
        f"{made.activation} is at most 1 in size; the built network with {made.units} units, {WIDTH} for "
        f"m = 2 and d = 2, has output weights of sum about {float(total):.3g}, stays below it everywhere "
        f"and misses x·x at x = {point} by more than 1. A network with sum s misses by more than 1 at "
        "s + 2.",
        {"kind": "mlp.bounded", "activation": made.activation, "units": made.units,
         "polynomial": written(polynomial), "weights": str(total), "point": str(point), "eps": "1"},
        "A compact domain.",
    )  # fmt: skip


@check("mlp.biases")
def no_biases_are_given(job: Job) -> Iterator[Evidence]:
    """An odd activation without biases gives an odd network, and xy is even."""
    yield gap(
        "mlp.biases", odd_without_biases(), "Without biases a tanh network is odd, while xy is even in "
        "(x, y): at (1, 1) or (-1, -1) it misses by at least 1.",
        {"kind": "mlp.odd", "left": "1", "right": "1", "eps": "1/2"}, "Biases in the hidden layer.",
    )  # fmt: skip


def odd_without_biases() -> bool:
    """Whether a generic tanh network without biases is an odd function."""
    x, y, a, b, c = sympy.symbols("x y a b c", real=True)
    unit = c * sympy.tanh(a * x + b * y)
    return bool(sympy.simplify(unit + unit.subs({x: -x, y: -y}, simultaneous=True)) == 0)
