"""One step of the log-depth construction with symbols for weights and tokens (fact logdepth.step).

Identities   the feed-forward of the built layer, run on polynomials: M', b', f', g', c' are what
             `constructions.blocks.logdepth_step` says, for a generic tensor
Notation     t tensor, M, b, f, g, c own; M_c, … read by the pointer; L, R marks of the children
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions.arithmetic import Polynomial
from constructions.blocks.logdepth_step import step_layer, step_reads, step_units
from constructions.blocks.logdepth_weights import LogDepthPlan
from constructions.core.forms import Form
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix
from constructions.core.transformer import Bilinear

Array = npt.NDArray[Any]
Blocks = dict[str, Any]  # arrays or lists of polynomials by name


@dataclass(frozen=True)
class Generic:
    """A step layer whose tensor is made of generators, and the ring they live in."""

    plan: LogDepthPlan
    ring: Polynomial
    names: tuple[str, ...]

    @property
    def inputs(self) -> Layout:
        """The coordinates of z: the token and the outputs of its heads."""
        return Layout(**self.plan.sizes(), **step_reads(self.plan))

    def block(self, name: str) -> Array:
        """The generators of a block of z; the constant one is 1."""
        if name == "one":
            return self.constant(1)
        names = [f"{name}_{i}" for i in range(len(self.inputs[name]))]
        found: Array = self.ring.array([[self.ring.generators[each] for each in names]])[0]
        return found

    def square(self, name: str) -> Array:
        """A block of z as an n × n matrix."""
        return self.block(name).reshape(self.plan.n, self.plan.n)

    def constant(self, value: int, count: int = 1) -> Array:
        """An array of one constant."""
        found: Array = self.ring.array([[self.ring.context.constant(value)] * count])[0]
        return found

    @property
    def identity(self) -> Array:
        """The identity matrix."""
        rows = np.eye(self.plan.n, dtype=np.int64).tolist()
        return self.ring.array([list(map(self.ring.context.constant, row)) for row in rows])

    def left_map(self, x: Array) -> Array:
        """T(x, ·)."""
        return np.stack([x @ self.ring.array(rows) for rows in self.plan.tensor])

    def right_map(self, y: Array) -> Array:
        """T(·, y)."""
        return np.stack([self.ring.array(rows) @ y for rows in self.plan.tensor])

    def output(self, block: Bilinear[Matrix] | None = None) -> Blocks:
        """Return the feed-forward's output for a generic token z, by blocks."""
        row = self.ring.array([[v for name in self.inputs for v in self.block(name)]])
        products = block or feedforward(self.plan)
        result = products.realised(self.ring)(self.ring, row)[0]
        layout, zero = self.plan.layout(), self.ring.context.constant(0)
        return {name: [result[i] + zero for i in layout[name]] for name in layout}


def flat(values: Any) -> list[Any]:
    """The entries of a vector or of a matrix, row by row."""
    return [x for row in values for x in (row if isinstance(row, np.ndarray) else [row])]


def feedforward(plan: LogDepthPlan) -> Bilinear[Matrix]:
    """The products of the step layer."""
    block = step_layer(plan).feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("the step layer has no bilinear block")
    return block


def generic(n: int, length: int = 4) -> Generic:
    """The step layer for n states with a tensor of generators t_i_j_k."""
    cells = [f"t_{i}_{j}_{k}" for i, j, k in product(range(n), repeat=3)]
    zeros = tuple(tuple((0,) * n for _ in range(n)) for _ in range(n))
    empty = LogDepthPlan(zeros, length)
    inputs = {**empty.sizes(), **step_reads(empty)}
    names = [f"{name}_{i}" for name, size in inputs.items() for i in range(size) if name != "one"]
    ring = Polynomial([*cells, *names])
    tensor = tuple(
        tuple(tuple(ring.generators[f"t_{i}_{j}_{k}"] for k in range(n)) for j in range(n))
        for i in range(n)
    )
    return Generic(LogDepthPlan(tensor, length), ring, tuple(names))


def stated_step(model: Generic) -> Blocks:
    """M', b', f', g', c' of the step, and everything else unchanged, for generic tokens."""
    z = model.block
    near, far, f, g = (z(name) for name in ("near_pebbled", "far_pebbled", "pebbled", "inactive"))
    x, y = z("near_state"), z("far_state")
    own, both = model.square("matrix"), near + far - near * far
    matrix = own @ model.square("next_matrix") - both * model.identity
    matrix = matrix + (1 - far) * model.left_map(x) + (1 - near) * model.right_map(y)
    pointer = z("next_pointer") + near * (z("far_place") - z("index")) + far
    changed: Blocks = {
        "matrix": matrix,
        "state": z("state") + own @ z("next_state") + model.left_map(x) @ y,
        "pebbled": [f + (1 - f - g) * z("next_pebbled") + near * far],
        "inactive": [g - both],
        "pointer": [pointer],
    }
    return {name: changed.get(name, z(name)) for name in model.plan.layout()}


def differences(model: Generic, block: Bilinear[Matrix] | None = None) -> list[str]:
    """The coordinates in which the layer and the formulas differ."""
    outputs, wanted = model.output(block), stated_step(model)
    return [
        f"{name}[{i}]"
        for name in wanted
        for i, (one, other) in enumerate(zip(outputs[name], flat(wanted[name]), strict=True))
        if one - other != 0
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
