"""Language models: softmax of the logits is the next-symbol distribution, by exact and float runs."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest

from constructions.arithmetic import Balls, Rational
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import predictor
from constructions.automata.processes import golden_mean, ngram
from constructions.automata.wfa import WFA
from constructions.blocks.logarithm import fit_logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation
from constructions.language_model import (
    LOW,
    SPECIALS,
    build_general,
    build_one_hot,
    deterministic,
    letter_shares,
    log_rational,
    logits_of_states,
    scaled,
    with_short_memory,
)

TRIGRAM = predictor(ngram(["abba", "ab", "b", "abab"], 3))
LAYER_NORM = Design("gelu_new", 8, Normalisation.LAYER, 1 << 15, Fraction(1, 10**5))


def softmax(logits) -> list[flint.arb]:
    weights = [value.exp() for value in logits]
    return [weight / sum(weights, flint.arb(0)) for weight in weights]


def variation(model, word, precision: int = 200) -> float:
    """The largest total variation over the prefixes of a word, in balls."""
    worst = flint.arb(0)
    with flint.ctx.workprec(precision):
        rows = model.states(word, Balls(precision))
        for row, exact in zip(rows, model.source.distributions(word), strict=True):
            chances = softmax(row)
            pairs = zip(chances, [*exact.values(), *[Fraction(0)] * SPECIALS], strict=True)
            worst = worst.max(sum((abs(c - ball(p)) for c, p in pairs), flint.arb(0)) / 2)
    return float(worst.upper())


def test_one_hot_states_read_logarithms_exactly():
    model = build_one_hot(TRIGRAM, 8, Design("relu"))
    word = ("a", "b", "b", "a", "<eos>", "b", "<eos>", "a")
    for row, exact in zip(model.states(word, Rational()), TRIGRAM.distributions(word), strict=True):
        logs = [*map(log_rational, exact.values()), *[Fraction(LOW)] * SPECIALS]
        assert [Fraction(int(x.p), int(x.q)) for x in row] == logs


def test_a_logarithm_is_within_its_bits():
    for value in (Fraction(1), Fraction(1, 3), Fraction(7, 1000)):
        with flint.ctx.workprec(300):
            assert abs(ball(log_rational(value)) - ball(value).log()) < ball(Fraction(1, 1 << 79))
    assert log_rational(Fraction(0)) == LOW


def test_fewer_layers_read_a_window_from_the_start_state():
    word = TRIGRAM.sample(16, Random(3))
    assert variation(build_one_hot(TRIGRAM, 16, Design("silu"), 40), word) < 1e-15
    assert variation(build_one_hot(TRIGRAM, 16, Design("silu"), 40, layers=1), word) > 0.01
    start = word[:2]
    assert variation(build_one_hot(TRIGRAM, 16, Design("silu"), 40, layers=1), start) < 1e-15


def test_digital_blocks_correct_errors_of_soft_attention():
    word = TRIGRAM.sample(16, Random(4))
    digital = build_one_hot(TRIGRAM, 16, LAYER_NORM, 6, digital=True)
    stepped = build_one_hot(TRIGRAM, 16, LAYER_NORM, 6)
    assert variation(digital, word) < 1e-3 < variation(stepped, word)
    assert len(digital.transformer.layers[0].feedforward.bias) == 2 * 6**3 + 4 * 6**2


def test_a_digital_block_with_a_wrong_level_is_detected():
    model = build_one_hot(TRIGRAM, 8, LAYER_NORM, 12, digital=True)
    layer = model.transformer.layers[0]
    bias = tuple(b + 20 for b in layer.feedforward.bias)
    layers = [replace(layer, feedforward=replace(layer.feedforward, bias=bias))] * 3
    changed = replace(model, transformer=replace(model.transformer, layers=tuple(layers)))
    word = TRIGRAM.sample(8, Random(5))
    assert variation(model, word) < 1e-4 < variation(changed, word)


@pytest.mark.parametrize("name, eta", [("mess3", 5), ("ghmm", 4), ("hmm:3:5", 4)])
@pytest.mark.parametrize("design", [Design("silu"), Design("gelu", 24)], ids=["gated", "plain"])
def test_a_general_process_is_within_the_error_of_its_logarithm(name, eta, design):
    source = predictor(automaton_by_name(name))
    log = fit_logarithm(design.activation, Fraction(1, 1000), Fraction(1, 10**eta))
    model = build_general(source, 8, design, 60, log, Fraction(16))
    assert variation(model, source.sample(8, Random(1)), 400) < 10**-eta


def test_a_logarithm_made_for_a_smaller_range_is_seen():
    source = predictor(automaton_by_name("mess3"))
    log = fit_logarithm("silu", Fraction(1, 2), Fraction(1, 10**5))
    model = build_general(source, 8, Design("silu"), 60, log, Fraction(16))
    assert variation(model, source.sample(8, Random(1))) > 1e-3


def test_shares_of_letters_add_up_to_at_most_one_and_scale_weights_to_ratios():
    source = predictor(automaton_by_name("mess3:1/20:17/20"))
    shares = letter_shares(source)
    assert sum(shares.values()) <= 1 and min(shares.values()) > 0
    for word in source.automaton.words(3):
        total = Fraction(1)
        for symbol in word:
            total *= shares[symbol]
        assert scaled(source, shares).weight(word) * total == source.probability(word)


def test_only_a_process_that_is_in_one_state_at_a_time_is_deterministic():
    assert deterministic(predictor(golden_mean())) is None
    assert deterministic(predictor(automaton_by_name("mess3"))) is None
    with pytest.raises(InputError, match="deterministic"):
        build_one_hot(predictor(automaton_by_name("mess3")), 4, Design("silu"), 10)
    rows = logits_of_states(deterministic(TRIGRAM)).rows()
    assert all(row[-1] == LOW for row in rows)


@pytest.mark.parametrize(
    "words",
    [pytest.param(["abba", "ab", "b", "abab"], marks=pytest.mark.slow), ["abb", "ab"]],
    ids=str,
)
def test_an_ngram_needs_only_the_layers_of_its_order(words):
    """⌈log₂(k - 1)⌉ layers, at least one, at a length that would have five."""
    for order, count in ((2, 1), (3, 1), (4, 2), (5, 2)):
        source = predictor(ngram(words, order))
        process, layers = with_short_memory(deterministic(source), 32)
        assert layers <= count and (layers == count or len(words) == 2)
        model = build_one_hot(source, 32, Design("silu"), 40, layers, process=process)
        assert len(model.transformer.layers) == layers
        for seed in range(3):
            assert variation(model, source.sample(32, Random(seed))) < 1e-15
        if order == 5 and layers == 2:  # one layer less reads too few symbols
            fewer = build_one_hot(source, 32, Design("silu"), 40, layers - 1, process=process)
            assert max(variation(fewer, source.sample(32, Random(s))) for s in range(3)) > 0.01


def test_a_process_that_counts_keeps_all_its_layers():
    parity = WFA.of([1, 0], {"a": [[0, "1/2"], ["1/3", 0]], "b": [["1/2", 0], [0, "2/3"]]}, [1, 1])
    process = deterministic(predictor(parity))
    assert with_short_memory(process, 64) == (process, 6)


def test_shares_are_those_of_the_long_run_less_one_for_each_letter():
    """Two thirds and one third of 4096 - 2; a letter that never comes has the least share."""
    assert letter_shares(predictor(golden_mean())) == {
        "1": Fraction(2729, 4096), "0": Fraction(1364, 4096),
    }  # fmt: skip
    never = WFA.of([1], {"a": [[1]], "b": [[0]]}, [1])
    assert letter_shares(predictor(never)) == {"a": Fraction(4094, 4096), "b": Fraction(1, 4096)}


@pytest.mark.parametrize(
    ("order", "layers"),
    [
        (1, {1: 0, 2: 1, 3: 1, 4: 1, 9: 1}),
        (2, {1: 0, 2: 1, 3: 1, 4: 1, 9: 1}),
        (3, {1: 0, 2: 1, 3: 1, 4: 1, 9: 1}),
        (4, {2: 1, 3: 2, 4: 2, 5: 2, 8: 2, 9: 2}),
    ],
)
def test_an_ngram_takes_the_layers_of_its_memory_and_at_least_one(order, layers):
    """The last k - 1 symbols settle the state of an n-gram of order k: ⌈log₂(k - 1)⌉ layers."""
    process = deterministic(predictor(ngram(["abba", "ab", "b", "abab"], order)))
    found = {length: with_short_memory(process, length)[1] for length in layers}
    assert found == layers
