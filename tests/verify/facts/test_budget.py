"""Constants that keep soft tree models within ε: found, run, and noticed when they are too small."""

from fractions import Fraction

import pytest

from constructions.blocks.smoothing import soft_transformer
from verify.facts import budget

MIXING = {
    "tensor": [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    "letters": {"a": ["1", "0"], "b": ["0", "1"], "c": ["1/2", "1/2"], "d": ["1/3", "2/3"]},
}


@pytest.mark.parametrize("construction", budget.CONSTRUCTIONS)
def test_explicit_constants_keep_all_small_trees_within_the_bound(construction):
    found = budget.error_is_within(construction, length=4, eps="1/1000", leaves=2, **MIXING)
    assert found.holds
    assert found.values["C"] > 1 < found.values["k"]


def test_a_bound_below_the_true_error_is_noticed(monkeypatch):
    monkeypatch.setattr(budget, "error_bound", lambda *_: Fraction(1, 10**60))
    found = budget.error_is_within("maskless", length=4, eps="1/1000", leaves=2, **MIXING)
    assert found.witness == {"string": "b", "bound": str(Fraction(1, 10**60))}


def test_a_saturation_that_is_too_small_is_noticed(monkeypatch):
    monkeypatch.setattr(budget, "soft_transformer", lambda model, c: soft_transformer(model, 2))
    found = budget.error_is_within("maskless", length=4, eps="1/1000", leaves=2, **MIXING)
    assert found.holds is False


def asked(bound, monkeypatch):
    """A model with such a bound, whose runs are all within it."""
    monkeypatch.setattr(budget, "error_bound", lambda *_: Fraction(bound))
    monkeypatch.setattr(budget.Smooth, "error", lambda *_: budget.flint.arb(0))
    return budget.error_is_within("maskless", length=4, eps="1/1000", leaves=1, **MIXING)


def test_a_bound_is_at_most_the_error_that_was_asked_for(monkeypatch):
    assert asked("1/1000", monkeypatch).holds
    found = asked("1/999", monkeypatch)
    assert (found.holds, found.witness) == (False, {"string": "", "bound": "1/999"})
