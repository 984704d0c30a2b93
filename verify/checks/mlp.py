"""The MLP theorem of Appendix B.2 where it holds: MLPs that multiply, written down.

Claims        mlp.* where they hold, beyond.mlp.*; what the abridgement admits and must not is in
              `mlp_abridged`
Roads         explicit MLPs with a rigorous Taylor remainder for tanh, sigmoid, softplus, GELU and
              SiLU; exact ranks, Brent's equations
Notation      N hidden units, R bound on the entries, ε error of an entry
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
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
from verify.engines.printed import count
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


@check("mlp.product", "mlp.theorem", "mlp.activation", "mlp.domain", "mlp.biases",
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
        ("mlp.theorem", Name.REPAIRED),
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
    """Solve for the weights of a unit at each lattice point, and compute the rank of its moments."""
    largest, solved = 8 if job.full else 6, 3
    problems = [rank_problem(m) for m in range(1, largest + 1)]
    problems += [units_problem(m) for m in range(1, solved + 1)]
    yield settled(next((p for p in problems if p), None), Evidence(
        "mlp.width", HOLDS, SYMBOLIC,
        f"d = 2, every polynomial, weights solved for m_1 ≤ {solved}, ranks for m_1 ≤ {largest}; σ "
        "smooth near b with σ(b), σ'(b), σ''(b) not 0, on a compact set",
        "C(m_1+2, 2) units σ(b + h w·x) with w = 0, e_i, 2e_i, e_i + e_j: the moments 1, w, wwᵀ have "
        "full rank, so weights of order 1/h² give every polynomial of degree 2 up to terms of order h.",
        Name.CHARITABLE, "SymPy, exact ranks",
        {"kind": "mlp.lattice", "variables": min(largest, 6)},
        limits="Degree 2 alone; Taylor's remainder in words. The certificate confirms the rank.",
    ))  # fmt: skip


def rank_problem(m: int) -> str | None:
    """Whether the lattice has the printed number of points, and moments of full rank."""
    points = lattice(m)
    rows = [[prod_at(point, other) for other in points] for point in points]
    full = len(points) == comb(m + 2, 2) == flint.fmpz_mat(rows).rank()
    return None if full else f"m = {m}: the lattice does not determine polynomials of degree 2."


def units_problem(m: int) -> str | None:
    """Whether units at the lattice points give a generic polynomial up to order h, for generic σ."""
    x, (h, *s) = sympy.symbols(f"x:{m}"), sympy.symbols("h s0:4", nonzero=True)
    points = lattice(m)
    monomials = [e for k in range(3) for e in combinations_with_replacement(range(m), k)]
    wanted = sympy.symbols(f"a:{len(monomials)}")
    scales = [s[len(e)] * h ** len(e) / _factorial(e) for e in monomials]
    moments = sympy.Matrix([[prod_at(point, e) for point in points] for e in monomials])
    if not len(points) == len(monomials) == moments.rank():
        return f"m = {m}: no weights give every polynomial."
    weights = moments.LUsolve(sympy.Matrix([a / c for a, c in zip(wanted, scales, strict=True)]))
    total = sympy.Integer(0)
    for point, weight in zip(points, weights, strict=True):
        u = h * sum((point.count(i) * x[i] for i in range(m)), sympy.Integer(0))
        total += weight * sum(s[k] * u**k / sympy.factorial(k) for k in range(4))
    target = sum(a * sympy.prod([x[i] for i in e]) for a, e in zip(wanted, monomials, strict=True))
    rest = sympy.Poly(sympy.expand((total - target) * h**2), h)
    lowest = min(powers[0] for powers in rest.monoms())
    return None if lowest > 2 else f"m = {m}: a term of order h^{lowest - 2} is left."


def _factorial(point: tuple[int, ...]) -> int:
    """Π (multiplicity)!: how often a monomial counts in (w·x)^k / k!."""
    return 2 if len(point) == 2 and point[0] == point[1] else 1


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
    yield widths([built_widths(n) for n in (1, 2, 3)])


def built_widths(n: int) -> dict[str, int | None]:
    """Hidden units of the MLPs built for n × n matrices."""
    printed = printed_route(n, "gelu", BOX, EPS)
    even = None if n % 2 else through_strassen(n, "gelu", BOX, EPS).units
    return {"n": n, "slim": slim(n, "gelu", BOX, EPS).units, "strassen": even,
            "used": printed.used, "printed": printed.units}  # fmt: skip


WIDTHS = {"slim": "4n³", "used": "n³+2n²+1", "printed": "2n⁴+3n²+1"}


def widths(rows: Sequence[Mapping[str, int | None]]) -> Evidence:
    """Whether built MLPs have the widths that are stated, none above the printed one."""
    n = sympy.Symbol("n", positive=True, integer=True)
    room = sympy.expand(count(WIDTHS["printed"], n=n) - count(WIDTHS["slim"], n=n))
    wrong = [
        f"n = {row['n']}: {row[name]} units, not {text}"
        for row in rows
        for name, text in WIDTHS.items()
        if row[name] != count(text, n=row["n"])
    ]
    if sympy.expand(room - (2 * n**2 * (n - 1) ** 2 + n**2 + 1)) != 0:
        wrong.append("4n³ is not below the printed width")
    return settled(f"{wrong[0]}." if wrong else None, Evidence(
        "beyond.mlp.slim", HOLDS, EXACT, "n ≤ 3 built; 2n⁴ - 4n³ + 3n² + 1 > 0 for every n",
        "Built MLPs have 4n³ units, never more than the printed width; of the printed lattice "
        "n³ + 2n² + 1 units carry a weight.", engine="built MLPs",
        certificate={"kind": "mlp.widths", "rows": list(rows)},
    ))  # fmt: skip


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
