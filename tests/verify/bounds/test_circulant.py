"""The circulant engine gives the numbers of the dense forward pass, and says when it does not know."""

from fractions import Fraction

import flint
import pytest

from constructions import theorem2
from constructions.arithmetic import Balls
from constructions.automata.families import counting, scalar
from constructions.automata.named import automaton_by_name
from constructions.blocks.multiplication import slim_multiplier
from constructions.core.transformer import realise
from verify.bounds import circulant, leak
from verify.bounds.circulant import ExactPass, SoftPass, certified_runs, is_decided, state_error
from verify.bounds.norms import frobenius_norm, largest

CASES = [
    ("scalar:2", "aaaa", 4, Fraction(9)),
    ("scalar:-1", "aaa", 3, Fraction(40)),
    ("counting", "01001100", 8, Fraction(40)),
    ("counting", "01", 8, Fraction(7, 3)),
    ("rotation:1/8", "aaaaa", 8, Fraction(100)),
    ("permutation:3", "abba", 4, Fraction(20)),
    ("hmm:3:2", "abaab", 5, Fraction(90)),
]


def dense_tokens(name, word, length, saturation, bits=400, feedforward="product"):
    """The tokens of the dense forward pass, after each layer, as n × n matrices of balls."""
    automaton = automaton_by_name(name)
    model = theorem2.build(automaton, length, saturation, feedforward)
    n = automaton.n
    with Balls(bits) as balls:
        realised = realise(model.transformer, balls)
        states = realised.states(balls, balls.array(model.encode(word)))
        return [
            [flint.arb_mat(n, n, list(row[n * n : 2 * n * n])) for row in state]
            for state in list(states)[1:]
        ]


def tokens_and_errors(automaton, word, length, saturation, feedforward=None):
    """The exact tokens before each layer, and the errors of each layer."""
    exact = ExactPass(automaton, length)
    layers = exact.layers(word)
    return layers, list(SoftPass(exact, saturation, feedforward).layers(layers))


def distances(exact, errors, layers):
    """Distance of each token of the dense pass from exact token plus error, layer by layer."""
    return [
        [frobenius_norm(x + e - t) for x, e, t in zip(a.tokens, b.after, tokens, strict=True)]
        for a, b, tokens in zip(exact[1:], errors, layers, strict=True)
    ]


@pytest.mark.parametrize(("name", "word", "length", "saturation"), CASES)
def test_tokens_agree_with_the_dense_forward_pass(name, word, length, saturation):
    layers = dense_tokens(name, word, length, saturation)
    with flint.ctx.workprec(400):
        found = distances(
            *tokens_and_errors(automaton_by_name(name), word, length, saturation), layers
        )
        assert all(distance < flint.arb(10) ** -80 for layer in found for distance in layer)


@pytest.mark.parametrize(("name", "word", "length", "saturation"), CASES)
def test_the_error_of_the_states_agrees_with_the_dense_readout(name, word, length, saturation):
    automaton = automaton_by_name(name)
    model = theorem2.build(automaton, length, saturation)
    with Balls(400) as balls:
        states = model.states(word, balls)
        exact = automaton.states(word)
        squares = [
            (x - balls.element(y)) ** 2
            for a, b in zip(states, exact, strict=True)
            for x, y in zip(a, b, strict=True)
        ]
        wanted = sum(squares, flint.arb(0)).nonnegative_part().sqrt()
        found = state_error(automaton, [word], length, saturation)
        assert abs(found - wanted) < flint.arb(10) ** -30
        (run,) = certified_runs(automaton, [word], length, [saturation])
        assert run.states.overlaps(found)


@pytest.mark.parametrize("name", ["tanh", "gelu"])
def test_an_mlp_agrees_with_the_dense_forward_pass(name):
    made = slim_multiplier(2, name, Fraction(6), Fraction(1, 10**8))
    layers = dense_tokens("counting", "0100", 4, Fraction(60), feedforward=made)
    with flint.ctx.workprec(400):
        found = distances(*tokens_and_errors(counting(), "0100", 4, Fraction(60), made), layers)
        assert all(distance < flint.arb(10) ** -60 for layer in found for distance in layer)


@pytest.mark.parametrize("name", ["tanh", "gelu"])
def test_end_to_end_thirty_two_units_are_certainly_within_one_millionth(name):
    made = slim_multiplier(2, name, Fraction(10), Fraction(1, 10**12))
    words = ["00000000", "01001100", "11111111", "0001"]
    error = state_error(counting(), words, 8, Fraction(500), made)
    assert made.units == 32
    assert error < flint.arb(10) ** -6


def test_equal_tokens_give_an_error_of_exactly_zero():
    (run,) = certified_runs(scalar(1), ["aaaa"], 4, [Fraction(5)])
    assert run.is_decided
    assert all(layer.error.is_zero() for layer in run.layers)


def test_the_norms_of_a_layer_are_those_of_its_own_tokens():
    with flint.ctx.workprec(300):
        exact, (first, second) = tokens_and_errors(scalar(2), "aaaa", 4, Fraction(9))
        before, seen = first.norms(exact[0]), second.norms(exact[1])
        for norm, tokens in ((seen.error, second.after), (seen.incoming, second.incoming),
                             (seen.attention, second.attention), (seen.norm, exact[1].tokens)):  # fmt: skip
            assert norm.overlaps(largest(frobenius_norm(token) for token in tokens))
        assert not seen.incoming.overlaps(seen.attention)
        assert before.incoming.overlaps(before.attention)


def test_too_few_bits_leave_a_result_undecided():
    made = slim_multiplier(1, "tanh", Fraction(3), Fraction(1, 10**12))
    asked = {"automaton": scalar(2), "words": ["aa"], "length": 2, "constants": [Fraction(9)]}
    assert not certified_runs(**asked, bits=40, feedforward=made)[0].is_decided
    assert certified_runs(**asked, feedforward=made)[0].is_decided


def test_a_tiny_error_is_known_to_as_many_digits_as_a_large_one():
    large, small = certified_runs(scalar(2), ["aaaa"], 4, [Fraction(10), Fraction(3200)])
    with flint.ctx.workprec(200):
        assert small.layers[-1].error < flint.arb(10) ** -400 < large.layers[-1].error
        for run in (large, small):
            error = run.layers[-1].error
            assert error.rad() < error * flint.arb(2) ** -90


def test_an_mlp_needs_digits_for_what_cancels():
    made = slim_multiplier(1, "tanh", Fraction(3), Fraction(1, 10**12))
    needed = [circulant.bits_needed(Fraction(c), 4, made) for c in (10, 3200)]
    cancelled = 2 * abs(made.scale).numerator.bit_length()
    assert needed == [leak.bits_for(Fraction(c), 4) + cancelled for c in (10, 3200)]


def test_a_run_over_words_takes_the_largest_of_each():
    one, two = (
        certified_runs(counting(), [word], 4, [Fraction(9)])[0] for word in ("0000", "1111")
    )
    (both,) = certified_runs(counting(), ["0000", "1111"], 4, [Fraction(9)])
    for a, b, c in zip(one.layers, two.layers, both.layers, strict=True):
        assert c.error.overlaps(largest([a.error, b.error]))
        assert c.norm.overlaps(largest([a.norm, b.norm]))


def test_a_word_of_one_letter_passes_no_layer_and_has_no_error():
    (run,) = certified_runs(scalar(2), ["a"], 1, [Fraction(9)])
    assert run.layers == () and run.states.is_zero()


def test_a_ball_around_zero_is_not_known():
    with flint.ctx.workprec(64):
        assert is_decided(flint.arb(0))
        assert is_decided(flint.arb("1e-300"))
        assert not is_decided(flint.arb(0, "1e-300"))
