"""Confirms constants C by the corrected recursion with norms of all short words, listed anew.

Automata have at most two states, whose spectral norms have a formula. A constant is confirmed to
be the least one by showing that it serves and that the next smaller one does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from verify.recheck.declarations import ByName, Fields, confirms
from verify.recheck.errors import (
    Recomputed,
    Refused,
    abbreviate,
    agree,
    fraction,
    only,
    text,
)
from verify.recheck.kernel import interval
from verify.recheck.kernel.fixed import fixed
from verify.recheck.kernel.soft import Model, Norm, Token, identity, product, spectral
from verify.recheck.kinds.soft_attention import (
    constant,
    lengths,
    order,
    transitions,
    weight,
)

Table = Mapping[str, Any]
BITS, MOST_WORDS = 160, 1024


Automaton = tuple[tuple[Fraction, ...], dict[str, Token]]  # α and the transitions


@dataclass(frozen=True)
class Known:
    """An automaton at one length: μ_l and D_l by layer, ‖α‖ √(T+1), M, 1 - cos(π/M)."""

    alpha: tuple[Fraction, ...]
    letters: dict[str, Token]
    length: int
    size: int
    norms: list[Norm]
    diameters: list[Norm]
    readout: Norm

    def states(self, saturation: Fraction) -> Norm:
        """The corrected recursion for all words, times the readout's factor."""
        leak = Model(1, self.length, saturation).leak
        bound = (Fraction(0), Fraction(0))
        for norm, diameter in zip(self.norms, self.diameters, strict=True):
            ends = []
            for k in (0, 1):
                delta = bound[k] + leak[k] * diameter[k]
                ends.append(2 * norm[k] * delta + delta * delta)
            bound = ends[0], ends[1]
        return self.readout[0] * bound[0], self.readout[1] * bound[1]

    def closed_form_serves(self, saturation: int, eps: Fraction) -> bool:
        """Return True if exp(C (1 - cos(π/M))) is at least (2M-1) G max(1, F/ε)."""
        gap = [1 - end for end in reversed(interval.cos_pi(Fraction(1, self.size), BITS))]
        power = [interval.exp(saturation * end, BITS)[k] for k, end in enumerate(gap)]
        inside = [self._inside(k, eps) for k in (0, 1)]
        if power[0] >= inside[1]:
            return True
        if power[1] < inside[0]:
            return False
        raise Refused("the closed form is not decided")

    def _inside(self, end: int, eps: Fraction) -> Fraction:
        gain = Fraction(0)
        for norm, diameter in zip(self.norms, self.diameters, strict=True):
            gain = (gain + diameter[end]) * 3 * norm[end]
        return (2 * self.size - 1) * gain * max(Fraction(1), self.readout[end] / eps)


def known(automaton: Automaton, size: int) -> Known:
    """Bounds that hold for all words of one length."""
    alpha, letters = automaton
    layers = (size - 1).bit_length()
    norms, distances = growth(tuple(letters.values()), 1 << max(layers - 1, 0))
    places = [1 << layer for layer in range(layers)]
    diameters = [(2 * min(norms[k][0], distances[k][0]), 2 * min(norms[k][1], distances[k][1]))
                 for k in places]  # fmt: skip
    readout = interval.sqrt(sum((a * a for a in alpha), Fraction(0)) * (size + 1), BITS)
    return Known(alpha, letters, size, 1 << layers, [norms[k] for k in places], diameters, readout)


@lru_cache(maxsize=64)
def growth(letters: tuple[Token, ...], longest: int) -> tuple[list[Norm], list[Norm]]:
    """max ‖A^u‖ (at least 1) and max ‖A^u - I‖ over words of at most k letters, k = 0 … longest."""
    one = identity(1 if len(letters[0]) == 1 else 2)
    current: set[Token] = {one}
    norms: list[Norm] = [(Fraction(1), Fraction(1))]
    distances: list[Norm] = [(Fraction(0), Fraction(0))]
    for _ in range(longest):
        current = {product(a, b) for a in current for b in letters}
        if len(current) > MOST_WORDS:
            raise Refused(f"more than {MOST_WORDS} products of letters")
        away = [tuple(x - y for x, y in zip(token, one, strict=True)) for token in current]
        norms.append(_largest(norms[-1], list(current)))
        distances.append(_largest(distances[-1], away))
    return norms, distances


def _largest(before: Norm, tokens: Sequence[Token]) -> Norm:
    found = [spectral([fixed(x, BITS) for x in token]) for token in tokens]
    low, high = max(n[0] for n in found), max(n[1] for n in found)
    return max(before[0], Fraction(low, 1 << BITS)), max(before[1], Fraction(high, 1 << BITS))


WFA = Fields({"alpha": [weight, 1, 2], "transitions": transitions})


def automaton(given: Any) -> Automaton:
    """An automaton with at most two states."""
    read = WFA.read("automaton", given)
    agree("states", len(read["alpha"]), order(read["transitions"]))
    return tuple(read["alpha"]), read["transitions"]


def tolerance(value: Any) -> Fraction:
    """An error ε that is not too small to be decided."""
    eps = fraction(value)
    if not Fraction(1, 10**12) <= eps <= 1:
        raise Refused(f"{abbreviate(value)}, expected a number from 1e-12 to 1")
    return eps


ASKED: dict[str, Any] = {
    "automata": ByName(automaton, 1, 8),
    "lengths": lengths(8),
    "eps": tolerance,
}
Automata = dict[str, Automaton]


@confirms("saturation.closed-form", "enclosure", **ASKED)
def closed_form(
    automata: Automata, lengths: list[int], eps: Fraction, certificate: Table
) -> Recomputed:
    """Each constant is the least integer at or above the closed form, and keeps ε."""
    stated = certificate["values"].get("constants")
    agree("automata", sorted(stated), sorted(automata))
    for name, given in automata.items():
        agree("number of constants", len(stated[name]), len(lengths))
        for size, value in zip(lengths, stated[name], strict=True):
            found, saturation = known(given, size), constant(str(value))
            serves = [found.closed_form_serves(c, eps) for c in (value - 1, value)]
            if serves != [False, True] or not found.states(saturation)[1] < eps:
                raise Refused(
                    f"{abbreviate(name)}, T = {size}: C = {abbreviate(value)} is not the closed form"
                )
    return Recomputed(True, {"constants": stated})


@confirms("saturation.required", "enclosure", **ASKED)
def required(
    automata: Automata, lengths: list[int], eps: Fraction, certificate: Table
) -> Recomputed:
    """Each C is the least integer that keeps ε by the recursion, and C/2 fails for the word named."""
    values = certificate["values"]
    only(values, {"curves", "failing"})
    agree("automata", [curve["label"] for curve in values["curves"]], list(automata))
    agree("words", sorted(values["failing"]), sorted(automata))
    for curve in values["curves"]:
        only(curve, {"label", "x", "y"})
        agree("lengths", curve["x"], [str(size) for size in lengths])
        words = values["failing"][curve["label"]]
        for size, value, word in zip(lengths, curve["y"], words, strict=True):
            _confirm(known(automata[curve["label"]], size), constant(value), word, eps)
    return Recomputed(True, values)


def _confirm(found: Known, saturation: Fraction, word: str, eps: Fraction) -> None:
    if saturation.denominator > 1 or not found.states(saturation)[1] < eps:
        raise Refused(f"C = {saturation} is no integer that the recursion allows")
    if saturation == 1 or found.states(saturation - 1)[0] < eps:
        raise Refused(f"C = {saturation} may not be the least integer that the recursion allows")
    agree("letters of the word", len(text({"word": word}, "word")), found.length)
    tokens = [found.letters[letter] for letter in word]
    model = Model(order(found.letters), found.length, saturation / 2)
    if not model.state_error(found.alpha, tokens)[0] > eps:
        raise Refused(f"C/2 = {saturation / 2} may be enough for the word {abbreviate(word)}")
