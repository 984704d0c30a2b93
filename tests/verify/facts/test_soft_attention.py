"""Soft attention: each fact is seen to hold, to fail, and to notice a changed formula."""

from math import cos, exp, pi

import flint
import pytest

from verify.bounds import leak, recursion
from verify.facts import soft_attention as soft

COUNTING = {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]}
TWO = {"letters": {"a": "2"}, "word": "aaaa", "saturation": "64", "layer": 2}
UNITARY = {"letters": {"a": "-1", "b": "1"}, "word": "aaab", "saturation": "16", "layer": 2}


def test_the_leak_is_positive_and_below_its_ceiling_from_length_one_on():
    assert soft.softmax_leak([1, 2, 4], ["1/4", "1"]).holds


def test_a_ceiling_that_forgets_how_many_positions_there_are_is_exceeded(monkeypatch):
    ceiling = leak.ceiling
    monkeypatch.setattr(leak, "ceiling", lambda c, span: ceiling(c, span) / (2 * span))
    assert soft.softmax_leak([2, 4], ["1"]).witness == {"length": 2, "saturation": "4"}


@pytest.mark.parametrize("against", ["printed", "stepwise", "redefined"])
def test_weight_two_violates_equation_one_in_every_reading(against):
    found = soft.soft_error(**TWO, against=against)
    assert found.holds is False
    assert float(found.witness["error"]) > float(found.witness["bound"])


@pytest.mark.parametrize("case", [TWO, UNITARY])
def test_the_corrected_bound_is_kept_where_the_printed_one_is_not(case):
    assert soft.soft_error(**case, against="corrected").holds


def test_weights_of_norm_one_violate_the_iterated_bound_and_not_the_redefined_one():
    assert soft.soft_error(**UNITARY, against="printed").holds is False
    assert soft.soft_error(**UNITARY, against="redefined").holds


def test_the_first_layer_keeps_the_bound_for_weight_two_and_not_for_one_half():
    first = {"word": "aa", "saturation": "4", "layer": 1, "against": "printed"}
    assert soft.soft_error(letters={"a": "2"}, **first).holds
    assert soft.soft_error(letters={"a": "1/2"}, **first).holds is False


def errors_by_position(weights, constant):
    """The first layer's error at each position, one state, written out anew in floats."""
    span = len(weights)
    tokens = dict.fromkeys(range(1 - span, 1), 1.0) | dict(enumerate(weights, 1))

    def read(place):
        scores = {t: exp(constant * (cos(pi * (place - t) / span) - 1)) for t in tokens}
        return sum(scores[t] * tokens[t] for t in tokens) / sum(scores.values())

    return {
        t: abs(read(t - 1) * read(t) - tokens[t - 1 if t > 1 - span else span] * tokens[t])
        for t in tokens
    }


def test_where_a_pad_meets_a_letter_the_printed_m_is_too_small():
    case = {"letters": {"a": "1/8", "b": "3/8"}, "word": "abbb", "saturation": "16", "layer": 1}
    found = soft.soft_error(**case, against="printed")
    errors = errors_by_position([1 / 8, 3 / 8, 3 / 8, 3 / 8], 16)
    assert found.holds is False and soft.soft_error(**case, against="corrected").holds
    assert max(errors, key=errors.get) == 1, "position 1 multiplies the pad at 0 by the letter a"
    assert float(found.witness["error"]) == pytest.approx(errors[1], rel=1e-5)


def test_a_recursion_that_forgets_the_attention_error_is_violated(monkeypatch):
    corrected = recursion.corrected_errors

    def forgetful(norms, shares, mlp):
        return corrected(norms, [shares[0], *([0] * 9)][: len(norms)], mlp)

    monkeypatch.setattr(recursion, "corrected_errors", forgetful)
    assert soft.soft_error(**UNITARY, against="corrected").holds is False


def test_an_unknown_right_side_is_an_error():
    with pytest.raises(ValueError, match="against"):
        soft.soft_error(**TWO, against="bits")


def test_the_states_miss_by_more_than_one_product_and_by_less_than_the_readout_allows():
    case = {"alpha": "1", "weight": "2", "word": "aaaa", "saturation": "16"}
    assert soft.soft_states(**case, factor="1").holds is False
    assert soft.soft_states(**case, factor="readout").holds


def test_the_ratio_of_weight_two_is_two_twelve_and_1024():
    found = soft.soft_ratios(["2"], [4, 8, 16], "25")
    ratios = [round(float(y)) for y in found.values["curves"][0]["y"]]
    assert ratios == [2, 12, 1024]
    assert found.holds is False
    assert found.witness["T"] == 16


def test_weight_minus_one_keeps_the_iterated_bound_at_powers_of_two():
    assert soft.soft_ratios(["-1"], [2, 4, 8], "4").holds


def test_the_error_of_weight_two_grows_at_a_fixed_c_and_that_of_minus_one_does_not():
    assert soft.soft_grows("2", "1", [2, 4, 8]).holds
    assert soft.soft_grows("-1", "1", [4, 8]).holds is False


def test_overlapping_balls_decide_nothing():
    wide = flint.arb(1, "0.5")
    assert soft.is_at_most(wide, flint.arb(1)) is None


def test_an_automaton_begins_and_ends_anywhere_unless_it_is_said_where():
    found = soft.automaton(COUNTING)
    assert (found.alpha, found.beta) == ((1, 1), (1, 1))
    assert soft.automaton(COUNTING, ["0", "1"]).alpha == (0, 1)


@pytest.mark.parametrize(("given", "holds"), [("0", False), ("1", True), ("2", True), ("3", False)])
def test_a_leak_is_above_zero_and_at_most_its_ceiling(given, holds, monkeypatch):
    monkeypatch.setattr(leak, "leak", lambda *_: flint.arb(given))
    monkeypatch.setattr(leak, "ceiling", lambda *_: flint.arb(2))
    assert soft.softmax_leak([2], ["1"]).holds is holds
