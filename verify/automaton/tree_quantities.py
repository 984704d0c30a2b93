"""Numbers for one tree automaton at a length: layers, errors, digits, floating-point formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil

import flint

from constructions.automata.pebbling import most_steps
from constructions.core.exact import ball
from verify.automaton import rounding_logdepth
from verify.automaton.citation_status import by_statement
from verify.automaton.numbers import at_most, shown
from verify.automaton.report_data import Format, Quantity, enough_digits, measured, too_few_digits
from verify.automaton.rounding_trees import attention_is_right, state_error
from verify.automaton.runs import TreeRun, format_row, text
from verify.automaton.tree_hypotheses import PREPARATION
from verify.automaton.tree_hypotheses import rounding as rounding_error
from verify.bounds.budget import BudgetSubject, TooSoft, least_number
from verify.bounds.floating import FORMATS, Precision, wide_precision
from verify.bounds.norms import largest
from verify.bounds.reachable import ReachableBounds
from verify.bounds.states import StateBounds, entrywise_leaves

MOST_BITS = 1 << 16
MORE_BITS, MANY_BITS = 128, 1024


def quantities(
    length: int, eps: Fraction, reach: ReachableBounds, known: BudgetSubject | None, run: TreeRun
) -> Iterator[Quantity]:
    """Layers, the exact models and their measured errors, the digits they need."""
    found = reach.entrywise
    yield from _layers(length, len(found.states))
    yield Quantity(
        "error of both models",
        "0",
        "hard attention, exact arithmetic, all trees",
        by_statement("thm3", "beyond.logdepth.encoder"),
    )
    yield Quantity(
        "largest entry of a state",
        at_most(largest(map(largest, reach.states))),
        "over all trees of that length",
        "certified",
    )
    for name in ("tree", "logdepth"):
        yield measured(
            f"error of the {name} model, float64",
            text(run, run.error(name, "float64")),
            f"largest entry, {run.count} sampled trees",
        )
    if known is not None and small(found):
        yield _digits(eps, found, known)


def small(found: StateBounds) -> bool:
    """Whether rounding errors of all splits of all leaves can be followed in reasonable time."""
    return len(found.states) <= entrywise_leaves(len(found.tensor))


def _layers(length: int, leaves: int) -> Iterator[Quantity]:
    yield Quantity(
        "layers, tree construction",
        str(PREPARATION + leaves - 1),
        f"for every tree with |str(t)| ≤ {length}: its height, and two",
        by_statement("thm3.depth"),
    )
    yield Quantity(
        "layers, log-depth construction",
        str(PREPARATION + most_steps(leaves)),
        f"for every tree with |str(t)| ≤ {length}: Padovan bound, and two",
        by_statement("beyond.logdepth.encoder"),
    )


def _digits(eps: Fraction, found: StateBounds, known: BudgetSubject) -> Quantity:
    name, what = (
        "decimal digits, tree model",
        f"keep the tree model within {shown(eps)} on all trees",
    )
    try:
        start = _guess(eps, found)
        bits = least_number(
            lambda b: _enough(b, eps, found, known), MOST_BITS, "number of bits", start
        )
    except TooSoft:
        return too_few_digits(name, MOST_BITS, what)
    return enough_digits(name, bits, what)


def _guess(eps: Fraction, found: StateBounds) -> int:
    """About how many bits are enough: far below 1, the error is halved by each."""
    with flint.ctx.workprec(MANY_BITS + MORE_BITS):
        share = rounding_error(wide_precision(MANY_BITS), found) / ball(eps)
        missing = share.log() / flint.arb(2).log()
    return max(1, MANY_BITS + ceil(float(missing.mid()))) if missing.is_finite() else 1


def _enough(bits: int, eps: Fraction, found: StateBounds, known: BudgetSubject) -> bool:
    form = wide_precision(bits)
    with flint.ctx.workprec(bits + MORE_BITS):
        right = attention_is_right(form, known)
        return right and bool(rounding_error(form, found) <= ball(eps))


def formats(
    eps: Fraction,
    length: int,
    reach: ReachableBounds,
    subjects: Mapping[str, BudgetSubject],
    run: TreeRun,
) -> Iterator[Format]:
    """What each floating-point format does to each of the two tree models with hard heads."""
    for name in ("tree", "logdepth"):
        for precision in FORMATS:
            bound = rounded_error(name, precision, length, reach, subjects.get(name))
            right = bound is not None
            error = flint.arb("inf") if bound is None else bound
            range_ = "no overflow; may underflow to 0" if error.is_finite() else "not certain"
            yield format_row(name, precision.name, right, range_, error, run, eps)


def rounded_error(
    name: str,
    precision: Precision,
    length: int,
    reach: ReachableBounds,
    known: BudgetSubject | None,
) -> flint.arb | None:
    """The least bound known on the rounding error of a state; None where heads may look elsewhere."""
    if known is None or not attention_is_right(precision, known):
        return None
    general = state_error(precision, known)
    if name == "logdepth":
        return general.min(rounding_logdepth.state_error(precision, reach, length))
    if small(reach.entrywise):
        return general.min(rounding_error(precision, reach.entrywise))
    return general
