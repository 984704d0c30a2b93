"""One step of the log-depth construction with symbols for weights and tokens (fact logdepth.step).

Identities   the feed-forward of the built layer, run on polynomials: M', b', f', g', c' are what
             `constructions.blocks.logdepth_step` says, for a generic tensor
Cases        the same block on tokens that satisfy the invariant, for each way marks can fall: the
             invariant holds afterwards
Notation     t tensor, M, b, f, g, c own; M_c, … read by the pointer; L, R marks of the children
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from constructions.arithmetic import Polynomial
from constructions.blocks.logdepth_step import step_layer, step_reads, step_units
from constructions.blocks.logdepth_weights import LogDepthPlan, Variant
from constructions.core.forms import Form
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix
from constructions.core.transformer import Bilinear

Blocks = dict[str, list[Any]]


@dataclass(frozen=True)
class Generic:
    """A step layer whose tensor is made of generators, and the ring they live in."""

    plan: LogDepthPlan
    ring: Polynomial
    names: tuple[str, ...]

    @property
    def inputs(self) -> Layout:
        """The coordinates of z: the token and what its heads bring."""
        return Layout(**self.plan.sizes(), **step_reads(self.plan))

    def variable(self, name: str) -> Any:
        """A generator by name."""
        return self.ring.generators[name]

    def block(self, name: str) -> list[Any]:
        """The generators that stand for a block of z; the constant one is 1."""
        if name == "one":
            return [self.ring.context.constant(1)]
        return [self.variable(f"{name}_{i}") for i in range(len(self.inputs[name]))]

    def only(self, name: str) -> Any:
        """The generator that stands for a block of one coordinate."""
        [generator] = self.block(name)
        return generator

    def zero(self) -> Any:
        """The zero polynomial."""
        return self.ring.context.constant(0)

    def output(self, blocks: Blocks, block: Bilinear[Matrix] | None = None) -> Blocks:
        """Return the feed-forward's output for a token z, by blocks."""
        values = [v for name in self.inputs for v in blocks.get(name, self.block(name))]
        row = self.ring.array([values])
        given = block or feedforward(self.plan)
        result = given.map(self.ring.weight, self.ring.tensor)(self.ring, row)[0]
        layout = self.plan.layout()
        return {name: [result[i] + self.zero() for i in layout[name]] for name in layout}


def feedforward(plan: LogDepthPlan) -> Bilinear[Matrix]:
    """The products of the step layer."""
    block = step_layer(plan).feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("the step layer has no bilinear block")
    return block


def generic(n: int, variant: Variant = Variant.OPENING, length: int = 4) -> Generic:
    """The step layer for n states with a tensor of generators t_i_j_k."""
    cells = [f"t_{i}_{j}_{k}" for i, j, k in product(range(n), repeat=3)]
    zeros = tuple(tuple((0,) * n for _ in range(n)) for _ in range(n))
    empty = LogDepthPlan(zeros, length, variant=variant)
    inputs = {**empty.sizes(), **step_reads(empty)}
    names = [f"{name}_{i}" for name, size in inputs.items() for i in range(size) if name != "one"]
    extra = [f"{side}_{i}" for side in ("left", "right", "below") for i in range(n)]
    ring = Polynomial([*cells, *names, *extra])
    tensor = tuple(
        tuple(tuple(ring.generators[f"t_{i}_{j}_{k}"] for k in range(n)) for j in range(n))
        for i in range(n)
    )
    return Generic(LogDepthPlan(tensor, length, variant=variant), ring, tuple(names))


def stated_step(model: Generic) -> Blocks:
    """M', b', f', g', c' of the step, and everything else unchanged, for generic tokens."""
    n, tensor, z, only = model.plan.n, model.plan.tensor, model.block, model.only
    near, far = only("near_pebbled"), only("far_pebbled")
    opening = model.plan.side == 1
    (left, right) = (near, far) if opening else (far, near)
    names = ("near_state", "far_state") if opening else ("far_state", "near_state")
    known_left, known_right = (z(name) for name in names)
    own, onward, span = z("matrix"), z("next_matrix"), range(n)
    f, g = only("pebbled"), only("inactive")
    matrix = [
        sum(own[a * n + k] * onward[k * n + q] for k in span)
        + (1 - right) * sum(tensor[a][j][q] * known_left[j] for j in span)
        + (1 - left) * sum(tensor[a][q][k] * known_right[k] for k in span)
        - (left + right - left * right) * int(a == q)
        for a, q in product(span, repeat=2)
    ]
    state = [
        z("state")[a]
        + sum(own[a * n + k] * z("next_state")[k] for k in span)
        + sum(tensor[a][j][k] * known_left[j] * known_right[k] for j in span for k in span)
        for a in span
    ]
    index, side = only("index"), model.plan.side
    pointer = only("next_pointer") + near * (only("far_place") - index) + far * side
    changed: Blocks = {
        "matrix": matrix,
        "state": state,
        "pebbled": [f + (1 - f - g) * only("next_pebbled") + near * far],
        "inactive": [g - (near + far - near * far)],
        "pointer": [pointer],
    }
    return {name: changed.get(name, z(name)) for name in model.plan.layout()}


def differences(model: Generic, block: Bilinear[Matrix] | None = None) -> list[str]:
    """The coordinates in which the layer and the formulas differ."""
    outputs, wanted = model.output({}, block), stated_step(model)
    return [
        f"{name}[{i}]"
        for name in wanted
        for i, (one, other) in enumerate(zip(outputs[name], wanted[name], strict=True))
        if one - other != 0
    ]


@dataclass(frozen=True)
class Case:
    """One way marks can fall: what a token reads, and what must come out."""

    name: str
    given: Blocks
    wanted: Blocks


def cases(model: Generic) -> Iterator[Case]:
    """Every case of the step, for generic states of the children and of the node pointed to."""
    yield from _inactive_cases(model)
    yield from _other_cases(model)


def _vector(model: Generic, name: str) -> list[Any]:
    return [model.variable(f"{name}_{i}") for i in range(model.plan.n)]


def _near_and_far(model: Generic, left: list[Any], right: list[Any]) -> tuple[list[Any], list[Any]]:
    """(near, far) from (left, right)."""
    return (left, right) if model.plan.side == 1 else (right, left)


def _identity(model: Generic) -> list[Any]:
    n = model.plan.n
    return [model.zero() + int(a == q) for a, q in product(range(n), repeat=2)]


def _reads_of_end_token(model: Generic) -> Blocks:
    """Return what a node that is not inactive reads from the end token: no marks, no states."""
    zeros = [model.zero()] * model.plan.n
    none = [model.zero()]
    return {
        "near_pebbled": none,
        "far_pebbled": none,
        "near_state": zeros,
        "far_state": zeros,
    }


def _inactive_cases(model: Generic) -> Iterator[Case]:
    """M = I, b = 0, c = v: both children known, one of them, none."""
    n, zero = model.plan.n, model.zero()
    left, right = _vector(model, "left"), _vector(model, "right")
    for knows_left, knows_right in product((1, 0), repeat=2):
        seen_left = left if knows_left else [zero] * n
        seen_right = right if knows_right else [zero] * n
        near, far = _near_and_far(model, seen_left, seen_right)
        marks = _near_and_far(model, [zero + knows_left], [zero + knows_right])
        given: Blocks = {
            **_inactive_token(model),
            "near_state": near,
            "far_state": far,
            "near_pebbled": marks[0],
            "far_pebbled": marks[1],
        }
        name = f"inactive, left child {'known' if knows_left else 'unknown'}, right child "
        wanted = _after_inactive(model, left, right, knows_left, knows_right)
        yield Case(name + ("known" if knows_right else "unknown"), given, wanted)


def _inactive_token(model: Generic) -> Blocks:
    """An inactive token, whose pointer reads the token itself."""
    zeros, zero, one = [model.zero()] * model.plan.n, [model.zero()], [model.zero() + 1]
    own: Blocks = {"matrix": _identity(model), "state": zeros, "pebbled": zero, "inactive": one}
    place = {"pointer": model.block("index"), "next_pointer": model.block("index")}
    onward = {"next_matrix": _identity(model), "next_state": zeros, "next_pebbled": zero}
    return {**own, **place, **onward}


def _after_inactive(
    model: Generic, left: list[Any], right: list[Any], knows_left: int, knows_right: int
) -> Blocks:
    n, zero, tensor, span = model.plan.n, model.zero(), model.plan.tensor, range(model.plan.n)
    index = model.only("index")
    near_place, far_place = index + model.plan.side, model.only("far_place")
    places = _near_and_far(model, [near_place], [far_place])
    if knows_left and knows_right:
        value = [
            sum(tensor[a][j][k] * left[j] * right[k] for j in span for k in span) for a in span
        ]
        return {"matrix": [zero] * (n * n), "state": value, "pebbled": [zero + 1]}
    if not knows_left and not knows_right:
        return {"matrix": _identity(model), "state": [zero] * n, "pointer": [index]}
    if knows_left:
        rows = [sum(tensor[a][j][q] * left[j] for j in span) for a in span for q in span]
        return {"matrix": rows, "state": [zero] * n, "pointer": places[1], "inactive": [zero]}
    rows = [sum(tensor[a][q][k] * right[k] for k in span) for a in span for q in span]
    return {"matrix": rows, "state": [zero] * n, "pointer": places[0], "inactive": [zero]}


def _other_cases(model: Generic) -> Iterator[Case]:
    """Active, pebbled, and the tokens that carry no subtree."""
    n, zero, span = model.plan.n, model.zero(), range(model.plan.n)
    none, empty = [zero] * n, [zero] * (n * n)
    own, onward, below = model.block("matrix"), model.block("next_matrix"), _vector(model, "below")
    quiet = {**_reads_of_end_token(model), "pebbled": [zero], "inactive": [zero], "state": none}
    product_ = [
        sum(own[a * n + k] * onward[k * n + q] for k in span) for a, q in product(span, repeat=2)
    ]
    yield Case(
        "active, pointer to an unpebbled node",
        {**quiet, "next_state": none, "next_pebbled": [zero]},
        {
            "matrix": product_,
            "state": none,
            "pebbled": [zero],
            "pointer": model.block("next_pointer"),
        },
    )
    image = [sum(own[a * n + k] * below[k] for k in span) for a in span]
    yield Case(
        "active, pointer to a pebbled node",
        {**quiet, "next_matrix": empty, "next_state": below, "next_pebbled": [zero + 1]},
        {"matrix": empty, "state": image, "pebbled": [zero + 1], "inactive": [zero]},
    )
    yield Case(
        "pebbled",
        {
            **_reads_of_end_token(model),
            "matrix": empty,
            "state": below,
            "pebbled": [zero + 1],
            "inactive": [zero],
        },
        {"matrix": empty, "state": below, "pebbled": [zero + 1], "inactive": [zero]},
    )
    idle = {"next_matrix": empty, "next_state": none, "next_pebbled": [zero]}
    yield Case(
        "a bracket or the end token",
        {**quiet, **idle, "matrix": empty},
        {"matrix": empty, "state": none, "pebbled": [zero], "inactive": [zero]},
    )


def broken_cases(model: Generic, block: Bilinear[Matrix] | None = None) -> list[str]:
    """The cases in which some coordinate is not what it must be."""
    return [
        case.name
        for case in cases(model)
        if any(
            one - other != 0
            for name, values in case.wanted.items()
            for one, other in zip(model.output(case.given, block)[name], values, strict=True)
        )
    ]


def named_units(model: Generic) -> list[dict[str, Any]]:
    """The products of the layer as plain data: block, offset and coefficient, by name."""
    return [
        {
            "left": _form_as_data(unit.left),
            "right": _form_as_data(unit.right),
            "output": _form_as_data(unit.output),
        }
        for unit in step_units(model.plan)
    ]


def _form_as_data(form: Form) -> list[list[Any]]:
    return [[name, offset, str(value)] for (name, offset), value in form.items()]
