"""The re-checker runs the soft model in fixed-point intervals and decides every comparison again."""

from fractions import Fraction

import flint
import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import soft_attention as facts
from verify.recheck.kernel import soft

COUNTING = {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]}
ERROR = {"letters": {"a": "2"}, "word": "aaaa", "saturation": "64", "layer": 2}
STATES = {"alpha": "1", "weight": "2", "word": "aaaa", "saturation": "16"}
CASES = [
    ("softmax.leak", facts.softmax_leak, {"lengths": [1, 2, 4], "factors": ["1/4", "4"]}),
    ("soft.error", facts.soft_error, {**ERROR, "against": "redefined"}),
    ("soft.error", facts.soft_error, {**ERROR, "against": "corrected"}),
    ("soft.states", facts.soft_states, {**STATES, "factor": "1"}),
    ("soft.states", facts.soft_states, {**STATES, "factor": "readout"}),
    ("soft.sweep", facts.soft_sweep, {"letters": {"a": "2"}, "word": "aaaa", "constants": ["20"]}),
    ("soft.all-words", facts.soft_all_words,
     {"transitions": COUNTING, "length": 2, "constants": ["8", "16"]}),
    ("soft.ratios", facts.soft_ratios, {"weights": ["2", "-1"], "lengths": [2, 4], "factor": "4"}),
    ("soft.ratios", facts.soft_ratios, {"weights": ["-1"], "lengths": [2, 4], "factor": "1"}),
    ("soft.grows", facts.soft_grows, {"weight": "2", "saturation": "1", "lengths": [2, 4, 8]}),
    ("soft.grows", facts.soft_grows, {"weight": "-1", "saturation": "1", "lengths": [4, 8]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact, parameters):
    assert confirmed(name, fact(**parameters), parameters)


def changed(value):
    """The same value with its first number changed by one part in a thousand, or by one."""
    if isinstance(value, dict):
        first, *_ = [name for name in value if name not in ("label", "x")]
        return {**value, first: changed(value[first])}
    if isinstance(value, list):
        return [changed(value[0]), *value[1:]]
    if isinstance(value, int):
        return value + 1
    return str(float(value) * 1.001)


@pytest.mark.parametrize(("name", "fact", "parameters"), CASES)
def test_a_flipped_outcome_a_changed_value_and_a_changed_witness_are_refused(
    name, fact, parameters
):
    stated = certificate(fact(**parameters))
    assert refused(name, parameters, **{**stated, "holds": not stated["holds"]})
    assert refused(name, parameters, **{**stated, "values": changed(stated["values"])})
    assert refused(name, parameters, **{**stated, "witness": {"word": "bbbb"}})


SWEEP = {"letters": {"a": "2"}, "word": "aaaa", "constants": ["20"]}
WRONG = [
    ("soft.error", {**ERROR, "against": "redefined", "layer": 3}, "layer 3"),
    ("soft.error", {**ERROR, "against": "other"}, "against"),
    ("soft.error", {**ERROR, "against": "printed", "word": ""}, "length 0"),
    ("soft.error", {**ERROR, "against": "printed", "word": "a" * 17}, "length 17"),
    ("soft.error", {**ERROR, "against": "printed", "word": "ab"}, "no weight"),
    ("soft.error", {**ERROR, "against": "printed", "saturation": "1000000000"}, "C = "),
    ("soft.error", {**ERROR, "against": "printed", "saturation": "-1"}, "C = "),
    ("soft.error", {**ERROR, "against": "printed", "letters": {}}, "letters"),
    ("soft.error", {**ERROR, "against": "printed", "letters": {"a": "1e9"}}, "rational"),
    ("soft.sweep", {**SWEEP, "constants": []}, "constants"),
    ("soft.sweep", {**SWEEP, "constants": ["20", "20"]}, "increasing"),
    ("softmax.leak", {"lengths": [], "factors": ["1"]}, "lengths"),
    ("softmax.leak", {"lengths": [4, 4], "factors": ["1"]}, "increasing"),
    ("softmax.leak", {"lengths": [0], "factors": ["1"]}, "length 0"),
    ("softmax.leak", {"lengths": [10**9], "factors": ["1"]}, "length"),
    ("soft.all-words", {"transitions": COUNTING, "length": 8, "constants": ["8"]}, "64 words"),
    ("soft.all-words", {"transitions": {}, "length": 2, "constants": ["8"]}, "transitions"),
    ("soft.all-words", {"transitions": {"a": [["1", "2"]]}, "length": 2, "constants": ["8"]},
     "matrix"),
    ("soft.ratios", {"weights": [], "lengths": [2], "factor": "4"}, "weights"),
    ("soft.grows", {"weight": "2", "saturation": "1", "lengths": [2]}, "at least two"),
    ("soft.states", {**STATES, "factor": "2"}, "factor"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "because"), WRONG)
def test_parameters_that_say_nothing_or_too_much_are_refused(name, parameters, because):
    from verify.recheck import kinds
    from verify.recheck.errors import Refused

    values = {"leaks": ["1"], "curves": [], "errors": ["1"]}
    with pytest.raises(Refused, match=because):
        kinds.confirmations()[name][1](
            parameters, {"holds": True, "values": values, "witness": None}
        )


def test_unknown_and_missing_fields_are_refused():
    refuses("soft.error", {**ERROR, "against": "printed", "more": 1}, "not known")
    refuses("soft.sweep", {"letters": {"a": "2"}, "word": "aa"}, "missing")


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 7), Fraction(37, 3), Fraction(200)])
@pytest.mark.parametrize("bits", [64, 300])
def test_the_kernel_encloses_the_exponential(x, bits):
    low, high = soft._decay(x, bits, up=False), soft._decay(x, bits, up=True)
    with flint.ctx.workprec(1000):
        value = (-flint.arb(flint.fmpq(x.numerator, x.denominator))).exp() * flint.arb(2) ** bits
        assert flint.arb(low) <= value <= flint.arb(high)
    assert high - low <= 2


def test_the_kernel_encloses_the_norm_of_a_matrix():
    low, high = soft.spectral([soft.fixed(Fraction(x), 100) for x in (3, 4, 0, 5)])
    assert Fraction(low, 1 << 100) ** 2 <= 45 <= Fraction(high, 1 << 100) ** 2
    assert high - low < 8
