"""Sparse matrices and tensors: small products by hand, blocks by name, and what does not fit."""

from fractions import Fraction

import pytest

from constructions.core.layout import Layout
from constructions.core.matrix import Matrix, Tensor

A = Matrix.dense([[1, 0, -1], [0, 2, Fraction(1, 2)]])


def test_the_identity_and_zero_matrices_are_those_of_algebra():
    assert Matrix.identity(2).rows() == [[1, 0], [0, 1]]
    assert Matrix.zeros(2, 3).rows() == [[0, 0, 0], [0, 0, 0]]
    assert (A @ Matrix.identity(3)).rows() == (Matrix.identity(2) @ A).rows() == A.rows()


def test_products_add_over_the_inner_index():
    assert (A @ A.transpose).rows() == [[2, Fraction(-1, 2)], [Fraction(-1, 2), Fraction(17, 4)]]
    assert A.transpose.rows() == [[1, 0], [0, 2], [-1, Fraction(1, 2)]]
    with pytest.raises(ValueError, match=r"shapes \(2, 3\) and \(2, 3\) do not fit"):
        A @ A


def test_columns_are_forms_on_the_rows():
    forms = [{2: 5}, {}, {0: 1, 1: -1}]
    made = Matrix.of_columns(3, forms)
    assert made == Matrix((3, 3), {(2, 0): 5, (0, 2): 1, (1, 2): -1})
    assert made.columns() == forms


def test_blocks_are_placed_by_name():
    rows, columns = Layout(top=1, low=2), Layout(left=2, right=1)
    found = Matrix.blocks(rows, columns, {("low", "left"): Matrix.identity(2)})
    assert found.rows() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    found = Matrix.blocks(rows, 2, {("top", ""): Matrix.dense([[5, 6]])})
    assert found.rows() == [[5, 6], [0, 0], [0, 0]]
    expected = r"block \(top, left\) has shape \(2, 2\), expected \(1, 2\)"
    with pytest.raises(ValueError, match=expected):
        Matrix.blocks(rows, columns, {("top", "left"): Matrix.identity(2)})


def test_layouts_name_their_coordinates():
    layout = Layout(left=2, position=1)
    assert layout.name_of(2) == "position[0]" and layout.at("position") == 2
    with pytest.raises(KeyError, match="no block 'right' among left, position"):
        layout["right"]
    with pytest.raises(KeyError, match="2 coordinates"):
        layout.at("left")


@pytest.mark.parametrize("at", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_an_entry_outside_of_a_matrix_is_refused(at):
    with pytest.raises(
        IndexError, match=rf"entry \({at[0]}, {at[1]}\) is outside of shape \(2, 3\)"
    ):
        Matrix((2, 3), {at: 1})


@pytest.mark.parametrize("at", [(2, 0, 0), (0, 2, 0), (0, 0, 2), (-1, 0, 0), (0, 0, -1)])
def test_an_entry_outside_of_a_tensor_is_refused(at):
    with pytest.raises(IndexError, match=r"is outside of shape \(2, 2, 2\)"):
        Tensor((2, 2, 2), {at: 1})
    with pytest.raises(ValueError, match="zip"):
        Tensor((2, 2, 2), {(0, 0): 1})  # type: ignore[dict-item]
