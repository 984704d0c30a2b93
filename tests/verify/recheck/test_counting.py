"""The re-checker counts letters, encloses the soft layer, and refuses what says too much."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import counting
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


def test_empty_lists_letters_outside_the_alphabet_and_long_runs_are_refused():
    refuses("counting.one-layer", {"longest": 0}, "integer")
    refuses("counting.one-layer", {"longest": 10**9}, "integer")
    refuses("counting.step", {"counted": [4], "symbols": 3}, "integer")
    refuses("counting.depth", {"lengths": [0], "layers": [0]}, "integer")
    state = {"counted": 1, "symbols": 1, "word": "01", "expected": [1, 1]}
    refuses("counting.state", state, "alphabet")


def test_no_more_letters_are_counted_than_there_are():
    wanted = "counted = 4, expected an integer from 1 to 3"
    refuses("counting.step", {"counted": [2, 4], "symbols": 3}, wanted)
    asked = {"counted": 4, "symbols": 3, "word": "0", "expected": [1, 0, 0, 0, 1]}
    refuses("counting.state", asked, wanted)
    assert confirming.state({**asked, "counted": 3, "expected": [1, 0, 0, 1]}, {}).holds
    long = {"counted": 1, "symbols": 1, "expected": [1000, 1]}
    assert confirming.state({**long, "word": "0" * 1000}, {}).holds
    refuses("counting.state", {**long, "word": "0" * 1001}, "digits of the alphabet")
