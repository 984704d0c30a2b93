"""Certificates on PAutomaC files, which are not here, contradict neither the print nor themselves."""

import pytest
from facts_support import refused
from record_support import LIST, alone

from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Refused
from verify.recheck.kinds import pautomac as kinds

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
    [],
)
def test_what_holds_needs_no_witness(name, parameters, values):
    assert not refused(f"pautomac.{name}", parameters, values=values)


def test_all_are_counted_as_trusted():
    names = {name for name in confirmations() if name.startswith("pautomac.")}
    assert {trust_reasons()[name] for name in names} == {"pautomac"}


TABLE = {
    1: {"states": {"A": "5", "B": "2"}, "alphabet": {"A": "8", "B": "3"},
        "sparsity": {"A": "0.3", "B": "0.5"}},
    2: {"A": {"1": "0.03", "2": "0.02"}, "B": {"1": "0.3"}},
}  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Two automata, A with 40 pairs of state and symbol and B with 6."""
    monkeypatch.setattr(kinds, "rows", TABLE.get)
    monkeypatch.setattr(kinds, "cell", lambda number, row, column: TABLE[number][row][column])
    return {"automata": ["A", "B"]}


def test_shares_of_pairs_round_to_the_print_or_are_cut_off(small):
    shares = {"A": "14/40", "B": "3/6"}
    stated = {"holds": True, "values": {"shares": shares}}
    assert kinds.sparsity(small, stated).values == {"shares": shares}
    with pytest.raises(Refused, match="one does not round to the print"):
        kinds.sparsity(small, {**stated, "values": {"shares": {**shares, "A": "15/40"}}})
    witness = {"automaton": "A", "share": "15/40"}
    found = kinds.sparsity(small, {"holds": False, "witness": witness})
    assert found.witness == {**witness, "printed": "0.3"}
    for share in ("14/40", "16/40", "12/40", "8/40"):
        with pytest.raises(Refused, match=r"which 0\.3 neither rounds nor cuts off"):
            kinds.sparsity(small, {"holds": False, "witness": {**witness, "share": share}})


@pytest.mark.parametrize(
    ("worst", "holds"), [("0", True), ("1/9", True), ("1/8", False), ("-1/9", None)]
)
def test_the_worst_error_is_at_most_what_is_allowed(worst, holds, small):
    asked = {**small, "allowed": "1/9"}, {"values": {"worst": worst}}
    if holds is None:
        with pytest.raises(Refused, match="expected the size of an error"):
            kinds.probabilities(*asked)
    else:
        assert kinds.probabilities(*asked).holds is holds


def reached(small, excluded, floor, length=5):
    stated = {"values": {"excluded": excluded}, "witness": {"floor": floor}}
    return kinds.reachable({**small, "length": length}, stated)


@pytest.mark.parametrize(("length", "layers"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (64, 6)])
def test_layers_double_what_a_position_has_collected(length, layers, small):
    asked = {**small, "length": length, "words": 1}
    for more in (0, 1):
        found = kinds.prefixes({**asked, "layers": layers + more}, {"values": {"wrong": []}})
        assert (found.holds, found.values) == (not more, {"layers": layers, "wrong": []})
    found = kinds.prefixes({**asked, "layers": layers}, {"values": {"wrong": ["B"]}})
    assert found.holds is False


def test_differences_are_of_what_was_asked_for_and_no_more_than_that(small):
    asked = {**small, "rows": ["states"]}
    both = ["A: states 7", "B: states 9"]
    assert kinds.descriptors(asked, {"values": {"differing": both}}).values == {
        "automata": 2, "differing": both
    }  # fmt: skip
    assert kinds.descriptors(asked, {"values": {"differing": []}}).holds is True
    with pytest.raises(Refused, match="differing: expected a list of 0 to 2 entries"):
        kinds.descriptors(asked, {"values": {"differing": [*both, "A: states 8"]}})


def test_what_was_found_is_a_list_of_some_that_were_asked_for_in_their_order(small):
    asked = {**small, "type": "x"}
    for found in ([], ["A"], ["A", "B"]):
        shown = {"automata": 2, "found": found}
        assert kinds.no_type(asked, {"values": {"found": found}}).values == shown
    for found, because in (
        ("A", "found: expected a list of 0 to"),
        (["B", "A"], "expected some of"),
    ):
        with pytest.raises(Refused, match=because):
            kinds.no_type(asked, {"values": {"found": found}})
