"""circuit.json: what is written is read again, and what does not fit is refused in one line."""

import json

import pytest
from export_support import counter, model_of

from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3
from constructions.circuits.file import from_document, load_circuit, to_bytes, to_document
from constructions.core.errors import InputError
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.automaton.export import make


@pytest.mark.parametrize("form", ["safetensors", "transformerlens", "npz", "gpt2", "llama"])
def test_a_folder_has_a_circuit_that_is_read_as_it_was_written(form, tmp_path):
    folder = counter(tmp_path, 4, format=form)
    circuit = load_circuit(folder)
    assert to_bytes(circuit) == (folder / "circuit.json").read_bytes()
    assert circuit.format == form and circuit.by_name["head 1.0"].distance == 2


def test_a_language_models_units_of_the_logarithm_are_in_the_file():
    circuit = circuit_of(make(mess3(), Order(8, head="next"))[0])
    again = from_document(json.loads(to_bytes(circuit)))
    assert again.readout.logarithm == circuit.readout.logarithm is not None
    assert again == circuit


def test_the_papers_own_constructions_have_no_circuit(tmp_path):
    folder = counter(tmp_path, 4, construction="soft")
    assert not (folder / "circuit.json").exists()
    with pytest.raises(InputError, match=r"circuit\.json"):
        load_circuit(folder)


BODY = to_document(circuit_of(model_of(automaton_by_name("counting"), Order(4))))
WINDOW = BODY["subspaces"]["window"]["coordinates"]
BAD = {
    "schema": ({"schema": "assay-circuit-9"}, "schema: found assay-circuit-9"),
    "a field": ({"edges": None}, "circuit: found"),
    "no field": ({"hooks": ...}, "hooks: found nothing"),
    "a component": (
        {"edges": [{"source": "head 9.0", "target": "logits", "input": "stream", "carries": []}]},
        "edges: found head 9.0",
    ),
    "a feature": (
        {"edges": [{"source": "embed", "target": "logits", "input": "stream", "carries": ["x"]}]},
        "edge embed -> logits: found x",
    ),
    "a matrix": ({"embedding": {"0": [[0]], "1": [[0]], "<bos>": [[0]]}}, "embedding.0: found 1 rows"),
    "a window written elsewhere": (
        {"subspaces": {**BODY["subspaces"], "window": {
            "shape": [BODY["width"], 4], "read": [[c, i, 1] for i, c in enumerate(WINDOW)],
            "write": [[i, c, 1] for i, c in enumerate([WINDOW[1], WINDOW[0], *WINDOW[2:]])]}}},
        "subspaces.window.write: found a matrix",
    ),
    "tokens": ({"tokens": ["0"]}, "tokens: found"),
    "a number": ({"length": "many"}, "length: found many"),
}  # fmt: skip


@pytest.mark.parametrize("change", BAD)
def test_inconsistent_files_are_refused_in_one_line(change, tmp_path):
    fields, message = BAD[change]
    body = to_document(circuit_of(model_of(automaton_by_name("counting"), Order(4))))
    for name, value in fields.items():
        if value is ...:
            del body[name]
        else:
            body[name] = value
    path = tmp_path / "circuit.json"
    path.write_text(json.dumps(body))
    with pytest.raises(InputError) as error:
        load_circuit(path)
    assert message in str(error.value) and str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_json_is_refused(tmp_path):
    (tmp_path / "circuit.json").write_text("{")
    with pytest.raises(InputError, match="file: found text that is not JSON, expected a circuit"):
        load_circuit(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no such file: .*none\.json"):
        load_circuit(tmp_path / "none.json")
