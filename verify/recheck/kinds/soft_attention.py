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
from typing import Any

from verify.recheck.declarations import ByName, Rising, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, agree, fraction, list_in, only
from verify.recheck.kernel import interval
from verify.recheck.kernel.soft import Layer, Model, Norm, Token, layers_of

Table = Mapping[str, Any]
LONGEST, LONGEST_WORD, LARGEST_C, LARGEST_WEIGHT = 64, 16, 1 << 14, 16
DIGITS = 6


def rounded(value: Fraction, up: bool | None) -> str:
    """Six significant digits of a number, rounded up, down or to the nearest (None)."""
    power = len(str(abs(value.numerator))) - len(str(value.denominator)) - DIGITS
    while abs(value) >= Fraction(10) ** (power + DIGITS):
        power += 1
    scaled = value / Fraction(10) ** power + (Fraction(1, 2) if up is None else 0)
    digits = (
        -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    )
    return format(Decimal(digits).scaleb(power).normalize(), "g")


def near(what: str, stated: object, found: Norm, up: bool | None) -> None:
    """Refuse a decimal that is not the rounded value; at a tie either end of the interval may be."""
    if stated not in {rounded(end, up) for end in found}:
        raise Refused(f"{what}: stated {abbreviate(stated)}, found {rounded(found[0], up)}")


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
    before: list[Norm] = [(Fraction(0), Fraction(0)), *errors[:-1]]
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
    found: list[Norm] = [(Fraction(0), Fraction(0))]
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
def leak(lengths: list[int], factors: list[Fraction], certificate: Table) -> Recomputed:
    """0 < leak ≤ (2T-1) exp(-C(1-cos(π/T))) on a grid."""
    stated = list_in(certificate["values"], "leaks")
    grid = [(size, c * size * size) for size in lengths for c in factors]
    agree("number of leaks", len(stated), len(grid))
    for (size, saturation), value in zip(grid, stated, strict=True):
        if size & (size - 1):
            raise Refused(f"length {size}, expected a power of two")
        found = Model(1, size, constant(str(saturation))).leak
        gap = 1 - interval.cos_pi(Fraction(1, size), 128)[1]
        ceiling = (2 * size - 1) * interval.exp(-saturation * gap, 128)[0]
        if found[0] <= 0 or found[1] > ceiling:
            raise Refused(f"T = {size}, C = {saturation}: the leak is not within its ceiling")
        near("leak", value, found, up=True)
    return Recomputed(True, {"leaks": stated})


@confirms(
    "soft.error", "enclosure",
    letters=LETTERS, word=str, saturation=constant, layer=(1, 4), against=SIDES,
)  # fmt: skip
def error(
    letters: dict[str, Fraction], word: str, saturation: Fraction, layer: int, against: str,
    certificate: Table,
) -> Recomputed:  # fmt: skip
    """One state, one layer: the error against one right side."""
    largest, tokens = one_state(letters, word)
    layers = layers_of(tuple(tokens), saturation)
    if layer > len(layers):
        raise Refused(f"layer {layer}, expected one of {len(layers)}")
    found, bound = layers[layer - 1].error, right_sides(largest, layers)[against][layer - 1]
    holds = at_most(found, bound)
    values = certificate["values"]
    only(values, {"error", "bound"} if holds else {"error", "bound", "ratio"})
    near("error", values["error"], found, up=holds)
    near("bound", values["bound"], bound, up=not holds)
    if holds:
        return Recomputed(True, values)
    near("ratio", values["ratio"], (found[0] / bound[1], found[1] / bound[0]), up=False)
    place = {"word": word, "C": str(saturation), "layer": layer}
    return Recomputed(False, values, {**place, **values})


@confirms(
    "soft.states", "enclosure",
    alpha=weight, weight=weight, word=str, saturation=constant, factor=("1", "readout"),
)  # fmt: skip
def states(
    alpha: Fraction, weight: Fraction, word: str, saturation: Fraction, factor: str,
    certificate: Table,
) -> Recomputed:  # fmt: skip
    """One state: the Frobenius norm of the states' errors against a factor times ε_tot."""
    _, tokens = one_state(dict.fromkeys(word, weight), word)
    model = Model(1, len(tokens), saturation)
    *_, (last, _) = model.layers(tokens)
    root = interval.sqrt(Fraction(len(tokens) + 1), 160)
    ends = [abs(alpha) * end if factor == "readout" else Fraction(1) for end in root]
    found = model.state_error([alpha], tokens)
    bound = ends[0] * last.error[0], ends[1] * last.error[1]
    holds, values = at_most(found, bound), certificate["values"]
    only(values, {"states", "products"})
    near("states", values["states"], found, up=holds)
    near("products", values["products"], bound, up=not holds)
    place = {"word": word, "C": str(saturation)}
    return Recomputed(holds, values, None if holds else {**place, **values})


def curves(
    certificate: Table, labels: Sequence[str], x: Sequence[str], found: Sequence[Sequence[Norm]]
) -> None:
    """Refuse curves whose labels, places or heights are not those found."""
    only(certificate["values"], {"curves"})
    stated = list_in(certificate["values"], "curves")
    agree("curves", [curve.get("label") for curve in stated], list(labels))
    for curve, values in zip(stated, found, strict=True):
        only(curve, {"label", "x", "y"})
        agree("places", curve["x"], list(x))
        agree("number of points", len(curve["y"]), len(values))
        for value, norm in zip(curve["y"], values, strict=True):
            near(curve["label"], value, norm, up=False)


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
def ratios(
    weights: list[Fraction], lengths: list[int], factor: Fraction, certificate: Table
) -> Recomputed:
    """One state, C = factor · T²: error over the printed bound, for weights and lengths."""
    found: list[tuple[Fraction, int, Norm]] = []
    for value in weights:
        for size in lengths:
            layers = layers_of(((value,),) * size, constant(str(factor * size * size)))
            bound = right_sides(abs(value), layers)["printed"][-1]
            above = layers[-1].error
            found.append((value, size, (above[0] / bound[1], above[1] / bound[0])))
    heights = [[norm for value, _, norm in found if value == each] for each in weights]
    labels = [f"weight {value}" for value in weights]
    curves(certificate, labels, [str(size) for size in lengths], heights)
    worst = max(found, key=lambda item: item[2][0])
    if worst[2][0] <= 1:
        return Recomputed(
            all(at_most(n, (Fraction(1),) * 2) for *_, n in found), certificate["values"]
        )
    witness = certificate["witness"] or {}
    near("ratio", witness.get("ratio"), worst[2], up=False)
    shown = {"weight": str(worst[0]), "T": worst[1], "ratio": witness["ratio"]}
    return Recomputed(False, certificate["values"], shown)


@confirms("soft.grows", "enclosure", weight=weight, saturation=constant, lengths=lengths(32, 2))
def grows(
    weight: Fraction, saturation: Fraction, lengths: list[int], certificate: Table
) -> Recomputed:
    """One state at a fixed C: the error more than doubles from length to length."""
    errors = [layers_of(((weight,),) * t, saturation)[-1].error for t in lengths]
    stated = list_in(certificate["values"], "errors", len(lengths), len(lengths))
    for given, found in zip(stated, errors, strict=True):
        near("error", given, found, up=False)
    holds = not any(at_most(two, (2 * one[0], 2 * one[1])) for one, two in pairwise(errors))
    values = {"errors": stated}
    return Recomputed(holds, values, None if holds else values)
