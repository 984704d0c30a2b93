"""Classes of equal indices confirm what Kronecker deltas were found to sum to."""

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import indices as facts

LEMMA = [["i'", "i"], ["j'", "i''"], ["j''", "j"]]
WHOLE = {
    "equalities": LEMMA,
    "left": ["i'", "j'"],
    "right": ["i''", "j''"],
    "entry": ["i", "j"],
}
CASES = [
    ("indices.sum", facts.indicator_sum, WHOLE),
    ("indices.sum", facts.indicator_sum, WHOLE | {"equalities": LEMMA[:2]}),
    (
        "indices.sum",
        facts.indicator_sum,
        WHOLE | {"equalities": [["i'", "j"], ["j'", "i''"], ["j''", "i"]]},
    ),
    ("indices.bound", facts.bound, {"left": ["i'", "j'", "j''"], "right": LEMMA}),
    ("indices.bound", facts.bound, {"left": ["i'", "j'", "j''", "i''", "i", "j"], "right": LEMMA}),
]


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    assert confirmed(name, fact(**parameters), parameters)


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_a_flipped_outcome_and_a_changed_witness_are_refused(name, fact, parameters):
    stated = certificate(fact(**parameters))
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": {"n": 1}})
    assert refused(name, parameters, **{**stated, "witness": {"free": ["k"]}})


def test_missing_doubled_and_unknown_indices_are_refused():
    refuses("indices.sum", WHOLE | {"equalities": []}, "equalities")
    refuses("indices.sum", WHOLE | {"equalities": [["k", "i"]]}, "six different")
    refuses("indices.sum", WHOLE | {"left": ["i'", "i'"]}, "twice")
    refuses("indices.sum", WHOLE | {"left": ["i", "j'"]}, "six different")
    refuses("indices.bound", {"left": [], "right": LEMMA}, "left")
    refuses("indices.bound", {"left": ["i"], "right": [["i"]]}, "pair")
