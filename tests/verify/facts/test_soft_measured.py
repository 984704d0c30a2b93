"""Outcomes of the runs of Theorem 2's model, and faults of these runs that are noticed."""

import flint
import pytest

from verify.bounds import leak, measured
from verify.facts import soft_measured as facts

SMALL = {
    "automata": {"weight 2": {"a": [["2"]]}, "counting": {"0": [["1", "0"], ["1", "1"]]}},
    "words": {"weight 2": "aaaa", "counting": "0000"},
    "length": 4,
    "decades": [2, 4, 8, 12],
    "mlps": [["tanh", "1/1000000"]],
}


def outcomes(**changes):
    return facts.soft_measured([{**SMALL, **changes, "against": each} for each in facts.AGAINST])


def test_one_set_of_runs_decides_the_bound_the_print_and_the_rate():
    corrected, printed, rate = outcomes()
    assert corrected.holds and rate.holds and printed.holds is False
    assert printed.witness["automaton"] == "weight 2" and float(printed.witness["ratio"]) > 1.99
    assert 0.38 < float(printed.values["ratios"]["counting"]) < 0.39
    panel = corrected.values["drawing"]["panels"][0]
    [mlp] = panel["mlps"]
    assert len(panel["C"]) == 4 and mlp["C"] == panel["C"][1:]
    for error, low, high in zip(panel["error"], panel["printed"], panel["corrected"], strict=True):
        assert float(low) < float(error) < float(high)
    assert float(mlp["mlp"][-1]) < float(mlp["proven"]) <= 1e-6
    for name in SMALL["automata"]:
        misses, bounds = (list(map(float, rate.values[key][name])) for key in ("misses", "bounds"))
        assert all(miss < bound < 200 * miss for miss, bound in zip(misses, bounds, strict=True))
        assert bounds[-1] < 1e-7


def test_an_automaton_that_keeps_the_print_is_not_refuted():
    only = {"counting": SMALL["automata"]["counting"]}
    assert facts.soft_measured([{**SMALL, "automata": only, "against": "printed"}])[0].holds


def test_where_c_is_small_no_rate_is_derived():
    assert outcomes(decades=[1, 2], mlps=[])[2].holds is None


def test_an_error_that_falls_at_another_rate_is_noticed(monkeypatch):
    monkeypatch.setattr(facts, "gap", lambda span: leak.gap(span) * (1 + flint.arb(10) ** -6))
    assert outcomes(mlps=[])[2].holds is False


def test_too_few_digits_are_noticed_by_the_balls(monkeypatch):
    right = measured.digits_needed
    monkeypatch.setattr(measured, "digits_needed", lambda *a: right(*a) - 30)
    with pytest.raises(facts.Disagreement):
        outcomes(mlps=[])


@pytest.mark.parametrize("name", ["theta", "tensor"])
def test_a_mutant_of_the_model_is_noticed_by_the_balls(name, monkeypatch):
    """The balls know no weights: another angle or tensor gives another error."""
    from constructions import theorem1
    from constructions.core.matrix import Tensor

    theta, tensor = theorem1.theta, theorem1.tensor
    mutants = {
        "theta": lambda layer, span: theta(1, span),
        "tensor": lambda n: Tensor((n * n,) * 3, dict.fromkeys(tensor(n).entries, 2)),
    }
    monkeypatch.setattr(theorem1, name, mutants[name])
    with pytest.raises(facts.Disagreement):
        outcomes(mlps=[])
