"""Numbers that Coq prints in words, read back as exact numbers.

Notation      a name with its arguments, `letter 1 0 2`, a whole number, or an operation with a number
              behind it, `minus letter 1 0 2`; `plus` with two numbers, `times` with a whole one first
Names         those of the automaton's weights, of C and of the steps of hidden units; each kind of model
              has its own table, and a name that is not in it is refused
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import neg

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.gated import gate_inverse
from constructions.blocks.multiplication import Multiplier
from constructions.blocks.smoothing import FourUnits
from constructions.core.activations import smooth_activation
from constructions.core.exact import cos_pi, root, sin_pi
from constructions.core.matrix import Entry
from verify.coq.printed import Unread

Letters = Mapping[str, tuple[int, Callable[..., Entry]]]
Operations = Mapping[str, Callable[[Entry], Entry]]


class Reader:
    """Reads printed weights: names with how many arguments each takes, and operations on one number."""

    def __init__(self, letters: Letters, operations: Operations | None = None) -> None:
        self.letters = letters
        self.operations = {"minus": neg, **(operations or {})}

    def __call__(self, words: list[str]) -> Entry:
        """Return the number that some words mean."""
        value, rest = self.first(words)
        if rest:
            raise Unread(f"a weight reads {' '.join(words)!r}")
        return value

    def first(self, words: list[str]) -> tuple[Entry, list[str]]:
        """Return the number at the beginning, and the words behind it."""
        match words:
            case ["times", k, *rest]:
                value, rest = self.first(rest)
                return int(k) * value, rest
            case ["plus", *rest]:
                left, rest = self.first(rest)
                right, rest = self.first(rest)
                return left + right, rest
            case [name, *rest] if name in self.operations:
                value, rest = self.first(rest)
                return self.operations[name](value), rest
            case [name, *rest] if name in self.letters and len(rest) >= self.letters[name][0]:
                count, letter = self.letters[name]
                return letter(*map(argument, rest[:count])), rest[count:]
            case [z, *rest] if z.lstrip("-").isdigit():
                return int(z), rest
        raise Unread(f"a weight reads {' '.join(words)!r}")


def argument(word: str) -> int | Fraction:
    """Return a whole number, or a fraction like an angle."""
    return Fraction(word) if "/" in word else int(word)


def four_units(units: FourUnits) -> Letters:
    """Return the step, the scale and the point of hidden units that products share."""
    point = units.activation.point
    return {"h": (0, lambda: units.step), "s": (0, lambda: units.scale), "b": (0, lambda: point)}


def multiples(product: Multiplier) -> Letters:
    """Return multiples of the step and of the scale of a multiplier, and its point."""
    return {
        "h": (1, lambda k: k * product.step),
        "s": (1, lambda k: k * product.scale),
        "b": (0, lambda: product.point),
    }


def word_reader(
    automaton: WFA, word: Sequence[str], saturation: Fraction, units: Letters
) -> Reader:
    """Return the reader of the weights of encoders on words; a row without a letter has the identity."""

    def letter(t: int, i: int, j: int) -> Entry:
        return automaton.matrix(word[t - 1])[i][j] if 0 < t <= len(word) else int(i == j)

    letters: Letters = {
        "cos": (1, cos_pi),
        "sin": (1, sin_pi),
        "C": (1, lambda z: saturation * z),
        "alpha": (1, lambda i: automaton.alpha[i]),
        "letter": (3, letter),
    }
    return Reader({**letters, **units}, {"rootC": lambda x: root(saturation) * x})


def tree_reader(
    automaton: WTA, symbols: str, saturation: Fraction, powers: tuple[int, int], units: Letters
) -> Reader:
    """Return the reader of the weights of encoders on trees; `powers` is the base and the sink."""
    base, sink = powers

    def entry(a: int, b: int, c: int) -> Entry:  # from n on: the same with the other sign
        sign, row = (1, a) if a < automaton.n else (-1, a - automaton.n)
        return sign * automaton.tensor[row][b][c]

    letters: Letters = {
        "C": (1, lambda z: saturation * z),
        "entry": (3, entry),
        "inverse": (1, lambda z: Fraction(1, z)),
        "vector": (2, lambda r, k: automaton.leaf(symbols[r])[k]),
        "low": (1, lambda r: Fraction(1, base ** (2 * r + 1))),
        "high": (1, lambda r: base ** (2 * r)),
        "sink": (0, lambda: sink),
    }
    return Reader({**letters, **units})


def decoder_reader(letters: Letters, saturation: Entry | None, activation: str) -> Reader:
    """Return the reader of the weights of decoders; with hard attention C is 1."""

    def score(width: int, k: int) -> Entry:  # k C √width; in the program's form the width is 1
        if width != 1:
            raise Unread(f"a score with the root of {width}")
        return k * (1 if saturation is None else saturation)

    def over(value: Entry) -> Entry:  # value / σ(1)
        return gate_inverse(activation, value) if value != 0 else 0

    common: Letters = {"score": (2, score), "ratio": (1, lambda x: x), "pergate": (1, over)}
    return Reader({**common, **letters}, {"over": over})


def silu_steps(fineness: int) -> Letters:
    """Return k h, k/(4h² σ''(0)) and k/(4h σ'(0)) for SiLU, whose derivatives at 0 are both 1/2."""
    if smooth_activation("silu").point != 0:
        raise Unread("the derivatives of SiLU")
    h, half = Fraction(1, 1 << fineness), Fraction(1, 2)
    return {
        "step": (1, lambda k: k * h),
        "even": (1, lambda k: k / (4 * h * h * half)),
        "odd": (1, lambda k: k / (4 * h * half)),
    }
