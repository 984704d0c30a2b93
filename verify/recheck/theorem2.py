"""Certificates of Theorem 2's error analysis, confirmed by integers and rationals alone.

Counterexamples run the soft model again in fixed-point intervals (`soft`); sizes, widths and
shapes are recomputed from their formulas; the derivation is expanded again in the free algebra.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

from verify.recheck import bounds
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.soft import Layer, Model, Norm, Square, span

Body = Mapping[str, Any]
LONGEST, LARGEST_C = 64, 4096


def length_of(body: Body, field: str = "length", most: int = LONGEST) -> int:
    """A length T that is not too long to run again."""
    value = integer(body, field, 1)
    if value > most:
        raise Refused(f"field {field!r} is {value}, expected at most {most}")
    return value


def saturation_of(body: Body) -> Fraction:
    """A saturating constant C that is not too large to run again."""
    value = fraction(body.get("saturation"))
    if not 0 < value <= LARGEST_C:
        raise Refused(f"saturation is {value}, expected a number from 0 to {LARGEST_C}")
    return value


def scalar_layers(body: Body) -> tuple[Fraction, list[Layer]]:
    """The layers of the one-state model on the word of T equal letters."""
    weight = fraction(body.get("weight"))
    length = length_of(body)
    model = Model(1, length, saturation_of(body))
    return weight, [layer for layer, _ in model.layers([((weight,),)] * length)]


def _chosen(body: Body, layers: Sequence[Layer], field: str = "layer") -> int:
    layer = integer(body, field, 1)
    if layer > len(layers):
        raise Refused(f"layer {layer} of {len(layers)}")
    return layer


def _right_side(reading: str, factor: Fraction, layers: Sequence[Layer], layer: int) -> Fraction:
    """An upper bound on the right side of Equation (1) at a layer, in a reading."""
    errors = [seen.error[1] for seen in layers]
    before = errors[layer - 2] if layer > 1 else layers[0].attention[1]
    if reading == "redefined":
        earlier = errors[layer - 2] if layer > 1 else Fraction(0)
        before = earlier + layers[layer - 1].incoming[1]
    if reading == "printed":
        before = layers[0].attention[1]
        for _ in range(layer - 1):
            before = factor * before + before * before
    return factor * before + before * before


def recursion(body: Body) -> str:
    """One state: at a layer the error exceeds the right side of Equation (1)."""
    only(body, {"kind", "weight", "length", "saturation", "reading", "pads", "layer", "error",
                "bound"})  # fmt: skip
    weight, layers = scalar_layers(body)
    layer, reading = _chosen(body, layers), text(body, "reading")
    if reading not in {"printed", "stepwise", "redefined"} or not isinstance(body["pads"], bool):
        raise Refused(f"reading {reading!r} with pads {body['pads']!r} is not known")
    factor = 2 * max(abs(weight), Fraction(int(body["pads"])))
    error, bound = fraction(body["error"]), fraction(body["bound"])
    found = layers[layer - 1].error[0], _right_side(reading, factor, layers, layer)
    if not found[0] >= error > bound >= found[1] >= 0:
        raise Refused(f"error {float(found[0])}, bound {float(found[1])}: not as stated")
    return (
        f"weight {weight}, T = {body['length']}, C = {body['saturation']}: the error of layer "
        f"{layer} is {float(found[0] / found[1]) if found[1] else 0:.6g} times the {reading} bound"
    )


def attention(body: Body) -> str:
    """One state: the attention error of a later layer exceeds that of the first."""
    only(body, {"kind", "weight", "length", "saturation", "layer", "first", "later"})
    _, layers = scalar_layers(body)
    layer = _chosen(body, layers)
    first, later = fraction(body["first"]), fraction(body["later"])
    if not layers[0].attention[1] <= first < later <= layers[layer - 1].attention[0]:
        raise Refused("the attention errors are not as stated")
    return f"the attention error of layer {layer} exceeds that of layer 1"


def rows(body: Body) -> str:
    """One state: two positions with certainly different errors after the first layer."""
    only(body, {"kind", "weight", "length", "saturation", "positions", "small", "large"})
    _, layers = scalar_layers(body)
    size = span(body["length"])
    places = sequence(body, "positions", 2)
    if not layers or not all(isinstance(t, int) and -size < t <= size for t in places):
        raise Refused(f"positions {places} are not among {-size + 1} … {size}")
    small, large = (layers[0].errors[t + size - 1] for t in places)
    if not small[1] <= fraction(body["small"]) < fraction(body["large"]) <= large[0]:
        raise Refused("the errors of the two positions are not as stated")
    return f"positions {places[0]} and {places[1]} have different errors"


def redefinition(body: Body) -> str:
    """One state: the redefined error of layer 1 exceeds what bounded the old one."""
    only(body, {"kind", "weight", "length", "saturation", "old", "new"})
    weight, layers = scalar_layers(body)
    if len(layers) < 2:
        raise Refused("a redefinition needs two layers")
    factor = 2 * max(abs(weight), Fraction(1))
    old = factor * layers[0].attention[1] + layers[0].attention[1] ** 2
    new = layers[1].incoming[0]
    if not new >= fraction(body["new"]) > fraction(body["old"]) >= old:
        raise Refused("the norms are not as stated")
    return "the error that enters layer 2's product exceeds the bound on that of layer 1"


def _matrix(rows: Any, n: int) -> Square:
    if not isinstance(rows, list) or len(rows) != n or any(len(row) != n for row in rows):
        raise Refused(f"expected a {n} × {n} matrix")
    return tuple(tuple(fraction(value) for value in row) for row in rows)


def automaton_of(body: Body) -> tuple[list[Fraction], dict[str, Square]]:
    """α and the transitions by letter."""
    alpha = [fraction(value) for value in sequence(body, "alpha")]
    letters = body.get("transitions")
    if not isinstance(letters, dict) or not letters or not alpha or len(alpha) > 4:
        raise Refused("expected transitions by letter and at most 4 states")
    return alpha, {symbol: _matrix(rows, len(alpha)) for symbol, rows in letters.items()}


def corrected_bounds(layers: Sequence[Layer]) -> list[Fraction]:
    """Lower bounds on the right sides of the corrected recursion, in Frobenius norm."""
    found, bound = [], Fraction(0)
    for layer in layers:
        delta = bound + layer.attention[0]
        bound = 2 * layer.norm[0] * delta + delta * delta
        found.append(bound)
    return found


def within(body: Body) -> str:
    """Words of an automaton: no error exceeds the corrected bound, in Frobenius norm."""
    only(body, {"kind", "alpha", "transitions", "length", "saturation", "words"})
    alpha, letters = automaton_of(body)
    model = Model(len(alpha), length_of(body, most=16), saturation_of(body))
    words = sequence(body, "words")
    for word in words:
        if not isinstance(word, list) or len(word) > model.length or set(word) - set(letters):
            raise Refused(f"{word!r} is no word of at most {model.length} letters")
        layers = [layer for layer, _ in model.layers([letters[symbol] for symbol in word])]
        for layer, bound in zip(layers, corrected_bounds(layers), strict=True):
            if layer.error[1] > bound:
                raise Refused(f"word {word}: an error is not within its bound")
    if not words:
        raise Refused("no word is named")
    return f"{len(words)} words of an automaton with {len(alpha)} states keep the corrected bound"


def saturation(body: Body) -> str:
    """All words of length T: the states are within ε at this C."""
    only(body, {"kind", "alpha", "transitions", "length", "saturation", "eps"})
    alpha, letters = automaton_of(body)
    length, eps = length_of(body, most=4), fraction(body["eps"])
    model = Model(len(alpha), length, saturation_of(body))
    if len(letters) ** length > 256:
        raise Refused("too many words")
    worst = max(
        model.state_error(alpha, [letters[symbol] for symbol in word])[1]
        for word in product(letters, repeat=length)
    )
    if not worst < eps:
        raise Refused(f"a word's states miss by up to {float(worst)}, not less than {eps}")
    return f"all {len(letters) ** length} words: states within {eps} at C = {body['saturation']}"


def frobenius(body: Body) -> str:
    """One state: every product is within ε, the states together are not."""
    only(body, {"kind", "weight", "alpha", "length", "saturation", "eps"})
    weight, alpha, eps = (fraction(body.get(field)) for field in ("weight", "alpha", "eps"))
    length = length_of(body)
    model = Model(1, length, saturation_of(body))
    letters: list[Square] = [((weight,),)] * length
    layers = [layer for layer, _ in model.layers(letters)]
    states: Norm = model.state_error([alpha], letters)
    if not (layers and layers[-1].error[1] <= eps < states[0]):
        raise Refused("product and states are not on the stated sides of ε")
    return f"products within {eps}, states off by {float(states[0]):.6g}"


def unbounded(body: Body) -> str:
    """Weight 2 at a fixed C: 2^M - (2-c)^M ≥ M c (2-c)^(M-1), c = exp(-2C)/2, exceeds each floor.

    Each of the M pads has a softmax weight of at least exp(-2C)/(2M), so every average of the
    first layer is at most 2 - c; later layers at most square the largest token; and the exact
    product at position M is 2^M.
    """
    only(body, {"kind", "saturation", "lengths", "floors"})
    share = bounds.exp(-2 * saturation_of(body))[0] / 2
    lengths = sequence(body, "lengths")
    floors = [fraction(value) for value in sequence(body, "floors", len(lengths))]
    for length, floor in zip(lengths, floors, strict=True):
        if not isinstance(length, int) or not 2 <= length <= 256 or span(length) != length:
            raise Refused(f"{length!r} is no power of two up to 256")
        if length * share * (2 - share) ** (length - 1) < floor:
            raise Refused(f"T = {length}: the error need not reach {floor}")
    if len(floors) < 2 or any(b <= 2 * a for a, b in pairwise(floors)):
        raise Refused("the stated errors do not grow")
    return f"at C = {body['saturation']} the errors grow past {floors[-1]}"


def leak(body: Body) -> str:
    """1 - p_0 ≤ (2M-1) exp(-C (1 - cos(π/M)))."""
    only(body, {"kind", "length", "saturation", "leak", "ceiling"})
    constant, size = saturation_of(body), span(length_of(body))
    model = Model(1, body["length"], constant)
    given = Fraction((1 << model.bits) - model.row[0][0], 1 << model.bits)
    gap = 1 - bounds.cos_pi(Fraction(1, size), model.bits)[0]
    ceiling = (2 * size - 1) * bounds.exp(-constant * gap, model.bits)[0]
    if not given <= fraction(body["leak"]) <= fraction(body["ceiling"]) <= ceiling:
        raise Refused("leak and ceiling are not as stated")
    return f"T = {body['length']}, C = {constant}: the leak is within its ceiling"


def sizes(body: Body) -> str:
    """Depth, embedding, attention width, hidden units and heads of built models."""
    only(body, {"kind", "models"})
    for model in sequence(body, "models"):
        only(model, {"n", "length", "depth", "embedding", "attention", "units", "heads"})
        n, length = integer(model, "n", 1), integer(model, "length", 1)
        expected = {
            "depth": (length - 1).bit_length(),
            "embedding": 2 * n * n + 2,
            "attention": 2 * n * n + 2,
            "units": 4 * n**3,
            "heads": 2 if length > 1 else 0,
        }
        for field, value in expected.items():
            agree(f"n = {n}, T = {length}, {field}", model[field], value)
        if 4 * n**3 > comb(2 * n * n + 2, 2):
            raise Refused(f"n = {n}: wider than printed")
    return f"{len(body['models'])} models have the printed sizes, and 4n³ units"


def depth(body: Body) -> str:
    """A length that is no power of two: log₂ T is no number of layers."""
    only(body, {"kind", "length", "layers"})
    length = length_of(body)
    agree("layers", body["layers"], (length - 1).bit_length())
    if span(length) == length:
        raise Refused(f"{length} is a power of two")
    return f"T = {length}: {body['layers']} layers, log2 T is not whole"


def width(body: Body) -> str:
    """C(f n² + 2 + e, 2) against 2n⁴ + 3n² + 1 on as many points as settle a polynomial."""
    only(body, {"kind", "factor", "extra", "points", "equal"})
    factor, extra = integer(body, "factor", 1), integer(body, "extra", 0)
    points = [integer({"n": n}, "n", 1) for n in sequence(body, "points")]
    if len(set(points)) < 5:
        raise Refused("five different points are needed for degree 4")
    same = [comb(factor * n * n + 2 + extra, 2) == 2 * n**4 + 3 * n**2 + 1 for n in points]
    agree("equality at the points", body["equal"], same[0])
    if len(set(same)) > 1:
        raise Refused("the points do not agree")
    name = f"{factor}n²" if factor > 1 else "n²"
    return f"C({name}+{2 + extra}, 2) {'=' if same[0] else '≠'} 2n⁴ + 3n² + 1 at n = {points}"


def scores(body: Body) -> str:
    """With W_Q W_Kᵀ = C (cos πa_ij) the score of (t, s) is C cos(π(t - s - w)/M), w = 2^(l-1) or 0."""
    only(body, {"kind", "length", "shift", "angles"})
    size, shift = span(length_of(body, most=16)), integer(body, "shift", 0)
    angles = [fraction(a) for pair in sequence(body, "angles", 2) for a in pair]
    if len(angles) != 4:
        raise Refused("expected a 2 × 2 table of angles")
    block = [bounds.cos_pi(angle) for angle in angles]
    circle = [bounds.cos_pi(Fraction(t, size)) for t in range(2 * size)]
    for t, s in product(range(2 * size), repeat=2):
        query = circle[t], circle[(t - size // 2) % (2 * size)] if size > 1 else (Fraction(0),) * 2
        key = circle[s], circle[(s - size // 2) % (2 * size)] if size > 1 else (Fraction(0),) * 2
        total = [_times(_times(query[i], block[2 * i + j]), key[j]) for i in (0, 1) for j in (0, 1)]
        low, high = sum(x for x, _ in total), sum(y for _, y in total)
        wanted = circle[(t - s - shift) % (2 * size)]
        if low > wanted[1] or high < wanted[0] or high - low > Fraction(1, 2**64):
            raise Refused(f"the score of ({t}, {s}) is not C cos(π·{t - s - shift}/{size})")
    return f"M = {size}: all {4 * size * size} scores are C cos(π(t - s - {shift})/{size})"


def _times(a: Norm, b: Norm) -> Norm:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def shapes(body: Body) -> str:
    """A vector of n² coordinates is added to an n × n matrix."""
    only(body, {"kind", "n", "matrix", "vector"})
    n = integer(body, "n", 2)
    agree("the matrix", body["matrix"], [n, n])
    agree("the vector", body["vector"], [n * n])
    return f"n = {n}: {n} × {n} plus {n * n} is not defined"


def assumptions(body: Body) -> str:
    """The fourth assumption of the exact proof against what the soft model is made of."""
    only(body, {"kind", "assumed", "built"})
    agree("the fourth assumption", body["assumed"], ["hard", "bilinear"])
    if sequence(body, "built", 2) == body["assumed"] or set(body["built"]) - {"soft", "mlp"}:
        raise Refused(f"built of {body['built']}: expected soft attention and an MLP")
    return "soft attention and an MLP, where hard attention and a bilinear layer are assumed"


def factors(body: Body) -> str:
    """At position t the factors of the first layer are those of positions t - 1 and t."""
    only(body, {"kind", "position", "rows"})
    position = integer(body, "position", 1)
    agree("the factors' positions", body["rows"], [position - 1, position])
    if body["rows"] == [1, 2]:
        raise Refused("these are the printed rows")
    return f"position {position} multiplies rows {position - 1} and {position}, not 1 and 2"


def derivation(body: Body) -> str:
    """(Σ left)(Σ right) + Σ plus - Σ minus = Σ terms in the free algebra, and its majorant."""
    majorant = expansion({field: body[field] for field in body if field != "kind"})
    return "norm at most " + written(majorant)


EXPANSION = {"left", "right", "plus", "minus", "terms", "bounds", "majorant"}


def expansion(body: Any) -> dict[str, int]:
    """The majorant of an expansion whose terms and majorant are as stated."""
    if not isinstance(body, dict):
        raise Refused("expected an expansion")
    only(body, EXPANSION)
    left, right, plus, minus, terms = (
        _words(body, field) for field in ("left", "right", "plus", "minus", "terms")
    )
    total = Counter(a + b for a in left for b in right)
    total.update(plus)
    total.subtract(minus)
    found = {word: count for word, count in total.items() if count}
    agree("the expansion", dict(Counter(terms)), found)
    letters = body["bounds"]
    used = {letter for word in [*left, *right, *plus, *minus] for letter in word}
    if not isinstance(letters, dict) or set(letters) != used:
        raise Refused(f"expected a bound for each of {sorted(used)}")
    majorant: Counter[str] = Counter()
    for word, count in found.items():
        majorant["*".join(sorted(letters[letter] for letter in word))] += abs(count)
    agree("the majorant", body["majorant"], dict(majorant))
    return dict(majorant)


def written(majorant: Mapping[str, int]) -> str:
    """A majorant as a sum."""
    parts = sorted(majorant.items())
    return " + ".join(f"{count if count > 1 else ''}{term}" for term, count in parts)


def _words(body: Body, field: str) -> list[tuple[str, ...]]:
    words = sequence(body, field)
    if not all(isinstance(word, list) and all(isinstance(x, str) for x in word) for word in words):
        raise Refused(f"field {field!r}: expected words of letters")
    return [tuple(word) for word in words]


VALIDATORS: dict[str, Callable[[Body], str]] = {
    f"theorem2.{validator.__name__}": validator
    for validator in (
        recursion, attention, rows, redefinition, within, saturation, frobenius, unbounded, leak,
        sizes, depth, width, shapes, scores, assumptions, factors, derivation,
    )
}  # fmt: skip
