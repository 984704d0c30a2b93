"""Messages: one printable line of bounded length with field, value and expectation."""

from fractions import Fraction

import pytest

from constructions.core.errors import LONGEST, InputError, message_text, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (0.5, "0.5"),
        (Fraction(1, 3), "1/3"),
        ("a", "a"),
        ([1, [2, None]], "[1, [2, nothing]]"),
        ((1,), "[1]"),
        ({"a": 1, "b": 2}, "{a, b}"),
        (OSError(2, "No such file"), "No such file"),
        (OSError(), "an error of the system"),
        (object(), "a value of type object"),
    ],
)
def test_values_are_written_as_a_reader_writes_them(value, text):
    assert value_text(value) == text


def test_values_are_shown_on_one_line_of_at_most_sixty_characters():
    assert LONGEST == 60
    assert message_text("x" * 60) == "x" * 60
    assert message_text("x" * 61) == "x" * 59 + "…"
    assert len(message_text("x" * 61)) == LONGEST
    assert message_text("a\nb\x1b") == r"a\nb\x1b"
    assert message_text(10**5000) == "a very long int"


def test_a_message_names_place_field_value_and_expectation():
    error = InputError("alpha[0]", None, "a number", "model.json")
    assert str(error) == "model.json: alpha[0]: found nothing, expected a number"
    assert str(InputError("length", 0, "at least 1")) == "length: found 0, expected at least 1"


def test_a_line_gets_its_file():
    error = InputError("state", "x", "a number", "line 2").at("a.att")
    assert error.where == "a.att, line 2"
    assert error.at("b.att").where == "a.att, line 2"
