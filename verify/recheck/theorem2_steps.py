"""Certificates of single steps of Theorem 2's error analysis, one kind for each step.

`theorem2.norm`          four matrices, one of them a vector made a matrix, and the norm of their sum
`theorem2.lagrange`      ‖X‖²‖Y‖² - ‖XY‖² as a sum of squares, monomial by monomial
`theorem2.inequalities`  how often the triangle inequality and submultiplicativity are used
`theorem2.sources`       where the two heads of a layer look, from cosines
`theorem2.halves`        the error of each half of each row after the first layer
`theorem2.first-bound`   the first layer with M = 2 max(1, ‖A‖), where 2 ‖A‖ is too small
`theorem2.filter`        which coordinates the scores read
`theorem2.attention-layers`, `.incoming`, `.second`, `.layers`, `.contractive`, `.finite`
                         the corrected recursion, layer by layer, on one state
`theorem2.start`, `.base`   where the recursion starts
`theorem2.states`        from products to the states of Definition 3.2

The one-state model is run again in fixed-point intervals (`soft`); a stated number must lie within
2^-36 of the interval found, so that no other number passes for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from verify.recheck import bounds
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.soft import Layer, Model, Norm, span
from verify.recheck.theorem2 import expansion, length_of, saturation_of, scalar_layers

Body = Mapping[str, Any]
INSTANCE = {"kind", "weight", "length", "saturation"}
SLACK = Fraction(1, 2**36)
PRODUCT = {"delta*mu": 2, "delta*delta": 1, "eps_mlp": 1}


def near(what: str, stated: Any, found: Norm) -> Fraction:
    """A stated rational that lies in an interval, widened by a little."""
    value, slack = fraction(stated), SLACK * abs(found[1])
    if not found[0] - slack <= value <= found[1] + slack:
        raise Refused(f"{what}: stated {float(value):.9g}, found {float(found[1]):.9g}")
    return value


def each(what: str, body: Body, field: str, found: list[Norm]) -> list[Fraction]:
    """A list of rationals, each near the interval found for it."""
    stated = sequence(body, field, len(found))
    return [near(f"{what} {k}", *pair) for k, pair in enumerate(zip(stated, found, strict=True), 1)]


def at_most(what: str, small: Fraction, large: Fraction) -> None:
    """Refuse where a stated number is above its bound."""
    if small > large:
        raise Refused(f"{what}: {float(small):.6g} exceeds {float(large):.6g}")


def corrected(layers: list[Layer]) -> list[Norm]:
    """2μδ + δ² with δ = ε + a from layer to layer, as intervals."""
    found: list[Norm] = []
    bound: Norm = (Fraction(0), Fraction(0))
    for layer in layers:
        delta = [bound[k] + layer.attention[k] for k in (0, 1)]
        low, high = (2 * layer.norm[k] * delta[k] + delta[k] ** 2 for k in (0, 1))
        bound = (low, high)
        found.append(bound)
    return found


Integers = list[list[int]]


def _integers(body: Body, field: str, count: int, n: int) -> list[Integers]:
    tables = sequence(body, field, count)
    for table in tables:
        rows = isinstance(table, list) and len(table) == n and all(len(row) == n for row in table)
        if not rows or not all(type(x) is int for row in table for x in row):
            raise Refused(f"field {field!r}: expected {n} × {n} whole numbers")
    return tables


def _times(a: Integers, b: Integers) -> Integers:
    return [[sum(x * y for x, y in zip(row, c, strict=True)) for c in zip(*b, strict=True)]
            for row in a]  # fmt: skip


def _sum(*parts: Integers) -> Integers:
    return [[sum(cells) for cells in zip(*rows, strict=True)] for rows in zip(*parts, strict=True)]


def norm(body: Body) -> str:
    """The four error terms are n × n, add up to the error of the product, and have one norm."""
    only(
        body,
        {"kind", "expansion", "n", "maps", "errors", "vector", "terms", "trace", "determinant"},
    )
    agree("the majorant", expansion(body["expansion"]), PRODUCT)
    n = integer(body, "n", 2)
    agree("n", n, 2)
    (a, b), (e, f) = _integers(body, "maps", 2, n), _integers(body, "errors", 2, n)
    vector = sequence(body, "vector", n * n)
    if not all(type(x) is int for x in vector):
        raise Refused("field 'vector': expected whole numbers")
    last = [vector[i * n : (i + 1) * n] for i in range(n)]
    terms = [_times(a, f), _times(e, b), _times(e, f), last]
    agree("the four terms", body["terms"], terms)
    negative = [[-x for x in row] for row in _times(a, b)]
    whole = _sum(_times(_sum(a, e), _sum(b, f)), last, negative)
    agree("the sum of the terms", _sum(*terms), whole)
    gram = _times([list(column) for column in zip(*whole, strict=True)], whole)
    agree("trace of SᵀS", integer(body, "trace"), gram[0][0] + gram[1][1])
    found = gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0]
    agree("determinant of SᵀS", integer(body, "determinant"), found)
    return f"‖S‖² is the larger root of λ² - {body['trace']}λ + {found}"


def lagrange(body: Body) -> str:
    """Expand both sides of Lagrange's identity into monomials."""
    only(body, {"kind", "states", "squares"})
    agree("states", sequence(body, "states"), [1, 2, 3])
    counted = [_lagrange(n) for n in body["states"]]
    agree("numbers of squares", sequence(body, "squares"), counted)
    return f"‖X‖²‖Y‖² - ‖XY‖² is a sum of {counted} squares for n = 1, 2, 3"


Monomial = tuple[tuple[str, int, int], ...]


def _square(terms: Sequence[tuple[Monomial, int]]) -> Counter[Monomial]:
    total: Counter[Monomial] = Counter()
    for (a, x), (b, y) in product(terms, repeat=2):
        total[tuple(sorted(a + b))] += x * y
    return total


def _lagrange(n: int) -> int:
    size, difference, squares = range(n), Counter[Monomial](), 0
    for i, k, m, j in product(size, repeat=4):
        difference.update(_square([((("x", i, k), ("y", m, j)), 1)]))
    for i, j in product(size, repeat=2):
        entry: list[tuple[Monomial, int]] = [((("x", i, k), ("y", k, j)), 1) for k in size]
        difference.subtract(_square(entry))
        for k, m in combinations(size, 2):
            minor = [((("x", i, k), ("y", m, j)), 1), ((("x", i, m), ("y", k, j)), -1)]
            difference.subtract(_square(minor))
            squares += 1
    if any(difference.values()):
        raise Refused(f"n = {n}: the difference is not that sum of squares")
    return squares


def inequalities(body: Body) -> str:
    """k terms take k - 1 triangle inequalities; a term of j factors takes j - 1 of the other."""
    only(body, {"kind", "expansion", "triangle", "submultiplicative"})
    agree("the majorant", expansion(body["expansion"]), PRODUCT)
    terms = body["expansion"]["terms"]
    agree("triangle inequalities", integer(body, "triangle"), len(terms) - 1)
    found = sum(len(word) - 1 for word in terms)
    agree("uses of submultiplicativity", integer(body, "submultiplicative"), found)
    return f"{len(terms) - 1} triangle inequalities and {found} products of norms"


def sources(body: Body) -> str:
    """Position t looks where cos(π(t - s - w)/M) is largest, w = 2^(l-1) for the left head or 0."""
    only(body, {"kind", "length", "layer", "left", "right"})
    size, layer = span(length_of(body, most=16)), integer(body, "layer", 1)
    if 2 ** (layer - 1) >= size:
        raise Refused(f"layer {layer} is not one of the model")
    circle = [bounds.cos_pi(Fraction(m, size)) for m in range(2 * size)]
    for field, shift in (("left", 2 ** (layer - 1)), ("right", 0)):
        agree(f"sources of the {field} head", sequence(body, field), _found(circle, shift, size))
    return f"layer {layer}: all {2 * size} positions read {2 ** (layer - 1)} to the left, and themselves"


def _found(circle: list[Norm], shift: int, size: int) -> list[int]:
    places = range(1 - size, size + 1)
    best = []
    for t in places:
        scores = {s: circle[(t - s - shift) % (2 * size)] for s in places}
        top = max(scores, key=lambda s: scores[s][0])
        if any(scores[s][1] >= scores[top][0] for s in places if s != top):
            raise Refused(f"position {t} has no certain maximum")
        best.append(top)
    return best


def halves(body: Body) -> str:
    """One state, first layer: each half of each row errs by at most 2μa + a², a row has two."""
    only(body, INSTANCE | {"halves", "bound", "copies"})
    _, layers = scalar_layers(body)
    agree("copies in a row", integer(body, "copies"), 2)
    errors = each("half of row", body, "halves", list(layers[0].errors))
    bound = near("the bound", body["bound"], corrected(layers)[0])
    at_most("the largest half", max(errors), bound)
    return (
        f"{len(errors)} halves err by at most {float(max(errors)):.6g}, within {float(bound):.6g}"
    )


def first_bound(body: Body) -> str:
    """One state: the error exceeds 2|A|a + a², and not 2 max(1, |A|) a + a²."""
    only(body, INSTANCE | {"expansion", "factor", "error", "printed", "bound"})
    wanted = {"M/2*eps_attn": 2, "eps_attn*eps_attn": 1, "eps_mlp": 1}
    agree("the majorant", expansion(body["expansion"]), wanted)
    weight, layers = scalar_layers(body)
    agree("M", fraction(body["factor"]), 2 * max(abs(weight), Fraction(1)))
    share = layers[0].attention
    error = near("the error", body["error"], layers[0].error)
    sides = []
    for field, factor in (("printed", 2 * abs(weight)), ("bound", fraction(body["factor"]))):
        found = factor * share[0] + share[0] ** 2, factor * share[1] + share[1] ** 2
        sides.append(near(field, body[field], found))
    if not sides[0] < error <= sides[1]:
        raise Refused("the error does not lie between the printed bound and the mended one")
    return f"weight {weight}: the error is above the printed bound and within the mended one"


def filters(body: Body) -> str:
    """Scores read the last two coordinates alone, in every head of every layer."""
    only(body, {"kind", "n", "length", "heads"})
    n, length = integer(body, "n", 1), length_of(body, most=16)
    position = [2 * n * n, 2 * n * n + 1]
    heads = sequence(body, "heads", 2 * (length - 1).bit_length())
    for k, head in enumerate(heads):
        wanted = [k // 2 + 1, ("left", "right")[k % 2], position, position]
        agree(f"head {k + 1}", head, wanted)
    return f"{len(heads)} heads read coordinates {position} alone"


def attention_layers(body: Body) -> str:
    """One state: a_l by layer, and the error after attention within ε^(l-1) + a_l."""
    only(body, INSTANCE | {"attention", "errors", "incoming"})
    _, layers = scalar_layers(body)
    shares = each("attention error", body, "attention", [x.attention for x in layers])
    errors = each("error", body, "errors", [x.error for x in layers])
    incoming = each("error after attention", body, "incoming", [x.incoming for x in layers])
    for before, share, after in zip([Fraction(0), *errors[:-1]], shares, incoming, strict=True):
        at_most("after attention", after, (before + share) * (1 + SLACK))
    return f"{len(shares)} layers, each with its own attention error"


def incoming(body: Body) -> str:
    """One state: what enters the second product errs by at most ε^(1) + a_2."""
    only(body, INSTANCE | {"expansion", "error", "attention", "incoming"})
    agree("the majorant", expansion(body["expansion"]), {"eps_1*one": 1, "a_2": 1})
    _, layers = scalar_layers(body)
    if len(layers) < 2:
        raise Refused("a second layer is needed")
    error = near("ε^(1)", body["error"], layers[0].error)
    share = near("a_2", body["attention"], layers[1].attention)
    after = near("the error after attention", body["incoming"], layers[1].incoming)
    at_most("after attention", after, (error + share) * (1 + SLACK))
    return f"{float(after):.6g} enters layer 2, within {float(error + share):.6g}"


def second(body: Body) -> str:
    """One state: ε^(2) ≤ 2 μ_2 δ + δ² with δ = ε^(1) + a_2, measured."""
    only(body, INSTANCE | {"expansion", "before", "attention", "norm", "error", "bound"})
    wanted = {"delta_2*mu_2": 2, "delta_2*delta_2": 1, "eps_mlp": 1}
    agree("the majorant", expansion(body["expansion"]), wanted)
    _, layers = scalar_layers(body)
    if len(layers) < 2:
        raise Refused("a second layer is needed")
    before = near("ε^(1)", body["before"], layers[0].error)
    share = near("a_2", body["attention"], layers[1].attention)
    size = near("μ_2", body["norm"], layers[1].norm)
    error = near("ε^(2)", body["error"], layers[1].error)
    delta = before + share
    right = 2 * size * delta + delta**2
    bound = near("the bound", body["bound"], (right, right))
    at_most("ε^(2)", error, bound)
    return f"ε^(2) = {float(error):.6g} is within {float(bound):.6g}"


def _recursion(body: Body) -> tuple[Fraction, list[Fraction]]:
    weight, layers = scalar_layers(body)
    norms = each("μ", body, "norms", [x.norm for x in layers])
    each("a", body, "attention", [x.attention for x in layers])
    errors = each("ε", body, "errors", [x.error for x in layers])
    right = each("bound", body, "bounds", corrected(layers))
    for error, bound in zip(errors, right, strict=True):
        at_most("an error", error, bound)
    if len(layers) < 3:
        raise Refused("three layers are needed")
    return weight, norms


ITERATED = INSTANCE | {"expansion", "norms", "attention", "errors", "bounds"}


def layered(body: Body) -> str:
    """One state: the corrected recursion from layer to layer, beside the errors."""
    only(body, ITERATED)
    agree("the majorant", expansion(body["expansion"]), PRODUCT)
    weight, norms = _recursion(body)
    return f"weight {weight}: {len(norms)} layers keep the corrected recursion"


def contractive(body: Body) -> str:
    """One state of weight at most 1 in size: μ_l = 1 in every layer, and M = 2 serves."""
    only(body, ITERATED)
    wanted = {"delta*one": 2, "delta*delta": 1, "eps_mlp": 1}
    agree("the majorant", expansion(body["expansion"]), wanted)
    weight, norms = _recursion(body)
    if abs(weight) > 1 or any(size > 1 for size in norms):
        raise Refused("a factor has a norm above 1")
    return f"weight {weight}: {len(norms)} layers keep the recursion with M = 2"


def start(body: Body) -> str:
    """M√b + b = b + M√b ≥ b: the right side at ε^(0) = √b reaches every bound b."""
    only(body, {"kind", "right", "bound", "rest", "factor", "root", "value"})
    right: Counter[str] = Counter({"M*s": 1, "s*s": 1})
    agree("the right side", body["right"], dict(right))
    agree("the bound", body["bound"], {"s*s": 1})
    right.subtract(body["bound"])
    agree("the rest", body["rest"], {term: k for term, k in right.items() if k})
    factor, root = fraction(body["factor"]), fraction(body["root"])
    if factor < 0 or root < 0:
        raise Refused("M and √b are not negative")
    agree("the value", fraction(body["value"]), factor * root + root * root)
    return f"M = {factor}, b = {root * root}: the right side is {body['value']}"


def base(body: Body) -> str:
    """The recursion's right side at ε^(0) = ε_attn is the majorant of the first layer's error."""
    only(body, {"kind", "expansion", "recursion", "start"})
    majorant = expansion(body["expansion"])
    stated = body["recursion"]
    agree("the recursion", stated, {"M*eps_0": 1, "eps_0*eps_0": 1, "eps_mlp": 1})
    placed = {term.replace("eps_0", text(body, "start")): count for term, count in stated.items()}
    halved = {
        term.replace("M*", "M/2*"): 2 * k if "M*" in term else k for term, k in placed.items()
    }
    agree("both sides", halved, majorant)
    return f"with ε^(0) = {body['start']} the case l = 1 is the bound of the first layer"


def finite(body: Body) -> str:
    """One state at a fixed C: for each length the corrected recursion is a number."""
    only(body, {"kind", "weight", "saturation", "lengths", "bounds"})
    lengths = sequence(body, "lengths", 3)
    agree("lengths", lengths, [2, 4, 8])
    found = []
    for length in lengths:
        _, layers = scalar_layers({**body, "length": length})
        found.append(corrected(layers)[-1])
    values = each("bound at length", body, "bounds", found)
    return f"bounds {', '.join(f'{float(value):.4g}' for value in values)} at T = 2, 4, 8"


def states(body: Body) -> str:
    """One state: the states' error squared is at most α² (T+1) times that of the products."""
    only(body, INSTANCE | {"expansion", "alpha", "product", "states", "square"})
    agree("the majorant", expansion(body["expansion"]), {"alpha*eps_tot": 1})
    weight, alpha = fraction(body.get("weight")), fraction(body["alpha"])
    length = length_of(body)
    model = Model(1, length, saturation_of(body))
    letters = [((weight,),)] * length
    *_, (last, _) = model.layers(letters)
    error = near("the error of the products", body["product"], last.error)
    found = near("the error of the states", body["states"], model.state_error([alpha], letters))
    square = alpha**2 * (length + 1) * error**2
    agree("α² (T+1) ε²", fraction(body["square"]), square)
    at_most("the states", found**2, square)
    return f"the states err by {float(found):.6g}, squared within {float(square):.6g}"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "theorem2.norm": norm,
    "theorem2.lagrange": lagrange,
    "theorem2.inequalities": inequalities,
    "theorem2.sources": sources,
    "theorem2.halves": halves,
    "theorem2.first-bound": first_bound,
    "theorem2.filter": filters,
    "theorem2.attention-layers": attention_layers,
    "theorem2.incoming": incoming,
    "theorem2.second": second,
    "theorem2.layers": layered,
    "theorem2.contractive": contractive,
    "theorem2.start": start,
    "theorem2.base": base,
    "theorem2.finite": finite,
    "theorem2.states": states,
}
