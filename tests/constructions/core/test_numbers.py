"""Numbers in text form: exact values, and the error messages of refused ones."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from constructions.core.errors import InputError
from constructions.core.numbers import (
    LARGEST_EXPONENT,
    LONGEST_NUMBER,
    MOST_DIGITS,
    array,
    number,
    number_from_text,
    square,
    vector,
    whole_number,
)


def said(call, *arguments, **options):
    """The error message of a refused input."""
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "bounds", "expected"),
    [
        ("1", {}, 1),
        ("0", {}, "≥ 1"),
        ("0", {"least": 0}, 0),
        ("999999999", {}, 999999999),
        ("1000000000", {}, "of at most 9 digits"),
        ("12", {"digits": 1}, "of at most 1 digits"),
        ("7", {"most": 7}, 7),
        ("8", {"most": 7}, "from 1 to 7"),
        ("10", {"most": 7}, "from 1 to 7"),
        ("3", {"least": 3, "most": 3}, 3),
        ("2", {"least": 3, "most": 30}, "from 3 to 30"),
        ("-1", {"least": -2}, "≥ -2"),
        ("٣", {}, "≥ 1"),
        ("", {}, "≥ 1"),
        ("1.0", {}, "≥ 1"),
    ],
)
def test_whole_numbers_are_accepted_within_bounds(text, bounds, expected):
    if isinstance(expected, int):
        assert whole_number(text, "--length", **bounds) == expected
    else:
        found = said(whole_number, text, "--length", **bounds)
        assert found.startswith("--length: found ")
        assert found.endswith(f", expected a whole number {expected}")


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/3", Fraction(1, 3)), ("0.125", Fraction(1, 8)), ("-2e-3", Fraction(-1, 500)), (" 7 ", 7)],
)
def test_a_decimal_or_a_quotient_is_exact(text, value):
    assert number_from_text(text, "w") == value


def test_numbers_that_would_take_much_memory_are_refused_at_their_limits():
    assert number_from_text("1" + "0" * (MOST_DIGITS - 1), "w") == 10 ** (MOST_DIGITS - 1)
    assert said(number_from_text, "1" + "0" * MOST_DIGITS, "w").endswith(
        f"at most {MOST_DIGITS} digits"
    )
    exponent = f"an exponent between ±{LARGEST_EXPONENT}"
    assert said(number_from_text, f"1e{LARGEST_EXPONENT + 1}", "w").endswith(exponent)
    assert said(number_from_text, "1E-1000000", "w").endswith(exponent)
    assert said(number_from_text, f"1/{'9' * MOST_DIGITS}0", "w").endswith(f"{MOST_DIGITS} digits")
    padded = f"{'7':>{LONGEST_NUMBER}}"
    assert number_from_text(padded, "w") == 7
    assert f"a number of {LONGEST_NUMBER + 1} characters" in said(
        number_from_text, f" {padded}", "w"
    )


@pytest.mark.parametrize("text", ["1/0", "nan", "inf", "x", ""])
def test_texts_that_are_no_numbers_are_named(text):
    assert "expected a finite number or a string 'p/q'" in said(number_from_text, text, "w")


@pytest.mark.parametrize("text", ["1_0", "１"])
def test_digits_of_other_scripts_and_underscores_are_refused(text):
    assert said(number_from_text, text, "w").endswith(", expected a number in the digits 0 to 9")


def test_arrays_of_other_libraries_are_read_exactly():
    for given in (np.array([0.5, 2.0]), torch.tensor([0.5, 2.0]), [0.5, "2"]):
        assert vector(given, "alpha") == (Fraction(1, 2), 2)
    half = torch.tensor([[0.5]], dtype=torch.bfloat16, requires_grad=True)
    assert array(half).dtype == np.float32 and square(half, "A", 1) == ((Fraction(1, 2),),)
    assert array("text") == "text" and number(np.float32(0.25), "w") == Fraction(1, 4)


def test_rows_that_do_not_fit_are_named():
    assert said(vector, [], "alpha").endswith("a non-empty list of numbers")
    assert said(vector, {"a": 1}, "alpha").endswith("a non-empty list of numbers")
    assert said(vector, 3, "alpha") == "alpha: found 3, expected a non-empty list of numbers"
    assert said(vector, [1, None], "alpha").startswith("alpha[1]: found ")
    assert said(square, "12", "A", 2) == "A: found 12, expected a list of 2 rows"
    assert (
        said(square, [[1]], "A", 2) == "A: found 1 rows, expected 2, as many as alpha has numbers"
    )
    rows = [[1, 2], [3]]
    assert said(square, rows, "A", 2) == "A[1]: found 1 numbers, expected 2, a square matrix"
