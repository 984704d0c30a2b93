"""The re-checker reads the printed tables in whole numbers, and comes to the same answers."""

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import tables
from verify.recheck.errors import Refused
from verify.recheck.kernel.decimal_cells import cell, exact, half, shown, units

NINE = ["12", "14", "20", "30", "31", "33", "38", "39", "45"]
TEN = [str(layers) for layers in range(1, 11)]
LENGTHS = ["16", "32", "64"]
CASES = [
    ("table.least-layers", tables.least_layers, {"automata": NINE, "below": "0.001"}),
    (
        "table.least-layers",
        tables.least_layers,
        {"automata": ["38"], "below": "0.001", "read_as": {"38": "4"}},
    ),
    ("table.rounds-to", tables.rounds_to, {"count": 59, "of": 90, "printed": "0.6555"}),
    ("table.rounds-to", tables.rounds_to, {"count": 59, "of": 90, "printed": "0.6556"}),
    ("table.complete", tables.complete, {"without": []}),
    ("table.complete", tables.complete, {"without": ["4"]}),
    ("table.bold", tables.bold, {}),
    ("table.possible", tables.possible, {"number": 3, "runs": 10}),
    ("table.possible", tables.possible, {"number": 4, "runs": 10}),
    (
        "table.possible",
        tables.possible,
        {"number": 4, "runs": 10, "read_as": {"8:6": "0.0769370"}},
    ),
    (
        "table.at-most",
        tables.at_most,
        {"number": 3, "rows": TEN, "columns": LENGTHS, "most": "1/4"},
    ),
    ("table.solved", tables.solved, {"below": "0.001", "more_than": "1/2"}),
    ("table.solved", tables.solved, {"below": "0.001", "more_than": "3/5"}),
    ("table.other-than", tables.other_than, {"layers": 6}),
    ("table.inseparable", tables.inseparable, {"descriptors": ["states", "alphabet", "sparsity"]}),
    ("table.below", tables.all_below, {"row": "states", "below": "20"}),
    ("table.below", tables.all_below, {"row": "states", "below": "15"}),
    (
        "table.heads",
        tables.heads,
        {"number": 3, "rows": TEN, "columns": LENGTHS, "letter": "T"},
    ),
]


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    assert confirmed(name, fact(**parameters), parameters)


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_a_flipped_outcome_a_changed_value_and_a_changed_witness_are_refused(
    name, fact, parameters
):
    stated = certificate(fact(**parameters))
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": {**stated["values"], "more": 1}})
    assert refused(name, parameters, **{**stated, "witness": {"row": "7"}})


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_an_unknown_or_missing_parameter_is_refused(name, fact, parameters):
    refuses(name, {**parameters, "colour": 1}, "not known")
    if parameters:
        first = next(iter(parameters))
        refuses(name, {k: v for k, v in parameters.items() if k != first}, "missing")


def test_empty_lists_duplicates_and_numbers_out_of_range_are_refused():
    refuses("table.least-layers", {"automata": [], "below": "0.001"}, "list")
    refuses("table.least-layers", {"automata": ["12", "12"], "below": "0.001"}, "different")
    refuses("table.least-layers", {"automata": ["4"], "below": "0.001"}, "no row")
    refuses("table.rounds-to", {"count": 5, "of": 0, "printed": "0.1"}, "integer")
    refuses("table.rounds-to", {"count": 5, "of": 4, "printed": "0.1"}, "integer")
    refuses("table.possible", {"number": 2, "runs": 10}, "integer")
    refuses("table.possible", {"number": 3, "runs": 0}, "integer")
    refuses("table.below", {"row": "type", "below": "20"}, "row")
    refuses("table.inseparable", {"descriptors": ["type"]}, "descriptor")
    refuses("table.at-most", {"number": 3, "rows": [], "columns": ["16"], "most": "1"}, "list")


def test_decimals_are_read_in_units_and_rounded():
    assert units("0.0124") == 1_240_000 and half("0.0124") == 5_000
    assert exact("1.5") == 3 * exact("0.5")
    assert shown(exact("0.125"), 2) == "0.12" and shown(exact("0.375"), 2) == "0.38"
    for wrong in ("1e9", "-1", "0.123456789", ""):
        with pytest.raises(Refused):
            units(wrong)
    with pytest.raises(Refused):
        cell(3, "11", "16")
