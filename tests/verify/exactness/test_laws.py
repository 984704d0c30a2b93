"""Laws of the exact engines: what they prove is true, and a changed weight that matters is refused.

proofs   a model that passes gives every state of random automata; a changed one that does not, fails
"""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import theorem1
from constructions.arithmetic import FreeMonoid, Rational
from constructions.automata.wfa import WFA
from constructions.variants import carried_positions, nopads, unrolled
from verify.exactness import generic

MODULES = [theorem1, carried_positions, nopads, unrolled]
CHANGES = ("without its first layer", "layers in reverse", "key", "value", "query")
weights = st.integers(-3, 3)


def changed(build, how, layer, turn):
    """A builder of the same model with one thing changed in one layer."""

    def built(automaton, length):
        right = build(automaton, length)
        layers = list(right.transformer.layers)
        here = layer % len(layers) if layers else 0
        if how == "without its first layer":
            layers = layers[1:]
        elif how == "layers in reverse":
            layers = layers[::-1]
        elif layers:
            heads = list(layers[here].heads)
            matrix = getattr(heads[turn % len(heads)], how)
            place = sorted(matrix.entries)[turn % len(matrix.entries)]
            entries = {**matrix.entries, place: -2 * matrix.entries[place]}
            heads[turn % len(heads)] = replace(
                heads[turn % len(heads)], **{how: replace(matrix, entries=entries)}
            )
            layers[here] = replace(layers[here], heads=tuple(heads))
        return replace(right, transformer=replace(right.transformer, layers=tuple(layers)))

    return built


def right_states(build, length, alpha, steps):
    """Whether the outputs on every word of a length are the states of an automaton."""
    n = len(alpha)
    automaton = WFA.of(alpha, dict(zip("ab", steps, strict=True)), [1] * n)
    model = build(automaton, length)
    for word in product("ab", repeat=length):
        try:
            found = model.states(word, Rational())
        except ArithmeticError:
            return False
        expected = [[str(x) for x in state] for state in automaton.states(word)]
        if [[str(x) for x in row] for row in found] != expected:
            return False
    return True


square = st.lists(st.lists(weights, min_size=2, max_size=2), min_size=2, max_size=2)


@settings(max_examples=40)
@given(
    st.sampled_from(MODULES),
    st.integers(1, 4),
    st.lists(weights, min_size=2, max_size=2),
    st.lists(square, min_size=2, max_size=2),
)
def test_what_is_proved_holds_for_random_automata(module, length, alpha, steps):
    assert generic.prove_words(length, module.build, FreeMonoid()) is None
    assert right_states(module.build, length, alpha, steps)


@settings(max_examples=60)
@given(
    st.sampled_from(MODULES),
    st.integers(2, 4),
    st.sampled_from(CHANGES),
    st.integers(0, 3),
    st.integers(0, 9),
)
def test_a_changed_model_that_gives_a_wrong_state_is_not_proved(module, length, how, layer, turn):
    wrong = changed(module.build, how, layer, turn)
    if generic.prove_words(length, wrong, FreeMonoid()) is None:
        assert right_states(wrong, length, [1, 2], [[[1, 1], [0, 1]], [[1, 0], [3, 1]]])


@pytest.mark.parametrize("module", [theorem1, carried_positions, nopads])
def test_a_model_without_its_first_layer_is_not_proved(module):
    wrong = changed(module.build, "without its first layer", 0, 0)
    assert generic.prove_words(4, wrong, FreeMonoid()) is not None
