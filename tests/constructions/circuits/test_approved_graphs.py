"""Components, edges, positions, blocks and refused files of circuits, as they were approved."""

import copy
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import flint
import pytest

pytest.importorskip("torch")

from approved_support import agree_with_approved, plain_data
from export_support import ADDER, model_of, normalised_model

from constructions.automata.named import automaton_by_name
from constructions.circuits.circuit import Subspace
from constructions.circuits.components import components, edges
from constructions.circuits.file import from_document, to_bytes
from constructions.circuits.normalised_parts import normalised_components, normalised_edges
from constructions.circuits.tree_blocks import BLOCKS, Node
from constructions.circuits.tree_components import sizes, tree_components, tree_edges
from constructions.circuits.tree_reading import positions_by_layer
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.exports.circuit import circuit_of
from constructions.exports.normalised_circuit import normalised_circuit
from constructions.exports.order import Order
from constructions.exports.tree_circuit import tree_circuit_of

APPROVED = Path(__file__).with_suffix(".json")


def carrying(listed):
    """What the edges carry that carry something, and how many there are in all."""
    found = {edge.name: " ".join(edge.carries) for edge in listed if edge.carries}
    return {"edges": len(listed), **found}


@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("rotary", [True, False])
@pytest.mark.parametrize("constant", ["one", None])
def test_edges_of_words_are_as_approved(constant, rotary, gated):
    for block, logarithm in (("product", False), ("and", True)):
        listed = edges(components(3, block, logarithm), constant, rotary, gated)
        name = f"{block}, constant {constant}, rotary {rotary}, gated {gated}"
        agree_with_approved(APPROVED, name, carrying(listed))


def test_components_and_edges_of_normalised_streams_and_of_trees_are_as_approved():
    streams, trees = normalised_components(3), tree_components(2, 9, 5, 3)
    parts = [components(3, "product", False), components(2, "and", True), streams, trees]
    agree_with_approved(APPROVED, "components", plain_data(parts))
    agree_with_approved(APPROVED, "edges, normalised", carrying(normalised_edges(streams)))
    agree_with_approved(APPROVED, "edges, trees", carrying(tree_edges(trees)))


@pytest.mark.parametrize("string", ["a", "[ab]", "[[ab][c[de]]]", "[a[b[c[de]]]]"])
def test_positions_that_heads_of_trees_read_are_as_approved(string):
    agree_with_approved(APPROVED, f"positions: {string}", positions_by_layer(string, 6))


class Sums(dict):
    """Sums that begin with 0."""

    def __missing__(self, key):
        return flint.fmpq(0)


@pytest.mark.parametrize("name", BLOCKS)
def test_what_a_block_of_a_tree_adds_is_as_approved(name):
    """At a position where every feature has another value, none of them 0 or 1."""
    values = iter(range(2, 99))
    seen = {feature: [flint.fmpq(next(values), 7) for _ in range(size)]
            for feature, size in sizes(2).items()}  # fmt: skip
    tensor = (((Fraction(1, 2), Fraction(0)), (Fraction(3), Fraction(-1))),
              ((Fraction(2), Fraction(5)), (Fraction(0), Fraction(1, 3))))  # fmt: skip
    added = {feature: Sums() for feature in seen}
    BLOCKS[name](Node(2, tensor, seen, added, 3))
    found = {f"{feature}{list(key)}": str(value) for feature, sums in added.items()
             for key, value in sums.items()}  # fmt: skip
    agree_with_approved(APPROVED, f"block: {name}", found)


def documents():
    """A file of words, of trees and of a normalised stream."""
    words = circuit_of(model_of(automaton_by_name("counting"), Order(4)))
    trees = tree_circuit_of(model_of(ADDER, Order(7)))
    circuits = {
        "words": words,
        "trees": trees,
        "normalised": normalised_circuit(normalised_model(4)),
    }
    return {name: json.loads(to_bytes(circuit)) for name, circuit in circuits.items()}


def places(body, path=()):
    """Every place of a document, but only the first two and the last of many alike."""
    yield path
    if isinstance(body, dict):
        keys = list(body) if len(path) == 0 else [*list(body)[:2], *list(body)[2:][-1:]]
    else:
        keys = (
            sorted({0, 1, len(body) - 1} & set(range(len(body)))) if isinstance(body, list) else ()
        )
    for key in keys:
        yield from places(body[key], (*path, key))


def changed(body, path, value):
    """A document with another value at a place; without it where that is `...`."""
    body = copy.deepcopy(body)
    inner = body
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return body


def refusal(body):
    try:
        from_document(body)
    except InputError as error:
        return "another type" if error.field == "circuit" else str(error)  # Python's own words
    return "none"


def test_files_changed_in_one_place_are_refused_as_approved():
    for name, body in documents().items():
        found = {}
        for path in places(body):
            where = ".".join(map(str, path))
            for value in (..., "x", -1) if 0 < len(path) < 4 else ():
                text = refusal(changed(body, path, value))
                found.setdefault(text, []).append(
                    f"{where} {value}".replace("Ellipsis", "left out")
                )
        agree_with_approved(APPROVED, f"refusals: {name}", found)


def test_the_readout_of_a_normalised_stream_gives_beliefs_of_its_states():
    readout = normalised_circuit(normalised_model(4)).readout
    assert readout.ahead == (1, 1, 1) and readout.state == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    agree_with_approved(APPROVED, "readout", plain_data([readout.alpha, readout.outputs]))


def test_an_edge_to_what_reads_nothing_is_refused():
    body = documents()["words"]
    body["components"][2]["kind"] = "idle"
    said = "edge embed -> mlp 0: found window, expected what the target reads: nothing"
    assert refusal(body) == said


def test_a_subspace_has_coordinates_where_it_is_that_of_some():
    assert Subspace.of_coordinates("x", [3, 1], 5).coordinates == [3, 1]
    read = Matrix((3, 1), {(0, 0): 1})
    assert Subspace("x", read, Matrix((1, 3), {(0, 1): 1})).coordinates is None
    double = Matrix((3, 1), {(0, 0): 2})
    assert Subspace("x", double, double.transpose).coordinates is None
    both = Matrix((3, 1), {(0, 0): 1, (1, 0): 1})
    assert Subspace("x", both, both.transpose).coordinates is None


def test_a_subspace_without_coordinates_is_read_as_it_was_written():
    circuit = tree_circuit_of(model_of(ADDER, Order(7)))
    width = circuit.subspaces["state"].read.shape[0]
    turned = {(0, 0): 1, (1, 0): 1, (1, 1): Fraction(1, 2)}
    read = Matrix((width, 2), turned)
    space = Subspace("state", read, read.transpose)
    other = replace(circuit, subspaces={**circuit.subspaces, "state": space})
    assert from_document(json.loads(to_bytes(other))).subspaces["state"] == space
