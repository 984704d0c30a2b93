"""Total variation of a language model, measured in its own floating-point type on some words.

Words         drawn from the source by a fixed seed, the likeliest and the least likely word that greedy
              choices make, and a drawn word of the full length; the worst prefix of all is reported. It
              bounds nothing
"""

from __future__ import annotations

from math import inf
from random import Random
from typing import Any

import torch

from constructions.arithmetic.torch import measurement_mode
from constructions.automata.prediction import Source
from constructions.exports.built_model import ExportModel
from constructions.exports.loader import FolderModel

COUNT, SEED, LONGEST, FULL = 8, 1, 64, 4096


def sample_words(source: Source, length: int) -> list[tuple[str, ...]]:
    """Drawn words, the likeliest and the least likely one; then a drawn one of the full length."""
    random, short = Random(SEED), min(length, LONGEST)
    words = [source.sample(short, random) for _ in range(COUNT)]
    words += [source.example(short), unlikely_word(source, short)]
    words += source.unlikely(short, random)
    return words + ([source.sample(min(length, FULL), random)] if length > short else [])


def unlikely_word(source: Source, length: int) -> tuple[str, ...]:
    """Return the word of the least likely possible symbol after each prefix."""
    return source.chosen(length, lambda chances: min((p, s) for s, p in chances.items() if p)[1])


def sample_of(model: ExportModel) -> str:
    """Describe the words on which a model is measured."""
    length = model.order.length
    short = min(length, LONGEST)
    more = ", two of random symbols" if model.simulation.source.unlikely(1, Random(SEED)) else ""
    more += f"; one of {min(length, FULL)} drawn from it" if length > short else ""
    return f"{COUNT} words of {short} symbols drawn from it, its likeliest and its least likely one{more}"


def measure_variation(model: ExportModel, loaded: FolderModel) -> float:
    """The largest total variation over all prefixes of the words; infinite where floats overflow."""
    source: Source = model.simulation.source
    worst = 0.0
    with measurement_mode():
        for word in sample_words(source, model.order.length):
            logits = loaded.outputs([word])[0].detach().double()
            found = largest_variation(logits, source, word)
            worst = max(worst, found if found == found else inf)
    return worst


def largest_variation(logits: Any, source: Source, word: tuple[str, ...]) -> float:
    """The largest total variation between softmax and the source, over the prefixes of a word."""
    exact = torch.zeros_like(logits)
    for t, chances in enumerate(source.followed(word)):
        row = [float(p) for p in chances.values()]
        exact[t, : len(row)] = torch.tensor(row, dtype=torch.float64)
    return float((torch.softmax(logits, -1) - exact).abs().sum(-1).max() / 2)
