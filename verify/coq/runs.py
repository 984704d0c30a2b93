"""Run built models against the automaton at sizes beyond those that Coq prints.

Sizes       n up to 8, T up to 4,096, and C: drawn by a seed, which the record names: it follows from
            the sources' digest, unless `assay run --seed` gives another
Automata    those of `samples`, whose states are -1, 0 or 1
Hard        a head reads where the score is largest, ahead of the next by more than rounding can move it
            (`Certain`); states are otherwise products and sums of small integers, which float64 computes
            exactly: no deviation is accepted
Soft        C is so large that the proved error is at most `EPS` (Saturation.saturation_rate_spectral,
            Decoder.theorem_B_rate, for norms of at most 1); for trees C·gap is at least 250, so that a
            head misses its target by at most T e^-250. With rounding, deviations up to 2·EPS are accepted
Digits      hidden units are run with 100 digits and a step of 2^-120; the encoders of logarithmic depth
            with 200, because their positions hold (2T + 2)^i, T ≤ 40
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions import decoder, decoder_tree, theorem1, theorem2, theorem3
from constructions.arithmetic import Floats, Multiprecision
from constructions.automata.trees import Tree, ends, height, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.multiplication import slim_multiplier
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.transformer import Arithmetic, Attention, Mask, run
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
from verify.coq.printed import Unread
from verify.coq.samples import Draw, number, tree_of, trees_automaton, word_of, words_automaton

ROWS = 256
MARGIN = 2.0**-40  # of the largest score: float64 rounds a sum of a few products to 2^-50
GAP = 250
DIGITS = 100
FINENESS = 120
PRECISION = Fraction(1, 10**20)  # of a product of numbers up to 2
EPS = 2.0**-17  # exact in binary, as its double is
EXACT, CLOSE = 0.0, 2 * EPS
Array = npt.NDArray[Any]
Range = tuple[int, int]


class Certain(Floats):
    """float64, a few rows of scores at a time; a hard head whose choice rounding might change is refused."""

    def scores(self, queries: Array, keys: Array) -> Any:
        """Return queries and keys as they are; `mix` multiplies them."""
        return queries, keys

    def mix(self, scores: Any, values: Array, attention: Attention, mask: Mask) -> Array:
        """Return the attended values."""
        queries, keys = scores
        parts = []
        for start in range(0, len(queries), ROWS):
            block = queries[start : start + ROWS] @ keys.T
            masked = (
                block
                if mask is Mask.NONE
                else np.where(_seen(start, block.shape, mask), block, -np.inf)
            )
            if attention is Attention.HARD:
                parts.append(values[_certain(masked)])
            else:
                parts.append(_weighted(masked, attention) @ values)
        return np.concatenate(parts)


def _seen(start: int, shape: tuple[int, ...], mask: Mask) -> npt.NDArray[np.bool_]:
    """Return for the rows from `start` on which keys they may attend to."""
    rows = [mask.visible(i, shape[1]) for i in range(start, start + shape[0])]
    j = np.arange(shape[1])
    return np.array([(row.start <= j) & (j < row.stop) for row in rows])


def _certain(masked: Array) -> Array:
    """Return the place of each row's largest score; refuse a row whose next score is too near."""
    best = masked.argmax(axis=1)
    rows = np.arange(len(masked))
    top = masked[rows, best]
    size = np.abs(np.where(masked > -np.inf, masked, 0)).max(axis=1)
    masked[rows, best] = -np.inf
    near = top - masked.max(axis=1) <= MARGIN * size
    if near.any():
        raise Unread(f"two scores of row {int(near.argmax())} are too near for float64")
    return np.asarray(best)


def _weighted(masked: Array, attention: Attention) -> Array:
    top = masked.max(axis=1, keepdims=True)
    weights: Array = np.exp(masked - top) if attention is Attention.SOFT else 1.0 * (masked == top)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def draws(model: str, seed: int) -> list[Draw]:
    """Return the sizes at which a model is run."""
    return [
        Draw(
            seed,
            model,
            place,
            number(seed, f"{model} {place} n", *states),
            number(seed, f"{model} {place} T", *lengths),
        )
        for place, (states, lengths, *_) in enumerate(RUNS[model])
    ]


# How large C must be: the rates of the proofs, for norms of at most 1


def words_saturation(draw: Draw) -> Fraction:
    """Return C with exp(2C/M²) ≥ (2M - 1)·2·6^L/EPS, as in `Saturation.saturation_rate_spectral`."""
    layers = theorem1.depth(draw.length)
    span = 1 << layers
    enough = span * span / 2 * log((2 * span - 1) * 2 * 6**layers / EPS)
    return Fraction(ceil(enough * (1 + draw.number("C", 0, 100) / 100)) + 1)


def decoder_saturation(draw: Draw) -> Fraction:
    """Return C with exp C ≥ 2.2·max(48, 2·3^L/EPS), as in `Decoder.theorem_B_rate` for N = 1, M = 2."""
    enough = log(2.2 * max(48, 2 * 3 ** theorem1.depth(draw.length) / EPS))
    return Fraction(ceil(enough * (1 + draw.number("C", 0, 100) / 100)) + 1)


def trees_saturation(draw: Draw) -> Fraction:
    """Return a C from 250 to 500; scores of the tree models are whole numbers."""
    return Fraction(draw.number("C", GAP, 2 * GAP))


# Runs: the outputs of a built model, and the automaton's states

Rows = Sequence[Sequence[Any]]
Pairs = tuple[Rows, Rows]


def words_run(build: Callable[[WFA, Draw], Any], arithmetic: Callable[[], Arithmetic]) -> Any:
    """Return a function to the states of a word, from a built model and from the automaton."""

    def pairs(draw: Draw) -> Pairs:
        automaton, word = words_automaton(draw), word_of(draw)
        model = build(automaton, draw)
        return model.states(word, arithmetic()), automaton.states(word)

    return pairs


def trees_run(build: Callable[[WTA, Draw, Tree], Any], arithmetic: Callable[[], Arithmetic]) -> Any:
    """Return a function to the states of all subtrees, from a built model and from the automaton."""

    def pairs(draw: Draw) -> Pairs:
        automaton, tree = trees_automaton(draw), tree_of(draw)
        symbols = tokens(tree)
        model = build(automaton, draw, tree)
        expected = automaton.states(symbols)
        outputs = run(model.transformer, arithmetic(), model.encode(symbols))
        places = _places(model, symbols, expected)
        return [outputs[places[i]] for i in expected], list(expected.values())

    return pairs


def _places(model: Any, symbols: Sequence[str], expected: Mapping[int, Any]) -> dict[int, int]:
    """Return the row in which the state of the subtree at each position is read."""
    if isinstance(model, decoder_tree.TreeDecoderSimulation):
        return ends(symbols)
    return {i: i - 1 for i in expected}


def soft(model: Any, saturation: Fraction) -> Any:
    """Return a model with its hard heads softened."""
    return replace(model, transformer=soft_transformer(model.transformer, saturation))


def _clean_soft(automaton: WFA, draw: Draw) -> Any:
    return soft(theorem2_clean.build(automaton, draw.length), trees_saturation(draw))


def _mlp(automaton: WFA, draw: Draw) -> Any:
    product = slim_multiplier(draw.n, "tanh", Fraction(2), PRECISION)
    return theorem2.build(automaton, draw.length, words_saturation(draw), product)


def _masked(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return theorem3.build(automaton, draw.length, height(tree), Places.LINE)


def _maskless(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return theorem3_variants.build_maskless(automaton, draw.length, 2 * height(tree))


def _clean_trees(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return theorem3_clean.build(automaton, draw.length, 2 * height(tree))


def _log_depth(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return logdepth_clean.build(automaton, draw.length)


def _log_depth_short(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return logdepth_clean.build_short(automaton, draw.length, trees_saturation(draw))


def _units(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    model = soft(_maskless(automaton, draw, tree), trees_saturation(draw))
    units = FourUnits.of("tanh", FINENESS)
    return replace(model, transformer=smooth_transformer(model.transformer, units, draw.n))


def _digits() -> Multiprecision:
    return Multiprecision(DIGITS)


def _further_digits() -> Multiprecision:
    return Multiprecision(2 * DIGITS)


def _decoder(automaton: WFA, draw: Draw) -> Any:
    return decoder.build(automaton, draw.length, Design("relu"))


def _decoder_soft(automaton: WFA, draw: Draw) -> Any:
    return decoder.build(automaton, draw.length, Design("relu"), decoder_saturation(draw))


def _tree_decoder(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return decoder_tree.build(automaton, draw.length, "relu")


def _tree_decoder_soft(automaton: WTA, draw: Draw, tree: Tree) -> Any:
    return decoder_tree.build(automaton, draw.length, "relu", trees_saturation(draw))


def _printed(automaton: WFA, draw: Draw) -> Any:
    return theorem1.build(automaton, draw.length)


def _printed_soft(automaton: WFA, draw: Draw) -> Any:
    return theorem2.build(automaton, draw.length, words_saturation(draw))


def _unrolled(automaton: WFA, draw: Draw) -> Any:
    return unrolled.build(automaton, draw.length)


def _no_pads(automaton: WFA, draw: Draw) -> Any:
    return nopads.build(automaton, draw.length)


def _clean_words(automaton: WFA, draw: Draw) -> Any:
    return theorem2_clean.build(automaton, draw.length)


# For each model of `weights.MODELS`: ranges of n and T, the run, and the accepted deviation.
Plan = tuple[Range, Range, Callable[[Draw], Pairs], float]
LONG, WIDE, MIDDLE, SOFT = (2049, 4096), (5, 16), (17, 64), (65, 256)
RUNS: dict[str, tuple[Plan, ...]] = {
    "sequences": (
        ((1, 2), LONG, words_run(_printed, Certain), EXACT),
        ((7, 8), WIDE, words_run(_printed, Certain), EXACT),
        ((3, 6), MIDDLE, words_run(_printed, Certain), EXACT),
        ((1, 3), SOFT, words_run(_printed_soft, Certain), CLOSE),
    ),
    "unrolled": (
        ((7, 8), WIDE, words_run(_unrolled, Certain), EXACT),
        ((1, 6), MIDDLE, words_run(_unrolled, Certain), EXACT),
    ),
    "no-pads": (
        ((7, 8), WIDE, words_run(_no_pads, Certain), EXACT),
        ((1, 6), MIDDLE, words_run(_no_pads, Certain), EXACT),
    ),
    "clean-words": (
        ((1, 2), LONG, words_run(_clean_words, Certain), EXACT),
        ((7, 8), WIDE, words_run(_clean_words, Certain), EXACT),
        ((1, 3), SOFT, words_run(_clean_soft, Certain), CLOSE),
    ),
    "mlp": (((4, 5), (2, 4), words_run(_mlp, _digits), CLOSE),),
    "trees": (((5, 8), (22, 64), trees_run(_masked, Certain), EXACT),),
    "free": (((5, 8), (22, 64), trees_run(_maskless, Certain), EXACT),),
    "clean-trees": (
        ((5, 8), (22, 64), trees_run(_clean_trees, Certain), EXACT),
        ((1, 4), (512, 1024), trees_run(_clean_trees, Certain), EXACT),
    ),
    "logdepth-trees": (((5, 8), (16, 40), trees_run(_log_depth, _further_digits), CLOSE),),
    "logdepth-short": (((5, 8), (16, 40), trees_run(_log_depth_short, _further_digits), CLOSE),),
    "tree-units": (((4, 5), (7, 10), trees_run(_units, _digits), CLOSE),),
    "decoder": (
        ((1, 2), LONG, words_run(_decoder, Certain), EXACT),
        ((7, 8), WIDE, words_run(_decoder, Certain), EXACT),
        ((1, 3), SOFT, words_run(_decoder_soft, Certain), CLOSE),
    ),
    "tree-decoder": (
        ((1, 2), LONG, trees_run(_tree_decoder, Certain), EXACT),
        ((5, 8), (22, 64), trees_run(_tree_decoder, Certain), EXACT),
        ((1, 3), SOFT, trees_run(_tree_decoder_soft, Certain), CLOSE),
    ),
}


def mistakes(model: str, seed: int) -> list[tuple[str, str, str]]:
    """Return where a built model misses the automaton's states: sizes, the state, both values."""
    return [line for draw in draws(model, seed) for line in _mistakes(draw)]


def _mistakes(draw: Draw) -> Iterator[tuple[str, str, str]]:
    *_, pairs, accepted = RUNS[draw.model][draw.place]
    where = f"seed {draw.seed}, {draw.sizes}"
    try:
        with np.errstate(all="ignore"):
            outputs, expected = pairs(draw)
    except Unread as error:
        yield where, "scores", str(error)
        return
    for place, (row, state) in enumerate(zip(outputs, expected, strict=True)):
        near = [abs(x - float(y)) <= accepted for x, y in zip(row, state, strict=True)]
        if not all(near):
            k = near.index(False)
            yield where, f"state {place}, entry {k}", f"{row[k]}, the automaton has {state[k]}"
            return
