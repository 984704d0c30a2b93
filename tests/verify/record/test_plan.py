"""Which facts a run of some statements computes."""

from verify.facts.registry import registered
from verify.judge.data import key_of
from verify.judge.paper import load
from verify.record import plan


def facts_of(name):
    return {binding.key for binding in load().statements[name].binding}


def planned(*names):
    made = plan.make(load(), registered(), {}, set(names), {})
    return {key_of(fact, parameters) for fact, parameters in made.wanted}


def test_a_statement_brings_what_it_rests_on():
    paper = load()
    below = paper.statements["thm2.restated"].rests_on
    assert below
    assert all(facts_of(name) <= planned("thm2.restated") for name in below)


def test_statements_that_say_the_same_are_run_together_in_both_directions():
    assert load().statements["thm2.qk"].same_as == "thm1.qk"
    assert facts_of("thm1.qk") <= planned("thm2.qk")
    assert facts_of("thm2.qk") <= planned("thm1.qk")


def test_other_statements_are_not_run():
    assert not facts_of("eq1") <= planned("thm2.width")
