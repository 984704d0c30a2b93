"""Every binding of the paper's data counts: flip its fact, and the verdict follows."""

import pytest

from verify.facts.registry import registered
from verify.judge.outcome import Outcome
from verify.judge.paper import load
from verify.judge.verdict import Verdict, expected_judgements, own_judgement

PAPER = load()
BOUND = [(s, b) for s in PAPER.statements.values() for b in s.binding]


def hoped(statement):
    """The facts of a statement as its bindings expect them."""
    return {
        b.key: Outcome(b.outcome == "holds", witness={"x": 1} if b.outcome == "fails" else None)
        for b in statement.binding
    }


def named(pair):
    return f"{pair[0].id}:{pair[1].key}:{pair[1].interpretation}"


def test_a_flipped_fact_breaks_its_statement_and_refutes_nothing():
    for statement, binding in BOUND:
        facts = hoped(statement)
        assert own_judgement(statement, facts).rank is not Verdict.BROKEN, named(
            (statement, binding)
        )
        flipped = Outcome(True) if binding.outcome == "fails" else Outcome(False, {}, {"x": 1})
        facts[binding.key] = flipped
        assert own_judgement(statement, facts).rank is Verdict.BROKEN, named((statement, binding))


def test_a_binding_names_a_fact_with_its_method_and_says_why():
    for pair in BOUND:
        _, binding = pair
        assert registered()[binding.fact].method == binding.method, named(pair)
        assert binding.because.endswith(".") and len(binding.because.split()) > 4, named(pair)


def test_a_statement_whose_facts_are_all_missing_is_not_decided():
    for statement in PAPER.statements.values():
        facts = {b.key: Outcome(missing="coq") for b in statement.binding}
        assert own_judgement(statement, facts).rank in (Verdict.UNCHECKED, Verdict.NONE)


@pytest.mark.parametrize("lacking", ["", "coq", "pautomac", "paper"])
def test_equivalent_statements_agree_whatever_is_at_hand(lacking):
    known = registered()
    judged = expected_judgements(PAPER, lambda b: lacking if lacking in known[b.fact].needs else "")
    twins = [s for s in PAPER.statements.values() if s.same_as]
    assert twins
    for one in twins:
        assert judged[one.id].rank is judged[one.same_as].rank


def test_a_program_is_named_for_facts_whose_methods_it_serves():
    methods = {
        "SymPy": {"symbolic", "exact"},
        "mpmath": {"enclosure", "sampled", "observed"},
        "ball arithmetic (FLINT)": {"enclosure"},
        "Coq": {"machine-checked", "symbolic", "exact", "exhaustive"},
    }
    assert set(PAPER.about.tools) == set(methods)
    for tool, facts in PAPER.about.tools.items():
        assert {registered()[name].method for name in facts} <= methods[tool], tool
