"""Reading values in the re-checker: each refusal names what was found and what was expected."""

import pytest

from verify.recheck import errors
from verify.recheck.errors import Refused

WRONG = {
    "missing": (lambda: errors.only({"a": 1}, {"a", "b"}), "field 'b' is missing"),
    "unknown": (lambda: errors.only({"a": 1, "c": 1}, {"a"}), "field 'c' is not known"),
    "no integer": (
        lambda: errors.integer_in({"n": "3"}, "n", 1, 9),
        "expected an integer from 1 to 9",
    ),
    "a boolean": (lambda: errors.integer_in({"n": True}, "n", 1, 9), "expected an integer"),
    "too small": (lambda: errors.integer_in({"n": 0}, "n", 1, 9), "n = 0"),
    "too large": (lambda: errors.integer_in({"n": 10}, "n", 1, 9), "n = 10"),
    "no boolean": (lambda: errors.boolean({"b": 1}, "b"), "expected true or false"),
    "no text": (lambda: errors.text({"t": 1}, "t"), "expected text"),
    "none of them": (lambda: errors.one_of({"t": "c"}, "t", ("a", "b")), "expected one of a, b"),
    "no list": (lambda: errors.list_in({"l": "ab"}, "l"), "expected a list"),
    "too short": (lambda: errors.list_in({"l": []}, "l"), "expected a list of 1"),
    "too long": (lambda: errors.list_in({"l": [1, 2]}, "l", 1, 1), "of 1 to 1 entries"),
    "an int": (lambda: errors.fraction(3), "3: expected a rational"),
    "an exponent": (lambda: errors.fraction("1e99999999"), "expected a rational 'p/q'"),
    "many digits": (lambda: errors.fraction("9" * 4001), "expected a rational 'p/q'"),
    "no number": (lambda: errors.fraction("x"), "expected a rational 'p/q'"),
    "over zero": (lambda: errors.fraction("1/0"), "expected a rational 'p/q'"),
    "not lowest": (lambda: errors.fraction("2/4"), "in lowest terms"),
    "a decimal": (lambda: errors.fraction("0.5"), "in lowest terms"),
    "another": (lambda: errors.agree("n", 1, 2), "n: stated 1, found 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_expected_is_refused_with_the_reason(name):
    read, because = WRONG[name]
    with pytest.raises(Refused, match=because):
        read()


def test_a_list_has_up_to_a_hundred_thousand_entries():
    assert len(errors.list_in({"l": [1] * 100_000}, "l")) == 100_000
    with pytest.raises(Refused, match="of 1 to 100000 entries"):
        errors.list_in({"l": [1] * 100_001}, "l")


def test_the_first_place_that_differs_is_named():
    for stated, found, where in (
        ([1, [2, 3]], [1, [2, 4]], r"x\[1\]\[1\]: stated 3, found 4"),
        ({"a": 1, "b": [0]}, {"a": 1, "b": [False]}, r"x: b\[0\]: stated 0, found False"),
        ({"a": 1}, {"a": 1, "b": 2}, r"x: fields: stated \['a'\], found \['a', 'b'\]"),
        ([1], [1, 2], r"x: stated \[1\], found \[1, 2\]"),
    ):
        with pytest.raises(Refused, match=f"^{where}$"):
            errors.agree("x", stated, found)
