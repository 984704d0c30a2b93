"""Certificates of the error analysis: plain data for the re-checker.

A ball becomes a rational just below or just above it, with few digits, so that the re-checker's
own intervals decide the comparison again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import flint

from constructions.multiplication import Multiplier
from constructions.wfa import WFA
from verify.bounds.search import Counterexample
from verify.evidence import Plain

KEPT = 48
Letters = tuple[str, ...]


def _exact(value: flint.arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _unit(value: Fraction) -> Fraction:
    """The power of two that is KEPT bits below a number."""
    size = abs(value.numerator).bit_length() - value.denominator.bit_length()
    return Fraction(2) ** (size - KEPT)


def below(value: flint.arb) -> Fraction:
    """A short rational just below a ball."""
    exact = _exact(value.lower())
    unit = _unit(exact)
    return exact // unit * unit


def above(value: flint.arb) -> Fraction:
    """A short rational just above a ball."""
    exact = _exact(value.upper())
    unit = _unit(exact)
    return -(-exact // unit) * unit


def plain_automaton(automaton: WFA) -> dict[str, Plain]:
    """α and the transitions of a rational automaton."""
    letters: dict[str, Plain] = {
        symbol: [[str(value) for value in row] for row in rows]
        for symbol, rows in automaton.transitions.items()
    }
    return {"alpha": [str(value) for value in automaton.alpha], "transitions": letters}


def counterexample(found: Counterexample, pads: bool = False) -> dict[str, Plain]:
    """A layer whose error exceeds the right side of Equation (1)."""
    return {
        "kind": "theorem2.recursion",
        "weight": str(found.weight),
        "length": found.length,
        "saturation": str(found.saturation),
        "reading": found.reading,
        "pads": pads,
        "layer": found.layer,
        "error": str(below(found.error)),
        "bound": str(above(found.bound)),
    }


def derivation(
    left: Sequence[Letters],
    right: Sequence[Letters],
    bounds: Mapping[str, str],
    plus: Sequence[Letters] = (),
    minus: Sequence[Letters] = (),
) -> dict[str, Plain]:
    """(Σ left)(Σ right) + Σ plus - Σ minus, expanded, with the majorant of its norm."""
    total = Counter(a + b for a in left for b in right)
    total.update(plus)
    total.subtract(minus)
    terms = [word for word, count in total.items() for _ in range(count)]
    majorant = Counter("*".join(sorted(bounds[letter] for letter in word)) for word in terms)
    return {
        "kind": "theorem2.derivation",
        "left": [list(word) for word in left],
        "right": [list(word) for word in right],
        "plus": [list(word) for word in plus],
        "minus": [list(word) for word in minus],
        "terms": [list(word) for word in terms],
        "bounds": dict(bounds),
        "majorant": dict(majorant),
    }


def multiplier(made: Multiplier, eps: Fraction) -> dict[str, Plain]:
    """The weights of a slim MLP that matter, and the ε that each entry keeps."""
    return {
        "kind": "mlp.multiplier",
        "n": made.n,
        "units": made.units,
        "bound": str(eps),
        **unit_weights(made),
    }


def unit_weights(made: Multiplier) -> dict[str, Plain]:
    """Activation, point, step, scale and radius."""
    return {
        "activation": made.activation,
        "point": str(made.point),
        "step": str(made.step),
        "scale": str(made.scale),
        "radius": str(made.radius),
    }
