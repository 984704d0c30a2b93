"""Soft attention and smooth MLPs in tree constructions: constants that keep every state within ε.

    budget.error    the recursion of `verify.bounds.budget` finds C and h = 2^-k such that every
                    state of every tree up to a length is within ε; runs in balls stay within

Notation      C saturation of the softmax, h step of the four tanh units that replace a product;
              half of ε is for the softmax, the rest for the MLPs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import flint

from constructions import logdepth
from constructions.arithmetic import Balls
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.exact import ball
from constructions.variants.theorem3_variants import build_maskless
from verify.bounds.budget import (
    BudgetSubject,
    error_bound,
    sufficient_fineness,
    sufficient_saturation,
)
from verify.bounds.budget_certificate import certificate
from verify.bounds.logdepth import subject
from verify.bounds.tree_budget import maskless_subject
from verify.exactness.tree_positions import strings
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

ACTIVATION = "tanh"
LETTERS = "abcd"


def _build_logdepth(automaton: WTA, length: int) -> tuple[Any, BudgetSubject]:
    model = logdepth.build(automaton, length)
    return model, subject(model)


def _build_maskless(automaton: WTA, length: int) -> tuple[Any, BudgetSubject]:
    model = build_maskless(automaton, length)
    return model, maskless_subject(model)


CONSTRUCTIONS: dict[str, Callable[[WTA, int], tuple[Any, BudgetSubject]]] = {
    "logdepth": _build_logdepth,
    "maskless": _build_maskless,
}


@dataclass(frozen=True)
class Smooth:
    """A soft transformer with MLPs in every layer, and the digits that its runs need."""

    model: Any
    bits: int

    def error(self, symbols: Sequence[str]) -> flint.arb:
        """A ball around the largest error of an entry of a state."""
        wanted = self.model.automaton.states(symbols)
        with Balls(self.bits) as balls:
            rows = self.model.states(symbols, balls)
            states = rows if isinstance(rows, dict) else dict(enumerate(rows, 1))
            largest = flint.arb(0)
            for i, state in wanted.items():
                for one, other in zip(states[i], state, strict=True):
                    largest = largest.max(abs(one - balls.element(other)))
        return largest


@fact("budget.error", "enclosure")
def error_is_within(
    construction: str,
    tensor: list[list[list[str]]],
    letters: dict[str, list[str]],
    length: int,
    eps: str,
    leaves: int,
) -> Outcome:
    """C and h keep every state of all trees up to a length within ε; all small trees are run."""
    automaton = WTA.of([1] * len(tensor), tensor, letters)
    hard, bounds = CONSTRUCTIONS[construction](automaton, length)
    wanted = Fraction(eps)
    saturation = sufficient_saturation(bounds, wanted / 2)
    fineness = sufficient_fineness(bounds, saturation, wanted, ACTIVATION)
    units = FourUnits.of(ACTIVATION, fineness)
    bound = error_bound(bounds, saturation, units)
    transformer = smooth_transformer(
        soft_transformer(hard.transformer, saturation), units, bounds.one
    )
    # Units cancel most of their digits, and a leak of e^(-C·gap) must be seen.
    bits = 512 + 16 * fineness + ceil(2 * saturation * bounds.gap)
    above = _first_tree_above(Smooth(replace(hard, transformer=transformer), bits), leaves, bound)
    model = certificate(bounds, automaton, saturation, units, wanted)
    values = {"C": saturation, "k": fineness, "model": model}
    if bound <= wanted and above is None:
        return Outcome(True, values)
    return Outcome(False, values, {"string": above or "", "bound": str(bound)})


def _first_tree_above(smooth: Smooth, leaves: int, bound: Fraction) -> str | None:
    """The first tree whose error is not certainly within the bound."""
    for symbols in strings(leaves):
        string = tuple(LETTERS[ord(s) % 4] if s not in "[]" else s for s in symbols)
        error = smooth.error(string)
        with flint.ctx.workprec(smooth.bits):
            if not error <= ball(bound):
                return "".join(string)
    return None
