"""Certificates of the families of automata, confirmed with rationals at points of their own.

A polynomial identity is confirmed at points whose coordinates are distinct fractions; sums over
paths are taken by recursion, products of matrices from right to left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text

Body = Mapping[str, Any]
Rows = list[list[Fraction]]
HMM_SIZES = [[1, 1], [1, 2], [2, 1], [2, 2], [3, 2]]
DECIMALS = {"4": 12 + 4, "12": 12 + 13, "30": 9 + 10, "31": 12 + 5, "39": 6 + 14}
PFA_PAIRS = [[1, 1], [1, 2], [2, 1], [2, 2]]


def _distribution(size: int, seed: int) -> list[Fraction]:
    """Distinct positive weights that sum to one."""
    parts = [Fraction((seed + 3) ** 2 + 7 * i * i + i + 1) for i in range(size)]
    return [part / sum(parts) for part in parts]


def _columns(rows: Rows, vector: Sequence[Fraction]) -> list[Fraction]:
    return [sum((w * v for w, v in zip(row, vector, strict=True)), Fraction(0)) for row in rows]


def _forward(model: tuple[Rows, Rows, list[Fraction]], word: Sequence[int]) -> Fraction:
    """The probability by the forward recursion of hidden states."""
    moves, seen, start = model
    mass = [p * o for p, o in zip(start, seen[word[0]], strict=True)]
    for x in word[1:]:
        mass = [
            sum((m * moves[i][j] for i, m in enumerate(mass)), Fraction(0)) * seen[x][j]
            for j in range(len(start))
        ]
    return sum(mass, Fraction(0))


def _weight(model: tuple[Rows, Rows, list[Fraction]], word: Sequence[int]) -> Fraction:
    """αᵀ A^x1 ⋯ A^xk β, from right to left."""
    moves, seen, start = model
    vector = [Fraction(1)] * len(start)
    for x in reversed(word):
        vector = [o * v for o, v in zip(seen[x], _columns(moves, vector), strict=True)]
    return sum((p * v for p, v in zip(start, vector, strict=True)), Fraction(0))


def hmm(body: Body) -> str:
    """An HMM's probabilities, its automaton, and their sum at each length."""
    only(body, {"kind", "sizes", "paths"})
    agree("sizes", sequence(body, "sizes"), HMM_SIZES)
    paths = 0
    for n, p in HMM_SIZES:
        columns = [_distribution(p, 5 * i + 1) for i in range(n)]
        seen = [list(row) for row in zip(*columns, strict=True)]
        model = ([_distribution(n, i) for i in range(n)], seen, _distribution(n, 11))
        for length in range(1, (3 if n < 3 else 2) + 1):
            words = list(product(range(p), repeat=length))
            for word in words:
                agree(f"n = {n}, word {word}", _weight(model, word), _forward(model, word))
            agree("mass", sum(_weight(model, word) for word in words), 1)
            paths += len(words) * n**length
    agree("hidden paths", integer(body, "paths"), paths)
    return f"HMM and automaton agree for {len(HMM_SIZES)} sizes, {paths} hidden paths"


def free_index(body: Body) -> str:
    """Σ over i_1 of π_i O_{x,i_1} with i fixed, two states that both emit the symbol."""
    only(body, {"kind", "initial", "values"})
    initial = [fraction(value) for value in sequence(body, "initial", 2)]
    agree("initial distribution", initial, [1, 0])
    values = [fraction(value) for value in sequence(body, "values", 2)]
    agree("values", values, [2 * weight for weight in initial])
    if 1 in values:
        raise Refused("one choice of the free index is right")
    return f"with a free index the sum is {values[0]} or {values[1]}, never 1"


def lengths(body: Body) -> str:
    """One state, one symbol: words of two lengths have more than all the mass."""
    only(body, {"kind", "values"})
    values = [fraction(value) for value in sequence(body, "values", 2)]
    agree("weights of a and aa", values, [Fraction(1) ** k for k in (1, 2)])
    return f"two words have probability {sum(values)} together"


def rows(body: Body) -> str:
    """One state that emits two symbols alike: rows of A^x sum to 1/2."""
    only(body, {"kind", "sums"})
    values = [fraction(value) for value in sequence(body, "sums", 2)]
    agree("row sums", values, [Fraction(1, 2), 1 - Fraction(1, 2)])
    return "rows of A^a and A^b sum to 1/2, not to 1"


def pfa(body: Body) -> str:
    """PFAs at rational points: weights by recursion over paths, and the telescoping sum."""
    only(body, {"kind", "pairs", "words"})
    agree("pairs", sequence(body, "pairs"), PFA_PAIRS)
    seen = 0
    for n, p in PFA_PAIRS:
        shares = [_distribution(n * p + 1, 3 * q + 2) for q in range(n)]
        moves = [[shares[q][a * n : a * n + n] for q in range(n)] for a in range(p)]
        final, start = [row[-1] for row in shares], _distribution(n, 4)
        mass, under_way = Fraction(0), start
        for length in range(3):
            words = list(product(range(p), repeat=length))
            mass += sum(_paths(moves, final, start, word) for word in words)
            total = [
                [sum((m[i][j] for m in moves), Fraction(0)) for j in range(n)] for i in range(n)
            ]
            under_way = [
                sum((u * total[i][j] for i, u in enumerate(under_way)), Fraction(0))
                for j in range(n)
            ]
            agree(f"mass up to length {length}", mass, 1 - sum(under_way))
            seen += len(words)
    agree("words", integer(body, "words"), seen)
    return f"{seen} words: sums over paths telescope to 1 less what is under way"


def _paths(moves: list[Rows], final: list[Fraction], start: list[Fraction], word: Any) -> Fraction:
    total = Fraction(0)
    for path in product(range(len(start)), repeat=len(word) + 1):
        steps = [moves[a][i][j] for a, i, j in zip(word, path, path[1:], strict=False)]
        total += start[path[0]] * prod(steps, start=Fraction(1)) * final[path[-1]]
    return total


def reach(body: Body) -> str:
    """In every graph of up to three states a stop that can be reached is fewer than |Q| steps off."""
    only(body, {"kind", "states", "graphs"})
    agree("states", integer(body, "states"), 3)
    graphs = 0
    for n in (1, 2, 3):
        for edges in range(1 << n * n):
            within = _within(n, edges)
            for stops in range(1 << n):
                graphs += 1
                for q in range(n):
                    if within[n - 1][q] & stops == 0 and within[2 * n][q] & stops:
                        raise Refused(f"{n} states: a stop is {n} steps off or more")
    agree("graphs", integer(body, "graphs"), graphs)
    return f"{graphs} graphs: a stop that can be reached is fewer than |Q| steps off"


def _within(n: int, edges: int) -> list[list[int]]:
    """For each number of steps, the set (as bits) that each state reaches within them."""
    next_to = [edges >> (q * n) & ((1 << n) - 1) for q in range(n)]
    rows = [[1 << q for q in range(n)]]
    for _ in range(2 * n):
        last = rows[-1]
        rows.append([_union(last[q], next_to) for q in range(n)])
    return rows


def _union(known: int, next_to: list[int]) -> int:
    grown = known
    for q, bits in enumerate(next_to):
        if known >> q & 1:
            grown |= bits
    return grown


def partial(body: Body) -> str:
    """A triple that the sum asks for and P does not know."""
    only(body, {"kind", "asked", "defined"})
    asked, defined = sequence(body, "asked", 1), sequence(body, "defined")
    agree("triples of one state and one symbol", asked, [[0, "a", 0]])
    agree("triples where P is defined", defined, [])
    return "the sum asks for P(0, a, 0), where P has no value"


def extended(body: Body) -> str:
    """Every relation on up to two states: 1/(1 + out) for each move and the stop sums to one."""
    only(body, {"kind", "states", "relations"})
    agree("states", integer(body, "states"), 2)
    relations = sum(1 << n * n for n in (1, 2))
    for out in (0, 1, 2):
        agree("sum", (out + 1) * Fraction(1, out + 1), 1)
    agree("relations", integer(body, "relations"), relations)
    return f"{relations} relations, extended by zero, have weights that sum to one"


def gaps(body: Body) -> str:
    """How far sums of the data are from one."""
    only(body, {"kind", "gaps", "largest"})
    table = sequence(body, "gaps", 5)
    agree("automata", [row[0] for row in table], list(DECIMALS))
    values = [fraction(row[1]) for row in table]
    for count, value in zip(DECIMALS.values(), values, strict=True):
        if not 0 <= value <= Fraction(count, 10**12):
            raise Refused(f"a gap of {value} is no rounding of {count} decimals")
    agree("largest gap", fraction(body["largest"]), max(values))
    return f"sums of five automata are within {max(values)} of one, as stated of the files"


def counting(body: Body) -> str:
    """The printed automaton: integer powers and all words of up to eight letters."""
    only(body, {"kind", "vectors", "matrices"})
    agree("vectors", sequence(body, "vectors"), [["0", "1"], ["1", "0"]])
    printed = [[["1", "0"], ["1", "1"]], [["1", "0"], ["0", "1"]]]
    agree("matrices", sequence(body, "matrices"), printed)
    for length in range(9):
        for word in product((0, 1), repeat=length):
            first, second = 0, 1
            for letter in word:
                first, second = (first + second, second) if letter == 0 else (first, second)
            agree(f"state after {word}", (first, second), (word.count(0), 1))
    return "the state is (number of zeros, 1) for all words of up to eight letters"


def k_counting(body: Body) -> str:
    """The repaired automaton on words, letter by letter: row k+1 is added at coordinate i."""
    only(body, {"kind", "largest", "spare"})
    largest, spare = integer(body, "largest", 0), integer(body, "spare", 0)
    if (largest, spare) not in ((6, 2), (2, 1)):
        raise Refused(f"k up to {largest} with {spare} other letters: not known")
    for k in range(largest + 1):
        for word in product(range(k + spare), repeat=3 if k < 4 else 2):
            state = [0] * k + [1]
            for letter in word:
                if letter < k:
                    state[letter] += state[k]
            agree(f"k = {k}, word {word}", state, [word.count(i) for i in range(k)] + [1])
    return f"counts and a one for k ≤ {largest} with {spare} letters that are not counted"


def never_counts(body: Body) -> str:
    """α = e_1: the coordinate k + 1 is 0, so nothing is ever added."""
    only(body, {"kind", "k", "word", "state"})
    agree("k", integer(body, "k"), 1)
    agree("word", text(body, "word"), "")
    state = [fraction(value) for value in sequence(body, "state", 2)]
    agree("state", state, [1, 0])
    for _ in range(4):
        agree("state after one more 0", [state[0] + state[1], state[1]], state)
    return "the printed initial state (1, 0) never changes and is not (0, 1)"


def basis(body: Body) -> str:
    """A basis vector that is not among e_1 … e_{k+1}."""
    only(body, {"kind", "k", "asked", "basis"})
    agree("k", integer(body, "k"), 1)
    agree("basis", sequence(body, "basis"), [1, 2])
    agree("asked", sequence(body, "asked"), [0])
    return "e_0 is not among e_1, e_2"


def fewer(body: Body) -> str:
    """Two states give the sum of two counts."""
    only(body, {"kind", "k", "states", "longest"})
    agree("sizes", [integer(body, f) for f in ("k", "states", "longest")], [2, 2, 6])
    for length in range(7):
        total = 0
        for _ in range(length):
            total += 1
        for word in product((0, 1), repeat=length):
            agree("sum of counts", word.count(0) + word.count(1), total)
    return "a word over the two counted letters has as many as its length: two states do"


def rank(body: Body) -> str:
    """Rows e_{k+1} and e_i + e_{k+1}: subtract the first, and k + 1 unit vectors remain."""
    only(body, {"kind", "largest", "ranks"})
    largest = integer(body, "largest", 0)
    if largest > 64:
        raise Refused(f"k up to {largest}: expected at most 64")
    ranks = []
    for k in range(largest + 1):
        unit = [[int(i == j) for j in range(k + 1)] for i in range(k + 1)]
        states = [unit[k]] + [
            [a + b for a, b in zip(unit[i], unit[k], strict=True)] for i in range(k)
        ]
        reduced = [[a - b for a, b in zip(row, unit[k], strict=True)] for row in states[1:]]
        ranks.append(len({tuple(row) for row in [*reduced, unit[k]]}))
    agree("ranks", sequence(body, "ranks"), ranks)
    return f"count vectors span k + 1 dimensions for k ≤ {largest}"


def read(body: Body) -> str:
    """The printed α reads the first entry of β on the empty word, where all counts are 0."""
    only(body, {"kind", "beta", "empty", "k"})
    agree("k", integer(body, "k"), 2)
    beta = sequence(body, "beta", 3)
    if beta not in ([1, 1, 0], [1, -1, 0]):
        raise Refused(f"final vector {beta!r}: not known")
    agree("weight of the empty word", fraction(body["empty"]), beta[0])
    return f"β = {beta}: the empty word has weight {beta[0]} where it should have 0"


def second_order(body: Body) -> str:
    """h ← h² from h = 2: Hankel determinants are not 0, and values outgrow every exponential."""
    only(body, {"kind", "values", "determinants"})
    values = sequence(body, "values", 7)
    for before, after in pairwise(values):
        agree("square", after, before * before)
    agree("start", values[0], 2)
    minors = [_determinant([values[i : i + size] for i in range(size)]) for size in range(1, 5)]
    agree("determinants", sequence(body, "determinants"), [str(minor) for minor in minors])
    if 0 in minors:
        raise Refused("a Hankel determinant is 0")
    return "2^(2^t): Hankel rank above 4, and each value is the square of the one before"


def _determinant(rows: list[list[int]]) -> int:
    if len(rows) == 1:
        return rows[0][0]
    minors = [[row[:j] + row[j + 1 :] for row in rows[1:]] for j in range(len(rows))]
    return sum((-1) ** j * rows[0][j] * _determinant(minor) for j, minor in enumerate(minors))


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "families.hmm": hmm,
    "families.free-index": free_index,
    "families.lengths": lengths,
    "families.rows": rows,
    "families.pfa": pfa,
    "families.reach": reach,
    "families.partial": partial,
    "families.extended": extended,
    "families.gaps": gaps,
    "families.counting": counting,
    "families.k-counting": k_counting,
    "families.never-counts": never_counts,
    "families.basis": basis,
    "families.fewer": fewer,
    "families.rank": rank,
    "families.read": read,
    "families.second-order": second_order,
}
