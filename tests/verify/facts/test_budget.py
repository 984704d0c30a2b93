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
