"""Hard attention by codes on the circle."""

from fractions import Fraction

import numpy as np
import pytest

from constructions.core.exact import cos_pi, sin_pi
from constructions.core.transformer import Tie
from verify.exactness import routing
from verify.exactness.routing import RoutedRational


def codes(*numbers: int) -> np.ndarray:
    rows = np.empty((len(numbers), 2), dtype=object)
    for row, number in enumerate(numbers):
        angle = Fraction(number, 8)
        rows[row] = cos_pi(angle), sin_pi(angle)
    return rows


def test_each_query_reads_the_key_of_its_own_code_or_the_nearest_one() -> None:
    keys = codes(0, 4, 9)
    assert RoutedRational(8).scores(codes(9, 0, 4), keys).tolist() == [2, 0, 1]
    assert RoutedRational(8).scores(codes(15, 3, 8), keys).tolist() == [0, 1, 2]


def test_a_query_between_two_keys_and_two_keys_alike_are_ties() -> None:
    for keys in (codes(0, 4), codes(2, 2)):
        with pytest.raises(Tie):
            RoutedRational(8).scores(codes(2), keys)


def test_a_row_that_is_no_code_is_refused() -> None:
    with pytest.raises(Tie, match="expected a code"):
        RoutedRational(8).scores(2 * codes(1), codes(1))


def test_given_sources_are_those_of_the_next_head_again_and_again() -> None:
    route = routing.GivenRouting(["x"], [[0], [1], [2]])
    assert [route.scores(None, None).tolist() for _ in range(5)] == [[0], [1], [2], [0], [1]]
