"""Measured errors of the tree models, run in torch on sampled trees, against the exact states.

Samples: a comb, a zigzag, a balanced tree, a tree that needs the most steps of its size, and
random shapes, all as large as the length allows, with leaf symbols drawn by a fixed seed.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import torch

from constructions import logdepth, theorem3
from constructions.modules_trees import TreeModule, TreeSimulation, to_torch
from constructions.pebbling import extremal, most_steps, random_tree
from constructions.smoothing import softened
from constructions.trees import Tree, balanced, comb, leaves, relabel, tokens, zigzag
from constructions.wta import WTA

RANDOM = 3
SEED = 2024
LARGEST_STATES = 8
LARGEST_LENGTH = 400


def samples(alphabet: tuple[str, ...], count: int) -> list[Tree]:
    """Trees with `count` leaves (the extremal one may have fewer)."""
    random = Random(SEED)
    shapes: list[Tree] = [make(["a"] * count) for make in (comb, zigzag, balanced)]
    shapes += [extremal(most_steps(count))]
    shapes += [random_tree(count, random) for _ in range(RANDOM)]
    return [relabel(shape, [random.choice(alphabet) for _ in leaves(shape)]) for shape in shapes]


class Measured:
    """Runs of the two tree models on sampled trees."""

    def __init__(self, wta: WTA, length: int) -> None:
        self.skipped = ""
        self.count = 0
        self.seen: dict[tuple[str, str, int | None], float] = {}
        if wta.n > LARGEST_STATES or length > LARGEST_LENGTH:
            self.skipped = f"not measured: {wta.n} states, length {length}"
            return
        self.wta = wta
        self.strings = [
            tokens(tree) for tree in samples(wta.alphabet, theorem3.leaves_within(length))
        ]
        self.count = len(self.strings)
        self.models: dict[str, TreeSimulation] = {
            "tree": theorem3.build(wta, length),
            "logdepth": logdepth.build(wta, length),
        }

    def error(self, name: str, dtype: str, saturation: int | None = None) -> float | None:
        """The largest error of an entry of a state, or None where nothing was run.

        With a saturation C the heads are soft.
        """
        if self.skipped:
            return None
        key = name, dtype, saturation
        if key not in self.seen:
            self.seen[key] = self._largest(name, dtype, saturation)
        return self.seen[key]

    def _largest(self, name: str, dtype: str, saturation: int | None) -> float:
        model = self.models[name]
        if saturation is not None:
            model = replace(model, transformer=softened(model.transformer, saturation))
        module = to_torch(model, getattr(torch, dtype), dense=True)  # scores are rounded too
        with torch.no_grad():
            return max(self._error(module, batch) for batch in self._batches())

    def _batches(self) -> list[list[tuple[str, ...]]]:
        """Strings of one length together: the module takes them at once."""
        lengths = sorted({len(string) for string in self.strings})
        return [[s for s in self.strings if len(s) == length] for length in lengths]

    def _error(self, module: TreeModule, strings: list[tuple[str, ...]]) -> float:
        outputs = module(module.encode(strings)).to(torch.float64)
        return max(map(self._distance, strings, outputs))

    def _distance(self, string: tuple[str, ...], found: torch.Tensor) -> float:
        truth = self.wta.states(string)
        rows = torch.tensor([i - 1 for i in truth])
        exact = torch.tensor([[float(w) for w in v] for v in truth.values()], dtype=torch.float64)
        error = float((found[rows] - exact).abs().max())
        return error if error == error else float("inf")

    def text(self, error: float | None) -> str:
        """An error as text."""
        return self.skipped if error is None else f"{error:.3g}"
