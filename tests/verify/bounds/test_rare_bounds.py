"""Bounds beyond the limits of work, without a finite value, and in parts that can be counted by hand."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import flint
import pytest
from approved_support import agree_with_approved, plain_data

from constructions import decoder, logdepth, theorem3
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from verify.bounds import (
    budget,
    format_setting,
    language,
    reachable,
    scaled,
    state_sizes,
    tree_budget,
)
from verify.bounds import decoder as bounds
from verify.bounds import logdepth as logdepth_bounds

APPROVED = Path(__file__).with_suffix(".json")
SIGNED = WFA.of([1, "-1/2"], {"a": [["1/2", -1], [0, "2/3"]], "b": [[0, 1], ["-1/2", 0]]}, [1, 2])
HALVES = WFA.of(
    [1, 2], {"a": [["1/2", "1/4"], ["1/3", "2/3"]], "b": [["1/5", 1], ["1/2", "1/8"]]}, [1, "1/2"]
)
LEAVES = WTA.of([1, 0], [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
EPS = Fraction(1, 1000)


def test_a_matrix_has_the_digits_of_its_common_denominator_and_of_its_largest_numerator():
    half, third = flint.fmpq(1, 2), flint.fmpq(-5, 3)  # 3/6 and -10/6
    assert reachable.digits(flint.fmpq_mat([[half, third]])) == 3 + 4
    assert reachable.digits(flint.fmpq_mat([[-255, 1]])) == 1 + 8
    assert reachable.digits(flint.fmpq_mat([[3 * half]])) == 2 + 2
    assert len(reachable.distinct([flint.fmpq_mat([[half]]), flint.fmpq_mat([[half]])])) == 1


@pytest.mark.parametrize("limit", [1, 3, 8, 512])
def test_states_and_contexts_are_listed_as_long_as_they_are_few(limit, monkeypatch):
    monkeypatch.setattr(reachable, "LISTED", limit)
    found = reachable.reachable_bounds(LEAVES, 4)
    agree_with_approved(APPROVED, f"reachable, {limit} listed", plain_data(found))


def test_siblings_beyond_the_entrywise_bound_are_unbounded(monkeypatch):
    found = reachable.Reach(LEAVES, 4)
    monkeypatch.setattr(reachable, "entrywise_leaves", lambda n: 3)
    assert found._entrywise_sibling(3).is_finite() and not found._entrywise_sibling(4).is_finite()


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("name", ["signed", "halves"])
def test_sizes_beyond_the_limits_of_work_are_as_approved(name, weights, monkeypatch):
    automaton = {"signed": SIGNED, "halves": HALVES}[name]
    monkeypatch.setattr(state_sizes, "MOST_WORK", 2 * 2 * 2 * (2 + state_sizes.PYTHON) * 2)
    monkeypatch.setattr(state_sizes, "LONGEST_PRODUCTS", 3)
    found = state_sizes.word_sizes(automaton, 6, weights)
    agree_with_approved(APPROVED, f"sizes of {name}, {weights}", plain_data(found))
    for t in range(7):
        for number in range(2**t):
            word = [("a", "b")[number >> k & 1] for k in range(t)]
            with flint.ctx.workprec(128):
                assert found.least[t] <= size_of(automaton, word, weights).upper()
                assert size_of(automaton, word, weights).lower() <= found.greatest[t]


def size_of(automaton, word, weights):
    """The size of a weight, or of a state."""
    numbers = [automaton.weight(word)] if weights else automaton.states(word)[-1]
    return sum((ball(Fraction(x)) ** 2 for x in numbers), flint.arb(0)).sqrt()


def test_weights_with_a_negative_end_have_no_lower_bound():
    negative = replace(HALVES, beta=(Fraction(1), Fraction(-1)))
    assert all(size == 0 for size in state_sizes.word_sizes(negative, 3, True).least)
    assert any(size > 0 for size in state_sizes.word_sizes(negative, 3, False).least)


@pytest.mark.parametrize("few", [2, 9])
def test_least_states_of_trees_are_bounded_up_to_a_number_of_leaves(few, monkeypatch):
    monkeypatch.setattr(state_sizes, "entrywise_leaves", lambda n: few)
    found = [[float(x) for x in row] for row in state_sizes._least_states(LEAVES, 3)]
    assert found[0] == [pytest.approx(0.2), pytest.approx(0.5)]
    assert (found[2] == [0, 0]) is (few == 2) and min(found[1]) > 0
    negative = WTA.of([1], [[[-1]]], {"a": [1]})
    assert [[float(x) for x in row] for row in state_sizes._least_states(negative, 2)] == [[0], [0]]


def test_a_constant_is_made_smaller_by_windows_only_where_they_keep_the_error():
    needed = SimpleNamespace(constant=Fraction(64), error=None)
    half = SimpleNamespace(states=lambda c: flint.arb(1) / flint.arb(int(c * 64)) * 64)
    assert scaled._by_windows(needed, half, flint.arb(1), Fraction(1, 1000)) is needed
    made = scaled.least_saturation(counting(), 4, EPS)
    windows = SimpleNamespace(
        states=lambda c: flint.arb(1) if c < made.constant / 4 else flint.arb(0)
    )
    smaller = scaled._by_windows(made, windows, flint.arb(1), EPS)
    assert smaller.constant == made.constant / 4


def test_a_readout_of_nothing_has_no_error_whatever_the_window_holds():
    found = bounds.word_bounds(replace(counting(), alpha=(0, 0)), 4)
    setting = bounds.Setting(decoder.Design("silu"), Fraction(1, 100))
    assert bounds.state_error(found, setting) == 0


def test_a_state_without_a_finite_bound_is_too_soft(monkeypatch):
    subject = tree_budget.subject(theorem3.build(LEAVES, 7))
    recursion = budget.BudgetRecursion(subject)
    assert recursion.within(1 << 20, Fraction(1)) and recursion.bound(1 << 20) > 0
    endless = lambda self, errors, saturation: [flint.arb("inf")] * len(errors)  # noqa: E731
    monkeypatch.setattr(budget.BudgetStep, "after", endless)
    with pytest.raises(budget.TooSoft, match="no finite bound on a state"):
        recursion.bound(1 << 20)
    assert not recursion.within(1 << 20, Fraction(1))


def test_positions_on_the_circle_have_no_integer_scores():
    from constructions.logdepth import Scheme

    with pytest.raises(InputError, match="expected integers"):
        logdepth_bounds.subject(logdepth.build(LEAVES, 4, Scheme.CIRCLE))


def setting(fineness=4, large=8):
    return bounds.Setting(SimpleNamespace(fineness=fineness, large=large), Fraction(1))


def test_settings_become_coarser_and_smaller_down_to_one(monkeypatch):
    make = lambda made, **changes: SimpleNamespace(**{**vars(made), **changes})  # noqa: E731
    monkeypatch.setattr(format_setting, "replace", make)
    assert format_setting.coarser(setting(2)).design.fineness == 1
    assert (
        format_setting.coarser(setting(1)) is None and format_setting.coarser(setting(None)) is None
    )
    assert format_setting.smaller(setting(large=9)).design.large == 4
    assert format_setting.smaller(setting(large=1)) is None


def test_a_descent_goes_on_while_it_is_no_worse():
    sizes = {8: 5.0, 4: 5.0, 2: 3.0, 1: 4.0}
    halved = lambda number: number // 2 if number > 1 else None  # noqa: E731
    assert format_setting.descend(8, halved, sizes.__getitem__) == 2
    assert format_setting.descend(1, halved, sizes.__getitem__) == 1
    assert format_setting.descend(2, halved, sizes.__getitem__) == 2


def test_without_a_bound_in_any_format_the_given_setting_stays(monkeypatch):
    monkeypatch.setattr(format_setting, "descend", lambda chosen, step, size: chosen)
    monkeypatch.setattr(format_setting, "state_error", lambda *_: flint.arb(7))
    form = SimpleNamespace(bits=24)
    monkeypatch.setattr(format_setting, "replace", lambda form, bits: SimpleNamespace(bits=bits))
    choice = bounds.CertifiedSetting("given", flint.arb(0), flint.arb(1))
    for enough in (24, 30, 53, 54):
        size = lambda found, own, unscaled, enough=enough: (  # noqa: E731
            lambda _: 0.0 if own.bits >= enough else float("inf"))  # fmt: skip
        monkeypatch.setattr(format_setting, "FormatError", size)
        found = format_setting.setting_for_format(None, choice, form)
        assert (found is choice) is (enough == 54)


def test_spreads_of_logits_are_sums_over_states():
    logits = Matrix.dense([[1, -3, 5], [Fraction(1, 2), 7, 0]])
    spreads = language.LogitSpreads.of(logits)
    assert (spreads.any, spreads.possible, spreads.any_size) == (15, 15, 10)  # |-3 - 5| + |7 - 0|
    found = spreads.errors(flint.arb(1), 1)
    assert (float(found.any), float(found.possible)) == (35, 35)
    low = language.LogitSpreads.of(Matrix.dense([[1, language.LOW, 5], [2, language.LOW, 0]]))
    assert (low.possible, low.any, low.possible_size) == (6, 85, 5)
    assert (float(low.errors(flint.arb(2)).possible), float(low.errors(flint.arb(2)).any)) == (
        12,
        170,
    )


def test_a_digital_block_without_a_slope_has_no_bound():
    plain = bounds.Setting(decoder.Design("gelu", fineness=4), Fraction(80))
    errors = language.DigitalErrors(flint.arb(0), flint.arb(0))
    assert language._digital_step(2, 4, plain, errors) is None
    assert language.digital_logit_error(2, 4, 1, plain, Matrix.identity(2)) is language.UNKNOWN
