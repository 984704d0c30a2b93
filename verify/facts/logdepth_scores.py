"""Scores of the log-depth construction at all lengths, and their margins (fact logdepth.margins).

Scores       each head's scores as polynomials in positions and depths, for generic tokens; their
             weights are polynomials in E of degree at most 3, so that agreement at more than
             three lengths is agreement at all
Margins      what a target gains over every other token, as polynomials in E = T + 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy

from constructions.arithmetic import Polynomial
from constructions.blocks.logdepth_step import step_layer
from constructions.blocks.logdepth_weights import LogDepthPlan, Variant, preparation
from constructions.core.matrix import Matrix
from constructions.core.transformer import Head, Layer

NAMES = ("i", "j", "c", "d", "D", "g", "e", "first", "open", "close", "parent")


def stated_score(plan: LogDepthPlan, name: str, v: Mapping[str, Any]) -> Any:
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


def built_score(plan: LogDepthPlan, head: Head[Matrix], ring: Polynomial) -> Any:
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


def wrong_scores(plan: LogDepthPlan, layers: tuple[Layer[Matrix], ...] | None = None) -> list[str]:
    """The heads whose scores are not the expected polynomials."""
    ring = Polynomial(NAMES)
    given = layers or (*preparation(plan), step_layer(plan))
    return [
        head.name
        for head in hard_heads(given)
        if built_score(plan, head, ring) - stated_score(plan, head.name, ring.generators) != 0
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


def small_margins(least: int, stated: Mapping[str, Any] | None = None) -> list[str]:
    """The margins not shown to be at least 1 for all E ≥ least.

    With E = least + x the margin less 1 must have no negative coefficient in x.
    """
    size, x = sympy.Symbol("E"), sympy.Symbol("x")
    short = []
    for name, margin in (margins() if stated is None else stated).items():
        moved = sympy.Poly(sympy.expand(margin.subs(size, least + x) - 1), x)
        if any(coefficient < 0 for coefficient in moved.coeffs()):
            short.append(name)
    return short
