"""The recursion as plain data: layers by their forms, units and automata as exact text."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import MLP, Bilinear, Head, Layer, Transformer
from verify.bounds.budget import BudgetSubject
from verify.bounds.budget_certificate import certificate, layer_data

HEAD = Head(Matrix.dense([[2], [0]]), Matrix.dense([[0], [Fraction(-1, 3)]]), Matrix.identity(2))
BLOCK = Bilinear(
    Matrix.dense([[1, 0], [5, 0]]), Matrix.dense([[0, 0], [4, 7]]),
    Tensor((2, 2, 1), {(0, 0, 0): 1, (0, 1, 0): 2}), Matrix.dense([[0, -6]]),
)  # fmt: skip
LAYER = Layer((HEAD,), Matrix.identity(2), BLOCK)
OTHER = Layer((), Matrix.identity(2), BLOCK)
AUTOMATON = WTA.of([1], [[["1/2"]]], {"a": [3]})
SUBJECT = BudgetSubject(
    Transformer((LAYER, OTHER, OTHER, LAYER), Matrix.identity(2), range(1, 2)),
    (Fraction(2), Fraction(1)), (Fraction(7, 2), Fraction(1)), 6, Fraction(1), range(1), 1,
)  # fmt: skip


def test_a_layer_is_written_by_its_entries():
    """[row, column, weight] of each matrix; products by their number, outputs by their coordinate."""
    assert layer_data(LAYER) == {
        "heads": [{"query": [[0, 0, "2"]], "key": [[1, 0, "-1/3"]],
                   "value": [[0, 0, "1"], [1, 1, "1"]]}],
        "left": [[0, 0, "1"], [1, 0, "5"], [0, 1, "1"], [1, 1, "5"]],
        "right": [[1, 0, "4"], [1, 1, "7"]],
        "output": [[0, 1, "-6"], [1, 1, "-12"]],
    }  # fmt: skip


def test_a_certificate_names_each_layer_once_and_their_order():
    units = FourUnits.of("tanh", 9)
    found = certificate(SUBJECT, AUTOMATON, 40, units, Fraction(1, 1000))
    assert found["layers"] == [layer_data(LAYER), layer_data(OTHER)]
    assert found["order"] == [0, 1, 1, 0]
    assert found["smooth"] == {"bits": 9, "scale": str(units.scale)}
    assert found["embedded"] == ["2", "1"] and found["sizes"] == ["7/2", "1"]
    assert (found["tokens"], found["saturation"], found["bound"]) == (6, 40, "1/1000")
    assert found["states"] == [0] and found["renewed"] == [1]
    assert found["automaton"] == {"tensor": [[["1/2"]]], "leaves": {"a": ["3"]}}
    assert certificate(SUBJECT, AUTOMATON, 40, None, Fraction(1))["smooth"] is None


@pytest.mark.parametrize(
    ("subject", "units"),
    [(replace(SUBJECT, gap=Fraction(1, 2)), None), (SUBJECT, FourUnits.of("gelu", 9))],
)
def test_what_the_re_checker_cannot_read_is_refused(subject, units):
    with pytest.raises(ValueError, match="integer scores and tanh"):
        certificate(subject, AUTOMATON, 40, units, Fraction(1))


def test_only_bilinear_layers_are_written():
    mlp = MLP(Matrix.identity(2), (0, 0), "tanh", Matrix.identity(2), (0, 0))
    with pytest.raises(TypeError, match="bilinear"):
        layer_data(replace(LAYER, feedforward=mlp))
