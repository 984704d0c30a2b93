"""The integer engine stops at the first number that might not fit, and not before."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from constructions.core.layout import Layout
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Bilinear, Head, Layer, Mask, Transformer
from verify.exactness.integers import IntegerPass, Overflow, apply, attended_rows, integer

ONE, ONES = Matrix.identity(1), np.ones((1, 2, 1), dtype=np.int64)
PLACES = np.arange(2, dtype=np.int64).reshape(1, 2, 1)


def number(value: int) -> Matrix:
    return Matrix.dense([[value]])


def linear(value: int) -> Any:
    """A linear form of that size."""
    return apply(ONES, number(value))[0, 0, 0]


def score(value: int) -> Any:
    """Return the value if token 1 attends to itself by the scores 0 and this value, else 0."""
    return attended_rows(Head(ONE, number(value), ONE, mask=Mask.CAUSAL), PLACES)[0, 1] * value


class Alone:
    """One token a letter, of one coordinate that is 1; a layer with that head and that block."""

    def __init__(self, head: Head[Matrix], output: int = 1) -> None:
        block = Bilinear(ONE, ONE, Tensor((1, 1, 1), {(0, 0, 0): 1}), number(output))
        self.transformer = Transformer((Layer((head,), ONE, block),), ONE)

    def encode(self, symbols: Any) -> list[list[Any]]:
        return [[1] for _ in symbols]

    def last(self, tree: Any) -> Any:
        *_, found = IntegerPass(self, Layout(value=1), [tree]).states()
        return found[0, -1, 0]


def squared_root(value: int) -> Any:
    """The square of a root, from a product of the block."""
    return Alone(Head(ONE, ONE, number(value), mask=Mask.SELF)).last("a")


def output(value: int) -> Any:
    """Return the output of the block."""
    return Alone(Head(ONE, ONE, ONE, mask=Mask.SELF), value).last("a")


@pytest.mark.parametrize(
    ("reached", "largest", "what"),
    [
        (linear, 2**62 - 1, "a linear form"),
        (score, 2**53 - 1, "a score"),
        (output, 2**62 - 1, "a linear form"),
    ],
)
def test_the_largest_number_is_computed_and_the_next_refused(
    reached: Callable[[int], Any], largest: int, what: str
) -> None:
    assert reached(largest) == largest
    with pytest.raises(Overflow, match=f"^{what}.* may reach {largest + 1}$"):
        reached(largest + 1)


def test_a_product_of_62_digits_is_refused_before_it_is_taken() -> None:
    assert squared_root(2**31 - 1) == (2**31 - 1) ** 2
    with pytest.raises(Overflow, match=f"^a product may reach {2**62}$"):
        squared_root(2**31)


def test_a_sum_over_all_tokens_is_refused_before_it_is_taken() -> None:
    """Each of four values fits, and four of them do not."""
    head = Head(ONE, ONE, number(2**60), Attention.SATURATED, Mask.CAUSAL, "mean")
    with pytest.raises(Overflow, match=f"^a sum of head mean may reach {2**62}$"):
        Alone(head).last(("a", "a"))


def test_a_weight_that_is_no_integer_is_refused() -> None:
    assert integer(Fraction(6, 2)) == 3
    with pytest.raises(Overflow, match="the weight 3/2 is no integer"):
        integer(Fraction(3, 2))
