"""The facts of the paper: the published weights, run in exact arithmetic, with letters, and in balls.

parity.step          a layer of PARITY writes 1/N at position k and 0 at all others
parity.sign          the sign of the logit of PARITY, for every length
parity.strings       the same on every short string, run one by one
first.sign           the sign of the logit of FIRST, for every length
first.strings        the same on every short string, run one by one
confidence.lost      the logit tends to 0 as strings grow, and how fast
sensitivity.order    how much one changed symbol changes the logit
norm.first           FIRST with layer normalisation: the sign of the last number, for every length
norm.parity          PARITY with layer normalisation: the argument for the sign, for every length
norm.strings         both with layer normalisation on every short string
norm.epsilon         with a positive epsilon the last number tends to 0 again
scaled.first         FIRST with log-length scaled attention keeps its confidence

N is n + 1, the length with the symbol CLS, and u = exp(big / sqrt(d)) > 1 is the weight that a head
gives to a key 1, where `big` is an option of the scripts and d the dimension of a head. Positions
count from 0, as in the scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from flint import arb
from sympy.polys.fields import field

from assay.papers import Outcome, fact

Row = list[Any]
ONE, CLS, PLACE, SIGN, ONES, SHARE, HIT, LOGIT = 1, 2, 3, 4, 5, 6, 7, 8  # of PARITY
START, BOTH, DECISION = 3, 4, 5  # of FIRST, whose symbols 0, 1 and CLS have the same places
RELU_PARITY = [
    {PLACE: -1, ONES: 1, SHARE: -1},
    {PLACE: -1, ONES: 1},
    {PLACE: -1, ONES: 1, SHARE: 1},
]
u, v, h, g, N = sympy.symbols("u v h g N", positive=True)


# The two networks, in any arithmetic ----------------------------------------------------------


def hit(row: Row, relu: Callable[[Any], Any]) -> Any:
    """What the hidden layer of PARITY writes: a second difference of three ReLUs."""
    inner = [relu(sum(c * row[at] for at, c in unit.items())) for unit in RELU_PARITY]
    return inner[0] - 2 * inner[1] + inner[2]


def both(row: Row, relu: Callable[[Any], Any], normed: bool) -> Any:
    """What the hidden layer of FIRST writes: whether the symbol is a 1 at the first place."""
    return relu(row[START] - row[0] - row[CLS]) if normed else relu(row[ONE] + row[START] - 1)


def attended(rows: Sequence[Row], weights: Sequence[Any], value: Callable[[Row], Any]) -> Any:
    """The output of a head."""
    total = sum(weights[1:], weights[0])
    return sum((w * value(row) for w, row in zip(weights, rows, strict=True)), 0 * total) / total


def parity_head(rows: Sequence[Row], weight: Callable[[Any], Any], sign: int) -> Any:
    """A head of the second layer of PARITY, from CLS."""
    keys = [weight(sign * row[SIGN]) for row in rows]
    return attended(rows, keys, lambda row: row[HIT])


def parity_rows(word: Sequence[int]) -> list[Row]:
    """PARITY after the uniform attention of its first layer: CLS comes last."""
    size, rows = len(word) + 1, []
    for place, symbol in enumerate([*word, CLS]):
        row = [Fraction(0)] * 10
        row[symbol] += 1
        row[PLACE], row[SIGN] = Fraction(place, size), Fraction((-1) ** place)
        row[ONES], row[SHARE] = Fraction(sum(word), size), Fraction(1, size)
        rows.append(row)
    return rows


def first_rows(word: Sequence[int]) -> list[Row]:
    """FIRST before its first layer: CLS comes first."""
    rows = [[Fraction(symbol == at) for at in range(6)] for symbol in [CLS, *word]]
    if word:
        rows[1][START] = Fraction(1)
    return rows


def with_hit(rows: list[Row]) -> list[Row]:
    """The rows of PARITY after its first layer."""
    return [[*r[:HIT], r[HIT] + hit(r, lambda x: max(x, 0)), *r[HIT + 1 :]] for r in rows]


K, U = field("u", sympy.QQ)


def ratio(number: Fraction | int) -> Any:
    """A rational number among the rational functions of u."""
    number = Fraction(number)
    return K(sympy.QQ(number.numerator, number.denominator))


def parity_logit(word: Sequence[int]) -> Any:
    """The logit of PARITY as a rational function of u."""
    rows = [[ratio(x) for x in row] for row in with_hit(parity_rows(word))]
    weight = lambda key: U if key == 1 else 1 / U  # noqa: E731
    return parity_head(rows, weight, -1) - parity_head(rows, weight, 1)


def first_logit(word: Sequence[int]) -> Any:
    """The logit of FIRST as a rational function of u."""
    rows = first_rows(word)
    for row in rows:
        row[BOTH] += both(row, lambda x: max(x, Fraction(0)), False)
    weights = [U if row[START] else K.one for row in rows]
    return attended(rows, weights, lambda row: ratio(row[BOTH] - row[START] / 2))


LOGITS = {"parity": parity_logit, "first": first_logit}


def belongs(model: str, word: Sequence[int]) -> bool:
    """Whether the word is in the language."""
    return sum(word) % 2 == 1 if model == "parity" else word[:1] == (1,)


def words(least: int, longest: int) -> Iterator[tuple[int, ...]]:
    """All bit strings of these lengths, short ones first."""
    return (w for n in range(least, longest + 1) for w in product((0, 1), repeat=n))


def sign(expression: Any, *letters: Any) -> int:
    """The sign of a rational function for all u > 1 and all letters from 0 on; 0 if it is not shown."""
    top, bottom = sympy.fraction(sympy.together(sympy.sympify(expression).subs(u, 1 + v)))
    shown = 1
    for part in (top, bottom):
        terms = sympy.Poly(sympy.expand(part), v, *letters).terms()
        least = [c for power, c in terms if not any(power[1:])]  # at the letters' least values
        if not least or len({bool(c > 0) for _, c in terms}) > 1 or 0 in {c for _, c in terms}:
            return 0
        shown *= 1 if least[0] > 0 else -1
    return shown


def short_strings(model: str, least: int, longest: int) -> Outcome:
    """Run every string; the logit must be positive in the language and negative outside."""
    signs: dict[Any, int] = {}
    count = 0
    for word in words(least, longest):
        logit = LOGITS[model](word)
        if logit not in signs:
            signs[logit] = sign(logit.as_expr().subs(sympy.Symbol("u"), u))
        if signs[logit] != (1 if belongs(model, word) else -1):
            text = "".join(map(str, word))
            return Outcome(False, {}, {"string": text, "length": len(word), "logit": str(logit)})
        count += 1
    return Outcome(True, {"strings": count})


@fact("parity.strings", "exhaustive")
def parity_strings(least: int, longest: int) -> Outcome:
    """The logit of PARITY is positive on odd and negative on even strings of these lengths."""
    return short_strings("parity", least, longest)


@fact("first.strings", "exhaustive")
def first_strings(least: int, longest: int) -> Outcome:
    """The logit of FIRST is positive if the first symbol is 1 and negative otherwise."""
    return short_strings("first", least, longest)


# Every length: letters instead of numbers -----------------------------------------------------


def symbolic_relu(x: Any) -> Any:
    """A ReLU of an expression whose sign its letters decide."""
    return sympy.Max(0, sympy.expand(x))


def parity_row(distance: Any, count: Any, size: Any) -> Row:
    """The row of PARITY at position k - distance."""
    row = [sympy.Integer(0)] * 10
    row[PLACE], row[ONES], row[SHARE] = (count - distance) / size, count / size, 1 / size
    row[HIT] = sympy.simplify(hit(row, symbolic_relu))
    return row


@fact("parity.step", "symbolic")
def parity_step() -> Outcome:
    """The first layer of PARITY writes 1/N at position k and 0 at all others."""
    count, more = sympy.symbols("k m", integer=True, nonnegative=True)
    found = [parity_row(each, count, N)[HIT] for each in (0, 1 + more, -1 - more)]
    return Outcome(found == [1 / N, 0, 0])


def parity_logits() -> Iterator[tuple[bool, bool, Any]]:
    """The logit of PARITY: whether k is odd, whether N is odd, and for N = 2h or 2h + 1."""
    for odd_count, odd_size in product((False, True), repeat=2):
        evens, odds = (h + 1 if odd_size else h), h
        target, other = [sympy.Integer(0)] * 10, [sympy.Integer(0)] * 10
        target[HIT] = 1 / (evens + odds)
        target[SIGN] = -1 if odd_count else 1
        other[SIGN], twin = -target[SIGN], [*target]
        twin[HIT] = sympy.Integer(0)
        same, rest = (odds, evens) if odd_count else (evens, odds)
        rows, many = [target, twin, other], [1, same - 1, rest]
        heads = [
            attended(rows, [m * u ** (s * r[SIGN]) for m, r in zip(many, rows, strict=True)],
                     lambda row: row[HIT])
            for s in (1, -1)
        ]  # fmt: skip
        yield odd_count, odd_size, sympy.factor(sympy.together(heads[1] - heads[0]))


@fact("parity.sign", "symbolic")
def parity_sign(least: int, strict: bool) -> Outcome:
    """The logit of PARITY is positive for odd k, and negative (or, if not strict, not positive) for even k.

    With the empty string, N = 1 and k = 0: there the logit is a number, which is tested by itself.
    """
    for odd_count, odd_size, logit in parity_logits():
        begin = 1  # h, as N = 2 or N = 3: strings from length 1 on
        if sign(logit.subs(h, begin + g), g) != (1 if odd_count else -1):
            return Outcome(False, {}, {"length": 1 + odd_size, "logit": str(logit)})
    if least == 0:
        empty = parity_logit(())
        if strict or sign(empty.as_expr()) > 0:
            return Outcome(False, {}, {"string": "", "length": 0, "logit": str(empty)})
    return Outcome(True)


def first_models() -> Iterator[tuple[int, Any]]:
    """The first symbol and the logit of FIRST, for n = 1 + g symbols."""
    for symbol in (0, 1):
        values = []
        for row in first_rows((symbol, 0, 1)):
            row[BOTH] += both(row, lambda x: max(x, Fraction(0)), False)
            values.append(row[BOTH] - row[START] / 2)
        if any(values[:1] + values[2:]):
            raise ValueError("a value away from the first symbol is not 0")
        value = sympy.Rational(values[1].numerator, values[1].denominator)
        yield symbol, value * u / (u + 1 + g)


@fact("first.sign", "symbolic")
def first_sign() -> Outcome:
    """The logit of FIRST is u/(2(u + n)) if the first of n symbols is 1, and minus that if it is 0."""
    return Outcome(all(sign(logit, g) == (1 if symbol else -1) for symbol, logit in first_models()))


def model_logits(model: str) -> list[Any]:
    """The possible logits of a model, in a letter that grows with the length."""
    if model == "parity":
        return [logit.subs(h, g) for *_, logit in parity_logits()]
    return [logit for _, logit in first_models()]


def decay(expression: Any) -> tuple[int, Any]:
    """The power with which a rational function falls, and the limit of its product with it."""
    top, bottom = (sympy.Poly(each, g) for each in sympy.fraction(sympy.together(expression)))
    return bottom.degree() - top.degree(), sympy.factor(top.LC() / bottom.LC())


@fact("confidence.lost", "symbolic")
def confidence(model: str) -> Outcome:
    """The logit tends to 0, so that the cross-entropy log2(1 + exp(-|logit|)) tends to 1 bit."""
    orders = [decay(logit)[0] for logit in model_logits(model)]
    return Outcome(min(orders) > 0, {"order": min(orders)})


@fact("sensitivity.order", "symbolic")
def sensitivity(model: str) -> Outcome:
    """The logit changes by O(1/n) at most if one symbol changes."""
    logits = model_logits(model)
    pairs = zip(logits[:2], logits[2:], strict=True) if model == "parity" else [tuple(logits)]
    orders = [decay(sympy.together(b - a))[0] for a, b in pairs]
    return Outcome(min(orders) >= 1, {"order": min(orders)})


# Layer normalisation --------------------------------------------------------------------------
# The scripts keep a copy -x beside x, so that the mean is 0: of 2d numbers, x has the norm sqrt(d).


def norm(row: Row, root: Callable[[Any], Any]) -> Row:
    """Layer normalisation with epsilon 0 of x, with the copy -x beside it."""
    scale = root(sum((x * x for x in row[1:]), row[0] * row[0]) / len(row))
    return [x / scale for x in row]


def normed_first(
    word: Sequence[int], number: Callable[[Any], Any], root: Any, relu: Any
) -> list[Row]:
    """The rows of FIRST after its first layer, with layer normalisation."""
    rows = []
    for row in first_rows(word):
        after = norm([number(x) for x in row], root)
        after[BOTH] += both(after, relu, True)
        rows.append(norm(after, root))
    return rows


def sign_remains(dimension: int) -> bool:
    """Normalised, v and -v among 2d numbers that are else 0 become sqrt(d) and -sqrt(d), times v's sign.

    The cross-entropy of c sqrt(d), with a factor c of the output layer, tends to 0 as c grows.
    """
    x, c = sympy.Symbol("x", real=True, nonzero=True), sympy.Symbol("c", positive=True)
    last = norm([x] + [sympy.Integer(0)] * (dimension - 1), sympy.sqrt)[0]
    entropy = sympy.log(1 + sympy.exp(-c * sympy.sqrt(dimension)), 2)
    right = sympy.simplify(last - sympy.sqrt(dimension) * sympy.sign(x)) == 0
    return bool(right and sympy.limit(entropy, c, sympy.oo) == 0)


@fact("norm.first", "symbolic")
def norm_first() -> Outcome:
    """With layer normalisation only the first symbol has a value, of the right sign, for every length."""
    found = {}
    for symbol in (0, 1):
        rows = normed_first((symbol, 0, 1), lambda x: sympy.Rational(x.numerator, x.denominator),
                            sympy.sqrt, lambda x: sympy.Max(0, sympy.simplify(x)))  # fmt: skip
        values = [sympy.simplify(row[BOTH] - row[START] / 2) for row in rows]
        right = values[1] > 0 if symbol else values[1] < 0
        if any(values[:1] + values[2:]) or not right:
            return Outcome(False, {}, {"first symbol": symbol})
        found[f"value of {symbol}, squared"] = str(values[1] ** 2)
    return Outcome(sign_remains(6), found)


@fact("norm.parity", "symbolic")
def norm_parity() -> Outcome:
    """With layer normalisation the logit of PARITY has the sign of its language for every n >= 1.

    A position has a key ±g with g between l and m. For even k the sign is that of minus the sum of
    a/p - p over the even positions and a q - 1/q over the odd ones, where p and q are exp(g) there and
    a = exp(2 g(k)); for odd k it is that of the same sum with even and odd exchanged. Take them in pairs,
    and if N is odd, leave out an even position: position k (whose term is 0) for even k, any one (whose
    term, then of the second kind, is positive) for odd k. A pair is (a q - p)(1 + 1/(p q)), which is
    positive if 2l + l > m. As g is inversely proportional to the norm of x with its hit, that is so if the
    greatest squared norm is less than 9 times the least. They lie between 1 + 1 (symbol, cosine) and
    2 + 1 + 1 + 2/N² (place and share of ones, each below 1; 1/N; the hit), where N is 2 or more.
    """
    p, q, a = sympy.symbols("p q a", positive=True)
    pair = sympy.expand((a / p - p) + (a * q - 1 / q) - (a * q - p) * (1 + 1 / (p * q)))
    least, most = sympy.Integer(2), 2 + 1 + 1 + sympy.Rational(2, 2**2)
    shown = pair == 0 and (a / p - p).subs(a, p**2) == 0 and most < 9 * least
    return Outcome(
        bool(shown) and sign_remains(10), {"least norm²": str(least), "greatest norm²": str(most)}
    )


def ball_relu(x: arb) -> arb:
    """A ReLU of a ball."""
    return (x + abs(x)) / 2


def normed_logit(model: str, word: Sequence[int]) -> arb:
    """The number that decides, with layer normalisation, epsilon 0 and big = 1, before the last layers."""
    number = lambda x: arb(x.numerator) / x.denominator  # noqa: E731
    root = lambda x: x.sqrt()  # noqa: E731
    if model == "first":
        rows = normed_first(word, number, root, ball_relu)
        weights = [(rows[0][CLS] * row[START] / arb(12).sqrt()).exp() for row in rows]
        return attended(rows, weights, lambda row: row[BOTH] - row[START] / 2)
    rows = []
    for row in parity_rows(word):
        scale = norm([number(x) for x in row], root)
        exact = hit(row, lambda x: max(x, Fraction(0)))  # the hidden layer has no bias
        scale[HIT] += number(exact) * scale[SIGN] / number(row[SIGN])
        rows.append(norm(scale, root))
    query = rows[-1][CLS] / arb(10).sqrt()
    weight = lambda key: (query * key).exp()  # noqa: E731
    return parity_head(rows, weight, -1) - parity_head(rows, weight, 1)


@fact("norm.strings", "enclosure")
def norm_strings(model: str, longest: int) -> Outcome:
    """With layer normalisation the sign is right on every string from 1 to `longest` symbols."""
    count = 0
    for word in words(1, longest):
        logit = normed_logit(model, word)
        if not (logit > 0 if belongs(model, word) else logit < 0):
            return Outcome(False, {}, {"string": "".join(map(str, word))})
        count += 1
    return Outcome(True, {"strings": count})


@fact("norm.epsilon", "symbolic")
def norm_epsilon(dimension: int) -> Outcome:
    """With epsilon > 0, a number v becomes v / sqrt(v²/d + epsilon), which tends to 0 with v."""
    x = sympy.Symbol("x", real=True)
    epsilon = sympy.Symbol("epsilon", positive=True)
    last = x / sympy.sqrt(x**2 / dimension + epsilon)
    return Outcome(sympy.limit(last, x, 0) == 0)


@fact("scaled.first", "symbolic")
def scaled_first() -> Outcome:
    """With queries times log N and big = sqrt(6), u is N, and the logit of FIRST stays beyond 1/4."""
    size = 2 + g  # N, from one symbol on
    excess = sympy.together(size / (2 * (size + size - 1)) - sympy.Rational(1, 4))
    return Outcome(sign(excess, g) == 1)
