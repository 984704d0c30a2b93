"""Bad input by API and by file: the same clear line, and the smallest inputs work."""

from fractions import Fraction
from typing import Any

import pytest

from constructions import theorem1
from constructions.arithmetic import Rational
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.files.reader import automaton_from_json

ONE = {"a": [[1]]}
BAD: list[tuple[Any, Any, Any, str]] = [
    ([], ONE, [1], "alpha"),
    ([1], {}, [1], "transitions"),
    ([1], ONE, [], "beta"),
    ([1], ONE, [1, 2], "beta"),
    ([1, 2], {"a": [[1, 2]]}, [1, 2], r"transitions\[a\]"),
    ([1, 2], {"a": [[1, 2], [3]]}, [1, 2], r"transitions\[a\]\[1\]"),
    ([1, 2], {"a": [[1, 2, 3], [1, 2, 3]]}, [1, 2], r"transitions\[a\]\[0\]"),
    (["x"], ONE, [1], r"alpha\[0\]"),
    ([float("nan")], ONE, [1], r"alpha\[0\]"),
    ([float("inf")], ONE, [1], r"alpha\[0\]"),
    ([1], {"a": [[float("nan")]]}, [1], r"transitions\[a\]\[0\]\[0\]"),
    ([1], {"": [[1]]}, [1], "symbol"),
    ([1], {7: [[1]]}, [1], "symbol"),
    (None, ONE, [1], "alpha"),
    ([1], None, [1], "transitions"),
]


@pytest.mark.parametrize(("alpha", "transitions", "beta", "culprit"), BAD)
def test_the_api_names_the_field(alpha: Any, transitions: Any, beta: Any, culprit: str) -> None:
    with pytest.raises(InputError, match=culprit):
        WFA.of(alpha, transitions, beta)


@pytest.mark.parametrize(("alpha", "transitions", "beta", "culprit"), BAD)
def test_a_file_names_the_same_field(alpha: Any, transitions: Any, beta: Any, culprit: str) -> None:
    data = {"kind": "wfa", "alpha": alpha, "transitions": transitions, "beta": beta}
    with pytest.raises(InputError, match=culprit):
        automaton_from_json(data)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_smallest_inputs_work(length: int) -> None:
    zero = WFA.of([0], {"a": [[0]]}, [0])
    mixed = WFA.of([Fraction(-1, 2)], {"a": [[-3]], "b": [["2/7"]]}, [1])
    for automaton in (zero, mixed):
        model = theorem1.build(automaton, length)
        for word in ("", *("a" * k for k in range(1, length + 1))):
            found = [tuple(map(str, row)) for row in model.states(word, Rational())]
            assert found == [tuple(map(str, row)) for row in automaton.states(word)]
