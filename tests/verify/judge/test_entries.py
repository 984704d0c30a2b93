"""Tables become dataclasses; an array has values of one type, or of a type each."""

from dataclasses import dataclass

import pytest

from verify.judge.entries import InvalidPaper, build


@dataclass(frozen=True)
class Arrays:
    """One array of any length, one of two different values."""

    numbers: tuple[int, ...] = ()
    pair: tuple[str, int] = ("", 0)


def test_arrays_become_tuples():
    found = build(Arrays, {"numbers": [1, 2, 3], "pair": ["a", 4]}, "x")
    assert found == Arrays((1, 2, 3), ("a", 4))


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"numbers": ["1"]}, r"x: numbers\[0\] = '1', expected a whole number"),
        ({"numbers": [1, 2, "3"]}, r"x: numbers\[2\] = '3', expected a whole number"),
        ({"numbers": [1, True]}, r"x: numbers\[1\] = True, expected a whole number"),
        ({"pair": [1, 1]}, r"x: pair\[0\] = 1, expected text"),
        ({"pair": ["a", "b"]}, r"x: pair\[1\] = 'b', expected a whole number"),
        ({"numbers": 1}, "x: numbers = 1, expected a list"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_place(entry, expected):
    with pytest.raises(InvalidPaper, match=expected):
        build(Arrays, entry, "x")
