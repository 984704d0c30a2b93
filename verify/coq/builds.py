"""Built models of the program: the simulations that the proofs are about, compared and run.

Each is built from an automaton, T, C and the height of the trees, if it is known (`Build`). Modules are
asked for their functions when a model is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from constructions import decoder, decoder_tree, theorem1, theorem2, theorem3
from constructions.blocks.multiplication import Multiplier
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.transformer import Attention
from constructions.decoder import Design
from constructions.theorem3 import Places
from constructions.variants import (
    logdepth_clean,
    nopads,
    theorem2_clean,
    theorem3_clean,
    theorem3_variants,
    unrolled,
)

Build = Callable[[Any, int, Any, int | None], Any]
BUILDS: dict[str, Build] = {
    "printed": lambda wfa, length, c, height: theorem1.build(wfa, length),
    "printed soft": lambda wfa, length, c, height: theorem2.build(wfa, length, c),
    "stepwise": lambda wfa, length, c, height: unrolled.build(wfa, length),
    "no pads": lambda wfa, length, c, height: nopads.build(wfa, length),
    "clean words": lambda wfa, length, c, height: theorem2_clean.build(wfa, length),
    "masked": lambda wta, length, c, height: theorem3.build(wta, length, height, Places.LINE),
    "masked soft": lambda wta, length, c, height: theorem3.build(
        wta, length, height, Places.LINE, Attention.SOFT, c
    ),
    "maskless": lambda wta, length, c, height: theorem3_variants.build_maskless(
        wta, length, height and 2 * height
    ),
    "clean trees": lambda wta, length, c, height: theorem3_clean.build(
        wta, length, height and 2 * height
    ),
    "log depth": lambda wta, length, c, height: logdepth_clean.build(wta, length),
}


def log_depth_short(*powers: int) -> Build:
    """Return the build with depths by one softmax head, for a base and a sink or those by default."""
    return lambda wta, length, c, height: logdepth_clean.build_short(wta, length, c, *powers)


def printed_mlp(multiplier: Callable[[int], Multiplier]) -> Build:
    """Return the build of Theorem 2 with the MLP of 4n³ units that `multiplier` returns for n."""
    return lambda wfa, length, c, height: theorem2.build(wfa, length, c, multiplier(wfa.n))


def word_decoder(design: Design, soft: bool) -> Build:
    """Return the build of a decoder on words; a hard one has no C."""
    return lambda wfa, length, c, height: decoder.build(wfa, length, design, c if soft else None)


def tree_decoder(activation: str, soft: bool) -> Build:
    """Return the build of the decoder on trees; a hard one has no C."""
    return lambda wta, length, c, height: decoder_tree.build(
        wta, length, activation, c if soft else None
    )


def softened(name: str) -> Build:
    """Return the build of a model with softmax in its heads."""

    def build(automaton: Any, length: int, c: Any, height: int | None) -> Any:
        built = BUILDS[name](automaton, length, c, height)
        return replace(built, transformer=soft_transformer(built.transformer, c))

    return build


def with_units(build: Build, units: FourUnits, power: int = 1) -> Build:
    """Return the build of a model with an MLP in every layer; its constant one is coordinate n or n²."""

    def smooth(automaton: Any, length: int, c: Any, height: int | None) -> Any:
        built = build(automaton, length, c, height)
        model = smooth_transformer(built.transformer, units, automaton.n**power)
        return replace(built, transformer=model)

    return smooth
