"""Scores: the truth scores 1, what is wrong scores less, and what does not fit is refused."""

import importlib
import json
import math
from random import Random

import numpy as np
import pytest

pytest.importorskip("torch")

from constructions.automata.named import automaton_by_name
from constructions.circuits.file import load_circuit
from constructions.core.errors import InputError
from constructions.exports.order import Order
from verify.automaton.export import export
from verify.circuits.edges import candidates, eap_edge, eap_graph, edge_name, from_eap_graph
from verify.circuits.library import dense
from verify.circuits.score import auc, score, truth_of_folder
from verify.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return export(automaton_by_name("hmm:2:7"), Order(4), tmp_path_factory.mktemp("model")).folder


@pytest.fixture(scope="module")
def known(folder):
    return truth_of_folder(folder, load_circuit(folder))


def true_edges(known):
    return [[e["source"], e["target"], e["input"]] for e in known["edges"] if e["matters"]]


def window_at(folder, layer):
    circuit = load_circuit(folder)
    read = dense(circuit.subspaces["window"].read).numpy()
    return {"feature": "window", "hook": f"blocks.{layer}.hook_resid_post", "read": read.tolist()}


def test_the_truth_scores_one(folder, known):
    answer = {
        "edges": true_edges(known),
        "components": [c["name"] for c in known["components"] if c["matters"]],
        "heads": known["heads"],
        "features": [window_at(folder, 0)],
    }
    scores = score(folder, answer)
    assert scores["edges"].items() >= {"precision": 1, "recall": 1, "auc": 1, "ignored": 0}.items()
    assert scores["edges"]["recall_positional"] == scores["edges"]["recall_other"] == 1
    assert scores["components"]["recall"] == scores["heads"]["accuracy"] == 1
    window = scores["window at blocks.0.hook_resid_post"]
    assert window["R2"] > 0.999999 and window["cosine"] > 0.999 and window["interchange"] == 1


def test_half_of_the_edges_has_half_the_recall_and_others_cost_precision(folder, known):
    right = true_edges(known)
    half = right[: len(right) // 2]
    wrong = [[e["source"], e["target"], e["input"]] for e in known["edges"] if not e["matters"]]
    found = score(folder, {"edges": half})["edges"]
    assert found["precision"] == 1 and found["recall"] == len(half) / len(right)
    worse = score(folder, {"edges": half + wrong[:2]})["edges"]
    assert worse["precision"] == len(half) / (len(half) + 2) and worse["auc"] < found["auc"]


def test_random_scores_have_an_auc_near_a_half(known):
    names = [edge_name([e["source"], e["target"], e["input"]]) for e in known["edges"]]
    true = {edge_name(edge) for edge in true_edges(known)}
    random = Random(1)
    values = [auc({name: random.random() for name in names}, true) for _ in range(400)]
    assert abs(sum(values) / len(values) - 0.5) < 0.03
    assert auc(dict.fromkeys(names, 0.0), true) == 0.5 and math.isnan(auc({"a": 1.0}, {"a"}))


def test_another_subspace_scores_less(folder):
    item = window_at(folder, 0)
    turned = np.array(item["read"])
    turned[[0, 4]] = turned[[4, 0]]  # one direction of the window for one of the scratch
    scores = score(folder, {"features": [item | {"read": turned.tolist()}]})
    (window,) = scores.values()
    assert window["cosine"] < 0.1 and window["R2"] < 0.99


BAD = {
    "an edge of one name": {"edges": [["embed"]]},
    "scores for some": {"edges": [["embed", "head 0.0", "value", 1], ["embed", "mlp 0"]]},
    "a score that is a text": {"edges": {"embed -> mlp 0": "high"}},
    "a score that is no number": {"edges": [["embed", "mlp 0", "stream", float("nan")]]},
    "no list": {"edges": 7},
    "heads without names": {"heads": 3},
    "features without names": {"features": 3},
    "a feature without a place": {"features": [{"feature": "window"}]},
    "another feature": {"features": [{"feature": "x", "hook": "y", "read": [[1]]}]},
    "another hook": {"features": [{"feature": "window", "hook": "y", "read": [[1.0] * 4] * 11}]},
    "no matrix": {
        "features": [{"feature": "window", "hook": "blocks.0.hook_resid_post", "read": "many"}]
    },
}


@pytest.mark.parametrize("name", BAD)
def test_an_answer_that_does_not_fit_is_refused_in_one_line(folder, name):
    with pytest.raises(InputError) as error:
        score(folder, BAD[name])
    assert "\n" not in str(error.value)


def test_edges_in_every_format_have_equal_scores(folder, known):
    """Names, ends, ends with a score, EAP-IG's names, and its graph, as a file."""
    right = true_edges(known)
    circuit = load_circuit(folder)
    named = {edge.name: eap_edge(edge) for edge in circuit.edges}
    forms = [
        {edge_name(edge): 2.0 for edge in right},
        [[*edge, 0.5] for edge in right],
        {named[edge_name(edge)]: 1 for edge in right},
        from_eap_graph(eap_graph(circuit, known))["edges"],
    ]
    best = {"precision": 1, "recall": 1, "auc": 1}
    for given in forms:
        assert score(folder, {"edges": given})["edges"].items() >= best.items()


def test_names_of_eap_ig_are_those_of_the_same_edges(folder):
    for edge in load_circuit(folder).edges:
        assert edge_name(eap_edge(edge)) == edge_name(edge.name) == edge.name
    assert edge_name("a1.h0->m1") == "head 1.0 -> mlp 1"
    assert edge_name("input->a0.h0<q>") == "embed -> head 0.0 (query)"


def test_edges_that_are_not_scored_are_ignored_and_counted(folder, known):
    right = true_edges(known)
    more = [["embed", "nowhere", "stream"], ["head 9.9", "logits"], ["embed", "logits", "stream"]]
    found, alone = (score(folder, {"edges": edges})["edges"] for edges in (right + more, right))
    assert found == alone | {"ignored": 2 + (["embed", "logits", "stream"] not in right)}


def test_candidates_are_the_scored_edges_without_truth(known):
    listed = candidates(known)
    assert set(listed) == {"schema", "edges", "components"}
    assert listed["edges"] == [[e["source"], e["target"], e["input"]] for e in known["edges"]]
    assert listed["components"] == [part["name"] for part in known["components"]]


def test_the_graph_of_eap_ig_has_its_nodes_its_edges_and_the_truth(folder, known):
    """Every edge that EAP-IG's own graph has: from each node to each later one, three into a head."""
    body = json.loads(json.dumps(eap_graph(load_circuit(folder), known)))
    layers = body["cfg"]["n_layers"]
    order = ["input", *(node for n in range(layers) for node in (f"a{n}.h0", f"m{n}")), "logits"]
    expected = {f"{a}->{b}{side}" for i, b in enumerate(order) for a in order[:i]
                for side in (("<q>", "<k>", "<v>") if b.startswith("a") else ("",))}  # fmt: skip
    assert set(body["edges"]) == expected and set(body["nodes"]) == set(order)
    assert body["cfg"] == {"n_layers": 2, "n_heads": 1, "d_model": body["cfg"]["d_model"],
                           "parallel_attn_mlp": False}  # fmt: skip
    scored = {name for name, edge in body["edges"].items() if edge["score"] == 1}
    assert len(scored) == len(true_edges(known))
    assert all(body["edges"][name]["in_graph"] for name in scored)


def test_simple_methods_score_well_on_a_small_model(folder, repository, monkeypatch):
    monkeypatch.syspath_prepend(repository / "bench")
    reference = importlib.import_module("circuit_methods").reference
    patching = score(folder, reference(folder, "patching"))
    assert patching["edges"]["auc"] > 0.8 and patching["edges"]["precision"] > 0.9
    assert score(folder, reference(folder, "attribution"))["edges"]["auc"] > 0.8
    assert score(folder, reference(folder, "heads"))["heads"] == {"accuracy": 1}
    probes = score(folder, reference(folder, "probe"))
    assert all(scores["R2"] > 0.999 for scores in probes.values())


def test_the_command_scores_an_answer(folder, known, tmp_path, capsys):
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"heads": known["heads"]}))
    assert main(["score", str(folder), str(path)]) == 0
    assert "heads: accuracy 1" in capsys.readouterr().out
    path.write_text("[]")
    assert main(["score", str(folder), str(path)]) == 4
