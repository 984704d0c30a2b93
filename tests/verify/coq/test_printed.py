"""Hidden units that Coq printed against those of the program, without Coq."""

from collections import Counter
from fractions import Fraction

import pytest

from constructions.core.matrix import Matrix
from verify.coq.printed import read_unit, unequal

VALUES = {"h": Fraction(1, 8), "s": Fraction(16), "b": Fraction(1, 2)}
LINES = ["0 1 2 -1 1 : 3 = 1/4 , 4 = 2", "0 1 2 1 -1 : 3 = 1/4"]


def number(words):
    (word,) = words
    return VALUES[word] if word in VALUES else Fraction(word)


def test_a_unit_has_multiples_of_the_step_and_of_the_scale():
    unit = read_unit(LINES[0], number)
    assert unit.reads == ((0, Fraction(1, 8)), (2, Fraction(-1, 8)))
    assert unit.bias == Fraction(1, 2) and unit.writes == ((3, 4), (4, 32))
    assert read_unit(LINES[1], number).writes == ((3, -4),)


@pytest.mark.parametrize(
    ("proof", "program", "found"),
    [
        (LINES, LINES[::-1], []),
        (LINES, LINES[:1], ["1 hidden unit(s) only in the proof"]),
        (LINES[:1], [LINES[0]] * 3, ["2 hidden unit(s) only in the program"]),
        (LINES[:1], LINES[1:], ["1 hidden unit(s) only in the proof",
                                "1 hidden unit(s) only in the program"]),
    ],
)  # fmt: skip
def test_units_that_only_one_side_has_are_listed(proof, program, found):
    built = Counter(read_unit(line, number) for line in program)
    lines = [line.partition(":")[0] for line in unequal("; ".join(proof), built, number)]
    assert lines == found


@pytest.mark.parametrize(
    ("proof", "program", "found"),
    [
        ("2 2 2; 0 1 : 3", {(0, 1): 3}, []),
        ("2 2 2; 0 1 : 3", {(0, 1): 4}, ["entry (0, 1) is 3 in the proof, 4 in the program"]),
        ("2 2 2; 0 1 : 3", {(0, 1): 3, (1, 0): -1}, ["entry (1, 0) is 0 in the proof, -1 in the program"]),
        ("2 2 2; 0 1 : 3; 1 1 : -1", {(0, 1): 3}, ["entry (1, 1) is -1 in the proof, 0 in the program"]),
    ],
)  # fmt: skip
def test_entries_that_are_not_the_same_are_listed_and_what_is_not_there_is_0(proof, program, found):
    assert list(unequal(proof, program, number)) == found
    shape = unequal(proof, Matrix((2, 3), program), number)
    assert next(shape) == "shape (2, 2) in the proof, (2, 3) in the program"
