"""Numbers for one automaton over sequences at a length: C, errors, digits, floating-point formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import flint

from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ball
from verify.automaton import enclosure, rounding
from verify.automaton.citation_status import by_statement
from verify.automaton.numbers import at_most, between, named, shown
from verify.automaton.report_data import Format, Quantity, decimal_digits, enough_digits, measured
from verify.automaton.runs import FloatRun, Word, consistent, format_row, text
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.growth import ProductNorms
from verify.bounds.saturation import Fineness, Saturation
from verify.bounds.scaled import ScaledNorms

MOST_BITS = 1 << 20


@dataclass(frozen=True)
class Asked:
    """What was asked, and what is known of it for all words."""

    wfa: WFA
    length: int
    eps: Fraction
    activation: str
    found: ProductNorms
    scaled: Sequence[ScaledNorms]
    needed: Saturation
    smooth: Fineness | None
    run: FloatRun
    sample: Word


def quantities(asked: Asked) -> Iterator[Quantity]:
    """Every constant, error and number of digits."""
    yield from _soft(asked)
    yield Quantity(
        "error of the exact model", "0", "exact arithmetic, all words", by_statement("thm1")
    )
    yield from _digits(asked)
    if asked.smooth is not None:
        yield from _smooth(asked, asked.smooth)


def _soft(asked: Asked) -> Iterator[Quantity]:
    """Softmax with exact products."""
    yield Quantity(
        "saturating constant C",
        whole(asked.needed.constant),
        f"soft attention with exact products stays within {shown(asked.eps)} for all words",
        "certified",
    )
    yield Quantity(
        "error of the soft model at this C",
        at_most(asked.needed.error),
        f"Frobenius norm over {asked.length + 1} states, exact arithmetic, all words",
        "certified",
    )
    yield measured(
        "error of the soft model at this C, float64",
        text(asked.run, asked.run.error("soft", "float64")),
        "sampled words; float64 rounds, which the certificate leaves out",
    )


def _digits(asked: Asked) -> Iterator[Quantity]:
    bits = rounding.bits_for(
        asked.wfa, asked.length, asked.found, ball(asked.eps), MOST_BITS, asked.scaled
    )
    yield _exact_digits(bits, f"keep the exact model within {shown(asked.eps)} for all words")
    scores = decimal_digits(score_bits(asked.needed))
    yield Quantity(
        "decimal digits of a soft score",
        str(scores),
        f"{scores} decimal digits suffice to keep every score C cos within 1",
        "certified",
    )


def _exact_digits(bits: int | None, what: str) -> Quantity:
    name = "decimal digits"
    if bits is None:
        return Quantity(
            name, "none found", f"{MOST_BITS} bits are not known to suffice to {what}", "none"
        )
    return enough_digits(name, bits, what)


def _smooth(asked: Asked, smooth: Fineness) -> Iterator[Quantity]:
    """What softmax and MLPs ask together."""
    units = 4 * asked.wfa.n**3
    yield Quantity(
        "saturating constant C, with MLPs",
        whole(smooth.constant),
        f"softmax and MLPs of 4n³ = {units} units stay within {shown(asked.eps)} for all words",
        "certified",
    )
    yield Quantity(
        "step of the MLPs",
        f"2^-{smooth.bits}",
        f"four {named(asked.activation)} units a product, in every layer",
        "certified",
    )
    yield Quantity(
        "error of the soft model with MLPs",
        at_most(smooth.error),
        f"Frobenius norm over {asked.length + 1} states, exact arithmetic, all words",
        "certified",
    )
    yield measured(
        "error of the soft model with MLPs, balls",
        smooth_error(asked, smooth),
        "the same on one sampled word, enclosed",
    )


def smooth_error(asked: Asked, smooth: Fineness) -> str:
    """The error of softmax and MLPs on one word, in balls, or why it was not computed."""
    if reason := enclosure.too_many_units(asked.wfa, asked.length):
        return reason
    units = FourUnits.of(asked.activation, smooth.bits)
    constant = max(1, ceil(smooth.constant))
    seen = enclosure.smooth_error(asked.wfa, asked.sample, constant, units)
    consistent("soft model with MLPs", smooth.error, float(seen.lower()), 0.0)
    return between(seen)


def whole(value: Fraction) -> str:
    """A saturating constant, rounded up to a whole number."""
    return str(ceil(value))


def score_bits(needed: Saturation) -> int:
    """Bits p with C √2 γ_7 ≤ 1 for u = 2^-p: √2 · 7 · 1.001 < 10, and 10 C u / (1 - 7u) ≤ 1."""
    return (11 * max(1, ceil(needed.constant))).bit_length()


def formats(asked: Asked) -> Iterator[Format]:
    """What each floating-point format does to the exact model."""
    wfa, length = asked.wfa, asked.length
    for precision in FORMATS:
        right = rounding.attention_is_right(precision, length)
        certain = rounding.state_error(precision, wfa, length, asked.found, asked.scaled)
        bound = certain if right else flint.arb("inf")
        range_ = _range(precision, wfa, length, certain)
        yield format_row("exact", precision.name, right, range_, bound, asked.run, asked.eps)


def _range(precision: Precision, wfa: WFA, length: int, certain: flint.arb) -> str:
    """Whether numbers stay within the format, at both ends."""
    if not certain.is_finite():
        return "may overflow"
    if rounding.nothing_vanishes(precision, wfa, length):
        return "no overflow, no underflow"
    return "no overflow; may underflow to 0"
