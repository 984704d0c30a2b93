"""Widths in stock classes, by hand."""

from constructions.exports.widths import PLACES, as_stored, rotary_width


def test_a_rotary_head_is_even_at_least_four_and_holds_a_matrix():
    assert [rotary_width(n) for n in (1, 2, 3, 4, 5)] == [4, 4, 10, 16, 26]


def test_each_class_has_its_own_widths():
    assert PLACES == 2
    assert as_stored("gpt2", 3, 22, 9) == (22, 22)
    assert as_stored("llama", 3, 22, 9) == (20, 10)
    assert as_stored("transformerlens", 3, 22, 9) == (22, 9)
    assert as_stored("safetensors", 3, 22, 9) == (22, 9)
