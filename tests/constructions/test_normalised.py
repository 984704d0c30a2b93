"""The normalised stream: softmax is the next-symbol distribution however small p(w) is, in balls."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest

from constructions import normalised
from constructions.arithmetic import Balls
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import Predictor, predictor
from constructions.automata.processes import ngram
from constructions.automata.wfa import WFA
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.sizes import sizes
from constructions.core.transformer import realise
from constructions.normalised import near_unit, stochastic_form

LOG = fit_logarithm("silu", Fraction(1, 10**4), Fraction(1, 10**5))
SHARP = 10**6  # C of a leak that no bit of these tests sees
SOURCES = ["mess3", "hmm:3:5", "pfa:3:5", "golden", "rrxor", "even"]


def source(name: str) -> Predictor:
    return predictor(automaton_by_name(name))


def variation(model, word, bits: int = 400) -> flint.arb:
    """The largest total variation over the prefixes of a word, in balls."""
    worst = flint.arb(0)
    with flint.ctx.workprec(bits):
        for row, exact in zip(
            model.states(word, Balls(bits)), model.source.distributions(word), strict=True
        ):
            weights = [value.exp() for value in row]
            total, target = sum(weights, flint.arb(0)), [*exact.values(), 0, 0, 0]
            gaps = (
                abs(w / total - ball(Fraction(p))) for w, p in zip(weights, target, strict=True)
            )
            worst = worst.max(sum(gaps, flint.arb(0)) / 2)
    return worst


def stream(model, word, bits: int = 400):
    """The tokens after the last layer, in balls."""
    with Balls(bits) as balls:
        transformer = realise(model.transformer, balls)
        *_, last = transformer.states(balls, balls.array(model.encode(word)))
    return last


@pytest.mark.parametrize("name", SOURCES)
def test_softmax_is_the_distribution_of_the_next_symbol(name):
    model = normalised.build(source(name), 8, SHARP, LOG)
    for seed in range(3):
        word = model.source.sample(8, Random(seed))
        assert variation(model, word) < 1e-4 * len(model.source.symbols)


def test_a_deterministic_process_with_ends_is_represented():
    model = normalised.build(predictor(ngram(["abba", "ab", "b", "abab"], 3)), 8, SHARP, LOG)
    assert variation(model, model.source.sample(8, Random(1))) < 1e-3


def test_the_belief_is_a_direction_of_norm_near_one_where_the_state_has_vanished():
    tiny = WFA.of(["1/2", "1/2"], {"a": [["1/1000000", 0], [0, "1/2000000"]],
                                   "b": [["999999/1000000", 0], [0, "1999999/2000000"]]}, [1, 1])  # fmt: skip
    model = normalised.build(predictor(tiny), 8, SHARP, LOG)
    word, where = "aaaaaaaa", model.layout["belief"]
    assert model.source.probability(word) < Fraction(1, 10**48)
    with flint.ctx.workprec(400):
        beliefs = stream(model, word)[:, list(where)]
        for belief, exact in zip(beliefs, model.automaton.states(word), strict=True):
            norm = (belief[0] * belief[0] + belief[1] * belief[1]).sqrt()
            assert flint.arb("0.5") < norm < flint.arb("1.001")
            assert abs(belief[1] / belief[0] - ball(exact[1] / exact[0])) < flint.arb("1e-50")


def test_without_the_norms_behind_blocks_the_state_vanishes():
    process = source("mess3:1/20:17/20")
    model = normalised.build(process, 16, SHARP, LOG)
    layers = tuple(replace(layer, after=None) for layer in model.transformer.layers[:-1])
    bare = replace(
        model,
        transformer=replace(model.transformer, layers=(*layers, model.transformer.layers[-1])),
    )
    word = process.sample(16, Random(1))
    assert variation(model, word) < 1e-3 < variation(bare, word, 4000)


def test_a_stochastic_form_has_the_same_probabilities_and_rows_that_add_up_to_one():
    for name in SOURCES:
        process = source(name)
        form = stochastic_form(process)
        rows = [sum(sum(form.matrix(s)[i]) for s in form.alphabet) for i in range(form.n)]
        assert rows == [1] * form.n and sum(form.alpha) == 1
        word = process.sample(5, Random(3))
        assert form.weight(word) == process.probability(word)


def test_states_without_a_future_or_out_of_reach_are_left_out():
    dead, far = 1, 2
    matrix = [["1/2", "1/4", 0], [0, 0, 0], ["1/4", 0, "1/4"]]
    given = WFA.of([1, 0, 0], {"a": matrix}, ["1/2", 0, "1/2"])
    form = stochastic_form(predictor(given))
    assert form.n == 1 == given.n - len({dead, far})
    assert form.weight(["a"] * 3) == predictor(given).probability("aaa")


def test_negative_weights_are_refused_as_relative_accuracy_is_lost_where_they_cancel():
    with pytest.raises(InputError, match="relative accuracy is lost"):
        stochastic_form(source("ghmm"))


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1, 10**9), Fraction(10**9), Fraction(0)])
def test_letters_are_brought_to_a_norm_near_one_by_a_power_of_two(scale):
    vector = near_unit([[3 * scale, 0], [0, 4 * scale]])
    square = sum(x * x for x in vector)
    assert (Fraction(1, 4) < square <= 1) if scale else square == 0
    assert vector[0] * 4 == vector[3] * 3


def test_the_sizes_are_those_of_the_formulas():
    model = normalised.build(source("rrxor"), 16, SHARP, LOG)
    found, said = sizes(model.transformer), normalised.sizes(5, 16, 2)
    assert (found.depth, found.feedforward) == (said["layers"], said["d_mlp"])
    assert (found.embedding, found.embedding % 2) == (said["d_model"], 0)
    assert len(model.transformer.layers[-1].feedforward.output.rows()) == 2 * len(LOG.knots) + 2


def test_a_length_without_a_layer_is_refused():
    with pytest.raises(InputError, match="2 or more"):
        normalised.build(source("mess3"), 1, SHARP, LOG)


def test_norms_are_brought_above_a_half_and_up_to_one():
    half, third = Fraction(1, 2), Fraction(1, 3)
    brought = {1: 1, 2: 1, half: 1, 3: Fraction(3, 4), third: 2 * third, -4: -1, 0: 0}
    assert {x: near_unit([[x]])[0] for x in brought} == brought
    assert near_unit([[3, 0], [0, 4]]) == [Fraction(3, 8), 0, 0, half]


def test_the_powers_of_two_behind_norms_and_the_largest_weights_are_these():
    powers = {1: 1, 2: 2, 4: 2, 5: 4, 16: 4, 17: 8, 64: 8, 65: 16}
    assert {width: normalised.written_power(width) for width in powers} == powers
    largest = {1: 1026, 2: 1450, 4: 2050, 9: 3074}
    assert {n: normalised.largest_weight(n) * 1024 for n in largest} == largest


@pytest.mark.parametrize("logits", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_stream_has_an_even_number_of_coordinates(n, logits):
    design = normalised.NormalisedDesign(layers=3, logits=logits)
    needed = 1 + 6 * n * n + n + logits + 1 + 2
    assert design.layout(n).size == needed + needed % 2
    assert ("spare" in design.layout(n)) is bool(needed % 2)


def test_a_window_needs_the_layers_of_its_length():
    for window, layers in ((None, 3), (2, 1), (4, 2), (8, 3), (16, 3)):
        model = normalised.build(source("even"), 8, SHARP, LOG, window)
        assert len(model.transformer.layers) == layers + 1
