"""The re-checker counts letters, encloses the soft layer, and refuses what says too much."""

from fractions import Fraction
from itertools import product

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import refuses
from tests_support import arguments_of_calls

from verify.facts import counting
from verify.recheck.errors import Refused
from verify.recheck.kernel.interval import exp
from verify.recheck.kinds import counting as confirming

CASES = [
    Case(
        "counting.state",
        counting.state_after_word,
        {"counted": 2, "symbols": 3, "word": "00011", "expected": [3, 2, 1]},
    ),
    Case(
        "counting.state",
        counting.state_after_word,
        {"counted": 2, "symbols": 3, "word": "00011", "expected": [0, 0, 1]},
    ),
    Case("counting.step", counting.symbols_add_one, {"counted": [1, 2], "symbols": 3}),
    Case("counting.one-layer", counting.exact_layer, {"longest": 3}),
    Case("counting.depth", counting.depth_at_lengths, {"lengths": [1, 3, 16], "layers": [0, 2, 4]}),
    Case("counting.depth", counting.depth_at_lengths, {"lengths": [16], "layers": [5]}),
    Case(
        "counting.reaches",
        counting.model_is_large_enough,
        {"states": 2, "length": 16, "width": 16, "layers": 4},
    ),
    Case(
        "counting.reaches",
        counting.model_is_large_enough,
        {"states": 6, "length": 64, "width": 64, "layers": 10},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_words_of_the_greatest_length_are_counted_too(monkeypatch):
    """A letter that is neither 0 nor 1 is counted wrongly."""
    words = {3: [(2, 2, 2)]}
    monkeypatch.setattr(confirming, "product", lambda _, repeat: words.get(repeat, []))
    confirming.one_layer({"longest": 2}, {})
    with pytest.raises(Refused, match="a word of length 3 is counted wrongly"):
        confirming.one_layer({"longest": 3}, {})


def test_empty_lists_letters_outside_the_alphabet_and_long_runs_are_refused():
    refuses("counting.one-layer", {"longest": 0}, "integer")
    refuses("counting.one-layer", {"longest": 10**9}, "integer")
    refuses("counting.step", {"counted": [4], "symbols": 3}, "integer")
    refuses("counting.depth", {"lengths": [0], "layers": [0]}, "integer")
    state = {"counted": 1, "symbols": 1, "word": "01", "expected": [1, 1]}
    refuses("counting.state", state, "alphabet")


@pytest.mark.parametrize(("power", "base"), [(-3, 2), (1, 7), (1, 149), (1, 150), (1, 400), (3, 9)])
def test_the_weight_of_a_score_is_enclosed_also_where_it_is_tiny(power, base):
    low, high = confirming._weight(power, base)
    with flint.ctx.workprec(2000):
        exact = (-(flint.arb(base) ** power)).exp()
        assert flint.fmpq(low.numerator, low.denominator) <= exact
        assert exact <= flint.fmpq(high.numerator, high.denominator)
        assert high <= low + Fraction(1, 1 << 90)


def test_a_weight_has_96_bits_where_it_is_not_tiny():
    assert confirming._weight(1, 3) == exp(Fraction(-3), 96)
    assert confirming._weight(-1, 3) == exp(Fraction(-1, 3), 96)


def test_a_matrix_of_any_letter_that_counts_something_else_is_seen(monkeypatch):
    right = confirming._matrix
    assert right(2, 1) == [[1, 0, 0], [0, 1, 0], [0, 1, 1]] and right(2, 2)[2] == [0, 0, 1]
    for letter, row, column in product(range(4), range(3), range(3)):

        def wrong(counted, symbol, at=(letter, row, column)):
            matrix = right(counted, symbol)
            if symbol == at[0]:
                matrix[at[1]][at[2]] += 1
            return matrix

        monkeypatch.setattr(confirming, "_matrix", wrong)
        assert not confirming._counts(2, 4)
        assert confirming._counts(2, letter)


def test_no_more_letters_are_counted_than_there_are():
    wanted = "counted = 4, expected an integer from 1 to 3"
    refuses("counting.step", {"counted": [2, 4], "symbols": 3}, wanted)
    asked = {"counted": 4, "symbols": 3, "word": "0", "expected": [1, 0, 0, 0, 1]}
    refuses("counting.state", asked, wanted)
    assert confirming.state({**asked, "counted": 3, "expected": [1, 0, 0, 1]}, {}).holds
    long = {"counted": 1, "symbols": 1, "expected": [1000, 1]}
    assert confirming.state({**long, "word": "0" * 1000}, {}).holds
    refuses("counting.state", {**long, "word": "0" * 1001}, "digits of the alphabet")


def test_every_prefix_of_every_short_word_and_every_point_of_the_grid_is_looked_at(monkeypatch):
    def asked(name):
        return arguments_of_calls(
            monkeypatch, confirming, name, lambda: confirming.one_layer({"longest": 2}, {})
        )

    words = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]
    assert asked("_averaged") == [(word, t) for word in words for t in range(len(word) + 1)]
    assert asked("_step") == list(product(range(4), repeat=3))
    assert confirming._averaged((0, 1, 0, 0), 3) == 2
    assert confirming._step(1, 5, 7) == 12


@pytest.mark.parametrize("off", [-1, 1])
@pytest.mark.parametrize("place", [(0, 0, 0), (3, 3, 3), (2, 0, 1)])
def test_a_step_that_counts_wrongly_at_one_point_does_not_hold(place, off, monkeypatch):
    right = confirming._step
    monkeypatch.setattr(confirming, "_step", lambda *at: right(*at) + (off if at == place else 0))
    assert confirming.one_layer({"longest": 1}, {}).holds is False
