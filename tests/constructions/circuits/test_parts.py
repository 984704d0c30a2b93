"""Constants, scores and conjunctions of circuits: single parts, by hand."""

from dataclasses import replace
from fractions import Fraction
from math import isqrt
from types import SimpleNamespace as Part

import flint
import pytest
from export_support import ADDER, model_of, normalised_model

from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3
from constructions.circuits import interventions as act
from constructions.circuits.circuit import EMBED, LOGITS, Component, Readout
from constructions.circuits.components import precedes
from constructions.circuits.directions import Direction, mean, rounded_root
from constructions.circuits.file import _field, from_document, to_document
from constructions.circuits.machine import conjunction
from constructions.circuits.tree_file import tree_document
from constructions.circuits.tree_machine import HeadReading, TreeTrace
from constructions.core.errors import InputError
from constructions.exports.circuit import circuit_of
from constructions.exports.normalised_circuit import normalised_circuit
from constructions.exports.order import Order
from constructions.exports.tree_circuit import tree_circuit_of
from verify.automaton.export import make

CIRCUIT = circuit_of(model_of(automaton_by_name("counting"), Order(4)))


def matrix(*rows):
    return flint.fmpq_mat([[flint.fmpq(*map(int, f"{x}/1".split("/")[:2])) for x in row]
                           for row in rows])  # fmt: skip


def test_a_constant_that_is_no_whole_number_is_refused_by_its_name():
    assert CIRCUIT.whole("built_length") == 4 and CIRCUIT.whole("heads") == 1
    for name, said in (("large", "nothing"), ("saturation", str(CIRCUIT.constants["saturation"]))):
        with pytest.raises(InputError, match=f"constants.{name}: found {said}, expected a whole"):
            CIRCUIT.whole(name)


def test_records_have_a_line_each_and_other_lists_are_on_one_line():
    assert [_field(value) for value in ([], ["ä", 1], {"a": []}, None)] == [
        "[]", '["ä", 1]', '{"a": []}', "null"]  # fmt: skip
    assert _field([{"a": "ä"}]) == '[\n {"a": "ä"}\n]'
    assert _field([{"a": 1}, {"b": 2}]) == '[\n {"a": 1},\n {"b": 2}\n]'


def test_outputs_are_divided_by_the_largest_where_logarithms_are_taken():
    assert Readout((), (), ()).scale == 1
    assert Readout((), (), (), largest=Fraction(7, 2)).scale == Fraction(7, 2)


def test_components_read_in_the_order_of_the_stream():
    embed, logits = Component(EMBED, "embed"), Component(LOGITS, "readout", 1)
    ordered = [embed, Component("head 0.0", "copy", 0, 0), Component("mlp 0", "product", 0),
               Component("head 1.0", "copy", 1, 0), Component("mlp 1", "product", 1), logits]  # fmt: skip
    found = [[precedes(source, target) for target in ordered] for source in ordered]
    assert found == [[i < j for j in range(6)] for i in range(6)]
    assert not precedes(ordered[1], Component("head 0.1", "copy", 0, 1))


def test_a_head_without_a_distance_reads_its_own_position():
    own = [replace(part, distance=None) if part.name == "head 1.0" else part
           for part in CIRCUIT.components]  # fmt: skip
    found = replace(CIRCUIT, components=tuple(own)).values("0010").outputs
    assert found == CIRCUIT.values("0010", (act.MoveHead(1, 0, 0),)).outputs
    assert found != CIRCUIT.values("0010").outputs


def test_a_conjunction_counts_the_sums_that_reach_three_halves():
    """I + X = (1/2 1; 1 2) and I + Y = (1 0; 1/2 -1): of each pair of a row and a column."""
    left, right = matrix(["-1/2", 1], [1, 1]), matrix([0, 0], ["1/2", -2])
    assert conjunction(left, right) == matrix([1 + 1 - 1, 0], [1 + 1, 0 - 1])
    less = matrix(["-501/1000", 1], [1, 1])
    assert conjunction(less, right) == matrix([0 + 1 - 1, 0], [1 + 1, 0 - 1])


def test_lists_of_another_length_are_not_cut_short():
    """The weights ahead of a state, and the keys of a head."""
    process = circuit_of(make(mess3(), Order(4, head="next"))[0])
    other = replace(process, readout=replace(process.readout, ahead=(Fraction(1),)))
    with pytest.raises(ValueError, match="zip"):
        other.values("A").beliefs  # noqa: B018
    trees = tree_circuit_of(model_of(ADDER, Order(4)))
    parts = [
        replace(part, key=part.key * 2) if part.name == "head 0.1" else part
        for part in trees.components
    ]
    with pytest.raises(ValueError, match="zip"):
        replace(trees, components=tuple(parts)).values("[ab]")


def reading(*scores):
    return HeadReading((), [list(map(flint.fmpq, row)) for row in scores])


def test_the_gap_is_the_least_distance_of_a_largest_score_to_a_smaller_one():
    assert reading([5], [1, 4, 4], [9, 2]).gap == 3
    assert reading([5], [4, 4]).gap is None and HeadReading(((0,),), None).gap is None
    readings = {"a": reading([1, 9]), "b": reading([3, 3]), "c": reading([2, 7, 0])}
    assert TreeTrace.gap.fget(Part(readings=readings)) == 5
    assert TreeTrace.gap.fget(Part(readings={"b": readings["b"]})) is None


def test_roots_have_256_bits():
    """Those between 1 and 2 are whole multiples of 2^-255, and not all of them of 2^-254."""
    squares = [Fraction(k, 8) for k in range(9, 32) if k != 18]
    found = []
    for square in squares:
        root = rounded_root(square)
        times = Fraction(int(root.p), int(root.q)) * 2**255
        assert times.denominator == 1
        assert abs(int(times) - isqrt(int(square * 4**255))) <= 1
        found.append(int(times) % 2)
    assert set(found) == {0, 1}
    values = [Direction(matrix([1]), Fraction(4)), Direction(matrix([2]), Fraction(9))]
    assert mean([*values, values[0]]) == matrix(["10/3"])


NORMALISED = ("written_square", "saturation", "epsilon", "gain", "large")


@pytest.mark.parametrize("name", NORMALISED)
@pytest.mark.parametrize(
    ("value", "fits"), [("0", False), ("-1", False), ("1", True), ("1/9", True)]
)
def test_constants_of_a_normalised_stream_are_above_0(name, value, fits):
    body = to_document(normalised_circuit(normalised_model(4)))
    body["constants"] = {**body["constants"], name: value}
    if fits:
        assert from_document(body).constants[name] == value
    else:
        with pytest.raises(
            InputError, match=f"constants.{name}: found {value}, expected a number above"
        ):
            from_document(body)


@pytest.mark.parametrize(
    ("value", "fits"), [("0", False), ("-1", False), ("1", True), ("1/9", True)]
)
def test_c_of_a_tree_decoder_is_above_0(value, fits):
    body = tree_document(tree_circuit_of(model_of(ADDER, Order(4))))
    body["constants"] = {**body["constants"], "saturation": value}
    if fits:
        assert from_document(body).constants["saturation"] == value
    else:
        with pytest.raises(InputError, match=f"constants.saturation: found {value}"):
            from_document(body)
