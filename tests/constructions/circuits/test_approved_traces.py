"""What the exact machines compute under every intervention, as it was approved, in every kind of circuit."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

pytest.importorskip("torch")

from approved_support import agree_with_approved, plain_data
from export_support import model_of, normalised_model

from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3, ngram
from constructions.automata.wta import WTA
from constructions.circuits import interventions as act
from constructions.circuits.tree_circuit import TreeCircuit
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from constructions.exports.tree_circuit import tree_circuit_of
from verify.automaton.export import make

APPROVED = Path(__file__).with_suffix(".json")
HMM = automaton_by_name("hmm:2:7")
LEAVES = WTA.of([1, 0], [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip


MODELS = {
    "gated": lambda: model_of(HMM, Order(4)),
    "units": lambda: model_of(HMM, Order(4, format="gpt2")),
    "rotary": lambda: model_of(HMM, Order(4, format="llama")),
    "logarithms": lambda: make(mess3(), Order(4, head="next"))[0],
    "digital": lambda: make(ngram(["abba", "ab"], 2), Order(4, head="next", plain=True))[0],
    "normalised": lambda: normalised_model(4),
    "trees": lambda: model_of(LEAVES, Order(7)),
}

EVERY = {"state": 60}  # a tree decoder has hundreds of edges


def interventions(circuit, word, other):
    """Every kind, in every layer, at the last position and at an earlier one; of trees not all."""
    end, content = len(word), circuit.content
    places = (end,) if content == "state" else (end, end // 2)
    for layer in range(-1, circuit.layers):
        for position in places:
            yield act.Interchange(layer, position, other, end - 1, (content,))
            yield act.AblateFeature(layer, position, None, content)
            yield act.AblateFeature(layer, position, 1, content)
            yield act.AblateScratch(max(layer, 0), position)
    for part in circuit.components:
        if part.head is not None:
            yield act.AblateHead(part.layer, part.head)
            yield act.MoveHead(part.layer, part.head, 1)
        elif part.name.startswith("mlp"):
            yield act.AblateBlock(part.layer)
    for edge in circuit.edges[:: EVERY.get(content, 1)]:
        yield act.RemoveEdge(edge.source, edge.target, edge.input)


def digest(value):
    text = json.dumps(plain_data(value), sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:8]


def results(trace, circuit):
    """All that a trace has: features at each hook, then what is read in the end."""
    more = [getattr(trace, name, None) for name in ("outputs", "states", "beliefs", "has_logits")]
    return [trace[hook.name] for hook in circuit.hooks], more


def parsed_word(circuit):
    if isinstance(circuit, TreeCircuit):
        return tuple("[a[ab]]"), tuple("[[ba]b]")
    letters = circuit.tokens[:2]
    return tuple(letters[k] for k in (0, 1, 1, 0)), tuple(letters[k] for k in (1, 0, 1, 1))


@pytest.mark.parametrize("name", MODELS)
def test_every_intervention_has_the_effect_that_was_approved(name):
    model = MODELS[name]()
    circuit = tree_circuit_of(model) if name == "trees" else circuit_of(model)
    word, other = parsed_word(circuit)
    found = {"none": digest(results(circuit.values(word), circuit))}
    for each in interventions(circuit, word, other):
        found[str(each)] = digest(results(circuit.values(word, [each]), circuit))
    agree_with_approved(APPROVED, name, found)
