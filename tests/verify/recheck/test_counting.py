"""The re-checker counts letters, encloses the soft layer, and refuses what says too much."""

from fractions import Fraction

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import counting
from verify.recheck.errors import Refused
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
    Case("counting.soft-layer", counting.soft_layer, {"longest": 2, "bases": [16, 64]}),
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


def test_a_word_that_is_counted_wrongly_at_its_last_letter_is_named(monkeypatch):
    right = confirming._softly_counted

    def counted(zeros, i, base):
        low, high = right(zeros, i, base)
        return (low, high + 5) if (zeros, i) == ([0, 0, 1], 2) else (low, high)

    monkeypatch.setattr(confirming, "_softly_counted", counted)
    answer = confirming.soft_layer({"longest": 2, "bases": [64]}, {})
    assert answer.holds is False
    assert answer.values["over"] == ["10"]


def test_empty_lists_letters_outside_the_alphabet_and_long_runs_are_refused():
    refuses("counting.one-layer", {"longest": 0}, "integer")
    refuses("counting.one-layer", {"longest": 10**9}, "integer")
    refuses("counting.soft-layer", {"longest": 2, "bases": []}, "list")
    refuses("counting.soft-layer", {"longest": 2, "bases": [1]}, "integer")
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
