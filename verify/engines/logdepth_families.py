"""The step of the log-depth construction for all n, and its scores for all lengths.

All n        each family of units with symbolic indices; what the units add to a generic output
             entry is a sum over Kronecker deltas, which SymPy evaluates; that the built layer has
             exactly these units is compared for n = 1, 2, 3, 4
Scores       each head's scores as polynomials in positions and depths, for generic tokens; their
             weights are polynomials in E of degree at most 3, so that agreement at more than
             three lengths is agreement at all
Margins      what a target gains over every other token, as polynomials in E ≥ 2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy

from constructions.arithmetic import Polynomial
from constructions.logdepth_step import step_layer, step_units
from constructions.logdepth_weights import Form, Plan, Variant, preparation
from constructions.matrix import Matrix
from constructions.transformer import Head, Layer
from verify.engines.logdepth_algebra import Generic, generic


@dataclass(frozen=True)
class Family:
    """Units with symbolic indices: left, right and output entries, and a tensor coefficient."""

    name: str
    indices: str
    left: tuple[str, str]
    right: tuple[str, str]
    output: tuple[str, str]
    tensor: str = ""


FAMILIES = (
    Family("M M_c", "akq", ("matrix", "ak"), ("next_matrix", "kq"), ("matrix", "aq")),
    Family("M b_c", "ak", ("matrix", "ak"), ("next_state", "k"), ("state", "a")),
    Family("T(B, B)", "ajk", ("near_state", "j"), ("far_state", "k"), ("state", "a"), "ajk"),
    Family("T(B, ·)", "ajq", ("not_far", ""), ("near_state", "j"), ("matrix", "aq"), "ajq"),
    Family("T(·, B)", "aqk", ("not_near", ""), ("far_state", "k"), ("matrix", "aq"), "aqk"),
)
"""The unit families whose number grows with n; `not_far` is 1 - F, `not_near` is 1 - N."""


def family_sum(family: Family) -> tuple[Any, Any]:
    """(what the units add to a generic output entry, what the formula says), for symbolic n.

    The output entry with indices i (and p) collects Σ over all indices of left · right · tensor,
    with a Kronecker delta for each output index.
    """
    n = sympy.Symbol("n", integer=True, positive=True)
    free = dict(zip("ip", sympy.symbols("i p", integer=True, nonnegative=True), strict=True))
    bound = {c: sympy.Symbol(c, integer=True, nonnegative=True) for c in family.indices}
    targets = dict(zip(family.output[1], free.values(), strict=False))
    deltas = [sympy.KroneckerDelta(bound[c], t, (0, n - 1)) for c, t in targets.items()]
    term = sympy.prod([*deltas, _entry(family, bound)])
    total: Any = term
    for c in targets:
        total = sympy.Sum(total, (bound[c], 0, n - 1)).doit()
    inner = [c for c in family.indices if c not in targets]
    wanted = _entry(family, {**bound, **targets})
    for c in inner:
        total = sympy.Sum(total, (bound[c], 0, n - 1))
        wanted = sympy.Sum(wanted, (bound[c], 0, n - 1))
    return _inside(total, targets.values(), n), wanted


def _inside(total: Any, targets: Any, n: Any) -> Any:
    """The sum for output indices 0 ≤ i, p ≤ n - 1, where SymPy leaves conditions on them."""
    inside = {sympy.Ge(n - 1, t): sympy.true for t in targets}
    inside |= {sympy.Le(t, n - 1): sympy.true for t in targets}
    return total.subs(inside).simplify() if total.has(sympy.Piecewise) else total


def _entry(family: Family, at: Mapping[str, Any]) -> Any:
    def factor(name: str, indices: str) -> Any:
        return sympy.Function(name)(*(at[c] for c in indices)) if indices else sympy.Symbol(name)

    parts = [factor(*family.left), factor(*family.right)]
    return sympy.prod([*parts, factor("t", family.tensor)] if family.tensor else parts)


def instantiated(family: Family, n: int) -> Counter[tuple[Any, ...]]:
    """The family's units for one n, as a multiset of (left, right, output, coefficient)."""
    found: Counter[tuple[Any, ...]] = Counter()
    for values in product(range(n), repeat=len(family.indices)):
        at = dict(zip(family.indices, values, strict=True))
        flat = [_flat(side, at, n) for side in (family.left, family.right, family.output)]
        weight = "t_" + "_".join(str(at[c]) for c in family.tensor) if family.tensor else "1"
        found[(*flat, weight)] += 1
    return found


def _flat(side: tuple[str, str], at: Mapping[str, int], n: int) -> tuple[str, int]:
    name, indices = side
    offset = 0
    for c in indices:
        offset = offset * n + at[c]
    return name, offset


SHORT: Mapping[tuple[tuple[str, int, str], ...], tuple[str, int]] = {
    (("one", 0, "1"), ("far_pebbled", 0, "-1")): ("not_far", 0),
    (("one", 0, "1"), ("near_pebbled", 0, "-1")): ("not_near", 0),
}


def built(model: Generic) -> Counter[tuple[Any, ...]]:
    """The layer's own units of those families, in the same form."""
    found: Counter[tuple[Any, ...]] = Counter()
    grown = {family.right[0] for family in FAMILIES}
    for unit in step_units(model.plan):
        left, right = _side(unit.left), _side(unit.right)
        if right is not None and right[0] in grown and left is not None and left[0] != "one":
            for (name, offset), weight in unit.output.items():
                found[(left, right, (name, offset), str(weight))] += 1
    return found


def _side(form: Form) -> tuple[str, int] | None:
    plain = tuple((name, offset, str(value)) for (name, offset), value in form.items())
    if len(plain) == 1 and plain[0][2] == "1":
        return plain[0][:2]
    return SHORT.get(plain)


def families_match(n: int) -> bool:
    """Whether the built layer has exactly the units that the families name."""
    total: Counter[tuple[Any, ...]] = Counter()
    for family in FAMILIES:
        total += instantiated(family, n)
    return built(generic(n)) == total


NAMES = ("i", "j", "c", "d", "D", "g", "e", "first", "open", "close", "parent")


def expected_score(plan: Plan, name: str, v: Mapping[str, Any]) -> Any:
    """The score of a head between tokens i and j, as the docstring of the weights has it."""
    i, j, depth, deeper, side, size = v["i"], v["j"], v["d"], v["D"], plan.side, plan.extent
    gate = (1 - v["g"]) * v["e"]
    follow = {"near": i + side, "pointer": v["c"], "previous": i - 1}
    if name in follow:
        near = 2 * size**2 * gate if name == "near" else 0
        return follow[name] ** 2 - (j - follow[name]) ** 2 + near
    if name == "match":
        return size * (depth**2 - (deeper - depth) ** 2 - v["close"]) + j
    if name == "parent":
        return size * ((depth - 1) ** 2 - (deeper - depth + 1) ** 2) + j
    if plan.variant is Variant.PARENT:
        wrong = v["first"] + v["close"]
        return i**2 - (v["parent"] - i) ** 2 - size**2 * wrong + 4 * size**2 * gate
    closing = plan.variant is Variant.CLOSING
    wrong = v["open"] + 1 - v["first"] if closing else v["first"] + v["close"]
    depths = (depth + 1) ** 2 - (deeper - depth - 1) ** 2
    return size * (depths - wrong) - side * j + 2 * size**3 * gate


def found_score(plan: Plan, head: Head[Matrix], ring: Polynomial) -> Any:
    """The score of the built head between two generic tokens."""
    v, layout = ring.generators, plan.layout()
    one = ring.context.constant(1)
    asks = {"one": one, "index": v["i"], "square": v["i"] ** 2, "depth": v["d"]}
    asks |= {"depth_squared": v["d"] ** 2, "inactive": v["g"], "pointer": v["c"]}
    asked = {"one": one, "index": v["j"], "square": v["j"] ** 2, "depth": v["D"], "end": v["e"]}
    asked |= {"depth_squared": v["D"] ** 2, "parent_squared": v["parent"] ** 2}
    asked |= {name: v[name] for name in ("first", "open", "close", "parent")}
    rows = [[row.get(name, 0) for name in layout for _ in layout[name]] for row in (asks, asked)]
    return head.map(ring.weight).scores(ring, ring.array(rows))[0, 1]


def hard_heads(layers: tuple[Layer[Matrix], ...]) -> Iterator[Head[Matrix]]:
    """The heads with scores of their own."""
    for layer in layers:
        yield from (head for head in layer.heads if head.query.shape[1])


def wrong_scores(plan: Plan, layers: tuple[Layer[Matrix], ...] | None = None) -> list[str]:
    """The heads whose scores are not the expected polynomials."""
    ring = Polynomial(NAMES)
    given = layers or (*preparation(plan), step_layer(plan))
    return [
        head.name
        for head in hard_heads(given)
        if found_score(plan, head, ring) - expected_score(plan, head.name, ring.generators) != 0
    ]


def margins() -> dict[str, Any]:
    """What the target of a head gains, at least, over any other token, as polynomials in E.

    Positions differ by at most E, from 0 to E; depths lie between 0 and E - 1; the marks that a
    score subtracts are at most 2.
    """
    size = sympy.Symbol("E")
    return {
        "another position": sympy.Integer(1),
        "near, sent to the end": 2 * size**2 - size**2,
        "far, another depth or kind": size - (size - 1),
        "far, sent to the end": 2 * size**3 - (size * size**2 + 2 * size + size),
        "far by parent, another kind": size**2 - (size - 1) ** 2,
        "far by parent, sent to the end": 4 * size**2 - (size**2 + 2 * size**2),
    }


def small_margins(least: int, found: Mapping[str, Any] | None = None) -> list[str]:
    """The margins not shown to be at least 1 for all E ≥ least.

    With E = least + x the margin less 1 must have no negative coefficient in x.
    """
    size, x = sympy.Symbol("E"), sympy.Symbol("x")
    short = []
    for name, margin in (margins() if found is None else found).items():
        moved = sympy.Poly(sympy.expand(margin.subs(size, least + x) - 1), x)
        if any(coefficient < 0 for coefficient in moved.coeffs()):
            short.append(name)
    return short
