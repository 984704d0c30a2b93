"""Measured errors of the tree models, run in torch on sampled trees, against the exact states.

Samples: the shapes of `inputs` (combs and zigzags both ways, a balanced tree, the tree that needs the most
steps of its size, random ones), all as large as the length allows, with leaf symbols drawn by a fixed seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import flint
import torch

from constructions import logdepth, theorem3
from constructions.arithmetic.torch import measurement_mode
from constructions.automata.trees import Tree, leaves, relabelled_tree, tokens
from constructions.automata.wta import WTA
from constructions.blocks.refined import RefinedUnits
from constructions.blocks.smoothing import soft_transformer
from constructions.core.exact import ball
from constructions.modules.tree_module import AnyTreeSimulation, TreeModule, to_torch, with_units
from verify.automaton.inputs import SEED, shapes

ROUNDING = 2.0**-52
BITS = 256


def samples(alphabet: tuple[str, ...], count: int) -> list[Tree]:
    """Trees with `count` leaves (the one that needs the most steps may have fewer)."""
    random = Random(SEED)
    return [
        relabelled_tree(shape, [random.choice(alphabet) for _ in leaves(shape)])
        for _, shape in shapes(count)
    ]


@dataclass(frozen=True)
class Truth:
    """The true states of a tree in float64, infinite beyond it, and how far they may be off."""

    positions: torch.Tensor
    states: torch.Tensor
    slack: float

    @classmethod
    def of(cls, wta: WTA, string: tuple[str, ...]) -> Truth:
        """From balls: rational states of long weights would take minutes."""
        with flint.ctx.workprec(BITS):
            found = wta.mapped(ball).states(string)
        values = [[float(w.mid()) for w in v] for v in found.values()]
        states = torch.tensor(values, dtype=torch.float64)
        wide = max(float(w.rad()) for v in found.values() for w in v)
        slack = ROUNDING * float(states.abs().max()) + wide
        return cls(torch.tensor([i - 1 for i in found]), states, slack)


class Measured:
    """Runs of the two tree models on sampled trees."""

    def __init__(self, wta: WTA, length: int) -> None:
        self.skipped = ""
        self.seen: dict[tuple[str, str, int | None, RefinedUnits | None], float] = {}
        self.strings = [
            tokens(tree) for tree in samples(wta.alphabet, theorem3.most_leaves(length))
        ]
        self.count = len(self.strings)
        self.truth = {string: Truth.of(wta, string) for string in self.strings}
        self.models: dict[str, AnyTreeSimulation] = {
            "tree": theorem3.build(wta, length),
            "logdepth": logdepth.build(wta, length),
        }

    def error(
        self,
        name: str,
        dtype: str,
        saturation: int | None = None,
        units: RefinedUnits | None = None,
    ) -> float:
        """The largest error of an entry of a state; with a C the heads are soft, with units MLPs."""
        key = name, dtype, saturation, units
        if key not in self.seen:
            self.seen[key] = self._largest(*key)
        return self.seen[key]

    def slack(self) -> float:
        """What the rounding of the true states to float64 may add to an error."""
        return max(truth.slack for truth in self.truth.values())

    def _largest(
        self, name: str, dtype: str, saturation: int | None, units: RefinedUnits | None
    ) -> float:
        model = self.models[name]
        if saturation is not None:
            model = replace(model, transformer=soft_transformer(model.transformer, saturation))
        if units is not None:
            model = with_units(model, units)
        module = to_torch(model, getattr(torch, dtype), dense=True)  # scores are rounded too
        with measurement_mode():
            return max(self._error(module, batch) for batch in self._batches())

    def _batches(self) -> list[list[tuple[str, ...]]]:
        """Strings of one length together: the module takes them at once."""
        lengths = sorted({len(string) for string in self.strings})
        return [[s for s in self.strings if len(s) == length] for length in lengths]

    def _error(self, module: TreeModule, strings: list[tuple[str, ...]]) -> float:
        outputs = module(module.encode(strings)).to(torch.float64)
        return max(map(self._distance, strings, outputs))

    def _distance(self, string: tuple[str, ...], found: torch.Tensor) -> float:
        truth = self.truth[string]
        error = float((found[truth.positions] - truth.states).abs().max())
        return error if error == error else float("inf")
