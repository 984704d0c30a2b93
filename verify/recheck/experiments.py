"""Re-checks what is said of training: the one-layer counter, committed runs, hypotheses met.

`experiments.counting-one-layer`  average over the past times the position, against products of the
    automaton's matrices, on all short words; the induction step on a grid that exceeds its degree
`experiments.counting-soft`       the unmasked soft layer, with exp enclosed by series, on all short
    words, against 3(T + 1)/(K - 1)
`experiments.sizes`               whether a trained width, depth or hidden size reaches what a
    theorem asks for n states and length T
`experiments.necessary`           which numbers of layers of Table 1 exceed what is always enough
`experiments.k-counting`, `.k-step`   the k-counting automaton on a word, and one step of it
`experiments.split`, `.heads`, `.data`, `.unsaid`   what Appendix D.1 says of the training
`experiments.residual`            a layer with zero weights that does not return zero
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from verify.recheck.bounds import exp
from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.tables import TABLE1, rows

Body = Mapping[str, Any]
LONGEST = 12
PAPER = "f4c4ba0a91ffd817f0bf49d3fdfac62ed34e8a6d00420ebf296bae88e325f889"


def counting_one_layer(body: Body) -> str:
    """One causal averaging layer returns the states of the zero-counting automaton."""
    only(body, {"kind", "layers", "embedding", "longest", "alpha", "zero", "other"})
    agree("layers", integer(body, "layers"), 1)
    agree("embedding", integer(body, "embedding"), 4)
    longest = integer(body, "longest", 1)
    if longest > LONGEST:
        raise Refused(f"longest is {longest}, expected at most {LONGEST}")
    agree("alpha", [fraction(x) for x in sequence(body, "alpha", 2)], [0, 1])
    matrices = {"0": _matrix(body, "zero"), "1": _matrix(body, "other")}
    agree("automaton", matrices, {"0": [[1, 0], [1, 1]], "1": [[1, 0], [0, 1]]})
    for length in range(longest + 1):
        for word in product("01", repeat=length):
            _follow(word, matrices)
    _step_on_a_grid()
    return f"one layer counts zeros on all words of length 0 to {longest}, and by induction"


def _matrix(body: Body, field: str) -> list[list[Fraction]]:
    return [[fraction(x) for x in row] for row in sequence(body, field, 2)]


def _follow(word: tuple[str, ...], matrices: Mapping[str, list[list[Fraction]]]) -> None:
    state = [Fraction(0), Fraction(1)]
    marks = [0]
    for letter in word:
        rows = matrices[letter]
        state = [state[0] * rows[0][j] + state[1] * rows[1][j] for j in range(2)]
        marks.append(int(letter == "0"))
        average = Fraction(sum(marks), len(marks))
        agree(f"state on {''.join(word)}", [len(marks) * average, 1], state)


def _step_on_a_grid() -> None:
    """(t+2) ((t+1) c/(t+1) + z)/(t+2) = c + z: degree at most 2 in each, so 4 points decide."""
    for t, c, z in product(range(4), range(4), range(4)):
        later = (Fraction(t + 1) * Fraction(c, t + 1) + z) / (t + 2)
        agree("induction step", (t + 2) * later, c + z)


def counting_soft(body: Body) -> str:
    """One soft layer without a mask stays within 3(T + 1)/(K - 1)."""
    only(body, {"kind", "longest", "bases"})
    longest = integer(body, "longest", 0)
    bases = sequence(body, "bases")
    if longest > 4 or not bases or not all(type(k) is int and 2 <= k <= 4096 for k in bases):
        raise Refused("expected words up to length 4 and bases from 2 to 4096")
    for base in bases:
        for length in range(longest + 1):
            for word in product("01", repeat=length):
                _soft_word(word, base)
    return f"the soft layer keeps its bound on all words of length 0 to {longest}"


def _soft_word(word: tuple[str, ...], base: int) -> None:
    marks = [0, *(int(letter == "0") for letter in word)]
    limit = Fraction(3 * len(marks), base - 1)
    for place in range(1, len(marks) + 1):
        weights = [_weight(place, other, base) for other in range(1, len(marks) + 1)]
        low = sum((w[0] for w, z in zip(weights, marks, strict=True) if z), Fraction(0))
        high = sum((w[1] for w, z in zip(weights, marks, strict=True) if z), Fraction(0))
        least, most = sum(w[0] for w in weights), sum(w[1] for w in weights)
        count = sum(marks[:place])
        if place * high / least - count > limit or count - place * low / most > limit:
            raise Refused(f"the count of {''.join(word)} is not within {limit} at {place}")


def _weight(place: int, other: int, base: int) -> tuple[Fraction, Fraction]:
    """exp(-K^(2q - 2p - 1)): tiny after p, where e^-x ≤ 1/(1 + x) is enough."""
    exponent = 2 * (other - place) - 1
    score = Fraction(base) ** exponent
    if exponent > 0:
        return Fraction(0), 1 / (1 + score)
    return exp(-score, 64)


def sizes(body: Body) -> str:
    """Whether a trained size reaches the size that a theorem's construction has."""
    only(body, {"kind", "what", "states", "length", "needed", "trained", "met"})
    n, length = integer(body, "states", 1), integer(body, "length", 1)
    asked = {
        "embedding": 2 * n * n + 2,
        "hidden": (2 * n * n + 2) * (2 * n * n + 1) // 2,
        "depth": (length - 1).bit_length(),
        "pads": length,
    }
    what = text(body, "what")
    if what not in asked:
        raise Refused(f"size {what!r} is not known")
    agree("needed", integer(body, "needed"), asked[what])
    met = integer(body, "trained", 0) >= asked[what]
    agree("met", body["met"], met)
    return f"{what} {body['trained']} {'reaches' if met else 'is below'} {asked[what]} (n = {n})"


def necessary(body: Body) -> str:
    """Numbers of layers of Table 1 that exceed ⌈log₂ T⌉, with which Theorem 1 is exact."""
    only(body, {"kind", "length", "depth", "entries", "over"})
    table = {row[0]: row[5] for row in rows(TABLE1)}
    agree("entries", body["entries"], table)
    agree("length", integer(body, "length"), 64)
    depth = (body["length"] - 1).bit_length()
    agree("depth", integer(body, "depth"), depth)
    more = [p for p, layers in table.items() if layers.isdigit() and int(layers) > depth]
    agree("numbers above it", sequence(body, "over"), more)
    return f"{depth} layers are enough at T = 64; more are printed for {', '.join(more)}"


def k_counting(body: Body) -> str:
    """The state of the automaton A^i = I + e_3 e_iᵀ (i < 2) on a word."""
    only(body, {"kind", "alpha", "word", "state", "counts"})
    state = [fraction(x) for x in sequence(body, "alpha", 3)]
    if sorted(state) != [0, 0, 1]:
        raise Refused("alpha is no unit vector")
    word = sequence(body, "word")
    for symbol in word:
        if symbol not in (0, 1, 2):
            raise Refused(f"symbol {symbol!r} is not one of three")
        if symbol < 2:
            state[symbol] += state[2]
    agree("state", [fraction(x) for x in sequence(body, "state", 3)], state)
    agree("counts", body["counts"], state == [word.count(0), word.count(1), 1])
    return f"the state is {', '.join(map(str, state))}"


def k_step(body: Body) -> str:
    """α = e_{k+1} and A^i = I + e_{k+1} e_iᵀ: one more of symbol i from every state (c, 1)."""
    only(body, {"kind", "counted", "symbols"})
    agree("counted", sequence(body, "counted"), [2, 4, 6, 8])
    symbols = integer(body, "symbols", 8)
    for counted, symbol in product(body["counted"], range(symbols)):
        for units in range(counted + 1):
            state = [int(j == units) for j in range(counted)] + [1]
            after = list(state)
            if symbol < counted:
                after[symbol] += state[counted]
            wanted = [x + int(j == symbol) for j, x in enumerate(state[:counted])] + [1]
            agree(f"step k = {counted}, symbol {symbol}", after, wanted)
    return f"every symbol counts once for k in {body['counted']}"


def split(body: Body) -> str:
    """Shares of the examples."""
    only(body, {"kind", "examples", "shares", "parts"})
    count, shares = integer(body, "examples", 1), sequence(body, "shares", 3)
    agree("shares", shares, [80, 10, 10])
    agree("parts", sequence(body, "parts"), [count * share // 100 for share in shares])
    agree("sum of parts", sum(body["parts"]), count)
    return f"{body['parts']} of {count}"


def heads(body: Body) -> str:
    """Whether the number of heads divides every width."""
    only(body, {"kind", "heads", "widths", "divide"})
    count, widths = integer(body, "heads", 1), sequence(body, "widths")
    agree("heads", count, 2)
    agree("widths", widths, [2, 4, 8, 16, 32, 64])
    agree("divide", body["divide"], all(width % count == 0 for width in widths))
    return f"{count} heads divide {widths}"


def data(body: Body) -> str:
    """One sequence for each t in [T] is not the announced number of examples."""
    only(body, {"kind", "lengths", "examples"})
    agree("lengths", sequence(body, "lengths"), [16, 32, 64])
    agree("examples", integer(body, "examples"), 10_000)
    if body["examples"] in body["lengths"]:
        raise Refused("the numbers agree")
    return f"{body['lengths']} sequences, {body['examples']} announced"


def unsaid(body: Body) -> str:
    """Choices that the source with the stated digest does not mention."""
    only(body, {"kind", "paper", "unsaid"})
    agree("paper", text(body, "paper"), PAPER)
    found = sequence(body, "unsaid")
    if not set(found) <= {"epochs", "batch", "dropout", "activation", "positions"}:
        raise Refused(f"choices {found!r} are not known")
    return f"not mentioned: {', '.join(found) or 'nothing'}"


def residual(body: Body) -> str:
    """Zero weights: (1, -1) normalised has variance above 0, where Section 2.4 returns 0."""
    only(body, {"kind", "input", "section", "positive"})
    values = [fraction(x) for x in sequence(body, "input", 2)]
    agree("input", values, [1, -1])
    agree("section", [fraction(x) for x in sequence(body, "section", 2)], [0, 0])
    variance = sum(x * x for x in values) / 2
    agree("positive", body["positive"], variance > 0)
    return "a layer with zero weights keeps its input"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "experiments.counting-one-layer": counting_one_layer,
    "experiments.counting-soft": counting_soft,
    "experiments.sizes": sizes,
    "experiments.necessary": necessary,
    "experiments.k-counting": k_counting,
    "experiments.k-step": k_step,
    "experiments.split": split,
    "experiments.heads": heads,
    "experiments.data": data,
    "experiments.unsaid": unsaid,
    "experiments.residual": residual,
}
