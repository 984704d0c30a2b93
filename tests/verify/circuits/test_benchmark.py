"""The benchmark: the same bytes twice, exact answers, and disguises that change nothing but the stream."""

import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from constructions.automata.prediction import predictor
from constructions.automata.wfa import WFA
from constructions.circuits.file import from_document, load_circuit
from constructions.circuits.interventions import AblateFeature, AblateHead, RemoveEdge
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from verify.automaton.export import make
from verify.circuits.benchmark import answers, disguise_files, model_files, write_benchmark
from verify.circuits.catalogue import benchmark_v1
from verify.circuits.disguise import DISGUISES, basis, superposition
from verify.circuits.distractors import Distraction
from verify.circuits.stream_map import DisguisedModel, apply
from verify.cli import main

pytest.importorskip("safetensors")

from safetensors.numpy import load

ENTRIES = {entry.name: entry for entry in benchmark_v1()}
SUBSET = ["02-parity-llama-sharp-everything", "09-s3-gpt2-sharp-basis", "45-pfa2-llama-soft-basis"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("benchmark") / "a"
    write_benchmark("v1", out, chosen=SUBSET)
    return out


def test_there_are_54_models_of_every_kind():
    families = {entry.family.partition(",")[0] for entry in ENTRIES.values()}
    assert len(ENTRIES) == 54
    assert {"DFA", "n-gram", "HMM", "PFA", "counting", "generalised HMM"} == families
    assert {entry.disguise for entry in ENTRIES.values()} == set(DISGUISES)
    assert {entry.order.format for entry in ENTRIES.values()} == {"gpt2", "llama"}


def test_the_same_models_made_twice_are_the_same_bytes(folder, tmp_path):
    chosen = SUBSET[:1]
    write_benchmark("v1", tmp_path / "b", chosen=chosen)
    first, second = (
        {str(p.relative_to(out)): p.read_bytes()
         for name in chosen for p in (out / name).rglob("*") if p.is_file()}
        for out in (folder, tmp_path / "b")
    )  # fmt: skip
    assert first == second and len(first) > 7


def test_the_checksums_are_those_of_all_files(folder):
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    listed = dict(reversed(line.split("  ")) for line in lines)
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert set(listed) == files - {"SHA256SUMS"}
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_no_file_says_when_or_where_it_was_made(folder):
    for path in folder.rglob("*.json*"):
        text = path.read_text()
        assert str(folder.parent) not in text and 'measured_on": "' not in text


def test_words_have_exact_answers_and_no_word_is_in_both_sets(folder):
    for name in SUBSET:
        entry, seen = ENTRIES[name], {}
        automaton = entry.automaton()
        for part in ("train", "test"):
            for line in (folder / name / f"{part}.jsonl").read_text().splitlines():
                record = json.loads(line)
                word = tuple(record["word"])
                assert seen.setdefault(word, part) == part
                if entry.language:
                    rows = predictor(automaton).distributions(word)
                    exact = [[str(p) for p in row.values()] for row in rows]
                    assert [
                        [str(Fraction(p)) for p in row] for row in record["distributions"]
                    ] == exact
                else:
                    states = [[str(x) for x in state] for state in automaton.states(word)]
                    assert [[str(x) for x in row] for row in record["states"]] == states


def test_the_circuit_of_a_disguised_model_gives_the_answers(folder):
    for name in SUBSET[:2]:
        circuit = load_circuit(folder / name)
        record = json.loads((folder / name / "test.jsonl").read_text().splitlines()[0])
        outputs = circuit.values(record["word"]).outputs
        assert [[str(x) for x in row] for row in outputs] == [
            [str(x) for x in row] for row in record["states"]
        ]


def test_distractors_never_matter_and_every_witness_is_one(folder):
    name = SUBSET[0]
    known, circuit = (
        json.loads((folder / name / "truth.json").read_text()),
        load_circuit(folder / name),
    )
    kinds = {part.name: part.kind for part in circuit.components}
    matters = {part["name"]: part["matters"] for part in known["components"]}
    assert not any(matters[name] for name in matters if kinds[name] == "noise")
    assert all(matters[name] for name in matters if kinds[name] == "copy")
    for edge in known["edges"]:
        if edge["matters"]:
            change = RemoveEdge(edge["source"], edge["target"], edge["input"])
            word = edge["witness"]
            assert circuit.values(word, [change]).outputs != circuit.values(word).outputs


def plain_model(name):
    entry = replace(ENTRIES[name], disguise="none")
    files, model = disguise_files(entry, *make(entry.automaton(), entry.order))
    weights = load(files["model.safetensors"])
    return DisguisedModel(json.loads(files["config.json"]), weights, model.circuit)


@pytest.mark.parametrize("name", ["09-s3-gpt2-sharp-basis", "06-mod5-llama-sharp-basis"])
def test_the_basis_is_orthogonal_and_preserved_by_the_norm(name):
    model = plain_model(name)
    turn = basis(model, Random(3)).into
    product = Matrix.dense((turn @ turn.transpose).rows())
    assert product == Matrix.identity(model.width)
    if model.circuit.format == "gpt2":
        assert all(sum(row) == 1 for row in turn.rows()), "LayerNorm: the all-ones direction stays"
    assert any(value == Fraction(1, 2) for value in turn.entries.values())


def test_superposition_has_fewer_coordinates_than_features_and_loses_nothing():
    model = plain_model("06-mod5-llama-sharp-basis")
    change = superposition(model)
    assert change is not None
    window = apply(model, change).circuit.subspaces["window"]
    coordinates = {row for row, _ in window.read.entries}
    assert len(coordinates) == 5 < window.read.shape[1] == 25
    for rows in model.circuit.embedding.values():
        values = Matrix.dense([[x for row in rows for x in row]])
        assert Matrix.dense((values @ window.write @ window.read).rows()) == values


def test_a_basis_that_the_norm_does_not_keep_is_noticed():
    """A Hadamard block with signs moves the all-ones direction: a check of sums must see it."""
    model = plain_model("09-s3-gpt2-sharp-basis")
    turn = basis(model, Random(3)).into
    signed = {(i, j): (-value if i == 0 else value) for (i, j), value in turn.entries.items()}
    assert not all(sum(row) == 1 for row in Matrix(turn.shape, signed).rows())


def test_weights_of_another_basis_are_rounded_once():
    model = plain_model("06-mod5-llama-sharp-basis")
    turn = basis(model, Random(3))
    old = model.weights["model.embed_tokens.weight"]
    new = apply(model, turn).weights["model.embed_tokens.weight"]
    exact = Matrix.dense([[Fraction(x) for x in row] for row in old]) @ turn.into
    rounded = np.array([[float(x) for x in row] for row in exact.rows()])
    assert (new == rounded).all()


def test_too_much_noise_is_refused():
    model = plain_model("06-mod5-llama-sharp-basis")
    with pytest.raises(InputError, match="distractors: found 40 layers"):
        Distraction(model, Random(1), 1).check_size(40)


def test_an_unknown_version_is_refused(tmp_path):
    with pytest.raises(InputError, match="--benchmark: found v9, expected one of v1"):
        write_benchmark("v9", tmp_path)
    assert main(["zoo", "--benchmark", "v9", "--out", str(tmp_path / "x")]) == 4


def test_a_models_row_has_its_sizes():
    files, row = model_files(ENTRIES[SUBSET[0]])
    note = json.loads(files["model.json"])
    assert row.facts["width"] == note["sizes"]["d_model"]
    assert row.facts["heads"] == note["sizes"]["heads"] == 2
    assert row.line().startswith(f"| {SUBSET[0]} | DFA, group | 2 | states | 16 | llama |")


def test_the_logarithm_of_a_probability_has_17_digits():
    """A letter or the end, each letter with a chance of 1/4: log(1/4) = -1.38629436111989061883…"""
    source = WFA.of([1], {"a": [["1/4"]], "b": [["1/4"]]}, ["1/2"])
    found = answers(source, SimpleNamespace(language=True))(("a",))
    assert found == {"word": ["a"], "symbols": ["a", "b", "<eos>"],
                     "distributions": [["1/4", "1/4", "1/2"]] * 2,
                     "log_probability": "-1.3862943611198906"}  # fmt: skip


def test_an_existing_folder_is_overwritten_only_by_force(tmp_path):
    out = tmp_path / "benchmark"
    assert write_benchmark("v1", out, chosen=[]) == []
    with pytest.raises(InputError):
        write_benchmark("v1", out, chosen=[])
    write_benchmark("v1", out, force=True, chosen=[])
    text = (out / "benchmark.json").read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
    assert json.loads(text)["models"] == []
    readme = (out / "README.md").read_text("utf-8")
    assert "\n0 small transformers" in readme and "up to 64 and 32 words" in readme


@pytest.mark.parametrize("name", ["50-mod3-llama-sharp-decoy", "52-s3-llama-sharp-redundant"])
def test_a_decoy_and_redundant_heads_leave_the_outputs_and_have_exact_predictions(name):
    """A decoy holds the window whatever is done to either; of two heads each brings one half."""
    entry = ENTRIES[name]
    circuit = from_document(json.loads(model_files(entry)[0]["circuit.json"]))
    word, automaton = tuple("0110"[: circuit.length]), entry.automaton()
    word = tuple(automaton.alphabet[int(x)] for x in word)
    assert circuit.values(word).outputs == [tuple(state) for state in automaton.states(word)]
    hook = "model.layers.1"
    features = circuit.values(word)[hook]
    if entry.disguise == "decoy":
        assert features["decoy"] == features["window"]
        gone = circuit.values(word, [AblateFeature(1, 4, None, "decoy")])
        assert not any(gone[hook]["decoy"][4]) and gone.outputs == circuit.values(word).outputs
        moved = circuit.values(word, [AblateFeature(1, 4)])[hook]
        assert moved["decoy"] == features["decoy"] and not any(moved["window"][4])
    else:
        halves = [circuit.values(word, [AblateHead(0, head)]) for head in (0, 1)]
        middle = "model.layers.0.post_attention_layernorm:input"
        whole = circuit.values(word)[middle]["scratch"]
        assert all(half[middle]["scratch"] == [tuple(x / 2 for x in row) for row in whole]
                   for half in halves)  # fmt: skip


def test_the_belief_of_a_disguised_model_is_where_its_circuit_says():
    """In a basis whose products have entries that cancel; the subspace is that of αᵀX."""
    circuit = from_document(
        json.loads(model_files(ENTRIES["31-mess3b-llama-soft-basis"])[0]["circuit.json"])
    )
    window, belief = circuit.subspaces["window"], circuit.subspaces["belief"]
    for j, form in enumerate((window.write @ belief.read).columns()):
        kept = {i: x for i, x in form.items() if x}
        assert kept == {3 * i + j: x for i, x in enumerate(circuit.readout.alpha) if x}


def test_a_decoy_is_certified_beside_its_square():
    """The certified error is larger than that of the model without the decoy, and the requested error."""
    files, row = model_files(ENTRIES["50-mod3-llama-sharp-decoy"])
    plain = make(ENTRIES["50-mod3-llama-sharp-decoy"].automaton(), row.entry.built_order)[1]
    assert float(plain.error) < float(row.facts["certified_error"]) <= 1e-8
    assert json.loads(files["model.json"])["certified_error"] == row.facts["certified_error"]
    circuit = from_document(json.loads(files["circuit.json"]))
    window, decoy = circuit.subspaces["window"], circuit.subspaces["decoy"]
    for writer, reader in ((window, decoy), (decoy, window)):
        assert not any((writer.write @ reader.read).entries.values()), (
            "one is set without the other"
        )
    for word in ("00000001", "01111111"):
        decoys = circuit.values(word)["model.layers.2"]["decoy"]
        square = max(sum(x * x for x in row) for row in decoys)
        assert 0 < 16 * square <= Fraction(circuit.constants["noise"]), "stored four times as large"


def test_every_folder_has_its_candidates_and_the_graph_of_eap_ig(folder):
    for name in SUBSET:
        edges = json.loads((folder / name / "edges.json").read_text())["edges"]
        known = json.loads((folder / name / "truth.json").read_text())["edges"]
        graph = json.loads((folder / name / "eap_ig.json").read_text())
        assert edges == [[e["source"], e["target"], e["input"]] for e in known]
        assert sum(e["score"] for e in graph["edges"].values()) == sum(e["matters"] for e in known)


def test_positional_edges_are_those_that_carry_the_place(folder):
    known = json.loads((folder / "09-s3-gpt2-sharp-basis" / "truth.json").read_text())["edges"]
    named = {(e["source"], e["target"], e["input"]) for e in known if e["positional"]}
    assert named == {("embed", f"head {n}.0", side) for n in range(3) for side in ("query", "key")}
