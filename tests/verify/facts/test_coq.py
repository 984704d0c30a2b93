"""Facts about the proofs: what coqchk says of them, and how built models run."""

import re
from contextlib import nullcontext

from verify.coq import build, checker, weights
from verify.coq.sources import Refused
from verify.facts import coq
from verify.facts.registry import Inputs
from verify.judge.paper import load


def test_what_coqchk_refuses_is_a_crash_and_no_verdict(monkeypatch):
    def refuse(folder):
        raise Refused("coqchk names the axiom Assay.absurd")

    monkeypatch.setattr(build, "compiled", lambda files: nullcontext("folder"))
    monkeypatch.setattr(checker, "check_compiled", refuse)
    outcome = coq.checked()
    assert outcome.holds is None
    assert outcome.crash == "coqchk names the axiom Assay.absurd"


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


def test_lists_of_models_that_overlap_share_one_comparison(monkeypatch):
    wrong = weights.Difference("trees", "n = 1", "query", "another number")
    compared = []
    monkeypatch.setattr(weights, "compare_all", lambda _, names: compared.append(names) or [wrong])
    asked = [{"models": ["trees", "mlp"]}, {"models": ["mlp"]}, {"models": ["free", "trees"]}]
    found = coq.weights(Inputs(seed=3), asked)
    assert compared == [["trees", "mlp", "free"]]
    assert [each.holds for each in found] == [False, True, False]
    assert [sorted(each.values["runs"]) for each in found] == [
        sorted(each["models"]) for each in asked
    ]
