"""The binary digits with which bounds are computed, whatever the caller works with."""

from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

from constructions import logdepth as logdepth_model
from constructions import theorem3
from constructions.automata.families import counting
from constructions.automata.wta import WTA
from constructions.core.matrix import Matrix
from constructions.decoder import Design
from verify.bounds import (
    budget,
    language,
    language_rounding,
    leak,
    logdepth,
    normalised,
    reachable,
    saturation,
    scaled,
    state_sizes,
    sweep,
    tree_budget,
)
from verify.bounds.decoder import Setting
from verify.bounds.floating import ONCE
from verify.bounds.language import LogitErrors

TREES = WTA.of([1], [[[3]]], {"a": [-2]})
ONE, EPS = Fraction(1), Fraction(1, 100)
SUBJECT = tree_budget.subject(theorem3.build(TREES, 4))
SETTING = Setting(Design("gelu", 4), Fraction(20))
STREAM = normalised.NormalisedStream(2, 4, 2, normalised.Shares(ONE, ONE, ONE, ONE), Fraction(50))
RANGE = SimpleNamespace(least_weight=ONE, largest=ONE, log=SimpleNamespace(least=EPS, error=EPS))
ROW = SimpleNamespace(errors=[flint.arb(1)], run=SimpleNamespace(saturation=ONE))
MODEL = logdepth_model.build(TREES, 4)
TREE_MODEL = theorem3.build(TREES, 4)
CASES = {
    "the steps of a budget": (budget, "BudgetStep", 256, lambda: budget.BudgetRecursion(SUBJECT)),
    "the errors of a budget": (
        budget.BudgetStep, "after", 256, lambda: budget.BudgetRecursion(SUBJECT).bound(9)),
    "gaps of trees": (tree_budget, "gap", 256, lambda: tree_budget.subject(TREE_MODEL)),
    "states of trees": (tree_budget, "state_bounds", 256, lambda: tree_budget.largest_states(TREES, 2)),
    "contexts of trees": (logdepth, "context_bounds", 256, lambda: logdepth.state_sizes(MODEL)),
    "reachable states": (reachable, "Reach", 128, lambda: reachable.reachable_bounds(TREES, 2)),
    "sizes of words": (state_sizes, "_bounds", 128, lambda: state_sizes.word_sizes(counting(), 2)),
    "sizes of trees": (
        state_sizes, "state_bounds", 128, lambda: state_sizes.tree_sizes(TREES, 2, True)),
    "a saturation": (
        saturation, "uniform_bounds", 192, lambda: saturation.required_saturation(counting(), 4, EPS)),
    "a fineness": (
        saturation, "uniform_bounds", 192,
        lambda: saturation.required_fineness(counting(), 4, EPS, "tanh")),
    "a scaled saturation": (
        scaled, "bounded_coordinates", 192, lambda: scaled.least_saturation(counting(), 4, EPS)),
    "scaled errors": (
        scaled, "bounded_coordinates", 192, lambda: scaled.soft_errors(counting(), 4)),
    "scaled errors at a constant": (
        scaled, "reduce", 192, lambda: scaled.soft_errors(counting(), 4)(Fraction(9))),
    "rates of decay": (sweep, "ball", 128, lambda: sweep.decay_rate([ROW, ROW])),
    "the bits of a leak": (leak, "gap", 64, lambda: leak.bits_for(ONE, 4)),
    "digital logits": (
        language, "_digital_step", 192,
        lambda: language.digital_logit_error(2, 4, 1, SETTING, Matrix.identity(2))),
    "rounded digital logits": (
        language_rounding.DigitalRounding, "logit_errors", 192,
        lambda: language_rounding.rounded_digital_error(
            2, 4, 1, SETTING, Matrix.identity(2), ONCE["float32"])),
    "norms of logits": (
        language, "errors", 192, lambda: language.norms_of_logits(None, SETTING, None, 2)),
    "weights of a language": (
        language, "ball", 192, lambda: language.general_variation(2, flint.arb(0), RANGE)),
    "a stream": (normalised.NormalisedStream, "_errors", 256, STREAM.bounds),
    "what a window forgets": (normalised, "ball", 256, lambda: normalised.forgotten(STREAM.shares, 2)),
    "a least ratio": (
        normalised, "largest_weight", 256, lambda: normalised.least_ratio(STREAM, ONE)),
    "the gap of a format": (
        normalised, "rounded_gap", 256,
        lambda: normalised.required_stream(counting(), 4, 2, EPS, ONCE["float32"])),
    "a normalised variation": (
        normalised, "logit_error", 256,
        lambda: normalised.normalised_variation(STREAM, RANGE.log, EPS)),
}  # fmt: skip


class Reached(Exception):
    """A part was reached; the digits there."""


@pytest.mark.parametrize("name", CASES)
def test_bounds_have_their_own_digits(name, monkeypatch):
    place, part, bits, ask = CASES[name]

    def reached(*_, **__):
        raise Reached(flint.ctx.prec)

    monkeypatch.setattr(place, part, reached)
    for own in (53, 400):
        with flint.ctx.workprec(own), pytest.raises(Reached, match=f"^{bits}$"):
            ask()


@pytest.mark.parametrize("possible", [LogitErrors(flint.arb("0.375"), flint.arb("0.375")).variation,
                                      lambda k: language.variation_of_logits(flint.arb("0.1"), k)],
                         ids=["differences", "logits"])  # fmt: skip
def test_a_variation_is_rounded_up_to_192_digits(possible):
    lengths = [int(possible(k).man_exp()[0]).bit_length() for k in range(1, 20)]
    assert max(lengths) == 192
