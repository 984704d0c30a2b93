"""Facts about the proofs: what coqchk says of them, and how built models run."""

import re
from contextlib import nullcontext

import pytest

from verify.coq import build, checker, runs, weights
from verify.coq.sources import Refused
from verify.coq.weights import Difference
from verify.facts import coq
from verify.facts.registry import Inputs
from verify.judge.paper import load
from verify.recheck.kinds import coq as kinds


def test_what_coqchk_accepts_holds_with_the_axioms_of_the_library(monkeypatch):
    monkeypatch.setattr(build, "compiled", lambda files: nullcontext("folder"))
    monkeypatch.setattr(checker, "check_compiled", lambda folder: [])
    outcome = coq.checked()
    assert outcome.holds is True
    assert outcome.values == {"axioms": kinds.AXIOMS}


def test_what_coqchk_refuses_is_a_crash_and_no_verdict(monkeypatch):
    def refuse(folder):
        raise Refused("coqchk names the axiom Assay.absurd")

    monkeypatch.setattr(build, "compiled", lambda files: nullcontext("folder"))
    monkeypatch.setattr(checker, "check_compiled", refuse)
    outcome = coq.checked()
    assert outcome.holds is None
    assert outcome.crash == "coqchk names the axiom Assay.absurd"


@pytest.mark.parametrize("wrong", [[], [Difference("mlp", "n = 1", "state 0", "2, not 1")]])
def test_a_model_that_runs_wrong_does_not_hold_and_the_seed_is_named(monkeypatch, wrong):
    monkeypatch.setattr(weights, "compare", lambda model, seed: [])
    monkeypatch.setattr(weights, "run", lambda model, seed: wrong)
    monkeypatch.setattr(weights, "evaluated", lambda model, seed: ())
    outcome = coq.weights(Inputs(seed=7), ["mlp", "trees"])
    assert outcome.holds is not bool(wrong)
    assert outcome.values["seed"] == 7
    assert outcome.values["runs"] == {
        name: [draw.sizes for draw in runs.draws(name, 7)] for name in ("mlp", "trees")
    }
    if wrong:
        assert outcome.witness == {"differences": [str(wrong[0])] * 2}


def test_the_statement_on_weights_names_every_model_that_is_compared():
    tie = load().statements["beyond.tie"]
    complete = max((each.parameters["models"] for each in tie.binding), key=len)
    assert sorted(complete) == sorted(weights.MODELS)
    notes = " ".join(tie.notes)
    assert [name for name in weights.MODELS if name not in notes] == []


def test_the_sizes_that_the_statement_on_weights_names_are_those_that_are_compared():
    for model in weights.MODELS.values():
        assert 2 <= len(model.sizes) <= 5, model.name
        states = [int(re.match(r"n = (\d+),", size)[1]) for size in model.sizes]
        assert max(states) <= 3, model.name
