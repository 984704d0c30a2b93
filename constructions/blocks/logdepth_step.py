"""The layer of the log-depth construction that is repeated: three heads and its products.

Constructs    heads for the near child, the far child and the pointer; with N, F the marks f of the
              near and the far child, B their states, and M_c, b_c, f_c, c_c read by the pointer

    M' = M M_c + (1 - F) T(B_near, ·) + (1 - N) T(·, B_far) - (N + F - N F) I
    b' = b + M b_c + T(B_near, B_far)
    f' = f + (1 - f - g) f_c + N F
    g' = g - (N + F - N F)
    c' = c_c + N (far - i) + F (near - i)

Notation      T(x, ·) contracts the near child's index, T(·, x) the far child's; a node that is
              not inactive reads N = F = 0 and B = 0 from the end token
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from constructions.blocks.logdepth_weights import LogDepthPlan, LogDepthUnit, Variant, copies
from constructions.core.forms import ONE, Form, Pairs, at, block, plus, times
from constructions.core.matrix import Matrix
from constructions.core.transformer import Head, Layer, Mask


def near_head(plan: LogDepthPlan) -> Head[Matrix]:
    """Looks at i + s."""
    gate = plan.gate_scores(2 * plan.extent**2 if plan.has_integer_positions else 4)
    mask = Mask.CAUSAL if plan.variant is Variant.CLOSING else Mask.NONE
    values = [at("pebbled"), *block("state", plan.n)]
    return plan.head(
        "near", [*plan.pointer_scores(plan.neighbour_position(plan.side)), *gate], values, mask
    )


def far_head(plan: LogDepthPlan) -> Head[Matrix]:
    """Looks at the other child, and reads where it is."""
    values = [at("pebbled"), *block("state", plan.n), *plan.own_position()]
    if plan.variant is Variant.PARENT:
        return plan.head("far", far_scores(plan), values, Mask.NONE)
    gate = plan.gate_scores(
        2 * plan.extent**3 if plan.has_integer_positions else 4 * plan.extent**2
    )
    pairs = [
        *plan.depth_scores(1),
        (times(-plan.penalty, ONE), far_mismatch(plan)),
        *plan.nearness_scores(),
        *gate,
    ]
    mask = Mask.CAUSAL if plan.variant is Variant.CLOSING else Mask.ANTICAUSAL
    return plan.head("far", pairs, values, mask)


def far_mismatch(plan: LogDepthPlan) -> Form:
    """u: 0 for a token that may be a far child, larger for all others."""
    if plan.variant is Variant.CLOSING:
        return plus(at("open"), ONE, at("first", 0, -1))
    return plus(at("first"), at("close"))


def far_scores(plan: LogDepthPlan) -> Pairs:
    """The token whose parent is i, and which is neither a first child nor a closing bracket."""
    square = plan.extent**2
    return [
        (at("index", 0, 2), at("parent")),
        (times(-1, ONE), at("parent_squared")),
        (times(-square, ONE), far_mismatch(plan)),
        *plan.gate_scores(4 * square),
    ]


def pointer_head(plan: LogDepthPlan) -> Head[Matrix]:
    """Looks where the pointer points."""
    n, width = plan.n, plan.width
    values = [
        *block("matrix", n * n),
        *block("state", n),
        at("pebbled"),
        *block("pointer", width),
    ]
    mask = Mask.CAUSAL if plan.variant is Variant.CLOSING else Mask.NONE
    return plan.head("pointer", plan.pointer_scores(block("pointer", width)), values, mask)


def step_reads(plan: LogDepthPlan) -> dict[str, int]:
    """The sizes of the outputs of the three heads of a step, in order."""
    n, width = plan.n, plan.width
    return {
        "near_pebbled": 1,
        "near_state": n,
        "far_pebbled": 1,
        "far_state": n,
        "far_place": width,
        "next_matrix": n * n,
        "next_state": n,
        "next_pebbled": 1,
        "next_pointer": width,
    }


NEAR, FAR = at("near_pebbled"), at("far_pebbled")


def matrix_units(plan: LogDepthPlan) -> Iterator[LogDepthUnit]:
    """M' = M M_c + (1 - F) T(B, ·) + (1 - N) T(·, B) - (N + F - N F) I."""
    n = plan.n
    for a, k, q in product(range(n), repeat=3):
        yield LogDepthUnit(
            at("matrix", a * n + k), at("next_matrix", k * n + q), at("matrix", a * n + q)
        )
    cells = list(product(range(n), repeat=2))
    for j in range(n):
        rows = {("matrix", a * n + q): plan.weight(a, j, q) for a, q in cells}
        yield LogDepthUnit(plus(ONE, times(-1, FAR)), at("near_state", j), rows)
        rows = {("matrix", a * n + q): plan.weight(a, q, j) for a, q in cells}
        yield LogDepthUnit(plus(ONE, times(-1, NEAR)), at("far_state", j), rows)


def state_units(plan: LogDepthPlan) -> Iterator[LogDepthUnit]:
    """b' = b + M b_c + T(B_near, B_far)."""
    n = plan.n
    for a in range(n):
        yield LogDepthUnit(ONE, at("state", a), at("state", a))
    for a, k in product(range(n), repeat=2):
        yield LogDepthUnit(at("matrix", a * n + k), at("next_state", k), at("state", a))
    for j, k in product(range(n), repeat=2):
        out = {("state", a): plan.weight(a, j, k) for a in range(n)}
        yield LogDepthUnit(at("near_state", j), at("far_state", k), out)


def mark_units(plan: LogDepthPlan) -> Iterator[LogDepthUnit]:
    """f' = f + (1 - f - g) f_c + N F and g' = g - (N + F - N F), with -(N + F - N F) I for M'."""
    n = plan.n
    diagonal = plus(*(at("matrix", a * n + a) for a in range(n)))
    active = plus(ONE, at("pebbled", 0, -1), at("inactive", 0, -1))
    yield LogDepthUnit(ONE, at("pebbled"), at("pebbled"))
    yield LogDepthUnit(ONE, at("inactive"), at("inactive"))
    yield LogDepthUnit(active, at("next_pebbled"), at("pebbled"))
    yield LogDepthUnit(NEAR, FAR, plus(diagonal, at("pebbled"), at("inactive")))
    yield LogDepthUnit(ONE, plus(NEAR, FAR), times(-1, plus(diagonal, at("inactive"))))


def pointer_units(plan: LogDepthPlan) -> Iterator[LogDepthUnit]:
    """c' = c_c + N (far - i) + F (near - i)."""
    positions = zip(plan.own_position(), plan.neighbour_position(plan.side), strict=True)
    for e, (own, near) in enumerate(positions):
        target = at("pointer", e)
        yield LogDepthUnit(ONE, at("next_pointer", e), target)
        yield LogDepthUnit(NEAR, plus(at("far_place", e), times(-1, own)), target)
        yield LogDepthUnit(FAR, plus(near, times(-1, own)), target)


def step_units(plan: LogDepthPlan) -> list[LogDepthUnit]:
    """All products of a step."""
    families = (matrix_units, state_units, mark_units, pointer_units)
    kept = list(copies(plan, plan.changing_sizes()))
    return kept + [unit for family in families for unit in family(plan)]


def step_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """The layer that is repeated."""
    heads = (near_head(plan), far_head(plan), pointer_head(plan))
    return plan.layer(heads, step_reads(plan), step_units(plan))
