"""The decoder's confirmations agree with its facts and refuse what is out of range."""

import pytest

from verify.facts import decoders as facts
from verify.recheck.errors import Refused
from verify.recheck.kinds import decoders

CASES = {
    "decoder.words": (facts.words, {"most": 6}),
    "decoder.states": (facts.states, {"states": [1, 2], "lengths": [1, 3]}),
    "decoder.layer": (facts.layer, {"states": [1]}),
    "decoder.heads": (facts.heads, {"most": 6}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_confirmation_agrees_with_its_fact(name):
    fact, parameters = CASES[name]
    method, confirm = decoders.CONFIRM[name]
    assert method == "exact"
    assert confirm(parameters, {}).holds is fact(**parameters).holds is True


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
