"""The constants that suit a format: the error with rounding falls, and the claim stays the bound."""

import math
from fractions import Fraction

import pytest

from constructions.automata.families import hmm
from constructions.exports.order import Order, settle
from verify.bounds.decoder import word_bounds
from verify.bounds.decoder_rounding import exact_error, state_error
from verify.bounds.decoder_settings import (
    FormatError,
    coarser,
    descend,
    required_setting,
    setting_for_format,
    smaller,
)
from verify.bounds.floating import ONCE

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")


def chosen(length, name, form, levels=1):
    order = settle(Order(length, format=name, plain=True, levels=levels), words=True)
    facts = word_bounds(HMM, length)
    design = order.target.design(order.activation, plain=True, levels=levels)
    exact = required_setting(facts, Fraction(1, 10**6), design)
    return facts, exact, setting_for_format(facts, exact, ONCE[form])


@pytest.mark.parametrize("name", ["gpt2", "safetensors"])
def test_in_float32_a_coarser_step_has_a_smaller_certified_error(name):
    facts, exact, found = chosen(16, name, "float32")
    before, after = (state_error(facts, each.setting, ONCE["float32"]) for each in (exact, found))
    assert found.setting.design.fineness < exact.setting.design.fineness
    assert after < before / 4
    assert found.error == exact_error(facts, found.setting) < after, (
        "the claim is that of the setting"
    )


def test_no_neighbouring_step_is_better():
    facts, _, found = chosen(16, "safetensors", "float32")
    size = FormatError(facts, ONCE["float32"], False)
    step = found.setting.design.fineness
    finer = descend(found.setting, lambda _: None, size)
    assert finer == found.setting
    assert size(coarser(found.setting)) > size(found.setting)
    assert step > 1 and coarser(found.setting).design.fineness == step - 1


def test_where_no_bound_is_known_the_step_is_still_not_that_of_exact_arithmetic():
    facts, exact, found = chosen(256, "gpt2", "float32")
    assert math.isinf(FormatError(facts, ONCE["float32"], False)(found.setting))
    assert 1 < found.setting.design.fineness < exact.setting.design.fineness
    assert found.error < 1


def test_a_setting_without_a_step_or_a_norm_has_no_coarser_or_smaller_one():
    facts = word_bounds(HMM, 4)
    order = settle(Order(4), words=True)
    design = order.target.design(order.activation, plain=False, levels=1)
    gated = required_setting(facts, Fraction(1, 10**6), design).setting
    assert coarser(gated) is None is smaller(gated)
