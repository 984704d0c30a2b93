"""Certificates of Theorem 2 as a whole: its matrices, the choice of C, instances, the proof's joints.

`theorem2.blocks`, `.output`   printed matrices of blocks, read again and measured
`theorem2.exists`              attention and MLP together on all words, with the sizes of the model
`theorem2.exact-products`      soft attention alone, exact products, on all words of one length
`theorem2.choice`              for three tolerances the least whole C that keeps them at every layer
`theorem2.closed-form`         the least whole C above ln((2M-1) G max(1, F/ε))/g, for three lengths
`theorem2.difference`          neither attention nor the product is exact, and the states are near
`theorem2.proof`               the expansions, the closed form and the MLP that the proof joins

All norms are Frobenius norms, which are submultiplicative; a pad has the norm √n. Whole models have
a seal, the hash of all other fields: another true instance does not pass for the one that was run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from verify.recheck import bounds
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.mlp import end_to_end, largest, multiplier, sigmoid
from verify.recheck.soft import Model, Square, span
from verify.recheck.theorem2 import automaton_of, expansion, length_of, saturation
from verify.recheck.theorem2_steps import PRODUCT, near

Body = Mapping[str, Any]
QUERIES = ["√C (0_{n²×2} 0_{n²×2} I_2)ᵀ", "√C (0_{n²×2} 0_{n²×2} ρ)ᵀ"]
OUTPUTS = {"(I_{n²} I_{n²} 0_{n²×2})ᵀ": False, "(I_{n²} I_{n²} 0_{n²×2})": True}
BLOCK = re.compile(r"([0Iρ])(?:_\{?([n²0-9]+)(?:×([n²0-9]+))?\}?)?")


def _blocks(formula: str, n: int) -> list[tuple[int, int]]:
    """Rows and columns of the blocks of one printed row."""
    sizes = {"n²": n * n, "2": 2, None: 2}
    inside = formula[formula.index("(") + 1 : formula.index(")")]
    found = []
    for _, rows, columns in (match.groups() for match in BLOCK.finditer(inside)):
        found.append((sizes[rows], sizes[columns or rows]))
    return found


def blocks(body: Body) -> str:
    """The printed blocks of W_Q and W_K cannot stand side by side."""
    only(body, {"kind", "formulas", "n", "heights"})
    n = integer(body, "n", 1)
    agree("the printed formulas", sequence(body, "formulas"), QUERIES)
    found = [[rows for rows, _ in _blocks(formula, n)] for formula in QUERIES]
    agree("heights of the printed blocks", body["heights"], found)
    if any(len(set(heights)) == 1 for heights in found):
        raise Refused("the blocks fit")
    return f"n = {n}: blocks of heights {found[0]} cannot stand side by side"


def output(body: Body) -> str:
    """W_out by a formula: whether a row of n² coordinates goes through it."""
    only(body, {"kind", "formula", "n", "shape", "row"})
    n, formula = integer(body, "n", 1), text(body, "formula")
    if formula not in OUTPUTS:
        raise Refused(f"formula {formula!r} is not known")
    parts = _blocks(formula, n)
    shape = [parts[0][0], sum(columns for _, columns in parts)]
    shape = shape[::-1] if formula.endswith("ᵀ") else shape
    agree("shape", body["shape"], shape)
    agree("coordinates of the product", integer(body, "row"), n * n)
    agree("whether they fit", n * n == shape[0], OUTPUTS[formula])
    word = "goes" if OUTPUTS[formula] else "does not go"
    return f"n = {n}: a row of {n * n} coordinates {word} through {formula}"


def seal(body: Body) -> str:
    """SHA-256 of all fields but the seal, in canonical form."""
    facts = {field: value for field, value in body.items() if field != "seal"}
    return hashlib.sha256(
        json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def _sealed(body: Body, fields: set[str]) -> None:
    only(body, {"kind", "seal", *fields})
    agree("the seal", text(body, "seal"), seal(body))


def _model(body: Body, field: str = "model") -> dict[str, Any]:
    found = body.get(field)
    if not isinstance(found, dict):
        raise Refused(f"field {field!r}: expected a model")
    return found


def exists(body: Body) -> str:
    """All words within ε, attention and MLP together, and every size within the printed one."""
    _sealed(body, {"model", "depth", "embedding", "attention", "heads", "printed"})
    model = _model(body)
    echo = end_to_end({"kind": "mlp.end-to-end", **model})
    n, length = len(model["alpha"]), integer(model, "length", 2)
    expected = {"depth": (length - 1).bit_length(), "embedding": 2 * n * n + 2,
                "attention": 2 * n * n + 2, "heads": 2, "printed": 2 * n**4 + 3 * n**2 + 1}  # fmt: skip
    for field, value in expected.items():
        agree(field, integer(body, field), value)
    if model["units"] > body["printed"]:
        raise Refused("the MLP is wider than printed")
    return f"{echo}, {model['units']} of {body['printed']} units, depth {body['depth']}"


def exact_products(body: Body) -> str:
    """All words of length T with exact products: T + 1 states within ε at this C."""
    _sealed(body, {"alpha", "transitions", "length", "saturation", "eps"})
    fields = {field: value for field, value in body.items() if field != "seal"}
    return saturation({**fields, "kind": "theorem2.saturation"})


def _norms(letters: Mapping[str, Square], n: int, length: int) -> list[Fraction]:
    """μ_1, …, μ_L: upper bounds on the norms of the tokens that each layer reads."""
    layers = range((length - 1).bit_length())
    return [largest(list(letters.values()), n, 1 << layer)[0] for layer in layers]


def _leak(length: int, constant: Fraction) -> Fraction:
    model = Model(1, length, constant)
    return Fraction((1 << model.bits) - model.row[0][0], 1 << model.bits)


def _errors(norms: list[Fraction], leak: Fraction, mlp: Fraction) -> list[Fraction]:
    """The corrected recursion with a_l ≤ leak · 2 μ_l."""
    found, bound = [], Fraction(0)
    for size in norms:
        delta = bound + leak * 2 * size
        bound = 2 * size * delta + delta * delta + mlp
        found.append(bound)
    return found


TOLERANCES = [Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6)]


def choice(body: Body) -> str:
    """For each ε* the least whole C that, with ε_mlp = ε*/1000, keeps every layer within ε*."""
    _sealed(body, {"alpha", "transitions", "length", "choices"})
    alpha, letters = automaton_of(body)
    length = length_of(body, most=8)
    norms = _norms(letters, len(alpha), length)
    choices = [[fraction(x) for x in row] for row in sequence(body, "choices", len(TOLERANCES))]
    agree("the tolerances", [row[0] for row in choices], TOLERANCES)
    for eps, constant, mlp in choices:
        agree("ε_mlp", mlp, eps / 1000)
        kept = [max(_errors(norms, _leak(length, c), mlp)) <= eps for c in (constant - 1, constant)]
        if constant.denominator > 1 or kept != [False, True]:
            raise Refused(f"C = {constant} is not the least whole number for ε* = {eps}")
    return f"C = {', '.join(str(row[1]) for row in choices)} for ε* = 1/10, 1/1000, 1/1000000"


def _inside(alpha: list[Fraction], norms: list[Fraction], length: int, eps: Fraction) -> Fraction:
    """(2M-1) G max(1, F/ε), with G = Σ_l D_l Π_{j≥l} 3μ_j and D_l = 2μ_l."""
    gain = Fraction(0)
    for size in norms:
        gain = (gain + 2 * size) * 3 * size
    reach = bounds.sqrt(sum((a * a for a in alpha), Fraction(0)) * (length + 1))[1]
    return (2 * span(length) - 1) * gain * max(Fraction(1), reach / eps)


def closed_form(body: Body) -> str:
    """The least whole C with exp(C g) ≥ (2M-1) G max(1, F/ε), and what it keeps."""
    fields = {"alpha", "transitions", "eps", "lengths", "constants"}
    _sealed(body, fields)
    return _closed({field: body[field] for field in fields})


def _closed(body: Body) -> str:
    only(body, {"alpha", "transitions", "eps", "lengths", "constants"})
    alpha, letters = automaton_of(body)
    eps, lengths = fraction(body["eps"]), sequence(body, "lengths")
    agree("lengths", lengths, [2, 4, 8])
    for length, stated in zip(lengths, sequence(body, "constants", len(lengths)), strict=True):
        constant = Fraction(integer({"C": stated}, "C", 1))
        norms = _norms(letters, len(alpha), length)
        inside = _inside(alpha, norms, length, eps)
        gap = 1 - bounds.cos_pi(Fraction(1, span(length)), 160)[1]
        enough = [bounds.exp(c * gap, 160)[0] >= inside for c in (constant - 1, constant)]
        if enough != [False, True] or gap * span(length) ** 2 < 2:
            raise Refused(f"T = {length}: {constant} is not the least whole C of the closed form")
        reach = bounds.sqrt(sum((a * a for a in alpha), Fraction(0)) * (length + 1))[1]
        if reach * _errors(norms, _leak(length, constant), Fraction(0))[-1] > eps:
            raise Refused(f"T = {length}: C = {constant} does not keep ε")
    return f"C = {body['constants']} for T = {lengths} keeps the states within {eps}"


def difference(body: Body) -> str:
    """The leak is positive, a product is missed, and the states of all words are within ε."""
    _sealed(body, {"model", "leak", "left", "right", "miss"})
    model = _model(body)
    echo = end_to_end({"kind": "mlp.end-to-end", **model})
    soft = Model(1, model["length"], fraction(model["saturation"]))
    one = 1 << soft.bits
    found = Fraction(one - soft.row[0][1], one), Fraction(one - soft.row[0][0], one)
    leak = near("the leak", body["leak"], found)
    x, y = fraction(body["left"]), fraction(body["right"])
    low, high = _four_units(model, x, y)
    gap = (low - x * y, high - x * y) if low > x * y else (x * y - high, x * y - low)
    miss = near("the product's error", body["miss"], gap)
    if leak <= 0 or miss <= 0 or gap[0] <= 0:
        raise Refused("attention or the product is exact")
    return f"leak {float(leak):.3g}, {x}·{y} missed by {float(miss):.3g}; {echo}"


def _four_units(model: Body, x: Fraction, y: Fraction) -> tuple[Fraction, Fraction]:
    """s (σ(b+h(x+y)) + σ(b-h(x+y)) - σ(b+h(x-y)) - σ(b-h(x-y))) for tanh."""
    agree("activation", model["activation"], "tanh")
    b, h, s = (fraction(model[field]) for field in ("point", "step", "scale"))
    signs = ((x + y, 1), (-x - y, 1), (x - y, -1), (y - x, -1))
    low = high = Fraction(0)
    for argument, sign in signs:
        inner = 2 * (b + h * argument)
        ends = [sign * s * (2 * value - 1) for value in sigmoid((inner, inner))]
        low, high = low + min(ends), high + max(ends)
    return low, high


def proof(body: Body) -> str:
    """What the proof joins: attention, the product, 2μδ + δ² ≤ 3μδ, the closed form, the MLP."""
    _sealed(body, {"attention", "product", "absorbed", "closed", "multiplier"})
    agree("after attention", expansion(body["attention"]), {"eps*one": 1, "a": 1})
    agree("after the product", expansion(body["product"]), PRODUCT)
    rest = {"delta*mu": 3 - PRODUCT["delta*mu"], "delta*delta": -PRODUCT["delta*delta"]}
    agree("3μδ less the bound", body["absorbed"], rest)
    closed = _closed(_model(body, "closed"))
    made = multiplier({"kind": "mlp.multiplier", **_model(body, "multiplier")})
    return f"two expansions; {closed}; {made}"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "theorem2.blocks": blocks,
    "theorem2.output": output,
    "theorem2.exists": exists,
    "theorem2.exact-products": exact_products,
    "theorem2.choice": choice,
    "theorem2.closed-form": closed_form,
    "theorem2.difference": difference,
    "theorem2.proof": proof,
}
