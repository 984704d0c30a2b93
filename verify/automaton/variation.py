"""Total variation of a language model, measured in its own floating-point type on some words.

Words         drawn from the automaton by a fixed seed, and the likeliest and the least likely word that
              greedy choices make; the worst prefix of all is reported. It bounds nothing
"""

from __future__ import annotations

from random import Random
from typing import Any

import torch

from constructions.arithmetic.torch import measurement_mode
from constructions.automata.prediction import Predictor
from constructions.exports.built_model import ExportModel

COUNT, SEED, LONGEST = 8, 1, 64


def sample_words(source: Predictor, length: int) -> list[tuple[str, ...]]:
    """Drawn words, and one that takes the least likely possible symbol each time."""
    random = Random(SEED)
    words = [source.sample(length, random) for _ in range(COUNT)]
    return [*words, source.example(length), unlikely_word(source, length)]


def unlikely_word(source: Predictor, length: int) -> tuple[str, ...]:
    """After each prefix the least likely symbol among the possible ones."""
    word = list[str]()
    for _ in range(length):
        chances = {s: p for s, p in source.distribution(tuple(word)).items() if p > 0}
        word.append(min(chances, key=lambda symbol: chances[symbol]))
    return tuple(word)


def measured_length(model: ExportModel) -> int:
    """The length of the words that are measured."""
    return min(model.order.length, LONGEST)


def sample_of(model: ExportModel) -> str:
    """The words in words."""
    count = measured_length(model)
    return f"{COUNT} words of {count} symbols drawn from it, its likeliest and its least likely one"


def measure_variation(model: ExportModel) -> float:
    """The largest total variation over all prefixes of the words."""
    source: Predictor = model.simulation.source
    worst = 0.0
    with measurement_mode():
        module = model.module(dense=True)
        for word in sample_words(source, measured_length(model)):
            tokens = torch.tensor([model.simulation.tokens(word)])
            logits = module(tokens)[0].detach().double()
            worst = max(worst, largest_variation(logits, source, word))
    return worst


def largest_variation(logits: Any, source: Predictor, word: tuple[str, ...]) -> float:
    """The largest total variation between softmax and the source, over the prefixes of a word."""
    exact = torch.zeros_like(logits)
    for t, chances in enumerate(source.distributions(word)):
        row = [float(p) for p in chances.values()]
        exact[t, : len(row)] = torch.tensor(row, dtype=torch.float64)
    return float((torch.softmax(logits, -1) - exact).abs().sum(-1).max() / 2)
