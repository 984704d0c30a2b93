"""Confirms the measured errors of Theorem 2's model by a plain pass in fixed-point intervals.

soft.measured   exact products: errors, right sides, ratios and rates; runs with MLPs are trusted
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from verify.recheck.declarations import ByName, Rising, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, agree, list_in, only
from verify.recheck.kernel import interval
from verify.recheck.kernel.soft import Layer, Model, Norm, Token, fixed, span, spectral
from verify.recheck.kinds.soft_attention import (
    at_most,
    corrected_sides,
    near,
    step,
    weight,
)

Table = Mapping[str, Any]
AGAINST = ("corrected", "printed", "rate")
MOST_STATES, MOST_LETTERS = 3, 4
TRUST = "the runs with MLPs: their errors, and what the MLPs' own error is measured to be"


def matrices(given: object) -> dict[str, Token]:
    """Matrices of one size by letter, with at most three rows."""
    if not isinstance(given, dict) or not 1 <= len(given) <= MOST_LETTERS:
        raise Refused(f"automata: expected one to {MOST_LETTERS} letters")
    found: dict[str, Token] = {}
    for letter, rows in given.items():
        if (
            not isinstance(rows, list)
            or not 1 <= len(rows) <= MOST_STATES
            or any(not isinstance(row, list) or len(row) != len(rows) for row in rows)
        ):
            raise Refused(
                f"automata: {abbreviate(letter)} has no square matrix up to {MOST_STATES}"
            )
        found[letter] = tuple(weight(entry) for row in rows for entry in row)
    if len({len(token) for token in found.values()}) != 1:
        raise Refused("automata: the matrices have different sizes")
    return found


def mlp(given: object) -> tuple[str, str]:
    """An activation and ε = 10^-k as text."""
    if not isinstance(given, list) or len(given) != 2 or not all(isinstance(x, str) for x in given):
        raise Refused(f"mlps: {abbreviate(given)}, expected an activation and a number")
    return given[0], given[1]


@dataclass(frozen=True)
class Line:
    """One automaton on one word: its constants, and the layers at each."""

    name: str
    word: str
    largest: Norm
    constants: list[int]
    layers: list[list[Layer]]

    def sides(self, layers: Sequence[Layer]) -> tuple[Norm, Norm]:
        """Equation (1) iterated from the attention error of layer 1, and the corrected recursion."""
        factor = 2 * self.largest[0], 2 * self.largest[1]
        printed = layers[0].attention
        for _ in layers:
            printed = step(factor, printed)
        return printed, corrected_sides(layers)[-1]

    def ratio(self) -> Norm:
        """Error over Equation (1)'s bound at the largest C."""
        (low, high), (bound, _) = self.layers[-1][-1].error, self.sides(self.layers[-1])
        return low / bound[1], high / bound[0]

    def rate(self) -> Norm:
        """-Δ ln(error) / ΔC between the two largest C."""
        one, two = (layers[-1].error for layers in self.layers[-2:])
        width = self.constants[-1] - self.constants[-2]
        falls = interval.log(one[0] / two[1], 64)[0], interval.log(one[1] / two[0], 64)[1]
        return falls[0] / width, falls[1] / width


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


def gap(length: int) -> Norm:
    """1 - cos(π/M)."""
    low, high = interval.cos_pi(Fraction(1, span(length)), 128)
    return 1 - high, 1 - low


def lines(
    automata: Mapping[str, dict[str, Token]],
    words: Mapping[str, str],
    length: int,
    decades: Sequence[int],
) -> list[Line]:
    """Every automaton on its word at every C, with exact products; facts share the last runs."""
    given = tuple((name, tuple(letters.items())) for name, letters in automata.items())
    return list(_lines(given, tuple(words.items()), length, tuple(decades)))


@lru_cache(2)
def _lines(
    given: tuple[tuple[str, tuple[tuple[str, Token], ...]], ...],
    spelled: tuple[tuple[str, str], ...],
    length: int,
    decades: tuple[int, ...],
) -> list[Line]:
    automata, words = {name: dict(letters) for name, letters in given}, dict(spelled)
    agree("words", sorted(words), sorted(automata))
    constants = [constant(k, length) for k in decades]
    found = []
    for name, letters in automata.items():
        word, (first, *_) = words[name], letters.values()
        if len(word) != length or not set(word) <= set(letters):
            raise Refused(f"words: {abbreviate(word)}, expected {length} letters of {name}")
        norms = [_norm(token) for token in letters.values()]
        largest = max(n[0] for n in norms), max(n[1] for n in norms)
        n = {1: 1, 4: 2, 9: 3}[len(first)]
        tokens = [letters[letter] for letter in word]
        layers = [
            [layer for layer, _ in Model(n, length, Fraction(c)).layers(tokens)] for c in constants
        ]
        found.append(Line(name, word, largest, constants, layers))
    return found


def _norm(token: Token) -> Norm:
    bits = 256
    low, high = spectral([fixed(entry, bits) for entry in token])
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)


@confirms(
    "soft.measured", "enclosure", trust=TRUST,
    automata=ByName(matrices, 1, 10), words=ByName(str, 1, 10), length=(2, 16),
    decades=Rising((1, 64), 2, 16), mlps=[mlp, 0, 6], against=AGAINST,
)  # fmt: skip
def measured(
    automata: dict[str, dict[str, Token]], words: dict[str, str], length: int, decades: list[int],
    against: str, certificate: Table, mlps: Sequence[tuple[str, str]] = (),
) -> Recomputed:  # fmt: skip
    """The runs with exact products again, against one right side or the rate."""
    found = lines(automata, words, length, decades)
    values = certificate["values"]
    if against == "corrected":
        for line in found:
            for layers in line.layers:
                sides = corrected_sides(layers)
                if not all(at_most(x.error, y) for x, y in zip(layers, sides, strict=True)):
                    raise Refused(f"{line.name}: a layer errs by more than the corrected bound")
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


def _rates(values: Table, found: Sequence[Line], length: int) -> Recomputed:
    only(values, {"gap", "rates"})
    agree("automata", sorted(values["rates"]), sorted(line.name for line in found))
    wanted = gap(length)
    near("gap", values["gap"], wanted, up=False)
    for line in found:
        rate = line.rate()
        near(f"rate of {line.name}", values["rates"][line.name], rate, up=False)
        if abs(rate[0] / wanted[1] - 1) >= Fraction(1, 1000):
            return Recomputed(False, values, {"automaton": line.name})
    return Recomputed(True, values)


def _drawing(values: Table, found: Sequence[Line], length: int, mlps: Sequence[Any]) -> None:
    only(values, {"drawing"})
    drawing = values["drawing"]
    only(drawing, {"length", "panels"})
    agree("length", drawing["length"], length)
    panels = list_in(drawing, "panels", len(found), len(found))
    for panel, line in zip(panels, found, strict=True):
        only(
            panel, {"label", "states", "norm", "word", "C", "error", "printed", "corrected", "mlps"}
        )
        agree("automaton", (panel["label"], panel["word"]), (line.name, line.word))
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
        agree("MLPs", [(each["activation"], each["eps"]) for each in panel["mlps"]], list(mlps))
