"""Laws of circuit files and of the machine, over random automata, words, interventions and changed leaves."""

import copy
import json

import pytest
from circuit_support import interventions, words
from export_support import model_of, normalised_model
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3
from constructions.automata.strategies import automata
from constructions.circuits import interventions as act
from constructions.circuits.file import from_document, to_bytes, to_document
from constructions.core.errors import InputError
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.automaton.export import make

HMM = automaton_by_name("hmm:2:7")
STREAMS = {
    "additive": circuit_of(model_of(HMM, Order(4))),
    "logarithms": circuit_of(make(mess3(), Order(4, head="next"))[0]),
    "normalised": circuit_of(normalised_model(4)),
}
FORMATS = ("safetensors", "transformerlens", "npz", "gpt2", "llama")
RELAXED = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@RELAXED
@given(automata(states=3), st.sampled_from(FORMATS), st.integers(1, 5))
def test_a_circuit_that_is_written_is_read_again(automaton, form, length):
    circuit = circuit_of(model_of(automaton, Order(length, format=form)))
    assert from_document(json.loads(to_bytes(circuit))) == circuit


@RELAXED
@given(automata(states=3), st.sampled_from(FORMATS), st.data())
def test_the_outputs_of_the_machine_are_the_states_of_the_automaton(automaton, form, data):
    circuit = circuit_of(model_of(automaton, Order(5, format=form)))
    word = data.draw(words(circuit, 0))
    assert circuit.values(word).outputs == [tuple(state) for state in automaton.states(word)]


def everything(circuit, word, changes=()):
    trace = circuit.values(word, changes)
    return [trace[hook.name] for hook in circuit.hooks], trace.outputs, trace.has_logits


@pytest.mark.parametrize("name", STREAMS)
@RELAXED
@given(data=st.data())
def test_interventions_compose(name, data):
    """An intervention is idempotent, and interchanging a word with itself changes nothing."""
    circuit = STREAMS[name]
    word = data.draw(words(circuit))
    one = data.draw(interventions(circuit, len(word)))
    assert everything(circuit, word, (one, one)) == everything(circuit, word, (one,))
    layer = data.draw(st.integers(-1, circuit.layers - 2))
    position = data.draw(st.integers(0, len(word)))
    same = act.Interchange(layer, position, word, position)
    assert everything(circuit, word, (same,)) == everything(circuit, word)


@pytest.mark.parametrize("name", STREAMS)
@RELAXED
@given(data=st.data())
def test_entries_set_to_0_one_by_one_are_the_feature_set_to_0(name, data):
    circuit = STREAMS[name]
    word = data.draw(words(circuit))
    layer, position = data.draw(st.integers(-1, 1)), data.draw(st.integers(0, len(word)))
    size = circuit.subspaces[circuit.feature_name("window", layer)].read.shape[1]
    order = data.draw(st.permutations(range(size)))
    apart = tuple(act.AblateFeature(layer, position, entry) for entry in order)
    whole = (act.AblateFeature(layer, position),)
    assert everything(circuit, word, apart) == everything(circuit, word, whole)


PLACES = {
    "a feature": act.AblateFeature(0, 2, None, "nonsense"),
    "a constant": act.AblateFeature(0, 2, None, "one"),
    "a position": act.AblateFeature(0, 9),
    "an entry": act.AblateFeature(0, 2, 99),
    "a layer": act.AblateFeature(7, 2),
    "a layer of the other word": act.Interchange(7, 1, ("a",), 1),
    "a position of the other word": act.Interchange(0, 1, ("a",), 2),
    "a letter": act.Interchange(0, 1, ("z",), 1),
    "a scratch": act.AblateScratch(0, 2, "place"),
    "a head": act.AblateHead(0, 5),
    "a head that copies nothing": act.MoveHead(9, 0, 1),
    "a distance": act.MoveHead(0, 0, -1),
    "a block": act.AblateBlock(9),
    "an edge": act.RemoveEdge("logits", "embed", "stream"),
    "no intervention": "nonsense",
}


@pytest.mark.parametrize("name", PLACES)
def test_a_missing_place_is_refused_in_one_line(name):
    circuit = STREAMS["additive"]
    with pytest.raises(InputError) as error:
        circuit.values([circuit.tokens[0]] * 3, [PLACES[name]])
    assert "\n" not in str(error.value)


def test_a_feature_that_is_named_is_the_one_that_is_changed():
    """The scratch is 0 between layers, so that setting it to 0 changes nothing, in particular no window."""
    circuit = STREAMS["additive"]
    word = [circuit.tokens[0]] * 3
    zeroed = everything(circuit, word, [act.AblateFeature(0, 2, None, "scratch")])
    assert zeroed == everything(circuit, word)


def leaves(body, path=()):
    """The paths to all values of a document that are no lists and no records."""
    if isinstance(body, dict | list):
        pairs = body.items() if isinstance(body, dict) else enumerate(body)
        return [leaf for key, value in pairs for leaf in leaves(value, (*path, key))]
    return [path]


KINDS = st.one_of(
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just(1.5),
    st.just(-1),
)


@pytest.mark.parametrize("name", STREAMS)
@settings(RELAXED, max_examples=300)
@given(data=st.data())
def test_a_leaf_of_another_kind_is_refused_in_one_line_or_read_as_it_is(name, data):
    """No file ends with another error than one of input, neither when it is read nor when it is run."""
    circuit = STREAMS[name]
    body = to_document(circuit)
    path = data.draw(st.sampled_from(leaves(body)))
    changed = copy.deepcopy(body)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = data.draw(KINDS)
    try:
        read = from_document(changed)
        read.values(read.tokens[:1]).outputs  # noqa: B018
    except InputError as error:
        assert "\n" not in str(error)
