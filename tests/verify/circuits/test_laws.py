"""Laws of circuits against models: every number that is measured is within what is predicted and allowed."""

import pytest

pytest.importorskip("torch")

import copy
import json
from dataclasses import replace

from circuit_support import changed_circuit, interventions, words
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from constructions.automata.families import pfa
from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3, ngram
from constructions.circuits import interventions as act
from constructions.circuits.file import load_circuit
from constructions.core.errors import InputError
from constructions.exports.order import Order
from verify.automaton.export import export
from verify.circuits.check import answer, check
from verify.circuits.library import load_library
from verify.circuits.trials import Trial

HMM = automaton_by_name("hmm:2:7")
PARITY = pfa(
    [1, 0],
    {"a": [[0, "1/2"], ["1/3", 0]], "b": [["1/4", 0], [0, "1/3"]]},
    ["1/4", "1/3"],
)
MODELS = {
    "gated": (HMM, Order(5)),
    "plain": (HMM, Order(4, plain=True, format="npz")),
    "float32": (HMM, Order(4, dtype="float32", eps="1e-3")),
    "logarithms": (mess3(), Order(4, head="next")),
    "digital": (ngram(["abba", "ab"], 2), Order(4, head="next", plain=True)),
    "three layers": (PARITY, Order(8, head="next")),
}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    made = {}

    def library(name):
        if name not in made:
            automaton, order = MODELS[name]
            folder = export(automaton, order, tmp_path_factory.mktemp("model")).folder
            made[name] = load_library(folder, load_circuit(folder))
        return made[name]

    return library


def several(circuit):
    """A word and up to three interventions on it."""
    return words(circuit).flatmap(
        lambda word: st.tuples(
            st.just(word), st.lists(interventions(circuit, len(word)), max_size=3).map(tuple)
        )
    )


@pytest.mark.parametrize("name", MODELS)
def test_several_interventions_have_the_predicted_results(name, libraries):
    library = libraries(name)

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @seed(1)
    @given(several(library.circuit))
    def holds(pair):
        word, changes = pair
        found = answer(library, [Trial(word, changes)])
        assert found.disagreement is None, str(found.disagreement)

    holds()


AT_ONE_PLACE = {
    "two edges into one input": (
        act.RemoveEdge("embed", "head 1.0", "value"), act.RemoveEdge("mlp 0", "head 1.0", "value")),
    "two edges into one block": (
        act.RemoveEdge("embed", "mlp 1", "stream"), act.RemoveEdge("head 1.0", "mlp 1", "stream")),
    "a window replaced, then its writer not seen": (
        act.AblateFeature(-1, 2), act.RemoveEdge("embed", "mlp 0", "stream")),
    "another window, its writer not seen": (
        act.RemoveEdge("embed", "head 0.0", "value"), act.Interchange(-1, 1, ("b", "a"), 1)),
    "two entries": (act.AblateFeature(0, 3, 1), act.AblateFeature(0, 3, 2)),
    "moved, then ablated": (act.MoveHead(1, 0, 0), act.AblateHead(1, 0)),
    "ablated, then moved": (act.AblateHead(1, 0), act.MoveHead(1, 0, 0)),
    "moved, with an edge into its value removed": (
        act.MoveHead(1, 0, 1), act.RemoveEdge("mlp 0", "head 1.0", "value")),
    "a scratch read as 0, with an edge into the block removed": (
        act.AblateScratch(1, 3), act.RemoveEdge("head 1.0", "mlp 1", "stream")),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_ONE_PLACE)
def test_two_interventions_at_one_place_have_the_predicted_result(name, libraries):
    library = libraries("gated")
    letters = dict(zip("ab", library.circuit.tokens, strict=False))
    changes = tuple(
        replace(each, word=tuple(letters[x] for x in each.word))
        if isinstance(each, act.Interchange) else each
        for each in AT_ONE_PLACE[name]
    )  # fmt: skip
    word = tuple(letters[x] for x in "abbab")
    exact = library.circuit.values(word).outputs
    assert library.circuit.values(word, changes).outputs != exact
    found = answer(library, [Trial(word, changes)])
    assert found.verdict == "agrees", str(found.disagreement)


def leaves(body, path=()):
    """The paths to all values of a document that are no lists and no records."""
    if isinstance(body, dict | list):
        pairs = body.items() if isinstance(body, dict) else enumerate(body)
        return [leaf for key, value in pairs for leaf in leaves(value, (*path, key))]
    return [path]


def is_free(path):
    """Check that a leaf is prose, a definition, or a constant from which only the allowance follows."""
    prose = path[0] == "assay" or path[-1] in ("meaning", "computed") or "holds" in path
    bound = path[0] == "constants" and path[1] in ("epsilon", "noise", "built_length")
    return prose or bound or path[:2] in (("readout", "state"), ("readout", "ahead"))


def with_change(body, path):
    """A document with another value at one leaf: the next number, a longer text, something for nothing."""
    changed = copy.deepcopy(body)
    at = changed
    for key in path[:-1]:
        at = at[key]
    old = at[path[-1]]
    at[path[-1]] = 1 if old is None else f"{old}1" if isinstance(old, str) else old + 1
    return changed


def test_every_changed_leaf_of_a_circuit_is_refused(tmp_path):
    """By its reader, or as the model does not do what the changed circuit predicts."""
    folder = export(HMM, Order(2, format="npz"), tmp_path).folder
    body = json.loads((folder / "circuit.json").read_text())
    kept = []
    for path in leaves(body):
        with changed_circuit(folder, lambda body, path=path: with_change(body, path)):
            try:
                found = check(folder, seed=1, interventions=24).verdict
            except InputError as error:
                assert "\n" not in str(error)
                continue
        if found != "refused" and not is_free(path):
            kept.append(path)
    assert kept == []
    assert len(leaves(body)) > 150
