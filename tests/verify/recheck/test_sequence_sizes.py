"""Counted coordinates confirm the sizes that were measured on the built models."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import sequence_sizes as facts

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
