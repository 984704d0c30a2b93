"""Certificates on PAutomaC files, which are not here, contradict neither the print nor themselves."""

import pytest
from facts_support import refused
from record_support import LIST, alone

from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Refused

ITEMS = {
    (item["fact"].removeprefix("pautomac."), item["holds"]): item
    for item in LIST
    if item["fact"].startswith("pautomac.")
}
HOLDS = {"holds": True, "witness": None}
FORGED = [
    ("sparsity", True, {"values": {"shares": {"4": "21/48"}}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "6555/10000"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6556", "share": "59/90"}}),
    ("sparsity", False, {"witness": {"automaton": "4", "printed": "0.6555", "share": "59/90"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "many"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "59/91"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "149/90"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "90/90"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "58/90"}}),
    ("sparsity", False, {"witness": {"automaton": "30", "printed": "0.6555", "share": "60/90"}}),
    ("sparsity", False, {**HOLDS, "values": {"shares": {"30": "59/90"}}}),
    ("descriptors", True, {"values": {"automata": 9, "differing": []}}),
    ("descriptors", True, {"values": {"automata": 10, "differing": ["4: states 7"]}}),
    ("descriptors", True, {"holds": False, "values": {"automata": 10, "differing": ["invented"]},
                           "witness": {"automata": 10, "differing": ["invented"]}}),
    ("no-type", True, {"values": {"automata": 10, "found": ["4"]}}),
    ("no-type", True, {"values": {"automata": 11, "found": []}}),
    ("no-type", True, {"holds": False, "values": {"automata": 10, "found": ["99"]},
                       "witness": {"automata": 10, "found": ["99"]}}),
    ("probabilities", True, {"values": {"worst": "1/2"}}),
    ("probabilities", True, {"values": {"worst": "0.1"}}),
    ("probabilities", True, {"values": {"worst": "1e-99999999"}}),
    ("probabilities", True, {"values": {"worst": "-1"}}),
    ("reachable", False, {"values": {"excluded": ["20", "12"]}}),
    ("reachable", False, {"values": {"excluded": []}}),
    ("reachable", False, {"witness": {"automaton": "12", "excluded": 6, "floor": "0.000001",
                                      "printed": "0.000356"}}),
    ("reachable", False, {"witness": {"automaton": "12", "excluded": 6, "floor": "0.006345",
                                      "printed": "0.0001"}}),
    ("reachable", False, {"witness": {"automaton": "12", "excluded": 6, "floor": "0.0063450",
                                      "printed": "0.000356"}}),
    ("reachable", False, {"witness": {"automaton": "12", "excluded": 6, "floor": "0.006837",
                                      "printed": "0.000356"}}),
    ("reachable", False, {"witness": {"automaton": "12", "excluded": 6, "floor": "9.000000",
                                      "printed": "0.000356"}}),
    ("reachable", False, {"values": {"excluded": ["12", "14", "20", "30", "33", "38", "39"]},
                          "witness": {"automaton": "12", "excluded": 7, "floor": "0.006345",
                                      "printed": "0.000356"}}),
    ("reachable", False, {**HOLDS, "values": {"excluded": []}, "parameters": {"automata": ["12"]}}),
    ("next-symbol", False, {"witness": {"automaton": "4", "likely": "0 1", "unlikely": "1 0", "times": 2}}),
    ("next-symbol", False, {"witness": {"automaton": "4", "likely": "9 " * 63 + "9",
                                        "unlikely": "0 " * 63 + "0", "times": 2}}),
    ("next-symbol", False, {"witness": {"automaton": "4", "likely": "0 " * 63 + "0",
                                        "unlikely": "0 " * 63 + "0", "times": 2}}),
    ("next-symbol", False, {"values": {"remark": "x"}}),
    ("next-symbol", False, {"witness": {"automaton": "4", "likely": "0 " * 63 + "0",
                                        "unlikely": "1 " * 63 + "1", "times": 4**64 + 1}}),
    ("prefixes", True, {"values": {"layers": 5, "wrong": []}}),
    ("prefixes", True, {"values": {"layers": 6, "wrong": ["4"]}}),
]  # fmt: skip


@pytest.mark.parametrize("item", ITEMS.values(), ids=lambda item: item["key"])
def test_the_published_ones_are_accepted(item):
    alone(item)


@pytest.mark.parametrize(("name", "holds", "change"), FORGED)
def test_a_certificate_that_contradicts_the_print_or_itself_is_refused(name, holds, change):
    with pytest.raises(Refused):
        alone({**ITEMS[name, holds], **change})


@pytest.mark.parametrize("name", sorted({name for name, _ in ITEMS}))
def test_other_automata_and_parameters_are_refused(name):
    item = next(item for (fact, _), item in ITEMS.items() if fact == name)
    given = item["parameters"]
    for automata in ([], ["99"], [4], [given["automata"][0]] * 2, "4"):
        assert refused(item["fact"], {**given, "automata": automata}, **_stated(item))
    assert refused(item["fact"], {**given, "more": 1}, **_stated(item))


def _stated(item):
    return {name: item[name] for name in ("holds", "values", "witness")}


@pytest.mark.parametrize(
    ("name", "parameters", "values"),
    [
        ("reachable", {"automata": ["12"], "length": 64}, {"excluded": []}),
        ("next-symbol", {"automata": ["12"], "length": 64}, {"automata": 1}),
    ],
)
def test_what_holds_needs_no_witness(name, parameters, values):
    assert not refused(f"pautomac.{name}", parameters, values=values)


def test_all_are_counted_as_trusted():
    names = {name for name in confirmations() if name.startswith("pautomac.")}
    assert {trust_reasons()[name] for name in names} == {"pautomac"}
