"""What rounding adds to the exact constructions, and how large states are, as it was approved."""

from fractions import Fraction
from pathlib import Path

import flint
import pytest
from approved_support import agree_with_approved, plain_data

from constructions.automata.families import counting, hmm
from constructions.automata.trees import most_leaves
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from verify.automaton import (
    enclosure,
    losses_logdepth,
    precision_stream,
    rounding,
    rounding_logdepth,
    rounding_trees,
    significance,
    soft,
)
from verify.bounds import growth, refined
from verify.bounds.floating import FORMATS
from verify.bounds.reachable import reachable_bounds

APPROVED = Path(__file__).with_suffix(".json")
BITS = 96
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
SIGNED = WFA.of([1, "-1/2", 2], {"a": [["1/2", -1, 0], [0, "2/3", "1/3"], [1, 0, "-1/4"]],
                                 "b": [[0, 1, "1/5"], ["-1/2", 0, 1], ["1/3", "1/3", 0]]},
                [1, 2, "-1/3"])  # fmt: skip
LEAVES = WTA.of([1, 0], [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
WORDS = {"counting": counting(), "weather": WEATHER, "signed": SIGNED}
TREES = {"leaves": LEAVES, "adder": ADDER}
LENGTH = 7


@pytest.mark.parametrize("name", WORDS)
def test_words_are_rounded_as_approved(name):
    automaton = WORDS[name]
    with flint.ctx.workprec(BITS):
        norms = growth.products(automaton, LENGTH)
        found = {"bits": rounding.bits_for(automaton, LENGTH, norms, flint.arb("1e-6"), 100)}
        for form in FORMATS:
            errors, size = rounding.product_errors(form, automaton.n, LENGTH, norms)
            carried = rounding.carried_errors(form, automaton.n, errors, norms, flint.arb(2))
            whole = rounding.state_error(form, automaton, LENGTH, norms)
            kept = [rounding.attention_is_right(form, LENGTH),
                    rounding.nothing_vanishes(form, automaton, LENGTH)]  # fmt: skip
            found[form.name] = [errors[-2:], size, carried[0][-2:], carried[1], whole, kept]
    agree_with_approved(APPROVED, f"words: {name}", plain_data(found))


@pytest.mark.parametrize("name", TREES)
def test_trees_are_rounded_as_approved(name):
    automaton, form = TREES[name], FORMATS[1]
    with flint.ctx.workprec(BITS):
        reach = reachable_bounds(automaton, most_leaves(10))
        losses = losses_logdepth.LocalLosses(form, reach)
        rounding_logdepth.Followed(losses, reach.contexts).run(losses)
        sizes = [rounding_logdepth.state_error(form, reach, 10), losses.errors, losses.maps]
        parts = {"log-depth": sizes, "fits": losses.fits()}
        for model, subject in soft.subjects(automaton, 7).items():
            parts[model] = [rounding_trees.state_error(form, subject),
                            rounding_trees.score_error(form, subject)]  # fmt: skip
    agree_with_approved(APPROVED, f"trees: {name}", plain_data(parts))


@pytest.mark.parametrize("terms", [0, 1 << 11])
@pytest.mark.parametrize("name", TREES)
def test_trees_are_rounded_as_approved_where_numbers_underflow(name, terms, monkeypatch):
    """Four leaves in float16, whose smallest number is seen, by listed states and by sizes alone."""
    monkeypatch.setattr(losses_logdepth, "MOST_TERMS", terms)
    with flint.ctx.workprec(BITS):
        reach = reachable_bounds(TREES[name], 4)
        losses = losses_logdepth.LocalLosses(FORMATS[2], reach)
        rounding_logdepth.Followed(losses, reach.contexts).run(losses)
        found = {"parts": losses.losses.values(), "errors": losses.errors, "maps": losses.maps}
        found = {part: plain_data([*values]) for part, values in found.items()}
        if terms:
            for model, subject in soft.subjects(TREES[name], 4).items():
                followed = rounding_trees.followed(
                    FORMATS[2], subject, {*range(len(subject.sizes))}
                )
                found[model] = plain_data([*followed])
    agree_with_approved(APPROVED, f"trees in float16, {terms} terms: {name}", found)


@pytest.mark.parametrize("name", [*WORDS, *TREES])
def test_states_are_as_large_as_approved(name):
    sizes = significance.sizes_of({**WORDS, **TREES}[name], LENGTH)
    error = flint.arb("0.01")
    with flint.ctx.workprec(BITS):
        found = [sizes.bounds, sizes.seen, sizes.tails(True), sizes.relative(error)]
        found += [sizes.empty_from(flint.arb(1)), sizes.doubtful_from(flint.arb(1))]
    agree_with_approved(APPROVED, f"sizes: {name}", plain_data(found))


def test_products_of_units_and_directions_are_as_approved():
    units = FourUnits.of("gelu", 8)
    with flint.ctx.workprec(BITS):
        levels = [refined.BoundedRefinedUnits.of("gelu", 12, count) for count in (1, 2)]
        products = [each.error(Fraction(3), Fraction(1, 2)) for each in levels]
        smooth = enclosure.smooth_error(WEATHER, ("a", "b"), 30, units)
        stream = [(form.name, length, error) for form, length, error in
                  precision_stream.direction_errors(WEATHER, [2, 6], Fraction(1, 1000))]  # fmt: skip
        agree_with_approved(APPROVED, "units", plain_data([products, smooth, stream]))
