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

from constructions.blocks.logdepth_weights import LogDepthPlan, LogDepthUnit, copies
from constructions.core.forms import ONE, at, block, plus, times
from constructions.core.matrix import Matrix
from constructions.core.transformer import Head, Layer, Mask

AFTER = plus(at("index"), ONE)  # the position of the near child


def near_head(plan: LogDepthPlan) -> Head[Matrix]:
    """The head that attends to i + 1."""
    pairs = [*plan.pointer_scores(AFTER), *plan.gate_scores(2 * plan.extent**2)]
    return plan.head("near", pairs, [at("pebbled"), *block("state", plan.n)], Mask.NONE)


def far_head(plan: LogDepthPlan) -> Head[Matrix]:
    """The head that attends to the right child and reads its position."""
    pairs = [
        *plan.depth_scores(1),
        (times(-plan.extent, ONE), plus(at("first"), at("close"))),  # u: no right child
        (times(-1, ONE), at("index")),
        *plan.gate_scores(2 * plan.extent**3),
    ]
    values = [at("pebbled"), *block("state", plan.n), at("index")]
    return plan.head("far", pairs, values, Mask.ANTICAUSAL)


def pointer_head(plan: LogDepthPlan) -> Head[Matrix]:
    """The head that attends to the token pointed to."""
    n = plan.n
    values = [*block("matrix", n * n), *block("state", n), at("pebbled"), at("pointer")]
    return plan.head("pointer", plan.pointer_scores(at("pointer")), values, Mask.NONE)


def step_reads(plan: LogDepthPlan) -> dict[str, int]:
    """The sizes of the outputs of the three heads of a step, in order."""
    n = plan.n
    return {
        "near_pebbled": 1,
        "near_state": n,
        "far_pebbled": 1,
        "far_state": n,
        "far_place": 1,
        "next_matrix": n * n,
        "next_state": n,
        "next_pebbled": 1,
        "next_pointer": 1,
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
        rows = {("matrix", a * n + q): plan.tensor[a][j][q] for a, q in cells}
        yield LogDepthUnit(plus(ONE, times(-1, FAR)), at("near_state", j), rows)
        rows = {("matrix", a * n + q): plan.tensor[a][q][j] for a, q in cells}
        yield LogDepthUnit(plus(ONE, times(-1, NEAR)), at("far_state", j), rows)


def state_units(plan: LogDepthPlan) -> Iterator[LogDepthUnit]:
    """b' = b + M b_c + T(B_near, B_far)."""
    n = plan.n
    for a in range(n):
        yield LogDepthUnit(ONE, at("state", a), at("state", a))
    for a, k in product(range(n), repeat=2):
        yield LogDepthUnit(at("matrix", a * n + k), at("next_state", k), at("state", a))
    for j, k in product(range(n), repeat=2):
        out = {("state", a): plan.tensor[a][j][k] for a in range(n)}
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


def pointer_units(_: LogDepthPlan) -> Iterator[LogDepthUnit]:
    """c' = c_c + N (far - i) + F (near - i)."""
    target = at("pointer")
    yield LogDepthUnit(ONE, at("next_pointer"), target)
    yield LogDepthUnit(NEAR, plus(at("far_place"), at("index", 0, -1)), target)
    yield LogDepthUnit(FAR, plus(AFTER, at("index", 0, -1)), target)


def step_units(plan: LogDepthPlan) -> list[LogDepthUnit]:
    """All products of a step."""
    families = (matrix_units, state_units, mark_units, pointer_units)
    kept = list(copies(plan, plan.changing_sizes()))
    return kept + [unit for family in families for unit in family(plan)]


def step_layer(plan: LogDepthPlan) -> Layer[Matrix]:
    """The layer that is repeated."""
    heads = (near_head(plan), far_head(plan), pointer_head(plan))
    return plan.layer(heads, step_reads(plan), step_units(plan))
