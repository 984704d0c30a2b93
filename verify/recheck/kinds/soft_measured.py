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
from verify.recheck.errors import Recomputed, Refused, abbreviate, agree, fraction, list_in, only
from verify.recheck.kernel import interval
from verify.recheck.kernel.activation import product_error
from verify.recheck.kernel.soft import (
    Layer,
    Model,
    Norm,
    Token,
    fixed,
    identity,
    layers_of,
    product,
    span,
    spectral,
)
from verify.recheck.kernel.unit_series import POINT, Units
from verify.recheck.kinds.soft_attention import (
    DIGITS,
    add,
    at_most,
    corrected_sides,
    near,
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

    @cached_property
    def constants(self) -> list[int]:
        """C at each decade."""
        return [constant(k, len(self.word)) for k in self.decades]

    @property
    def layers(self) -> list[tuple[Layer, ...]]:
        """The layers at each C, with exact products."""
        return [layers_of(tuple(self.tokens), Fraction(c)) for c in self.constants]

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

    def ratio(self) -> Norm:
        """Error over Equation (1)'s bound at the largest C."""
        (low, high), (bound, _) = self.layers[-1][-1].error, self.sides(self.layers[-1])
        return low / bound[1], high / bound[0]

    @cached_property
    def stages(self) -> list[list[Token]]:
        """The exact tokens before each layer and after the last."""
        size = span(len(self.tokens))
        one: Token = identity(self.n)
        found = [[one] * size + self.tokens + [one] * (size - len(self.tokens))]
        while len(found) <= (size - 1).bit_length():
            back, last = 1 << (len(found) - 1), found[-1]
            found.append([product(last[t - back], last[t]) for t in range(2 * size)])
        return found

    @property
    def radius(self) -> Fraction:
        """The domain of the MLPs: twice the largest entry that a layer reads, and 1."""
        read = self.stages[:-1]
        largest = max(abs(entry) for tokens in read for token in tokens for entry in token)
        return Fraction(-(-2 * largest // 1) + 1)


def constant(decades: int, length: int) -> int:
    """The least integer C with C (1 - cos(π/M)) ≥ k ln 10."""
    low, high = gap(length)
    ends = [
        -(-decades * log / each // 1)
        for log, each in zip(interval.log(Fraction(10), 96), (high, low), strict=True)
    ]
    if ends[0] != ends[1]:
        raise Refused(f"C for 10^-{decades} is not decided")
    return int(ends[0])


def gap(length: int, bits: int = 128) -> Norm:
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
    one = 1 << DERIVED
    norms = [spectral([fixed(entry, DERIVED) for entry in token]) for token in tokens]
    return Fraction(max(n[0] for n in norms), one), Fraction(max(n[1] for n in norms), one)


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
    values = certificate["values"]
    if against == "corrected":
        for line in found:
            for layers in line.layers:
                _keeps(line, layers, (Fraction(0), Fraction(0)))
        _drawing(values, found, length, mlps)
        return Recomputed(True, values)
    if against == "rate":
        return _rates(values, found, length)
    only(values, {"ratios"})
    agree("automata", sorted(values["ratios"]), sorted(line.name for line in found))
    for line in found:
        near(f"ratio of {line.name}", values["ratios"][line.name], line.ratio(), up=False)
    worst = max(found, key=lambda line: line.ratio()[0])
    if worst.ratio()[0] <= 1:
        return Recomputed(all(at_most(line.ratio(), (Fraction(1),) * 2) for line in found), values)
    shown = {
        "automaton": worst.name,
        "word": worst.word,
        "T": length,
        "C": str(worst.constants[-1]),
    }
    return Recomputed(False, values, {**shown, "ratio": values["ratios"][worst.name]})


def _keeps(line: Line, layers: Sequence[Layer], mlp: Norm) -> None:
    sides = corrected_sides(layers, mlp)
    if not all(at_most(x.error, y) for x, y in zip(layers, sides, strict=True)):
        raise Refused(f"{line.name}: a layer errs by more than the corrected bound")


def _rates(values: Table, found: Sequence[Line], length: int) -> Recomputed:
    only(values, {"misses", "bounds"})
    for each in values:
        agree("automata", sorted(values[each]), sorted(line.name for line in found))
    pairs = {line.name: falls(line, gap(length, DERIVED)) for line in found}
    for name, row in pairs.items():
        for column, each in enumerate(("misses", "bounds")):
            stated = values[each][name]
            agree(f"number of {each}", len(stated), len(row))
            for text, pair in zip(stated, row, strict=True):
                near(f"{each} of {name}", text, pair[column], up=each == "bounds")
        if not all(at_most(miss, bound) for miss, bound in row):
            return Recomputed(False, values, {"automaton": name})
    return Recomputed(True if all(pairs.values()) else None, values)


def falls(line: Line, g: Norm) -> list[tuple[Norm, Norm]]:
    """|-Δ ln(error) / (g ΔC) - 1| between neighbouring C, and its bound, where there is one."""
    stages, size = first_order(line), span(len(line.word))
    ends = [
        (c, _log(layers[-1].error), derived(stages, c, size))
        for c, layers in zip(line.constants, line.layers, strict=True)
    ]
    found = []
    for (c, one, before), (d, two, after) in pairwise(ends):
        if before is None or after is None:
            continue
        whole = g[0] * (d - c), g[1] * (d - c)
        low, high = (one[0] - two[1]) / whole[1] - 1, (one[1] - two[0]) / whole[0] - 1
        both = add(before, after)
        miss = max(low, -high, Fraction(0)), max(high, -low)
        found.append((miss, (both[0] / whole[1], both[1] / whole[0])))
    return found


def _log(value: Norm) -> Norm:
    """The logarithm of a positive interval."""
    return interval.log(value[0], LOGARITHM)[0], interval.log(value[1], LOGARITHM)[1]


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


def _drawing(
    values: Table, found: Sequence[Line], length: int, mlps: Sequence[tuple[str, str]]
) -> None:
    only(values, {"drawing"})
    drawing = values["drawing"]
    only(drawing, {"length", "panels"})
    agree("length", drawing["length"], length)
    panels = list_in(drawing, "panels", len(found), len(found))
    for panel, line in zip(panels, found, strict=True):
        only(
            panel, {"label", "states", "norm", "word", "C", "error", "printed", "corrected", "mlps"}
        )
        shown = [panel[name] for name in ("label", "word", "states")]
        agree("automaton", shown, [line.name, line.word, line.n])
        agree("C", panel["C"], [str(c) for c in line.constants])
        near("norm", panel["norm"], line.largest, up=True)
        sides = [line.sides(layers) for layers in line.layers]
        columns = {
            "error": ([layers[-1].error for layers in line.layers], False),
            "printed": ([printed for printed, _ in sides], True),
            "corrected": ([corrected for _, corrected in sides], False),
        }
        for name, (norms, up) in columns.items():
            agree(f"number of {name}", len(panel[name]), len(norms))
            for stated, norm in zip(panel[name], norms, strict=True):
                near(name, stated, norm, up)
        agree("number of MLPs", len(list_in(panel, "mlps", 0)), len(mlps))
        for stated, (activation, eps) in zip(panel["mlps"], mlps, strict=True):
            _floor(stated, line, activation, eps)


FLOOR = (
    "activation",
    "eps",
    "step",
    "scale",
    "proven",
    "C",
    "error",
    "mlp",
    "printed",
    "corrected",
)


def _floor(stated: Table, line: Line, activation: str, eps: str) -> None:
    """The runs with one MLP: its error is bounded anew, its units are summed anew."""
    only(stated, set(FLOOR))
    agree("MLP", (stated["activation"], stated["eps"]), (activation, eps))
    units = Units(fraction(stated["step"]), fraction(stated["scale"]))
    if not units.scale or units.step.numerator != 1 or units.step > 1:
        raise Refused("step, scale: out of range")
    least, bound, most = (
        line.n**2 * product_error(activation, POINT, units.step, units.scale, line.radius, widened)
        for widened in (0, 1, 2)
    )
    if not least <= decimal(stated["proven"]) <= decimal(rounded(most, up=True)):
        raise Refused(f"proven: {abbreviate(stated['proven'])}, found {rounded(bound, up=True)}")
    if bound > line.n * fraction(eps):
        raise Refused(f"the MLP is not shown to be within {eps}")
    constants = [constant(k, len(line.word)) for k in near_digits(eps, line.decades)]
    agree("C", stated["C"], [str(c) for c in constants])
    for name in FLOOR[6:]:
        agree(f"number of {name}", len(stated[name]), len(constants))
    for i, c in enumerate(constants):
        layers = line.with_units(c, units)
        _keeps(line, layers, (bound, bound))
        printed, corrected = line.sides(layers)
        near("error", stated["error"][i], layers[-1].error, up=False)
        measured_near("mlp", stated["mlp"][i], layers[-1].mlp)
        measured_near("printed", stated["printed"][i], printed)
        measured_near("corrected", stated["corrected"][i], corrected)


def measured_near(what: str, stated: object, found: Norm) -> None:
    """Refuse a decimal that is not the nearest to a number, as floats know it."""
    near(what, stated, (found[0] * (1 - FLOATS), found[1] * (1 + FLOATS)), up=None)


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
