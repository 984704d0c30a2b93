"""Facts about the proofs: what coqchk says of them, and how built models run."""

from contextlib import nullcontext

import pytest

from verify.coq import build, checker, runs, samples, weights
from verify.coq.sources import Refused
from verify.coq.weights import Difference
from verify.facts import coq
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
    monkeypatch.setenv(samples.SEED, "7")
    monkeypatch.setattr(weights, "compare", lambda model: [])
    monkeypatch.setattr(weights, "run", lambda model, seed: wrong)
    outcome = coq.weights("mlp")
    assert outcome.holds is not bool(wrong)
    assert outcome.values["seed"] == 7
    assert outcome.values["runs"] == [draw.sizes for draw in runs.draws("mlp", 7)]
    if wrong:
        assert outcome.witness == {"differences": [str(wrong[0])]}
