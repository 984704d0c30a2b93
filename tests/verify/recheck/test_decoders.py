"""The decoder's confirmations agree with its facts and refuse what is out of range."""

import pytest
from confirm_support import Case, Questions

from verify.facts import decoders as facts
from verify.recheck.errors import Refused
from verify.recheck.kinds import decoders

CASES = [
    Case("decoder.words", facts.words, {"most": 6}),
    Case("decoder.states", facts.states, {"states": [1, 2], "lengths": [1, 3]}),
    Case("decoder.layer", facts.layer, {"states": [1]}),
    Case("decoder.heads", facts.heads, {"most": 6}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_all_are_true_and_by_exact_methods():
    assert all(case.found.holds for case in CASES)
    assert {decoders.CONFIRM[case.name][0] for case in CASES} == {"exact"}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("decoder.words", {"most": 0}),
        ("decoder.words", {"most": 10**9}),
        ("decoder.states", {"states": [], "lengths": [1]}),
        ("decoder.states", {"states": [0], "lengths": [1]}),
        ("decoder.states", {"states": [1], "lengths": [10**9]}),
        ("decoder.layer", {"states": []}),
        ("decoder.heads", {"most": -1}),
    ],
)
def test_sizes_that_say_nothing_or_take_long_are_refused(name, parameters):
    with pytest.raises(Refused):
        decoders.CONFIRM[name][1](parameters, {})


def test_a_product_in_the_other_order_would_be_refused(monkeypatch):
    right = decoders.times
    monkeypatch.setattr(decoders, "times", lambda x, y: right(y, x))
    with pytest.raises(Refused):
        decoders.words({"most": 4}, {})


@pytest.mark.parametrize("wrong", [lambda j, t, s: j, lambda j, t, s: -abs(j - t + s) // 3])
def test_scores_whose_largest_is_elsewhere_or_not_alone_would_be_refused(wrong, monkeypatch):
    monkeypatch.setattr(decoders, "score", wrong)
    with pytest.raises(Refused, match="attends elsewhere"):
        decoders.heads({"most": 4}, {})


def test_a_product_of_sums_that_is_none_would_be_refused(monkeypatch):
    monkeypatch.setattr(decoders, "times", lambda x, y: decoders.add(x, y))
    with pytest.raises(Refused, match="the product differs"):
        decoders.layer({"states": [1]}, {})
