"""What is still read and what is refused: each limit from both sides."""

from fractions import Fraction

import pytest

from verify.recheck import files
from verify.recheck.errors import Refused, Unreadable
from verify.recheck.kinds import budget, soft_attention, units


@pytest.mark.parametrize(
    "given",
    [[], {}, {letter: [["1"]] for letter in "abcde"}, {"a": [["1"], ["1"]]}, {"a": "1"},
     {"a": [["1", "0", "0"]] * 3}, {"a": [["1"]], "b": [["1", "0"], ["0", "1"]]}, {"a": ["1"]}],
)  # fmt: skip
def test_transitions_are_matrices_of_one_size_of_at_most_two_states(given):
    read = soft_attention.transitions
    assert len(read({letter: [["1"]] for letter in "abcd"})) == 4
    assert soft_attention.order(read({"a": [["1", "0"], ["0", "2"]]})) == 2
    with pytest.raises(Refused, match="transitions"):
        read(given)


@pytest.mark.parametrize(
    "text", [b"[]", b"{", b'{"a": 1.5}', b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff"]
)
def test_what_is_no_object_of_whole_numbers_and_texts_is_unreadable(text):
    with pytest.raises(Unreadable):
        files.parse(text)


def test_errors_of_products_are_taken_within_the_interval_of_the_derivatives():
    """h (p + q) is at most 1/100; the remainder grows with the fourth powers."""
    smooth = budget.Smooth({"bits": 8, "scale": "-1"})
    size = Fraction(128, 100)
    assert smooth.error(size, size) > smooth.error(size / 2, size / 2) > 0
    with pytest.raises(Refused, match="leaves its interval"):
        smooth.error(size, size + Fraction(1, 1000))
    p, q = Fraction(1), Fraction(1, 2)
    powers = 2 * p**4 + 12 * p**2 * q**2 + 2 * q**4
    least = smooth.fourth * smooth.step**4 * powers / 12 + smooth.slope * p * q
    assert least <= smooth.error(p, q) <= least * (1 + Fraction(1, 2**100))


@pytest.mark.parametrize("radius", ["1000", "1/1000"])
def test_units_are_read_at_the_ends_of_their_ranges(radius):
    for point in ("4", "-4"):
        stated = {"point": point, "step": "1", "scale": "1"}
        assert units.four_units(stated, "tanh", Fraction(radius)) > 0


RECURSION = {"tokens": 2, "saturation": 1, "sizes": ["1"], "embedded": ["1"], "renewed": [0, 1],
             "smooth": {"bits": 1, "scale": "1"}}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "read"),
    [({"tokens": 4096}, True), ({"tokens": 4097}, False), ({"tokens": 1}, False),
     ({"saturation": 1 << 20}, True), ({"saturation": (1 << 20) + 1}, False),
     ({"saturation": 0}, False), ({"sizes": [], "embedded": []}, False), ({"sizes": ["-1"]}, False),
     ({"embedded": ["1", "1"]}, False), ({"embedded": []}, False), ({"renewed": [2]}, False),
     ({"renewed": [-1]}, False), ({"renewed": [0, 0]}, False), ({"renewed": []}, True),
     ({"smooth": {"bits": 0, "scale": "1"}}, False), ({"smooth": {"bits": 1025, "scale": "1"}}, False)],
)  # fmt: skip
def test_a_recursion_is_read_within_its_ranges(change, read):
    body = {**RECURSION, "renewed": [0], **change}
    if read:
        assert budget.Recursion(body).tokens == body["tokens"]
    else:
        with pytest.raises(Refused):
            budget.Recursion(body)
