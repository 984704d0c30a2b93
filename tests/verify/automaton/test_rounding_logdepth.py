"""Rounding of the log-depth model by leaves: never exceeded, close, and each part of it is needed."""

from dataclasses import replace

import pytest

from constructions import logdepth
from constructions.automata.random_trees import rational_wta
from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.order import Order, settle
from verify.automaton import soft
from verify.automaton.inputs import trees
from verify.automaton.losses_logdepth import LocalLosses
from verify.automaton.rounding_logdepth import Followed, state_error
from verify.automaton.rounding_trees import state_error as general_error
from verify.automaton.sampling import Measurement
from verify.bounds.floating import FORMATS
from verify.bounds.norms import largest
from verify.bounds.reachable import reachable_bounds

DOUBLE, SINGLE = FORMATS[:2]
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": ["1/3", 1], "b": [5, 1]})


def worst_run(automaton, length, name, dense):
    order = settle(Order(length, "logdepth", dtype=name), words=False)
    model = ExportModel(automaton, order, Constants(), logdepth.build(automaton, length))
    chosen = list(trees(automaton, length).values())
    return largest(Measurement(model, dense).errors(chosen))


def bound(automaton, length, form):
    return state_error(form, reachable_bounds(automaton, most_leaves(length)), length)


AUTOMATA = [*(rational_wta(n, seed, "ab") for n, seed in ((1, 1), (2, 2), (3, 3), (2, 11))), ADDER]


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("form", [DOUBLE, SINGLE], ids=["float64", "float32"])
@pytest.mark.parametrize("automaton", AUTOMATA)
def test_no_run_exceeds_the_bound(automaton, form, dense):
    for length in (1, 4, 13):
        assert not worst_run(automaton, length, form.name, dense) > bound(automaton, length, form)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_bound_is_some_ten_times_what_is_found_not_a_million_times(n):
    automaton, length = rational_wta(n, n, "ab"), 22
    found = worst_run(automaton, length, "float64", dense=True)
    certified = bound(automaton, length, DOUBLE)
    assert found < certified < 120 * found
    assert certified * 1000 < general_error(DOUBLE, soft.subjects(automaton, length)["logdepth"])


@pytest.mark.parametrize("part", ["split", "jump", "base", "product"])
def test_every_rounding_counts(monkeypatch, part):
    """Half of the part's rounding missing makes the bound of a tree with six leaves smaller."""
    found = reachable_bounds(rational_wta(2, 2, "ab"), 6)
    method = getattr(LocalLosses, part)
    monkeypatch.setattr(LocalLosses, part, lambda self, *sizes: method(self, *sizes) / 2)
    less, least = LocalLosses(DOUBLE, found), state_error(DOUBLE, found, 16)
    Followed(less, found.contexts).run(less)
    monkeypatch.undo()
    more, most = LocalLosses(DOUBLE, found), state_error(DOUBLE, found, 16)
    Followed(more, found.contexts).run(more)
    pairs = list(zip(less.errors + less.maps, more.errors + more.maps, strict=True))
    assert all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)
    assert least <= most


def test_where_pointers_are_not_exact_or_numbers_overflow_nothing_is_certified():
    automaton = rational_wta(2, 2, "ab")
    few = replace(DOUBLE, bits=6)
    assert not bound(automaton, 16, few).is_finite()
    assert bound(automaton, 13, few).is_finite()
    huge = WTA.of([1], [[["1e150"]]], {"a": ["1e50"]})
    assert bound(huge, 1, DOUBLE).is_finite() and not bound(huge, 4, DOUBLE).is_finite()
