"""Numbers for one tree automaton at a length: layers, errors, digits, floating-point formats."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, log10

import flint

from constructions.exact import ball
from constructions.pebbling import most_steps
from verify.automaton import rounding
from verify.automaton.measure_trees import Measured
from verify.automaton.model import Figure, Format
from verify.automaton.numbers import at_most, shown
from verify.automaton.rounding_trees import attention_is_right
from verify.automaton.standing import by_claim, suffices
from verify.automaton.trees import PREPARATION
from verify.automaton.trees import rounding as rounding_error
from verify.bounds.budget import Subject, least
from verify.bounds.norms import largest
from verify.bounds.states import StateBounds, entrywise_leaves

MOST_BITS = 1 << 16
MORE_BITS = 128


def figures(
    length: int, eps: Fraction, found: StateBounds, known: Subject | None, run: Measured
) -> Iterator[Figure]:
    """Layers, the exact models and their measured errors, the digits they need."""
    yield from _layers(length, len(found.states))
    yield Figure(
        "error of both models",
        "0",
        "hard attention, exact arithmetic, all trees",
        by_claim("thm3.exists", "beyond.logdepth"),
    )
    yield Figure(
        "largest entry of a state",
        at_most(largest(found.largest())),
        "over all trees of that length",
        "certified",
    )
    for name in ("tree", "logdepth"):
        yield Figure(
            f"error of the {name} model, float64",
            run.text(run.error(name, "float64")),
            f"largest entry, {run.count} sampled trees",
            "measured",
        )
    if known is not None and small(found):
        yield _digits(eps, found, known)


def small(found: StateBounds) -> bool:
    """Whether rounding errors of all splits of all leaves can be followed in reasonable time."""
    return len(found.states) <= entrywise_leaves(len(found.tensor))


def _layers(length: int, leaves: int) -> Iterator[Figure]:
    yield Figure(
        "layers, tree construction",
        str(PREPARATION + leaves - 1),
        f"for every tree with |str(t)| ≤ {length}: its height, and two",
        by_claim("thm3.depth.arbitrary"),
    )
    yield Figure(
        "layers, log-depth construction",
        str(PREPARATION + most_steps(leaves)),
        f"for every tree with |str(t)| ≤ {length}: Padovan bound, and two",
        by_claim("beyond.logdepth"),
    )


def _digits(eps: Fraction, found: StateBounds, known: Subject) -> Figure:
    bits = least(lambda b: _enough(b, eps, found, known), MOST_BITS, "number of bits")
    return Figure(
        "decimal digits, tree model",
        str(ceil(bits * log10(2))),
        f"so many keep the tree model within {shown(eps)} on all trees ({bits} bits)",
        "certified",
    )


def _enough(bits: int, eps: Fraction, found: StateBounds, known: Subject) -> bool:
    wide = rounding.Precision("", bits, -(1 << 20), 1 << 20)
    with flint.ctx.workprec(bits + MORE_BITS):
        right = attention_is_right(wide, known)
        return right and bool(rounding_error(wide, found) <= ball(eps))


def formats(
    eps: Fraction, found: StateBounds, known: Subject | None, run: Measured
) -> Iterator[Format]:
    """What each floating-point format does to the tree model."""
    for precision in rounding.FORMATS:
        right = known is not None and attention_is_right(precision, known)
        bound = rounding_error(precision, found) if small(found) else flint.arb("inf")
        seen = run.error("tree", precision.name)
        said = at_most(bound) if small(found) else "not computed"
        certified = said if right or not small(found) else f"{said} if attention is right"
        yield Format(
            precision.name,
            "certainly right" if right else "not certain",
            certified,
            run.text(seen),
            suffices(right and bool(bound <= ball(eps)), seen, eps),
        )
