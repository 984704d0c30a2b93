"""Recorded verdicts and exit statuses."""

from tests_support import claim

from verify.check import Check, Profile
from verify.evidence import Evidence, Outcome, Strength
from verify.expectation import Change, changes, exit_status, expected, to_record
from verify.record import Seen

RECORDED = {
    "quick": {
        "": {"a.b": "proved", "c.d": "certified"},
        "coq": {"a.b": "certified"},
        "paper": {"a.b": "not-checked"},
    }
}


def test_what_is_missing_weakens_what_is_expected():
    assert expected(RECORDED, "quick", []) == {"a.b": "proved", "c.d": "certified"}
    assert expected(RECORDED, "quick", ["coq"])["a.b"] == "certified"
    assert expected(RECORDED, "quick", ["coq", "paper"])["a.b"] == "not-checked"
    assert expected(RECORDED, "full", []) == {}


def test_status_zero_when_every_verdict_is_as_recorded():
    found = {"a.b": "proved"}
    assert exit_status(found, changes(found, {"a.b": "proved"})) == 0


def test_status_one_when_a_verdict_changed():
    found = {"a.b": "refuted"}
    assert exit_status(found, changes(found, {"a.b": "proved"})) == 1
    assert changes(found, {}) == [Change("a.b", "", "refuted")]


def test_status_two_when_something_decided_is_now_undecided():
    for now in ("undecided", "not-checked"):
        found = {"a.b": now, "c.d": "refuted"}
        assert exit_status(found, changes(found, {"a.b": "proved", "c.d": "proved"})) == 2


def test_status_three_when_something_is_broken():
    found = {"a.b": "broken"}
    assert exit_status(found, changes(found, {"a.b": "proved"})) == 3


def test_the_differences_without_a_need_are_recorded():
    def body(_):
        yield from ()

    checks = {
        "one": Check("one", ("x.y",), body, Profile.QUICK, ("coq",)),
        "two": Check("two", ("x.y",), body, Profile.QUICK, ()),
    }
    seen = [
        Seen("one", Evidence("x.y", Outcome.HOLDS, Strength.SYMBOLIC, "all n", "Proved.")),
        Seen("two", Evidence("x.y", Outcome.HOLDS, Strength.SAMPLED, "some n", "Seen.")),
    ]
    table = to_record([claim("x.y")], seen, checks, ["coq", "paper"])
    assert table == {"": {"x.y": "proved"}, "coq": {"x.y": "supported"}, "paper": {}}
