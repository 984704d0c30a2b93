"""The facts of SymPy hold on what is built, and name where a mutant of it differs."""

from dataclasses import replace

import pytest

from constructions import theorem1
from constructions.core.matrix import Tensor
from verify.exactness import sequences
from verify.facts import sympy_proofs as facts
from verify.facts.registry import Inputs, find, registered
from verify.judge import paper
from verify.judge.verdict import Verdict, own_judgement


def swapped(automaton, length):
    """Theorem 1 with the factors of each product exchanged."""
    model = theorem1.build(automaton, length)

    def layer(each):
        block, old = each.feedforward, each.feedforward.tensor
        tensor = Tensor(old.shape, {(b, a, c): one for (a, b, c), one in old.entries.items()})
        return replace(each, feedforward=replace(block, tensor=tensor))

    layers = tuple(map(layer, model.transformer.layers))
    return replace(model, transformer=replace(model.transformer, layers=layers))


@pytest.fixture
def mutant(monkeypatch):
    kept = sequences.CONSTRUCTIONS
    for name in ("theorem1", "no-pads"):
        monkeypatch.setitem(kept, name, replace(kept["theorem1"], build=swapped))


def test_theorem_1_is_proved_by_sympy_alone_on_every_stated_size():
    statement = paper.load().statements["thm1.restated"]
    [binding] = [b for b in statement.binding if b.fact == "sequence.sympy"]
    found = find(registered()[binding.fact], [binding.parameters], Inputs())[0]
    alone = own_judgement(replace(statement, binding=(binding,)), {binding.key: found})
    assert alone.rank is Verdict.CHECKED and found.values == {"terms": 46336}


@pytest.mark.usefixtures("mutant")
def test_a_mutant_is_named_at_its_smallest_size_and_breaks_the_statement():
    found = facts.outputs_are_states("theorem1", [1, 2], [1, 2, 4])
    assert (found.holds, found.witness) == (False, {"n": 2, "T": 2, "t": 2})
    statement = paper.load().statements["thm1"]
    [binding] = [b for b in statement.binding if b.fact == "sequence.sympy"]
    alone = replace(statement, binding=(binding,))
    outcome = find(registered()[binding.fact], [binding.parameters], Inputs())[0]
    assert own_judgement(alone, {binding.key: outcome}).rank is Verdict.BROKEN


def test_contents_are_the_letters_of_each_token_with_its_polynomials():
    found = facts.contents(2, 3)
    assert found.holds
    assert found.values["drawing"]["positions"] == list(range(-3, 5))
    assert found.values["drawing"]["rows"][2][4:7] == [[1], [1, 2], [1, 2, 3]]
    assert found.values["entries"][1][1] == ["A1[1,1]·A2[1,1]", "A1[1,2]·A2[2,1]"]


def test_trees_and_the_tensor():
    assert facts.tree_states("circle", [1, 2], 3).values == {"trees": 4}
    assert facts.tensor_multiplies([1, 2, 3]).holds
