"""Counted coordinates confirm the sizes that were measured on the built models."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import sequence_sizes as facts
from verify.recheck.kinds import sequence_sizes as kinds

WHOLE = {
    "construction": "theorem1",
    "sizes": {"depth": "⌈log₂ T⌉", "embedding": "2n²+2", "feedforward": "2n²", "heads": "2"},
    "states": [1, 2],
    "lengths": [2, 3, 8],
}
CASES = [
    Case("model.sizes", facts.model_sizes, WHOLE),
    Case("model.sizes", facts.model_sizes, WHOLE | {"sizes": {"depth": "log₂ T"}}),
    Case("model.sizes", facts.model_sizes, WHOLE | {"lengths": [1]}),
    *(
        Case("model.sizes", facts.model_sizes, WHOLE | {"construction": name, "sizes": sizes})
        for name, sizes in (
            ("third-head", {"heads": "3", "embedding": "2n²+2", "tokens": "T"}),
            ("no-pads", {"heads": "3", "tokens": "T+1", "feedforward": "2n²+4"}),
            ("residual", {"embedding": "2n²+3", "attention": "2n²+3", "feedforward": "2n²+2"}),
            ("unrolled", {"depth": "T", "embedding": "n²+n+3", "feedforward": "n²+n+2"}),
        )
    ),
    *(
        Case("depth.vanishes", facts.depth_vanishes, {"depth": d})
        for d in ("⌈log₂ T⌉", "T", "7", "3T²")
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_empty_unknown_and_oversized_parameters_are_refused():
    refuses("model.sizes", WHOLE | {"sizes": {}}, "sizes")
    refuses("model.sizes", WHOLE | {"sizes": {"colour": "2"}}, "sizes")
    refuses("model.sizes", WHOLE | {"states": [0]}, "states")
    refuses("model.sizes", WHOLE | {"lengths": [10**9]}, "lengths")
    refuses("model.sizes", WHOLE | {"construction": "theorem9"}, "not known")
    refuses("model.sizes", WHOLE | {"sizes": {"heads": "k"}}, "no value")
    refuses("depth.vanishes", {"depth": "n"}, "count in T")
    refuses("depth.vanishes", {"depth": ""}, "count")


SIZES = {
    # n² + n² + 2 coordinates, of which a bilinear layer reads two matrices
    "theorem1": {"depth": 3, "embedding": 20, "feedforward": 18, "heads": 2, "tokens": 16},
    "third-head": {"depth": 3, "embedding": 20, "feedforward": 22, "heads": 3, "tokens": 16},
    "no-pads": {"depth": 3, "embedding": 20, "feedforward": 22, "heads": 3, "tokens": 6},
    "residual": {"depth": 3, "embedding": 21, "feedforward": 20, "heads": 2, "tokens": 16},
    "unrolled": {"depth": 5, "embedding": 15, "feedforward": 14, "heads": 2, "tokens": 16},
}


@pytest.mark.parametrize("construction", SIZES)
def test_the_sizes_of_three_states_and_five_letters_are_counted(construction):
    wanted = SIZES[construction]
    assert kinds.counted(construction, 3, 5) == {**wanted, "attention": wanted["embedding"]}


def test_a_model_of_one_letter_has_no_layers_and_no_heads():
    nothing = dict.fromkeys(("depth", "attention", "feedforward", "heads"), 0)
    assert kinds.counted("theorem1", 2, 1) == {**nothing, "embedding": 10, "tokens": 2}
    assert kinds.counted("no-pads", 2, 1) == {**nothing, "embedding": 10, "tokens": 2}


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        ("⌈log₂ T⌉", [0, 1, 2, 2, 3]),
        ("log₂ T", [0, 1, None, 2, None]),
        ("2n²+T", [19, 20, 21, 22, 23]),
    ],
)
def test_printed_sizes_are_whole_numbers_or_none(printed, value):
    assert [kinds.stated(printed, 3, length) for length in range(1, 6)] == value


@pytest.mark.parametrize(
    ("depth", "limit"),
    [
        ("T-T", "0"),
        ("5", "0"),
        ("T²", "oo"),
        ("2T+7", "2"),
        ("3-4T", "-4"),
        ("2T²-9T", "oo"),
        ("9T-2T²", "-oo"),
    ],
)
def test_a_depth_over_the_length_tends_to_its_leading_term(depth, limit):
    answer = kinds.vanishes({"depth": depth}, {})
    assert (answer.holds, answer.values) == (limit == "0", {"limit": limit})
    assert answer.witness == (None if limit == "0" else {"limit": limit})
