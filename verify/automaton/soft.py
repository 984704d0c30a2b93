"""Soft attention and MLPs for a tree automaton: certified C and step h, and measured errors.

Computed      a C that keeps softmax with exact products within ε/2, and a step h = 2^-k that keeps hidden
              units at the steps h, 2h, 4h, in every layer, within ε, at every position of every tree
Certified     by the recursion of `verify.bounds.budget`; for words see `verify.bounds.saturation`
Limits        models with more than MOST_WORK products are left out
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import flint

from constructions import logdepth, theorem3
from constructions.automata.wta import WTA
from constructions.core.activations import SMOOTH
from constructions.core.exact import ball
from verify.automaton.float_runs import Skipped, text
from verify.automaton.numbers import at_most, named, shown
from verify.automaton.report_data import (
    Quantity,
    certified,
    measured,
)
from verify.bounds import logdepth as logdepth_bounds
from verify.bounds import tree_budget as tree_bounds
from verify.bounds.budget import (
    BudgetSubject,
    TooSoft,
    error_bound,
    sufficient_fineness,
    sufficient_saturation,
)
from verify.bounds.refined import BoundedRefinedUnits

if TYPE_CHECKING:
    from verify.automaton.measure import Measured

MOST_WORK = 1 << 15
DOUBLINGS = 6
MOST_STATES, LONGEST = 4, 100  # of models whose MLPs are run
LEVELS = 3  # with one step h, float64 loses the product on all but small trees
NAMES = ("tree", "logdepth")
EXACT = "exact products"


@dataclass(frozen=True)
class Soft:
    """C, k of the step 2^-k (None: no MLP was found), the error they keep, and the number of steps."""

    saturation: int
    fineness: int | None
    error: flint.arb
    levels: int = LEVELS

    @property
    def products(self) -> str:
        """The kind of products: exact, or by MLPs."""
        return EXACT if self.fineness is None else "MLPs"

    def units(self, activation: str) -> BoundedRefinedUnits | None:
        """The hidden units of a product, with their error, if there are MLPs."""
        if self.fineness is None:
            return None
        return BoundedRefinedUnits.of(activation, self.fineness, self.levels)


def subjects(automaton: WTA, length: int) -> dict[str, BudgetSubject]:
    """Return the input of the recursion for the two tree models."""
    return {
        "tree": tree_bounds.subject(theorem3.build(automaton, length)),
        "logdepth": logdepth_bounds.subject(logdepth.build(automaton, length)),
    }


def required(known: BudgetSubject, eps: Fraction, activation: str, levels: int = LEVELS) -> Soft:
    """C and h that keep all trees within ε; C is doubled until some h is fine enough."""
    least = sufficient_saturation(known, eps / 2)
    larger = (least << k for k in range(DOUBLINGS))
    tried = ((c, _fineness(known, c, eps, activation, levels)) for c in larger)
    found = (pair for pair in tried if pair[1] is not None)
    saturation, fineness = next(found, (least, None))
    units = None if fineness is None else BoundedRefinedUnits.of(activation, fineness, levels)
    return Soft(saturation, fineness, ball(error_bound(known, saturation, units)), levels)


def _fineness(
    known: BudgetSubject, saturation: int, eps: Fraction, activation: str, levels: int
) -> int | None:
    """k of the step 2^-k, if the activation is smooth and some step is fine enough."""
    if activation not in SMOOTH:
        return None
    try:
        units = partial(BoundedRefinedUnits.of, levels=levels)
        return sufficient_fineness(known, saturation, eps, activation, units)
    except TooSoft:
        return None


def too_large(automaton: WTA, length: int) -> str:
    """Return the reason why nothing is computed, or ""."""
    work = (2 + theorem3.greatest_height(length)) * automaton.n**3
    if work > MOST_WORK:
        return f"not computed: {automaton.n} states, {2 + theorem3.greatest_height(length)} layers"
    return ""


class Softened:
    """The soft tree models of an automaton, as far as they could be found."""

    def __init__(self, automaton: WTA, length: int, eps: Fraction, activation: str) -> None:
        self.eps, self.activation, self.length = eps, activation, length
        self.large = automaton.n > MOST_STATES or length > LONGEST
        self.reason = too_large(automaton, length)
        self.subjects = {} if self.reason else subjects(automaton, length)
        self.found: dict[str, Soft] = {}
        for name, known in self.subjects.items():
            try:
                self.found[name] = required(known, eps, activation)
            except TooSoft as error:
                self.reason = f"not found: {error}"

    def quantities(self, run: Measured | Skipped) -> Iterator[Quantity]:
        """C, h and errors of each model."""
        for name in NAMES:
            yield from self._quantities(name, run)

    def _quantities(self, name: str, run: Measured | Skipped) -> Iterator[Quantity]:
        within, all_trees = shown(self.eps), f"all trees with |str(t)| ≤ {self.length}"
        meaning = f"softmax with {EXACT} stays within {within}, {all_trees}"
        title = f"saturating constant C, {name} model"
        if name not in self.found:
            yield Quantity(title, self.reason, meaning, "none")
            return
        soft = self.found[name]
        yield certified(title, str(soft.saturation), meaning)
        if soft.fineness is not None:
            yield self._step(name, soft.fineness)
        yield certified(
            f"error of the soft {name} model",
            at_most(soft.error),
            f"largest entry, softmax and {soft.products}, exact arithmetic, {all_trees}",
        )
        units = None if self.large else soft.units(self.activation)
        blocks = soft.products if units else EXACT
        yield measured(
            f"error of the soft {name} model, float64",
            text(run, run.error(name, "float64", soft.saturation, units)),
            f"softmax and {blocks}, {run.count} sampled trees; float64 rounds, which the "
            "certificate leaves out",
        )

    def _step(self, name: str, fineness: int) -> Quantity:
        return certified(
            f"step of the MLPs, {name} model",
            f"2^-{fineness}",
            f"{4 * LEVELS} {named(self.activation)} units a product, at the steps h, 2h, 4h, in every "
            "layer, same C, same ε",
        )
