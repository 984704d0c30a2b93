"""circuit.json of tree decoders: read as it was written, and refused in one line where it does not fit."""

import json

import pytest
from export_support import model_of

from constructions.automata.wta import WTA
from constructions.circuits.file import from_document, load_circuit, to_bytes
from constructions.circuits.tree_file import tree_document
from constructions.core.errors import InputError
from constructions.exports.circuit import circuit_file
from constructions.exports.order import Order
from constructions.exports.tree_circuit import tree_circuit_of

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})


@pytest.mark.parametrize("form", ["safetensors", "npz", "pt2", "transformerlens"])
def test_a_tree_decoder_has_a_circuit_that_is_read_as_it_was_written(form):
    files = circuit_file(model_of(ADDER, Order(10, format=form)))
    circuit = from_document(json.loads(files["circuit.json"]))
    assert to_bytes(circuit) == files["circuit.json"]
    assert circuit.format == form and circuit.by_name["head 2.0"].kind == "match"


@pytest.mark.parametrize("order", [Order(10, "logdepth"), Order(10, "tree")])
def test_models_without_these_hooks_have_none(order):
    assert circuit_file(model_of(ADDER, order)) == {}


def changed(path, value):
    def change(body):
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = value

    return change


BAD = {
    "a component": (changed(["edges", 0, "source"], "head 9.9"), "edges: found head 9.9"),
    "a feature": (changed(["edges", 0, "carries"], ["x"]), "edges.carries: found x"),
    "what is not read": (changed(["edges", 0, "carries"], ["left"]), "edge embed -> head 0.0"),
    "a kind": (changed(["components", 4, "kind"], "leap"), "mlp 0: found leap"),
    "a form": (changed(["components", 2, "query", 0, 0, 0], "y"), "head 0.1: found y[0]"),
    "an entry": (changed(["components", 2, "copies", 0, 2], 7), "head 0.1: found read_known[7]"),
    "fewer keys": (changed(["components", 2, "key"], []), "head 0.1.key: found 0 forms"),
    "a leaf": (changed(["leaves", "a"], [1]), "leaves.a: found 1 numbers"),
    "a tensor": (changed(["tensor"], [[[1]]]), "tensor: found sizes [1]"),
    "a subspace": (changed(["subspaces", "state"], {"coordinates": [1]}), "subspaces.state"),
    "no C": (changed(["constants", "saturation"], "0"), "constants.saturation: found 0"),
    "no number": (changed(["leaves", "a"], ["x", 1]), "leaves.a: found x"),
    "no list": (changed(["components"], 3), "circuit: found"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_fit_is_refused_in_one_line(name, tmp_path):
    change, message = BAD[name]
    body = tree_document(tree_circuit_of(model_of(ADDER, Order(10))))
    change(body)
    path = tmp_path / "circuit.json"
    path.write_text(json.dumps(body))
    with pytest.raises(InputError) as error:
        load_circuit(path)
    assert message in str(error.value) and str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_without_a_field_is_refused():
    body = tree_document(tree_circuit_of(model_of(ADDER, Order(10))))
    del body["tensor"]
    with pytest.raises(InputError, match="tensor: found nothing, expected a field of assay-tree"):
        from_document(body)
