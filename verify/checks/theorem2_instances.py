"""Instances of Theorem 2 for the re-checker: whole models, the choice of C, what the proof joins.

Everything is stated in Frobenius norms, which the re-checker can bound with rationals alone; they
are submultiplicative, so the corrected recursion and the closed form hold for them as they stand,
with √n as the norm of a pad.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import flint

from constructions import theorem2
from constructions.families import counting
from constructions.multiplication import Multiplier, printed_width, slim
from constructions.sizes import sizes
from constructions.theorem1 import depth, span
from constructions.wfa import WFA, Square
from verify.bounds import certificates, leak, recursion
from verify.bounds.budget import least
from verify.bounds.saturation import BITS, amplification, required_saturation
from verify.checks.theorem2_certificates import Body, expansion, four_terms
from verify.engines.circulant import state_error
from verify.evidence import Plain

TOLERANCES = (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6))
LENGTHS = (2, 4, 8)
RADIUS = Fraction(10)
LARGEST_C = 1 << 12


def sealed(body: Body) -> Body:
    """The body with the hash of its fields, so that no other instance passes for it."""
    facts = json.dumps(body, sort_keys=True, ensure_ascii=False)
    return {**body, "seal": hashlib.sha256(facts.encode()).hexdigest()}


def exact_products() -> Body:
    """All words of length 4 of the counting automaton, at the C that is asked for ε = 1/1000."""
    automaton, length, eps = counting(), 4, Fraction(1, 1000)
    constant = required_saturation(automaton, length, eps).constant
    return sealed({
        "kind": "theorem2.exact-products", **certificates.plain_automaton(automaton),
        "length": length, "saturation": str(constant), "eps": str(eps),
    })  # fmt: skip


def model_body(
    made: Multiplier, automaton: WFA, length: int, constant: Fraction, eps: Fraction
) -> Body:
    """A model with attention and MLP, as the re-checker runs it for all words."""
    return {
        **certificates.plain_automaton(automaton), "length": length, "saturation": str(constant),
        "units": made.units, "eps": str(eps), **certificates.unit_weights(made),
    }  # fmt: skip


def whole(activation: str, length: int = 8, constant: Fraction = Fraction(500)) -> Body:
    """The counting automaton by soft attention and an MLP, with the sizes of the built model."""
    automaton, eps = counting(), Fraction(1, 10**6)
    made = slim(automaton.n, activation, RADIUS, Fraction(1, 10**12))
    found = sizes(theorem2.build(automaton, length, constant, made).transformer)
    return sealed({
        "kind": "theorem2.exists", "model": model_body(made, automaton, length, constant, eps),
        "depth": found.depth, "embedding": found.embedding, "attention": found.attention,
        "heads": found.heads, "printed": printed_width(automaton.n),
    })  # fmt: skip


def instance_problem(body: Body) -> str | None:
    """Why a built model with MLP is not within its ε, on a word, or wider than printed."""
    model = body["model"]
    automaton, length, constant = counting(), model["length"], Fraction(model["saturation"])
    made = slim(automaton.n, model["activation"], RADIUS, Fraction(1, 10**12))
    words = [("0",) * length, ("0", "1") * (length // 2)]
    error = state_error(automaton, words, length, constant, made)
    if not error < leak.ball(Fraction(model["eps"])):
        return f"{model['activation']}: the states miss by {error.str(3, radius=False)}."
    return None if made.units <= body["printed"] else "The MLP is wider than printed."


def frobenius_norms(automaton: WFA, length: int) -> list[flint.arb]:
    """μ_l in Frobenius norm: products of at most 2^(l-1) letters, and the pad."""
    letters = [automaton.matrix(symbol) for symbol in automaton.alphabet]
    one = tuple(
        tuple(Fraction(int(i == j)) for j in range(automaton.n)) for i in range(automaton.n)
    )
    current, square, found = {one}, Fraction(automaton.n), []
    for power in range(1, (1 << max(depth(length) - 1, 0)) + 1):
        current = {_product(a, b) for a in current for b in letters}
        square = max(square, *map(_squares, current))
        if power & (power - 1) == 0:
            found.append(leak.ball(square).sqrt())
    return found[: depth(length)]


def _squares(a: Square) -> Fraction:
    return sum((Fraction(x) ** 2 for row in a for x in row), Fraction(0))


def _product(a: Square, b: Square) -> Square:
    columns = list(zip(*b, strict=True))
    return tuple(
        tuple(sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns)
        for row in a
    )


def errors(
    norms: Sequence[flint.arb], length: int, constant: int, mlp: Fraction
) -> list[flint.arb]:
    """The corrected recursion with a_l ≤ leak · 2μ_l."""
    given = leak.leak(Fraction(constant), span(length))
    return recursion.corrected(norms, [given * 2 * norm for norm in norms], leak.ball(mlp))


def choice(automaton: WFA, length: int = 8) -> Body:
    """For three tolerances the least whole C that keeps every layer within them."""
    choices: list[Plain] = []
    with flint.ctx.workprec(BITS):
        norms = frobenius_norms(automaton, length)
        for eps in TOLERANCES:
            constant = least(partial(_kept, norms, length, eps), LARGEST_C, "C")
            choices.append([str(eps), str(constant), str(eps / 1000)])
    return sealed({"kind": "theorem2.choice", **certificates.plain_automaton(automaton),
                   "length": length, "choices": choices})  # fmt: skip


def _kept(norms: Sequence[flint.arb], length: int, eps: Fraction, constant: int) -> bool:
    found = errors(norms, length, constant, eps / 1000)
    return all(bool(error <= leak.ball(eps)) for error in found)


def closed_form(automaton: WFA, eps: Fraction) -> Body:
    """The closed form of one automaton, as a certificate of its own."""
    return sealed({"kind": "theorem2.closed-form", **closed_fields(automaton, eps)})


def closed_fields(automaton: WFA, eps: Fraction) -> Body:
    """The least whole C at or above the closed form, for three lengths."""
    constants = []
    with flint.ctx.workprec(BITS):
        for length in LENGTHS:
            norms = frobenius_norms(automaton, length)
            gain = amplification(norms, [2 * norm for norm in norms])
            reach = recursion.readout_factor(automaton, length) / leak.ball(eps)
            inside = (2 * span(length) - 1) * gain * reach.max(flint.arb(1))
            value = inside.log() / leak.gap(span(length))
            constants.append(int(value.upper().ceil().unique_fmpz()))
    return {**certificates.plain_automaton(automaton), "eps": str(eps), "lengths": list(LENGTHS),
            "constants": constants}  # fmt: skip


def difference(length: int = 4, constant: Fraction = Fraction(90)) -> Body:
    """A model whose leak and whose product are not exact, and whose states are near."""
    automaton, eps = counting(), Fraction(1, 1000)
    made = slim(automaton.n, "tanh", RADIUS, Fraction(1, 10**9))
    with flint.ctx.workprec(256):
        given = leak.leak(constant, span(length))
        missed = abs(_four_units(made) - 1)
    return sealed({
        "kind": "theorem2.difference",
        "model": model_body(made, automaton, length, constant, eps),
        "leak": str(certificates.below(given)), "left": "1", "right": "1",
        "miss": str(certificates.below(missed)),
    })  # fmt: skip


def _four_units(made: Multiplier) -> flint.arb:
    """What four tanh units make of 1 · 1, from the weights of the built MLP."""
    point, step, scale = (leak.ball(x) for x in (made.point, made.step, made.scale))
    outer = (point + 2 * step).tanh() + (point - 2 * step).tanh()
    return scale * (outer - 2 * point.tanh())


def proof(automaton: WFA) -> Body:
    """The expansions, the closed form and the MLP that the proof joins."""
    made = slim(automaton.n, "tanh", Fraction(2), Fraction(1, 10**12))
    attention = certificates.derivation(
        [("P",)], [("E",)], {"P": "one", "E": "eps", "G": "a"}, plus=[("G",)]
    )
    return sealed({
        "kind": "theorem2.proof", "attention": expansion(attention),
        "product": four_terms("mu", "delta"), "absorbed": {"delta*mu": 1, "delta*delta": -1},
        "closed": closed_fields(automaton, Fraction(1, 1000)),
        "multiplier": expansion(certificates.multiplier(made, Fraction(1, 10**12))),
    })  # fmt: skip
