"""The MLP theorem as abridged in Appendix B.2, and MLPs that multiply, written down.

Claims        mlp.*, beyond.mlp.*
Roads         counterexamples by exact counting of pieces, symmetry and size; explicit MLPs with a
              rigorous Taylor remainder for tanh, sigmoid, softplus, GELU and SiLU
Notation      N hidden units, R bound on the entries, ε error of an entry
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import flint
import sympy

from constructions.activations import SMOOTH
from constructions.families import counting
from constructions.multiplication import (
    Multiplier,
    Term,
    lattice,
    printed_route,
    printed_width,
    relu_floor,
    relu_square,
    relu_width,
    schoolbook,
    slim,
    strassen,
    through_strassen,
)
from verify.bounds import certificates
from verify.bounds.leak import ball
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines.circulant import state_error
from verify.evidence import Evidence, Figure, Outcome, Plain, Series, Strength, Table, settled

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS
SYMBOLIC, EXACT, ENCLOSURE = Strength.SYMBOLIC, Strength.EXACT, Strength.ENCLOSURE
BOX = Fraction(2)
EPS = Fraction(1, 10**12)


def taylor_problem() -> str | None:
    """Whether both formulas for xy agree with it up to the stated order, for generic σ."""
    x, y, h, s0, s1, s2, s3, s4 = sympy.symbols("x y h s0:5")

    def sigma(u: sympy.Expr) -> sympy.Expr:
        return s0 + s1 * u + s2 * u**2 / 2 + s3 * u**3 / 6 + s4 * u**4 / 24

    plus, minus = h * (x + y), h * (x - y)
    four = sigma(plus) + sigma(-plus) - sigma(minus) - sigma(-minus)
    rest = sympy.expand(four - 4 * h**2 * s2 * x * y)
    if sympy.expand(rest - s4 * h**4 * ((x + y) ** 4 - (x - y) ** 4) / 12) != 0:
        return "The four units do not give 4h²σ''(b)xy up to fourth order."
    printed = sigma(plus) - sigma(h * x) - sigma(h * y) + sigma(sympy.Integer(0))
    low = sympy.Poly(sympy.expand(printed - h**2 * s2 * x * y), h)
    return None if min(m[0] for m in low.monoms()) >= 3 else "The lattice units miss xy."


def multipliers() -> Iterator[Multiplier]:
    """Slim MLPs for n = 2 in every activation."""
    for name in SMOOTH:
        yield slim(2, name, BOX, EPS)


def remainder_table() -> Table:
    """Step, units and rigorous bound for each activation and kind."""
    rows = []
    for name in SMOOTH:
        for make in (slim, through_strassen, printed_route):
            made = make(2, name, BOX, EPS)
            step = f"2^-{made.step.denominator.bit_length() - 1}"
            cells = (made.units, made.used, made.point, step, f"{float(made.bound):.3g}")
            rows.append((name, made.kind, *map(str, cells)))
    header = ("activation", "kind", "units", "used", "b", "h", "bound")
    return Table("mlp-remainders", "n = 2, entries up to 2, ε = 1e-12", header, tuple(rows))


@check("mlp.product", "mlp.theorem", "mlp.width", "mlp.activation", "mlp.domain", "mlp.biases",
       "mlp.size-constant", "beyond.mlp.slim")  # fmt: skip
def explicit_mlps_multiply(job: Job) -> Iterator[Evidence]:
    """Expand σ to fourth order, choose b and h, and bound the remainder by balls."""
    made = list(multipliers())
    late = next((m.activation for m in made if m.bound > EPS or m.units != 32), None)
    problem = taylor_problem() or (None if late is None else f"{late} does not reach {EPS}.")
    text = (
        "xy is 4h²σ''(b) times a combination of four units up to fourth order; for tanh, sigmoid, "
        f"softplus, GELU and SiLU 32 units multiply 2 × 2 matrices with entries up to {BOX} within "
        "1e-12, by a rigorous remainder that falls like h²."
    )
    tables = (remainder_table(),)
    readings = (
        ("mlp.product", Name.LITERAL), ("mlp.product", Name.CHARITABLE),
        ("mlp.theorem", Name.REPAIRED), ("mlp.width", Name.CHARITABLE),
        ("mlp.activation", Name.REPAIRED), ("mlp.domain", Name.REPAIRED),
        ("mlp.biases", Name.REPAIRED), ("mlp.size-constant", Name.CHARITABLE),
        ("beyond.mlp.slim", Name.LITERAL),
    )  # fmt: skip
    for claim, reading in readings:
        yield settled(problem, Evidence(
            claim, HOLDS, SYMBOLIC, "degree 2, every n, R and ε; smooth σ with σ''(b) ≠ 0", text,
            reading, "SymPy, balls", certificates.multiplier(made[0], EPS),
            tables=tables if claim == "beyond.mlp.slim" else (),
            figures=(width_figure(),) if claim == "beyond.mlp.slim" else (),
            limits="Shown for degree 2, the case that Theorem 2 uses.",
        ))  # fmt: skip


def width_figure() -> Figure:
    """Widths of the MLPs against n."""
    sizes = range(1, 11)
    even = [n for n in sizes if n % 2 == 0]

    def series(label: str, at: list[int], values: list[int]) -> Series:
        return Series(label, tuple(map(str, at)), tuple(map(str, values)))

    return Figure(
        "mlp-widths", "Hidden units that multiply two n × n matrices",
        "Four curves over n on a logarithmic axis; the printed width is the highest for n above 1.",
        "n", "hidden units",
        (
            series("printed, 2n⁴ + 3n² + 1", list(sizes), [printed_width(n) for n in sizes]),
            series("slim, 4n³", list(sizes), [4 * n**3 for n in sizes]),
            series("Strassen, 28(n/2)³", even, [28 * (n // 2) ** 3 for n in even]),
            series("used of the printed, n³ + 2n² + 1", list(sizes),
                   [n**3 + 2 * n * n + 1 for n in sizes]),
        ),
        yscale="log",
    )  # fmt: skip


@check("mlp.width")
def the_lattice_of_units(job: Job) -> Iterator[Evidence]:
    """Count the lattice and compute the rank of its monomials."""
    largest = 8 if job.full else 6
    problem = None
    for m in range(1, largest + 1):
        points = lattice(m)
        rows = [[prod_at(point, other) for other in points] for point in points]
        if len(points) != comb(m + 2, 2) or flint.fmpz_mat(rows).rank() != len(points):
            problem = f"m = {m}: the lattice does not determine polynomials of degree 2."
    yield settled(problem, Evidence(
        "mlp.width", HOLDS, EXACT, f"d = 2, m_1 ≤ {largest}",
        "C(m_1+2, 2) units at the lattice points 0, e_i, 2e_i, e_i + e_j determine every polynomial "
        "of degree 2; for the matrix product n³ + 2n² + 1 of them carry a weight.",
        engine="exact ranks", certificate={"kind": "mlp.lattice", "variables": min(largest, 6)},
    ))  # fmt: skip


def prod_at(point: tuple[int, ...], exponents: tuple[int, ...]) -> int:
    """The monomial with these exponents at a lattice point."""
    value = 1
    for variable in exponents:
        value *= point.count(variable)
    return value


def scheme_problem(n: int, terms: tuple[Term, ...]) -> str | None:
    """Whether a bilinear scheme is the matrix product, by Brent's equations."""
    total: dict[tuple[int, int, int], int] = {}
    for term in terms:
        for (a, x), (b, y), (c, z) in product(
            term.left.items(), term.right.items(), term.out.items()
        ):
            total[a, b, c] = total.get((a, b, c), 0) + x * y * z
    wanted = {(i * n + k, k * n + j, i * n + j): 1 for i, k, j in product(range(n), repeat=3)}
    found = {at: value for at, value in total.items() if value}
    return None if found == wanted else f"n = {n}: the scheme is not the matrix product."


def plain_scheme(n: int, terms: tuple[Term, ...]) -> dict[str, Plain]:
    """A scheme as a certificate."""
    forms: list[Plain] = [
        [[[c, s] for c, s in form.items()] for form in (term.left, term.right, term.out)]
        for term in terms
    ]
    return {"kind": "mlp.scheme", "n": n, "terms": forms}


@check("beyond.mlp.fast", "beyond.mlp.slim")
def fewer_units_by_strassen(job: Job) -> Iterator[Evidence]:
    """Check Brent's equations and count units."""
    problem = scheme_problem(3, schoolbook(3))
    for n in (2, 4):
        problem = problem or scheme_problem(n, strassen(n))
        if through_strassen(n, "tanh", BOX, EPS).units != 28 * (n // 2) ** 3:
            problem = f"n = {n}: not 28(n/2)³ units."
    yield settled(problem, Evidence(
        "beyond.mlp.fast", HOLDS, EXACT, "n = 2 and 4; 28(n/2)³ < 4n³ for every even n",
        "Strassen's seven products give the matrix product with 28 and 224 units, where the "
        "schoolbook takes 32 and 256.", engine="Brent's equations",
        certificate=plain_scheme(2, strassen(2)),
    ))  # fmt: skip
    rows: list[Plain] = []
    for n in (1, 2, 3):
        even = None if n % 2 else through_strassen(n, "gelu", BOX, EPS).units
        printed = printed_route(n, "gelu", BOX, EPS)
        rows.append({"n": n, "slim": slim(n, "gelu", BOX, EPS).units, "strassen": even,
                     "used": printed.used, "printed": printed.units})  # fmt: skip
    yield Evidence(
        "beyond.mlp.slim", HOLDS, EXACT, "n ≤ 3 built; 2n⁴ - 4n³ + 3n² + 1 > 0 for every n",
        "Built MLPs have 4n³ units, never more than the printed width; of the printed lattice "
        "n³ + 2n² + 1 units carry a weight.", engine="built MLPs",
        certificate={"kind": "mlp.widths", "rows": rows},
    )  # fmt: skip


@check("mlp.product", "beyond.mlp.slim")
def end_to_end(job: Job) -> Iterator[Evidence]:
    """Run attention and MLP together on words of length 8 and enclose the error of the states."""
    automaton, length, saturation = counting(), 8, Fraction(500)
    words = [*automaton.words(length)] if job.full else [tuple("00000000"), tuple("01001100")]
    for name in ("tanh", "gelu"):
        made = slim(2, name, Fraction(10), EPS)
        error = state_error(automaton, words, length, saturation, made)
        good = bool(error < ball(Fraction(1, 10**6)))
        for claim in ("mlp.product", "beyond.mlp.slim"):
            yield Evidence(
                claim, HOLDS if good else FAILS, ENCLOSURE,
                "counting automaton, n = 2, T = 8, C = 500, all 256 words by the recursion; "
                f"{len(words)} run",
                f"With {made.units} {name} units and soft attention the states are within "
                f"{error.str(3, radius=False)} on the words run, certainly below 1e-6.",
                Name.LITERAL if claim.startswith("beyond") else Name.CHARITABLE, "balls",
                {"kind": "mlp.end-to-end", **certificates.plain_automaton(automaton),
                 "length": length, "saturation": str(saturation), "units": made.units,
                 "eps": "1/1000000", **certificates.unit_weights(made)},
            )  # fmt: skip


def second_difference_problem() -> str | None:
    """x_0² - 2x_1² + x_2² = ℓ²/2 at the ends and the middle of a piece of length ℓ."""
    x, length = sympy.symbols("x l", positive=True)
    second = x**2 - 2 * (x + length / 2) ** 2 + (x + length) ** 2
    if sympy.expand(second - length**2 / 2) != 0:
        return "The second difference of x² is not ℓ²/2."
    worst = _relu_error(4)
    return None if worst == Fraction(1, 8 * 16) else f"Four units miss by {worst}."


def _relu_error(pieces: int) -> Fraction:
    """The largest error of `relu_square` at ends and middles of pieces."""
    made = relu_square(pieces)
    errors = []
    for k in range(2 * pieces + 1):
        x = Fraction(k, 2 * pieces)
        value = Fraction(made.offset[0])
        for unit, bias in enumerate(made.bias):
            value += max(x + bias, Fraction(0)) * made.output.entries[unit, 0]
        errors.append(abs(value - x * x))
    return max(errors)


@check("mlp.relu", "mlp.activation", "mlp.theorem", "mlp.size-constant", "beyond.mlp.relu-lower")
def relu_needs_more_units(job: Job) -> Iterator[Evidence]:
    """Bound the error of piecewise linear functions on x² from below and from above."""
    problem = second_difference_problem()
    units = printed_width(1)
    floor = relu_floor(units)
    widths = ", ".join(f"1e-{k}: {relu_width(Fraction(1, 10**k))}" for k in (2, 4, 6, 8, 12))
    certificate: dict[str, Plain] = {
        "kind": "mlp.relu", "n": 1, "units": units, "eps": str(floor / 2),
    }  # fmt: skip
    base = Evidence(
        "beyond.mlp.relu-lower", HOLDS, SYMBOLIC, "every N, one hidden layer, x² on [0, 1]",
        "N units give at most N + 1 linear pieces, one of length ℓ ≥ 1/(N+1), where the second "
        "difference ℓ²/2 forces an error of ℓ²/8; N + 1 units reach 1/(8(N+1)²), so the bound is "
        f"sharp up to one unit. Least width for ε: {widths}.",
        engine="SymPy", certificate=certificate,
    )  # fmt: skip
    yield settled(problem, base)
    yield settled(problem, replace(base, claim="mlp.relu", reading=Name.REPAIRED))
    if problem is not None:
        return
    for claim, reading in (
        ("mlp.relu", Name.LITERAL), ("mlp.activation", Name.LITERAL), ("mlp.theorem", Name.LITERAL),
        ("mlp.theorem", Name.CHARITABLE), ("mlp.size-constant", Name.LITERAL),
    ):  # fmt: skip
        yield replace(
            base, claim=claim, reading=reading, outcome=FAILS, strength=EXACT,
            scope="ReLU, xy on [0, 1]² or x² on [0, 1]",
            summary=f"ReLU is no polynomial, yet {units} units, the width for m_1 = 2 and d = 2, miss "
            f"xy on the diagonal of [0, 1]² by at least {floor}.",
            counterexample=f"σ = ReLU, f(x, y) = xy, N = {units}, ε = {floor / 2}.",
            repair="An activation with a point around which it is smooth and σ'' is not 0.",
        )  # fmt: skip


@check("mlp.class", "mlp.polynomials", "mlp.domain", "mlp.biases")
def what_the_abridged_theorem_leaves_out(job: Job) -> Iterator[Evidence]:
    """A step function, a monomial of high degree, a far point, and an odd activation."""
    units = comb(1 + 2, 2)
    steps = Fraction(1, 2 * (units + 1))
    yield _gap(
        "mlp.class", steps > 0, f"A step function is real valued and no polynomial; {units} steps "
        f"miss x on [0, 1] by at least {steps}.", {"kind": "mlp.step", "units": units,
                                                   "eps": str(steps / 2)}, "σ continuous.",
    )  # fmt: skip
    jump = sympy.Heaviside(sympy.Symbol("u"))
    ends = {sympy.limit(jump, sympy.Symbol("u"), 0, side) for side in "+-"}
    yield settled(None if len(ends) == 2 else "The step function is continuous.", Evidence(
        "mlp.class", HOLDS, EXACT, "the activations used here",
        "Continuous activations leave the step function out and keep tanh, sigmoid, softplus, GELU, "
        "SiLU and ReLU.", Name.CHARITABLE, "SymPy",
        {"kind": "mlp.step", "units": units, "eps": str(steps / 2)},
    ))  # fmt: skip
    yield Evidence(
        "mlp.polynomials", HOLDS if len(lattice(4)) == comb(6, 2) else FAILS, EXACT, "d = 2, m_1 = 4",
        "With the degree bound kept, each component has C(m_1+d, d) coefficients, which is the width "
        "that the theorem names.", Name.CHARITABLE, "exact counts",
        {"kind": "mlp.lattice", "variables": 4},
    )  # fmt: skip
    cube = sympy.Poly(sympy.Symbol("x") ** 3).total_degree()
    yield _gap(
        "mlp.polynomials", cube > 2, "x³ is a multivariate polynomial map, of degree above d = 2.",
        {"kind": "mlp.degree", "d": 2, "exponent": cube}, "Components of degree at most d.",
    )  # fmt: skip
    total, point = Fraction(100), Fraction(11)
    yield _gap(
        "mlp.domain", point**2 - total > 1, "tanh is at most 1 in size, so a network with output "
        "weights of sum 100 stays below 100 and misses x·x at x = 11 by more than 1; every other "
        "sum has its own point.", {"kind": "mlp.bounded", "weights": str(total),
                                   "point": str(point), "eps": "1"}, "A compact domain.",
    )  # fmt: skip
    odd = odd_without_biases()
    yield _gap(
        "mlp.biases", odd, "Without biases a tanh network is odd, while xy is even in (x, y): at "
        "(1, 1) or (-1, -1) it misses by at least 1.",
        {"kind": "mlp.odd", "left": "1", "right": "1", "eps": "1/2"}, "Biases in the hidden layer.",
    )  # fmt: skip


def odd_without_biases() -> bool:
    """Whether a generic tanh network without biases is an odd function."""
    x, y, a, b, c = sympy.symbols("x y a b c", real=True)
    unit = c * sympy.tanh(a * x + b * y)
    return bool(sympy.simplify(unit + unit.subs({x: -x, y: -y}, simultaneous=True)) == 0)


def _gap(
    claim: str, seen: bool, summary: str, certificate: dict[str, Plain], repair: str
) -> Evidence:
    return Evidence(
        claim, FAILS if seen else HOLDS, EXACT, "as printed", summary, engine="exact",
        certificate=certificate, counterexample=summary, repair=repair,
    )  # fmt: skip
