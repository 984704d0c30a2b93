"""Facts that hold for the constructions, each seen to fail where something is wrong, or undecided."""

from fractions import Fraction
from types import SimpleNamespace

import flint
import numpy as np
import pytest

from constructions import decoder_tree
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from verify.facts import (
    algebra,
    authors_code,
    free_algebra,
    indices,
    logdepth,
    logdepth_invariant,
    pseudocode,
    registry,
    saturation,
    sequences,
    statistics,
    tables,
    training,
    tree_decoder_invariant,
    tree_heads,
    tree_states,
    units,
)
from verify.judge.outcome import Outcome

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
COIN = {"transitions": {"a": [["1/2"]], "b": [["1/3"]]}, "alpha": ["1"]}


def failing_at(function, place, wrong):
    """A function that is right except at some arguments."""
    return lambda *given: wrong if given == place else function(*given)


@pytest.mark.parametrize(("exponents", "power"), [((2, 1), 3), ((1,), 0), ((3,), 3)])
def test_a_monomial_that_is_not_singled_out_is_named(exponents, power, monkeypatch):
    right = units._isolates_monomial
    monkeypatch.setattr(units, "_isolates_monomial", failing_at(right, (exponents, power), False))
    found = units.differences(3)
    assert found == Outcome(False, {}, {"exponents": list(exponents), "power": power})


def test_exponents_are_listed_largest_first():
    assert list(units.exponent_shapes(3)) == [(3,), (2, 1), (1, 1, 1)]
    assert len(list(units.exponent_shapes(6))) == 11  # partitions of 6


@pytest.mark.parametrize("wrong", [{"units": 5, "bound": 0}, {"units": 4, "bound": 2}])
def test_a_multiplier_with_more_units_or_a_larger_error_is_named(wrong, monkeypatch):
    monkeypatch.setattr(units, "slim_multiplier", lambda *_: SimpleNamespace(**wrong))
    found = units.multiply(["tanh"], 1, "1", "1")
    assert found == Outcome(False, {}, {"activation": "tanh", "units": wrong["units"]})


def test_widths_beyond_the_printed_one_are_named(monkeypatch):
    assert units.multiplier_widths(3).holds
    monkeypatch.setattr(units, "printed_width", lambda n: 6 if n == 1 else 31)
    found = units.multiplier_widths(2)
    assert (found.holds, found.witness) == (False, {"too wide": [2]})
    monkeypatch.setattr(units, "slim_multiplier", lambda n, *_: SimpleNamespace(units=n))
    assert units.multiplier_widths(2).witness == {"too wide": []}


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


def test_a_sum_that_is_no_product_in_general_and_is_one_for_two_states_is_undecided(monkeypatch):
    monkeypatch.setattr(indices, "_is_product", lambda *_: False)
    lemma = [["i'", "i"], ["j'", "i''"], ["j''", "j"]]
    asked = ["i'", "j'"], ["i''", "j''"], ["i", "j"]
    assert indices.indicator_sum(lemma, *asked).holds is None
    found = indices.indicator_sum(lemma[1:], *asked)
    assert found.holds is False and found.witness["sum"] != found.witness["product"]


@pytest.mark.parametrize(
    ("call", "because"),
    [(lambda: pseudocode.element("sets", 1), "expected words or sums"),
     (lambda: pseudocode.combine("upwards"), "expected printed or repaired"),
     (lambda: pseudocode.pseudocode("half", "printed", "sums", 2), "expected printed or whole")],
)  # fmt: skip
def test_readings_that_are_not_known_are_refused(call, because):
    with pytest.raises(ValueError, match=because):
        call()
    assert (pseudocode.element("words", 2), pseudocode.element("sums", 3)) == ("c", 8)


def test_an_array_that_is_updated_upwards_fails_first_at_two_and_no_length_is_left_out():
    assert pseudocode.in_place("ascending", 1).holds
    assert pseudocode.in_place("ascending", 2).witness["n"] == 2
    assert pseudocode.pseudocode("whole", "repaired", "words", 5).holds
    for reading in (("printed", "repaired", "sums"), ("whole", "printed", "words")):
        first = pseudocode.pseudocode(*reading, 9).witness["n"]
        assert pseudocode.pseudocode(*reading, first).witness["n"] == first


def tie(*_, **__):
    raise logdepth.Tie("two rows score alike")


def test_a_tie_is_a_fault_and_names_where(monkeypatch):
    monkeypatch.setattr(sequences.generic, "prove_routing", tie)
    assert sequences.sources([4]) == Outcome(False, {}, {"T": 4, "row": -1})
    machine = logdepth.logdepth.build(ADDER, 4)
    monkeypatch.setattr(type(machine), "states", tie)
    found = logdepth._check_circle(next(iter(logdepth.Variant)), logdepth_machine(), 1)
    assert found.holds is False and "two rows score alike" in found.witness["fault"]


def logdepth_machine():
    """An automaton with vectors for the letters that the shapes are labelled with."""
    return WTA.of([1], [[[1]]], {letter: [1] for letter in "abcd"})


def test_a_tie_in_a_layer_is_a_fault_of_the_next_one(monkeypatch):
    simulation = logdepth.logdepth.build(logdepth_machine(), 4)
    right = logdepth_invariant.Pass.states

    def broken(self):
        yield next(iter(right(self)))
        raise logdepth.Tie("two rows score alike")

    monkeypatch.setattr(logdepth_invariant.Pass, "states", broken)
    found = logdepth_invariant.examine(simulation, logdepth.labelled_shapes(2))
    assert found.fault == "layer 1: two rows score alike"


def test_the_first_wrong_token_is_found_among_those_that_carry_a_subtree():
    wrong = np.array([[False, True, False], [False, True, True]])
    first = logdepth_invariant._first_token
    assert first(wrong) == (0, 1) and first(wrong & False) is None
    carries = np.full(wrong.shape, logdepth_invariant.OTHER)
    assert first(wrong, carries) is None
    carries[1, 2] = logdepth_invariant.OTHER + 1
    assert first(wrong, carries) == (1, 2)


def test_statistics_that_are_not_decided_are_no_answer(monkeypatch):
    column = tables.table(3).columns[0]
    rows = list(tables.table(3).rows)[:2]
    monkeypatch.setattr(statistics, "is_below", lambda *_: None)
    assert statistics.no_difference(3, {column: rows}, 10, "1/20").holds is None
    monkeypatch.setattr(statistics, "elbow", lambda *_: None)
    expected = {column: 2}
    assert statistics.bends_near_expectation(3, expected, 1, "linear").holds is None
    both = {"number": 3, "expected": expected}
    assert statistics.bends_farther_away(both, both, "linear").holds is None
    assert statistics.distance(3, expected, "linear") is None


@pytest.mark.parametrize(("near", "far", "holds"), [(3, 4, True), (4, 4, False), (4, 3, False)])
def test_bends_are_farther_only_where_their_mean_distance_is_larger(near, far, holds, monkeypatch):
    distances = {3: Fraction(near), 4: Fraction(far)}
    monkeypatch.setattr(statistics, "distance", lambda number, *_: distances[number])
    asked = [{"number": number, "expected": {}} for number in (3, 4)]
    assert statistics.bends_farther_away(*asked, "linear").holds is holds


@pytest.mark.parametrize("within", [0, 1])
def test_a_bend_is_near_within_so_many_units(within, monkeypatch):
    monkeypatch.setattr(statistics, "elbow", lambda *_: 3)
    column = tables.table(3).columns[0]
    found = statistics.bends_near_expectation(3, {column: 4}, within, "linear")
    assert found.holds is bool(within)


def test_a_table_is_compared_with_its_head_and_row_by_row():
    copy = SimpleNamespace(
        columns=("x", "y"), rows={"1": ("2", "3"), "4": ("5", "6")}, lines=(2, 5)
    )
    lines = ["title", r"n & x & y \\", "rule", r"1 & 2 & 3 \\", r"4 & 5 & 7 \\", "end"]
    found = list(tables._side_by_side(1, copy, lines))
    assert [name for name, *_ in found] == ["columns", "1", "4"]
    assert [name for name, ours, theirs in found if ours != theirs] == ["4"]


def test_a_cell_without_a_printed_deviation_is_refused(monkeypatch):
    monkeypatch.setattr(training, "record", lambda *_: ({}, {}))
    for printed in (None, SimpleNamespace(deviation="")):
        monkeypatch.setattr(training, "value_of", lambda _, printed=printed: printed)
        with pytest.raises(InputError, match="a cell printed with its deviation"):
            training.cell_agrees("layers-T16-L2", 1, 10, "2", "1/20", "1")


def oracle(string="[ab]"):
    """A tree decoder's run on a tree: what it must hold, its stream, and its layout."""
    from constructions.automata.trees import parse

    simulation = decoder_tree.build(ADDER, len(string), "relu")
    tree = parse(tuple(string))
    assert tree_decoder_invariant.first_violation(simulation, tree) is None
    rows = tree_decoder_invariant.Rational().array(simulation.encode(tuple(string)))
    return tree_decoder_invariant._Oracle(simulation, tree, tuple(string)), rows


@pytest.mark.parametrize("name", tree_decoder_invariant.FIXED)
def test_a_fixed_coordinate_that_was_written_is_named(name):
    expected, start = oracle()
    changed = start.copy()
    changed[2, expected.layout.at(name)] += 1
    found = expected.violated(changed, start, 1)
    assert f"layer 1: {name} was written" in str(found)


@pytest.mark.parametrize("name", tree_decoder_invariant.SCRATCH)
def test_a_scratch_coordinate_that_is_left_is_named_from_the_third_layer_on(name):
    expected, start = oracle()
    changed = start.copy()
    changed[2, expected.layout[name][-1]] += 1
    assert f"{name} is not 0" in str(expected.violated(changed, start, 3))
    assert "is not 0" not in str(expected.violated(changed, start, 2))


@pytest.mark.parametrize(
    ("coordinate", "what"), [("state", "another state"), ("known", "another mark")]
)
def test_a_leaf_with_another_state_or_mark_is_named(coordinate, what):
    expected, start = oracle()
    assert expected.violated(start, start, 1) is None
    changed = start.copy()
    changed[2, expected.layout[coordinate][0]] -= 1
    assert f"layer 1, position 2: {what}" in str(expected.violated(changed, start, 1))


def test_a_score_without_a_gap_of_one_is_named():
    head = SimpleNamespace(query=SimpleNamespace(shape=(3, 1)), name="near")
    scores = [[0], [3, 4, 9], [1, 7, Fraction(13, 2)]]
    found = tree_decoder_invariant._score_without_gap(head, scores, 2)
    assert "layer 2, head near: gap 1/2" in str(found)
    assert tree_decoder_invariant._score_without_gap(head, scores[:2], 2) is None
    mean = SimpleNamespace(query=SimpleNamespace(shape=(3, 0)), name="mean")
    assert tree_decoder_invariant._score_without_gap(mean, scores, 2) is None


def test_offsets_that_are_far_for_other_numbers_of_terms_are_undecided(monkeypatch):
    far = {0: [1], 3: [2]}
    monkeypatch.setattr(tree_heads, "_far_offsets", lambda step, length, k, slack: far[k])
    assert tree_heads.near_step("literal", [4], [0, 3], "1/2") == Outcome(None, {"T": 4})
    far[3] = [-3, 1, 3]
    far[0] = [-3, 1, 3, 4]
    found = tree_heads.near_step("literal", [4], [0, 3], "1/2")
    assert found.witness == {"T": 4, "offset": 3, "step": 1}
    far[3] = []
    assert tree_heads.near_step("literal", [4, 7], [0, 3], "1/2").values == {"offsets": 20}


def test_scores_and_errors_that_digits_do_not_decide_are_no_answer(monkeypatch):
    near = lambda *_: flint.arb(0, 1)  # noqa: E731
    monkeypatch.setattr(tree_heads.PrintedHead, "nearness", near)
    with pytest.raises(tree_heads.Undecided, match="T = 4, offsets 2, 1"):
        tree_heads._first_failure(1, 7)
    monkeypatch.setattr(tree_heads, "_depth_error", lambda *_: flint.arb("0.5", "0.1"))
    with pytest.raises(tree_heads.Undecided, match="the largest error at 256 bits"):
        tree_heads._largest_error(2, 64)


def test_a_head_that_is_undecided_looks_at_its_own_position(monkeypatch):
    right = tree_states.PrintedHead.target

    def undecided(self, i, symbols):
        if i == 3:
            raise tree_states.Undecided("a tie")
        return right(self, i, symbols)

    before = tree_states.exact_heads("[ab]")
    monkeypatch.setattr(tree_states.PrintedHead, "target", undecided)
    assert tree_states.exact_heads("[ab]") == {**before, 3: 3}


def test_half_of_the_least_constant_is_what_fails(monkeypatch):
    """The word that is named is one at C/2, not at another share of C."""
    asked = []
    monkeypatch.setattr(saturation, "_least_constant", lambda *_: 7)
    beyond = lambda wfa, length, constant, eps: asked.append((length, constant, eps)) or "ab"  # noqa: E731
    monkeypatch.setattr(saturation, "_word_beyond", beyond)
    found = saturation.least_saturation({"coin": COIN}, [2, 4], "1/100")
    assert asked == [(2, Fraction(7, 2), Fraction(1, 100)), (4, Fraction(7, 2), Fraction(1, 100))]
    assert (found.holds, found.values["failing"]) == (True, {"coin": ["ab", "ab"]})
    monkeypatch.setattr(saturation, "_word_beyond", lambda *_: None)
    found = saturation.least_saturation({"coin": COIN}, [2], "1/100")
    assert (found.holds, found.witness) == (None, {"automaton": "coin", "T": 2, "C": 7})


def test_a_closed_form_that_does_not_keep_the_error_is_named(monkeypatch):
    right = saturation.uniform_bounds

    def larger(automaton, length):
        bounds = right(automaton, length)
        return SimpleNamespace(closed_form=bounds.closed_form, states=lambda _: flint.arb("0.01"))

    monkeypatch.setattr(saturation, "uniform_bounds", larger)
    found = saturation.closed_form({"coin": COIN}, [2], "1/100")
    assert found.holds is False and found.witness["T"] == 2
    assert saturation.closed_form({"coin": COIN}, [2], "1/99").holds


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


def nothing(*_):
    return None


def test_a_size_that_is_wrong_at_the_last_number_alone_is_named(monkeypatch):
    """Each fails at 2, and holds where only 1 is asked for."""
    right = tree_states.random_wta
    larger = lambda n, seed: right(n + (n == 2), seed)  # noqa: E731
    asked = {"lengths": [4], "embedding": "n+6", "heads": 3, "depth": "2+h"}
    assert tree_states.model_sizes("masked", 2, **asked).values == {"models": 2}
    monkeypatch.setattr(tree_states, "random_wta", larger)
    assert tree_states.model_sizes("masked", 1, **asked).holds
    assert tree_states.model_sizes("masked", 2, **asked).witness["n"] == 2
    units = tree_states.hidden_units(2, "n + 99").values["units"]
    assert tree_states.hidden_units(2, str(units[1])).holds
    found = tree_states.hidden_units(2, str(units[1] - 1))
    assert (found.holds, found.witness) == (False, {"n": 2, "units": units[1]})
