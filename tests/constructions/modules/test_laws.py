"""Laws of the torch modules, over random automata with whole weights, for which float64 is exact.

passes     the fastest pass and the definition (`dense`) give the states of the automaton
batches    a word in a batch has the states that it has alone
edits      after any edits, hooks, loads and casts the module and the definition have equal states
gradients  those of the letters are those of the definition
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
from constructions.modules.passes import PassKind
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


def scale_weight(module, name):
    with torch.no_grad():
        module.get_parameter(name).mul_(-2)


def scale_weight_past_the_counters(module, name):
    module.get_parameter(name).data.mul_(-2)
    module.recheck()


def add_hook(module, name):
    owner = name.rpartition(".")[0]
    module.get_submodule(owner).register_forward_hook(lambda *_: None)


def reload(module, name):
    module.load_state_dict({key: value.clone() for key, value in module.state_dict().items()})


def freeze(module, name):
    module.get_parameter(name).requires_grad_(False)


EDITS = st.sampled_from([scale_weight, scale_weight_past_the_counters, add_hook, reload, freeze])


def edited_states(build, automaton, length, dense, edits, call):
    """The states after some edits, and again after the first of them is made once more."""
    module = to_torch(build(automaton, length), dense=dense)
    names = [name for name, _ in module.named_parameters()]
    found = []
    for edit, number in edits:
        edit(module, names[number % len(names)])
        found += call(module)
    return found


@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("build", WORDS.values(), ids=WORDS.keys())
@settings(max_examples=30, deadline=None)
@given(automaton=automata(entries=WHOLE), length=st.integers(1, 6), data=st.data())
def test_an_edited_word_module_has_the_states_of_the_definition(
    build, gradients, automaton, length, data
):
    word = data.draw(words(automaton, longest=length))
    edits = data.draw(st.lists(st.tuples(EDITS, st.integers(0, 99)), min_size=1, max_size=4))
    with torch.set_grad_enabled(gradients):
        found, expected = (
            edited_states(build, automaton, length, dense, edits, lambda m: m.states([word]))
            for dense in (False, True)
        )
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("build", TREES.values(), ids=TREES.keys())
@settings(max_examples=30, deadline=None)
@given(automaton=tree_automata(states=2, entries=WHOLE), data=st.data())
def test_an_edited_tree_module_has_the_weight_of_the_definition(build, automaton, data):
    tree = tokens(data.draw(trees(automaton.alphabet, leaves=4)))
    edits = data.draw(st.lists(st.tuples(EDITS, st.integers(0, 99)), min_size=1, max_size=4))
    with torch.no_grad():
        found, expected = (
            edited_states(build, automaton, 10, dense, edits, lambda m: [m.weight([tree])])
            for dense in (False, True)
        )
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("trained", ["letters", "all"])
@LAW
@given(automaton=automata(entries=WHOLE), length=st.integers(1, 6), data=st.data())
def test_gradients_are_those_of_the_definition(trained, automaton, length, data):
    """Letters in whole numbers to the last digit, pads before, in and after a word included."""
    word = torch.tensor([data.draw(st.lists(
        st.integers(0, len(automaton.alphabet)), min_size=length, max_size=length
    ))])  # fmt: skip
    found = []
    for dense in (False, True):
        module = to_torch(theorem1.build(automaton, length), dense=dense)
        if trained == "letters":
            module.train_letters()
        fast = PassKind.FUSED if trained == "letters" else PassKind.ROUTED
        assert module.current_pass() is (PassKind.DENSE if dense else fast)
        states = module(word)
        (states * torch.arange(1.0, states.numel() + 1).view_as(states)).sum().backward()
        found.append({name: p.grad for name, p in module.named_parameters()})
    assert torch.equal(found[0]["letters"], found[1]["letters"])
    for name, gradient in found[1].items():
        assert (gradient is None) == (found[0][name] is None), name
        if gradient is not None:
            torch.testing.assert_close(found[0][name], gradient, rtol=1e-12, atol=1e-9, msg=name)


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
