"""The absolute values of a tree decoder's weights, and of the subspaces of its features, in balls.

Names        as in the file; of a head's weights with its number: blocks.2.attn.W_Q.0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint

from constructions.circuits.tree_blocks import exact
from constructions.circuits.tree_circuit import TreeCircuit
from constructions.circuits.tree_components import sizes
from verify.circuits.tree_errors import absolute


@dataclass(frozen=True)
class TreeWeights:
    """|w| of a folder's weights, and |R|, |W| of its subspaces side by side.

    `divided`: scores are q · k over the root of the head's width.
    """

    circuit: TreeCircuit
    by_name: Mapping[str, flint.arb_mat]  # of heads with their number: blocks.2.attn.W_Q.0
    divided: bool = True

    @classmethod
    def of(cls, circuit: TreeCircuit, weights: Mapping[str, Any], divided: bool) -> TreeWeights:
        """From tensors by their names."""
        listed: dict[str, flint.arb_mat] = {}
        for name, weight in weights.items():
            if weight.ndim == 3:
                listed |= {f"{name}.{h}": absolute(rows) for h, rows in enumerate(weight.tolist())}
            elif weight.ndim == 2:
                listed[name] = absolute(weight.tolist())
        return cls(circuit, listed, divided)

    @cached_property
    def write(self) -> flint.fmpq_mat:
        """W of all features, one below the other."""
        spaces, names = self.circuit.subspaces, sizes(self.circuit.n)
        rows = [row for name in names for row in spaces[name].write.rows()]
        return flint.fmpq_mat([[exact(Fraction(x)) for x in row] for row in rows])

    @cached_property
    def absolute_write(self) -> flint.arb_mat:
        """|W|."""
        return absolute(self.write.table())

    @cached_property
    def absolute_read(self) -> flint.arb_mat:
        """|R| of all features, side by side."""
        spaces, names = self.circuit.subspaces, sizes(self.circuit.n)
        return absolute([[x for part in rows for x in part] for rows in zip(
            *(spaces[name].read.rows() for name in names), strict=True)])  # fmt: skip
