"""Rounding of the tree decoder: every computed token of every layer stays below the bound of its class."""

from dataclasses import replace
from fractions import Fraction

import flint
import pytest
import torch
from decoder_tree_support import all_trees, pairs, sizes_of_subtrees, streams
from grid_support import quick_or_full, share_of_grid

from constructions.arithmetic import Rational
from constructions.arithmetic.torch import Torch, measurement_mode
from constructions.automata.random_trees import random_wta, rational_wta
from constructions.automata.wta import WTA
from constructions.decoder_tree import build
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.order import Order, settle
from verify.automaton.inputs import trees
from verify.automaton.sampling import Measurement, attack
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_rounding import TreeDecoderErrors, state_error
from verify.bounds.floating import ONCE
from verify.bounds.norms import largest

LENGTH = 16
DTYPES = {"float64": torch.float64, "float32": torch.float32}
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": ["1/3", 1], "b": [5, 1]})
AUTOMATA = {"adder": ADDER, "mixed": random_wta(2, 5, denominator=2),
            "n = 1": rational_wta(1, 1, "ab"), "n = 2": rational_wta(2, 2, "ab"),
            "n = 3": rational_wta(3, 3, "ab"), "others": rational_wta(2, 17, "ab")}  # fmt: skip


def recursion(automaton, name, length=LENGTH):
    return TreeDecoderErrors.of(automaton, length, ONCE[name])


@pytest.mark.parametrize(
    ("kind", "name", "activation"), share_of_grid(AUTOMATA, DTYPES, ["silu", "relu"], one_in=3)
)
def test_no_computed_token_exceeds_the_bound_of_its_class_in_any_layer(kind, name, activation):
    """At a C whose leaks are far below rounding, so that only rounding is seen."""
    automaton, saturation, compared = AUTOMATA[kind], 60, set()
    bounds = list(recursion(automaton, name).errors_by_layer(Fraction(saturation)))
    for string in all_trees(quick_or_full(3, 5)):
        sizes = sizes_of_subtrees(string)
        hard = list(streams(automaton, string, Rational(), None, LENGTH))
        with measurement_mode():
            computed = Torch(DTYPES[name])
            rounded = list(streams(automaton, string, computed, saturation, LENGTH, activation))
        for layer, errors in enumerate(bounds):
            for place, rows in enumerate(zip(hard[layer], rounded[layer], strict=True)):
                for what, error, bound in pairs(*rows, sizes, place, errors):
                    assert error <= bound, (string, layer + 3, place, what)
                    compared.add(what)
    assert compared == {"f", "g", "c", "left", "b", "M"}


def model_of(automaton, length, saturation, name):
    order = settle(Order(length, eps="1e-3", dtype=name), words=False)
    simulation = build(automaton, length, order.activation, Fraction(saturation))
    return ExportModel(automaton, order, Constants(Fraction(saturation)), simulation)


@pytest.mark.parametrize(
    ("kind", "name", "length"), share_of_grid(AUTOMATA, DTYPES, [1, 4, 13, 28, 40], one_in=3)
)
def test_no_run_on_trees_that_are_chosen_to_be_hard_exceeds_the_bound(kind, name, length):
    automaton = AUTOMATA[kind]
    for saturation in (14, 40):
        model = model_of(automaton, length, saturation, name)
        errors = Measurement(model, dense=True).errors(list(trees(automaton, length).values()))
        try:
            bound = recursion(automaton, name, length).bound(Fraction(saturation))
        except TooSoft:
            continue
        assert largest(errors) <= bound


def test_an_attack_that_changes_leaves_does_not_exceed_the_bound():
    automaton = AUTOMATA["n = 2"]
    for name in DTYPES:
        found = attack(model_of(automaton, 22, 30, name), 3).error
        assert 0 < found <= recursion(automaton, name, 22).bound(Fraction(30))


def test_rounding_is_what_it_adds_to_softmax():
    exact = TreeDecoderErrors.of(AUTOMATA["n = 2"], LENGTH).bound(Fraction(14))
    double, single = (recursion(AUTOMATA["n = 2"], name).bound(Fraction(14)) for name in DTYPES)
    assert exact < double < exact * (1 + flint.arb("1e-8")) < single


def test_the_bound_of_a_format_with_sixteen_bits_more_is_exceeded():
    automaton = AUTOMATA["n = 2"]
    model = model_of(automaton, LENGTH, 40, "float32")
    seen = largest(Measurement(model, True).errors(list(trees(automaton, LENGTH).values())))
    assert seen <= recursion(automaton, "float32").bound(Fraction(40))
    finer = replace(ONCE["float32"], bits=40)
    assert seen > TreeDecoderErrors.of(automaton, LENGTH, finer).bound(Fraction(40))


def test_depths_and_scores_that_a_format_cannot_hold_are_refused():
    automaton = AUTOMATA["n = 1"]
    few = replace(ONCE["float32"], bits=11)
    with pytest.raises(TooSoft, match="depth may be off"):
        TreeDecoderErrors.of(automaton, 40, few).bound(Fraction(20))
    huge = WTA.of([1], [[["1e25"]]], {"a": ["1e-25"]})
    with pytest.raises(TooSoft, match="range of float32"):
        recursion(huge, "float32", 4).bound(Fraction(80))
    assert recursion(huge, "float64", 4).bound(Fraction(200)).is_finite()
    assert not state_error(automaton, 40, Fraction(20), few).is_finite()
    assert state_error(automaton, 40, Fraction(20), ONCE["float64"]).is_finite()
