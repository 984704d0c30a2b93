"""Facts that hold for the constructions, each seen to fail where something is wrong, or undecided."""

from types import SimpleNamespace

import pytest

from verify.facts import (
    algebra,
    authors_code,
    free_algebra,
    pseudocode,
    registry,
    units,
)
from verify.judge.outcome import Outcome


def test_exponents_are_listed_largest_first():
    assert list(units.exponent_shapes(3)) == [(3,), (2, 1), (1, 1, 1)]
    assert len(list(units.exponent_shapes(6))) == 11  # partitions of 6


def test_a_scheme_with_another_number_of_products_is_named():
    (name, *_) = units.SCHEMES
    count = len(units.SCHEMES[name](2))
    assert units.bilinear_scheme(name, 2, count).holds
    assert units.bilinear_scheme(name, 2, count + 1).witness == {"products": count}


def test_terms_that_cancel_are_no_entries_of_a_scheme():
    one = SimpleNamespace(left={0: 1}, right={1: 2}, output={0: 3, 2: 0})
    minus = SimpleNamespace(left={0: -1}, right={1: 2}, output={0: 1})
    assert units.scheme_tensor([one]) == {(0, 1, 0): 6}
    assert units.scheme_tensor([one, minus]) == {(0, 1, 0): 4}
    assert units.scheme_tensor([minus, minus, one, minus]) == {}


def test_a_network_of_an_odd_activation_misses_half_of_both_values():
    square = [[[2], 3], [[1], 5]]
    found = units.networks_reach_polynomial("tanh", square, "1/2")
    assert found == Outcome(False, {}, {"point": "1/2", "floor": "3/4"})
    assert units.networks_reach_polynomial("tanh", [[[1], 5]], "1/2").holds is None


@pytest.mark.parametrize("order", ["2n", "n+1", "2", "mn"])
def test_an_order_that_is_no_power_of_the_name_is_refused(order):
    with pytest.raises(ValueError, match="expected"):
        algebra.order_at_most("n", order)


def test_a_bound_that_subtracts_is_refused():
    with pytest.raises(ValueError, match="a bound may not subtract 'b'"):
        free_algebra.bound("A", {"A": "a"}, "a + a - b")
    found = free_algebra.bound("A B + A B", {"A": "a", "B": "1"}, "a")
    assert (found.holds, found.witness) == (False, {"beyond": {"a": 2}})


def test_an_array_that_is_updated_upwards_fails_first_at_two_and_no_length_is_left_out():
    assert pseudocode.in_place("ascending", 1).holds
    assert pseudocode.in_place("ascending", 2).witness["n"] == 2
    assert pseudocode.pseudocode("whole", "repaired", "words", 5).holds
    for reading in (("printed", "repaired", "sums"), ("whole", "printed", "words")):
        first = pseudocode.pseudocode(*reading, 9).witness["n"]
        assert pseudocode.pseudocode(*reading, first).witness["n"] == first


def test_lines_of_the_authors_code_are_compared_where_it_is_at_hand(monkeypatch, tmp_path):
    name, line = next(iter(authors_code.lines().items()))
    compared = []
    monkeypatch.setattr(authors_code, "compare_hash", lambda *given: compared.append(given))
    monkeypatch.delenv(authors_code.VARIABLE, raising=False)
    assert authors_code.code_line({name: line.value}).holds and not compared
    monkeypatch.setenv(authors_code.VARIABLE, str(tmp_path))
    found = authors_code.code_line({name: "another"})
    assert compared == [(line, tmp_path)]
    assert (found.holds, found.witness["value"]) == (False, line.value)
    assert len(found.witness["commit"]) == 7


def test_two_facts_of_one_name_in_one_module_are_refused():
    def first():
        """One."""

    def second():
        """Another one."""

    registry.fact("test.twice", "exact")(first)
    registry.fact("test.twice", "exact")(first)
    try:
        with pytest.raises(ValueError, match=r"two facts are called test\.twice"):
            registry.fact("test.twice", "exact")(second)
    finally:
        del registry._REGISTERED[first.__module__, "test.twice"]


def test_a_crash_is_ours_and_names_its_place():
    def crashing(n):
        return Outcome(True, {"quotient": 1 // n})

    known = registry.Fact("test.crash", crashing, "exact", "", False)
    found = registry.find(known, [{"n": 0}, {"n": 1}], registry.Inputs(None))
    assert [each.crash.split(" (")[0] for each in found] == [
        "ZeroDivisionError: integer division or modulo by zero"] * 2  # fmt: skip
    assert "test_failures.py:" in found[0].crash
    batch = registry.Fact(
        "test.batch", lambda many: iter([Outcome(True)] * len(many)), "exact", "", True
    )
    assert registry.find(batch, [{}, {}], registry.Inputs(None)) == [Outcome(True)] * 2
