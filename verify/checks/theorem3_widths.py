"""Theorem 3: the width of the MLP in its several printed orders, and the square of a depth.

Asks          how many hidden units a parse layer takes, against the footnote, the sentence and the
              proof; whether a constant number of units squares a depth
Notation      p = 2 positional coordinates, σ softplus, h > 0 the step of its units
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import flint
import sympy

from constructions.random_trees import random_wta, rational_wta
from constructions.smoothing import SoftplusUnits
from constructions.theorem3 import Places, Plan, block, build, joined, tensor_units
from constructions.theorem3_smooth import hidden_units, printed_units, smooth, widest
from constructions.transformer import Bilinear
from verify.check import Job, check
from verify.checks.theorem3_gate import gate_degree
from verify.claims.model import Name
from verify.engines.printed import count
from verify.engines.tree_evidence import either, fails, holds
from verify.evidence import Evidence, Outcome, Strength, Table

LITERAL, CHARITABLE = Name.LITERAL, Name.CHARITABLE
STATES = range(1, 7)
FOOTNOTE, BILINEAR = "C(2n+2, 2)", "n²+2n+1"


@check(
    "thm3.size.mlp-order",
    "thm3.size.mlp-width",
    "thm3.gate.width",
    "beyond.tree.width",
    "thm3.depth-square",
)
def the_width_of_the_mlp(job: Job) -> Iterator[Evidence]:
    """Build the softplus layers and compare their width with the three printed orders."""
    widths = {
        n: widest(smooth(build(random_wta(n, n), 7), Fraction(1, 8)).transformer.layers[2:])
        for n in STATES
    }
    right = all(width <= hidden_units(n) for n, width in widths.items())
    rows = tuple(
        (
            str(n),
            str(widths[n]),
            str(hidden_units(n)),
            str(printed_units(n)),
            str(comb(3 * n + 10, 4)),
        )
        for n in STATES
    )
    header = ("n", "softplus, built", "n² + 6n + 10", "footnote", "proof: C(3n+p+8, 4)")
    table = Table("tree-mlp", "Hidden units of one parse layer", header, rows)
    text = (
        "A softplus layer with at most n² + 6n + 10 hidden units computes a parse layer to any "
        f"precision, {widths[6]} for n = 6; the footnote has {printed_units(6)}, the proof's own "
        f"count {comb(28, 4)}."
    )
    certificate = {
        "kind": "trees.size",
        "what": "softplus",
        "n": 6,
        "p": 2,
        "value": hidden_units(6),
    }
    scope = f"n = 1 … {STATES[-1]}, weights written down, error (3/8)h²B⁴ a product"
    for claim in ("thm3.size.mlp-order", "beyond.tree.width"):
        yield either(
            right, holds(claim, LITERAL, Strength.EXACT, scope, text, certificate, tables=(table,))
        )
    yield from squared(13, Fraction(1, 1024))
    yield from footnote()


def squared(longest: int, step: Fraction) -> Iterator[Evidence]:
    """d² from three softplus units, for all depths up to a length, in balls."""
    bound = Fraction(3, 8) * step**2 * longest**4
    with flint.ctx.workprec(256):
        errors = [abs(softplus_square(d, step) - d * d) for d in range(longest + 1)]
        below = all(error < ball(bound) for error in errors)
        largest = max(float(error.upper()) for error in errors)
    text = (
        "d² takes three softplus units: (4/h²)(σ(2hd) - 2σ(hd) + σ(0)), error below (3/8)h²T⁴ = "
        f"{float(bound):.4f} at T = {longest}, h = {step}; seen: {largest:.4f}."
    )
    certificate = {
        "kind": "trees.square",
        "longest": longest,
        "step": str(step),
        "bound": str(bound),
    }
    for reading in (LITERAL, CHARITABLE):
        evidence = holds(
            "thm3.depth-square",
            reading,
            Strength.ENCLOSURE,
            f"depths up to T, softplus; run with T = {longest}, h = {step}",
            text,
            certificate,
            engine="python-flint arb",
            limits="The bound for every h and T is Taylor's theorem, in words beside the units; the "
            "certificate confirms the error at the stated h and T.",
        )
        yield either(below, evidence)


def softplus_square(depth: int, step: Fraction) -> flint.arb:
    """(4/h²)(σ(2hd) - 2σ(hd) + σ(0))."""
    one, two = (ball(k * depth * step).exp().log1p() for k in (1, 2))
    return 4 / ball(step) ** 2 * (two - 2 * one + flint.arb(2).log())


def ball(value: Fraction) -> flint.arb:
    """A ball around a rational."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def bilinear_units(n: int) -> int:
    """The hidden units of the softplus MLP built for the bilinear part of a parse layer alone."""
    machine = rational_wta(n, n)
    plan = Plan(n, 8, Places.LINE)
    around = joined(plan.layout, plan.parse_layer(machine).heads)
    part = block(around, plan.layout, tensor_units(machine))
    return SoftplusUnits(Fraction(1, 8)).block(part, frozenset()).hidden.shape[1]


def proof_count(n: int) -> int:
    """C(inputs + degree, degree) with the inputs of the built parse layer and the gate's degree."""
    layer = Plan(n, 8, Places.LINE).parse_layer(rational_wta(n, n))
    if not isinstance(layer.feedforward, Bilinear):
        raise TypeError("a parse layer has a bilinear block")
    return comb(layer.feedforward.left.shape[0] + gate_degree(), gate_degree())


def footnote() -> Iterator[Evidence]:
    """C(2n+2, 2) against the count of the cited theorem, and against the units of a built MLP."""
    n, p = 1, 2
    own, printed = proof_count(n), int(count(FOOTNOTE, n=n))
    certificate = {"kind": "trees.size", "what": "degree-four", "n": n, "p": p, "value": own}
    text = (
        f"The cited theorem counts C(3n+p+8, 4) = {own} units for the proof's map of degree 4 in "
        f"3n + p + 4 inputs (n = 1, p = 2); the footnote has {printed}, and the sentence O(n³)."
    )
    evidence = fails(
        "thm3.size.mlp-width",
        LITERAL,
        "n = 1, p = 2",
        text,
        certificate,
        f"n = 1: {own} against {printed}.",
    )
    yield either(own != printed, evidence)
    yield from bilinear_part()
    yield from gate_width()


def bilinear_part() -> Iterator[Evidence]:
    """The units of the bilinear part, as built, against the footnote's."""
    k = sympy.Symbol("n", positive=True)
    found = {n: bilinear_units(n) for n in STATES}
    slack = sympy.expand(count(FOOTNOTE, n=k) - count(BILINEAR, n=k))
    fewer = str(slack).replace("**2", "²")
    fits = all(units == count(BILINEAR, n=n) for n, units in found.items())
    text = (
        f"The bilinear part takes {BILINEAR} softplus units, {', '.join(map(str, found.values()))} as "
        f"built for n = 1 … {STATES[-1]}: {fewer} fewer than the footnote's."
    )
    largest = STATES[-1]
    evidence = holds(
        "thm3.size.mlp-width",
        CHARITABLE,
        Strength.EXACT,
        f"MLPs built for n = 1 … {largest}; {fewer} > 0 for all n ≥ 1",
        text,
        {"kind": "trees.size", "what": "bilinear", "n": largest, "p": 2, "value": found[largest]},
    )
    yield either(fits and bool(slack.is_positive), evidence)


def gate_width() -> Iterator[Evidence]:
    """The order of the count, which is all that a count says."""
    k = sympy.Symbol("n", positive=True)
    counted = sympy.Poly(sympy.expand_func(sympy.binomial(3 * k + 10, 4)), k)
    certificate = {
        "kind": "trees.order",
        "values": [proof_count(n) for n in STATES],
        "degree": int(counted.degree()),
    }
    text = f"C(3n+p+8, 4) with p = 2 is a polynomial in n of degree {counted.degree()}."
    evidence = holds(
        "thm3.gate.width",
        CHARITABLE,
        Strength.SYMBOLIC,
        "the count, all n, p = 2",
        text,
        certificate,
        engine="SymPy",
        limits="A count. That so many units approximate the map is what the cited theorem says.",
    )
    same = all(proof_count(n) == counted.eval(n) for n in STATES)
    yield either(same and counted.degree() == 4, evidence)
    yield Evidence(
        "thm3.gate.width",
        Outcome.UNKNOWN,
        Strength.EXACT,
        "the printed map of degree 4",
        "A count decides nothing on precision, and the theorem that is to give it fails as printed "
        "(mlp.theorem). No MLP for the printed map of degree 4 is built here; the softplus layers "
        "that are built compute another gate, of degree 2.",
    )
