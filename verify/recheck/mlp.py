"""Certificates on multiplying MLPs: remainders from closed derivatives, counts, and pieces.

The derivatives of sigmoid, tanh, softplus, SiLU and GELU are polynomials of s = sigmoid(x), of x
and of the normal density, so that bounds for exp, π and roots are enough; intervals are pairs of
rationals. An end-to-end certificate repeats the corrected recursion in Frobenius norm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb
from typing import Any

from verify.recheck import bounds
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.soft import Model, Square, span

Body = Mapping[str, Any]
Interval = tuple[Fraction, Fraction]
BITS = 256


def _add(*parts: Interval) -> Interval:
    return sum((p[0] for p in parts), Fraction(0)), sum((p[1] for p in parts), Fraction(0))


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return bounds.down(min(ends), BITS), bounds.up(max(ends), BITS)


def _scaled(factor: int, a: Interval) -> Interval:
    return (factor * a[0], factor * a[1]) if factor >= 0 else (factor * a[1], factor * a[0])


def _polynomial(coefficients: tuple[int, ...], x: Interval) -> Interval:
    """Σ c_k x^k by Horner's rule."""
    total: Interval = (Fraction(0), Fraction(0))
    for coefficient in reversed(coefficients):
        total = _add(_times(total, x), (Fraction(coefficient), Fraction(coefficient)))
    return total


def sigmoid(x: Interval) -> Interval:
    """1/(1 + exp(-x)), which increases."""
    low, high = bounds.exp(-x[0], BITS)[1], bounds.exp(-x[1], BITS)[0]
    return bounds.down(1 / (1 + low), BITS), bounds.up(1 / (1 + high), BITS)


# σ^(k) of the sigmoid as polynomials of s, from s' = s - s²
SIGMOID = {
    1: (0, 1, -1),
    2: (0, 1, -3, 2),
    3: (0, 1, -7, 12, -6),
    4: (0, 1, -15, 50, -60, 24),
}


def _sigmoid_derivative(x: Interval, order: int) -> Interval:
    return _polynomial(SIGMOID[order], sigmoid(x))


def _tanh(x: Interval, order: int) -> Interval:
    """tanh x = 2 sigmoid(2x) - 1."""
    return _scaled(2 ** (order + 1), _sigmoid_derivative(_scaled(2, x), order))


def _silu(x: Interval, order: int) -> Interval:
    """(x s)^(k) = x s^(k) + k s^(k-1)."""
    return _add(
        _times(x, _sigmoid_derivative(x, order)),
        _scaled(order, _sigmoid_derivative(x, order - 1)),
    )


# (x Φ)'' = φ (2 - x²), and φ' = -x φ
GELU = {2: (2, 0, -1), 3: (0, -4, 0, 1), 4: (-4, 0, 7, 0, -1)}


def _gelu(x: Interval, order: int) -> Interval:
    squares = [x[0] ** 2, x[1] ** 2]
    least = Fraction(0) if x[0] <= 0 <= x[1] else min(squares)
    power = bounds.exp(-max(squares) / 2, BITS)[0], bounds.exp(-least / 2, BITS)[1]
    root = (
        bounds.sqrt(2 * bounds.pi(BITS)[0], BITS)[0],
        bounds.sqrt(2 * bounds.pi(BITS)[1], BITS)[1],
    )
    density = power[0] / root[1], power[1] / root[0]
    return _times(density, _polynomial(GELU[order], x))


DERIVATIVES: dict[str, Callable[[Interval, int], Interval]] = {
    "sigmoid": _sigmoid_derivative,
    "tanh": _tanh,
    "softplus": lambda x, order: _sigmoid_derivative(x, order - 1),
    "silu": _silu,
    "gelu": _gelu,
}


def _size(a: Interval) -> Fraction:
    return max(-a[0], a[1])


def product_error(body: Body) -> tuple[Fraction, Fraction]:
    """(R, bound): how far the four units of a product are from xy on |x|, |y| ≤ R."""
    name = text(body, "activation")
    if name not in DERIVATIVES:
        raise Refused(f"activation {name!r} is not known")
    b, h, s, radius = (fraction(body.get(f)) for f in ("point", "step", "scale", "radius"))
    if h <= 0 or radius <= 0:
        raise Refused("step and radius must be positive")
    reach = 2 * h * radius
    fourth = _size(DERIVATIVES[name]((b - reach, b + reach), 4))
    curvature = DERIVATIVES[name]((b, b), 2)
    miss = _size(_add(_times((4 * h * h * s,) * 2, curvature), (Fraction(-1),) * 2))
    return radius, abs(s) * fourth * h**4 * 16 * radius**4 / 12 + miss * radius**2


def multiplier(body: Body) -> str:
    """Four units a product: each entry of an n × n product is within the stated bound."""
    only(body, {"kind", "n", "units", "activation", "point", "step", "scale", "radius", "bound"})
    n = integer(body, "n", 1)
    agree("units", integer(body, "units"), 4 * n**3)
    radius, error = product_error(body)
    if n * error > fraction(body["bound"]):
        raise Refused(f"an entry may miss by {float(n * error)}")
    return (
        f"{4 * n**3} {body['activation']} units multiply within {float(n * error):.3g} on {radius}"
    )


def relu(body: Body) -> str:
    """N units: x² on [0, 1] is missed by at least 1/(8(N+1)²), which exceeds ε."""
    only(body, {"kind", "n", "units", "eps"})
    n, units = integer(body, "n", 1), integer(body, "units", 1)
    agree("the printed width", units, comb(2 * n * n + 2, 2))
    piece = Fraction(1, units + 1)
    ends = [Fraction(0), piece / 2, piece]
    second = ends[0] ** 2 - 2 * ends[1] ** 2 + ends[2] ** 2
    if not second / 4 > fraction(body["eps"]) > 0:
        raise Refused(f"{units} units are not excluded for that ε")
    return f"{units} ReLU units miss x² by at least {second / 4} > {body['eps']}"


def _printed_width(body: Body) -> int:
    """The number of units that the printed formula gives for m_1 and d."""
    agree("the printed width", text(body, "width"), "C(m+d, d)")
    units = integer(body, "units", 1)
    found = comb(integer(body, "inputs", 1) + integer(body, "degree", 2), integer(body, "degree"))
    agree("units", units, found)
    return units


def _diagonal(body: Body, x: Fraction, inputs: int, degree: int) -> Fraction:
    """f(x, …, x) for a polynomial of at most that degree, given by exponents and coefficients."""
    total = Fraction(0)
    for powers, coefficient in sequence(body, "polynomial"):
        if len(powers) != inputs or not 0 <= sum(powers) <= degree or type(coefficient) is not int:
            raise Refused(
                f"{powers} is no monomial of degree at most {degree} in {inputs} variables"
            )
        total += coefficient * x ** sum(powers)
    return total


def _grid_values(body: Body, pieces: int) -> list[Fraction]:
    inputs, degree = integer(body, "inputs"), integer(body, "degree")
    return [_diagonal(body, Fraction(k, pieces), inputs, degree) for k in range(pieces + 1)]


SPENT = {"kind", "width", "inputs", "degree", "units", "polynomial", "floor"}


def pieces(body: Body) -> str:
    """N kinks leave one of N + 1 intervals linear: f is missed by its least second difference / 4."""
    only(body, SPENT)
    units = _printed_width(body)
    values = _grid_values(body, 2 * (units + 1))
    triples = zip(values[::2], values[1::2], values[2::2], strict=False)
    floor = min(abs(low - 2 * middle + high) / 4 for low, middle, high in triples)
    agree("the error forced", fraction(body["floor"]), floor)
    if floor <= 0:
        raise Refused("no error is forced")
    return f"{units} ReLU units miss f by at least {floor}"


def step(body: Body) -> str:
    """N steps leave two neighbours among N + 2 points alike: f is missed by half its least step."""
    only(body, SPENT)
    units = _printed_width(body)
    values = _grid_values(body, units + 1)
    floor = min(abs(b - a) / 2 for a, b in pairwise(values))
    agree("the error forced", fraction(body["floor"]), floor)
    if floor <= 0:
        raise Refused("no error is forced")
    return f"{units} steps miss f by at least {floor}"


def jumps(body: Body) -> str:
    """The step function jumps at 0; ReLU is 1-Lipschitz; the others have enclosed derivatives."""
    only(body, {"kind", "activations", "jumps"})
    unit = (Fraction(-1), Fraction(1))
    smooth = [name for name, derivative in DERIVATIVES.items() if _size(derivative(unit, 2)) < 100]
    agree(
        "the activations", sorted(sequence(body, "activations")), sorted([*smooth, "relu", "step"])
    )
    agree("those that jump", sequence(body, "jumps"), ["step"])
    return f"{len(smooth) + 1} activations are continuous, the step function is not"


def odd(body: Body) -> str:
    """Odd σ, no biases: g(-x) = -g(x), so |f(x) - g(x)| + |f(-x) - g(-x)| ≥ 2|f(x)|, f even."""
    only(body, {"kind", "left", "right", "eps"})
    value = fraction(body["left"]) * fraction(body["right"])
    if not abs(value) > fraction(body["eps"]) > 0:
        raise Refused("the product is not larger than ε")
    return f"one of (x, y), (-x, -y) is missed by at least {abs(value)}"


def bounded(body: Body) -> str:
    """|σ| ≤ 1: |g| ≤ Σ|w| everywhere; x is the least whole number with f(x, x) > Σ|w| + ε."""
    only(body, {"kind", "activation", "units", "polynomial", "weights", "point", "eps"})
    if text(body, "activation") not in {"tanh", "sigmoid"}:
        raise Refused(f"{body['activation']} is not known to be at most 1 in size")
    agree("units", integer(body, "units"), comb(2 + 2, 2))
    total, x, eps = (fraction(body[field]) for field in ("weights", "point", "eps"))
    beyond = [_diagonal(body, at, 2, 2) > total + eps for at in (x - 1, x)]
    if total < 0 or eps <= 0 or x.denominator > 1 or beyond != [False, True]:
        raise Refused("that is not the least point beyond the network's range")
    return (
        f"{body['activation']} units with weights of sum {float(total):.3g} miss f at {x} by {eps}"
    )


def degree(body: Body) -> str:
    """A monomial of degree above d is a polynomial map."""
    only(body, {"kind", "d", "exponent"})
    if integer(body, "exponent", 1) <= integer(body, "d", 2):
        raise Refused("the monomial has degree at most d")
    return f"x^{body['exponent']} is a polynomial map of degree above {body['d']}"


def scheme(body: Body) -> str:
    """Brent's equations: the products of a bilinear scheme add up to the matrix product."""
    only(body, {"kind", "n", "terms"})
    n, terms = integer(body, "n", 1), sequence(body, "terms")
    total: dict[tuple[int, int, int], int] = {}
    for left, right, out in terms:
        for (a, x), (b, y), (c, z) in product(left, right, out):
            total[a, b, c] = total.get((a, b, c), 0) + x * y * z
    found = {at: value for at, value in total.items() if value}
    wanted = {(i * n + k, k * n + j, i * n + j): 1 for i, k, j in product(range(n), repeat=3)}
    agree("the product", found, wanted)
    return f"{len(terms)} products give the {n} × {n} matrix product"


def widths(body: Body) -> str:
    """4n³, 28 (n/2)³ and n³ + 2n² + 1 units against the printed C(2n²+2, 2)."""
    only(body, {"kind", "rows"})
    for row in sequence(body, "rows"):
        only(row, {"n", "slim", "strassen", "used", "printed"})
        n = integer(row, "n", 1)
        agree("4n³", row["slim"], 4 * n**3)
        agree("28(n/2)³", row["strassen"], None if n % 2 else 28 * (n // 2) ** 3)
        agree("n³+2n²+1", row["used"], n**3 + 2 * n * n + 1)
        agree("C(2n²+2, 2)", row["printed"], comb(2 * n * n + 2, 2))
        if row["slim"] > row["printed"] or row["used"] > row["printed"]:
            raise Refused(f"n = {n}: wider than printed")
    return f"{len(body['rows'])} widths are as counted, none above the printed one"


def lattice(body: Body) -> str:
    """The C(m+2, 2) points 0, e_i, 2e_i, e_i+e_j determine every polynomial of degree ≤ 2."""
    only(body, {"kind", "variables"})
    m = integer(body, "variables", 1)
    if m > 8:
        raise Refused("at most 8 variables are recomputed")
    points = [
        (),
        *((i,) for i in range(m)),
        *((i, i) for i in range(m)),
        *combinations(range(m), 2),
    ]
    table = [[_monomial(point, other) for other in points] for point in points]
    agree("the rank", _rank(table), comb(m + 2, 2))
    return f"{comb(m + 2, 2)} points settle a polynomial of degree 2 in {m} variables"


def _monomial(at: tuple[int, ...], exponents: tuple[int, ...]) -> Fraction:
    value = 1
    for variable in exponents:
        value *= at.count(variable)
    return Fraction(value)


def _rank(table: list[list[Fraction]]) -> int:
    rank = 0
    for column in range(len(table)):
        pivot = next((i for i in range(rank, len(table)) if table[i][column]), None)
        if pivot is None:
            continue
        table[rank], table[pivot] = table[pivot], table[rank]
        for i in range(rank + 1, len(table)):
            factor = table[i][column] / table[rank][column]
            table[i] = [a - factor * b for a, b in zip(table[i], table[rank], strict=True)]
        rank += 1
    return rank


def end_to_end(body: Body) -> str:
    """Attention and MLP together: the corrected recursion in Frobenius norm, for all words."""
    only(body, {"kind", "transitions", "alpha", "length", "saturation", "activation", "point",
                "step", "scale", "radius", "units", "eps"})  # fmt: skip
    alpha = [fraction(value) for value in sequence(body, "alpha")]
    n, length = len(alpha), integer(body, "length", 2)
    letters = [square(rows, n) for rows in body["transitions"].values()]
    agree("units", integer(body, "units"), 4 * n**3)
    radius, error = product_error(body)
    model = Model(1, length, fraction(body["saturation"]))
    leak = Fraction((1 << model.bits) - model.row[0][0], 1 << model.bits)
    total, shift = Fraction(0), 1
    while shift < span(length):
        norm, entry = largest(letters, n, shift)
        delta = total + leak * 2 * norm
        if entry + delta > radius:
            raise Refused(f"entries of up to {float(entry + delta)} leave the MLP's domain")
        total = 2 * norm * delta + delta * delta + n * n * error
        shift *= 2
    states = total * bounds.sqrt(sum((a * a for a in alpha), Fraction(0)) * (length + 1))[1]
    if not states < fraction(body["eps"]):
        raise Refused(f"the states may miss by {float(states)}")
    return f"n = {n}, T = {length}: all words within {float(states):.3g} with {4 * n**3} units"


def square(rows: Any, n: int) -> Square:
    """An n × n matrix of rationals."""
    if not isinstance(rows, list) or len(rows) != n or any(len(row) != n for row in rows):
        raise Refused(f"expected a {n} × {n} matrix")
    return tuple(tuple(fraction(value) for value in row) for row in rows)


def largest(letters: list[Square], n: int, longest: int) -> tuple[Fraction, Fraction]:
    """(Frobenius norm, entry), largest over products of at most `longest` letters."""
    if len(letters) ** longest > 4096:
        raise Refused("too many products to list")
    one: Square = tuple(tuple(Fraction(int(i == j)) for j in range(n)) for i in range(n))
    current, squares, entries = {one}, [Fraction(n)], [Fraction(1)]
    for _ in range(longest):
        current = {_product(a, b) for a in current for b in letters}
        squares += [sum((x * x for row in a for x in row), Fraction(0)) for a in current]
        entries += [abs(x) for a in current for row in a for x in row]
    return bounds.sqrt(max(squares))[1], max(entries)


def _product(a: Square, b: Square) -> Square:
    columns = list(zip(*b, strict=True))
    return tuple(
        tuple(sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns)
        for row in a
    )


VALIDATORS: dict[str, Callable[[Body], str]] = {
    f"mlp.{validator.__name__.replace('_', '-')}": validator
    for validator in (
        multiplier, relu, pieces, step, jumps, odd, bounded, degree, scheme, widths, lattice, end_to_end,
    )
}  # fmt: skip
