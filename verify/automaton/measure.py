"""Measured errors: the built models, run in torch on sampled inputs, against the exact states.

    MeasuredWords    Theorem 1's model on words; errors in the Frobenius norm over the states of a word
    MeasuredTrees    Theorem 3's model and the log-depth model on trees; errors of an entry of a state

A measurement is no bound: it says what was seen on these inputs. Scores are rounded, as in the definition of
the models. Those of words are scores of positions, which all words share: words go through a layer one after
the other. `float_runs.memory` estimates the memory of that, at most 0.6 GB by the two limits.
Trees are of the shapes of `inputs` (combs and zigzags both ways, a balanced tree, the tree of most steps
of its size, random ones), as large as the length allows, with leaf symbols drawn by a fixed seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from random import Random

import flint
import torch

from constructions import logdepth, theorem1, theorem2, theorem3
from constructions.arithmetic.shared_scores import SharedScoresTorch
from constructions.arithmetic.torch import Torch, measurement_mode
from constructions.automata.trees import Tree, leaves, relabelled_tree, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.refined import RefinedUnits
from constructions.blocks.smoothing import soft_transformer
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.modules.tree_module import AnyTreeSimulation, to_torch, with_units
from constructions.theorem1 import WordSimulation
from verify.automaton.inputs import SEED, Word, shapes

ROUNDING = 2.0**-52
BITS = 256


def frobenius_norm(values: torch.Tensor) -> float:
    """The Frobenius norm, also where the squares of the entries are beyond float64."""
    top = float(values.abs().max())
    return top * float(torch.linalg.vector_norm(values / top)) if 0 < top < inf else top


def largest_entry(values: torch.Tensor) -> float:
    """The largest absolute entry."""
    return float(values.abs().max())


@dataclass(frozen=True)
class Truth:
    """The true states in float64, infinite beyond it, at rows of the outputs; how far they may be off."""

    rows: list[int]
    states: torch.Tensor
    slack: float
    norm: Callable[[torch.Tensor], float]

    @classmethod
    def of_word(cls, wfa: WFA, word: Word, first: int) -> Truth:
        """The states of all prefixes, the first of them at a given row."""
        with flint.ctx.workprec(BITS):
            states = wfa.mapped(ball).states(word)
        return cls._of([*range(first, first + len(states))], states, frobenius_norm)

    @classmethod
    def of_tree(cls, wta: WTA, string: Word) -> Truth:
        """The states of all subtrees; from balls, as rational states of long weights take minutes."""
        with flint.ctx.workprec(BITS):
            states = wta.mapped(ball).states(string)
        return cls._of([i - 1 for i in states], [*states.values()], largest_entry)

    @classmethod
    def _of(
        cls,
        rows: list[int],
        states: Sequence[Sequence[flint.arb]],
        norm: Callable[[torch.Tensor], float],
    ) -> Truth:
        middle, radius = (
            torch.tensor([[float(part(w)) for w in v] for v in states], dtype=torch.float64)
            for part in (flint.arb.mid, flint.arb.rad)
        )
        return cls(rows, middle, ROUNDING * norm(middle) + norm(radius), norm)

    def error(self, outputs: torch.Tensor) -> float:
        """The distance of outputs from the states; infinite where it is no number."""
        error = self.norm(outputs[self.rows].to(torch.float64) - self.states)
        return error if error == error else inf


class Measured(ABC):
    """Runs of the models of an automaton on samples; every error is computed once."""

    skipped = ""

    def __init__(self, truth: dict[Word, Truth], count: int) -> None:
        self.truth, self.count = truth, count
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
                self.seen[key] = max(self._errors(name, getattr(torch, dtype), saturation, units))
        return self.seen[key]

    def slack(self) -> float:
        """Return an upper bound on what rounding the true states to float64 adds to an error."""
        return max(truth.slack for truth in self.truth.values())

    @abstractmethod
    def _errors(
        self, name: str, dtype: torch.dtype, saturation: int | None, units: RefinedUnits | None
    ) -> Iterator[float]:
        """Yield the error of a model on every sample."""


class MeasuredWords(Measured):
    """Runs of the models of Theorems 1 and 2, with exact products, on words."""

    def __init__(self, wfa: WFA, length: int, words: Sequence[Word]) -> None:
        self.model = theorem1.build(wfa, length)
        truth = {word: Truth.of_word(wfa, word, self.model.row(0)) for word in words}
        super().__init__(truth, len(words))
        self.tokens = embedded(self.model, list(self.truth))

    def _errors(
        self, name: str, dtype: torch.dtype, saturation: int | None, units: RefinedUnits | None
    ) -> Iterator[float]:
        arithmetic, model = SharedScoresTorch(dtype), self.model
        if saturation is not None:
            model = theorem2.build(model.automaton, model.length, saturation)
        real = realise(model.transformer, arithmetic)
        *_, last = zip(*(real.states(arithmetic, x.to(dtype)) for x in self.tokens), strict=True)
        for truth, x in zip(self.truth.values(), last, strict=True):
            yield truth.error(real.read(arithmetic, x))


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

    def __init__(self, wta: WTA, length: int) -> None:
        strings = [*map(tokens, samples(wta.alphabet, theorem3.most_leaves(length)))]
        truth = {string: Truth.of_tree(wta, string) for string in strings}
        super().__init__(truth, len(strings))
        self.models: dict[str, AnyTreeSimulation] = {
            "tree": theorem3.build(wta, length),
            "logdepth": logdepth.build(wta, length),
        }

    def _errors(
        self, name: str, dtype: torch.dtype, saturation: int | None, units: RefinedUnits | None
    ) -> Iterator[float]:
        model = self.models[name]
        if saturation is not None:
            model = replace(model, transformer=soft_transformer(model.transformer, saturation))
        if units is not None:
            model = with_units(model, units)
        module = to_torch(model, dtype, dense=True)  # scores are rounded too
        for length in {len(string) for string in self.truth}:  # the module takes them at once
            strings = [string for string in self.truth if len(string) == length]
            for string, outputs in zip(strings, module(module.encode(strings)), strict=True):
                yield self.truth[string].error(outputs)


def samples(alphabet: tuple[str, ...], count: int) -> list[Tree]:
    """Trees with `count` leaves (the one that needs the most steps may have fewer)."""
    random = Random(SEED)
    return [
        relabelled_tree(shape, [random.choice(alphabet) for _ in leaves(shape)])
        for _, shape in shapes(count)
    ]
