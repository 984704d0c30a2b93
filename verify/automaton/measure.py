"""Measured errors: the built models, run in torch on sampled words, against the exact states.

A measurement is no bound: it says what was seen on these words (`runs` draws them). Scores are rounded, as
in the definition of the model, but they are those of positions, so that all words share them: words go
through a layer one after the other. `runs.memory` says what that takes, at most 0.6 GB by the two limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf

import torch

from constructions import theorem1, theorem2
from constructions.arithmetic.shared_scores import SharedScoresTorch
from constructions.arithmetic.torch import Torch, measurement_mode
from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.theorem1 import WordSimulation
from verify.bounds.saturation import Saturation

Word = tuple[str, ...]
ROUNDING = 2.0**-52


class Measured:
    """Runs of the two models on sampled words."""

    def __init__(self, wfa: WFA, length: int, needed: Saturation, words: Sequence[Word]) -> None:
        self.skipped, self.count = "", len(words)
        self.truth = [exact_states(wfa, word) for word in words]
        self.exact = theorem1.build(wfa, length)
        self.soft = theorem2.build(wfa, length, ceil(needed.constant) or 1)
        self.tokens = embedded(self.exact, words)

    def error(self, name: str, dtype: str) -> float:
        """The largest error seen, of the model `exact` or `soft`."""
        model = self.soft if name == "soft" else self.exact
        return largest_error(model, getattr(torch, dtype), self.tokens, self.truth)

    def slack(self) -> float:
        """What the rounding of the true states to float64 may add to an error."""
        return max(map(norm, self.truth)) * ROUNDING


def exact_states(automaton: WFA, word: Word) -> torch.Tensor:
    """The true states, from balls so narrow that float64 is the only rounding."""
    states = automaton.mapped(ball).states(word)
    rows = [[float(value.mid()) for value in state] for state in states]
    return torch.tensor(rows, dtype=torch.float64)


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


def largest_error(
    simulation: WordSimulation,
    dtype: torch.dtype,
    tokens: Sequence[torch.Tensor],
    truth: Sequence[torch.Tensor],
) -> float:
    """The largest Frobenius distance of the model's states from the true ones."""
    arithmetic, first = SharedScoresTorch(dtype), simulation.row(0)
    with measurement_mode():
        model = realise(simulation.transformer, arithmetic)
        *_, last = zip(*(model.states(arithmetic, x.to(dtype)) for x in tokens), strict=True)
        outputs = [model.read(arithmetic, x) for x in last]
    return max(
        _distance(found[first : first + len(true)], true)
        for found, true in zip(outputs, truth, strict=True)
    )


def _distance(found: torch.Tensor, truth: torch.Tensor) -> float:
    error = norm(found.to(torch.float64) - truth)
    return error if error == error else float("inf")


def norm(values: torch.Tensor) -> float:
    """The Frobenius norm, also where the squares of the entries are beyond float64."""
    top = float(values.abs().max())
    return top * float(torch.linalg.vector_norm(values / top)) if 0 < top < inf else top
