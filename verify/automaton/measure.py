"""Measured errors: the built models, run in torch on sampled inputs, against the exact states.

    MeasuredWords    Theorem 1's model on words; errors in the Frobenius norm over the states of a word
    MeasuredTrees    Theorem 3's model and the log-depth model on trees; errors of an entry of a state

A measurement is no bound: it says what was seen on these inputs. Scores are rounded, as in the definition of
the models. Those of words are scores of positions, which all words share: words go through a layer one after
the other, which takes 0.6 GB at most by the two limits of `float_runs`.
Trees are of the shapes of `inputs` (combs and zigzags both ways, a balanced tree, the tree of most steps
of its size, random ones), as large as the length allows, with leaf symbols drawn by a fixed seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from random import Random

import flint
import torch

from constructions import logdepth, theorem1, theorem2, theorem3
from constructions.arithmetic.shared_scores import SharedScoresTorch
from constructions.arithmetic.torch import Torch, measurement_mode
from constructions.automata.trees import Tree, leaves, positions, relabelled_tree, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.refined import RefinedUnits
from constructions.blocks.smoothing import soft_transformer
from constructions.core.transformer import realise
from constructions.modules.tree_module import AnyTreeSimulation, to_torch, with_units
from constructions.theorem1 import WordSimulation
from verify.automaton.inputs import SEED, Word, shapes
from verify.automaton.sampling import (
    enclosed_truth,
    largest_entry,
    least_distance,
    together,
)

States = Mapping[int, torch.Tensor]


class Measured(ABC):
    """Runs of the models of an automaton on samples; every error is computed once."""

    skipped = ""
    norm: Callable[[Sequence[Sequence[flint.arb]]], flint.arb]

    def __init__(self, automaton: WFA | WTA, inputs: Sequence[Word]) -> None:
        self.count = len(inputs)
        self.truth = {word: enclosed_truth(automaton, word, weights=False) for word in inputs}
        self.seen: dict[tuple[str, str, int | None, RefinedUnits | None], float] = {}

    def error(
        self,
        name: str,
        dtype: str,
        saturation: int | None = None,
        units: RefinedUnits | None = None,
    ) -> float:
        """The largest error of a model in a format; with a C heads are soft, with units blocks are MLPs."""
        key = name, dtype, saturation, units
        if key not in self.seen:
            with measurement_mode():
                outputs = self._outputs(name, getattr(torch, dtype), saturation, units)
                errors = [self._error(word, rows) for word, rows in outputs]
            self.seen[key] = max(errors)
        return self.seen[key]

    def _error(self, word: Word, rows: States) -> float:
        """A lower bound on the error on an input; infinite where floats overflow."""
        exact = self.truth[word]
        return inf if exact is None else float(least_distance(rows, exact, self.norm))

    @abstractmethod
    def _outputs(
        self, name: str, dtype: torch.dtype, saturation: int | None, units: RefinedUnits | None
    ) -> Iterator[tuple[Word, States]]:
        """Yield each sample with the states that a model gives, by their places."""


class MeasuredWords(Measured):
    """Runs of the models of Theorems 1 and 2, with exact products, on words."""

    norm = staticmethod(together)

    def __init__(self, wfa: WFA, length: int, words: Sequence[Word]) -> None:
        super().__init__(wfa, words)
        self.model = theorem1.build(wfa, length)
        self.tokens = embedded(self.model, list(self.truth))

    def _outputs(
        self, name: str, dtype: torch.dtype, saturation: int | None, units: RefinedUnits | None
    ) -> Iterator[tuple[Word, States]]:
        arithmetic, model = SharedScoresTorch(dtype), self.model
        if saturation is not None:
            model = theorem2.build(model.automaton, model.length, saturation)
        real = realise(model.transformer, arithmetic)
        *_, last = zip(*(real.states(arithmetic, x.to(dtype)) for x in self.tokens), strict=True)
        for word, x in zip(self.truth, last, strict=True):
            rows = real.read(arithmetic, x)[model.row(0) :]
            yield word, dict(enumerate(rows[: len(word) + 1]))


def embedded(simulation: WordSimulation, words: Sequence[Word]) -> list[torch.Tensor]:
    """The tokens of each word, in float64; each letter is rounded once, and the positions are."""
    arithmetic, first = Torch(), simulation.row(1)
    width, automaton = simulation.transformer.positions.start, simulation.automaton
    pads = simulation.encode(())
    places = arithmetic.array([token[width:] for token in pads])
    pad = arithmetic.array([pads[0][:width]])
    letters = {a: _letter(simulation, a, arithmetic)[:width] for a in automaton.alphabet}
    tokens = []
    for word in words:
        x = torch.cat([pad.expand(len(places), width), places], dim=-1)
        if word:
            x[first : first + len(word), :width] = torch.stack([letters[a] for a in word])
        tokens.append(x)
    return tokens


def _letter(simulation: WordSimulation, letter: str, arithmetic: Torch) -> torch.Tensor:
    weights = [weight for row in simulation.automaton.matrix(letter) for weight in row]
    return arithmetic.array([simulation.token(weights, 1)])[0]


class MeasuredTrees(Measured):
    """Runs of the two tree models on sampled trees."""

    norm = staticmethod(largest_entry)

    def __init__(self, wta: WTA, length: int) -> None:
        super().__init__(wta, [*map(tokens, samples(wta.alphabet, theorem3.most_leaves(length)))])
        self.models: dict[str, AnyTreeSimulation] = {
            "tree": theorem3.build(wta, length),
            "logdepth": logdepth.build(wta, length),
        }

    def _outputs(
        self, name: str, dtype: torch.dtype, saturation: int | None, units: RefinedUnits | None
    ) -> Iterator[tuple[Word, States]]:
        model = self.models[name]
        if saturation is not None:
            model = replace(model, transformer=soft_transformer(model.transformer, saturation))
        if units is not None:
            model = with_units(model, units)
        module = to_torch(model, dtype, dense=True)  # scores are rounded too
        for length in {len(string) for string in self.truth}:  # the module takes them at once
            strings = [string for string in self.truth if len(string) == length]
            for string, rows in zip(strings, module(module.encode(strings)), strict=True):
                yield string, {i: rows[i - 1] for i in positions(string)}


def samples(alphabet: tuple[str, ...], count: int) -> list[Tree]:
    """Trees with `count` leaves (the one that needs the most steps may have fewer)."""
    random = Random(SEED)
    return [
        relabelled_tree(shape, [random.choice(alphabet) for _ in leaves(shape)])
        for _, shape in shapes(count)
    ]
