"""Confirms the errors of soft attention by a plain pass in fixed-point intervals.

Comparisons are decided by these intervals alone. Stated decimals have six digits, rounded to the
side on which a comparison stays certain; each must be the rounded value of the interval found here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import isqrt

from verify.recheck.declarations import ByName, Rising, confirms
from verify.recheck.errors import (
    OneOf,
    Recomputed,
    Refused,
    abbreviate,
    comparison,
    figure_curve,
    fraction,
)
from verify.recheck.kernel import interval
from verify.recheck.kernel.soft import ZERO, Layer, Model, Norm, Token, layers_of

LONGEST, LONGEST_WORD, LARGEST_C, LARGEST_WEIGHT = 64, 16, 1 << 14, 16
DIGITS = 6
ONE: Norm = (Fraction(1), Fraction(1))


def digits(value: Fraction, up: bool | None) -> str:
    """Six significant digits of a number, rounded up, down or to the nearest (None)."""
    power = len(str(abs(value.numerator))) - len(str(value.denominator)) - DIGITS
    while abs(value) >= Fraction(10) ** (power + DIGITS):
        power += 1
    scaled = value / Fraction(10) ** power + (Fraction(1, 2) if up is None else 0)
    kept = (interval.ceil if up else interval.floor)(scaled, 0)
    return format(Decimal(kept).scaleb(power).normalize(), "g")


def rounded(found: Norm, up: bool | None) -> OneOf:
    """The decimal to which a number is rounded; near a tie it may be that of either end."""
    return OneOf(tuple(digits(end, up) for end in found))


def ratio(one: Norm, other: Norm) -> Norm:
    """The quotient of two positive intervals."""
    return one[0] / other[1], one[1] / other[0]


def constant(value: object) -> Fraction:
    """A saturating constant that is not too large to run again."""
    found = fraction(value)
    if not 0 < found <= LARGEST_C:
        raise Refused(f"C = {abbreviate(value)}, expected a number from 0 to {LARGEST_C}")
    return found


def weight(value: object) -> Fraction:
    """A weight of an automaton that is not too large."""
    found = fraction(value)
    if abs(found) > LARGEST_WEIGHT or found.denominator > 1000:
        raise Refused(
            f"weight {abbreviate(value)}: expected a number of size at most {LARGEST_WEIGHT}"
        )
    return found


def lengths(most: int, least: int = 1) -> Rising:
    """Lengths T up to a largest one, increasing."""
    return Rising((1, most), least, 12)


CONSTANTS = Rising(constant, 1, 16)
LETTERS = ByName(weight, 1, 8)


def one_state(letters: Mapping[str, Fraction], word: str) -> tuple[Fraction, list[Token]]:
    """max |weight| of the automaton with one state, and the tokens of the word."""
    if not 1 <= len(word) <= LONGEST_WORD or not set(word) <= set(letters):
        raise Refused(
            f"word: {abbreviate(word)}, expected 1 to {LONGEST_WORD} letters with weights"
        )
    return max(abs(w) for w in letters.values()), [(letters[letter],) for letter in word]


def step(factor: Norm, delta: Norm) -> Norm:
    """factor · δ + δ²."""
    low, high = (f * d + d * d for f, d in zip(factor, delta, strict=True))
    return low, high


SIDES = ("printed", "stepwise", "redefined", "corrected")


def right_sides(largest: Fraction, layers: Sequence[Layer]) -> dict[str, list[Norm]]:
    """The right sides of Equation (1) in three readings, and of the corrected recursion."""
    if not layers:  # T = 1
        return {side: [] for side in SIDES}
    factor = (2 * largest, 2 * largest)
    errors = [layer.error for layer in layers]
    before: list[Norm] = [ZERO, *errors[:-1]]
    printed = [layers[0].attention]
    for _ in layers:
        printed.append(step(factor, printed[-1]))
    return {
        "printed": printed[1:],
        "stepwise": [step(factor, e) for e in [layers[0].attention, *errors[:-1]]],
        "redefined": [
            step(factor, add(e, layer.incoming)) for e, layer in zip(before, layers, strict=True)
        ],
        "corrected": corrected_sides(layers),
    }


def corrected_sides(layers: Sequence[Layer], mlp: Norm | None = None) -> list[Norm]:
    """The right sides of the corrected recursion, by the norms of each layer's own windows.

    The MLP's error is that of each layer, or one bound for all.
    """
    found: list[Norm] = [ZERO]
    for layer in layers:
        norm = 2 * layer.norm[0], 2 * layer.norm[1]
        made = step(norm, add(found[-1], layer.attention))
        found.append(add(made, layer.mlp if mlp is None else mlp))
    return found[1:]


def add(one: Norm, other: Norm) -> Norm:
    """The sum of two intervals."""
    return one[0] + other[0], one[1] + other[1]


def at_most(error: Norm, bound: Norm) -> bool:
    """Return True if a number is at most another one; overlapping intervals are refused."""
    if error[1] <= bound[0]:
        return True
    if error[0] > bound[1]:
        return False
    raise Refused("the intervals overlap: nothing is decided")


@confirms("softmax.leak", "enclosure", lengths=lengths(LONGEST), factors=[fraction, 1, 8])
def leak(lengths: list[int], factors: list[Fraction]) -> Recomputed:
    """0 < leak ≤ (2T-1) exp(-C(1-cos(π/T))) on a grid."""
    leaks = []
    for size, saturation in [(size, c * size * size) for size in lengths for c in factors]:
        if size & (size - 1):
            raise Refused(f"length {size}, expected a power of two")
        found = Model(1, size, constant(str(saturation))).leak
        gap = 1 - interval.cos_pi(Fraction(1, size), 128)[1]
        ceiling = (2 * size - 1) * interval.exp(-saturation * gap, 128)[0]
        if found[0] <= 0 or found[1] > ceiling:
            raise Refused(f"T = {size}, C = {saturation}: the leak is not within its ceiling")
        leaks.append(rounded(found, up=True))
    return Recomputed(True, {"leaks": leaks})


@confirms(
    "soft.error", "enclosure",
    letters=LETTERS, word=str, saturation=constant, layer=(1, 4), against=SIDES,
)  # fmt: skip
def error(
    letters: dict[str, Fraction], word: str, saturation: Fraction, layer: int, against: str
) -> Recomputed:
    """One state, one layer: the error against one right side."""
    largest, tokens = one_state(letters, word)
    layers = layers_of(tuple(tokens), saturation)
    if layer > len(layers):
        raise Refused(f"layer {layer}, expected one of {len(layers)}")
    found, bound = layers[layer - 1].error, right_sides(largest, layers)[against][layer - 1]
    holds = at_most(found, bound)
    values = {"error": rounded(found, up=holds), "bound": rounded(bound, up=not holds)}
    if holds:
        return Recomputed(True, values)
    values["ratio"] = rounded(ratio(found, bound), up=False)
    place = {"word": word, "C": str(saturation), "layer": layer}
    return Recomputed(False, values, {**place, **values})


@confirms(
    "soft.states", "enclosure",
    alpha=weight, weight=weight, word=str, saturation=constant, factor=("1", "readout"),
)  # fmt: skip
def states(
    alpha: Fraction, weight: Fraction, word: str, saturation: Fraction, factor: str
) -> Recomputed:
    """One state: the Frobenius norm of the states' errors against a factor times ε_tot."""
    _, tokens = one_state(dict.fromkeys(word, weight), word)
    model = Model(1, len(tokens), saturation)
    *_, (last, _) = model.layers(tokens)
    root = interval.sqrt(Fraction(len(tokens) + 1), 160)
    ends = [abs(alpha) * end if factor == "readout" else Fraction(1) for end in root]
    found = model.state_error([alpha], tokens)
    bound = ends[0] * last.error[0], ends[1] * last.error[1]
    holds = at_most(found, bound)
    values = {"states": rounded(found, up=holds), "products": rounded(bound, up=not holds)}
    place = {"word": word, "C": str(saturation)}
    return Recomputed(holds, values, None if holds else {**place, **values})


def transitions(
    given: object, name: str = "transitions", letters: int = 4, states: int = 2
) -> dict[str, Token]:
    """Square matrices of one size by letter."""
    if not isinstance(given, dict) or not 1 <= len(given) <= letters:
        raise Refused(f"{name}: expected one to {letters} letters")
    found: dict[str, Token] = {}
    for letter, rows in given.items():
        square = isinstance(rows, list) and 1 <= len(rows) <= states
        if not square or any(not isinstance(row, list) or len(row) != len(rows) for row in rows):
            raise Refused(f"{name}: {abbreviate(letter)} has no square matrix up to {states}")
        found[letter] = tuple(weight(entry) for row in rows for entry in row)
    if len({len(token) for token in found.values()}) != 1:
        raise Refused(f"{name}: the matrices have different sizes")
    return found


def order(letters: Mapping[str, Token]) -> int:
    """The number of states."""
    return isqrt(len(next(iter(letters.values()))))


@confirms("soft.ratios", "enclosure", weights=[weight, 1, 6], lengths=lengths(16), factor=fraction)
def ratios(weights: list[Fraction], lengths: list[int], factor: Fraction) -> Recomputed:
    """One state, C = factor · T²: error over the printed bound, for weights and lengths."""
    found: list[tuple[Fraction, int, Norm]] = []
    curves = []
    for value in weights:
        own: list[Norm] = []
        for size in lengths:
            layers = layers_of(((value,),) * size, constant(str(factor * size * size)))
            bound = right_sides(abs(value), layers)["printed"][-1]
            own.append(ratio(layers[-1].error, bound))
        found += [(value, size, r) for size, r in zip(lengths, own, strict=True)]
        curves.append(figure_curve(f"weight {value}", lengths, [rounded(r, up=False) for r in own]))
    weight, size, worst = max(found, key=lambda item: item[2][0])
    if worst[0] <= 1:
        return Recomputed(all(at_most(r, ONE) for *_, r in found), {"curves": curves})
    shown = {"weight": str(weight), "T": size, "ratio": rounded(worst, up=False)}
    return Recomputed(False, {"curves": curves}, shown)


@confirms("soft.grows", "enclosure", weight=weight, saturation=constant, lengths=lengths(32, 2))
def grows(weight: Fraction, saturation: Fraction, lengths: list[int]) -> Recomputed:
    """One state at a fixed C: the error more than doubles from length to length."""
    errors = [layers_of(((weight,),) * t, saturation)[-1].error for t in lengths]
    holds = not any(at_most(two, (2 * one[0], 2 * one[1])) for one, two in pairwise(errors))
    return comparison(holds, errors=[rounded(error, up=False) for error in errors])
