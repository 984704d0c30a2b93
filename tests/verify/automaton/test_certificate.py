"""Claims of an export: statements that exist, and those of its own construction."""

from itertools import chain

import pytest

from constructions.automata.named import automaton_by_name
from constructions.automata.processes import ngram
from constructions.exports.order import Order, settle
from verify.automaton import certificate
from verify.automaton.language import choose_language_model
from verify.judge.paper import load


def test_every_statement_that_an_export_claims_is_one():
    claims = {
        *chain(*certificate.CLAIMS.values(), *certificate.SOFT_CLAIMS.values()),
        *certificate.TREE_DECODER,
        *certificate.ONE_HOT_CLAIMS,
        *certificate.GENERAL_CLAIMS,
    }
    assert claims - load().statements.keys() == set()


@pytest.mark.parametrize(
    "automaton, claim",
    [
        (ngram(["abba", "ab"], 2), "beyond.language.logits"),
        (automaton_by_name("mess3"), "beyond.language"),
    ],
    ids=["one-hot", "general"],
)
def test_a_language_model_claims_the_bound_of_its_own_construction(automaton, claim):
    order = settle(Order(2, format="safetensors", head="next"), words=True)
    decision = choose_language_model(automaton, order)
    assert certificate.language_claims(decision) == ("beyond.decoder", claim)
