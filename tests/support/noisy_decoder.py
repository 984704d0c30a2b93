"""A gated decoder written out by hand, with an error of a chosen size after every operation.

Each kind of error of `verify.bounds.decoder_entries` is switched on by itself or with others, as large as
the derivation allows, with all signs alike or random ones. Nothing of the bound is shared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np

Array = np.ndarray
Signs = Callable[[tuple[int, ...]], Array]
KINDS = ("round", "exp", "product", "erase", "readout")
NORM_KINDS = (
    "factor",
    "read",
)  # of RMSNorm: one factor for a token, and an error for each coordinate


def silu(value: Array) -> Array:
    """y / (1 + e^-y)."""
    return value / (1 + np.exp(-value))


def choices(seed: int) -> Signs:
    """All signs plus, all minus, or random ones."""
    generator = np.random.default_rng(seed)
    if seed < 2:
        return lambda shape: np.full(shape, 1.0 - 2 * seed)
    return lambda shape: generator.choice([-1.0, 1.0], size=shape)


class OneSign:
    """A sign for one error of a run, by its number, and none for the others; counts the errors."""

    def __init__(self, chosen: int) -> None:
        self.chosen, self.count = chosen, 0

    def __call__(self, shape: tuple[int, ...]) -> Array:
        """The signs of the next errors."""
        signs = np.zeros(int(np.prod(shape)))
        place = self.chosen - self.count
        if 0 <= place < signs.size:
            signs[place] = 1.0
        self.count += signs.size
        return signs.reshape(shape)


@dataclass(frozen=True)
class NoisyDecoder:
    """A decoder with C and a unit u for each kind of error, 0 where it is left out."""

    automaton: object
    saturation: float
    units: dict[str, float]
    signs: Signs

    def noise(self, kind: str, size: Array) -> Array:
        """An error as large as a number."""
        if kind not in self.units:
            return np.zeros(np.shape(size))
        return self.signs(np.shape(size)) * self.units[kind] * size

    def add(self, one: Array, two: Array) -> Array:
        """A sum, off by no more than u of itself and than either term."""
        least = np.minimum(np.abs(one), np.abs(two))
        error = self.noise("round", np.abs(one + two))
        return one + two + np.sign(error) * np.minimum(np.abs(error), least)

    def weights(self, t: int, back: int) -> Array:
        """The computed softmax of token t."""
        places = np.arange(t + 1)
        scores = 2 * places * (t - back) - places**2
        powers = np.exp(self.saturation * (scores - scores.max()).astype(float))
        powers = powers + self.noise("exp", 8 * powers)
        total = np.zeros(())
        for power in powers:
            total = self.add(total, power)
        shares = powers / total
        return shares + self.noise("round", 3 * shares)

    def factors(self, tokens: int) -> Array:
        """What a norm multiplies each token by."""
        return (1 + self.noise("factor", np.full(tokens, 7.5)))[:, None, None]

    def read(self, factors: Array, matrices: Array) -> Array:
        """The matrices of tokens as they are read behind a norm."""
        return factors * (matrices + self.noise("read", 17 / 8 * np.abs(matrices)))

    def head(self, windows: Array, back: int) -> Array:
        """What every token brings."""
        rows, windows = [], self.read(self.factors(len(windows)), windows)
        for t in range(len(windows)):
            total = np.zeros(windows.shape[1:])
            for share, window in zip(self.weights(t, back), windows[: t + 1], strict=True):
                term = share * window
                total = self.add(total, term + self.noise("round", np.abs(term)))
            rows.append(total)
        return np.array(rows)

    def layer(self, windows: Array, scratch: Array, back: int) -> tuple[Array, Array]:
        """Windows and scratch after a layer."""
        n = windows.shape[-1]
        brought = self.head(windows, back)
        stream, x = self.add(windows, brought), self.add(scratch, brought)
        factors = self.factors(len(x))
        one = self.read(factors, np.ones((len(x), 1, 1)))
        scratch, x = x, self.read(factors, x)
        y = self.read(factors, stream) - self.read(factors, scratch)
        y = y + self.noise("round", np.abs(y))
        block = x @ y + self.noise("product", (2 * n + 8) * (np.abs(x) @ np.abs(y)))
        left = scratch - x * (silu(one) / silu(np.ones(())))
        return self.add(stream, block), left + self.noise("erase", 11 * np.abs(scratch))

    def tokens(self, word: Sequence[str], layers: int) -> tuple[Array, Array]:
        """The windows and the scratch of all tokens after so many layers."""
        one = np.eye(self.automaton.n)
        maps = {s: np.array(self.automaton.matrix(s), dtype=float) for s in self.automaton.alphabet}
        windows = np.array([0 * one, *(maps[letter] - one for letter in word)])
        scratch = np.zeros_like(windows)
        for layer in range(layers):
            windows, scratch = self.layer(windows, scratch, 1 << layer)
        return windows, scratch

    def states(self, word: Sequence[str], layers: int) -> Array:
        """The computed states of a word."""
        windows, _ = self.tokens(word, layers)
        one = np.eye(self.automaton.n)
        alpha = np.array(self.automaton.alpha, dtype=float)
        terms = np.count_nonzero(alpha) + 4
        sizes = np.abs(alpha) @ (np.abs(windows) + one)
        factors = self.factors(len(windows))
        ones = self.read(factors, np.broadcast_to(one, windows.shape))
        read = alpha @ (self.read(factors, windows) + ones)
        return read + self.noise("readout", terms * sizes)


def worst_error(
    automaton: object, length: int, saturation: float, units: dict[str, float]
) -> float:
    """The largest error of a state over some words and signs."""
    random, letters = Random(length), automaton.alphabet
    words = [letter * length for letter in letters]
    words += ["".join(random.choice(letters) for _ in range(length)) for _ in range(4)]
    worst = 0.0
    for word, seed in product(words, range(6)):
        run = NoisyDecoder(automaton, saturation, units, choices(seed))
        states = run.states(word, (length - 1).bit_length())
        exact = np.array(automaton.states(word), dtype=float)
        worst = max(worst, float(np.linalg.norm(states - exact, axis=-1).max()))
    return worst


def aligned_error(
    automaton: object, word: str, saturation: float, units: dict[str, float]
) -> float:
    """What the errors of a run make of a state to the first order, if the signs of all work together.

    Each error by itself changes the states a little; absolute values are added up entry by entry.
    """
    layers = (len(word) - 1).bit_length()
    calm = NoisyDecoder(automaton, saturation, units, counter := OneSign(-1)).states(word, layers)
    total = np.zeros_like(calm)
    for number in range(counter.count):
        run = NoisyDecoder(automaton, saturation, units, OneSign(number))
        total += np.abs(run.states(word, layers) - calm)
    return float(np.linalg.norm(total, axis=-1).max())
