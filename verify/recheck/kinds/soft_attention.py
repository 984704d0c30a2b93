"""Confirms the errors of soft attention by a plain pass in fixed-point intervals.

Comparisons are decided by these intervals alone. Stated decimals have six digits, rounded to the
side on which a comparison stays certain; each must be the rounded value of the interval found here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.errors import Answer, Refused, agree, brief, fraction, listed, only, text
from verify.recheck.kernel import interval
from verify.recheck.kernel.soft import Layer, Model, Norm, Token, identity

Table = Mapping[str, Any]
LONGEST, LARGEST_C, LARGEST_WEIGHT = 64, 1 << 14, 16
DIGITS = 6
ABOVE = ("Equation (1) as printed",)  # a bound that is exceeded is rounded up
SWEPT = (
    "error, enclosed by arb",
    "error, measured by mpmath",
    "Equation (1) as printed",
    "corrected recursion",
)


def rounded(value: Fraction, up: bool) -> str:
    """Six significant digits of a number, rounded up or down."""
    if value == 0:
        return "0"
    power = len(str(abs(value.numerator))) - len(str(value.denominator)) - DIGITS
    while abs(value) >= Fraction(10) ** (power + DIGITS):
        power += 1
    scaled = value / Fraction(10) ** power
    digits = (
        -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    )
    return format(Decimal(digits).scaleb(power).normalize(), "g")


def near(what: str, stated: object, found: Norm, up: bool) -> None:
    """Refuse a decimal that is not the rounded value; at a tie either end of the interval may be."""
    if stated not in {rounded(end, up) for end in found}:
        raise Refused(f"{what}: stated {brief(stated)}, found {rounded(found[0], up)}")


def constant(value: object) -> Fraction:
    """A saturating constant that is not too large to run again."""
    found = fraction(value)
    if not 0 < found <= LARGEST_C:
        raise Refused(f"C = {brief(value)}, expected a number from 0 to {LARGEST_C}")
    return found


def weight(value: object) -> Fraction:
    """A weight of an automaton that is not too large."""
    found = fraction(value)
    if abs(found) > LARGEST_WEIGHT or found.denominator > 1000:
        raise Refused(f"weight {brief(value)}: expected a number of size at most {LARGEST_WEIGHT}")
    return found


def length(value: object, most: int = LONGEST) -> int:
    """A length T."""
    if type(value) is not int or not 1 <= value <= most:
        raise Refused(f"length {brief(value)}, expected an integer from 1 to {most}")
    return value


def lengths(parameters: Table, most: int = LONGEST) -> list[int]:
    """Lengths, increasing."""
    found = [length(value, most) for value in listed(parameters, "lengths", 1, 12)]
    if found != sorted(set(found)):
        raise Refused("lengths: expected an increasing list")
    return found


def constants(parameters: Table, name: str = "constants") -> list[Fraction]:
    """Values of C, increasing."""
    found = [constant(value) for value in listed(parameters, name, 1, 16)]
    if found != sorted(set(found)):
        raise Refused(f"{name}: expected an increasing list")
    return found


def one_state(parameters: Table, most: int = 16) -> tuple[Fraction, list[Token]]:
    """max |weight| of the automaton with one state, and the tokens of the word."""
    letters = parameters.get("letters")
    if not isinstance(letters, dict) or not 1 <= len(letters) <= 8:
        raise Refused("letters: expected one to eight letters with their weights")
    weights = {letter: weight(value) for letter, value in letters.items()}
    word = text(parameters, "word")
    length(len(word), most)
    if unknown := set(word) - set(weights):
        raise Refused(f"word: {brief(min(unknown))} has no weight")
    return max(abs(w) for w in weights.values()), [(weights[letter],) for letter in word]


def run(tokens: Sequence[Token], saturation: Fraction) -> list[Layer]:
    """The layers of the soft model on a word."""
    model = Model(1, len(tokens), saturation)
    return [layer for layer, _ in model.layers(tokens)]


def step(factor: Norm, delta: Norm) -> Norm:
    """factor · δ + δ²."""
    low, high = (f * d + d * d for f, d in zip(factor, delta, strict=True))
    return low, high


def right_sides(largest: Fraction, layers: Sequence[Layer]) -> dict[str, list[Norm]]:
    """The right sides of Equation (1) in three readings, and of the corrected recursion."""
    factor = (2 * largest, 2 * largest)
    errors = [layer.error for layer in layers]
    before: list[Norm] = [(Fraction(0), Fraction(0)), *errors[:-1]]
    printed, corrected = [layers[0].attention], [before[0]]
    for layer in layers:
        printed.append(step(factor, printed[-1]))
        norm = 2 * layer.norm[0], 2 * layer.norm[1]
        corrected.append(step(norm, _sum(corrected[-1], layer.attention)))
    return {
        "printed": printed[1:],
        "stepwise": [step(factor, e) for e in [layers[0].attention, *errors[:-1]]],
        "redefined": [
            step(factor, _sum(e, layer.incoming)) for e, layer in zip(before, layers, strict=True)
        ],
        "corrected": corrected[1:],
    }


def _sum(one: Norm, other: Norm) -> Norm:
    return one[0] + other[0], one[1] + other[1]


def at_most(error: Norm, bound: Norm) -> bool:
    """Whether a number is at most another one; overlapping intervals are refused."""
    if error[1] <= bound[0]:
        return True
    if error[0] > bound[1]:
        return False
    raise Refused("the intervals overlap: nothing is decided")


def leak(parameters: Table, certificate: Table) -> Answer:
    """0 < leak ≤ (2T-1) exp(-C(1-cos(π/T))) on a grid."""
    only(parameters, {"lengths", "factors"})
    factors = [fraction(value) for value in listed(parameters, "factors", 1, 8)]
    stated = listed(certificate["values"], "leaks")
    grid = [(size, c * size * size) for size in lengths(parameters) for c in factors]
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
    return Answer(True, {"leaks": stated})


def error(parameters: Table, certificate: Table) -> Answer:
    """One state, one layer: the error against one right side."""
    only(parameters, {"letters", "word", "saturation", "layer", "against"})
    largest, tokens = one_state(parameters)
    layers = run(tokens, constant(parameters["saturation"]))
    number, against = parameters["layer"], text(parameters, "against")
    sides = right_sides(largest, layers)
    if type(number) is not int or not 1 <= number <= len(layers) or against not in sides:
        expected = f"expected one of {len(layers)}, against {', '.join(sides)}"
        raise Refused(f"layer {brief(number)} against {brief(against)}, {expected}")
    found, bound = layers[number - 1].error, sides[against][number - 1]
    holds = at_most(found, bound)
    values = certificate["values"]
    only(values, {"error", "bound"} if holds else {"error", "bound", "ratio"})
    near("error", values["error"], found, up=holds)
    near("bound", values["bound"], bound, up=not holds)
    if holds:
        return Answer(True, values)
    near("ratio", values["ratio"], (found[0] / bound[1], found[1] / bound[0]), up=False)
    place = {"word": parameters["word"], "C": parameters["saturation"], "layer": number}
    return Answer(False, values, {**place, **values})


def states(parameters: Table, certificate: Table) -> Answer:
    """One state: the Frobenius norm of the states' errors against a factor times ε_tot."""
    only(parameters, {"alpha", "weight", "word", "saturation", "factor"})
    alpha, word = weight(parameters["alpha"]), text(parameters, "word")
    letters = dict.fromkeys(word, parameters["weight"])
    _, tokens = one_state({"letters": letters, "word": word})
    model = Model(1, len(tokens), constant(parameters["saturation"]))
    *_, (last, _) = model.layers(tokens)
    root = interval.sqrt(Fraction(len(tokens) + 1), 160)
    factors = {
        "1": (Fraction(1), Fraction(1)),
        "readout": (abs(alpha) * root[0], abs(alpha) * root[1]),
    }
    if parameters["factor"] not in factors:
        raise Refused(f"factor {brief(parameters['factor'])}, expected '1' or 'readout'")
    factor = factors[parameters["factor"]]
    found = model.state_error([alpha], tokens)
    bound = factor[0] * last.error[0], factor[1] * last.error[1]
    holds, values = at_most(found, bound), certificate["values"]
    only(values, {"states", "products"})
    near("states", values["states"], found, up=holds)
    near("products", values["products"], bound, up=not holds)
    place = {"word": word, "C": parameters["saturation"]}
    return Answer(holds, values, None if holds else {**place, **values})


def sweep(parameters: Table, certificate: Table) -> Answer:
    """One state: at each C all layers keep the corrected bound; the curves are as stated."""
    only(parameters, {"letters", "word", "constants"})
    largest, tokens = one_state(parameters)
    found: list[list[Norm]] = [[] for _ in SWEPT]
    for saturation in constants(parameters):
        layers = run(tokens, saturation)
        sides = right_sides(largest, layers)
        for layer, bound in zip(layers, sides["corrected"], strict=True):
            if not at_most(layer.error, bound):
                raise Refused(f"C = {saturation}: a layer errs by more than the corrected bound")
        last = layers[-1].error
        points = (last, last, sides["printed"][-1], sides["corrected"][-1])
        for curve, value in zip(found, points, strict=True):
            curve.append(value)
    curves(certificate, SWEPT, parameters["constants"], found)
    return Answer(True, certificate["values"])


def curves(
    certificate: Table, labels: Sequence[str], x: Sequence[str], found: Sequence[Sequence[Norm]]
) -> None:
    """Refuse curves whose labels, places or heights are not those found."""
    only(certificate["values"], {"curves"})
    stated = listed(certificate["values"], "curves")
    agree("curves", [curve.get("label") for curve in stated], list(labels))
    for curve, values in zip(stated, found, strict=True):
        only(curve, {"label", "x", "y"})
        agree("places", curve["x"], list(x))
        agree("number of points", len(curve["y"]), len(values))
        for value, norm in zip(curve["y"], values, strict=True):
            near(curve["label"], value, norm, up=curve["label"] in ABOVE)


def all_words(parameters: Table, certificate: Table) -> Answer:
    """Every word of length T of an automaton with at most two states keeps the corrected bound."""
    only(parameters, {"transitions", "length", "constants"})
    letters = transitions(parameters["transitions"])
    size = length(parameters["length"], 8)
    if len(letters) ** size > 64:
        raise Refused("more than 64 words")
    words: list[list[Token]] = [[]]
    for _ in range(size):
        words = [[*word, letter] for word in words for letter in letters.values()]
    for saturation in constants(parameters):
        model = Model(order(letters), size, saturation)
        for word in words:
            if all(token == identity(model.n) for token in word):
                continue  # equal tokens: an average changes nothing, and no layer errs
            layers = [layer for layer, _ in model.layers(word)]
            bounds = right_sides(Fraction(0), layers)["corrected"]
            if not all(at_most(x.error, y) for x, y in zip(layers, bounds, strict=True)):
                raise Refused(f"C = {saturation}: a word exceeds the corrected bound")
    return Answer(True, {"words": len(words)})


def transitions(given: object) -> dict[str, Token]:
    """Matrices of one size, 1 × 1 or 2 × 2, by letter."""
    if not isinstance(given, dict) or not 1 <= len(given) <= 4:
        raise Refused("transitions: expected one to four letters")
    found: dict[str, Token] = {}
    for letter, rows in given.items():
        n = len(rows) if isinstance(rows, list) else 0
        if n not in (1, 2) or any(not isinstance(row, list) or len(row) != n for row in rows):
            raise Refused(f"transitions: {brief(letter)} has no matrix of size 1 or 2")
        found[letter] = tuple(weight(entry) for row in rows for entry in row)
    if len({len(token) for token in found.values()}) != 1:
        raise Refused("transitions: the matrices have different sizes")
    return found


def order(letters: Mapping[str, Token]) -> int:
    """The number of states, 1 or 2."""
    return 1 if len(next(iter(letters.values()))) == 1 else 2


def ratios(parameters: Table, certificate: Table) -> Answer:
    """One state, C = factor · T²: error over the printed bound, for weights and lengths."""
    only(parameters, {"weights", "lengths", "factor"})
    weights, sizes = listed(parameters, "weights", 1, 6), lengths(parameters, 16)
    factor = fraction(parameters["factor"])
    found: list[tuple[str, int, Norm]] = []
    for value in weights:
        for size in sizes:
            layers = run([(weight(value),)] * size, constant(str(factor * size * size)))
            bound = right_sides(abs(weight(value)), layers)["printed"][-1]
            above = layers[-1].error
            found.append((value, size, (above[0] / bound[1], above[1] / bound[0])))
    heights = [[norm for value, _, norm in found if value == each] for each in weights]
    labels = [f"weight {value}" for value in weights]
    curves(certificate, labels, [str(size) for size in sizes], heights)
    worst = max(found, key=lambda item: item[2][0])
    if worst[2][0] <= 1:
        return Answer(all(at_most(n, (Fraction(1),) * 2) for *_, n in found), certificate["values"])
    witness = certificate["witness"] or {}
    near("ratio", witness.get("ratio"), worst[2], up=False)
    shown = {"weight": worst[0], "T": worst[1], "ratio": witness["ratio"]}
    return Answer(False, certificate["values"], shown)


def grows(parameters: Table, certificate: Table) -> Answer:
    """One state at a fixed C: the error more than doubles from length to length."""
    only(parameters, {"weight", "saturation", "lengths"})
    sizes, value = lengths(parameters, 32), weight(parameters["weight"])
    if len(sizes) < 2:
        raise Refused("lengths: expected at least two")
    errors = [run([(value,)] * t, constant(parameters["saturation"]))[-1].error for t in sizes]
    stated = listed(certificate["values"], "errors", len(sizes), len(sizes))
    for given, found in zip(stated, errors, strict=True):
        near("error", given, found, up=False)
    doubled = [(2 * low, 2 * high) for low, high in errors]
    holds = all(not at_most(two, one) for one, two in pairwise_with(doubled, errors))
    values = {"errors": stated}
    return Answer(holds, values, None if holds else values)


def pairwise_with(doubled: Sequence[Norm], errors: Sequence[Norm]) -> list[tuple[Norm, Norm]]:
    """Twice each error beside the next error."""
    return [
        (one, two) for (one, _), (_, two) in zip(pairwise(doubled), pairwise(errors), strict=True)
    ]


CONFIRM: dict[str, tuple[str, Callable[[Table, Table], Answer]]] = {
    "softmax.leak": ("enclosure", leak),
    "soft.error": ("enclosure", error),
    "soft.states": ("enclosure", states),
    "soft.sweep": ("enclosure", sweep),
    "soft.all-words": ("enclosure", all_words),
    "soft.ratios": ("enclosure", ratios),
    "soft.grows": ("enclosure", grows),
}
