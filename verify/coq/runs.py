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
from fractions import Fraction
from functools import partial
from math import ceil, log
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions import decoder_tree, theorem1
from constructions.arithmetic import Floats, Multiprecision
from constructions.automata.trees import ends, height, tokens
from constructions.blocks.multiplication import Multiplier, slim_multiplier
from constructions.blocks.smoothing import FourUnits
from constructions.core.matrix import Entry
from constructions.core.transformer import Attention, Mask, run
from constructions.decoder import Design
from verify.coq.builds import (
    BUILDS,
    Build,
    log_depth_short,
    printed_mlp,
    softened,
    tree_decoder,
    with_units,
    word_decoder,
)
from verify.coq.printed import Unread
from verify.coq.samples import (
    Draw,
    Range,
    drawn_sizes,
    tree_of,
    trees_automaton,
    word_of,
    words_automaton,
)

# Multiplications in a block of scores: more would be spread over threads, which takes longer.
BLOCK = 1 << 18
MARGIN = 2.0**-40  # float64 rounds a sum of a few products to 2^-50 of their absolute values
GAP = 250
FINENESS = 120
PRECISION = Fraction(1, 10**20)  # of a product of numbers up to 2
EPS = 2.0**-17  # exact in binary, as its double is
EXACT, CLOSE = 0.0, 2 * EPS
Array = npt.NDArray[Any]


class Certain(Floats):
    """float64, a few rows of scores at a time; a hard head whose choice rounding might change is refused."""

    def scores(self, queries: Array, keys: Array) -> Any:
        """Return queries and keys as they are; `mix` multiplies them."""
        return queries, keys

    def mix(self, scores: Any, values: Array, attention: Attention, mask: Mask) -> Array:
        """Return the attended values."""
        queries, keys = scores
        # At least the sum of the products' absolute values, for each row and all keys
        sizes = np.abs(queries) @ np.abs(keys).max(axis=0)
        count = max(1, BLOCK // (keys.size or len(keys)))
        parts = []
        for start in range(0, len(queries), count):
            seen, block = _masked(queries[start : start + count], keys, start, mask)
            if attention is Attention.HARD:
                best = _certain(block, sizes[start : start + count], start)
                parts.append(values[seen][best])
            else:
                parts.append(_weighted(block, attention) @ values[seen])
        return np.concatenate(parts)


def _masked(queries: Array, keys: Array, start: int, mask: Mask) -> tuple[slice, Array]:
    """Return the keys that some rows from `start` on may attend to, and the scores, -inf if masked."""
    rows = [mask.visible(start + k, len(keys)) for k in range(len(queries))]
    seen = slice(min(row.start for row in rows), max(row.stop for row in rows))
    block = queries @ keys[seen].T
    for scores, row in zip(block, rows, strict=True):
        scores[: row.start - seen.start] = -np.inf
        scores[row.stop - seen.start :] = -np.inf
    return seen, block


def _certain(block: Array, sizes: Array, start: int) -> Array:
    """Return the place of each row's largest score; refuse a row whose next score is too near."""
    best = block.argmax(axis=1)
    rows = np.arange(len(block))
    top = block[rows, best]
    block[rows, best] = -np.inf
    near = top - block.max(axis=1) <= MARGIN * sizes
    if near.any():
        raise Unread(f"two scores of row {start + int(near.argmax())} are too near for float64")
    return np.asarray(best)


def _weighted(masked: Array, attention: Attention) -> Array:
    top = masked.max(axis=1, keepdims=True)
    weights: Array = np.exp(masked - top) if attention is Attention.SOFT else 1.0 * (masked == top)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def draws(model: str, seed: int) -> list[Draw]:
    """Return the sizes at which a model is run."""
    return drawn_sizes(seed, model, [plan[:2] for plan in RUNS[model]])


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
Constant = Callable[[Draw], Entry]
DIGITS, FURTHER = partial(Multiprecision, 100), partial(Multiprecision, 200)


def words_run(
    build: Build, constant: Constant = trees_saturation, arithmetic: Callable[[], Any] = Certain
) -> Callable[[Draw], Pairs]:
    """Return a function to the states of a word, from a built model and from the automaton."""

    def pairs(draw: Draw) -> Pairs:
        automaton, word = words_automaton(draw), word_of(draw)
        model = build(automaton, draw.length, constant(draw), None)
        return model.states(word, arithmetic()), automaton.states(word)

    return pairs


def trees_run(build: Build, arithmetic: Callable[[], Any] = Certain) -> Callable[[Draw], Pairs]:
    """Return a function to the states of all subtrees, from a built model and from the automaton."""

    def pairs(draw: Draw) -> Pairs:
        automaton, tree = trees_automaton(draw), tree_of(draw)
        symbols = tokens(tree)
        model = build(automaton, draw.length, trees_saturation(draw), height(tree))
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


def precise(n: int) -> Multiplier:
    """Return an MLP that multiplies n by n matrices with entries up to 2."""
    return slim_multiplier(n, "tanh", Fraction(2), PRECISION)


# For each model of `weights.MODELS`: ranges of n and T, the run, and the accepted deviation.
Plan = tuple[Range, Range, Callable[[Draw], Pairs], float]
LONG, WIDE, MIDDLE, SOFT, BUSHY = (2049, 4096), (5, 16), (17, 64), (65, 256), (22, 64)
ONE, THREE, SIX, MANY, STATES = (1, 2), (1, 3), (1, 6), (7, 8), (5, 8)
STEPS = words_run(BUILDS["stepwise"])
NO_PADS, CLEAN = words_run(BUILDS["no pads"]), words_run(BUILDS["clean words"])
PRINTED, CLEAN_TREES = words_run(BUILDS["printed"]), trees_run(BUILDS["clean trees"])
DECODER = words_run(word_decoder(Design("relu"), soft=False))
TREE_DECODER = trees_run(tree_decoder("relu", soft=False))
HIDDEN = with_units(softened("maskless"), FourUnits.of("tanh", FINENESS))
RUNS: dict[str, tuple[Plan, ...]] = {
    "sequences": (
        (ONE, LONG, PRINTED, EXACT),
        (MANY, WIDE, PRINTED, EXACT),
        ((3, 6), MIDDLE, PRINTED, EXACT),
        (THREE, SOFT, words_run(BUILDS["printed soft"], words_saturation), CLOSE),
    ),
    "unrolled": ((MANY, WIDE, STEPS, EXACT), (SIX, MIDDLE, STEPS, EXACT)),
    "no-pads": ((MANY, WIDE, NO_PADS, EXACT), (SIX, MIDDLE, NO_PADS, EXACT)),
    "clean-words": (
        (ONE, LONG, CLEAN, EXACT),
        (MANY, WIDE, CLEAN, EXACT),
        (THREE, SOFT, words_run(softened("clean words")), CLOSE),
    ),
    "mlp": (((4, 5), (2, 4), words_run(printed_mlp(precise), words_saturation, DIGITS), CLOSE),),
    "trees": ((STATES, BUSHY, trees_run(BUILDS["masked"]), EXACT),),
    "free": ((STATES, BUSHY, trees_run(BUILDS["maskless"]), EXACT),),
    "clean-trees": (
        (STATES, BUSHY, CLEAN_TREES, EXACT),
        ((1, 4), (512, 1024), CLEAN_TREES, EXACT),
    ),
    "logdepth-trees": ((STATES, (16, 40), trees_run(BUILDS["log depth"], FURTHER), CLOSE),),
    "logdepth-short": ((STATES, (16, 40), trees_run(log_depth_short(), FURTHER), CLOSE),),
    "tree-units": (((4, 5), (7, 10), trees_run(HIDDEN, DIGITS), CLOSE),),
    "decoder": (
        (ONE, LONG, DECODER, EXACT),
        (MANY, WIDE, DECODER, EXACT),
        (
            THREE,
            SOFT,
            words_run(word_decoder(Design("relu"), soft=True), decoder_saturation),
            CLOSE,
        ),
    ),
    "tree-decoder": (
        (ONE, LONG, TREE_DECODER, EXACT),
        (STATES, BUSHY, TREE_DECODER, EXACT),
        (THREE, SOFT, trees_run(tree_decoder("relu", soft=True)), CLOSE),
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
