"""The facts once more, by other computations and with the standard library alone.

*.strings            the whole matrices of the scripts in fractions, at more values of u than the degree
*.sign               closed forms, compared with the matrices; their signs can be read off
confidence, sensitivity   exact values at two lengths, whose ratio gives the order
norm.first           rows as fractions times one square root, which a normalisation only replaces
norm.parity          the identity at more places than its degree, and the norms of all rows up to N = 30
norm.strings         whole rows x, -x with their mean and variance, in decimals of 50 digits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb

from assay.papers import Recomputed, Refused, confirms

MODEL = ("parity", "first")
POINTS = [Fraction(k, 2) for k in range(3, 15)]  # values of u, more than twice any degree
Vector = list[Fraction]


def rows_of(model: str, word: Sequence[int]) -> list[Vector]:
    """Embedding plus position encoding."""
    tokens = [*word, 2] if model == "parity" else [2, *word]
    rows = [
        [Fraction(token == at) for at in range(10 if model == "parity" else 6)] for token in tokens
    ]
    for i, row in enumerate(rows):
        row[3] = Fraction(i, len(rows)) if model == "parity" else Fraction(i == 1)
        if model == "parity":
            row[4] = Fraction(1 - 2 * (i % 2))
    return rows


def hidden(model: str, row: Vector, normed: bool) -> Fraction:
    """The feed-forward network of the first layer: the number that it adds to one coordinate."""
    relu = lambda x: x if x > 0 else 0 * x  # noqa: E731
    if model == "parity":
        return sum(c * relu(row[5] - row[3] + d * row[6]) for c, d in ((1, -1), (-2, 0), (1, 1)))  # type: ignore[return-value, misc]
    return relu(row[3] - row[0] - row[2]) if normed else relu(row[1] + row[3] - 1)  # type: ignore[no-any-return]


def first_layer(model: str, word: Sequence[int]) -> list[Vector]:
    """The rows after the attention of the first layer, which is uniform for PARITY and nothing for FIRST."""
    rows = rows_of(model, word)
    if model == "parity":
        for row in rows:
            row[5] = Fraction(sum(each[1] for each in rows), len(rows))
            row[6] = Fraction(sum(each[2] for each in rows), len(rows))
    return rows


def logit(model: str, word: Sequence[int], u: Fraction) -> Fraction:
    """The logit without layer normalisation, at a value of u."""
    rows = first_layer(model, word)
    for row in rows:
        row[7 if model == "parity" else 4] += hidden(model, row, False)
    if model == "first":
        weights = [u if row[3] else Fraction(1) for row in rows]
        return sum(w * (r[4] - r[3] / 2) for w, r in zip(weights, rows, strict=True)) / sum(weights)  # type: ignore[return-value]
    heads = []
    for turn in (1, -1):
        weights = [u if row[4] == turn else 1 / u for row in rows]
        heads.append(sum(w * r[7] for w, r in zip(weights, rows, strict=True)) / sum(weights))
    return heads[1] - heads[0]


def closed(model: str, n: int, inside: bool, u: Fraction) -> Fraction:
    """The logit of a string of n symbols inside or outside of the language."""
    if model == "first":
        return (1 if inside else -1) * u / (2 * (u + n)) if n else Fraction(0)
    evens, odds = (n + 2) // 2, (n + 1) // 2
    factor = Fraction(evens if inside else -odds, n + 1) * (u**2 - u**-2)
    return factor / ((evens * u + odds / u) * (evens / u + odds * u))


def member(model: str, word: Sequence[int]) -> bool:
    """Whether the word is in the language."""
    return sum(word) % 2 > 0 if model == "parity" else word[0:1] == (1,)


def strings(model: str, least: int, longest: int) -> Recomputed:
    """Every string at every point, beside the closed form; each factor of the closed form has one sign."""
    if least > longest:
        raise Refused("least > longest")
    count = 0
    for n in range(least, longest + 1):
        for word in product((0, 1), repeat=n):
            inside = member(model, word)
            for u in POINTS:
                if logit(model, word, u) != closed(model, n, inside, u):
                    raise Refused("the closed form is another one")
            if not n:
                return Recomputed(False, {}, {"string": "", "length": 0, "logit": "0"})
            count += 1
    return Recomputed(True, {"strings": count})


@confirms("parity.strings", "exhaustive", least=(0, 8), longest=(0, 8))
def parity_strings(least: int, longest: int) -> Recomputed:
    """All strings of these lengths."""
    return strings("parity", least, longest)


@confirms("first.strings", "exhaustive", least=(0, 8), longest=(0, 8))
def first_strings(least: int, longest: int) -> Recomputed:
    """All strings of these lengths."""
    return strings("first", least, longest)


@confirms("parity.step", "symbolic")
def parity_step() -> Recomputed:
    """Second differences on both sides of 0: between -1, 0 and 1 the three ReLUs are linear."""
    zero = [Fraction(0)] * 3
    found = [
        hidden("parity", [*zero, Fraction(-m, N), *zero[:2], Fraction(1, N)], False)
        == Fraction(m == 0, N)
        for N in range(1, 9)
        for m in range(-4, 5)
    ]
    return Recomputed(all(found))


def letters(model: str) -> bool:
    """Whether the closed form is the logit on one string of each kind up to length 9, at every point."""
    kinds = [
        (*[1] * ones, *[0] * (n - ones)) for n in range(1, 10) for ones in (0, 1, 2) if ones <= n
    ]
    return all(
        logit(model, word, u) == closed(model, len(word), member(model, word), u)
        for word in kinds
        for u in POINTS
    )


@confirms("parity.sign", "symbolic", least=(0, 1), strict=bool)
def parity_sign(least: int, strict: bool) -> Recomputed:
    """The closed form is the logit; it is 0 for the empty string only."""
    if least == 0 and strict:
        return Recomputed(
            False, {}, {"string": "", "length": 0, "logit": str(logit("parity", (), POINTS[0]))}
        )
    return Recomputed(letters("parity"))


@confirms("first.sign", "symbolic")
def first_sign() -> Recomputed:
    """The closed form is the logit."""
    return Recomputed(letters("first"))


def order(function: Callable[[int], Fraction]) -> int:
    """The power with which a rational function of n falls."""
    ratio = abs(function(10**6) / function(10**9))
    return next((k for k in range(1, 9) if Fraction(1, 2) < ratio / 1000**k < 2), 0)


@confirms("confidence.lost", "symbolic", model=MODEL)
def confidence(model: str) -> Recomputed:
    """The order of both logits, for even and odd lengths."""
    orders = [order(lambda n, i=i, o=o: closed(model, n + o, i, Fraction(3)))  # type: ignore[misc]
              for i in (False, True) for o in (0, 1)]  # fmt: skip
    return Recomputed(letters(model) and min(orders) > 0, {"order": min(orders)})


@confirms("sensitivity.order", "symbolic", model=MODEL)
def sensitivity(model: str) -> Recomputed:
    """The order of the difference of both logits."""
    u = Fraction(3)
    orders = [order(lambda n, o=o: closed(model, n + o, True, u) - closed(model, n + o, False, u))  # type: ignore[misc]
              for o in (0, 1)]  # fmt: skip
    return Recomputed(letters(model) and min(orders) >= 1, {"order": min(orders)})


def sign_remains(dimension: int) -> bool:
    """Whether a number v over the root of the mean square of v, -v and zeros has the square d."""
    vs = [Fraction(k, 7) for k in (-9, -1, 2, 30)]
    return all(x * x / (2 * x * x / (2 * dimension)) == dimension for x in vs)


@confirms("norm.first", "symbolic")
def norm_first() -> Recomputed:
    """Rows with the squared factor of their square root."""
    found = {}
    for symbol in (0, 1):
        seen = []
        for row in first_layer("first", (symbol, 0, 1)):
            row[4] += hidden("first", row, True)
            value = row[4] - row[3] / 2
            seen.append((value > 0) - (value < 0))
            if row[3]:
                found[f"value of {symbol}, squared"] = str(value**2 * 6 / sum(x * x for x in row))
        if seen != [0, 1 if symbol else -1, 0, 0]:
            return Recomputed(False, {}, {"first symbol": symbol})
    return Recomputed(sign_remains(6), found)


@confirms("norm.parity", "symbolic")
def norm_parity() -> Recomputed:
    """The pair at six values of each letter, and all squared norms up to N = 30 between the bounds."""
    values = [Fraction(k, 3) for k in range(1, 7)]
    pairs = all(
        (a / p - p) + (a * q - 1 / q) == (a * q - p) * (1 + 1 / (p * q))
        for p, q, a in product(values, repeat=3)
    )
    norms = [
        2 + Fraction(i * i + k * k + 1 + (i == k), N * N)
        for N in range(2, 31)
        for k in range(N)
        for i in range(N)
    ]
    least, most = Fraction(2), Fraction(9, 2)
    return Recomputed(pairs and sign_remains(10) and least <= min(norms) and max(norms) <= most < 9 * least,
                      {"least norm²": str(least), "greatest norm²": str(most)})  # fmt: skip


def normalised(row: list[Decimal]) -> list[Decimal]:
    """Layer normalisation with epsilon 0."""
    mean = sum(row) / len(row)
    deviation = (sum((x - mean) ** 2 for x in row) / len(row)).sqrt()
    return [(x - mean) / deviation for x in row]


def normed(model: str, word: Sequence[int]) -> Decimal:
    """The number that decides; big is 1."""
    half = 10 if model == "parity" else 6
    at = 7 if model == "parity" else 4
    rows = []
    for row in first_layer(model, word):
        decimals = [Decimal(x.numerator) / x.denominator for x in row]
        whole = normalised(decimals + [-x for x in decimals])
        scale = whole[2 if row[2] else 1 if row[1] else 0]  # of the symbol, whose entry was 1
        added = hidden(model, row, True)  # without a bias, so the scale can come afterwards
        whole[at] += scale * added.numerator / added.denominator
        whole[at + half] = -whole[at]
        rows.append(normalised(whole))
    cls = rows[-1] if model == "parity" else rows[0]
    query = cls[2] / Decimal(10 if model == "parity" else 12).sqrt()
    heads = []
    for turn in (1, -1) if model == "parity" else (1,):
        weights = [(turn * query * row[4 if model == "parity" else 3]).exp() for row in rows]
        read = [row[7] if model == "parity" else row[4] - row[3] / 2 for row in rows]
        heads.append(sum(w * x for w, x in zip(weights, read, strict=True)) / sum(weights))
    return heads[1] - heads[0] if model == "parity" else heads[0]


@confirms("norm.strings", "enclosure", model=MODEL, longest=(1, 8))
def norm_strings(model: str, longest: int) -> Recomputed:
    """Every operation is correctly rounded to 50 digits; a number beyond 1e-30 has its sign."""
    with localcontext() as context:
        context.prec = 50
        for n in range(1, longest + 1):
            for word in product((0, 1), repeat=n):
                found = normed(model, word) * (1 if member(model, word) else -1)
                if found < Decimal("1e-30"):
                    return Recomputed(False, {}, {"string": "".join(map(str, word))})
    return Recomputed(
        True, {"strings": sum(comb(n, k) for n in range(1, longest + 1) for k in range(n + 1))}
    )


@confirms("norm.epsilon", "symbolic", dimension=(1, 64))
def norm_epsilon(dimension: int) -> Recomputed:
    """The square is at most v²/epsilon, which is 10^-2k for v = 10^-k and epsilon = 1."""
    squares = [Fraction(1, 100**k) / (Fraction(1, 100**k * dimension) + 1) for k in range(1, 20)]
    return Recomputed(all(x <= Fraction(1, 100**k) for k, x in enumerate(squares, 1)))


@confirms("scaled.first", "symbolic")
def scaled_first() -> Recomputed:
    """The logit with u = N is 1/4 + 1/(4(2N - 1))."""
    excess = {N: closed("first", N - 1, True, Fraction(N)) - Fraction(1, 4) for N in range(2, 40)}
    return Recomputed(all(x == Fraction(1, 4 * (2 * N - 1)) for N, x in excess.items()))
