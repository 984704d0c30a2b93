"""Laws of every construction, over random automata, words and trees.

exactness       with hard attention and exact products the states are those of the definition
prefixes        the states of a prefix are the first states of the word
any arithmetic  balls contain the exact states
refusals        a word or tree that is too long, or a symbol that is no letter, is an InputError
"""

from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import decoder, decoder_tree, logdepth, theorem1, theorem2, theorem3
from constructions.arithmetic import Balls, Rational
from constructions.automata.strategies import automata, tree_automata, trees, words
from constructions.automata.trees import ends, positions, tokens
from constructions.core.errors import InputError
from constructions.decoder import Design
from constructions.theorem3 import Places
from constructions.variants import (
    carried_positions,
    logdepth_clean,
    nopads,
    residual,
    theorem2_clean,
    theorem3_clean,
    unrolled,
)
from constructions.variants.theorem3_variants import (
    MaskVariantSimulation,
    build_causal,
    build_maskless,
)

WORD_MODELS = {
    "theorem 1": theorem1.build,
    "carried positions": carried_positions.build,
    "no pads": nopads.build,
    "residual": residual.build,
    "unrolled": unrolled.build,
    "theorem 2 without pads, before softmax": theorem2_clean.build,
    "decoder": lambda automaton, length: decoder.build(automaton, length, Design("relu")),
}
TREE_MODELS = {
    "theorem 3 on the circle": theorem3.build,
    "theorem 3 on the line": lambda a, length: theorem3.build(a, length, places=Places.LINE),
    "without masks": build_maskless,
    "with causal masks": build_causal,
    "string only": theorem3_clean.build,
    "log depth": logdepth.build,
    "log depth, string only": logdepth_clean.build,
    "tree decoder": lambda a, length: decoder_tree.build(a, length, "relu"),
}
LAW = settings(max_examples=12, deadline=None)
LENGTHS = st.integers(1, 6)


def fractions(state):
    return tuple(Fraction(str(weight)) for weight in state)


@pytest.mark.parametrize("build", WORD_MODELS.values(), ids=WORD_MODELS.keys())
@LAW
@given(automaton=automata(), length=LENGTHS, data=st.data())
def test_states_of_words_are_those_of_the_definition(build, automaton, length, data):
    word = data.draw(words(automaton, longest=length))
    found = build(automaton, length).states(word, Rational())
    assert [fractions(row) for row in found] == [tuple(row) for row in automaton.states(word)]


def state_at(model, rows, symbols, i):
    """Return the state at position i: rows by position, at the bracket where the model keeps it."""
    if isinstance(rows, dict):
        return rows[i]
    if isinstance(model, MaskVariantSimulation):
        return rows[(ends(symbols)[i] if model.causal else i) - 1]
    return rows[model.rows(symbols)[i]]


@pytest.mark.parametrize("build", TREE_MODELS.values(), ids=TREE_MODELS.keys())
@LAW
@given(automaton=tree_automata(states=2), data=st.data())
def test_states_of_trees_are_those_of_the_definition(build, automaton, data):
    symbols = tokens(data.draw(trees(automaton.alphabet, leaves=3)))
    model = build(automaton, 8)
    rows, expected = model.states(symbols, Rational()), automaton.states(symbols)
    assert set(expected) == set(positions(symbols))
    for i, state in expected.items():
        assert fractions(state_at(model, rows, symbols, i)) == tuple(state)


@LAW
@given(automaton=automata(), length=LENGTHS, data=st.data())
def test_states_of_a_prefix_are_the_first_states_of_the_word(automaton, length, data):
    word = data.draw(words(automaton, longest=length))
    size = data.draw(st.integers(0, len(word)))
    model = theorem2.build(automaton, length, Fraction(9))
    full, short = model.states(word, dtype="float64"), model.states(word[:size], dtype="float64")
    exact = theorem1.build(automaton, length).states(word)
    assert theorem1.build(automaton, length).states(word[:size]) == exact[: size + 1]
    assert len(full) == len(exact) and len(short) == size + 1


@LAW
@given(automaton=automata(), length=LENGTHS, data=st.data())
def test_balls_contain_the_exact_states(automaton, length, data):
    word = data.draw(words(automaton, longest=length))
    with Balls(100) as balls:
        rows = theorem1.build(automaton, length).states(word, balls)
        for row, exact in zip(rows, automaton.states(word), strict=True):
            for ball, value in zip(row, exact, strict=True):
                with flint.ctx.workprec(1000):  # the exact value as a ball far smaller than its ulp
                    exact_value = flint.arb(flint.fmpq(*value.as_integer_ratio()))
                    assert (balls.element(0) + ball).contains(exact_value)


@pytest.mark.parametrize("build", WORD_MODELS.values(), ids=WORD_MODELS.keys())
@LAW
@given(automaton=automata(), length=LENGTHS)
def test_words_that_do_not_fit_are_refused(build, automaton, length):
    model = build(automaton, length)
    with pytest.raises(InputError, match=f"{length}"):
        model.states([automaton.alphabet[0]] * (length + 1), Rational())
    with pytest.raises(InputError, match="found z"):
        model.states(["z"], Rational())
    with pytest.raises(InputError):
        build(automaton, 0)


@pytest.mark.parametrize("build", TREE_MODELS.values(), ids=TREE_MODELS.keys())
@LAW
@given(automaton=tree_automata(states=2))
def test_trees_that_do_not_fit_are_refused(build, automaton):
    letter = automaton.alphabet[0]
    model = build(automaton, 4)
    with pytest.raises(InputError, match="4"):
        model.states(tokens((letter, (letter, letter))), Rational())
    with pytest.raises(InputError, match="z"):
        model.states(tokens(("z", letter)), Rational())
