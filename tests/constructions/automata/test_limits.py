"""Limits on the size of an automaton: accepted at the limit, refused by name beyond it."""

import pytest

from constructions.automata.limits import check_size
from constructions.core.errors import InputError


@pytest.mark.parametrize(
    ("states", "symbols", "order"),
    [(512, 7, 2), (1, 1 << 18, 2), (2, 1 << 18, 2), (1, 0, 3), (125, 375, 3), (500, 8, 2)],
)
def test_what_is_at_a_limit_is_taken(states, symbols, order):
    check_size(states, symbols, "alpha", order)


@pytest.mark.parametrize(
    ("states", "symbols", "order", "said"),
    [
        (513, 1, 2, "alpha: found 513 states (263169 numbers a matrix or tensor), expected at most 512 "
                    "states"),
        (513, 1, 3, "alpha: found 513 states (135005697 numbers a matrix or tensor), expected at most 512 "
                    "states"),
        (1, 262145, 2, "alphabet: found 262145 symbols, expected at most 262144"),
        (500, 9, 2, "alpha: found 500 states and 9 symbols, 2250000 weights, expected at most 2000000 "
                    "weights"),
        (125, 376, 3, "alpha: found 125 states and 376 symbols, 2000125 weights, expected at most 2000000 "
                      "weights"),
    ],
)  # fmt: skip
def test_what_is_beyond_a_limit_is_named(states, symbols, order, said):
    with pytest.raises(InputError) as caught:
        check_size(states, symbols, "alpha", order)
    assert str(caught.value) == said
