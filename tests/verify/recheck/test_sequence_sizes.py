"""Counted coordinates confirm the sizes that were measured on the built models."""

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import sequence_sizes as facts

WHOLE = {
    "construction": "theorem1",
    "sizes": {"depth": "⌈log₂ T⌉", "embedding": "2n²+2", "feedforward": "2n²", "heads": "2"},
    "states": [1, 2],
    "lengths": [2, 3, 8],
}
CASES = [
    ("model.sizes", facts.model_sizes, WHOLE),
    ("model.sizes", facts.model_sizes, WHOLE | {"sizes": {"depth": "log₂ T"}}),
    ("model.sizes", facts.model_sizes, WHOLE | {"lengths": [1]}),
    *(
        ("model.sizes", facts.model_sizes, WHOLE | {"construction": name, "sizes": sizes})
        for name, sizes in (
            ("third-head", {"heads": "3", "embedding": "2n²+2", "tokens": "T"}),
            ("no-pads", {"heads": "3", "tokens": "T+1", "feedforward": "2n²+4"}),
            ("residual", {"embedding": "2n²+3", "attention": "2n²+3", "feedforward": "2n²+2"}),
            ("unrolled", {"depth": "T", "embedding": "n²+n+3", "feedforward": "n²+n+2"}),
        )
    ),
    *(("depth.vanishes", facts.vanishes, {"depth": d}) for d in ("⌈log₂ T⌉", "T", "7", "3T²")),
]


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    found = fact(**parameters)
    assert confirmed(name, found, parameters)
    stated = certificate(found)
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": {"limit": "9"}})
    assert refused(name, parameters, **{**stated, "witness": {"n": 9}})


def test_empty_unknown_and_oversized_parameters_are_refused():
    refuses("model.sizes", WHOLE | {"sizes": {}}, "sizes")
    refuses("model.sizes", WHOLE | {"sizes": {"colour": "2"}}, "sizes")
    refuses("model.sizes", WHOLE | {"states": [0]}, "states")
    refuses("model.sizes", WHOLE | {"lengths": [10**9]}, "lengths")
    refuses("model.sizes", WHOLE | {"construction": "theorem9"}, "not known")
    refuses("model.sizes", WHOLE | {"sizes": {"heads": "k"}}, "no value")
    refuses("depth.vanishes", {"depth": "n"}, "count in T")
    refuses("depth.vanishes", {"depth": ""}, "count")
