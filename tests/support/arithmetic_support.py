"""The steps of a forward pass with small whole numbers, worked out by hand, for every arithmetic."""

from collections.abc import Callable
from typing import Any

from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Mask, Norm

Read = Callable[[Any], list[list[Any]]]
VALUES = [[1, 0], [0, 1], [2, 4]]
SCORES = [[1, 9, 5], [7, 2, 8], [4, 6, 3]]
ALIKE = [[2, 2, 1], [3, 3, 3], [5, 5, 0]]
LARGEST = {Mask.NONE: [1, 2, 1], Mask.CAUSAL: [0, 0, 1], Mask.ANTICAUSAL: [1, 2, 2]}
MEANS = {  # None: the mean of all three, which is no float
    Mask.NONE: [[0.5, 0.5], None, [0.5, 0.5]],
    Mask.CAUSAL: [[1, 0], [0.5, 0.5], [0.5, 0.5]],
    Mask.ANTICAUSAL: [[0.5, 0.5], [1, 2.5], [2, 4]],
}


def linear_steps(arithmetic: Any, read: Read) -> None:
    """Products with weights, scores, biases, heads side by side, and the bilinear step."""
    x = arithmetic.array([[1, 2], [3, 4]])
    y = arithmetic.array([[5, 6], [7, 8]])
    weight = arithmetic.weight(Matrix((2, 3), {(0, 0): 1, (0, 2): 2, (1, 1): -1, (1, 2): 1}))
    assert read(arithmetic.apply(x, weight)) == [[1, -2, 4], [3, -4, 10]]
    assert read(arithmetic.apply(x, arithmetic.weight(Matrix.zeros(2, 1)))) == [[0], [0]]
    assert read(arithmetic.scores(x, arithmetic.array([[1, 0], [0, 1], [1, -1]]))) == [
        [1, 2, -1],
        [3, 4, -1],
    ]
    assert read(arithmetic.shift(x, arithmetic.row([10, -1]))) == [[11, 1], [13, 3]]
    assert read(arithmetic.join([x, y])) == [[1, 2, 5, 6], [3, 4, 7, 8]]
    tensor = arithmetic.tensor(Tensor((2, 2, 3), {(0, 0, 0): 1, (0, 1, 2): 2, (1, 0, 2): -1}))
    assert read(arithmetic.contract(tensor, x, y)) == [[5, 0, 2], [21, 0, 20]]
    nothing = arithmetic.tensor(Tensor((2, 2, 1), {}))
    assert read(arithmetic.contract(nothing, x, y)) == [[0], [0]]


def renewed_columns(arithmetic: Any, read: Read) -> None:
    """Columns that are taken from the embedding again, and none."""
    x, start = arithmetic.array([[1, 2, 3], [4, 5, 6]]), arithmetic.array([[7, 8, 9], [0, 1, 2]])
    assert read(arithmetic.renew(x, start, range(1, 3))) == [[1, 8, 9], [4, 1, 2]]
    assert read(arithmetic.renew(x, start, range(1, 2))) == [[1, 8, 3], [4, 1, 6]]
    assert read(arithmetic.renew(x, start, range(0))) == [[1, 2, 3], [4, 5, 6]]
    assert read(x) == [[1, 2, 3], [4, 5, 6]]


def hard_heads(arithmetic: Any, read: Read) -> None:
    """The value of the largest score that the mask allows."""
    scores, values = arithmetic.array(SCORES), arithmetic.array(VALUES)
    for mask, chosen in LARGEST.items():
        found = read(arithmetic.mix(scores, values, Attention.HARD, mask))
        assert found == [VALUES[j] for j in chosen]


def saturated_heads(arithmetic: Any, read: Read) -> None:
    """The mean over all largest scores that the mask allows."""
    scores, values = arithmetic.array(ALIKE), arithmetic.array(VALUES)
    for mask, means in MEANS.items():
        found = read(arithmetic.mix(scores, values, Attention.SATURATED, mask))
        for row, mean in zip(found, means, strict=True):
            assert row == mean or mean is None


def soft_heads(arithmetic: Any, read: Read) -> None:
    """Equal scores have equal weights; one that is 10⁴ larger than the rest has all of it."""
    values = arithmetic.array(VALUES)
    alike = arithmetic.array([[0, 0, -(10**4)], [0, 10**4, 0], [-(10**4), 7, 7]])
    found = read(arithmetic.mix(alike, values, Attention.SOFT, Mask.NONE))
    assert found == [[0.5, 0.5], [0, 1], [1, 2.5]]
    found = read(arithmetic.mix(alike, values, Attention.SOFT, Mask.CAUSAL))
    assert found == [[1, 0], [0, 1], [1, 2.5]]


def norms(arithmetic: Any, read: Read) -> None:
    """Rows over their root mean square, centred or not, with and without ε."""
    x = arithmetic.array([[1, 7], [5, -5]])
    assert read(arithmetic.normalise(x, Norm(False, 5))) == [[1, 7], [5, -5]]
    y = arithmetic.array([[1, 3], [0, 2]])
    assert read(arithmetic.normalise(y, Norm(True, 6))) == [[-6, 6], [-6, 6]]
    assert read(arithmetic.normalise(y, Norm(True, 6, 3))) == [[-3, 3], [-3, 3]]
    assert read(arithmetic.normalise(x, Norm(False, 13, 144))) == [[1, 7], [5, -5]]


EXACT = (linear_steps, renewed_columns, hard_heads, saturated_heads)
ALL = (*EXACT, soft_heads, norms)
