"""Tuples of letters and arithmetic of positions confirm what the exact weights were found to do."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import sequences as facts
from verify.recheck.kinds import sequences as kinds

CASES = [
    Case(
        "sequence.words",
        facts.words_at_positions,
        {"construction": "theorem1", "most": 5, "also": [8]},
        optional=("also",),
    ),
    Case("sequence.words", facts.words_at_positions, {"construction": "third-head", "most": 5}),
    Case("sequence.words", facts.words_at_positions, {"construction": "no-pads", "most": 6}),
    Case("sequence.words", facts.words_at_positions, {"construction": "unrolled", "most": 4}),
    Case(
        "sequence.states",
        facts.outputs_are_states,
        {"construction": "theorem1", "states": [1, 2], "lengths": [1, 2, 3]},
    ),
    Case(
        "sequence.states",
        facts.outputs_are_states,
        {"construction": "residual", "states": [1], "lengths": [1, 4]},
    ),
    Case("sequence.rounds", facts.rounds, {"lengths": [1, 2, 3, 5]}),
    Case("attention.sources", facts.sources, {"lengths": [1, 2, 8]}),
    Case("layer.product", facts.layer_product, {"states": [1, 2, 3]}),
    Case("layers.alike", facts.layers_are_alike, {"n": 2, "length": 4}),
    Case("readout.states", facts.readout, {"states": [1, 2, 3]}),
    Case("pads.enough", facts.pads_suffice, {"lengths": [4], "fewer": True}),
    Case("pads.enough", facts.pads_suffice, {"lengths": [1, 2], "fewer": True}),
    Case("pads.needed", facts.pads_needed, {"lengths": [2, 1, 4]}),
    Case("pads.needed", facts.pads_needed, {"lengths": [2, 4]}),
    Case("states.rows", facts.rows, {"declared": "T", "most": 3}),
    Case("states.rows", facts.rows, {"declared": "T+1", "most": 3}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("name", "parameters", "because"),
    [
        ("sequence.words", {"construction": "theorem1", "most": 0}, "most"),
        ("sequence.words", {"construction": "theorem1", "most": 10**9}, "most"),
        ("sequence.words", {"construction": "theorem1", "most": True}, "most"),
        ("sequence.words", {"construction": "theorem4", "most": 2}, "not known"),
        ("sequence.words", {"construction": "theorem1", "most": 4, "also": [4]}, "also"),
        ("sequence.words", {"construction": "theorem1", "most": 4, "also": []}, "also"),
        ("sequence.words", {"construction": "theorem1", "most": 4, "more": 1}, "not known"),
        ("sequence.states", {"construction": "theorem1", "states": [], "lengths": [1]}, "states"),
        ("sequence.states", {"construction": "theorem1", "states": [0], "lengths": [1]}, "states"),
        (
            "sequence.states",
            {"construction": "theorem1", "states": [1, 1], "lengths": [1]},
            "twice",
        ),
        ("sequence.rounds", {"lengths": []}, "lengths"),
        ("sequence.rounds", {"lengths": [0]}, "lengths"),
        ("attention.sources", {"lengths": [4, 4]}, "twice"),
        ("layer.product", {"states": [17]}, "states"),
        ("layers.alike", {"n": 0, "length": 4}, "n = 0"),
        ("layers.alike", {"n": 1, "length": 1}, "length"),
        ("readout.states", {"states": []}, "states"),
        ("pads.enough", {"lengths": [3], "fewer": True}, "powers of two"),
        ("pads.enough", {"lengths": [4], "fewer": 1}, "fewer"),
        ("pads.needed", {"lengths": [64]}, "lengths"),
        ("states.rows", {"declared": "n", "most": 3}, "count in T"),
        ("states.rows", {"declared": "T", "most": 0}, "most"),
    ],
)
def test_parameters_that_say_nothing_or_too_much_are_refused(name, parameters, because):
    refuses(name, parameters, because)


def test_a_target_between_two_codes_is_a_tie():
    places = kinds.Line(range(0, 3, 2), (8,))
    assert places.source(1, 0) is None
    assert places.source(3, 0) == 2


def test_a_shift_in_the_other_direction_would_be_noticed(monkeypatch):
    good = kinds.Line.source
    monkeypatch.setattr(kinds.Line, "source", lambda self, t, layer: good(self, -t, layer))
    assert kinds.wrong_prefix("theorem1", 4) is not None
