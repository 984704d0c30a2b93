"""The two pictures a reader wants: the certified error against C, and the attention of a sample word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil

import flint

from constructions import theorem1, theorem3
from constructions.automata.trees import balanced_tree, string
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.running.patterns import Pattern
from verify.automaton.numbers import at_most
from verify.automaton.report_data import Curve, Picture, Reads
from verify.automaton.soft import Softened
from verify.bounds.budget import BudgetRecursion, BudgetSubject, TooSoft
from verify.bounds.saturation import Saturation, UniformBounds
from verify.bounds.scaled import soft_errors

SHARES = tuple(Fraction(k, 8) for k in range(2, 13))
LONGEST, LEAVES = 8, 4
LARGEST_STATES = 12


def word_curves(
    wfa: WFA, length: int, needed: Saturation, known: UniformBounds | None = None
) -> tuple[Curve, ...]:
    """The bound on the error of the soft model, around the C that was found."""
    if length < 2 or not needed.constant:
        return ()
    errors = soft_errors(wfa, length, known)
    return _curve("soft attention, exact products", needed.constant, errors)


def tree_curves(soft: Softened) -> tuple[Curve, ...]:
    """The same for each tree model."""
    return tuple(
        curve
        for name, found in soft.found.items()
        for curve in _curve(
            f"{name} model", Fraction(found.saturation), _bound(soft.subjects[name])
        )
    )


def _bound(subject: BudgetSubject) -> Callable[[Fraction], flint.arb]:
    recursion = BudgetRecursion(subject)

    def at(constant: Fraction) -> flint.arb:
        try:
            return ball(recursion.bound(ceil(constant)))
        except TooSoft:
            return flint.arb("inf")

    return at


def _curve(
    label: str, constant: Fraction, error: Callable[[Fraction], flint.arb]
) -> tuple[Curve, ...]:
    constants = sorted({ceil(constant * share) for share in SHARES} - {0})
    errors = [(c, error(Fraction(c))) for c in constants]
    points = [(str(c), at_most(e)) for c, e in errors if e.is_finite() and e > 0]
    if len(points) < 2:
        return ()
    return (Curve(label, tuple(c for c, _ in points), tuple(e for _, e in points)),)


def word_picture(wfa: WFA, length: int, word: Sequence[str]) -> Picture | None:
    """The exact model for a short word, at the word's own length."""
    if wfa.n > LARGEST_STATES:
        return None
    short = tuple(word[: min(length, LONGEST)])
    model = theorem1.build(wfa, len(short))
    return Picture(short, _reads(model.attention(short)), model.draw(short))


def tree_picture(wta: WTA, length: int) -> Picture | None:
    """Theorem 3's model for a small balanced tree, at the tree's own length."""
    if wta.n > LARGEST_STATES:
        return None
    leaves = min(LEAVES, theorem3.most_leaves(length))
    symbols = string(balanced_tree([wta.alphabet[i % len(wta.alphabet)] for i in range(leaves)]))
    model = theorem3.build(wta, len(symbols))
    return Picture(symbols, _reads(model.attention(symbols)), model.draw(symbols))


def _reads(patterns: Sequence[Pattern]) -> tuple[Reads, ...]:
    return tuple(Reads(pattern.layer, pattern.head, tuple(pattern.reads())) for pattern in patterns)
