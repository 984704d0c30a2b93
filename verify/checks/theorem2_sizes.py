"""Every size that Theorem 2 prints, compared with the built model.

Claims        thm2.size.*, thm2.heads, thm2.restated, thm2.width, thm2.dimensions, thm2.degree,
              thm2.width.epsilon, thm2.parameters, thm2.saturation.constant
Roads         sizes measured on built models; polynomials in n compared by SymPy; all choices of what
              the printed number of ReLU units can bend, listed
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import sympy

from constructions import theorem2
from constructions.multiplication import Multiplier, printed_width, relu_floor, slim
from constructions.sizes import Sizes, sizes
from constructions.wfa import WFA
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines import units as engine
from verify.engines.printed import count
from verify.evidence import Evidence, Outcome, Plain, Strength, Table, settled

HOLDS, FAILS, UNKNOWN = Outcome.HOLDS, Outcome.FAILS, Outcome.UNKNOWN
EXACT, SYMBOLIC = Strength.EXACT, Strength.SYMBOLIC
STATES, LENGTHS = (1, 2, 3), (2, 3, 4, 5, 8, 16)
SCOPE = f"n ≤ {STATES[-1]}, T = {', '.join(map(str, LENGTHS))}"
N = sympy.Symbol("n", positive=True, integer=True)
WIDTH = "2n⁴+3n²+1"
PRINTED = count(WIDTH, n=N)
PRODUCT: engine.Polynomial = {(1, 1): 1}


@cache
def multiplier(n: int, eps: Fraction = Fraction(1, 1000)) -> Multiplier:
    """A slim MLP of tanh units on entries of size at most 2."""
    return slim(n, "tanh", Fraction(2), eps)


def measured(n: int, length: int, saturation: int = 40, eps: Fraction = Fraction(1, 1000)) -> Sizes:
    """The sizes of Theorem 2's model; weights of the automaton do not matter."""
    zero = tuple((0,) * n for _ in range(n))
    automaton = WFA((0,) * n, {"a": zero}, (0,) * n)
    model = theorem2.build(automaton, length, saturation, multiplier(n, eps))
    return sizes(model.transformer)


def built() -> list[dict[str, Plain]]:
    """The sizes of all models in the scope, as plain data."""
    found: list[dict[str, Plain]] = []
    for n in STATES:
        for length in LENGTHS:
            size = measured(n, length)
            row = {"n": n, "length": length, "depth": size.depth, "embedding": size.embedding}
            row |= {"attention": size.attention, "heads": size.heads, "units": size.feedforward}
            found.append({**row})
    return found


def table(models: list[dict[str, Plain]]) -> Table:
    """The sizes as a table."""
    header = ("n", "length", "depth", "embedding", "attention", "units", "heads")
    rows = tuple(tuple(str(model[field]) for field in header) for model in models)
    return Table("theorem2-sizes", "Sizes of the soft construction", header, rows)


def wrong_size(models: list[dict[str, Plain]], field: str, formula: object) -> str | None:
    """The first model whose size is not the printed one, as a sentence."""
    for model in models:
        n, length = int(str(model["n"])), int(str(model["length"]))
        value = formula(n, length) if callable(formula) else formula
        if model[field] != value:
            return f"n = {n}, T = {length}: {field} is {model[field]}, printed {value}."
    return None


def sized(claim: str, summary: str, reading: Name, certificate: dict[str, Plain]) -> Evidence:
    """A size that agrees, with the certificate of the built models."""
    return Evidence(
        claim, HOLDS, EXACT, SCOPE, summary, reading, "exact weights", certificate=certificate
    )


@check(
    "thm2.size.embedding", "thm2.size.attention-width", "thm2.size.order", "thm2.heads",
    "thm2.size.depth", "thm2.restated",
)  # fmt: skip
def built_sizes(job: Job) -> Iterator[Evidence]:
    """Build the model for small n and T and compare its sizes with the printed ones."""
    models = built()
    certificate: dict[str, Plain] = {"kind": "theorem2.sizes", "models": models}
    width = wrong_size(models, "embedding", lambda n, _: 2 * n * n + 2)
    item = sized("thm2.size.embedding", "2n² + 2 in every built model.", Name.LITERAL, certificate)
    yield settled(width, replace(item, tables=(table(models),)))
    attention = wrong_size(models, "attention", lambda n, _: 2 * n * n + 2)
    for reading in (Name.LITERAL, Name.CHARITABLE):
        yield settled(attention, sized(
            "thm2.size.attention-width", "Values of each head have width 2n² + 2; queries and keys "
            "have width 2.", reading, certificate,
        ))  # fmt: skip
    depth = wrong_size(models, "depth", lambda _, t: (t - 1).bit_length())
    units = wrong_size(models, "units", lambda n, _: 4 * n**3)
    problem = width or attention or depth or units
    yield settled(problem, sized(
        "thm2.size.order", "Depth ⌈log₂ T⌉, embedding and attention width 2n² + 2, two heads and 4n³ "
        "units: within every printed order, the MLP by a factor n below it.", Name.LITERAL,
        certificate,
    ))  # fmt: skip
    yield from _depths(certificate, problem)


def _depths(certificate: dict[str, Plain], problem: str | None) -> Iterator[Evidence]:
    """log₂ T is a number of layers for powers of two only."""
    length = next(t for t in LENGTHS if t & (t - 1))
    layers = measured(1, length).depth
    for claim in ("thm2.size.depth", "thm2.heads", "thm2.restated"):
        odd: dict[str, Plain] = {"kind": "theorem2.depth", "length": length, "layers": layers}
        yield Evidence(
            claim, HOLDS if 2**layers == length else FAILS, EXACT, f"T = {length}",
            f"T = {length}: log₂ T is no whole number; the model has {layers} layers.",
            engine="exact weights", certificate=odd,
            counterexample=f"T = {length}.", repair="⌈log₂ T⌉ layers.",
        )  # fmt: skip
        yield settled(problem, sized(
            claim, "⌈log₂ T⌉ layers with two heads each, and the printed widths.", Name.REPAIRED,
            certificate,
        ))  # fmt: skip
    yield settled(problem, sized(
        "thm2.size.depth", "log₂ T layers for T = 2, 4, 8, 16.", Name.CHARITABLE, certificate,
    ))  # fmt: skip


def relu_refutes(claim: str, what: str, sigma: engine.Scalar = engine.relu) -> Evidence:
    """The printed width fails for ReLU: what so many units can bend, listed, forces an error."""
    units = int(count(WIDTH, n=1))
    floor = engine.linear_floor(units, PRODUCT, sigma)
    known = units == printed_width(1) and floor == relu_floor(units)
    item = Evidence(
        claim, FAILS, EXACT, "ReLU, one hidden layer, the box [0, 1]²",
        f"{what} n = 1: every ReLU network with {units} units misses xy somewhere on the diagonal "
        f"of [0, 1]² by at least 1/(8·{units + 1}²) = {floor}.",
        engine="second differences",
        certificate={"kind": "mlp.relu", "n": 1, "units": units, "eps": str(floor / 2)},
        counterexample=f"n = 1, ReLU, N = {units}, ε = {floor / 2}.",
        repair="A smooth activation with biases.",
        limits="This excludes the route through one hidden ReLU layer of that width; whether some "
        "other ReLU transformer of these sizes exists is open.",
    )  # fmt: skip
    if floor > 0 and known:
        return item
    return replace(
        item, outcome=UNKNOWN, certificate=None, counterexample="",
        summary=f"{units} units force an error of {floor}, where {relu_floor(units)} is known.",
    )  # fmt: skip


@check("thm2.size.mlp-width", "thm2.width.epsilon", "thm2.size.epsilon-free", "thm2.parameters",
       "thm2.saturation.constant")  # fmt: skip
def sizes_do_not_depend_on_precision(job: Job) -> Iterator[Evidence]:
    """Build models for several ε and C and compare their sizes."""
    yield relu_refutes("thm2.size.mlp-width", "The activation is not named.")
    yield relu_refutes("thm2.width.epsilon", "The claim names no activation.")
    gap = sympy.expand(PRINTED - 4 * N**3 - (2 * N**2 * (N - 1) ** 2 + N**2 + 1))
    models = built()
    certificate: dict[str, Plain] = {"kind": "theorem2.sizes", "models": models}
    finer = [measured(2, 4, saturation, Fraction(1, 10**digits))
             for saturation in (40, 4000) for digits in (2, 12, 40)]  # fmt: skip
    counts = {(size.parameters, size.feedforward, size.depth, size.embedding) for size in finer}
    problem = None if len(counts) == 1 and gap == 0 else f"Sizes differ: {sorted(counts)}."
    grown = f"{float(finer[0].largest.mid()):.3g} to {float(finer[-1].largest.mid()):.3g}"
    text = (
        f"For ε = 1e-2, 1e-12 and 1e-40 and C = 40 and 4000 the model has {finer[0].parameters} "
        f"parameters and {finer[0].feedforward} units; its largest weight grows from {grown}."
    )
    for claim, reading in (
        ("thm2.size.mlp-width", Name.CHARITABLE), ("thm2.width.epsilon", Name.CHARITABLE),
        ("thm2.size.epsilon-free", Name.LITERAL), ("thm2.size.epsilon-free", Name.CHARITABLE),
        ("thm2.parameters", Name.LITERAL), ("thm2.parameters", Name.CHARITABLE),
        ("thm2.saturation.constant", Name.LITERAL), ("thm2.saturation.constant", Name.CHARITABLE),
    ):  # fmt: skip
        item = sized(claim, text, reading, certificate)
        yield settled(problem, replace(
            item, limits="Parameters are counted, not their digits: weights of the MLP grow like 1/ε "
            "and those of W_Q and W_K like √C.",
        ))  # fmt: skip


@check("thm2.width", "thm2.dimensions")
def the_binomial(job: Job) -> Iterator[Evidence]:
    """Compare the binomials with 2n⁴ + 3n² + 1 as polynomials in n."""
    yield _binomial("thm2.width", Name.LITERAL, 1, 0)
    yield _binomial("thm2.width", Name.CHARITABLE, 2, 0)
    yield _binomial("thm2.width", Name.REPAIRED, 2, 0)
    yield _binomial("thm2.dimensions", Name.LITERAL, 2, 2)
    yield _binomial("thm2.dimensions", Name.REPAIRED, 2, 0)


def _binomial(claim: str, reading: Name, factor: int, extra: int) -> Evidence:
    top = factor * N**2 + 2 + extra
    difference = sympy.expand(top * (top - 1) / 2 - PRINTED)
    roots = [] if difference == 0 else sympy.Poly(difference, N).ground_roots()
    whole = [root for root in roots if root.is_integer and root >= 1]
    equal = difference == 0
    says = "for every n" if equal else f"for n ∈ {whole}" if whole else "for no n ≥ 1"
    return Evidence(
        claim, HOLDS if equal else FAILS, SYMBOLIC if equal else EXACT, "all n ≥ 1",
        f"C({factor if factor > 1 else ''}n²+{2 + extra}, 2) = 2n⁴ + 3n² + 1 holds {says}.",
        reading, "SymPy",
        {"kind": "theorem2.width", "factor": factor, "extra": extra, "points": [1, 2, 3, 4, 5],
         "equal": equal},
        counterexample="" if equal else f"n = 1: {int(top.subs(N, 1)) * int(top.subs(N, 1) - 1) // 2}"
        " against 6.",
        repair="" if equal else "C(2n²+2, 2), with m_1 = 2n².",
    )  # fmt: skip


@check("thm2.degree")
def the_product_has_degree_two(job: Job) -> Iterator[Evidence]:
    """Read the degrees of the entries of a generic product."""
    for n in STATES:
        left, right = (sympy.Matrix(n, n, sympy.symbols(f"{s}:{n * n}")) for s in "ab")
        degrees = {sympy.Poly(entry).total_degree() for entry in left * right}
        if degrees != {2}:
            yield Evidence("thm2.degree", FAILS, EXACT, f"n = {n}", f"Degrees {degrees}.")
            return
    yield Evidence(
        "thm2.degree", HOLDS, SYMBOLIC, "n ≤ 3, generic entries; the sum Σ_k a_ik b_kj for every n",
        "Every entry of the product is a sum of n monomials a_ik b_kj of degree 2.",
        engine="SymPy",
        certificate={
            "kind": "mlp.scheme", "n": 2,
            "terms": [[[[2 * i + k, 1]], [[2 * k + j, 1]], [[2 * i + j, 1]]]
                      for i in range(2) for k in range(2) for j in range(2)],
        },
    )  # fmt: skip
