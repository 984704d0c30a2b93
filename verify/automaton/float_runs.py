"""Runs of models in floating point: limits, sampled words, and the reason if nothing is run.

Samples are drawn uniformly with a fixed seed; the word whose product is largest, as far as a search
found, is among them. Without torch, or for models that are too large, nothing is run, and the reason is
given in place of the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from math import nextafter
from random import Random
from typing import TYPE_CHECKING, Any

import flint

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.core.installing import how_to_install
from constructions.theorem1 import span
from verify.automaton.numbers import at_most
from verify.automaton.report_data import Format, Uncertified

if TYPE_CHECKING:
    from verify.automaton.measure import Measured

Word = tuple[str, ...]
SAMPLES = 4
SEED = 2024
LARGEST_EMBEDDING = 1024
LARGEST_SPAN = 1024
LARGEST_STATES = 8
LARGEST_LENGTH = 200  # eight states take some 20 s of processor time there
NO_TORCH = f"not measured: needs torch; {how_to_install('torch')}"


@dataclass(frozen=True)
class Skipped:
    """The runs where nothing was run; `skipped` gives the reason."""

    skipped: str
    count: int = 0

    def error(self, *asked: Any, **more: Any) -> None:
        """Return None: nothing was measured."""


def text(run: Measured | Skipped, error: float | None) -> str:
    """Write an error, or the reason why none was measured."""
    return run.skipped if error is None else f"{error:.3g}"


def has_torch() -> bool:
    """Return whether torch is installed."""
    return find_spec("torch") is not None


def word_run(wfa: WFA, length: int, words: Sequence[Word]) -> Measured | Skipped:
    """Run the models for words on some words, if torch is installed and they are small enough."""
    if reason := NO_TORCH if not has_torch() else too_large(wfa, length):
        return Skipped(reason)
    from verify.automaton.measure import MeasuredWords

    return MeasuredWords(wfa, length, words)


def tree_run(wta: WTA, length: int) -> Measured | Skipped:
    """Run the tree models on sampled trees, if torch is installed and they are small enough."""
    if not has_torch():
        return Skipped(NO_TORCH)
    if wta.n > LARGEST_STATES or length > LARGEST_LENGTH:
        return Skipped(f"not measured: {wta.n} states, length {length}")
    from verify.automaton.measure import MeasuredTrees

    return MeasuredTrees(wta, length)


def samples(automaton: WFA, length: int, chosen: Sequence[Word]) -> list[Word]:
    """Return random words, and the given ones of that length."""
    random = Random(SEED)
    drawn = [
        tuple(random.choice(automaton.alphabet) for _ in range(length)) for _ in range(SAMPLES)
    ]
    return [*drawn, *(word for word in chosen if len(word) == length)]


def too_large(automaton: WFA, length: int) -> str:
    """Return the reason for not running a model, or ""."""
    width = 2 * automaton.n**2 + 2
    if width > LARGEST_EMBEDDING or span(length) > LARGEST_SPAN:
        return f"not measured: embedding {width}, {2 * span(length)} tokens"
    return ""


def consistent(what: str, certified: flint.arb, seen: float | None) -> None:
    """Refuse a certified error below a measured one: one of the two is wrong, and both are ours."""
    if seen is not None and certified.is_finite() and flint.arb(nextafter(seen, 0)) > certified:
        raise Uncertified(
            f"{what}: measured {seen:.3g}, certified {certified.str(3, radius=False)}"
        )


def format_row(
    model: str,
    form: str,
    right: bool,
    range_: str,
    bound: flint.arb,
    run: Measured | Skipped,
    eps: Fraction,
) -> Format:
    """Return the row of a floating-point format for a model whose error is at most the bound, if finite."""
    seen = run.error(model, form)
    consistent(f"{model} model in {form}", bound, seen)
    return Format(
        model,
        form,
        "certainly right" if right else "not certain",
        range_,
        at_most(bound) if bound.is_finite() else "none",
        text(run, seen),
        suffices(bool(bound <= ball(eps)), seen, eps),
    )


def suffices(certified: bool, seen: float | None, eps: Fraction) -> str:
    """Return whether a format is enough: certainly, as far as was seen, or not."""
    if certified:
        return "certified"
    if seen is None:
        return "unknown"
    return "on samples" if seen == seen and seen != float("inf") and seen <= eps else "no"
