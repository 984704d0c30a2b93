"""The states of words letter by letter: the pass on a CPU without gradients.

Constructs    s_t = s_{t-1} A^{x_t} for all words at once, in NumPy, whose calls cost a third of torch's;
              for up to `FEW_LETTERS` letters one product of all states with all maps side by side, of
              which each word takes the columns of its letter, else a product for each word
Numbers       those of `passes.fused_states` up to rounding: the same products of maps, as products of
              matrices are associative. State k is state k - 1 times the map of one letter, one of the
              orders whose worst `verify.automaton.rounding` bounds
Notation      T letters, B words, n states; maps (letters, n, n); states (T + 1, B, n)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

FEW_LETTERS = 16
FORMATS = (torch.float64, torch.float32)
Array = npt.NDArray[Any]


def recurrent_states(maps: Array, alpha: Array, words: Array) -> Array:
    """All states of words (B, T) by the numbers of their letters."""
    count, length = words.shape
    states = np.empty((length + 1, count, len(alpha)), dtype=maps.dtype)
    states[0] = alpha
    with np.errstate(all="ignore"):  # an infinite state is a number that the format has
        if count == 1:
            _one_word(maps, states[:, 0], words[0])
        elif len(maps) <= FEW_LETTERS:
            _side_by_side(maps, states, words)
        else:
            for (before, after), letters in zip(pairwise(states), words.T, strict=True):
                np.matmul(before[:, None], maps[letters], out=after[:, None])
    return states


def _one_word(maps: Array, states: Array, word: Array) -> None:
    matrices, (state, *rest) = list(maps), states
    for after, letter in zip(rest, word.tolist(), strict=True):
        state.dot(matrices[letter], after)  # half the time of `np.dot`, which looks for overrides
        state = after


def _side_by_side(maps: Array, states: Array, words: Array) -> None:
    """Products with (A^1 … A^k), of which row i of the states takes the columns of its letter."""
    letters, n, count = len(maps), maps.shape[-1], len(words)
    joined = np.ascontiguousarray(maps.transpose(1, 0, 2)).reshape(n, letters * n)
    products = np.empty((count, letters * n), dtype=maps.dtype)
    rows = products.reshape(count * letters, n)
    places = np.ascontiguousarray(words.T) + np.arange(count) * letters
    for (before, after), chosen in zip(pairwise(list(states)), places, strict=True):
        before.dot(joined, products)
        rows.take(chosen, 0, after, "clip")  # the other modes copy `after`
