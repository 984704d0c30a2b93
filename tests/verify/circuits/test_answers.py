"""Answers and scores in words and numbers, and the automata of the benchmark, by hand and as approved."""

from dataclasses import asdict
from fractions import Fraction
from math import isnan
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

import numpy as np
import torch
from approved_support import agree_with_approved, plain_data
from export_support import ADDER, model_of

from constructions.automata.families import counting
from constructions.circuits.interventions import AblateFeature, AblateHead, RemoveEdge
from constructions.core.errors import InputError
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from constructions.exports.tree_circuit import tree_circuit_of
from verify.circuits import catalogue, check, hooked, library, reference_table, score, trials

APPROVED = Path(__file__).with_suffix(".json")
TRIAL = trials.Trial(("a",), ())
NAN, INFINITE = float("nan"), float("inf")


def comparison(model, prediction, allowed, place="output 0"):
    return check.Comparison(place, 2, model, prediction, allowed, TRIAL)


@pytest.mark.parametrize(
    ("model", "prediction", "allowed", "apart", "share"),
    [(1.5, 1.0, 0.25, 0.5, 2.0), (1.0, 1.0, 0.0, 0.0, 0.0), (1.5, 1.0, 0.0, 0.5, INFINITE),
     (NAN, 1.0, 1.0, INFINITE, INFINITE), (0.5, 1.0, 1.0, 0.5, 0.5)],
)  # fmt: skip
def test_a_distance_is_a_share_of_what_is_allowed(model, prediction, allowed, apart, share):
    found = comparison(model, prediction, allowed)
    assert (found.apart, found.share) == (apart, share)


def answered(monkeypatch, *rows):
    """The answer of trials, each with some comparisons."""
    found = iter(rows)
    made = lambda *_: SimpleNamespace(comparisons=lambda: iter(next(found)))  # noqa: E731
    monkeypatch.setattr(check, "run_trial", made)
    return check.answer(SimpleNamespace(name="assay"), [TRIAL] * len(rows))


def test_numbers_are_counted_and_the_worst_and_the_weak_are_told(monkeypatch):
    found = answered(
        monkeypatch,
        [comparison(1.0, 1.25, 0.5), comparison(3.0, 2.5, 4.0), comparison(0.0, 0.0, 1.0)],
        [comparison(8.0, 8.125, 0.25, "state[0] at after"), comparison(2.0, 1.75, 0.5)],
    )
    assert (found.comparisons, found.weak, found.unbounded, found.verdict) == (5, 1, 0, "agrees")
    assert (found.largest, found.largest_output, found.worst.share) == (0.25, 0.25, 0.5)
    agree_with_approved(APPROVED, "lines: agrees", list(found.lines()))


def test_the_first_disagreement_ends_the_check(monkeypatch):
    apart = comparison(1.5, 1.0, 0.25)
    found = answered(monkeypatch, [comparison(1.0, 1.0, 0.1), apart, comparison(9.0, 1.0, 0.1)], [])
    assert (found.disagreement, found.verdict, found.trials) == (
        apart, "refused", {"without intervention": 1})  # fmt: skip
    agree_with_approved(APPROVED, "lines: refused", list(found.lines()))


def test_a_bound_that_is_not_finite_or_no_number_at_all_decides_nothing(monkeypatch):
    found = answered(monkeypatch, [comparison(1.0, 1.0, INFINITE)])
    assert (found.verdict, found.unbounded) == ("undecided", 1)
    agree_with_approved(APPROVED, "lines: undecided", list(found.lines()))
    assert answered(monkeypatch, []).verdict == "undecided"
    assert "Largest" not in "\n".join(answered(monkeypatch, []).lines())


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (RemoveEdge("embed", "head 0.0", "key"), "edges removed"),
        (AblateHead(0, 0), "heads ablated"),
    ],
)
def test_a_trial_is_called_by_what_it_changes_first(change, kind):
    assert check.kind_of(trials.Trial(("a",), (change,))) == kind
    assert check.kind_of(TRIAL) == "without intervention"
    with pytest.raises(KeyError):
        check.kind_of(trials.Trial(("a",), (AblateFeature,)))


def test_automata_of_the_benchmark_are_as_approved():
    found = {name: [family, plain_data(make())]
             for name, (family, make) in (catalogue.AUTOMATA | catalogue.TREES).items()}  # fmt: skip
    for name, entry in found.items():
        agree_with_approved(APPROVED, f"automaton: {name}", entry)


def test_entries_of_the_benchmark_are_as_approved():
    found = [[each.name, each.family, each.disguise, each.seed, each.language,
              {key: str(value) for key, value in asdict(each.order).items() if value is not None}]
             for each in catalogue.benchmark_v1()]  # fmt: skip
    agree_with_approved(APPROVED, "benchmark v1", found)


def test_automata_of_the_benchmark_do_what_they_are_said_to_do():
    five = catalogue.modular(5)
    assert [five.weight("1" * k) for k in range(11)] == [int(k % 5 == 0) for k in range(11)]
    assert catalogue.binary().weight("10110") == 22
    up = catalogue.bounded(3)
    assert [up.states(word)[-1].index(1) for word in ("uuuu", "uud", "uudddd")] == [2, 1, 0]
    assert catalogue.nand().weight("[1[10]]") == 1 - catalogue.nand().weight("[1[11]]")
    wins = {"rp": "p", "pr": "p", "ps": "s", "rs": "r", "rr": "r", "ss": "s"}
    for pair, best in wins.items():
        state = catalogue.winner().states(tuple(f"[{pair[0]}{pair[1]}]"))[1]
        assert "rps"[list(state).index(1)] == best
    assert catalogue.combination(1, -1).weight("[5[21]]") == 4


@pytest.mark.parametrize(
    ("given", "precision", "recall", "auc"),
    [(["a", "b"], 1.0, 1.0, 1.0), (["a", "c"], 0.5, 0.5, 0.5), ([], NAN, 0.0, 0.5),
     ({"a": 2, "c": 1, "b": 0.5}, 0.5, 0.5, 0.75), ({"a": 1, "b": -1}, 1.0, 0.5, 0.5)],
)  # fmt: skip
def test_sets_and_rankings_are_scored_by_hand(given, precision, recall, auc):
    found = score.set_score(given, list("abcd"), set("ab"), "edges")
    for number, wanted in zip(
        (found.precision, found.recall, found.auc), (precision, recall, auc), strict=True
    ):
        assert number == wanted or (isnan(number) and isnan(wanted))


def test_a_set_without_a_true_one_has_no_recall_and_no_area():
    found = score.set_score(["a"], ["a", "b"], set(), "edges")
    assert found.precision == 0 and isnan(found.recall) and isnan(found.auc)
    assert isnan(score.auc({"a": 1.0}, {"a"})) and score.auc({"a": 1.0, "b": 1.0}, {"a"}) == 0.5


def test_edges_are_named_by_their_ends_and_by_their_input():
    name = score.edge_name
    assert name("embed -> head 0.0") == "embed -> head 0.0"
    assert name(["a", "b"]) == name(["a", "b", score.STREAM]) == "a -> b"
    assert name(["a", "b", "key"]) == "a -> b (key)"
    for wrong in (["a"], ["a", "b", "c", "d"], 7):
        with pytest.raises(InputError, match="a name, or"):
            name(wrong)


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '{"edge": []}', '{"edges": [], "luck": 1}'])
def test_a_file_that_is_no_answer_is_refused(text, tmp_path):
    path = tmp_path / "answer.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"answer\.json"):
        score.read_answer(path)
    path.write_text('{"edges": [], "heads": {}, "features": [], "components": []}')
    assert set(score.read_answer(path)) == {"edges", "heads", "features", "components"}


def test_words_and_truths_of_a_folder_are_read_where_they_are(tmp_path):
    circuit = circuit_of(model_of(counting(), Order(4)))
    drawn = score.folder_words(tmp_path, circuit)
    assert len(drawn) == score.WORDS == 32 and drawn == score.folder_words(tmp_path, circuit)
    assert drawn != score.folder_words(tmp_path, circuit, "train")
    (tmp_path / "test.jsonl").write_text('{"word": ["0", "1"]}\n{"word": []}\n')
    assert score.folder_words(tmp_path, circuit) == [("0", "1"), ()]
    (tmp_path / "truth.json").write_text('{"edges": 7}')
    assert score.truth_of_folder(tmp_path, circuit) == {"edges": 7}


def test_positions_of_an_answer_are_those_of_its_word_if_it_has_any():
    assert score._row([[1], [2, 3]], 1) == [2, 3]
    assert score._row([[1]], 1) == score._row(None, 0) == score._row([7], 0) == ()


def test_subspaces_are_compared_in_the_directions_in_which_streams_vary():
    streams = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 2, 0], [0, -2, 0]])
    e = np.eye(3)
    cosine = lambda found, true: score.smallest_cosine(found, true, streams)  # noqa: E731
    assert cosine(e[:, :2], e[:, :2]) == pytest.approx(1)
    assert cosine(e[:, :1], e[:, :2]) == 0 and cosine(e[:, 2:], e[:, :1]) == 0
    half = np.array([[1.0], [1], [5]])
    assert cosine(half, e[:, :1]) == pytest.approx(0.5**0.5)
    assert cosine(e[:, :2], half) == pytest.approx(1)
    assert score.orthonormal(np.zeros((3, 2))).shape == (3, 0)
    assert score.orthonormal(np.array([[1.0, 0], [0, 1e-12]])).shape == (2, 1)


def test_residuals_are_taken_of_the_variance_of_each_entry():
    exact = np.array([[1.0, 5], [3, 5]])
    assert score.r_squared(exact, exact) == 1 and score.r_squared(exact[::-1], exact) == -3
    assert score.r_squared(np.array([[2.0, 5], [2, 5]]), exact) == 0
    assert isnan(score.r_squared(exact, np.ones((2, 2))))


def test_means_leave_out_what_is_not_there_and_features_have_one_number_a_layer():
    scores = {"state at 0": {"R2": 0.5}, "state at 1": {"R2": 0.25, "cosine": 1.0}}
    values = reference_table.values
    assert values(scores, ("probe", "features", "R2")) == [0.5, 0.25]
    assert values(scores, ("probe", "features", "cosine")) == [1.0]
    assert values({"edges": {"auc": 0.5}, "heads": {}}, ("patching", "edges", "auc")) == [0.5]
    assert reference_table.rounded(1 / 3) == 0.3333 and reference_table.rounded(None) is None
    assert reference_table.to_text({"b": {"x": 1}, "a": {}}) == '{\n"a": {},\n"b": {"x": 1}\n}\n'


def test_the_reference_table_is_as_approved():
    names = [entry.name for entry in catalogue.benchmark_v1()]
    keys = [reference_table.column(key) for key in reference_table.KEYS]
    scores = {name: {key: (i + 2 * k) / 256 for k, key in enumerate(keys)}
              for i, name in enumerate(names) if i % 3}  # fmt: skip
    table = reference_table.reference_table(catalogue.benchmark_v1(), scores)
    agree_with_approved(APPROVED, "reference table", table.splitlines())


@pytest.mark.parametrize(("widths", "width"), [((1,), 1), ((2,), 4), ((4,), 4), ((5, 3), 16)])
def test_heads_of_a_graph_are_padded_to_one_width_and_one_number(widths, width):
    rows, count = 3, len(widths) + 1
    part = {}
    for k, wide in enumerate(widths):
        for place, side in enumerate(("query", "key", "value")):
            part[f"heads.h{k}.{side}"] = torch.full((rows, wide), 1.0 + k + place)
        part[f"heads.h{k}.bias"] = torch.full((wide,), 7.0 + k)
    part["combine"] = torch.arange(float(sum(widths) * rows)).reshape(sum(widths), rows)
    found = hooked._heads(part, count, torch.zeros(rows, 2))
    assert found["attn.W_Q"].shape == (count, rows, width) and found["attn.b_Q"].shape == (
        count,
        width,
    )
    root, begin = width**0.5, 0
    for k, wide in enumerate(widths):
        assert found["attn.W_Q"][k, 0].tolist() == [root * (1 + k)] * wide + [0] * (width - wide)
        assert found["attn.W_K"][k, 0, :wide].tolist() == [2.0 + k] * wide
        assert found["attn.b_Q"][k].tolist() == [root * (7 + k)] * wide + [0] * (width - wide)
        assert torch.equal(found["attn.W_O"][k, :wide], part["combine"][begin : begin + wide])
        begin += wide
    assert not found["attn.W_O"][count - 1].any() and not found["attn.b_K"].any()


def test_a_hook_is_found_by_its_layer_and_the_embedding_lies_before_the_first():
    circuit = circuit_of(model_of(counting(), Order(4)))
    own = SimpleNamespace(circuit=circuit)
    after = lambda layer: library.Library.hook_after(own, layer)  # noqa: E731
    sites = {(hook.site, hook.layer): hook.name for hook in circuit.hooks}
    assert after(-1) == sites["embedding", 0]
    assert [after(layer) for layer in range(circuit.layers)] == [
        sites["after", layer] for layer in range(circuit.layers)]  # fmt: skip
    with pytest.raises(InputError, match=f"from -1 to {circuit.layers - 1}"):
        after(circuit.layers)
    tree = SimpleNamespace(circuit=circuit)
    with pytest.raises(InputError, match="the circuit of a tree decoder"):
        library.Library.tree_weights.func(tree)


def test_trials_of_trees_and_words_are_as_approved():
    for name, circuit in (("words", circuit_of(model_of(counting(), Order(4)))),
                          ("trees", tree_circuit_of(model_of(ADDER, Order(7))))):  # fmt: skip
        drawn = [str(trial) for trial in trials.draw_trials(circuit, 40, 5)]
        agree_with_approved(APPROVED, f"trials: {name}", drawn)
        words = [list(trials.drawing_of(circuit, Random(k)).word()) for k in range(12)]
        agree_with_approved(APPROVED, f"words: {name}", words)
    with pytest.raises(TypeError, match="no trials for a Fraction"):
        trials.drawing_of(Fraction(1), Random(0))
