"""The transformers that simulate weighted automata over words, by name, for one kind of proof.

    theorem1     Theorem 1 of the paper: two heads, 2M tokens, positions supplied at each layer
    third-head   the same with the positions carried by a third head
    residual     the same with the positions carried by a residual connection
    no-pads      three heads, T + 1 tokens, positions given once
    unrolled     one step of the automaton a layer, T layers

`word_mismatch` runs letters of a free monoid through the weights for n = 1: which product of transition
matrices each token carries, for all n at once. `verify.exactness.symbolic` runs matrices of symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from constructions import theorem1
from constructions.variants import carried_positions, nopads, residual, unrolled
from verify.exactness import generic
from verify.exactness.generic import Build, Mismatch
from verify.exactness.routing import RoutedWords


@dataclass(frozen=True)
class WordConstruction:
    """The function that builds a model for an automaton and a length, and the angles of its codes."""

    build: Build
    codes: Callable[[int], int]  # all angles are multiples of π over this number


CONSTRUCTIONS = {
    "theorem1": WordConstruction(lambda a, t: theorem1.build(a, t), theorem1.span),
    "third-head": WordConstruction(
        lambda a, t: carried_positions.build(a, t), lambda t: carried_positions.step(t).denominator
    ),
    "residual": WordConstruction(lambda a, t: residual.build(a, t), theorem1.span),
    "no-pads": WordConstruction(
        lambda a, t: nopads.build(a, t), lambda t: nopads.step(t).denominator
    ),
    "unrolled": WordConstruction(lambda a, t: unrolled.build(a, t), theorem1.span),
}


def word_mismatch(name: str, length: int) -> Mismatch | None:
    """The first position whose output is not the product of the letters up to it, or None."""
    chosen = CONSTRUCTIONS[name]
    return generic.prove_words(length, chosen.build, RoutedWords(chosen.codes(length)))
