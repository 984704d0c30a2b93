"""Certificates of definitions and of small cases on sequences, confirmed from plain data.

Shapes are confirmed with a different prime for each name; identities at points of distinct
primes; counts by other ways of counting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text

Body = Mapping[str, Any]
Square = list[list[int]]
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83)
PRINTED: dict[str, str] = {
    "weight": "1n nn nn n1",
    "row-alpha": "n1 nn",
    "tokens": "1d dk",
    "scores": "Td dk kd dT",
    "values": "TT Td dk",
    "two-widths": "TT Td dv",
    "heads": "Th hd",
}


def shapes(body: Body) -> str:
    """Chains of factors: each name is a prime of its own, neighbours fit where these agree."""
    only(body, {"kind", "chains", "number"})
    rows = sequence(body, "chains", integer(body, "number", 1))
    told = []
    for name, factors, result in rows:
        printed = [[_name(pair[0]), _name(pair[1])] for pair in PRINTED[name].split()]
        agree(f"factors of {name}", factors, printed)
        sizes = {key: PRIMES[i] for i, key in enumerate("1ndkTvh")}
        numbers = [(sizes[pair[0]], sizes[pair[1]]) for pair in PRINTED[name].split()]
        inner = [(a[1], b[0]) for a, b in pairwise(numbers)]
        fits = all(a == b for a, b in inner)
        agree(f"shape of {name}", result, [printed[0][0], printed[-1][1]] if fits else [])
        told.append(f"{name} {'fits' if fits else 'does not fit'}")
    return ", ".join(told)


def _name(key: str) -> str:
    return "hv" if key == "h" else key


def _matrices(n: int, count: int) -> list[Square]:
    """Matrices of distinct primes, as far as primes go."""
    values = [PRIMES[k % len(PRIMES)] + k // len(PRIMES) for k in range(count * n * n)]
    return [
        [values[t * n * n + i * n : t * n * n + i * n + n] for i in range(n)] for t in range(count)
    ]


def _times(left: Square, right: Square) -> Square:
    columns = list(zip(*right, strict=True))
    return [[sum(a * b for a, b in zip(row, col, strict=True)) for col in columns] for row in left]


def paths(body: Body) -> str:
    """A product of matrices against the sum over paths."""
    only(body, {"kind", "n", "length", "terms"})
    n, length = integer(body, "n", 1), integer(body, "length", 1)
    if (n, length) != (2, 3):
        raise Refused(f"n = {n}, length {length}: not known")
    matrices = _matrices(n, length)
    start, end = list(PRIMES[:n]), list(PRIMES[3 : 3 + n])
    row = [start]
    for matrix in matrices:
        row = _times(row, matrix)
    found, terms = 0, 0
    for path in product(range(n), repeat=length + 1):
        steps = [m[i][j] for m, i, j in zip(matrices, path, path[1:], strict=False)]
        found += start[path[0]] * prod(steps) * end[path[-1]]
        terms += 1
    agree("sum over paths", found, sum(a * b for a, b in zip(row[0], end, strict=True)))
    agree("paths", integer(body, "terms"), terms)
    return f"n = {n}, {length} letters: the product is the sum over {terms} paths"


def cuts(body: Body) -> str:
    """A^{uv} = A^u A^v, products taken from the right."""
    only(body, {"kind", "n", "length"})
    n, length = integer(body, "n", 1), integer(body, "length", 1)
    if (n, length) != (2, 3):
        raise Refused(f"n = {n}, length {length}: not known")
    matrices = _matrices(n, length)
    whole = _product(matrices, n)
    for cut in range(length + 1):
        parts = _times(_product(matrices[:cut], n), _product(matrices[cut:], n))
        agree(f"cut at {cut}", parts, whole)
    return f"n = {n}: all {length + 1} cuts give one matrix"


def _product(matrices: Sequence[Square], n: int) -> Square:
    result = [[int(i == j) for j in range(n)] for i in range(n)]
    for matrix in reversed(matrices):
        result = _times(matrix, result)
    return result


def rows(body: Body) -> str:
    """A word of T letters has T + 1 prefixes."""
    only(body, {"kind", "rows"})
    table = sequence(body, "rows", 7)
    for length, row in enumerate(table):
        word = "0" * length
        agree(f"row {length}", row, [length, len([word[:k] for k in range(length + 1)])])
    return "T letters have T + 1 prefixes and so T + 1 states, T = 0 … 6"


def unrolled(body: Body) -> str:
    """s_t ← s_{t-1} x_t at all tokens at once: which letters each token holds after T layers."""
    only(body, {"kind", "pairs", "layers"})
    pairs, layers = sequence(body, "pairs"), sequence(body, "layers")
    agree("layers", layers, [pair[1] for pair in pairs])
    known = [[1, 1], [1, 4], [2, 1], [2, 2], [2, 3], [2, 4]]
    if pairs not in (known, [*known, [3, 4], [2, 8]]):
        raise Refused(f"pairs {pairs!r}: not known")
    for length in sorted({pair[1] for pair in pairs}):
        span = 1
        while span < length:
            span *= 2
        for count in (length, length - 1):
            right = all(
                _held(t, count, length, span) == tuple(range(1, t + 1)) for t in range(length + 1)
            )
            agree(f"{count} layers for T = {length}", right, count == length)
    return f"T layers, one step each, are enough and T - 1 are not, T ≤ {max(layers)}"


def _held(t: int, layers: int, length: int, span: int) -> tuple[int, ...]:
    """The letters token t has multiplied: it reads its own, after the token before it (modulo 2M)."""
    found: tuple[int, ...] = ()
    for _ in range(layers):
        found = (t, *found) if 1 <= t <= length else found
        t = t - 1 if t > 1 - span else span
    return found


def little_o(body: Body) -> str:
    """g(t) = min(t, T) is bounded, and g(T) = T."""
    only(body, {"kind", "length", "bound"})
    length = integer(body, "length", 1)
    agree("T", length, 8)
    table = sequence(body, "bound", 4 * length)
    agree("g", table, [[t, t if t < length else length] for t in range(1, 4 * length + 1)])
    return f"a bounded function, so one in o(t), reaches {length} at t = {length}"


def shortcut(body: Body) -> str:
    """log₂ T against T: k ≤ 2^k / k from k = 4 on, so k / 2^k ≤ 1/k² · k → 0."""
    only(body, {"kind", "depths"})
    table = sequence(body, "depths", 10)
    for k, row in enumerate(table, 1):
        agree(f"T = 2^{k}", row, [k, k])
        if k >= 4 and k * k > 1 << k:
            raise Refused(f"k = {k}: k² is above 2^k")
    return "depth k at T = 2^k, and k/2^k ≤ 1/k for k = 4 … 10"


def dfa(body: Body) -> str:
    """Functions of up to so many states: the next unit vector, as a position."""
    only(body, {"kind", "states", "functions"})
    states, functions = integer(body, "states", 1), 0
    if states > 5:
        raise Refused(f"{states} states: expected at most 5")
    for n in range(1, states + 1):
        for delta in product(range(n), repeat=n):
            functions += 1
            for q in range(n):
                row = [delta[q] == r for r in range(n)]
                agree("marks in a row", (sum(row), row.index(True)), (1, delta[q]))
    agree("functions", integer(body, "functions"), functions)
    return f"{functions} functions of up to {states} states move unit vectors to unit vectors"


def nfa(body: Body) -> str:
    """Sets of sources and supports as bits: a sum of positive numbers is 0 only if it is empty."""
    only(body, {"kind", "states", "steps"})
    agree("states", integer(body, "states"), 3)
    steps = 0
    for n in (1, 2, 3):
        for sources, support in product(range(1 << n), repeat=2):
            weight = sum(PRIMES[q] for q in range(n) if sources >> q & support >> q & 1)
            agree("support", weight > 0, sources & support != 0)
            steps += 1
    agree("steps", integer(body, "steps"), steps)
    return f"{steps} pairs of sources and supports: non-zero exactly where a run exists"


def stacked(body: Body) -> str:
    """T + 1 rows of n numbers side by side, transposed, against one below the other."""
    only(body, {"kind", "n", "length", "printed", "meant"})
    n, length = integer(body, "n", 1), integer(body, "length", 0)
    agree("sizes", (n, length), (2, 1))
    agree("printed shape", sequence(body, "printed"), [n * (length + 1), 1])
    agree("meant shape", sequence(body, "meant"), [length + 1, n])
    return f"as printed {n * (length + 1)} × 1, as meant {length + 1} × {n}"


def in_use(body: Body) -> str:
    """Theorem 1's shapes: d = 2n² + 2, W_Q d × 2, W_V d × d, 2M tokens, a readout to n."""
    only(body, {"kind", "n", "length", "query", "value", "tokens", "readout"})
    n, length = integer(body, "n", 1), integer(body, "length", 1)
    agree("sizes", (n, length), (2, 2))
    size = 2 * n * n + 2
    agree("W_Q", sequence(body, "query"), [size, 2])
    agree("W_V", sequence(body, "value"), [size, size])
    agree("tokens", integer(body, "tokens"), 2 * length)
    agree("readout", sequence(body, "readout"), [size, n])
    return f"W_Q is {size} × 2 and W_V {size} × {size}; {2 * length} tokens; {n} coordinates out"


def tie(body: Body) -> str:
    """Two equal scores: both become 1."""
    only(body, {"kind", "row", "hard"})
    agree("row", sequence(body, "row"), [0, 0])
    agree("hard", sequence(body, "hard"), [1, 1])
    return "a row with two largest scores gets two ones"


def rows_of_scores(body: Body) -> str:
    """Rows over 0 … s-1 of length s with one largest entry m: s · Σ m^(s-1)."""
    only(body, {"kind", "longest", "single"})
    longest = integer(body, "longest", 1)
    if longest > 8:
        raise Refused(f"rows of {longest}: expected at most 8")
    count = sum(s * sum(m ** (s - 1) for m in range(s)) for s in range(1, longest + 1))
    agree("rows with one largest entry", integer(body, "single"), count)
    return f"{count} rows of up to {longest} scores have one largest entry"


def bilinear(body: Body) -> str:
    """Σ over pairs against the nested sum, at primes."""
    only(body, {"kind", "sizes"})
    sizes = sequence(body, "sizes", 4)
    agree("sizes", sizes, [[1, 1, 1], [2, 1, 2], [2, 3, 1], [2, 2, 3]])
    for one, two, three in sizes:
        x, y = PRIMES[:one], PRIMES[one : one + two]
        for c in range(three):
            slice_ = [[PRIMES[(5 + a * two + b + c) % 23] for b in range(two)] for a in range(one)]
            flat = sum(slice_[a][b] * x[a] * y[b] for a in range(one) for b in range(two))
            agree("contraction", _times(_times([list(x)], slice_), [[v] for v in y]), [[flat]])
    return f"a tensor's contraction is the bilinear map for {len(sizes)} sizes"


def blocks(body: Body) -> str:
    """What the feed-forward blocks are called."""
    only(body, {"kind", "theorem1", "theorem2"})
    agree("block of Theorem 1", text(body, "theorem1"), "bilinear")
    agree("block of Theorem 2", text(body, "theorem2"), "mlp")
    return "Theorem 1 uses a bilinear layer, Theorem 2 an MLP, as stated of the built models"


def second_order(body: Body) -> str:
    """Σ h_i x_a T(i, a, j) for one-hot x against the slice, at primes."""
    only(body, {"kind", "sizes"})
    sizes = sequence(body, "sizes", 3)
    agree("sizes", sizes, [[1, 1], [2, 2], [3, 2]])
    for n, letters in sizes:
        slices, state = _matrices(n, letters), list(PRIMES[:n])
        for letter in range(letters):
            hot = [int(letter == other) for other in range(letters)]
            mixed = [
                [sum(hot[a] * slices[a][i][j] for a in range(letters)) for j in range(n)]
                for i in range(n)
            ]
            agree("state", _times([state], mixed), _times([state], slices[letter]))
    return f"one-hot inputs pick slices for {len(sizes)} sizes"


def relu(body: Body) -> str:
    """N units, N + 1 pieces, one of length ≥ 1/(N+1), on which x² bends by ℓ²/8."""
    only(body, {"kind", "units", "floor"})
    units = integer(body, "units", 1)
    agree("units of the theorem for d = 2, one variable", units, comb(3, 2))
    length = Fraction(1, units + 1)
    for start in (Fraction(0), Fraction(1, 3), 1 - length):
        ends = [(start + length * k / 2) ** 2 for k in range(3)]
        agree("bend", ends[0] - 2 * ends[1] + ends[2], length**2 / 2)
    agree("floor", fraction(body["floor"]), length**2 / 8)
    return f"{units} ReLU units miss x² on [0, 1] by at least {length**2 / 8}"


def stuck(body: Body) -> str:
    """(l x r y o - x y)²: derivatives by differences of a polynomial of degree two in each weight."""
    only(body, {"kind", "inputs", "start", "loss", "gradient", "best"})
    x, y = sequence(body, "inputs", 2)
    agree("inputs", [x, y], [2, 3])
    start = sequence(body, "start", 3)
    agree("start", start, [0, 0, 0])

    def loss(weights: Sequence[int]) -> int:
        return int((prod(weights) * x * y - x * y) ** 2)

    gradient = []
    for i in range(3):
        up, down = ([*start[:i], start[i] + d, *start[i + 1 :]] for d in (1, -1))
        gradient.append(Fraction(loss(up) - loss(down), 2))
    agree("gradient", sequence(body, "gradient", 3), gradient)
    agree("loss", integer(body, "loss"), loss(start))
    agree("best loss", integer(body, "best"), loss([1, 1, 1]))
    if any(gradient) or loss(start) == loss([1, 1, 1]):
        raise Refused("the gradient moves, or the start is best already")
    return f"gradient 0 and loss {loss(start)} at the start, while loss 0 exists"


def measured(body: Body) -> str:
    """Depth log₂ T and embedding 2n² + 2."""
    only(body, {"kind", "rows"})
    expected = [[n, 1 << k, k, 2 * n * n + 2] for n in (1, 2, 3) for k in (1, 2, 3, 4)]
    agree("rows", sequence(body, "rows"), expected)
    return "depth depends on T alone, the embedding on n alone, for twelve models"


def parity(body: Body) -> str:
    """Depth of the construction for T = 4, 8, 16: it grows, for a group of two elements."""
    only(body, {"kind", "depths"})
    agree("depths", sequence(body, "depths"), [[1 << k, k] for k in (2, 3, 4)])
    return "2, 3 and 4 layers for T = 4, 8, 16"


def recursion(body: Body) -> str:
    """(w² + e)² - w⁴ against 2|w| e + e²."""
    only(body, {"kind", "weight", "error", "true", "printed"})
    weight, error = fraction(body["weight"]), fraction(body["error"])
    if weight <= 1 or error <= 0:
        raise Refused("expected a weight above 1 and a positive error")
    agree("error", fraction(body["true"]), 2 * weight * weight * error + error * error)
    agree("printed bound", fraction(body["printed"]), 2 * weight * error + error * error)
    return f"layer 2: error {body['true']}, printed bound {body['printed']}"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "definitions.shapes": shapes,
    "definitions.paths": paths,
    "definitions.cuts": cuts,
    "definitions.rows": rows,
    "definitions.unrolled": unrolled,
    "definitions.little-o": little_o,
    "definitions.shortcut": shortcut,
    "definitions.dfa": dfa,
    "definitions.nfa": nfa,
    "definitions.stacked": stacked,
    "definitions.in-use": in_use,
    "definitions.tie": tie,
    "definitions.rows-of-scores": rows_of_scores,
    "definitions.bilinear": bilinear,
    "definitions.blocks": blocks,
    "definitions.second-order": second_order,
    "definitions.relu": relu,
    "definitions.stuck": stuck,
    "definitions.measured": measured,
    "definitions.parity": parity,
    "definitions.recursion": recursion,
}
