"""Confirms the measured errors of Theorem 2's model by a plain pass in fixed-point intervals.

soft.measured   errors, right sides and ratios, with exact products and with tanh MLPs, whose units are
                summed by their Taylor series; how closely the error falls like exp(-C g)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import pairwise
from math import isqrt
from typing import Any

from verify.recheck.declarations import ByName, Rising, confirms
from verify.recheck.errors import OneOf, Recomputed, Refused, abbreviate, agree, fraction
from verify.recheck.kernel import interval
from verify.recheck.kernel.activation import product_error
from verify.recheck.kernel.fixed import fixed, rational
from verify.recheck.kernel.soft import (
    ZERO,
    Layer,
    Model,
    Norm,
    Token,
    exact_stages,
    layers_of,
    product,
    span,
    spectral,
)
from verify.recheck.kernel.unit_series import POINT, Units
from verify.recheck.kinds.soft_attention import (
    DIGITS,
    ONE,
    add,
    at_most,
    corrected_sides,
    digits,
    ratio,
    rounded,
    step,
    transitions,
)

Table = Mapping[str, Any]
AGAINST = ("corrected", "printed", "rate")
BEYOND = 12  # decades of C beyond the digits of ε_mlp
FLOATS = Fraction(1, 1 << 36)  # measured norms are taken in floats
DERIVED, LOGARITHM = 384, 192  # bits in which the bounds of the rate are taken, and logarithms
MATRICES = partial(transitions, name="automata", letters=4, states=3)


def power_of_ten(given: object) -> str:
    """ε = 10^-k as text."""
    if fraction(given) != Fraction(1, 10 ** (len(str(given)) - len("1/1"))):
        raise Refused(f"{abbreviate(given)}, expected 1/10^k")
    return str(given)


def mlp(given: object) -> tuple[str, str]:
    """The activation tanh, and ε = 10^-k as text."""
    if not isinstance(given, list) or len(given) != 2 or given[0] != "tanh":
        raise Refused(f"{abbreviate(given)}, expected tanh and a number")
    return given[0], power_of_ten(given[1])


def near_digits(eps: str, decades: Sequence[int]) -> list[int]:
    """The decades of C at which the floor of an MLP is looked at."""
    k = len(eps) - len("1/1")
    return [each for each in decades if k <= 2 * each and each <= k + BEYOND]


@cache
def least_constant(decades: int, gap: Norm) -> int:
    """The least integer C with C g ≥ k ln 10, g the gap between scores."""
    low, high = ratio(interval.log(Fraction(10), 96), gap)
    ends = {-(-decades * end // 1) for end in (low, high)}
    if len(ends) > 1:
        raise Refused(f"C for 10^-{decades} is not decided")
    return int(ends.pop())


def slope_misses(constants: Sequence[int], errors: Sequence[Norm], gap: Norm) -> list[Norm]:
    """|-Δ ln(error) / (g ΔC) - 1| between neighbouring C."""
    logs = [
        (interval.log(low, LOGARITHM)[0], interval.log(high, LOGARITHM)[1]) for low, high in errors
    ]
    found = []
    for (c, one), (d, two) in pairwise(zip(constants, logs, strict=True)):
        low = (one[0] - two[1]) / (gap[1] * (d - c)) - 1
        high = (one[1] - two[0]) / (gap[0] * (d - c)) - 1
        found.append((max(low, -high, Fraction(0)), max(high, -low)))
    return found


def downwards(norms: Sequence[Norm]) -> list[OneOf]:
    """Numbers, rounded down."""
    return [rounded(norm, up=False) for norm in norms]


@dataclass(frozen=True)
class Line:
    """One automaton on one word: its decades, and the largest norm of a letter."""

    name: str
    word: str
    tokens: list[Token]
    largest: Norm
    decades: Sequence[int]

    @property
    def n(self) -> int:
        """The number of states."""
        return isqrt(len(self.tokens[0]))

    def constants(self, decades: Sequence[int] | None = None) -> list[int]:
        """C at each decade, or at some of them."""
        gap = score_gap(len(self.word))
        return [least_constant(k, gap) for k in (self.decades if decades is None else decades)]

    @property
    def layers(self) -> list[tuple[Layer, ...]]:
        """The layers at each C, with exact products."""
        return [layers_of(tuple(self.tokens), Fraction(c)) for c in self.constants()]

    def with_units(self, saturation: int, units: Units) -> list[Layer]:
        """The layers at one C with an MLP."""
        known = layers_of(tuple(self.tokens), Fraction(saturation))
        model = Model(self.n, len(self.word), Fraction(saturation), units.bits)
        return [*model.layers_with_units(self.tokens, units, known)]

    def sides(self, layers: Sequence[Layer]) -> tuple[Norm, Norm]:
        """Equation (1) iterated from the attention error of layer 1, and the corrected recursion."""
        factor = 2 * self.largest[0], 2 * self.largest[1]
        printed = layers[0].attention
        for layer in layers:
            printed = add(step(factor, printed), layer.mlp)
        return printed, corrected_sides(layers)[-1]

    @cached_property
    def ratio(self) -> Norm:
        """Error over Equation (1)'s bound at the largest C."""
        last = self.layers[-1]
        return ratio(last[-1].error, self.sides(last)[0])

    @property
    def stages(self) -> list[list[Token]]:
        """The exact tokens before each layer and after the last."""
        return exact_stages(tuple(self.tokens))

    @property
    def radius(self) -> Fraction:
        """The domain of the MLPs: twice the largest entry that a layer reads, and 1."""
        read = self.stages[:-1]
        largest = max(abs(entry) for tokens in read for token in tokens for entry in token)
        return Fraction(-(-2 * largest // 1) + 1)


@cache
def score_gap(length: int, bits: int = 128) -> Norm:
    """1 - cos(π/M)."""
    low, high = interval.cos_pi(Fraction(1, span(length)), bits)
    return 1 - high, 1 - low


def lines(
    automata: Mapping[str, dict[str, Token]],
    words: Mapping[str, str],
    length: int,
    decades: Sequence[int],
) -> list[Line]:
    """Every automaton on its word."""
    agree("words", sorted(words), sorted(automata))
    found = []
    for name, letters in automata.items():
        word = words[name]
        if len(word) != length or not set(word) <= set(letters):
            raise Refused(f"words: {abbreviate(word)}, expected {length} letters of {name}")
        norms = largest_norm([*letters.values()])
        found.append(Line(name, word, [letters[letter] for letter in word], norms, decades))
    return found


def largest_norm(tokens: Sequence[Token]) -> Norm:
    """The largest spectral norm of some rational matrices."""
    norms = [spectral([fixed(entry, DERIVED) for entry in token]) for token in tokens]
    return rational((max(n[0] for n in norms), max(n[1] for n in norms)), DERIVED)


@confirms(
    "soft.measured", "enclosure",
    automata=ByName(MATRICES, 1, 10), words=ByName(str, 1, 10), length=(2, 16),
    decades=Rising((1, 64), 2, 16), mlps=[mlp, 0, 6], against=AGAINST,
)  # fmt: skip
def measured(
    automata: dict[str, dict[str, Token]], words: dict[str, str], length: int, decades: list[int],
    against: str, certificate: Table, mlps: Sequence[tuple[str, str]] = (),
) -> Recomputed:  # fmt: skip
    """The runs again, against one right side or the rate."""
    found = lines(automata, words, length, decades)
    if against == "rate":
        return rates(found, length)
    if against == "printed":
        return printed_ratios(found)
    stated = certificate["values"]["drawing"]["panels"] if mlps else [{"mlps": ()}] * len(found)
    panels = [panel(*each, mlps) for each in zip(found, stated, strict=True)]
    return Recomputed(True, {"drawing": {"length": length, "panels": panels}})


def printed_ratios(found: Sequence[Line]) -> Recomputed:
    """Errors over Equation (1)'s bounds; it fails where one is above."""
    values = {"ratios": {line.name: rounded(line.ratio, up=False) for line in found}}
    worst = max(found, key=lambda line: line.ratio[0])
    if worst.ratio[0] <= 1:
        return Recomputed(all(at_most(line.ratio, ONE) for line in found), values)
    place = {"automaton": worst.name, "word": worst.word, "T": len(worst.word)}
    place["C"] = str(worst.constants()[-1])
    return Recomputed(False, values, {**place, "ratio": values["ratios"][worst.name]})


def check_corrected(line: Line, layers: Sequence[Layer], mlp: Norm = ZERO) -> None:
    """Refuse layers that err by more than the corrected recursion."""
    sides = corrected_sides(layers, mlp)
    if not all(at_most(x.error, y) for x, y in zip(layers, sides, strict=True)):
        raise Refused(f"{line.name}: a layer errs by more than the corrected bound")


def rates(found: Sequence[Line], length: int) -> Recomputed:
    """Compare the slopes of ln(error) with -g, within the derived bounds."""
    pairs = {line.name: falls(line, score_gap(length, DERIVED)) for line in found}
    values = {
        "misses": {name: downwards([miss for miss, _ in row]) for name, row in pairs.items()},
        "bounds": {
            name: [rounded(bound, up=True) for _, bound in row] for name, row in pairs.items()
        },
    }
    for name, row in pairs.items():
        if not all(at_most(miss, bound) for miss, bound in row):
            return Recomputed(False, values, {"automaton": name})
    return Recomputed(True if all(pairs.values()) else None, values)


def falls(line: Line, gap: Norm) -> list[tuple[Norm, Norm]]:
    """Each miss of the slope -g of ln(error), and its bound, where there is one."""
    stages, size, constants = first_order(line), span(len(line.word)), line.constants()
    misses = slope_misses(constants, [layers[-1].error for layers in line.layers], gap)
    found, ends = [], [(c, derived(stages, c, size)) for c in constants]
    for ((c, before), (d, after)), miss in zip(pairwise(ends), misses, strict=True):
        if before is not None and after is not None:
            both = add(before, after)
            found.append((miss, (both[0] / (gap[1] * (d - c)), both[1] / (gap[0] * (d - c)))))
    return found


def first_order(line: Line) -> list[tuple[Norm, Norm, Norm]]:
    """For each layer the largest norms of x, K and Lx + K; for the end those of x, K and K.

    To first order attention leaks exp(-C g) (Lx)_t, (Lx)_t = x_(t-1) + x_(t+1) - 2 x_t, and the layer before
    errs by exp(-C g) K. The next K is x_(t-s) (Lx + K)_t + (Lx + K)_(t-s) x_t.
    """
    count, found = len(line.stages[0]), []
    k: list[Token] = [(Fraction(0),) * line.n**2] * count
    for layer, x in enumerate(line.stages[:-1]):
        back = 1 << layer
        leaked = [_leaked(x[t - 1], x[(t + 1) % count], x[t], k[t]) for t in range(count)]
        found.append((largest_norm(x), largest_norm(k), largest_norm(leaked)))
        k = [
            _plus(product(x[t - back], leaked[t]), product(leaked[t - back], x[t]))
            for t in range(count)
        ]
    last = largest_norm(k)
    return [*found, (largest_norm(line.stages[-1]), last, last)]


def _leaked(left: Token, right: Token, own: Token, error: Token) -> Token:
    return tuple(a + b - 2 * c + d for a, b, c, d in zip(left, right, own, error, strict=True))


def _plus(a: Token, b: Token) -> Token:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def derived(stages: Sequence[tuple[Norm, Norm, Norm]], saturation: int, size: int) -> Norm | None:
    """A bound on |ln error + C g - ln ‖K‖|; None where the rest is not below the first order.

    With q = exp(-C g), w the other powers of a row and r the rest: after attention at most
    2μ(2q(2q+w) + w) + r + 2(2q+w)(q‖K‖ + r); after the product 2μ times that, and a square.
    """
    *layers, (_, last, _) = stages
    rests, firsts = [], []
    for side in (0, 1):
        (q, w), rest = powers(saturation, size, side), Fraction(0)
        for x, k, leaked in layers:
            read = 2 * x[side] * (2 * q * (2 * q + w) + w) + rest
            read += 2 * (2 * q + w) * (q * k[side] + rest)
            delta = q * leaked[side] + read
            rest = OUTWARDS[side](2 * x[side] * read + delta * delta, 4 * DERIVED)
        rests.append(rest)
        firsts.append(q * last[side])
    if not firsts[0] or rests[1] >= firsts[0]:
        return None
    ends = 1 - rests[0] / firsts[1], 1 - rests[1] / firsts[0]
    return -interval.log(ends[0], LOGARITHM)[1], -interval.log(ends[1], LOGARITHM)[0]


OUTWARDS = interval.down, interval.up


@cache
def powers(saturation: int, size: int, side: int) -> tuple[Fraction, Fraction]:
    """One end of q = exp(-C g), and of the sum w of exp(C (cos(πm/M) - 1)) over m = 2 … 2M - 2."""
    cosines = [interval.cos_pi(Fraction(m, size), DERIVED)[side] for m in range(1, size + 1)]
    found = [interval.exp(saturation * (cosine - 1), DERIVED)[side] for cosine in cosines]
    return found[0], 2 * sum(found[1:-1], Fraction(0)) + (found[-1] if size > 1 else 0)


def panel(line: Line, stated: Table, mlps: Sequence[tuple[str, str]]) -> Table:
    """The runs of one automaton; weights of MLPs are those that are stated."""
    for layers in line.layers:
        check_corrected(line, layers)
    sides = [line.sides(layers) for layers in line.layers]
    return {
        "label": line.name,
        "states": line.n,
        "norm": rounded(line.largest, up=True),
        "word": line.word,
        "C": [str(c) for c in line.constants()],
        "error": downwards([layers[-1].error for layers in line.layers]),
        "printed": [rounded(printed, up=True) for printed, _ in sides],
        "corrected": downwards([corrected for _, corrected in sides]),
        "mlps": [floor(line, *each) for each in zip(stated["mlps"], mlps, strict=True)],
    }


def floor(line: Line, stated: Table, mlp: tuple[str, str]) -> Table:
    """The runs with one MLP: its error is bounded anew, its units are summed anew."""
    activation, eps = mlp
    units = Units(fraction(stated["step"]), fraction(stated["scale"]))
    if not units.scale or units.step.numerator != 1 or units.step > 1:
        raise Refused("step, scale: out of range")
    least, bound, most = (
        line.n**2 * product_error(activation, POINT, units.step, units.scale, line.radius, widened)
        for widened in (0, 1, 2)
    )
    if not least <= decimal(stated["proven"]) <= decimal(digits(most, up=True)):
        raise Refused(f"proven: {abbreviate(stated['proven'])}, found {digits(bound, up=True)}")
    if bound > line.n * fraction(eps):
        raise Refused(f"the MLP is not shown to be within {eps}")
    constants = line.constants(near_digits(eps, line.decades))
    runs = [line.with_units(c, units) for c in constants]
    for layers in runs:
        check_corrected(line, layers, (bound, bound))
    sides = [line.sides(layers) for layers in runs]
    return {
        "activation": activation,
        "eps": eps,
        "step": str(units.step),
        "scale": str(units.scale),
        "proven": stated["proven"],
        "C": [str(c) for c in constants],
        "error": downwards([layers[-1].error for layers in runs]),
        "mlp": [in_floats(layers[-1].mlp) for layers in runs],
        "printed": [in_floats(printed) for printed, _ in sides],
        "corrected": [in_floats(corrected) for _, corrected in sides],
    }


def in_floats(found: Norm) -> OneOf:
    """The decimal nearest to a number, as floats know it."""
    return rounded((found[0] * (1 - FLOATS), found[1] * (1 + FLOATS)), up=None)


def decimal(text: object) -> Fraction:
    """A decimal in its shortest form."""
    try:
        value = Decimal(text) if isinstance(text, str) and len(text) < 40 else Decimal("nan")
    except ArithmeticError:
        value = Decimal("nan")
    short = value.is_finite() and len(value.as_tuple().digits) <= DIGITS
    if not short or format(value.normalize(), "g") != text:
        raise Refused(f"{abbreviate(text)}: expected at most {DIGITS} digits in the shortest form")
    return Fraction(value)
