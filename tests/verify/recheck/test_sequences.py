"""Tuples of letters and arithmetic of positions confirm what the exact weights were found to do."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import sequences as facts
from verify.facts import sympy_proofs
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
        "sequence.sympy",
        sympy_proofs.outputs_are_states,
        {"construction": "theorem1", "states": [1, 2], "lengths": [1, 2, 3]},
    ),
    Case(
        "sequence.sympy",
        sympy_proofs.outputs_are_states,
        {"construction": "residual", "states": [1], "lengths": [1, 4]},
    ),
    Case("sequence.contents", sympy_proofs.contents, {"n": 2, "length": 4}),
    Case("tree.sympy", sympy_proofs.tree_states, {"places": "line", "states": [1, 2], "leaves": 3}),
    Case("product.sympy", sympy_proofs.tensor_multiplies, {"states": [1, 2, 3]}),
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
        ("sequence.sympy", {"construction": "theorem1", "states": [], "lengths": [1]}, "states"),
        ("sequence.sympy", {"construction": "theorem1", "states": [0], "lengths": [1]}, "states"),
        (
            "sequence.sympy",
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


LINES = {
    "theorem1": kinds.Line(range(-7, 9), (16, 16, 16)),
    "residual": kinds.Line(range(-7, 9), (16, 16, 16)),
    "unrolled": kinds.Line(range(-7, 9), (16, 16, 16, 16, 16)),
    "third-head": kinds.Line(range(-7, 9), (64, 32, 16)),
    "no-pads": kinds.Line(range(6), (80, 40, 20)),
}


@pytest.mark.parametrize("construction", LINES)
def test_the_positions_and_turns_of_five_letters(construction):
    assert kinds.line(construction, 5) == LINES[construction]


@pytest.mark.parametrize(
    ("target", "source"),
    [(4, 4), (6, 4), (7, None), (8, 0), (9, 0), (-1, 0), (-2, 0), (-3, None), (5, 4)],
)
def test_a_head_looks_at_the_nearest_position_on_the_circle(target, source):
    """Positions 0 … 4 on a circle of ten places: 7 and -3 are as far from 4 as from 0."""
    assert kinds.Line(range(5), (10,)).source(target, 0) == source
    assert kinds.Line(range(5), (99, 10)).source(target, 1) == source
    assert kinds.Line(range(1), (10,)).source(target, 0) == 0


@pytest.mark.parametrize(
    ("difference", "distance"), [(0, 0), (3, 3), (-3, 3), (6, 4), (15, 5), (-9, 1)]
)
def test_a_distance_on_a_circle_is_the_shorter_way(difference, distance):
    assert kinds.circular(difference, 10) == distance


def test_cosine_and_sine_are_never_written():
    answer = kinds.alike({"n": 3, "length": 2}, {})
    assert answer.values == {"unwritten": [18, 19]}


def test_a_number_above_the_most_is_also_asked_for():
    refuses("sequence.words", {"construction": "theorem1", "most": 4, "also": [9, 4]}, "above 4")
    assert kinds.words({"construction": "theorem1", "most": 4, "also": [5]}, {}).holds
