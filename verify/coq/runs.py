"""Built models, run against the automaton at sizes beyond those that Coq prints.

Sizes       n up to 8, T up to 4,096, and C: drawn by a seed, which the record names: it follows from
            the sources' digest, unless `assay run --seed` gives another
Automata    those of `samples`, whose states are -1, 0 or 1
Decided     with hard attention a head looks where the score is largest, ahead of the next by more than
            rounding can move it (`Certain`); whatever else happens to states is a product or a sum of
            small integers, which float64 computes exactly. With softmax C is so large that the state is
            within 1/8 (Saturation.saturation_rate_spectral, Decoder.theorem_B_rate for norms of at most
            1; for trees C·gap is at least 250). A model is wrong where the nearest integer is
Exact       hidden units are run with 100 digits, on a step so small that a state is within 1/8; the
            encoders of logarithmic depth with 200, for their positions hold (2T + 2)^i, T ≤ 40
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
Array = npt.NDArray[Any]
Range = tuple[int, int]


class Certain(Floats):
    """float64, a few rows of scores at a time; a hard head whose choice rounding might change is refused."""

    def scores(self, queries: Array, keys: Array) -> Any:
        """Queries and keys as they are; `mix` multiplies them."""
        return queries, keys

    def mix(self, scores: Any, values: Array, attention: Attention, mask: Mask) -> Array:
        """The attended values."""
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
    """Which keys the rows from `start` on may attend to."""
    rows = [mask.visible(i, shape[1]) for i in range(start, start + shape[0])]
    j = np.arange(shape[1])
    return np.array([(row.start <= j) & (j < row.stop) for row in rows])


def _certain(masked: Array) -> Array:
    """Where each row is largest; refuses a row whose next score is too near."""
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
    """The sizes at which a model is run."""
    return [
        Draw(
            seed,
            model,
            place,
            number(seed, f"{model} {place} n", *states),
            number(seed, f"{model} {place} T", *lengths),
        )
        for place, (states, lengths, _) in enumerate(RUNS[model])
    ]


# How large C must be: the rates of the proofs, for norms of at most 1


def words_saturation(draw: Draw) -> Fraction:
    """exp(2C/M²) ≥ (2M - 1)·2·6^L·8, as in `Saturation.saturation_rate_spectral`; up to twice that."""
    layers = theorem1.depth(draw.length)
    span = 1 << layers
    enough = span * span / 2 * log((2 * span - 1) * 2 * 6**layers * 8)
    return Fraction(ceil(enough * (1 + draw.number("C", 0, 100) / 100)) + 1)


def decoder_saturation(draw: Draw) -> Fraction:
    """exp C ≥ 2.2·max(48, 16·3^L), as in `Decoder.theorem_B_rate` for N = 1, M = 2; up to twice that."""
    enough = log(2.2 * max(48, 16 * 3 ** theorem1.depth(draw.length)))
    return Fraction(ceil(enough * (1 + draw.number("C", 0, 100) / 100)) + 1)


def trees_saturation(draw: Draw) -> Fraction:
    """A C from 250 to 500; scores of the tree models are whole numbers."""
    return Fraction(draw.number("C", GAP, 2 * GAP))


# Runs: what a built model returns, and what the automaton has

Rows = Sequence[Sequence[Any]]
Pairs = tuple[Rows, Rows]


def words_run(build: Callable[[WFA, Draw], Any], arithmetic: Callable[[], Arithmetic]) -> Any:
    """The states of a word, from a built model and from the automaton."""

    def pairs(draw: Draw) -> Pairs:
        automaton, word = words_automaton(draw), word_of(draw)
        model = build(automaton, draw)
        return model.states(word, arithmetic()), automaton.states(word)

    return pairs


def trees_run(build: Callable[[WTA, Draw, Tree], Any], arithmetic: Callable[[], Arithmetic]) -> Any:
    """The states of a tree's subtrees, from a built model and from the automaton."""

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
    """The row in which the state of the subtree at each position is read."""
    if isinstance(model, decoder_tree.TreeDecoderSimulation):
        return ends(symbols)
    return {i: i - 1 for i in expected}


def soft(model: Any, saturation: Fraction) -> Any:
    """A model with its hard heads softened."""
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


# For each model of `weights.MODELS`: from which numbers of states and lengths, and what is run.
Plan = tuple[Range, Range, Callable[[Draw], Pairs]]
LONG, WIDE, MIDDLE, SOFT = (2049, 4096), (5, 16), (17, 64), (65, 256)
RUNS: dict[str, tuple[Plan, ...]] = {
    "sequences": (
        ((1, 2), LONG, words_run(_printed, Certain)),
        ((7, 8), WIDE, words_run(_printed, Certain)),
        ((3, 6), MIDDLE, words_run(_printed, Certain)),
        ((1, 3), SOFT, words_run(_printed_soft, Certain)),
    ),
    "unrolled": (
        ((7, 8), WIDE, words_run(_unrolled, Certain)),
        ((1, 6), MIDDLE, words_run(_unrolled, Certain)),
    ),
    "no-pads": (
        ((7, 8), WIDE, words_run(_no_pads, Certain)),
        ((1, 6), MIDDLE, words_run(_no_pads, Certain)),
    ),
    "clean-words": (
        ((1, 2), LONG, words_run(_clean_words, Certain)),
        ((7, 8), WIDE, words_run(_clean_words, Certain)),
        ((1, 3), SOFT, words_run(_clean_soft, Certain)),
    ),
    "mlp": (((4, 5), (2, 4), words_run(_mlp, _digits)),),
    "trees": (((5, 8), (22, 64), trees_run(_masked, Certain)),),
    "free": (((5, 8), (22, 64), trees_run(_maskless, Certain)),),
    "clean-trees": (
        ((5, 8), (22, 64), trees_run(_clean_trees, Certain)),
        ((1, 4), (512, 1024), trees_run(_clean_trees, Certain)),
    ),
    "logdepth-trees": (((5, 8), (16, 40), trees_run(_log_depth, _further_digits)),),
    "logdepth-short": (((5, 8), (16, 40), trees_run(_log_depth_short, _further_digits)),),
    "tree-units": (((4, 5), (7, 10), trees_run(_units, _digits)),),
    "decoder": (
        ((1, 2), LONG, words_run(_decoder, Certain)),
        ((7, 8), WIDE, words_run(_decoder, Certain)),
        ((1, 3), SOFT, words_run(_decoder_soft, Certain)),
    ),
    "tree-decoder": (
        ((1, 2), LONG, trees_run(_tree_decoder, Certain)),
        ((5, 8), (22, 64), trees_run(_tree_decoder, Certain)),
        ((1, 3), SOFT, trees_run(_tree_decoder_soft, Certain)),
    ),
}


def mistakes(model: str, seed: int) -> list[tuple[str, str, str]]:
    """Where a built model does not have the automaton's states: sizes, which state, what it has."""
    return [line for draw in draws(model, seed) for line in _mistakes(draw)]


def _mistakes(draw: Draw) -> Iterator[tuple[str, str, str]]:
    pairs = RUNS[draw.model][draw.place][2]
    where = f"seed {draw.seed}, {draw.sizes}"
    try:
        with np.errstate(all="ignore"):
            outputs, expected = pairs(draw)
    except Unread as error:
        yield where, "scores", str(error)
        return
    for place, (row, state) in enumerate(zip(outputs, expected, strict=True)):
        wrong = [k for k, (x, y) in enumerate(zip(row, state, strict=True)) if not _near(x, y)]
        if wrong:
            k = wrong[0]
            yield where, f"state {place}, entry {k}", f"{row[k]}, the automaton has {state[k]}"
            return


def _near(value: Any, expected: Any) -> bool:
    """Whether a value rounds to an integer."""
    return bool(abs(value - float(expected)) < 0.25)
