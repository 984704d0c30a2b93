"""Total variation of language models: the bounds hold on every word of a length, and can fail."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest

from constructions.arithmetic import Balls
from constructions.automata.named import automaton_by_name
from constructions.automata.processes import ngram
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.decoder import Design, Normalisation
from constructions.exports.order import Order, settle
from constructions.language_model import LOW
from verify.automaton.language import choose_language_model
from verify.bounds.decoder import Setting, word_bounds
from verify.bounds.language import (
    LogarithmRange,
    OneHotReadout,
    general_variation,
    norms_of_logits,
)

TRIGRAM = ngram(["abba", "ab", "b", "abab"], 3)


def variation(model, word) -> flint.arb:
    """The largest total variation over the prefixes of a word, in balls."""
    worst = flint.arb(0)
    with flint.ctx.workprec(300):
        for row, exact in zip(
            model.states(word, Balls(300)), model.source.distributions(word), strict=True
        ):
            weights = [value.exp() for value in row]
            total, target = sum(weights, flint.arb(0)), [*exact.values(), 0, 0, 0]
            gaps = [
                abs(w / total - ball(Fraction(p))) for w, p in zip(weights, target, strict=True)
            ]
            worst = worst.max(sum(gaps, flint.arb(0)) / 2)
    return worst


@pytest.mark.parametrize(
    "automaton, form",
    [(TRIGRAM, "gpt2"), (TRIGRAM, "safetensors"), ("mess3", "safetensors"), ("pfa:2:1", "npz")],
    ids=["digital", "one-hot", "general", "ends"],
)
def test_the_certified_variation_bounds_that_of_every_drawn_word(automaton, form):
    given = automaton_by_name(automaton) if isinstance(automaton, str) else automaton
    decision = choose_language_model(given, settle(Order(4, format=form, head="next"), words=True))
    assert decision.error <= ball(Fraction(1, 10**4))
    random = Random(2)
    for _ in range(3):
        assert variation(decision.model, decision.source.sample(4, random)) <= decision.error


def test_a_logarithm_that_ends_too_early_costs_what_is_below_it():
    error, least = flint.arb("1e-9"), Fraction(1, 1000)
    wide, narrow = (
        LogarithmRange(
            least, Fraction(4), fit_logarithm("silu", Fraction(1, 10**k), Fraction(1, 10**4))
        )
        for k in (8, 3)
    )
    assert general_variation(2, error, wide) < flint.arb("1e-3")
    assert general_variation(2, error, narrow) > flint.arb("0.5")
    assert general_variation(2, flint.arb(1), wide) == 1


def test_a_language_model_of_trees_or_of_the_papers_constructions_is_refused():
    for order, words in ((Order(4, head="next"), False), (Order(4, "exact", head="next"), True)):
        with pytest.raises(InputError, match="head"):
            settle(order, words)
    with pytest.raises(InputError, match="minimise"):
        settle(Order(4, head="next", minimise=True), words=True)


def moved_by_norms(norm: Normalisation, large: int) -> flint.arb:
    """d for a small HMM behind norms with this K."""
    design = replace(Design(norm=norm, large=large), activation="silu")
    log = fit_logarithm("silu", Fraction(1, 10**6), Fraction(1, 10**4))
    facts = word_bounds(automaton_by_name("hmm:2:7"), 8)
    return norms_of_logits(facts, Setting(design, Fraction(30)), log, 2)


def test_norms_move_logits_by_less_the_larger_k_is_and_not_at_all_where_there_are_none():
    assert moved_by_norms(Normalisation.NONE, 0) == 0
    wide, narrow = (moved_by_norms(Normalisation.RMS, 1 << k) for k in (24, 12))
    assert 0 < wide < narrow / 10**6 and not moved_by_norms(Normalisation.RMS, 2).is_finite()


def test_the_bound_pays_for_what_norms_move():
    of = LogarithmRange(
        Fraction(1, 1000),
        Fraction(4),
        fit_logarithm("silu", Fraction(1, 10**8), Fraction(1, 10**4)),
    )
    error, moved = flint.arb("1e-9"), flint.arb("1e-3")
    still = general_variation(2, error, of)
    assert still + moved / 3 < general_variation(2, error, of, moved) < still + 2 * moved
    assert general_variation(2, error, of, flint.arb("inf")) == 1


def test_only_differences_of_symbols_that_are_possible_together_count():
    """Columns 0 and 1 are possible in state 0, column 2 in no state."""
    logits = Matrix.dense(
        [[Fraction(-1), Fraction(-2), Fraction(LOW)], [Fraction(-3), Fraction(LOW), Fraction(LOW)]]
    )
    readout = OneHotReadout.of(logits, 0)
    assert (readout.possible, readout.any) == (37, 39)
    assert (readout.possible_terms, readout.any_terms) == (3 + 3, 3 * 40)
    assert (readout.possible_sum, readout.any_sum) == (42, 80)
    errors = readout.errors(flint.arb("0.001"), flint.arb(0), flint.arb("0.0001"))
    assert flint.arb("0.0095") < errors.variation(2) < flint.arb("0.0096"), "tanh(0.0382 / 4)"
    assert readout.errors(flint.arb(1), flint.arb(0), flint.arb(0)).variation(2) > flint.arb("0.99")
