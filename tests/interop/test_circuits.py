"""Circuits checked by interventions in the libraries that load the folders.

Run by `tox run -e interop`; skipped where a library is missing.
"""

import json

import pytest

pytest.importorskip("torch")

from circuit_support import (
    NORMALISED_MUTANTS,
    assert_refused_with_one_line,
    changed_circuit,
    interventions,
    mutant,
    words,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from constructions.core.errors import InputError
from verify.circuits.benchmark import write_benchmark
from verify.circuits.check import answer
from verify.circuits.library import load_library
from verify.circuits.trials import Trial

TRIALS = 64
HMM = assay.automaton_by_name("hmm:3:7")
TRIGRAM = assay.processes.ngram(["abba", "ab", "b", "abab"], 3)
WEATHER = assay.families.hmm(
    [["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab"
)
MODELS = {
    "gpt2": (HMM, assay.Order(8, format="gpt2"), "transformers"),
    "gpt2, T = 16": (HMM, assay.Order(16, format="gpt2"), "transformers"),
    "llama": (HMM, assay.Order(8, format="llama"), "transformers"),
    "llama, float32": (HMM, assay.Order(8, format="llama", dtype="float32"), "transformers"),
    "transformerlens": (HMM, assay.Order(8, format="transformerlens"), "TransformerLens"),
    "safetensors": (HMM, assay.Order(8), "assay"),
    "npz": (HMM, assay.Order(8, format="npz"), "assay"),
    "trigram, gpt2": (TRIGRAM, assay.Order(8, format="gpt2", head="next"), "transformers"),
    "trigram, gpt2, float32": (
        TRIGRAM, assay.Order(8, format="gpt2", head="next", dtype="float32"), "transformers"),
    "trigram, llama": (TRIGRAM, assay.Order(8, format="llama", head="next"), "transformers"),
    "Mess3, gpt2": (
        assay.processes.mess3(), assay.Order(8, format="gpt2", head="next"), "transformers"),
    "Mess3, llama": (
        assay.processes.mess3(), assay.Order(8, format="llama", head="next"), "transformers"),
    "Mess3, olmo2": (
        assay.processes.mess3(), assay.Order(8, format="olmo2", head="next"), "transformers"),
    "trigram, olmo2, float32": (
        TRIGRAM, assay.Order(8, format="olmo2", head="next", dtype="float32"), "transformers"),
    "weather, olmo2, a window": (
        WEATHER, assay.Order(16, format="olmo2", head="next", eps="0.05", window=4), "transformers"),
    "RRXOR, olmo2, T = 6": (
        assay.processes.rrxor(), assay.Order(6, format="olmo2", head="next"), "transformers"),
}  # fmt: skip
LIBRARIES = {"transformers": "transformers", "TransformerLens": "transformer_lens"}


def exported(name, folder):
    automaton, order, library = MODELS[name]
    if library in LIBRARIES:
        found = pytest.importorskip(LIBRARIES[library])
        if library == "TransformerLens" and "HookedTransformer" not in vars(found):
            library = "assay"  # version 4: our own module with the hooks of version 3
    return assay.export(automaton, order, folder).folder, library


@pytest.mark.parametrize("name", MODELS)
def test_interventions_in_the_library_have_the_predicted_results(name, tmp_path):
    folder, library = exported(name, tmp_path)
    found = assay.circuits.check(folder, seed=8, interventions=TRIALS)
    print(f"{name}: {found.comparisons} numbers, outputs within {found.largest_output:.1e}, "
          f"at most {found.worst.share:.2g} of what is allowed")  # fmt: skip
    assert found.verdict == "agrees", "\n".join(found.lines())
    ours = (
        library == "TransformerLens" and found.library == "assay"
    )  # TransformerLens 4 has no such class
    assert sum(found.trials.values()) == TRIALS and (found.library == library or ours)


@st.composite
def trials(draw, circuit):
    """A word and up to three interventions on it."""
    word = draw(words(circuit))
    return Trial(word, tuple(draw(st.lists(interventions(circuit, len(word)), max_size=3))))


@pytest.mark.parametrize(
    "name", ["gpt2", "llama, float32", "trigram, gpt2", "Mess3, llama", "Mess3, olmo2"]
)
def test_several_interventions_at_once_have_the_predicted_results(name, tmp_path):
    folder, _ = exported(name, tmp_path)
    attack(folder)


def attack(folder):
    """Random interventions, together; some of a normalised stream are refused, as nothing predicts them."""
    library = load_library(folder, assay.circuits.load_circuit(folder))

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(trials(library.circuit))
    def holds(trial):
        try:
            found = answer(library, [trial])
        except InputError as error:
            assert "only one of the two" in str(error)
            return
        assert found.disagreement is None, str(found.disagreement)

    holds()


@pytest.mark.parametrize("change", [
    "an edge dropped, block", "the window turned",
    "a head's distance off by one",
])  # fmt: skip
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_a_wrong_circuit_file_is_refused_by_the_library(name, change, tmp_path):
    folder, _ = exported(name, tmp_path)
    with changed_circuit(folder, lambda body: mutant(body, change)):
        assert_refused_with_one_line(assay.circuits.check(folder, seed=8, interventions=TRIALS))


@pytest.mark.parametrize("change", NORMALISED_MUTANTS)
def test_a_wrong_circuit_file_of_a_normalised_stream_is_refused_by_the_library(change, olmo2):
    with changed_circuit(olmo2, lambda body: mutant(body, change)):
        assert_refused_with_one_line(assay.circuits.check(olmo2, seed=8, interventions=TRIALS))


@pytest.fixture(scope="module")
def olmo2(tmp_path_factory):
    return exported("Mess3, olmo2", tmp_path_factory.mktemp("olmo2"))[0]


def test_an_activation_whose_rounding_is_not_bounded_leaves_it_undecided(tmp_path):
    pytest.importorskip("transformers")
    order = assay.Order(4, format="olmo2", head="next", activation="gelu")
    folder = assay.export(assay.processes.mess3(), order, tmp_path).folder
    assert assay.circuits.check(folder, seed=8, interventions=8).verdict == "undecided"


DISGUISED = [
    "09-s3-gpt2-sharp-basis", "15-a5-llama-soft-everything", "25-trigram-gpt2-soft-basis",
    "29-mess3-llama-soft-distractors", "49-binary-llama-sharp-superposition",
    "51-mess3-llama-soft-decoy", "52-s3-llama-sharp-redundant",
]  # fmt: skip


@pytest.mark.parametrize("name", DISGUISED)
def test_models_of_the_benchmark_agree_with_their_circuits_in_the_library(name, tmp_path):
    pytest.importorskip("transformers")
    write_benchmark("v1", tmp_path / "all", chosen=[name])
    folder = tmp_path / "all" / name
    found = assay.circuits.check(folder, seed=8, interventions=TRIALS)
    assert found.verdict == "agrees" and found.library == "transformers", "\n".join(found.lines())
    attack(folder)
    path = folder / "circuit.json"
    body = json.loads(path.read_text())
    (part,) = [c for c in body["components"] if c["name"] == f"head {body['hooks'][-1]['layer']}.0"]
    moving = next(c for c in body["components"] if c["kind"] == "copy")
    for each in body["components"]:  # both of a pair
        if each["layer"] == moving["layer"] and each["kind"] == "copy":
            each["distance"] += 1
    path.write_text(json.dumps(body))
    assert part["layer"] >= moving["layer"]
    assert assay.circuits.check(folder, seed=8, interventions=8).verdict == "refused"
