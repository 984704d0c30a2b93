"""Laws of the torch modules, over random automata with whole weights, for which float64 is exact.

passes     the fastest pass and the definition (`dense`) give the states of the automaton
batches    a word in a batch has the states that it has alone
files      a state dict that is saved and loaded gives the same outputs
"""

import io

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import decoder, logdepth, theorem1, theorem3
from constructions.automata.strategies import automata, tree_automata, trees, words
from constructions.automata.trees import tokens
from constructions.decoder import Design
from constructions.modules import to_torch
from constructions.theorem3 import Places

WHOLE = st.integers(-2, 2)
WORDS = {
    "theorem 1": theorem1.build,
    "decoder": lambda automaton, length: decoder.build(automaton, length, Design("relu")),
}
TREES = {
    "theorem 3": lambda automaton, length: theorem3.build(automaton, length, places=Places.LINE),
    "log depth": logdepth.build,
}
LAW = settings(max_examples=10, deadline=None)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("build", WORDS.values(), ids=WORDS.keys())
@LAW
@given(automaton=automata(entries=WHOLE), length=st.integers(1, 6), data=st.data())
def test_every_pass_gives_the_states_of_every_word_of_a_batch(
    build, dense, automaton, length, data
):
    batch = data.draw(st.lists(words(automaton, longest=length), min_size=1, max_size=4))
    module = to_torch(build(automaton, length), dense=dense)
    for word, states in zip(batch, module.states(batch), strict=True):
        expected = [[float(x) for x in row] for row in automaton.states(word)]
        assert states.tolist() == expected
        assert torch.equal(module.states([word])[0], states)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("build", TREES.values(), ids=TREES.keys())
@LAW
@given(automaton=tree_automata(states=2, entries=WHOLE), data=st.data())
def test_every_pass_gives_the_weight_of_every_tree(build, dense, automaton, data):
    tree = data.draw(trees(automaton.alphabet, leaves=4))
    module = to_torch(build(automaton, 10), dense=dense)
    assert module.weight([tokens(tree)]).tolist() == [float(automaton.weight(tokens(tree)))]


@LAW
@given(automaton=automata(entries=WHOLE), length=st.integers(1, 6), data=st.data())
def test_saved_weights_give_the_same_outputs(automaton, length, data):
    word = data.draw(words(automaton, longest=length))
    module, stored = to_torch(theorem1.build(automaton, length)), io.BytesIO()
    torch.save(module.state_dict(), stored)
    stored.seek(0)
    other = to_torch(theorem1.build(automaton, length))
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    other.load_state_dict(torch.load(stored, weights_only=True))
    assert torch.equal(other.states([word])[0], module.states([word])[0])
